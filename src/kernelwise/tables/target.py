"""The target of a table: labels, or numbers for a regression."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.findings import Finding, catalogue
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.problems import Fault, FileColumn, check_faults
from kernelwise.tables.settle import settle
from kernelwise.tables.table import Table, TableError, is_missing, is_numbers, is_words
from kernelwise.tables.written import find_writing

#: A column with one of these names is the target if nobody names another.
TARGET_NAMES = ("target", "class", "label", "y")
#: The task of finding unusual rows, which has labels of some rows or of none.
DETECTION = "detection"
#: A column with one of these names holds labels of unusual rows, and is no feature.
LABEL_NAMES = frozenset(TARGET_NAMES) | {"labels", "outlier", "outliers", "anomaly", "anomalies", "fraud"}
LABEL_NAMES |= {"is_outlier", "is_anomaly", "is_fraud"}
#: Whole numbers with more different values than this are taken for a quantity, and are no classes at all if
#: most of them are in fewer rows than that.
MAX_CLASSES, FEW_ROWS = 100, 10
#: With more labels than this, of which some occur once, a target is asked whether it holds classes.
MANY_CLASSES = 10
#: Labels that occur once, as a share of all labels: above it the numbers are a quantity, the words names.
SINGLE_NUMBERS, SINGLE_WORDS = 0.1, 0.5
#: Why a column with such a name is left out.
LABELS = "seems to hold labels, by its name; --labels uses it"
ANOTHER = "name another column with --target"


def find_target(
    table: Table, target: str | None, left_out: set[int], task: str | None
) -> tuple[int | None, list[str]]:
    """The place of the target, None if there is none, and a sentence if it was guessed."""
    if target is not None:
        option = "--labels" if task == DETECTION else "--target"
        place = table.find(target, option)
        if place in left_out:
            raise TableError(f"Column {table.names[place]!r} is both {option} and in --ignore.")
        return place, []
    if task == DETECTION:
        return None, []
    usual = usual_targets(table, left_out)
    left = [k for k in range(len(table.names)) if k not in left_out]
    if not left:
        raise TableError(f"--ignore leaves no column of {table.source}.")
    place = usual[0] if len(usual) == 1 else left[-1]
    return place, [f"The target is {table.names[place]!r}; --target COL sets another column."]


def usual_targets(table: Table, left_out: Collection[int] = ()) -> list[int]:
    """Places of columns that are called as targets are; a bare Y, and y beside x, are coordinates."""
    has_x = any(name.lower() == "x" for name in table.names)
    names = {name for name in TARGET_NAMES if name != "y" or not has_x}
    return [
        k
        for k, name in enumerate(table.names)
        if k not in left_out and (name.lower() if name != "Y" else "") in names
    ]


def task_of(table: Table, place: int) -> str:
    """The task that a target calls for: classes, unless it cannot be classes and can be a quantity."""
    labelled = _labelled(table, place)
    values = labelled.columns[place]
    is_many = is_numbers(values) and len(np.unique(values)) > MAX_CLASSES
    if not is_many and target_fault(labelled, place, "classification") is None:
        return "classification"
    numbers = _labelled(settle(table, [place], kept=[place]), place)
    return "classification" if target_fault(numbers, place, "regression") else "regression"


def _labelled(table: Table, place: int) -> Table:
    """The rows that have a target, or all if none has."""
    rows = np.flatnonzero(~is_missing(table.columns[place]))
    return table.take(rows) if len(rows) else table


def missing_labels(table: Table, place: int, missing: Sequence[str]) -> list[str]:
    """A sentence for each text of --missing that is among the labels."""
    labels = table.text(place).tolist()
    return [
        f"The target has {text!r} in {count(labels.count(text), 'row')}; --missing does not apply to the "
        "target."
        for text in missing
        if text in labels
    ]


def spelling(word: str) -> str:
    """A word without what differs between ways of writing it: capitals and blanks."""
    return "".join(word.split()).casefold()


def ways_of(words: Iterable[str]) -> dict[str, list[str]]:
    """Words by what all ways of writing them have in common."""
    ways: dict[str, list[str]] = {}
    for word in words:
        ways.setdefault(spelling(word), []).append(word)
    return ways


def one_way(words: Iterable[str]) -> dict[str, str]:
    """Words by what all ways of writing them have in common, without those that differ in nothing else."""
    return {key: found[0] for key, found in ways_of(words).items() if len(found) == 1}


def two_ways(counts: Mapping[str, int], noun: str = "row") -> list[str]:
    """Words that are written in several ways, with their numbers of rows, the most frequent way first."""
    groups = [sorted(group, key=lambda word: -counts[word]) for group in ways_of(counts).values()]
    return [
        enumerated(f"{quoted(word)} ({count(counts[word], noun)})" for word in group)
        for group in groups
        if len(group) > 1
    ]


def spelling_findings(classes: Iterable[Any], counts: Iterable[int], noun: str = "row") -> list[Finding]:
    """A warning if classes that are words differ only in capitals or spaces; ``counts`` are their rows."""
    pairs = zip(classes, counts, strict=True)
    found = two_ways({str(label): int(n) for label, n in pairs if isinstance(label, str)}, noun)
    return [catalogue.TWO_SPELLINGS(groups=enumerated(found))] if found else []


def with_spellings(table: Table, index: int, spellings: dict[str, str]) -> Table:
    """The table with each label written in one way."""
    values = table.columns[index]
    if not spellings or not is_words(values):
        return table
    labels = np.array([v if v is None else spellings.get(spelling(v), v) for v in values], dtype=object)
    return table.with_column(index, labels)


def read_target(table: Table, index: int, task: str, as_text: bool = False) -> np.ndarray:
    """Labels as integers or text, or numbers, of shape (n_rows,); labels ``as_text`` where others are."""
    column = FileColumn(table, index)
    fault = None if task == DETECTION else _missing(column) or _other_kind(column, task, as_text)
    check_faults(table.source, [fault])
    values = table.columns[index]
    if task == "regression":
        return values
    if task == DETECTION:
        return np.array(["" if cell is None else cell for cell in table.text(index)], dtype=str)
    if not is_numbers(values) or as_text:
        return np.array(table.text(index).tolist(), dtype=str)
    return values.astype(np.int64)


def target_fault(table: Table, index: int, task: str) -> Fault | None:
    """What keeps a column from being the target of a training file; None if nothing does."""
    column = FileColumn(table, index)
    if index in table.unusable:
        return column.fault(f"it holds {table.unusable[index]}, which cannot be predicted. Please {ANOTHER}.")
    if task == DETECTION:
        return None
    fault = _missing(column) or _other_kind(column, task, as_text=False)
    return _no_classes(column) if fault is None and task == "classification" else fault


def labels_by_name(table: Table, places: Sequence[int]) -> int | None:
    """The place of a column that is called as if it held labels, among the features of a file without."""
    named = [k for k in places if table.names[k].lower() in LABEL_NAMES]
    return named[0] if len(named) == 1 and len(places) > 1 else None


def forgotten_labels(table: Table, places: Sequence[int]) -> Fault | None:
    """A column that is called as if it held labels, among the features of a file without labels."""
    place = labels_by_name(table, places)
    if place is None:
        return None
    column = FileColumn(table, place)
    message = (
        "its name suggests that it holds labels, which cannot be a feature. Use it with --labels "
        f"{column.typed}, or leave it out with --ignore {column.typed}."
    )
    return column.fault(message, labels=column.option)


def _other_kind(column: FileColumn, task: str, as_text: bool) -> Fault | None:
    """Labels where there should be numbers, or the other way round."""
    if task == "regression":
        return _no_quantity(column)
    return None if as_text or not is_numbers(column.values) else _continuous(column)


def _missing(column: FileColumn) -> Fault | None:
    rows, table = np.flatnonzero(is_missing(column.values)), column.table
    if not len(rows):
        return None
    if len(rows) == 1:
        return column.fault("the target is missing. Remove the row.", int(rows[0]))
    if len(rows) == len(table):
        return column.fault(f"it is the target, and has no values. Please {ANOTHER}.")
    lines = enumerated([str(table.lines[row]) for row in rows])
    where = f"in {len(rows)} of {len(table)} rows ({table.row_word}s {lines})"
    return column.fault(f"the target is missing {where}. Remove these rows.")


def _no_quantity(column: FileColumn) -> Fault | None:
    values = column.values
    if not is_numbers(values) and not column.odd:
        return column.fault(
            "a regression needs numbers, but the file stores those of the target as text. Store them as "
            f"numbers, use --task classification, or {ANOTHER}."
        )
    if not is_numbers(values):
        word, rows = min(column.odd.items(), key=lambda item: item[1][0])
        more = f" ({column.n_odd} such cells)" if column.n_odd > 1 else ""
        message = (
            f"a regression needs numbers, found {quoted(word)}{more}. Remove such rows, use --task "
            f"classification, or {ANOTHER}."
        )
        return column.fault(message, rows[0])
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        return column.fault(f"{values[row]} is not a finite number. Remove the row.", row)
    return None


def _continuous(column: FileColumn) -> Fault | None:
    distinct = np.unique(column.values)
    if bool((distinct == np.rint(distinct)).all()) and np.abs(distinct).max() < 2**53:
        return None
    message = (
        f"the target {column.name!r} looks continuous ({len(distinct)} distinct values, such as "
        f"{column.values[0]:g}). Use --task regression, or {ANOTHER}."
    )
    return Fault("", message, task="regression")


def why_no_classes(counts: Iterable[float], *, is_text: bool, noun: str = "row") -> str:
    """What keeps labels that occur so often from being classes, as in "9 of them in one row only"; or "".

    Labels that occur once are no classes if they are many: numbers are a quantity then, words name the rows.
    """
    times = np.fromiter(counts, float)
    n_single = int((times == 1.0).sum())
    if len(times) > MANY_CLASSES and n_single > (SINGLE_WORDS if is_text else SINGLE_NUMBERS) * len(times):
        return f"{n_single} of them in one {noun} only"
    if not is_text and len(times) > MAX_CLASSES and np.median(times) < FEW_ROWS:
        return f"most of them in fewer than {FEW_ROWS} {noun}s"
    return ""


def check_no_quantity(classes: np.ndarray, counts: np.ndarray, owner: str) -> None:
    """Raise if the labels of an array, which occur so often, are a quantity or names: as for a file."""
    is_text = classes.dtype.kind not in "biuf"
    why = why_no_classes(counts, is_text=is_text, noun="sample")
    if not why:
        return
    has = f"y has {len(classes)} different {{}} in {int(counts.sum())} samples, {why}"
    if is_text:
        raise ValueError(f"{has.format('labels')}: these cannot be classes. Check that y is what to predict.")
    raise ValueError(
        f"{has.format('whole numbers')}: it looks like a quantity, which {owner} cannot predict. Use "
        "TunedSVR; if the numbers are classes, pass them as text, as in y.astype(str)."
    )


def _no_classes(column: FileColumn) -> Fault | None:
    """Labels that cannot be classes, by how often they occur."""
    counts, n_rows = column.counts, len(column.table)
    is_text = not is_numbers(column.values)
    why = why_no_classes(counts.values(), is_text=is_text)
    if not why:
        return None
    kind = "values" if is_text else "whole numbers"
    has = f"the target {column.name!r} has {len(counts)} different {kind} in {n_rows} rows"
    way = find_writing(counts, column.table.decimal) if is_text else None
    read = {} if way is None else way.numbers(counts)
    if is_text and 2 * sum(counts[text] for text in read) <= n_rows:
        return Fault("", f"{has}, such as {column.first}: these cannot be classes. Please {ANOTHER}.")
    if is_text:
        odd = [quoted(text) for text in counts if text not in read]
        but = f"most of them numbers (but {enumerated(odd, 3)})" if odd else "which are numbers"
        message = f"{has}, {but}: it looks like a quantity. Add --task regression, or {ANOTHER}."
    else:
        message = (
            f"{has}, {why}: it looks like a quantity. Add --task regression; if the numbers are classes, "
            "remove those with few rows."
        )
    return Fault("", message, task="regression")
