"""What is wrong with a file, all of it at once, and the options with which it can be used as it is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.tables.cells import enumerated
from kernelwise.tables.table import Table, TableError

#: More faults than this are counted, not shown.
MOST_SHOWN = 10
#: What a shell takes as it is, on every system.
PLAIN = re.compile(r"[\w.,@%+=:/-]+")
#: What is special even between double quotation marks.
SPECIAL = re.compile(r'["$`\\!]')


@dataclass(frozen=True)
class Fault:
    """One thing that keeps a file from being used, or one that makes it doubtful.

    ``ignore``, ``missing``, ``task``, ``unknown`` and ``labels`` are values of the options that help; a fault
    without any can only be corrected in the file. With a ``doubt``, the name of a finding, the file can be
    used as it is.
    """

    place: str  # such as "line 3, column 'a'"; empty for the whole file
    message: str  # what is wrong, and what to do
    ignore: str = ""
    missing: tuple[str, ...] = ()
    task: str = ""
    unknown: str = ""
    labels: str = ""
    doubt: str = ""

    @property
    def has_option(self) -> bool:
        return bool(self.ignore or self.missing or self.task or self.unknown or self.labels)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message

    def finding(self) -> Finding:
        """A doubt as a finding."""
        text = str(self)
        return Finding(self.doubt, "warning", f"{text[:1].upper()}{text[1:]}")


class TableFaults(TableError):
    """All faults of a file; ``lines`` has one line for each, and one on how to go on.

    ``ignore`` and ``missing`` are what the user has given for these options, which the last line repeats: of
    an option that is given twice the last counts.
    """

    def __init__(
        self, source: str, faults: Sequence[Fault], ignore: Sequence[str] = (), missing: Sequence[str] = ()
    ) -> None:
        self.faults = tuple(faults)
        serious = [fault for fault in faults if not fault.doubt]
        doubts = [fault for fault in faults if fault.doubt]
        if len(faults) == 1:
            between = ", " if faults[0].place else ": "
            self.lines = [f"{source}{between}{faults[0]}"]
        else:
            self.lines = [f"{source} has {count(len(serious), 'fault')}:", *_listed(serious)]
            if doubts:
                self.lines += ["These may also be wrong:", *_listed(doubts)]
        self.lines += _go_on(self.faults, ignore, missing)
        super().__init__("\n".join(self.lines))


def check_faults(
    source: str, faults: Sequence[Fault], ignore: Sequence[str] = (), missing: Sequence[str] = ()
) -> None:
    """Raise if there are any but doubts; see `TableFaults`."""
    if any(not fault.doubt for fault in faults):
        raise TableFaults(source, faults, ignore, missing)


def options(faults: Sequence[Fault], ignore: Sequence[str] = (), missing: Sequence[str] = ()) -> str:
    """The options of a command line with which the file can be used; empty if there are none."""
    ignored = list(dict.fromkeys(fault.ignore for fault in faults if fault.ignore))
    ignored = [*ignore, *ignored] if ignored else []
    texts = list(dict.fromkeys(text for fault in faults for text in fault.missing))
    texts = list(dict.fromkeys([*missing, *texts])) if texts else []
    tasks = [f"--task {fault.task}" for fault in faults if fault.task][:1]
    tasks += [f"--labels {fault.labels}" for fault in faults if fault.labels][:1]
    parts = [
        *([f"--ignore {in_shell(','.join(ignored))}"] if ignored else []),
        *([f"--missing {in_shell(','.join(texts))}"] if texts else []),
        *[f"--unknown {fault.unknown}" for fault in faults if fault.unknown][:1],
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


def _listed(faults: Sequence[Fault]) -> list[str]:
    n_more = len(faults) - MOST_SHOWN
    more = [f"- and {n_more} more of these kinds."] if n_more > 0 else []
    return [*(f"- {fault}" for fault in faults[:MOST_SHOWN]), *more]


def _go_on(faults: Sequence[Fault], ignore: Sequence[str], missing: Sequence[str]) -> list[str]:
    helpful = options(faults, ignore, missing)
    left = [fault.place or "the target" for fault in faults if not (fault.has_option or fault.doubt)]
    if not helpful:
        return []
    if left:
        return [f"To continue: correct {enumerated(left, 3)} in the file, then add {helpful}"]
    return [f"To continue: {helpful}"]
