"""Weights of a sum of kernels by centred alignment: a small problem of non-negative least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import nnls

from kernelwise._core.validation import (
    check_choice,
    check_gram,
    check_labels,
    check_samples,
    check_targets,
    check_weights,
)
from kernelwise.criteria.alignment import target
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel, KernelSum

#: Directions of the kernels' span that have less than this share of the largest are rounding.
ROUNDING = 1e-12


def aligned_sum(
    kernels: Sequence[Kernel], X: Any, y: Any, *, task: str = "classification", sample_weight: Any = None
) -> KernelSum:
    """Return the weighted sum of kernels with the highest centred alignment with the target.

    The algorithm "alignf" of C. Cortes, M. Mohri and A. Rostamizadeh, Algorithms for learning kernels based
    on centered alignment, JMLR 13, 2012. The parameters of the kernels stay as they are; see `KernelSum` for
    equal weights, which on tables do as well.

    Parameters
    ----------
    kernels : sequence of Kernel
        With the parameters that they are to have; what they lack comes from the data.
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    task : {"classification", "regression"}, default="classification"
        Whether y has classes or numbers.
    sample_weight : array of shape (n_samples,), default=None
        A weight of 2 is a repeated row.

    Returns
    -------
    kernel : KernelSum
        Without the kernels of weight zero; the weights sum to the number of kernels given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import aligned_sum
    >>> from kernelwise.kernels import RBF, Laplacian
    >>> aligned_sum([RBF(0.1), RBF(100.0), Laplacian(0.1)], *load_iris(return_X_y=True))
    KernelSum(kernels=(Laplacian(gamma=0.1)), weights=[3.])
    """
    X = check_samples(X)
    started = [kernel.initialize(X, heuristic="keep") for kernel in KernelSum(list(kernels)).kernels]
    grams = [kernel(X) for kernel in started]
    weights = alignment_weights(grams, y, task=task, sample_weight=sample_weight)
    kept = np.flatnonzero(weights)
    return KernelSum([started[k] for k in kept], weights[kept])


def alignment_weights(
    grams: Sequence[np.ndarray], y: Any, *, task: str = "classification", sample_weight: Any = None
) -> np.ndarray:
    """Weights v ≥ 0 of Gram matrices whose weighted sum has the highest centred alignment with the target.

    They maximise vᵀa / √(vᵀMv), with a_k = ⟨HK_kH, T⟩ and M_kl = ⟨HK_kH, HK_lH⟩, which is where
    vᵀMv − 2vᵀa is lowest, up to a factor.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_samples, n_samples)
    y, task, sample_weight
        As in `aligned_sum`.

    Returns
    -------
    weights : ndarray of shape (n_kernels,)
        They sum to the number of kernels.
    """
    check_choice(task, "task", "aligned_sum", ("classification", "regression"))
    n = len(grams[0])
    w = check_weights(sample_weight, n)
    T = _target(y, w, task)
    centred = [_centred(check_gram(K), w) for K in grams]
    sizes = np.array([np.linalg.norm(C) for C in centred])
    is_constant = sizes <= 1e-7 * np.array([np.linalg.norm(K) * w.mean() for K in grams])
    # Of unit size, so that none is lost to the rounding of the others.
    rows = np.stack([C.ravel() / (size or 1.0) for C, size in zip(centred, sizes, strict=True)])
    rows[is_constant] = 0.0
    M, a = rows @ rows.T, rows @ T.ravel()
    values, vectors = np.linalg.eigh(M)
    kept = values > ROUNDING * values[-1]
    root = np.sqrt(values[kept])
    found, _ = nnls(root[:, None] * vectors[:, kept].T, vectors[:, kept].T @ a / root)
    weights = np.where(is_constant, 0.0, found / np.where(sizes > 0, sizes, 1.0))
    if not weights.any():
        raise DegenerateGramError("No kernel of the sum is aligned with y. Use other kernels or widths.")
    return np.asarray(weights * (len(weights) / weights.sum()))


def _target(y: Any, w: np.ndarray, task: str) -> np.ndarray:
    """The centred ideal Gram matrix: of labels on the corners of a simplex, or of numbers."""
    if task == "regression":
        y = check_targets(y, len(w))
        if np.ptp(y[w > 0]) == 0.0:
            raise ValueError("y is constant: no kernel is aligned with it. Check y.")
        return _centred(np.outer(y - w @ y / w.sum(), y - w @ y / w.sum()), w)
    classes, index = check_labels(y, len(w))
    return _centred(target(len(classes))[np.ix_(index, index)], w)


def _centred(K: np.ndarray, w: np.ndarray) -> np.ndarray:
    """√w_i √w_j (HKH)_ij, whose inner products are Σ w_i w_j A_ij B_ij."""
    share = w / w.sum()
    rows = K @ share
    root = np.sqrt(w)
    return np.asarray(root[:, None] * (K - rows[:, None] - rows + share @ rows) * root)
