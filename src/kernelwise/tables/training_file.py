"""X and y of a training file, with all that is wrong with it, and of another file in the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise._core.text import amount, count, meant
from kernelwise.findings import Finding
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.column import Column
from kernelwise.tables.encoder import Encoder, learn_encoder
from kernelwise.tables.judge import judge_columns
from kernelwise.tables.new_rows import fit_columns, notes_on_names, places_by_name, read_cells
from kernelwise.tables.problems import (
    Fault,
    FileColumn,
    TableFaults,
    check_faults,
    column_fault,
)
from kernelwise.tables.read.libsvm import DENSE, fitting_matrix
from kernelwise.tables.settle import counts_rows, settle
from kernelwise.tables.table import Table, TableError, is_missing, is_numbers, is_words, listed
from kernelwise.tables.target import (
    DETECTION,
    LABELS,
    find_target,
    forgotten_labels,
    labels_by_name,
    missing_labels,
    one_way,
    read_target,
    target_fault,
    task_of,
    two_ways,
    ways_of,
    with_spellings,
)
from kernelwise.tables.warnings import column_doubts, doubts_beside_faults, notes_on_words
from kernelwise.tables.written import Writing


@dataclass(frozen=True)
class Encoding:
    """Rules by which files become the rows of a model, learned from the training file."""

    encoder: Encoder  # of the features, in the order of the model; without columns for LIBSVM files
    places: tuple[int, ...]  # indices in the training file, which count where it has no header
    target: str | None  # None for unusual rows without labels
    target_place: int | None
    task: str  # "classification", "regression" or "detection"
    has_header: bool
    n_columns: int  # of the training file; for LIBSVM files the features
    first_index: int | None = None  # of the features of a LIBSVM file; None for others
    is_sparse: bool = False  # whether the model takes sparse samples
    missing: tuple[str, ...] = ()  # texts that stand for missing values, besides the usual ones
    fills_gaps: bool = False  # whether medians and most frequent words take the places of missing values
    target_written: tuple[str, ...] | None = None  # how the numbers of the target are written, as text
    spellings: dict[str, str] = field(default_factory=dict)  # the one way to write a label that has several
    decimal: str | None = None  # the sign of decimals in the training file; None if that is not known
    separator: str | None = None  # between the cells of the training file

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.encoder.columns

    @property
    def usual(self) -> tuple[str, str]:
        """Sign of decimals and separator of the training file, as `read_table` takes them for new rows."""
        return self.decimal or ".", self.separator or ""

    @property
    def feature_names(self) -> list[str]:
        if self.first_index is not None:
            return [f"feature {k + self.first_index}" for k in range(self.n_columns)]
        return self.encoder.feature_names

    @property
    def has_words(self) -> bool:
        return any(column.is_words for column in self.columns)

    @property
    def has_gaps(self) -> bool:
        """Whether the model is trained on gaps."""
        return any(column.has_gaps for column in self.columns)

    @property
    def is_coded(self) -> bool:
        """Whether the model takes tables, whose words and gaps it codes, and whose texts are numbers."""
        return self.has_gaps or any(one.dtype != "f" or one.written is not None for one in self.columns)

    def samples(
        self, table: Table, refused: frozenset[str] = frozenset(), notes: list[str] | None = None
    ) -> Any:
        """X of a table: an array of shape (n_rows, n_features), or CSR.

        What no training row had is coded as unknown, and counted in ``notes``; kinds of it in ``refused``, of
        `kernelwise.tables.new_rows`, are an error.
        """
        X = self.rows(table, refused, notes)
        return self.encoder.transform(X) if self.is_coded else X

    def rows(
        self, table: Table, refused: frozenset[str] = frozenset(), notes: list[str] | None = None
    ) -> Any:
        """What an estimator takes: `samples`, or a Table if there are words or gaps."""
        if self.first_index is not None:
            X = fitting_matrix(table, self.n_columns, self.first_index)
            return X if self.is_sparse else X.toarray()
        if table.matrix is not None:
            raise TableError(
                f"{table.source} is a LIBSVM file, but the training file has named columns. Give a file with "
                "the same columns."
            )
        places = self._places_in(table)
        table = table.with_missing(self.missing, places)
        columns = [self._as_written(column, table) for column in self.columns]
        cells, found = fit_columns(table, places, columns, self.fills_gaps, refused)
        if notes is not None:
            names = [column.name for column in self.columns]
            notes += [*(notes_on_names(names, table.names) if self.has_header else ()), *found]
        if self.fills_gaps or not self.is_coded:
            pairs = zip(cells, self.columns, strict=True)
            cells = [_filled(values, column) for values, column in pairs]
        if not self.is_coded:
            return np.ascontiguousarray(np.stack(cells, axis=1))
        return Table(
            tuple(column.name for column in self.columns),
            tuple(cells),
            whole=tuple(bool(is_numbers(values) and (values == np.rint(values)).all()) for values in cells),
            codes_as_words=frozenset(k for k, column in enumerate(self.columns) if not column.is_text),
            fills_gaps=self.fills_gaps,
        )

    def labels(self, table: Table, as_text: bool = False, classes: Iterable[Any] = ()) -> np.ndarray:
        """y of a table; labels ``as_text`` where those of the training file are, whatever they look like.

        A label that one of the ``classes`` is written as, but for capitals and blanks, is that class.
        """
        if table.matrix is not None:
            return read_target(table, 0, self.task, as_text)
        place = self._target_in(table)
        if place is None:
            raise TableError(f"{table.source} has no column {self.target!r}, which is the target.")
        if self.task == "regression" and place not in table.unusable:
            column = self._as_written(Column(self.target, written=self.target_written), table)
            read = read_cells(table, place, column)
            if (is_missing(read) <= is_missing(table.columns[place])).all():
                table = table.with_column(place, read)
        spellings = self.spellings or one_way([str(label) for label in classes])
        return read_target(with_spellings(table, place, spellings), place, self.task, as_text)

    def labelled(self, table: Table, notes: list[str]) -> Table:
        """The rows of a table that have a target, with a sentence on the others."""
        place = None if table.matrix is not None else self._target_in(table)
        return table if place is None else with_target(table, place, notes)[0]

    def has_labels(self, table: Table) -> bool:
        """Whether the target is in a table, and all there."""
        if table.matrix is not None:
            return self.target is not None
        place = self._target_in(table)
        return place is not None and not is_missing(table.columns[place]).any()

    def _as_written(self, column: Column, table: Table) -> Column:
        """A column with the sign of decimals of new rows: its own, unless the table is known to differ."""
        if column.dtype != "f":
            return column
        way = Writing(*column.written or (self.usual[0],))
        differs = table.decimal not in ("", self.usual[0])
        return replace(column, written=tuple(way._replace(decimal=table.decimal) if differs else way))

    def _places_in(self, table: Table) -> list[int]:
        if self.has_header:
            names = [column.name for column in self.columns]
            places = places_by_name(names, table.names)
            missing = [name for name, place in zip(names, places, strict=True) if place is None]
            if missing:
                word = "column" if len(missing) == 1 else "columns"
                near = meant(missing[0], table.names)
                raise TableError(
                    f"{table.source} has no {word} {listed(missing)}, which the model needs.{near} It has "
                    f"{listed(table.names)}."
                )
            return [place for place in places if place is not None]
        shift = self._shift(table)
        last = self.n_columns if self.target_place is None else self.target_place
        return [place - shift if place > last else place for place in self.places]

    def _target_in(self, table: Table) -> int | None:
        if self.target is None:
            return None
        if self.has_header:
            return places_by_name([self.target], table.names)[0]
        return None if self._shift(table) else self.target_place

    def _shift(self, table: Table) -> int:
        """Whether a file without names lacks the target: 1 if it does, 0 if it is all there."""
        if self.target_place is None and len(table.names) != self.n_columns:
            raise TableError(
                f"{table.source} has {len(table.names)} columns, but the training file had {self.n_columns}. "
                "Give the same columns."
            )
        if len(table.names) not in (self.n_columns, self.n_columns - 1):
            raise TableError(
                f"{table.source} has {len(table.names)} columns, but the training file had {self.n_columns} "
                "with the target. Give the same columns, with or without the target."
            )
        return self.n_columns - len(table.names)

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it. The encoder of words and gaps is not repeated: the model has it."""
        numbers = [{"name": one.name, "fill": one.fill} for one in self.columns]
        numbers = [] if self.is_coded else numbers
        plain = {"places": list(self.places), "missing": list(self.missing), "encoder": numbers}
        return {**vars(self), **plain}

    @classmethod
    def from_json(cls, node: dict[str, Any], encoder: Encoder | None = None) -> Encoding:
        """What `to_json` has made; ``encoder`` is that of the model, None if it takes numbers."""
        node = {**node, "places": tuple(node["places"]), "missing": tuple(node.get("missing", ()))}
        if "columns" in node:
            # A file of an older version has what was known of each column, and an encoder like the model's.
            columns = node["encoder"] = node.pop("columns")
            if encoder is None and any(column["categories"] for column in columns):
                raise TableError(
                    "The model was written by an older version of kernelwise, which coded words in another "
                    "way. Train the model again with `kernelwise tune`."
                )
            node["fills_gaps"] = any(column["fill"] is not None for column in columns)
        if node.get("target_written") is not None:
            node["target_written"] = tuple(node["target_written"])
        if encoder is None:
            numbers = (Column(str(one["name"]), fill=one["fill"]) for one in node["encoder"])
            encoder = Encoder(tuple(numbers))
        return cls(**{**node, "encoder": encoder})


