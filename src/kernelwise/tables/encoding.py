"""From a table to X and y, and the same way again for another file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise import frames
from kernelwise._core.text import count
from kernelwise.frames import Encoder, Frame
from kernelwise.frames.frame import is_numbers
from kernelwise.tables.columns import Column
from kernelwise.tables.faults import check_faults
from kernelwise.tables.table import Table, TableError, is_missing, listed
from kernelwise.tables.target import read_target


@dataclass(frozen=True)
class Encoding:
    """What was learned from the training file; it is kept beside the model."""

    columns: tuple[Column, ...]  # features, in the order of the model; empty for LIBSVM files
    places: tuple[int, ...]  # indices in the training file, which count where it has no header
    target: str | None  # None for unusual rows without labels
    target_place: int | None
    task: str  # "classification", "regression" or "detection"
    has_header: bool
    n_columns: int  # of the training file; for LIBSVM files the features
    first_index: int | None = None  # of the features of a LIBSVM file; None for others
    is_sparse: bool = False  # whether the model takes sparse samples
    missing: tuple[str, ...] = ()  # texts that stand for missing values, besides the usual ones
    encoder: Encoder | None = None  # of words and gaps; None for complete numbers

    @property
    def feature_names(self) -> list[str]:
        if self.first_index is not None:
            return [f"feature {k + self.first_index}" for k in range(self.n_columns)]
        if self.encoder is not None:
            return self.encoder.feature_names
        return [column.name for column in self.columns]

    @property
    def has_words(self) -> bool:
        return any(column.categories for column in self.columns)

    @property
    def has_gaps(self) -> bool:
        """Whether the model is trained on gaps."""
        return any(column.has_gaps and column.fill is None for column in self.columns)

    def samples(self, table: Table, unknown: str = "error", notes: list[str] | None = None) -> Any:
        """X of a table: an array of shape (n_rows, n_features), or CSR.

        Words that are not in the training file are refused; ``unknown="ignore"`` codes them as none of the
        known ones, and counts them in ``notes``.
        """
        X = self.rows(table, unknown, notes)
        return self.encoder.transform(X) if self.encoder is not None else X

    def rows(self, table: Table, unknown: str = "error", notes: list[str] | None = None) -> Any:
        """What an estimator takes: `samples`, or a Frame if there are words or gaps."""
        if self.first_index is not None:
            return self._matrix(table)
        frame = self.frame(table, unknown, notes)
        if self.encoder is not None:
            return frame
        return np.ascontiguousarray(np.stack(frame.columns, axis=1))

    def frame(self, table: Table, unknown: str = "error", notes: list[str] | None = None) -> Frame:
        """The columns of a table that are features, as numbers and words."""
        if table.matrix is not None:
            raise TableError(
                f"{table.source} is a LIBSVM file, but the training file has named columns. Give a file with "
                "the same columns."
            )
        places = self._places_in(table)
        table = table.with_missing(self.missing, places)
        features = list(zip(self.columns, places, strict=True))
        faults = [column.fault(table, place, unknown == "ignore") for column, place in features]
        check_faults(table.source, [fault for fault in faults if fault is not None])
        if notes is not None:
            notes += [note for column, place in features for note in _unknown_words(table, column, place)]
        cells = tuple(column.cells(table, place) for column, place in features)
        whole = tuple(bool(is_numbers(values) and (values == np.rint(values)).all()) for values in cells)
        return Frame(
            tuple(column.name for column in self.columns),
            cells,
            whole=whole,
            codes_as_words=frozenset(k for k, column in enumerate(self.columns) if column.is_code),
            fills_gaps=any(column.fill is not None for column in self.columns),
        )

    def labels(self, table: Table, as_text: bool = False) -> np.ndarray:
        """y of a table; labels ``as_text`` where those of the training file are, whatever they look like."""
        if table.matrix is not None:
            return read_target(table, 0, self.task, as_text)
        place = self._target_in(table)
        if place is None:
            raise TableError(f"{table.source} has no column {self.target!r}, which is the target.")
        return read_target(table, place, self.task, as_text)

    def has_labels(self, table: Table) -> bool:
        """Whether the target is in a table, and all there."""
        if table.matrix is not None:
            return self.target is not None
        place = self._target_in(table)
        return place is not None and not is_missing(table.columns[place]).any()

    def _places_in(self, table: Table) -> list[int]:
        if self.has_header:
            missing = [column.name for column in self.columns if column.name not in table.names]
            if missing:
                word = "column" if len(missing) == 1 else "columns"
                raise TableError(
                    f"{table.source} has no {word} {listed(missing)}, which the model needs. It has "
                    f"{listed(table.names)}."
                )
            return [table.names.index(column.name) for column in self.columns]
        shift = self._shift(table)
        last = self.n_columns if self.target_place is None else self.target_place
        return [place - shift if place > last else place for place in self.places]

    def _target_in(self, table: Table) -> int | None:
        if self.target is None:
            return None
        if self.has_header:
            return table.names.index(self.target) if self.target in table.names else None
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

    def _matrix(self, table: Table) -> Any:
        if table.matrix is None:
            raise TableError(
                f"{table.source} is not a LIBSVM file, but the training file was one. Give a LIBSVM file."
            )
        X = table.matrix
        if self.first_index == 0 and table.first_index == 1:
            X = _widened(X, X.shape[1] + 1, before=1)
        elif self.first_index == 1 and table.first_index == 0:
            raise TableError(f"{table.source} has a feature 0, but the training file begins with feature 1.")
        if X.shape[1] > self.n_columns:
            raise TableError(
                f"{table.source} has {X.shape[1]} features, but the training file has {self.n_columns}."
            )
        X = _widened(X, self.n_columns)
        if not np.isfinite(X.data).all():
            row = int(X.tocoo().row[~np.isfinite(X.data)][0])
            raise TableError(f"{table.source}, line {table.lines[row]}: a value is not a finite number.")
        return X if self.is_sparse else X.toarray()

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it."""
        plain = {"places": list(self.places), "missing": list(self.missing)}
        encoder = None
        if self.encoder is not None:
            encoder = [{**vars(column), "words": list(column.words)} for column in self.encoder.columns]
        columns = [column.to_json() for column in self.columns]
        return {**vars(self), **plain, "columns": columns, "encoder": encoder}

    @classmethod
    def from_json(cls, node: dict[str, Any]) -> Encoding:
        """What `to_json` has made."""
        columns = tuple(Column.from_json(column) for column in node["columns"])
        missing = tuple(node.get("missing", ()))  # files of older versions have none
        plain = {"columns": columns, "places": tuple(node["places"]), "missing": missing}
        encoder = node.get("encoder")
        if encoder is None:
            if any(column.categories for column in columns):
                raise TableError(
                    "The model was written by an older version of kernelwise, which coded words in another "
                    "way. Train the model again with `kernelwise tune`."
                )
            return cls(**{**node, **plain})
        coded = (frames.Column(**{**one, "words": tuple(one["words"])}) for one in encoder)
        return cls(**{**node, **plain, "encoder": Encoder(tuple(coded))})


def _unknown_words(table: Table, column: Column, place: int) -> list[str]:
    rows = column.unknown(table, place)
    if not len(rows):
        return []
    n_rows, first = count(len(rows), "row"), f"{table.text(place)[rows[0]]!r} in {table.line(int(rows[0]))}"
    return [
        f"Column {column.name!r}: {n_rows} with a word that is not in the training file (first {first}) "
        f"{'counts' if len(rows) == 1 else 'count'} as none of the known words."
    ]


def _widened(X: Any, n_columns: int, before: int = 0) -> Any:
    """CSR with empty columns before and after."""
    from scipy import sparse

    shape = (X.shape[0], n_columns)
    return sparse.csr_matrix((X.data, X.indices + before, X.indptr), shape=shape)
