"""From a table to X and y, and the same way again for another file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables.columns import Column, learn_column
from kernelwise.tables.libsvm import DENSE
from kernelwise.tables.table import Table, TableError, is_missing, listed
from kernelwise.tables.target import TARGET_NAMES, read_target


@dataclass(frozen=True)
class Encoding:
    """What was learned from the training file; it is kept beside the model."""

    columns: tuple[Column, ...]  # features, in the order of the model; empty for LIBSVM files
    places: tuple[int, ...]  # indices in the training file, which count where it has no header
    target: str
    target_place: int
    task: str  # "classification" or "regression"
    has_header: bool
    n_columns: int  # of the training file; for LIBSVM files the features
    first_index: int | None = None  # of the features of a LIBSVM file; None for others
    is_sparse: bool = False  # whether the model takes sparse samples

    @property
    def feature_names(self) -> list[str]:
        if self.first_index is not None:
            return [f"feature {k + self.first_index}" for k in range(self.n_columns)]
        return [name for column in self.columns for name in column.feature_names]

    def samples(self, table: Table) -> Any:
        """X of a table: an array of shape (n_rows, n_features), or CSR."""
        if self.first_index is not None:
            return self._matrix(table)
        if table.matrix is not None:
            raise TableError(f"{table.source} is a LIBSVM file, and the training file has named columns.")
        places = self._places_in(table)
        blocks = [column.encode(table, place) for column, place in zip(self.columns, places, strict=True)]
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))

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
            return True
        place = self._target_in(table)
        return place is not None and not is_missing(table.columns[place]).any()

    def _places_in(self, table: Table) -> list[int]:
        if self.has_header:
            missing = [column.name for column in self.columns if column.name not in table.names]
            if missing:
                raise TableError(
                    f"{table.source} has no column {missing[0]!r}, which the model needs. It has "
                    f"{listed(table.names)}."
                )
            return [table.names.index(column.name) for column in self.columns]
        shift = self._shift(table)
        return [place - shift if place > self.target_place else place for place in self.places]

    def _target_in(self, table: Table) -> int | None:
        if self.has_header:
            return table.names.index(self.target) if self.target in table.names else None
        return None if self._shift(table) else self.target_place

    def _shift(self, table: Table) -> int:
        """Whether a file without names lacks the target: 1 if it does, 0 if it is all there."""
        if len(table.names) not in (self.n_columns, self.n_columns - 1):
            raise TableError(
                f"{table.source} has {len(table.names)} columns, and the training file had {self.n_columns} "
                "with the target. Give the same columns, with or without the target."
            )
        return self.n_columns - len(table.names)

    def _matrix(self, table: Table) -> Any:
        if table.matrix is None:
            raise TableError(f"{table.source} is not a LIBSVM file, and the training file was one.")
        X = table.matrix
        if self.first_index == 0 and table.first_index == 1:
            X = _widened(X, X.shape[1] + 1, before=1)
        elif self.first_index == 1 and table.first_index == 0:
            raise TableError(f"{table.source} has a feature 0, and the training file begins with 1.")
        if X.shape[1] > self.n_columns:
            raise TableError(
                f"{table.source} has {X.shape[1]} features, and the training file has {self.n_columns}."
            )
        X = _widened(X, self.n_columns)
        if not np.isfinite(X.data).all():
            row = int(X.tocoo().row[~np.isfinite(X.data)][0])
            raise TableError(f"{table.source}, line {table.lines[row]}: a value is not a finite number.")
        return X if self.is_sparse else X.toarray()

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {**vars(self), "columns": [c.to_json() for c in self.columns], "places": list(self.places)}

    @classmethod
    def from_json(cls, node: dict[str, Any]) -> Encoding:
        """What `to_json` has made."""
        columns = tuple(Column.from_json(column) for column in node["columns"])
        return cls(**{**node, "columns": columns, "places": tuple(node["places"])})


def learn_encoding(
    table: Table,
    *,
    target: str | None = None,
    task: str = "classification",
    ignore: Sequence[str] = (),
    impute: bool = False,
) -> tuple[Encoding, list[str]]:
    """Learn how a training file becomes X and y, and say what was decided, one sentence each.

    ``target`` is the name or number of a column; None is the one with a usual name, or else the last.
    ``ignore`` has names or numbers of columns to leave out; with ``impute`` medians and the most frequent
    words stand for missing values.
    """
    if table.matrix is not None:
        if target is not None or ignore:
            raise TableError(
                f"{table.source} is a LIBSVM file, whose target comes first: no --target or --ignore."
            )
        X = table.matrix
        is_sparse = X.nnz < DENSE * X.shape[0] * X.shape[1]
        return Encoding((), (), "label", 0, task, False, X.shape[1], table.first_index, is_sparse), []
    left_out = {table.find(name, "--ignore") for name in ignore}
    place, notes = _find_target(table, target, left_out)
    places = tuple(k for k in range(len(table.names)) if k != place and k not in left_out)
    if not places:
        raise TableError(f"{table.source} has no column left beside the target {table.names[place]!r}.")
    columns = tuple(learn_column(table, k, impute) for k in places)
    notes += _notes(table, columns, places, impute)
    encoding = Encoding(columns, places, table.names[place], place, task, table.has_header, len(table.names))
    return encoding, notes


def _find_target(table: Table, target: str | None, left_out: set[int]) -> tuple[int, list[str]]:
    if target is not None:
        place = table.find(target, "--target")
        if place in left_out:
            raise TableError(f"Column {table.names[place]!r} is both --target and in --ignore.")
        return place, []
    usual = [k for k, n in enumerate(table.names) if n.lower() in TARGET_NAMES and k not in left_out]
    left = [k for k in range(len(table.names)) if k not in left_out]
    if not left:
        raise TableError(f"--ignore leaves no column of {table.source}.")
    place = usual[0] if len(usual) == 1 else left[-1]
    return place, [f"The target is {table.names[place]!r}; --target COL names another column."]


def _notes(table: Table, columns: tuple[Column, ...], places: tuple[int, ...], impute: bool) -> list[str]:
    notes = []
    words = [column for column in columns if column.categories]
    if words:
        coded = ", ".join(
            f"{column.name!r} ({count(len(column.categories), 'value')})" for column in words[:5]
        )
        more = f" and {len(words) - 5} more" if len(words) > 5 else ""
        notes.append(f"Columns of text become 0 and 1: {coded}{more}.")
    n_missing = [int(is_missing(table.columns[k]).sum()) for k in places]
    if impute and any(n_missing):
        n_columns = sum(n > 0 for n in n_missing)
        notes.append(
            f"{sum(n_missing)} missing values in {n_columns} columns were replaced by the column's median or "
            "most frequent word."
        )
    return notes


def _widened(X: Any, n_columns: int, before: int = 0) -> Any:
    """CSR with empty columns before and after."""
    from scipy import sparse

    shape = (X.shape[0], n_columns)
    return sparse.csr_matrix((X.data, X.indices + before, X.indptr), shape=shape)
