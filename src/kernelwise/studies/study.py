"""A study: its data sets, its cells, which a journal keeps, its tables, figures and sentences; and its run.

`run` runs the parts of a study. What they made can be kept as data (NAME.json beside the page says which part
made what), so that a run of some parts keeps the others.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise import __version__
from kernelwise._core.files import whole_file
from kernelwise._core.journal import fingerprint
from kernelwise._core.text import jsonable
from kernelwise.datasets import Dataset, load
from kernelwise.datasets.loader import ChangedError
from kernelwise.datasets.manifest import resolve
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.studies.figures import Kept, Picture
from kernelwise.studies.tables import Row, Table, format_rows, read_csv

T = TypeVar("T")
#: Studies, in the order of ``kernelwise reproduce all``: the papers by number, then ours.
NAMES = ("abe", "ayat", "glasmachers", "laanaya", "yin", "beyond")
#: The part, and the table, that judges the others; a page has it first.
OF_CLAIMS = "claims"
#: Data sets that were not found in the present run of a study, and the hashes of those that were.
left_out: list[str] = []
used: dict[str, str] = {}


@cache
def commit() -> str:
    """The commit of the sources that run, "" if they are not a checkout; "+" if they were changed since."""
    folder = Path(__file__).resolve().parent
    try:
        told = [
            subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "../.."])
        ]
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told[0].strip() + ("+" if told[1].strip() else "")


def software() -> str:
    """Version and commit of the package."""
    return f"{__version__}, commit {commit()}" if commit() else __version__


def made_now() -> str:
    """Version, commit and date of what is made now."""
    return f"kernelwise {software()}, {datetime.now(UTC):%Y-%m-%d}"


@dataclass
class Part:
    """What a part of a study has made: names of tables and figures, and sentences."""

    made: str = ""  # by which software, and when
    cells: Counter[str] = field(default_factory=Counter)  # by the software that computed them
    tables: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    #: What the tables show, and every difference from the paper that matters.
    sentences: list[str] = field(default_factory=list)


@dataclass
class Study:
    """One run of a study."""

    name: str
    title: str
    is_quick: bool = False  # less of everything, so that it takes a minute or two
    journal: MutableMapping[str, Any] = field(default_factory=dict)  # finished cells
    say: Callable[[str], None] = print  # is called with what goes on, a line at a time
    tables: dict[str, Table] = field(default_factory=dict)
    figures: dict[str, Picture] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)  # in the order of the page
    part: str = ""  # the one that is made now
    only: tuple[str, ...] = ()  # the parts that were run, if not all
    data: dict[str, str] = field(default_factory=dict)  # hashes of the sets that were read, by name
    quick_means: str = ""  # what a quick run leaves out

    def cell(self, key: str, compute: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        """What ``compute`` returns for the arguments, in JSON's types; from the journal if it is there."""
        key, data = f"{self.name}/{key}", digest(args)
        if key not in self.journal:
            value = jsonable(compute(*args, **settings))
            self.journal[key] = {"data": data, "value": value, "software": software()}
            self.say(f"  {key}")
        found = self.journal[key]
        self._now.cells[found.get("software", "an earlier version")] += 1
        if found["data"] != data:
            raise ValueError(
                f"The journal has {key} of other data. Name another journal, or use the data that it was "
                "begun with."
            )
        return found["value"]

    def cells(self, key: str, n_trials: int, compute: Callable[..., Any], *args: Any) -> list[Any]:
        """A cell for each trial, whose number is the last argument of ``compute``."""
        return [self.cell(f"{key}/{trial}", compute, *args, trial) for trial in range(n_trials)]

    def choose(self, full: T, quick: T) -> T:
        """The one or the other, by ``is_quick``."""
        return quick if self.is_quick else full

    def table(self, name: str, caption: str, rows: list[Row], is_shown: bool = True) -> None:
        """Add a table, unless it has no rows: its data sets are missing then."""
        if rows:
            self.tables[name] = Table(caption, jsonable(rows), is_shown)
            self._now.tables.append(name)
            if is_shown:
                self.say(f"\n{caption}\n{format_rows(self.tables[name].rows)}\n")

    def figure(self, name: str, picture: Picture) -> None:
        """Add a figure."""
        self.figures[name] = picture
        self._now.figures.append(name)

    def note(self, sentence: str, is_cut: bool = True) -> None:
        """Add a sentence on results; quick runs have none, but on what they do not cut."""
        if not (self.is_quick and is_cut):
            self._now.sentences.append(sentence)
            self.say(sentence)

    @property
    def _now(self) -> Part:
        return self.parts.setdefault(self.part, Part(made_now()))

    @property
    def sentences(self) -> list[str]:
        """Those of all parts."""
        return [sentence for part in self.parts.values() for sentence in part.sentences]

    @property
    def banner(self) -> str:
        """What a quick run says of itself."""
        return f"A quick run: {self.quick_means}. It shows what a full run does, and gives no verdicts."


