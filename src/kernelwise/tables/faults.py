"""What is wrong with a file, all of it at once, and the options with which it can be used as it is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from kernelwise.tables.table import Table, TableError

#: More faults than this are counted, not shown.
MOST_SHOWN = 10
#: What a shell takes as it is, on every system.
PLAIN = re.compile(r"[\w.,@%+=:/-]+")
#: What is special even between double quotation marks.
SPECIAL = re.compile(r'["$`\\!]')


@dataclass(frozen=True)
class Fault:
    """One thing that keeps a file from being used.

    ``ignore``, ``missing``, ``impute``, ``lump`` and ``task`` are values of the options that help; a fault
    without any can only be mended in the file.
    """

    place: str  # such as "line 3, column 'a'"; empty for the whole file
    message: str  # what is wrong, and what to do
    ignore: str = ""
    missing: tuple[str, ...] = ()
    impute: bool = False
    lump: bool = False
    task: str = ""

    @property
    def has_option(self) -> bool:
        return bool(self.ignore or self.missing or self.impute or self.lump or self.task)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class TableFaults(TableError):
    """All faults of a file; ``lines`` has one line for each, and one on how to go on."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        if len(faults) == 1:
            between = ", " if faults[0].place else ": "
            self.lines = [f"{source}{between}{faults[0]}"]
        else:
            n_more = len(faults) - MOST_SHOWN
            more = [f"- and {n_more} more faults of these kinds."] if n_more > 0 else []
            shown = [f"- {fault}" for fault in faults[:MOST_SHOWN]]
            self.lines = [f"{source} has {len(faults)} faults:", *shown, *more, *_go_on(self.faults)]
        super().__init__("\n".join(self.lines))


def check_faults(source: str, faults: Sequence[Fault]) -> None:
    """Raise if there are any."""
    if faults:
        raise TableFaults(source, faults)


def options(faults: Sequence[Fault]) -> str:
    """The options of a command line with which the file can be used; empty if there are none."""
    ignored = [fault.ignore for fault in faults if fault.ignore]
    missing = list(dict.fromkeys(text for fault in faults for text in fault.missing))
    tasks = [f"--task {fault.task}" for fault in faults if fault.task][:1]
    parts = [
        *([f"--ignore {in_shell(','.join(ignored))}"] if ignored else []),
        *([f"--missing {in_shell(','.join(missing))}"] if missing else []),
        *(["--impute"] if any(fault.impute for fault in faults) else []),
        *(["--lump"] if any(fault.lump for fault in faults) else []),
    ]
    return " ".join([*tasks, *parts])


def in_shell(text: str) -> str:
    """A value of an option as it is typed: in quotation marks where they are needed."""
    if PLAIN.fullmatch(text):
        return text
    return shlex.quote(text) if SPECIAL.search(text) else f'"{text}"'


def column_option(table: Table, index: int) -> str:
    """How --ignore names a column: by its name, or by its number where the name cannot be typed."""
    name = table.names[index]
    typed = name.isprintable() and "," not in name and name == name.strip()
    return name if typed and table.names.index(name) == index else str(index + 1)


def _go_on(faults: Sequence[Fault]) -> list[str]:
    helpful = options(faults)
    n_left = sum(not fault.has_option for fault in faults)
    if not helpful:
        return []
    if n_left:
        which = "the fault that has" if n_left == 1 else f"the {n_left} faults that have"
        return [f"To go on: correct {which} no option in the file, then add {helpful}"]
    return [f"To go on: {helpful}"]
