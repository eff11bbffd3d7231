"""Rows that are equal: copies within a file, test rows and new rows that a model was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import KDTree

from kernelwise._core.equal_points import number_equal_rows
from kernelwise.search.verdict.leaks import FEW

#: The share of the rows that a model keeps, its support vectors, from which on a file is its training file.
NEARLY_ALL = 0.95
#: Values of sparse rows beyond which they are not looked at.
MAX_VALUES = 10_000_000
#: Kept rows are multiples of a power of two, 2^-k; the finest that is looked for.
FINEST = 60


def n_copies(X: Any, X_test: Any) -> int:
    """Test rows that are equal to a training row in all features."""
    stack = _stacked(X, X_test)
    numbers = number_equal_rows(stack)
    return int(np.isin(numbers[X.shape[0] :], numbers[: X.shape[0]]).sum())


def n_distinct(X: Any, y: Any) -> int:
    """Rows that differ in a feature or in the target."""
    labels = np.unique(y, return_inverse=True)[1].ravel()
    return len(np.unique(np.stack([number_equal_rows(X), labels]), axis=1).T)


def _stacked(X: Any, X_test: Any) -> Any:
    if isinstance(X, np.ndarray):
        return np.vstack([X, X_test])
    return sparse.vstack([X, X_test], format="csr")


def caution(model: Any, X: Any, is_detector: bool = False) -> str:
    """Advice if more than a few rows, shape (n_rows, n_features), were trained on; else nothing."""
    kept = getattr(model.best_estimator_, "support_vectors_", None)
    if kept is None or max(kept.shape[0], X.shape[0]) * X.shape[1] > MAX_VALUES:
        return ""
    is_known, n_kept = rows_kept(_dense(kept), _dense(model.machine_samples(X)))
    n_known, n_rows = int(is_known.sum()), X.shape[0]
    if n_kept >= NEARLY_ALL * kept.shape[0] and n_kept > FEW * n_rows:
        found = "This looks like the file that the model was trained on"
    elif n_known > FEW * n_rows:
        found = (
            f"At least {n_known} of these {n_rows} rows are equal to rows that the model was trained on, "
            "in all columns that it uses"
        )
    else:
        return ""
    if is_detector:
        return (
            f"{found}. Such rows look more usual than they are. For the rows of the training file, use the "
            "scores that `kernelwise detect` writes with --out."
        )
    return f"{found}. Predictions for new rows will be less accurate."


def rows_kept(kept: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Marks of rows, shape (n_rows,), that are equal to a kept one, and how many kept ones are among them.

    The kept rows, shape (n_kept, n_features), were rounded to a grid (`kernelwise._core.rounding`).
    """
    if not len(kept) or not len(rows):
        return np.zeros(len(rows), dtype=bool), 0
    near = 0.6 * _step(kept)
    distances, nearest = KDTree(kept).query(rows, p=np.inf, distance_upper_bound=near)
    is_known = np.isfinite(distances)
    return is_known, len(np.unique(nearest[is_known]))


def _step(kept: np.ndarray) -> float:
    """The power of two that all values are multiples of."""
    for k in range(FINEST):
        scaled = np.ldexp(kept, k)
        if (scaled == np.rint(scaled)).all():
            return float(2.0**-k)
    return float(2.0**-FINEST)


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
