"""Pages beside the files that `benchmarks.all` wrote: ``python -m benchmarks.figures [--check]``

It puts tables of the files into the pages. With ``--check`` it writes nothing, and says which tables differ
and which numbers of README and docs are in no file. Comments in a page, which readers do not see, say where
its numbers come from:

    <!-- from: forests, sizes; given: 40 1.2 -->      until the next heading, or the next such comment
    <!-- table: forests accuracy -->
    | set | rows | …                                  the table under "## accuracy" in forests.txt
    <!-- end -->

"from" names runs of ``runs.toml``, whose outputs are in docs/figures, or studies, whose pages are in
docs/studies, or "code", the code of the page itself, which tests run. A number is measured if it has a
decimal point, a unit (`UNITS`) or ± beside it. It must be in one of these places: a number there rounds to
it, perhaps in another unit. "given" lists numbers, as they are written, that nobody measured here:
parameters, definitions, what others have published. Code and versions are not read, nor are numbers that
name a cell of a study.

A page can be right only as far as its runs have been made; the numbers that wait for one are counted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.all import FIGURES, ROOT, read_runs
from kernelwise._core.files import whole_file

STUDIES = ROOT / "docs" / "studies"
#: Written by other programs, or not about what was measured.
NOT_READ = ("_build", "api", "gallery", "studies", "figures", "upgrade.md")
#: Units of what is measured, and the factor by which a file's plain unit (shares, seconds, MB) becomes it.
UNITS = {
    "%": 100.0,
    "per cent": 100.0,
    "points": 100.0,
    "s": 1.0,
    "seconds": 1.0,
    "ms": 1e3,
    "µs": 1e6,
    "ns": 1e9,
    "minutes": 1 / 60,
    "hours": 1 / 3600,
    "KiB": 1.0,
    "MB": 1.0,
    "MiB": 1.0,
    "GB": 1e-3,
    "GiB": 1 / 1024,
    "times": 1.0,
    "×": 1.0,
}
DIGITS = r"(?:\d{1,3}(?:[ \u202f\u00a0]\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?"
UNIT = "|".join(UNITS)
#: A number, but no version, and its unit, also of a range such as "30 to 150 times"; not that of "35 × 35".
NUMBER = re.compile(
    rf"(?<![\w.])(?<!Python )(?<!version )({DIGITS})(?![\w.]*[\d/])"
    rf"(?:(?=(?:(?: to |–){DIGITS})?[ \u202f\u00a0]?({UNIT})(?!\w)(?! \d)))?"
)
#: A number that is compared with a cell of a study's table by `tests/studies`.
CELL = re.compile(rf"{DIGITS}(?: %)?<!-- \w+\.csv .*?-->")
CODE = re.compile(r"^([ \t]*)(```|~~~).*?^\1\2|`[^`\n]*`|\]\([^)\s]*\)", re.DOTALL | re.MULTILINE)
#: The name of the code of the page itself, as a source of its numbers.
CODE_HERE = "code"
TABLE = re.compile(r"(<!-- table: ([\w-]+)(?: ([\w ,-]+))? -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)
MARK = re.compile(
    r"<!-- (?:from: (?P<runs>[\w, -]+))?(?:; )?(?:given: (?P<given>[^>]*?))? -->|^#+ ", re.MULTILINE
)


@dataclass
class Report:
    """What is wrong on pages, which runs they name, and what waits because a run has not been made."""

    faults: list[str] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)

    def wait(self, name: str) -> None:
        """Count a number, or a table, for a run that has not been made."""
        self.waiting[name] = self.waiting.get(name, 0) + 1


@cache
def output(name: str) -> str | None:
    """What a run or a study has written, None if it has not been run; an unknown name is a ValueError."""
    studied = [STUDIES / f"{name}.md", *sorted(STUDIES.glob(f"{name}_*.csv"))]
    if studied[0].exists():
        return "\n".join(path.read_text(encoding="utf-8") for path in studied)
    if name not in read_runs():
        raise ValueError(f"there is no run {name!r} in benchmarks/runs.toml, nor a study of that name")
    path = FIGURES / f"{name}.txt"
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    return text[text.index("\n\n") :]  # without the head, whose versions and seconds are no results


@cache
def numbers(text: str) -> tuple[float, ...]:
    """All numbers of a text, without their signs."""
    return tuple(float(plain(found)) for found in re.findall(rf"(?<![\w.]){DIGITS}", text))


def plain(text: str) -> str:
    """A number as Python reads it: without spaces between its thousands."""
    return re.sub(r"\s", "", text)


def is_in(text: str, unit: str, said: str) -> bool:
    """Whether a number of what a run has said rounds to this one, as it is or turned into its unit."""
    digits, _, exponent = plain(text).partition("e")
    shown = float(plain(text))
    half = 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])) * (1 + 1e-9)
    factors = {1.0, UNITS.get(unit, 1.0)}
    return any(abs(factor * number - shown) <= half for number in numbers(said) for factor in factors)


def table_of(said: str, title: str | None) -> str | None:
    """The first Markdown table of an output, or that under the heading ``## title``; None without one."""
    part = said.partition(f"\n## {title}\n")[2] if title else said
    found = re.search(r"^\|.*(?:\n\|.*)*", part, re.MULTILINE)
    return found[0] if found else None


