"""LIBSVM (svmlight) files: a label, then index:value for each feature that is not zero."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.tables.table import Table, TableError

LINE = re.compile(rb"\s*[+-]?[\d.]+(e[+-]?\d+)?(\s+qid:\d+)?(\s+\d+:\S+)+\s*(#.*)?", re.IGNORECASE)
#: More features than this are a mistake in the file; scaling alone would need gigabytes.
MAX_FEATURES = 10**7
#: Files with a larger share of values that are not zero become dense arrays.
DENSE = 0.1


def looks_like_libsvm(raw: bytes) -> bool:
    """Whether the first line has the form of LIBSVM's."""
    return LINE.fullmatch(raw.lstrip()[:100_000].split(b"\n", 1)[0].rstrip()) is not None


def parse_libsvm(raw: bytes, path: Path) -> Table:
    """Make a table of one column, the label, beside a matrix of features."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(raw), zero_based=True)
    except (ValueError, OverflowError, MemoryError) as error:
        raise TableError(
            f"{path} cannot be read as a LIBSVM file ({str(error).splitlines()[0]}). A line must have a "
            "label and index:value pairs."
        ) from error
    if X.shape[0] == 0 or X.nnz == 0:
        raise TableError(
            f"{path} has no values in LIBSVM's form, index:value. Give one line for each sample."
        )
    if X.indices.min() < 0 or X.shape[1] > MAX_FEATURES:
        raise TableError(
            f"{path} has features numbered up to {int(X.indices.max())}; at most {MAX_FEATURES} can be read."
        )
    first_index = min(int(X.indices.min()), 1)
    lines = np.flatnonzero([bool(line.split(b"#")[0].strip()) for line in raw.split(b"\n")]) + 1
    if len(lines) != X.shape[0]:
        lines = np.arange(1, X.shape[0] + 1)
    return Table(
        ("label",),
        (y,),
        has_names=False,
        source=str(path),
        lines=lines,
        matrix=X[:, first_index:],
        first_index=first_index,
    )


def fitting_matrix(table: Table, n_features: int, first_index: int) -> Any:
    """The features of a table, CSR, as many and counted from the same index as in the training file."""
    if table.matrix is None:
        raise TableError(
            f"{table.source} is not a LIBSVM file, but the training file was one. Give a LIBSVM file."
        )
    before = table.first_index - first_index  # features at the beginning that only the training file has
    if before < 0:
        raise TableError(f"{table.source} has a feature 0, but the training file begins with feature 1.")
    X = table.matrix
    if X.shape[1] + before > n_features:
        raise TableError(
            f"{table.source} has {X.shape[1] + before} features, but the training file has {n_features}."
        )
    if not np.isfinite(X.data).all():
        row = int(X.tocoo().row[~np.isfinite(X.data)][0])
        raise TableError(f"{table.source}, line {table.lines[row]}: a value is not a finite number.")
    return type(X)((X.data, X.indices + before, X.indptr), shape=(X.shape[0], n_features))
