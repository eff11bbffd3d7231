"""The dual without a Gram matrix, by working sets: the cost is that of the support vectors' rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_positive
from kernelwise.kernels import Kernel
from kernelwise.solvers.box_qp import SINGLE, BoxQP, Outcome, Pool
from kernelwise.solvers.dual import (
    SVMSolution,
    into_bounds,
    iteration_cap,
    ridge_and_bound,
    signs_and_weights,
    warn_of,
)
from kernelwise.solvers.kernel_rows import ALL, GaussianRows, KernelRows
from kernelwise.solvers.squared_hinge import RidgedRows
from kernelwise.solvers.units import InUnits, in_units, unit_of_kernel

FIRST = 500  # samples, or a tenth of them, in the first working set
WIDE = 1.0  # a gap of more than this, the margin, says little yet about who will be a support vector: …
EARLY = (1000, 0.05)  # … most samples in a working set then, and the share of the worst on either side …
LATE = (1500, 0.2)  # … and after: all that are free, if possible, and who is bad now
MAX_ROUNDS = 1000
REDUCE = 0.1  # a working set is solved to this share of the gap it starts from
REACH = 0.5  # times the gap: how far f is likely to move yet
MARGIN = 0.05  # samples this far on the right side may be set aside …
ASIDE = 0.8  # … if no more than this share of the active ones is left
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
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: Any = None,
    memory_limit: int = 2**30,
) -> SVMSolution:
    """Train a two-class machine without its Gram matrix; ``kernel(X, Y)`` returns one.

    Working sets of the samples that are free or violate the conditions are solved one after the other; only
    the rows of those whose coefficient changes are computed, so that the cost is that of the support vectors'
    rows. ``memory_limit`` is in bytes of kernel values: half for rows that are kept, half for the working
    set. All else is as in :func:`~kernelwise.solvers.solve_svm_dual`.
    """
    check_positive(C, "C", "solve_svm_by_rows")
    check_positive(tol, "tol", "solve_svm_by_rows")
    n = X.shape[0]
    signs, weight = signs_and_weights(y, sample_weight, n)
    unit = unit_of_kernel(kernel, X)
    C = in_units(C, unit)
    if unit != 1.0:
        kernel = InUnits(kernel, unit)
        warm_start = None if warm_start is None else np.asarray(warm_start) * unit
    cost = C * weight
    ridge, bound = np.zeros(n), cost
    if loss == "squared_hinge":
        ridge, bound = ridge_and_bound(cost)
    lo, hi = np.where(signs < 0, -bound, 0.0), np.where(signs > 0, bound, 0.0)
    beta = np.zeros(n) if warm_start is None else into_bounds(warm_start, lo, hi)
    is_gaussian = isinstance(kernel, Kernel) and kernel.is_gaussian
    can_be_single = is_gaussian and isinstance(X, np.ndarray) and tol >= SINGLE_TOL
    for source in (GaussianRows, KernelRows) if can_be_single else (KernelRows,):
        rows: Any = source(kernel, X, memory_limit // 2)
        if loss == "squared_hinge":
            rows = RidgedRows(rows, ridge)
        f = signs.copy()
        rows.subtract(np.flatnonzero(beta), beta[beta != 0], f)
        outcome = WorkingSets(rows, beta, f, lo, hi, memory_limit // 2).minimise(
            tol, iteration_cap(max_iter, n)
        )
        if source is KernelRows or _error(kernel, X, signs - ridge * beta, beta, f) <= 0.1 * tol:
            break
    warn_of(outcome, tol)
    quadratic = beta @ (signs - f)
    slack = np.maximum(0.0, signs * (f + ridge * beta - outcome.offset))
    objective = 0.5 * quadratic - signs @ beta
    losses = slack if loss == "hinge" else 0.5 * slack**2
    duality_gap = 0.5 * (quadratic - ridge @ beta**2) + cost @ losses + objective
    how = outcome.n_iter, outcome.gap, duality_gap / unit, outcome.converged
    return SVMSolution(beta / unit, outcome.offset, objective / unit, f, *how)


def _error(kernel: Any, X: np.ndarray, p: np.ndarray, beta: np.ndarray, f: np.ndarray) -> float:
    """Largest error of f = p − Kβ on some samples, half of them support vectors, by exact kernel values."""
    support = np.flatnonzero(beta)
    some = np.union1d(
        support[:: 1 + 2 * support.size // SAMPLE], np.arange(0, f.size, 1 + 2 * f.size // SAMPLE)
    )
    exact = p[some] - kernel(X[some], X[support]) @ beta[support]
    return float(np.abs(exact - f[some]).max())


class WorkingSets:
    """Solves working set after working set, on fewer and fewer samples.

    Samples that are clearly on the right side are set aside: ``f`` is then right for the ``active`` ones
    only. Each entry of ``aside`` holds some of the others and β when they left; they see what has changed
    since before the end.
    """

    def __init__(
        self,
        rows: Any,
        beta: np.ndarray,
        f: np.ndarray,
        lo: np.ndarray,
        hi: np.ndarray,
        memory_limit: int,
    ) -> None:
        self.rows, self.beta, self.f, self.lo, self.hi = rows, beta, f, lo, hi
        # A working set takes its square twice: K itself, and the pool of what is active.
        self.largest = int(np.clip(np.sqrt(memory_limit / (2 * 8)), 64, LATE[0]))
        self.pool = Pool(min(self.largest, f.size), SINGLE)
        self.active = np.arange(f.size)
        self.aside: list[tuple[np.ndarray, np.ndarray]] = []

    def minimise(self, tol: float, max_iter: int) -> Outcome:
        """Run until no pair of all samples violates by ``tol`` or ``max_iter`` pair steps are done."""
        n_iter, n_rounds, is_convex, is_stuck = 0, 0, True, False
        while True:
            gap, offset, pull = self._survey()
            if gap < tol or n_iter >= max_iter or n_rounds >= MAX_ROUNDS or is_stuck:
                if not self.aside:
                    break
                self._wake()
                is_stuck = False
                continue
            chosen = self._working_set(self._set_aside(pull, gap), gap)
            qp = self._program(chosen)
            outcome = qp.minimise(max(0.5 * tol, REDUCE * gap), max_iter - n_iter)
            n_iter, n_rounds = n_iter + outcome.n_iter, n_rounds + 1
            is_convex = is_convex and outcome.is_convex
            change = qp.beta - self.beta[chosen]
            moved = np.flatnonzero(change)
            self.rows.subtract(chosen[moved], change[moved], self.f, self.active if self.aside else ALL)
            self.beta[chosen] = qp.beta
            is_stuck = moved.size == 0
        n_free = int(((self.beta > self.lo) & (self.beta < self.hi)).sum())
        return Outcome(n_iter, 0, max(gap, 0.0), offset, n_free, gap < tol, is_convex)

    def _survey(self) -> tuple[float, float, np.ndarray]:
        """The gap, the offset, and by how much f of each active sample says that its β should rise and fall.

        These two rows are −∞ where β may not. They are relative to the offset, not to the ends of the gap:
        one outlier would make the whole data set violate.
        """
        beta, f = self.beta[self.active], self.f[self.active]
        rises, falls = beta < self.hi[self.active], beta > self.lo[self.active]
        pull = np.stack([np.where(rises, f, -np.inf), np.where(falls, -f, -np.inf)])
        up, low = float(pull[0].max()), -float(pull[1].max())
        free = f[rises & falls]
        offset = float(free.mean()) if free.size else 0.5 * (up + low)
        pull += [[-offset], [offset]]
        return up - low, offset, pull

    def _working_set(self, pull: np.ndarray, gap: float) -> np.ndarray:
        """Violating and free samples; of too many, a regular sample and the worst on either side.

        With the worst pair in it no working set is without progress.
        """
        candidates = np.flatnonzero((pull >= 0).any(axis=0))
        size, share = EARLY if gap > WIDE else LATE
        if not self.beta.any():
            size = min(size, max(FIRST, self.active.size // 10))
        size = min(size, self.largest)
        if candidates.size > size:
            n_worst = int(share * size)
            is_chosen = np.zeros(self.active.size, dtype=bool)
            is_chosen[candidates[np.linspace(0, candidates.size - 1, size - 2 * n_worst).astype(int)]] = True
            is_chosen[np.argpartition(pull, -n_worst)[:, -n_worst:]] = True
            candidates = np.flatnonzero(is_chosen)
        return self.active[candidates]

    def _program(self, chosen: np.ndarray) -> BoxQP:
        """The dual on a working set, everyone else fixed.

        All of the set is in its pool from the start: it was chosen because it may move, and copying it whole
        is faster than one variable after the other.
        """
        beta, f, lo, hi = (v[chosen] for v in (self.beta, self.f, self.lo, self.hi))
        qp = BoxQP(self.rows.square(chosen), beta, f, lo, hi, {SINGLE: self.pool})
        pool, m = self.pool, chosen.size
        pool.size, pool.members[:m] = m, np.arange(m)
        np.subtract(qp.K, qp.shift, out=pool.rows, casting="same_kind")
        return qp

    def _set_aside(self, pull: np.ndarray, gap: float) -> np.ndarray:
        """Leave out the samples further on the right side than f is likely to move, if they are many."""
        near = (pull > -max(MARGIN, REACH * gap)).any(axis=0)
        if near.sum() >= ASIDE * near.size:
            return pull
        self.aside.append((self.active[~near], self.beta.copy()))
        self.active = self.active[near]
        return pull[:, near]

    def _wake(self) -> None:
        """Let the samples that were set aside last see what they have missed."""
        asleep, beta = self.aside.pop()
        change = self.beta - beta
        moved = np.flatnonzero(change)
        self.rows.subtract(moved, change[moved], self.f, asleep)
        self.active = np.sort(np.concatenate([self.active, asleep]))