def _filled(values: np.ndarray, column: Column) -> np.ndarray:
    """Cells of new rows without gaps, which dates fill themselves."""
    can_fill = column.is_words or is_numbers(values)
    return np.where(is_missing(values), column.fill, values) if can_fill else values


def with_target(table: Table, place: int, notes: list[str]) -> tuple[Table, np.ndarray]:
    """The rows that have a target, with a sentence on the others, and which rows these are."""
    missing = is_missing(table.columns[place])
    rows = np.flatnonzero(~missing)
    if len(rows) in (0, len(table)):
        return table, np.arange(len(table))
    gone = np.flatnonzero(missing)
    lines = enumerated([str(table.lines[row]) for row in gone])
    word = f"{table.row_word}{'s' if len(gone) > 1 else ''}"
    notes.append(
        f"{count(len(gone), 'row was', 'rows were')} left out, because the target {table.names[place]!r} is "
        f"missing ({word} {lines})."
    )
    return table.take(rows), rows


@dataclass(frozen=True)
class Learned:
    """Encoding of a training file, and what there is to say about it."""

    encoding: Encoding
    notes: list[str]  # what was guessed
    preparation: list[str]  # what was done to the columns
    findings: list[Finding]  # what was done to the cells, and what may be wrong with the columns
    table: Table  # the training file as it is used
    rows: np.ndarray  # of the file that are used, in order


