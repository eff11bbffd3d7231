"""The rows a tuned machine works on: distinct, scaled, and in an order of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import has_fit_parameter

from kernelwise._core.equal_rows import summed
from kernelwise._core.memory import check_gram_memory
from kernelwise._core.validation import check_gram, check_range
from kernelwise.search.canonical import DistinctRows, canonical_order, distinct_rows, every_row
from kernelwise.search.scaling import apply_scaler, check_not_constant, fit_scaler


def scaled_rows(
    X: Any, index: np.ndarray, weight: np.ndarray, scale: Any, owner: str
) -> tuple[DistinctRows, Any, Any]:
    """Distinct rows in canonical order, the scaled samples there, and the scaler.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    index, weight : ndarray of shape (n_samples,)
        Class and weight of each sample.
    scale : {"standard", "minmax"}, transformer or None
    owner : str
        Whose parameter ``scale`` is.
    """
    check_range(X)
    if sparse.issparse(X):
        X = summed(X)  # scalers take every stored entry for a value
    distinct = distinct_rows(X, index, weight)
    scaler = fit_scaler(scale, *_seen_by_scaler(X, distinct, scale), owner)
    Z = apply_scaler(scaler, X[distinct.rows])
    check_not_constant(Z)
    order = canonical_order(Z, index[distinct.rows], distinct.weight)
    return distinct.reordered(order), Z[order], scaler


def _seen_by_scaler(X: Any, distinct: DistinctRows, scale: Any) -> tuple[Any, np.ndarray | None]:
    """Distinct rows and their weights, or all rows for a transformer that takes no weights."""
    if scale is None or isinstance(scale, str) or has_fit_parameter(scale, "sample_weight"):
        is_weighted = not (distinct.weight == 1.0).all()
        return X[distinct.rows], distinct.weight if is_weighted else None
    used = np.flatnonzero(distinct.place >= 0)
    return X[used[np.argsort(distinct.place[used], kind="stable")]], None


def gram_rows(K: Any, weight: np.ndarray) -> tuple[DistinctRows, np.ndarray]:
    """Rows of positive weight, and the Gram matrix of them."""
    distinct = every_row(weight)
    check_gram_memory(1, len(distinct.rows))
    return distinct, check_gram(K)[np.ix_(distinct.rows, distinct.rows)]
