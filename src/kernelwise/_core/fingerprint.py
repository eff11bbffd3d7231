"""One hash of data: a journal is tied to its samples by it, and a report shows it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse


def fingerprint(X: Any, y: Any) -> str:
    """A hash of samples (array or sparse matrix) and targets: their values, types and shapes."""
    digest = hashlib.sha256()
    if sparse.issparse(X):
        X = X.tocsr()
        parts = [np.asarray(X.shape), X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
    else:
        parts = [np.asarray(X)]
    for part in (*parts, np.asarray(y)):
        part = part.astype(str) if part.dtype.kind == "O" else part
        digest.update(f"{part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
