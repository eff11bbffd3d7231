"""A study: its cells, which a journal keeps, and what it has found: tables, figures and sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from kernelwise._core.fingerprint import fingerprint
from kernelwise._core.text import jsonable
from kernelwise.studies._figures import Picture
from kernelwise.studies._table import Row, format_rows


@dataclass(frozen=True)
class Table:
    """Rows under a caption; ``is_shown`` is False for rows that only figures and machines read."""

    caption: str
    rows: list[Row]
    is_shown: bool = True


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
    #: What the tables show, and every difference from the paper that matters.
    sentences: list[str] = field(default_factory=list)
    only: tuple[str, ...] = ()  # the parts that were run, if not all

    def cell(self, key: str, compute: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        """What ``compute`` returns for the arguments, in JSON's types; from the journal if it is there."""
        key, data = f"{self.name}/{key}", digest(args)
        if key not in self.journal:
            self.journal[key] = {"data": data, "value": jsonable(compute(*args, **settings))}
            self.say(f"  {key}")
        found = self.journal[key]
        if found["data"] != data:
            raise ValueError(
                f"The journal has {key} of other data. Name another journal, or use the data that it was "
                "begun with."
            )
        return found["value"]

    def choose(self, full: Any, quick: Any) -> Any:
        """The one or the other, by ``is_quick``."""
        return quick if self.is_quick else full

    def table(self, name: str, caption: str, rows: list[Row], is_shown: bool = True) -> None:
        """Add a table, unless it has no rows: its data sets are missing then."""
        if rows:
            self.tables[name] = Table(caption, jsonable(rows), is_shown)
            if is_shown:
                self.say(f"\n{caption}\n{format_rows(self.tables[name].rows)}\n")

    def figure(self, name: str, picture: Picture) -> None:
        """Add a figure."""
        self.figures[name] = picture

    def note(self, sentence: str) -> None:
        """Add a sentence."""
        self.sentences.append(sentence)
        self.say(sentence)


def digest(values: Any) -> str:
    """A hash of the arrays among values, also within tuples and partial functions; empty without arrays."""
    hashes = [fingerprint(array, ()) for array in _arrays(values)]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:16] if hashes else ""


def _arrays(values: Any) -> Iterator[np.ndarray]:
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple | list):
            yield from _arrays(value)
        elif isinstance(value, partial):
            yield from _arrays(value.args)
