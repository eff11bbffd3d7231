"""f −= K·change, from the rows of K that take part."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsymv

BLOCK = 256  # rows of K that are copied at once
MANY = 0.2  # of all variables: with more changes than this, all of K is faster than a copy of its rows


def subtract_rows(K: np.ndarray, rows: np.ndarray, change: np.ndarray, f: np.ndarray) -> None:
    """f −= Σ change_k K[rows_k] in double precision, a block of rows at a time."""
    for k in range(0, rows.size, BLOCK):
        f -= change[k : k + BLOCK] @ K.take(rows[k : k + BLOCK], 0)


def subtract(K: np.ndarray, change: np.ndarray, f: np.ndarray) -> None:
    """f −= K @ change in double precision; K is symmetric, ``change`` of shape (n,)."""
    rows = change.nonzero()[0]
    if rows.size > MANY * f.size and K.dtype == f.dtype:
        f -= dsymv(1.0, K.T, change, lower=1)  # reads half of K
    else:
        subtract_rows(K, rows, change[rows], f)
