"""The dual without a Gram matrix, by working sets: the cost is that of the support vectors' rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._validation import check_positive
from kernelwise.kernels.radial import GaussianFamily
from kernelwise.solvers._box_qp import BoxQP, Outcome
from kernelwise.solvers.rows import GaussianRows, KernelRows
from kernelwise.solvers.smo import SVMSolution, _into_bounds, _signs_and_weights, iteration_cap, warn_of

FIRST = 500  # samples, or a tenth of them, in the first working set
MAX_ROUNDS = 1000
# Single precision is tried down to this tolerance, and kept if a sample of outputs is right to a tenth of it.
SINGLE_TOL = 1e-4
SAMPLE = 200


def solve_svm_by_rows(
    kernel: Any,
    X: Any,
    y: Any,
    C: float = 1.0,
    *,
    sample_weight: Any = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: Any = None,
    memory_limit: int = 2**30,
) -> SVMSolution:
    """Train a two-class machine without its Gram matrix.

    Working sets of the samples that are free or violate the conditions are solved one after the other; only
    the rows of those whose coefficient changes are computed, so that the cost is that of the support vectors'
    rows.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` returns a Gram matrix.
    X : array or CSR matrix of shape (n_samples, n_features)
    y, C, sample_weight, tol, max_iter, warm_start
        As in :func:`~kernelwise.solvers.solve_svm_dual`.
    memory_limit : int, default=2**30
        Bytes for kernel values: half for rows that are kept, half for the working set.

    Returns
    -------
    solution : SVMSolution
    """
    check_positive(C, "C", "solve_svm_by_rows")
    check_positive(tol, "tol", "solve_svm_by_rows")
    n = X.shape[0]
    signs, weight = _signs_and_weights(y, sample_weight, n)
    bound = C * weight
    lo, hi = np.where(signs < 0, -bound, 0.0), np.where(signs > 0, bound, 0.0)
    beta = np.zeros(n) if warm_start is None else _into_bounds(warm_start, lo, hi)
    can_be_single = isinstance(kernel, GaussianFamily) and isinstance(X, np.ndarray) and tol >= SINGLE_TOL
    for source in (GaussianRows, KernelRows) if can_be_single else (KernelRows,):
        rows = source(kernel, X, memory_limit // 2)
        f = signs.copy()
        rows.subtract(np.flatnonzero(beta), beta[beta != 0], f)
        outcome = _decompose(rows, beta, f, lo, hi, tol, iteration_cap(max_iter, n), memory_limit // 2)
        if source is KernelRows or _error(kernel, X, signs, beta, f) <= 0.1 * tol:
            break
    warn_of(outcome, tol)
    quadratic = beta @ (signs - f)
    slack = np.maximum(0.0, signs * (f - outcome.offset))
    objective = 0.5 * quadratic - signs @ beta
    return SVMSolution(
        beta=beta,
        intercept=outcome.offset,
        objective=objective,
        gradient=f,
        n_iter=outcome.n_iter,
        gap=outcome.gap,
        duality_gap=0.5 * quadratic + bound @ slack + objective,
        converged=outcome.converged,
    )


def _error(kernel: Any, X: np.ndarray, signs: np.ndarray, beta: np.ndarray, f: np.ndarray) -> float:
    """Largest error of f on some samples, half of them support vectors, by exact kernel values."""
    support = np.flatnonzero(beta)
    some = np.union1d(
        support[:: 1 + 2 * support.size // SAMPLE], np.arange(0, f.size, 1 + 2 * f.size // SAMPLE)
    )
    exact = signs[some] - kernel(X[some], X[support]) @ beta[support]
    return float(np.abs(exact - f[some]).max())


def _decompose(
    rows: KernelRows,
    beta: np.ndarray,
    f: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    tol: float,
    max_iter: int,
    memory_limit: int,
) -> Outcome:
    """Solve working set after working set until no pair of all samples violates by ``tol``."""
    # A working set takes its square twice: K itself, and the solver's copy of what is active.
    largest = max(64, int(np.sqrt(memory_limit / (2 * 8))))
    n_iter, is_convex, size = 0, True, min(max(FIRST, rows.n // 10), largest)
    for _ in range(MAX_ROUNDS):
        up, low = _extremes(beta, f, lo, hi)
        gap = up - low
        if gap < tol or n_iter >= max_iter:
            break
        chosen = _working_set(beta, f, lo, hi, _offset(beta, f, lo, hi, up, low), size)
        size = largest
        qp = BoxQP(rows.square(chosen), beta[chosen], f[chosen], lo[chosen], hi[chosen])
        outcome = qp.minimise(max(0.5 * tol, 0.1 * gap), max_iter - n_iter)
        n_iter, is_convex = n_iter + outcome.n_iter, is_convex and outcome.is_convex
        changed = np.flatnonzero(qp.beta != beta[chosen])
        if not changed.size:
            break
        rows.subtract(chosen[changed], (qp.beta - beta[chosen])[changed], f)
        beta[chosen] = qp.beta
    n_free = int(((beta > lo) & (beta < hi)).sum())
    offset = _offset(beta, f, lo, hi, up, low)
    return Outcome(n_iter, 0, max(gap, 0.0), offset, n_free, gap < tol, is_convex)


def _offset(beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray, up: float, low: float) -> float:
    """Mean of f over the free variables, or the middle of the gap if there are none."""
    is_free = (beta > lo) & (beta < hi)
    return float(f[is_free].mean()) if is_free.any() else 0.5 * (up + low)


def _extremes(beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray) -> tuple[float, float]:
    """Maximum of f over the variables that may rise and minimum over those that may fall."""
    return float(f[beta < hi].max(initial=-np.inf)), float(f[beta > lo].min(initial=np.inf))


def _working_set(
    beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray, offset: float, size: int
) -> np.ndarray:
    """Free variables and those on the wrong side of the offset; of too many, a regular sample and the worst.

    The offset, not the ends of the gap: one outlier would make the whole data set violate.
    """
    rises, falls = beta < hi, beta > lo
    violation = np.where(rises, f - offset, 0.0)
    np.maximum(violation, np.where(falls, offset - f, 0.0), out=violation)
    chosen = np.flatnonzero((rises & falls) | (violation > 0))
    if chosen.size <= size:
        return chosen
    every = np.linspace(0, chosen.size - 1, size - size // 8).astype(int)
    worst = np.argpartition(violation, -(size // 8))[-(size // 8) :]
    return np.union1d(chosen[every], worst)