def learn_encoding(
    table: Table,
    *,
    target: str | None = None,
    task: str | None = "classification",
    ignore: Sequence[str] = (),
    impute: bool = False,
    missing: Sequence[str] = (),
    lump: bool = False,
    words: Sequence[str] = (),
    use: Sequence[str] = (),
    strict: bool = False,
    codes: bool = True,
) -> Learned:
    """Learn how a training file becomes X and y, and say what was decided, one sentence each.

    ``target`` is the name or number of a column; None is the one with a usual name, or else the last. The
    task "detection" has no target unless one is named: it holds labels of some rows. Without a task, a target
    that looks like a quantity is one of a regression, and any other has classes.
    ``ignore`` has names or numbers of columns to leave out, ``use`` those of columns that are not left out
    because they look useless. Missing values, which are also the cells of features with a text in
    ``missing``, stay gaps; with ``impute`` medians and the most frequent words take their places. ``words``
    has names or numbers of columns whose numbers are codes of classes, and count as words. What is sure is
    done, as `kernelwise.tables.settle` says, and rows without a target are left out; with ``strict`` nothing
    is, and ``lump`` keeps columns of words of which most are rare. ``codes`` says whether rows may tell that
    whole numbers are names (`kernelwise.tables.codes`). Everything that is wrong is in one TableError.
    """
    missing = tuple(missing)
    if task is None and (strict or table.matrix is not None):
        task = "classification"
    if table.matrix is not None:
        assert task is not None
        named = target is not None and task != DETECTION
        return _learn_libsvm(table, task, named or ignore or missing or words or use, target is not None)
    ignored = {table.find(name, "--ignore") for name in ignore}
    kept = {table.find(name, "--use") for name in use}
    place, notes = find_target(table, target, ignored, task)
    if task is None:
        assert place is not None
        task = task_of(table, place)
        if task == "regression":
            notes.append(
                f"The target {table.names[place]!r} looks like a quantity, so this is a regression; --task "
                "classification predicts classes."
            )
    rows, target_written = np.arange(len(table)), None
    spellings: dict[str, str] = {}
    if not strict and place is not None and task != DETECTION:
        table, rows, target_written, spellings = _settle_target(table, place, task, notes)
    places = tuple(k for k in range(len(table.names)) if k != place and k not in ignored)
    if not places:
        beside = "" if place is None else f" beside the target {table.names[place]!r}"
        raise TableError(f"{table.source} has no column left{beside}.")
    coded = _coded(table, words, places, place)
    table = table.with_missing(missing, places).with_words(coded)
    if not strict:
        labels = labels_by_name(table, places) if place is None else None
        table = settle(table, places, coded, kept, {} if labels is None else {labels: LABELS})
        # Labels of unusual rows, which few rows have, do not say which columns help.
        if place is not None and task != DETECTION and target_fault(table, place, task) is None:
            table = _judged(table, places, place, task, kept, codes)
    places = tuple(k for k in places if k not in table.left_out)
    as_it_is = set(places) if not strict else coded
    by_column = {
        k: column_fault(FileColumn(table, k), lump or not strict, k in as_it_is, k in kept | table.as_text)
        for k in places
    }
    if strict:  # nothing is left out, and nothing is learned from what cannot help
        counters = (FileColumn(table, k) for k in places if k not in kept and counts_rows(table, k))
        by_column |= {column.index: _counter_fault(column) for column in counters}
    of_target = forgotten_labels(table, places) if place is None else target_fault(table, place, task)
    faults = [fault for fault in (of_target, *by_column.values()) if fault is not None]
    usable = [k for k in places if by_column[k] is None]
    features = Table(
        tuple(table.names[k] for k in usable),
        tuple(table.columns[k] for k in usable),
        codes_as_words=frozenset(n for n, k in enumerate(usable) if k in coded | table.codes_as_words),
        fills_gaps=impute,
        written={n: table.written[k] for n, k in enumerate(usable) if k in table.written},
        as_text=frozenset(n for n, k in enumerate(usable) if k in table.as_text),
    )
    encoder = learn_encoder(features)
    columns = dict(zip(usable, encoder.columns, strict=True))
    doubts = column_doubts(table, columns, impute)
    if faults:
        suspected = doubts_beside_faults(table, place, usable, task) if strict else []
        raise TableFaults(table.source, [*faults, *doubts, *suspected])
    if place is not None:
        notes += missing_labels(table, place, missing)
    words_of_text = [
        k for k, column in columns.items() if column.is_words and column.is_text and k not in table.codes
    ]
    notes += notes_on_words(FileColumn(table, k) for k in words_of_text)
    encoding = Encoding(
        encoder,
        places,
        None if place is None else table.names[place],
        place,
        task,
        table.has_names,
        len(table.names),
        missing=missing,
        fills_gaps=impute,
        target_written=target_written,
        spellings=spellings,
        decimal=table.decimal or None,
        separator=table.separator or None,
    )
    done = [finding.for_command_line() for finding in table.done]
    return Learned(
        encoding,
        notes,
        [*done, *_preparation(table, columns, impute, ignored, missing)],
        [*table.done, *(doubt.finding() for doubt in doubts)],
        table,
        rows,
    )


