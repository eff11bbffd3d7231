"""What README and docs quote, in one measuring run: ``python -m benchmarks.all [--only NAME ...] [--list]``

``runs.toml`` lists the commands. Each runs in a process of its own with one thread of BLAS, two side by side
where there are two cores, and those marked "alone" by themselves at the end. What a command prints becomes
docs/figures/NAME.txt, with a head that says how it was made. A run is not made again while its command, the
package (but for `SAY`) and its benchmark are as they were then; ``--again`` makes it nevertheless. After
Ctrl-C the same command goes on with the runs that are missing; benchmarks that keep journals have them in
build/figures, a folder for each content of src, and go on within a run. Failures are told at the end, with
exit code 1.

`python -m benchmarks.figures` then puts the tables into the pages.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, THREADS
from kernelwise._core.files import whole_file
from kernelwise.datasets.loader import _find_file
from kernelwise.studies.study import commit

FIGURES = ROOT / "docs" / "figures"
#: What processes print while they run, and what they keep to go on.
KEPT = ROOT / "build" / "figures"
#: Packages whose versions are told, if they are there.
PACKAGES = ("kernelwise", "numpy", "scipy", "scikit-learn", "pandas")
#: Rooms that only say what others found: a change of a sentence changes no figure.
SAY = ("app", "cli", "reports")
#: One thread, and lines in the order in which a process and those that it starts print them.
SETTINGS = {**dict.fromkeys(THREADS, "1"), "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class Run:
    """A command of `runs.toml`; ``needs`` are packages that it cannot do without."""

    name: str
    command: str
    minutes: float
    alone: bool = False
    needs: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """The command as a list, with the folders of this computer."""
        folders = {"kept": str(self.kept()), "data": folder("ilpd"), "tables": folder("abalone")}
        words = [word.format(**folders) for word in shlex.split(self.command)]
        return [sys.executable, *words[1:]] if words[0] == "python" else words

    def kept(self) -> Path:
        """The folder of its journals and of what it prints."""
        path = KEPT / content() / self.name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def is_done(self, out: Path) -> bool:
        """Whether there is an output of this command, made by the code as it is now."""
        path = out / f"{self.name}.txt"
        if not path.exists():
            return False
        head = dict(line[2:].split(": ", 1) for line in path.read_text("utf-8").split("\n\n")[0].split("\n"))
        return head["command"] == self.command and is_unchanged(head["commit"], self.sources())

    def sources(self) -> list[str]:
        """The package but for rooms that only say what others found, and the file or folder of the benchmark.

        A benchmark that imports such a room measures it, too, and so does one that is no module.
        """
        module = self.command.partition(" -m ")[2].split(" ")[0].replace(".", "/")
        if not module:
            return ["src"]
        text = (ROOT / f"{module}.py").read_text("utf-8") if (ROOT / f"{module}.py").exists() else ""
        said = [f":!src/kernelwise/{room}" for room in SAY if f"kernelwise.{room}" not in text]
        return ["src", *said, f"{module}.py", module]

    def lacks(self) -> list[str]:
        """What has to be installed first."""
        return [name for name in self.needs if not installed(name)]


@cache
def content() -> str:
    """A name for the package as it is, which commits of other files leave alone: journals go on."""
    words = ["git", "rev-parse", "--short=12", "HEAD:src"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return found + "+" * commit().endswith("+")


def is_unchanged(since: str, paths: list[str]) -> bool:
    """Whether the files are as they were in a commit; they are not if that is unknown."""
    words = ["git", "diff", "--quiet", since, "--", *paths]
    return subprocess.run(words, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0


@cache
def read_runs() -> dict[str, Run]:
    """The runs by name, in the order of the file."""
    table: dict[str, Any] = tomllib.loads((ROOT / "benchmarks" / "runs.toml").read_text("utf-8"))
    return {
        name: Run(name, **{**entry, "needs": tuple(entry.get("needs", ()))}) for name, entry in table.items()
    }


def folder(name: str) -> str:
    """The folder of a data file, "" if it is not there: the benchmark then says what it lacks."""
    found = _find_file(name)
    return str(found.parent) if found else ""


def installed(package: str) -> str:
    """The version of a package, or ""."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


