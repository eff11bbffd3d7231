"""Broken tables and odd options through the command line, in this process.

A failure is an exit code other than 0 and 2, a traceback, a file that is left half-written, or an escape
sequence among the messages.
"""

from __future__ import annotations

import io
import os
import random
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer

from benchmarks.adversary.batches import Attempt
from benchmarks.adversary.tables import ODD, mutated, whole_files
from kernelwise.cli.app import app
from kernelwise.cli.app import main as kernelwise

SHORT = ("--log2c", "0,2,2", "--cv", "2")
TARGETS = {"numbers.tsv": ("--target", "y", "--task", "regression")}


#: Commands that read files, and values that an option may be given: sound ones, files, and nonsense.
COMMANDS = ("tune", "predict", "detect", "explain", "export", "diagnose", "compare", "curves")
VALUES = (
    *(
        "0",
        "1",
        "2",
        "3",
        "0.3",
        "-1",
        "1e9",
        "1e999",
        "nan",
        "0,1",
        "1,2,2",
        "auto",
        "rbf",
        "linear",
        "none",
    ),
    *("class", "a", "town", "a,b", "nowhere", "regression", "accuracy", "roc_auc", "f1", "exact", "nystroem"),
    *("written", "written.html", "written.csv", "nowhere/written", "\x1b[31mwritten", ".", "/dev/null", "-"),
)


def command(draw: random.Random, kind: str, name: str) -> tuple[str, ...]:
    """A command for a broken file, with some of its options."""
    target = TARGETS.get(kind, ())
    flags: tuple[tuple[str, ...], ...] = (
        ("--lump",),
        ("--missing", "-,<5"),
        ("--ignore", "1"),
        ("--no-header",),
        ("--scale", "none"),
        ("--words", "2"),
    )
    more = tuple(part for flag in flags if draw.random() < 0.1 for part in flag)
    more += ("--impute",) if draw.random() < 0.5 else ()
    chosen = draw.choice(["tune", "tune", "tune", "predict", "predict", "diagnose", "compare"])
    if chosen == "predict":
        more = (("--unknown", "ignore") if draw.random() < 0.5 else ()) + ("--out", "written")
        return ("predict", f"{kind}.kw", name, *more)
    if chosen != "tune":
        more = tuple(part for part in more if part not in ("--scale", "none"))
    if chosen == "tune":
        test = (kind,) if draw.random() < 0.1 else ()
        short = SHORT if draw.random() < 0.5 else ()
        return ("tune", name, *test, *target, *short, *more, "--model", "written")
    if chosen == "diagnose":
        return ("diagnose", name, *target[:2], *more)
    return ("compare", name, *target[:2], "--methods", "kernelwise,SVC defaults", "--folds", "2", *more)


def odd_command(draw: random.Random, files: list[str]) -> tuple[str, ...]:
    """A command on whole files with up to five options, of which some have nonsense for a value."""
    chosen = draw.choice(COMMANDS)
    name = draw.choice(files)
    parts = [chosen, *((f"{name}.kw",) if chosen in ("predict", "explain", "export") else ())]
    parts += [] if chosen == "export" else [draw.choice([name, name, name, "\x1b[31m.csv", "nowhere.csv"])]
    options = [one for one in _options(chosen) if one.name not in ("help", "n_jobs", "target")]
    if chosen in ("tune", "diagnose", "compare"):
        parts += TARGETS.get(name, ())[: 4 if chosen == "tune" else 2]
    parts += (
        SHORT if chosen == "tune" else ("--folds", "2", "--methods", "SVC defaults") * (chosen == "compare")
    )
    for one in draw.sample(options, min(len(options), draw.randint(1, 5))):
        parts.append(draw.choice([*one.opts, *one.secondary_opts]))
        if not one.is_flag:
            parts.append(draw.choice([*VALUES, draw.choice(ODD).replace("\0", "")]))
    return tuple(parts)


def _options(chosen: str) -> list[Any]:
    group: Any = typer.main.get_command(app)
    return [one for one in group.commands[chosen].params if one.param_type_name == "option"]


def fault(arguments: tuple[str, ...]) -> tuple[int, str]:
    """Run a command in the current folder; return its exit code, and what failed."""
    files = set(os.listdir())
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = kernelwise(arguments)
    is_data = arguments[0] == "predict" or "--help" in arguments
    messages = err.getvalue() + ("" if is_data else out.getvalue())
    left = set(os.listdir()) - files
    for name in left:
        Path(name).unlink()
    left -= set(arguments)
    failures = {
        f"exit code {code}: {messages[-300:]!r}": code not in (0, 2),
        "a traceback": "Traceback" in messages,
        f"{left} left behind": bool(left),
        "an escape sequence": "\x1b" in messages,
        "no message": code == 2 and "kernelwise: " not in messages,
    }
    return code, "; ".join(what for what, is_so in failures.items() if is_so)


def prepare() -> Attempt:
    """Whole files with a model of each, and what to try with one of them."""
    files = whole_files()
    for name, contents in files.items():
        Path(name).write_bytes(contents)
        code, _ = fault(("tune", name, *TARGETS.get(name, ()), *SHORT))
        assert code == 0, f"{name} is no whole file"
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            kernelwise(("tune", name, *TARGETS.get(name, ()), *SHORT, "--model", f"{name}.kw"))

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        if draw.random() < 0.4:
            arguments = odd_command(draw, sorted(files))
            found = fault(arguments)[1]
        else:
            kind = draw.choice(sorted(files))
            name, contents = mutated(draw, kind, files[kind])
            Path(f"broken_{name}").write_bytes(contents)
            arguments = command(draw, kind, f"broken_{name}")
            found = fault(arguments)[1]
            Path(f"broken_{name}").unlink()
        return f"{arguments!r}: {found}" if found else ""

    return attempt
