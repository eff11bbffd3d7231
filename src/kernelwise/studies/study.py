"""A study: its data sets, its cells, which a journal keeps, and its tables, figures and sentences."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.journal import fingerprint
from kernelwise._core.text import jsonable
from kernelwise.datasets import Dataset, load
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.studies.figures import Picture
from kernelwise.studies.provenance import made_now, software
from kernelwise.studies.tables import Row, Table, format_rows

#: Data sets that were not found in the present run of a study, and the hashes of those that were.
left_out: list[str] = []
used: dict[str, str] = {}


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

    def choose(self, full: Any, quick: Any) -> Any:
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