def head(run: Run, seconds: float) -> str:
    """Command, commit, date, versions and machine, each in a line."""
    versions = {name: installed(name) for name in (*PACKAGES, *run.needs)}
    return "\n".join(
        [
            f"# command: {run.command}",
            f"# commit: {commit()}",
            f"# date: {datetime.now(UTC):%Y-%m-%d}",
            f"# versions: Python {platform.python_version()}, "
            + ", ".join(f"{name} {found}" for name, found in versions.items() if found),
            f"# machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
            f"# CPU seconds: {seconds:.0f}",
        ]
    )


def make(runs: list[Run], out: Path, slots: int) -> list[str]:
    """Make runs, so many at a time, and return what failed, a sentence for each."""
    out.mkdir(parents=True, exist_ok=True)
    waiting, failed = list(runs), []
    running: dict[int, tuple[Run, subprocess.Popen[bytes], Path]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                run = waiting.pop(0)
                words, said = run.words(), run.kept() / "stdout"
                with said.open("wb") as stdout, said.with_name("stderr").open("wb") as stderr:
                    started = subprocess.Popen(
                        words, cwd=ROOT, env=os.environ | SETTINGS, stdout=stdout, stderr=stderr
                    )
                running[started.pid] = run, started, said
                print(f"{datetime.now():%H:%M} {run.name}, about {run.minutes:g} minutes", flush=True)
            pid, status, usage = os.wait4(-1, 0)
            run, ended, said = running.pop(pid)
            ended.returncode = os.waitstatus_to_exitcode(status)
            text = said.read_text("utf-8").strip("\n").replace(str(ROOT), ".")
            if ended.returncode or not text:
                failed.append(f"{run.name} ended with {ended.returncode}, see {said.with_name('stderr')}")
                continue
            with whole_file(out / f"{run.name}.txt", "w", encoding="utf-8") as file:
                file.write(f"{head(run, usage.ru_utime + usage.ru_stime)}\n\n{text}\n")
    finally:
        for _, left, _ in running.values():
            left.terminate()
    return failed


def main(arguments: list[str] | None = None) -> None:
    """Make what is missing, or list it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=read_runs(), metavar="NAME", default=list(read_runs()))
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--again", action="store_true", help="also what has been run by this code")
    parser.add_argument("--out", type=Path, default=FIGURES, help="folder of the outputs")
    parser.add_argument("--slots", type=int, default=os.cpu_count() or 1, help="runs side by side")
    options = parser.parse_args(arguments)
    if not commit():
        sys.exit("The outputs say of which commit they are, so this needs a checkout of git.")
    runs = [read_runs()[name] for name in options.only]
    todo = [run for run in runs if options.again or not run.is_done(options.out)]
    if options.list:
        for run in runs:
            there = (options.out / f"{run.name}.txt").exists()
            state = "done" if run not in todo else "of other code" if there else "not run yet"
            print(f"{run.name:18s} {run.minutes:5g} min  {state:14s}{run.command}")
        print(f"{len(todo)} of {len(runs)} to run, {sum(run.minutes for run in todo):g} minutes on one core")
        if lacking := sorted({name for run in todo for name in run.lacks()}):
            print(f"Install first: {' '.join(lacking)}")
        return
    failed = [f"{run.name} needs {', '.join(run.lacks())}: pip install" for run in todo if run.lacks()]
    can = [run for run in todo if not run.lacks()]
    try:
        failed += make([run for run in can if not run.alone], options.out, options.slots)
        failed += make([run for run in can if run.alone], options.out, 1)
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on with what is missing.")
    for sentence in failed:
        print(sentence)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
