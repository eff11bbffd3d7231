"""One-class machines for many values of ν from one Gram matrix, and what they say of held-out samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.validation import check_gram, check_positive, check_weights
from kernelwise.solvers.box_qp import BoxQP, unit_of
from kernelwise.solvers.dual import iteration_cap, negative_gradient
from kernelwise.solvers.fold_path import Fold
from kernelwise.solvers.one_class import check_nu, cold_start, limit_of, move_total, offsets, scale_of
from kernelwise.solvers.path import check_disjoint
from kernelwise.solvers.path_problem import Tables, warn_of_worst


@dataclass(frozen=True)
class OneClassPath:
    """One-class support vector machines for a series of values of ν, in the order of ``nus``.

    See `OneClassSolution` for their scale.

    Attributes
    ----------
    nus : ndarray of shape (n_nus,)
    beta : ndarray of shape (n_nus, n_samples)
        Coefficients of the machines on all samples.
    offset : ndarray of shape (n_nus,)
    scores : ndarray of shape (n_nus, n_samples)
        Kβ of all samples: decision values are ``scores - offset[:, None]``.
    n_support, n_bounded : ndarray of shape (n_nus,)
        Support vectors, and those of them at their upper bound.
    n_iter : ndarray of shape (n_nus,)
    gap : ndarray of shape (n_nus,)
    converged : ndarray of shape (n_nus,)
    held_out : ndarray of shape (n_nus, n_samples) or None
        Decision values of samples by the machines of the folds that held them out; NaN where none did. None
        without folds.
    held_out_offset : ndarray of shape (n_nus, n_folds) or None
        Offsets of the machines of the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import one_class_path
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> path = one_class_path(RBF(0.5)(X), [0.1, 0.2, 0.4])
    >>> path.scores.shape, path.offset.shape
    ((3, 100), (3,))
    >>> bool((path.n_bounded <= 100 * path.nus).all() and (100 * path.nus <= path.n_support).all())
    True
    """

    nus: np.ndarray
    beta: np.ndarray
    offset: np.ndarray
    scores: np.ndarray
    n_support: np.ndarray
    n_bounded: np.ndarray
    n_iter: np.ndarray
    gap: np.ndarray
    converged: np.ndarray
    held_out: np.ndarray | None = None
    held_out_offset: np.ndarray | None = None


class Along(NamedTuple):
    """The machines of one set of samples along increasing ν: arrays of length n_nus."""

    beta: np.ndarray
    scores: np.ndarray
    offset: np.ndarray
    tables: dict[str, np.ndarray]


def one_class_path(
    K: ArrayLike,
    nus: ArrayLike,
    folds: Iterable[tuple[Any, Any]] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
    check: bool = True,
) -> OneClassPath:
    """Train one-class support vector machines for many values of ν, on all samples and on folds.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Gram matrix, float64 or float32.
    nus : array of shape (n_nus,)
        Values above 0 and at most 1, in any order.
    folds : iterable of (train, test) index arrays, default=None
        As from ``cv.split(X)``; no sample may be in two test parts. Each fold is trained for every ν, too.
    sample_weight, tol, max_iter, check
        As in :func:`~kernelwise.solvers.solve_one_class`, for each machine.
    n_jobs : int, default=None
        Number of threads for folds. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import one_class_path
    >>> from sklearn.model_selection import KFold
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> path = one_class_path(RBF(0.5)(X), [0.05, 0.1, 0.2], KFold(5).split(X))

    At most a share ν of the samples is outside; of those that were held out it is more:

    >>> (path.scores < path.offset[:, None] - 1e-3).mean(axis=1).round(2).tolist()
    [0.0, 0.03, 0.17]
    >>> (path.held_out < 0).mean(axis=1).round(2).tolist()
    [0.16, 0.16, 0.27]
    """
    K = np.ascontiguousarray(check_gram(K, may_be_distances=True) if check else K)
    nus = check_nus(nus)
    check_positive(tol, "tol", "one_class_path")
    weight = check_weights(sample_weight, K.shape[0])
    splits = None if folds is None else check_disjoint(folds, weight.size)
    path, tables = solve_along(K, nus, splits, weight, tol=tol, max_iter=max_iter, n_jobs=n_jobs)
    warn_of_worst(tables, tol, has_C=False)
    return path


def solve_along(
    K: np.ndarray,
    nus: np.ndarray,
    splits: list[Fold] | None,
    weight: np.ndarray,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
) -> tuple[OneClassPath, Tables]:
    """`one_class_path` without checks and warnings, and tables of shape (n_nus, 1 + n_folds).

    What warnings would be about is in the tables, the machines on all samples first.
    """
    unit = unit_of(np.diagonal(K))
    if unit != 1.0:
        K = K / unit
    order = np.argsort(nus, kind="stable")
    settings = nus[order], tol, iteration_cap(max_iter, weight.size), unit
    with one_blas_thread():
        whole = _along(K, weight, *settings)
        parts = [_part_of(weight, train, k) for k, (train, _) in enumerate(splits or [])]
        jobs = (delayed(_along)(K, part, *settings, start=whole.beta[0]) for part in parts)
        folded = threads(n_jobs)(jobs) if parts else []
    back = np.argsort(order)
    tables = {
        name: np.stack([one.tables[name][back] for one in (whole, *folded)], axis=-1) for name in whole.tables
    }
    found: dict[str, Any] = {name: table[:, 0] for name, table in tables.items() if name != "is_convex"}
    if splits is not None:
        found["held_out"] = np.full((nus.size, weight.size), np.nan)
        for (_, test), one in zip(splits, folded, strict=True):
            # From K itself: with a very narrow kernel they are smaller than the rounding of updates.
            found["held_out"][:, test] = unit * (one.beta @ K[test].T - one.offset[:, None])[back]
        found["held_out_offset"] = unit * np.stack([one.offset for one in folded], axis=1)[back]
    path = OneClassPath(nus, whole.beta[back], unit * whole.offset[back], unit * whole.scores[back], **found)
    return path, tables


def check_nus(nus: ArrayLike) -> np.ndarray:
    """Values of ν as an array of shape (n_nus,)."""
    values = np.atleast_1d(np.asarray(nus, dtype=float))
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"'nus' of one_class_path must be a list of numbers, got {nus!r}.")
    for value in values.tolist():
        check_nu(value, "one_class_path")
    return values


def _part_of(weight: np.ndarray, train: np.ndarray, k: int) -> np.ndarray:
    """The weights in a fold: zero for samples that it holds out, which never move then."""
    part = np.zeros_like(weight)
    part[train] = weight[train]
    if not part.any():
        raise ValueError(f"The training part of fold {k} has no sample of positive weight. Use fewer folds.")
    return part


def _along(
    K: np.ndarray,
    weight: np.ndarray,
    nus: np.ndarray,
    tol: float,
    max_iter: int,
    unit: float,
    start: np.ndarray | None = None,
) -> Along:
    """Solve for increasing ν; ``start`` is β of a set of samples that has this one in it."""
    n, p, sum_weight = weight.size, np.zeros(weight.size), weight.sum()
    if start is None:
        qp = cold_start(K, p, weight, nus[0])
    else:
        beta = np.minimum(start, weight)
        qp = BoxQP(K, beta, negative_gradient(K, beta, p), np.zeros(n), weight)
    beta, scores = np.empty((nus.size, n)), np.empty((nus.size, n))
    offset = np.empty(nus.size)
    names = {"n_support": int, "n_bounded": int, "n_iter": int, "gap": float, "converged": bool}
    tables: dict[str, np.ndarray] = {
        name: np.zeros(nus.size, dtype) for name, dtype in {**names, "is_convex": bool}.items()
    }
    scale = scale_of(K, weight)
    for k, nu in enumerate(nus.tolist()):
        if nu == 1.0:  # one feasible point
            qp.beta[:], qp.f[:] = weight, -(K @ weight)
        else:
            move_total(qp, p, nu * sum_weight)
        outcome = qp.minimise(limit_of(tol, scale, nu * sum_weight, unit), max_iter)
        beta[k], scores[k], offset[k] = qp.beta, -qp.f, offsets(qp, outcome)[2]
        n_support = np.count_nonzero(qp.beta)
        row = n_support, np.count_nonzero((qp.beta == weight) & (weight > 0)), outcome.n_iter
        for name, value in zip(names, (*row, unit * outcome.gap, outcome.converged), strict=True):
            tables[name][k] = value
        tables["is_convex"][k] = outcome.is_convex
    return Along(beta, scores, offset, tables)
