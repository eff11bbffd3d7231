"""LIBSVM (svmlight) files: a label, then index:value for each feature that is not zero."""

from __future__ import annotations

import io
import re
from pathlib import Path

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
