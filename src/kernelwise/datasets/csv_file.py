"""Reads a benchmark file: a header, numeric features, and the class as an integer in the last column.

Words are read by the coding of the data set, if it has one.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from kernelwise.datasets.coding import coded
from kernelwise.tables.read.csv import number_matrix, numbered_lines
from kernelwise.tables.read.text import read_bytes


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read X, y and the feature names of a benchmark file, gzipped or not.

    X is float64 of shape (n_samples, n_features), y int64 of shape (n_samples,). Contents that are not as
    described raise ValueError, naming the file and the line.
    """
    lines = numbered_lines(_text(path))
    names = tuple(field.strip() for field in lines.pop(1, "").split(","))
    if len(names) < 2 or names[-1] != "label":
        raise ValueError(f"{path}, line 1: expected a header of feature names that ends in 'label'.")
    if not lines:
        raise ValueError(f"{path}, line 2: expected samples after the header, found none.")
    table = number_matrix(list(lines.values()), ",")
    if table is None or table.shape[1] != len(names) or not _is_clean(table):
        raise ValueError(_first_fault(path, lines, len(names)))
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64), names[:-1]


def read_coded(path: Path, name: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read X, y and the feature names of a file of words, by the coding of the data set."""
    header, *rows = csv.reader(_text(path).splitlines())
    return coded(name, header, rows, str(path))


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from error


def _is_clean(table: np.ndarray) -> bool:
    labels = table[:, -1]
    return bool(np.isfinite(table).all() and (labels == np.rint(labels)).all())


def _first_fault(path: Path, lines: dict[int, str], n_columns: int) -> str:
    """Say what is wrong in the first faulty line, by reading them one at a time."""
    for number, line in lines.items():
        n_fields = line.count(",") + 1
        if n_fields != n_columns:
            return f"{path}, line {number}: expected {n_columns} values as in the header, found {n_fields}."
        row = number_matrix([line], ",")
        if row is None:
            return f"{path}, line {number}: expected numbers only, found {line[:60]!r}."
        if not _is_clean(row):
            wanted = "finite features and an integer label"
            return f"{path}, line {number}: expected {wanted}, found {line[-60:]!r}."
    raise AssertionError(f"{path}: the lines can be read one by one, but not together. Get a new copy of it.")
