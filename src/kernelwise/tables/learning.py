"""How a training file becomes X and y: its target, its columns, and all that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.frames import learn_encoder
from kernelwise.tables.columns import learn_column
from kernelwise.tables.doubts import column_doubts, doubts_beside_faults
from kernelwise.tables.encoding import Encoding
from kernelwise.tables.faults import Fault, check_faults
from kernelwise.tables.libsvm import DENSE
from kernelwise.tables.preparation import notes_on_words, preparation
from kernelwise.tables.suspects import column_fault
from kernelwise.tables.table import Table, TableError
from kernelwise.tables.target import DETECTION, TARGET_NAMES, forgotten_labels, target_fault


@dataclass(frozen=True)
class Learned:
    """What was learned from a training file, and what there is to say about it."""

    encoding: Encoding
    notes: list[str]  # what was guessed
    preparation: list[str]  # what was done to the columns
    findings: list[Finding]  # what may be wrong with the columns


def learn_encoding(
    table: Table,
    *,
    target: str | None = None,
    task: str = "classification",
    ignore: Sequence[str] = (),
    impute: bool = False,
    missing: Sequence[str] = (),
    lump: bool = False,
    words: Sequence[str] = (),
) -> Learned:
    """Learn how a training file becomes X and y, and say what was decided, one sentence each.

    ``target`` is the name or number of a column; None is the one with a usual name, or else the last. The
    task "detection" has no target unless one is named: it holds labels of some rows.
    ``ignore`` has names or numbers of columns to leave out. Missing values, which are also the cells of
    features with a text in ``missing``, stay gaps; with ``impute`` medians and the most frequent words take
    their places. ``lump`` keeps columns of words of which most are rare. ``words`` has names or numbers of
    columns whose numbers are codes of classes, and count as words. Everything that is wrong is in one
    TableError.
    """
    missing = tuple(missing)
    if table.matrix is not None:
        named = target is not None and task != DETECTION
        return _learn_libsvm(table, task, named or ignore or missing or words, target is not None)
    left_out = {table.find(name, "--ignore") for name in ignore}
    place, notes = _find_target(table, target, left_out, task)
    places = tuple(k for k in range(len(table.names)) if k != place and k not in left_out)
    if not places:
        beside = "" if place is None else f" beside the target {table.names[place]!r}"
        raise TableError(f"{table.source} has no column left{beside}.")
    coded = _coded(table, words, places, place)
    table = table.with_missing(missing, places).with_words(coded)
    faults = _faults(table, place, places, task, impute, lump, coded)
    check_faults(table.source, faults, ignore, missing)
    columns = {k: learn_column(table, k, impute, k in coded) for k in places}
    if place is not None:
        notes += _labels_that_are_missing(table, place, missing)
    notes += notes_on_words(
        table, [k for k, column in columns.items() if column.categories and k not in coded]
    )
    findings = [doubt.finding() for doubt in column_doubts(table, columns)]
    encoding = Encoding(
        tuple(columns.values()),
        places,
        None if place is None else table.names[place],
        place,
        task,
        table.has_header,
        len(table.names),
        missing=missing,
    )
    if encoding.has_words or encoding.has_gaps:
        encoding = replace(encoding, encoder=learn_encoder(encoding.frame(table)))
    said = preparation(table, columns, encoding.encoder, left_out, missing)
    return Learned(encoding, notes, said, findings)


def _learn_libsvm(table: Table, task: str, has_options: Any, has_labels: bool) -> Learned:
    if has_options:
        raise TableError(
            f"{table.source} is a LIBSVM file, whose target comes first and whose values are all numbers. "
            "Leave out --target, --ignore, --missing and --words."
        )
    fault = None if task == DETECTION else target_fault(table, 0, task)
    check_faults(table.source, [] if fault is None else [fault])
    X = table.matrix
    is_sparse = X.nnz < DENSE * X.shape[0] * X.shape[1]
    target = "label" if has_labels or task != DETECTION else None
    encoding = Encoding((), (), target, 0, task, False, X.shape[1], table.first_index, is_sparse)
    return Learned(encoding, [], [], [])


def _coded(table: Table, words: Sequence[str], places: Sequence[int], target: int | None) -> frozenset[int]:
    """Places of the columns whose numbers are words."""
    coded = frozenset(table.find(name, "--words") for name in words)
    for k in sorted(coded - set(places)):
        what = "the target" if k == target else "left out"
        raise TableError(f"Column {table.names[k]!r} is in --words, and {what}. Leave it out of --words.")
    return coded


def _faults(
    table: Table,
    target: int | None,
    places: Sequence[int],
    task: str,
    impute: bool,
    lump: bool,
    coded: frozenset[int],
) -> list[Fault]:
    """All that is wrong with a training file: its target, its columns, and what is doubtful."""
    by_column = {k: column_fault(table, k, lump, k in coded) for k in places}
    of_target = forgotten_labels(table, places) if target is None else target_fault(table, target, task)
    found = [fault for fault in (of_target, *by_column.values()) if fault is not None]
    if not found:
        return []
    usable = {
        k: learn_column(table, k, impute, k in coded) for k, fault in by_column.items() if fault is None
    }
    return [*found, *column_doubts(table, usable), *doubts_beside_faults(table, target, places, task)]


def _labels_that_are_missing(table: Table, place: int, missing: Sequence[str]) -> list[str]:
    labels = table.text(place).tolist()
    return [
        f"The target has {text!r} in {count(labels.count(text), 'row')}; --missing does not apply to the "
        "target."
        for text in missing
        if text in labels
    ]


def _find_target(
    table: Table, target: str | None, left_out: set[int], task: str
) -> tuple[int | None, list[str]]:
    if target is not None:
        option = "--labels" if task == DETECTION else "--target"
        place = table.find(target, option)
        if place in left_out:
            raise TableError(f"Column {table.names[place]!r} is both {option} and in --ignore.")
        return place, []
    if task == DETECTION:
        return None, []
    usual = [k for k, n in enumerate(table.names) if n.lower() in TARGET_NAMES and k not in left_out]
    left = [k for k in range(len(table.names)) if k not in left_out]
    if not left:
        raise TableError(f"--ignore leaves no column of {table.source}.")
    place = usual[0] if len(usual) == 1 else left[-1]
    return place, [f"The target is {table.names[place]!r}; --target COL sets another column."]