def load_or_say(name: str, part: str | None = None) -> Dataset | None:
    """The data set, or None after a line on the standard error stream that says what is missing.

    The first line of a run says why and what to do; each of the others names a set, once.
    """
    try:
        dataset = load(name, part=part)
        used[dataset.name] = dataset.sha256
        return dataset
    except FileNotFoundError as error:
        if name not in left_out:
            why = f". {error}" if not left_out else ", too: its file was not found either."
            print(f"{name} is left out{why}", file=sys.stderr)
            left_out.append(name)
        return None


def quietly(compute: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """What ``compute`` returns, without warnings: columns and curves show early stops and ends of ranges."""
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, KernelwiseWarning):
            warnings.simplefilter("ignore", category)
        return compute(*args, **settings)


def few_rows(X: np.ndarray, y: np.ndarray, n_most: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows, or so many drawn at random, always the same ones."""
    keep = np.random.default_rng(0).permutation(len(y))[:n_most]
    return (X, y) if len(y) <= n_most else (X[keep], y[keep])


def digest(values: Iterable[object]) -> str:
    """A hash of the arrays among values, also within tuples and partial functions; empty without arrays."""
    hashes = [fingerprint(array, ()) for array in _arrays(values)]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:16] if hashes else ""


def _arrays(values: Iterable[object]) -> Iterator[np.ndarray]:
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple | list):
            yield from _arrays(value)
        elif isinstance(value, partial):
            yield from _arrays(value.args)


def write_index(study: Study, directory: Path) -> None:
    """Write what the parts of a study made, and the hashes of their data."""
    index = {
        "parts": {
            name: {
                "made": part.made,
                "cells": dict(part.cells),
                "sentences": part.sentences,
                "tables": {t: [study.tables[t].caption, study.tables[t].is_shown] for t in part.tables},
                "figures": {f: study.figures[f].caption for f in part.figures},
            }
            for name, part in study.parts.items()
        },
        "data": study.data,
    }
    with whole_file(directory / f"{study.name}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(index, indent=1, ensure_ascii=False) + "\n")


def keep(study: Study, directory: Path, parts: Iterable[str]) -> None:
    """Read the parts of an earlier page that are not to be run, with their rows, into a study."""
    path = directory / f"{study.name}.json"
    if not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    study.data = dict(index["data"])
    for name in parts:
        found = index["parts"].get(name)
        if found is None or name in study.only:
            continue
        for table, (caption, is_shown) in found["tables"].items():
            study.tables[table] = Table(caption, read_csv(directory / f"{study.name}_{table}.csv"), is_shown)
        study.figures |= {figure: Kept(caption) for figure, caption in found["figures"].items()}
        lists = {kind: list(found[kind]) for kind in ("tables", "figures", "sentences")}
        study.parts[name] = Part(found["made"], Counter(found["cells"]), **lists)


def check_data(names: Collection[str] = NAMES) -> Iterator[tuple[str, str]]:
    """Name and state of every data set that studies read: found, changed, or what to download."""
    wanted = dict.fromkeys(one for name in names for one in import_module(f"kernelwise.studies.{name}").DATA)
    for name in wanted:
        for file in resolve(name, None):
            try:
                dataset = load(file)
            except (FileNotFoundError, ChangedError) as error:
                yield file, f"not there: {error}"
            else:
                yield file, f"sha256 {dataset.sha256[:12]}, {dataset.source}"


def run(
    name: str,
    is_quick: bool = False,
    only: Collection[str] | None = None,
    journal: MutableMapping[str, Any] | None = None,
    say: Callable[[str], None] = print,
    kept: Path | None = None,
) -> Study:
    """Run the parts of a study, all of them if ``only`` is None.

    Of a page in the folder ``kept`` the parts that are not run stay as they are; claims are judged anew.
    """
    module = import_module(f"kernelwise.studies.{name}")
    unknown = set(only or ()) - set(module.PARTS)
    if unknown:
        raise ValueError(
            f"The study {name} has no part {min(unknown)!r}. Its parts are {', '.join(module.PARTS)}."
        )
    left_out.clear()
    used.clear()
    study = Study(name, module.TITLE, is_quick, {} if journal is None else journal, say)
    study.only = tuple(part for part in module.PARTS if part in (only or ()))
    if is_quick:
        study.quick_means = module.QUICK_MEANS
        say(study.banner)
    if only is not None and kept is not None and not is_quick:
        keep(study, kept, (part for part in module.PARTS if part != OF_CLAIMS))
    is_kept = bool(study.parts)
    for part, do in module.PARTS.items():
        if only is None or part in only or (is_kept and part == OF_CLAIMS):
            study.part = part
            do(study)
    study.data |= used
    study.parts = {part: study.parts[part] for part in module.PARTS if part in study.parts}
    return study
