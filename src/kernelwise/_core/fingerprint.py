"""One hash of data: a journal is tied to its samples by it, and a report shows it."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import RowsLike, is_sparse


def fingerprint(X: RowsLike, y: ArrayLike) -> str:
    """A hash of samples (array or sparse matrix) and targets: their values, types and shapes."""
    digest = hashlib.sha256()
    if is_sparse(X):
        X = X.tocsr()
        parts = [np.asarray(X.shape), X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
    else:
        parts = [np.asarray(X)]
    for part in (*parts, np.asarray(y)):
        part = part.astype(str) if part.dtype.kind == "O" else part
        digest.update(f"{part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