def _counter_fault(column: FileColumn) -> Fault:
    return column.droppable(
        f"it {counts_rows(column.table, column.index)}, and new rows will have other numbers. Leave it out "
        f"with --ignore {column.typed}, or use it with --use {column.typed}."
    )


def _judged(
    table: Table, places: Sequence[int], place: int, task: str, kept: Collection[int], codes: bool
) -> Table:
    """The table with its text coded if that helps, as `judge_columns` says; features are of ``places``."""
    apart = {k: "" for k in range(len(table.names)) if k not in places}
    y = read_target(table, place, task)
    raw = replace(table, left_out={**table.left_out, **apart})
    judged = judge_columns(raw, y, task == "classification", kept, may_be_coded=codes)
    return replace(judged, left_out={k: why for k, why in judged.left_out.items() if k not in apart})


def _settle_target(
    table: Table, place: int, task: str, notes: list[str]
) -> tuple[Table, np.ndarray, tuple[str, ...] | None, dict[str, str]]:
    """The rows that have a target, which they are, how it is written, and labels that are written twice."""
    written = None
    if task == "regression":
        table = settle(table, [place], kept=[place])
        written = table.written.pop(place, None)
    table, rows = with_target(table, place, notes)
    column = FileColumn(table, place)
    if task == "regression" or not is_words(column.values):
        return table, rows, written, {}
    groups = {key: group for key, group in ways_of(column.counts).items() if len(group) > 1}
    spellings = {key: max(group, key=column.counts.__getitem__) for key, group in groups.items()}
    for label, told in zip(spellings.values(), two_ways(column.counts), strict=True):
        notes.append(
            f"Labels that differ only in capitals or spaces are one class, {label!r}: {told}. Use --strict "
            "if they are different classes."
        )
    return with_spellings(table, place, spellings), rows, None, spellings