def filled(text: str, where: str, report: Report) -> str:
    """The text of a page with the tables of the files in their places."""

    def table(match: re.Match[str]) -> str:
        before, name, title, _, after = match.groups()
        report.named.add(name)
        try:
            said = output(name)
        except ValueError as error:
            report.faults.append(f"{where}: {error}")
            return match[0]
        if said is None:
            report.wait(name)
            return match[0]
        made = table_of(said, title)
        if made is None:
            report.faults.append(f"{where}: the output of {name} has no table {title or ''}".rstrip())
            return match[0]
        return before + made + after

    return TABLE.sub(table, text)


def blank(match: re.Match[str]) -> str:
    """As many lines as the match has, and nothing in them."""
    return "·" + "\n" * match[0].count("\n")


def measured(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, number and unit of what a page says was measured."""
    for line, content in enumerate(text.split("\n")):
        for match in NUMBER.finditer(content):
            beside = content[max(match.start() - 2, 0) : match.end() + 2]
            if match[2] or "." in match[1] or "±" in beside:
                yield line, match[1], match[2] or ""


def check_numbers(text: str, where: str, report: Report) -> None:
    """Look for every measured number of a page in what the runs of its part have said."""
    code = "\n".join(match[0] for match in CODE.finditer(text) if match[2])
    text = CODE.sub(blank, TABLE.sub(blank, CELL.sub(blank, text)))
    marks = {text.count("\n", 0, mark.start()): mark for mark in MARK.finditer(text)}
    found: dict[int, list[tuple[str, str]]] = {}
    for line, number, unit in measured(re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)):
        found.setdefault(line, []).append((number, unit))
    names: list[str] = []
    given: list[str] = []
    said: dict[str, str | None] = {}
    for line in sorted({*marks, *found}):
        if line in marks:
            names = re.split(r",\s*", marks[line]["runs"]) if marks[line]["runs"] else []
            given = (marks[line]["given"] or "").split()
            report.named.update(names)
            try:
                said = {name: code if name == CODE_HERE else output(name) for name in names}
            except ValueError as error:
                report.faults.append(f"{where}:{line + 1}: {error}")
                said = {}
        for number, unit in found.get(line, []):
            if plain(number) in given or any(is_in(number, unit, one) for one in said.values() if one):
                continue
            waits = [name for name, one in said.items() if one is None]
            if waits:
                report.wait(waits[0])
            else:
                source = f"not in the output of {' or '.join(names)}" if names else "from no run"
                report.faults.append(f"{where}:{line + 1}: {number} {unit}".rstrip() + f" is {source}")


def pages() -> list[Path]:
    """The two READMEs, and every page of docs that is written by hand."""
    docs = ROOT / "docs"
    own = (path for path in sorted(docs.rglob("*.md")) if path.relative_to(docs).parts[0] not in NOT_READ)
    return [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *own]


def check(paths: list[Path] | None = None, write: bool = False) -> Report:
    """Compare pages, all by default, with the files, and put the tables into them if asked to."""
    report = Report()
    for path in paths or pages():
        text, where = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        new = filled(text, where, report)
        if new != text and write:
            with whole_file(path, "w", encoding="utf-8") as file:
                file.write(new)
        elif new != text:
            report.faults.append(f"{where}: its tables are not those of docs/figures")
        check_numbers(new, where, report)
    if not paths:
        unused = [name for name in read_runs() if name not in report.named]
        report.faults += [f"benchmarks/runs.toml: no page names the run {name}" for name in unused]
    return report


def main(arguments: list[str] | None = None) -> None:
    """Write the tables into the pages, and print what is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path, help="README.md and all of docs by default")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    report = check([path.resolve() for path in options.pages], write=not options.check)
    print(*report.faults, sep="\n")
    for name, count in report.waiting.items():
        print(f"{name} has not been run yet: {count} numbers and tables wait for it")
    print(f"{len(report.faults)} faults")
    sys.exit(bool(report.faults))


if __name__ == "__main__":
    main()