def _learn_libsvm(table: Table, task: str, has_options: Any, has_labels: bool) -> Learned:
    if has_options:
        raise TableError(
            f"{table.source} is a LIBSVM file, whose target comes first and whose values are all numbers. "
            "Leave out --target, --ignore, --missing, --words and --use."
        )
    fault = None if task == DETECTION else target_fault(table, 0, task)
    check_faults(table.source, [fault])
    X = table.matrix
    is_sparse = X.nnz < DENSE * X.shape[0] * X.shape[1]
    target = "label" if has_labels or task != DETECTION else None
    encoding = Encoding(Encoder(()), (), target, 0, task, False, X.shape[1], table.first_index, is_sparse)
    return Learned(encoding, [], [], [], table, np.arange(len(table)))


def _coded(table: Table, words: Sequence[str], places: Sequence[int], target: int | None) -> frozenset[int]:
    """Places of the columns whose numbers are words."""
    coded = frozenset(table.find(name, "--words") for name in words)
    for k in sorted(coded - set(places)):
        what = "the target" if k == target else "left out"
        raise TableError(f"Column {table.names[k]!r} is in --words, and {what}. Leave it out of --words.")
    return coded


def _preparation(
    table: Table,
    columns: dict[int, Column],
    fills_gaps: bool,
    left_out: Iterable[int] = (),
    missing: tuple[str, ...] = (),
) -> list[str]:
    """Which columns were left out, coded or filled, one sentence each; ``columns`` by their indices."""
    sentences = []
    names = [repr(table.names[k]) for k in sorted(left_out)]
    if names:
        sentences.append(f"Left out: {enumerated(names)}.")
    if missing:
        sentences.append(f"Cells that hold {enumerated(map(quoted, missing), last='or')} count as missing.")
    words = {k: column for k, column in columns.items() if column.is_words and k not in table.as_text}
    if words:
        parts = [
            f"{one.name!r} ({count(len(FileColumn(table, k).counts), 'word')})" for k, one in words.items()
        ]
        sentences.append(f"Columns of words were coded as features of 0 and 1: {enumerated(parts)}.")
    for k, column in words.items():
        if column.is_pooled:
            n_other = int(column.is_new(table.columns[k]).sum())
            sentences.append(
                f"Column {column.name!r} keeps its {count(len(column.words), 'most frequent word')}; all "
                f"other words, in {count(n_other, 'row')}, count as one word."
            )
    n_missing = {k: int(is_missing(table.columns[k]).sum()) for k in columns}
    gaps = [f"{column.name!r} ({n_missing[k]})" for k, column in columns.items() if column.has_gaps]
    if gaps:
        sentences.append(
            f"Some values are missing: {enumerated(gaps)}. A missing number is replaced by the median of "
            "its column, a missing word counts as a separate word, and a feature of 0 and 1 marks these rows."
        )
    fills = [
        f"{n_missing[k]} in {one.name!r} by "
        + (f"the most frequent word {one.fill!r}" if one.is_words else f"the median {amount(one.fill, 6)}")
        for k, one in columns.items()
        if fills_gaps and n_missing[k]
    ]
    return [*sentences, f"Missing values were filled: {enumerated(fills)}."] if fills else sentences
