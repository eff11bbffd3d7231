"""The dual without a Gram matrix, by working sets: the cost is that of the support vectors' rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import Samples
from kernelwise._core.validation import check_positive
from kernelwise._native import SinglePool
from kernelwise.kernels import Kernel
from kernelwise.solvers.box_qp import (
    SINGLE,
    BoxQP,
    InUnits,
    Outcome,
    in_units,
    unit_of_kernel,
    width_of_square,
)
from kernelwise.solvers.dual import (
    SVMSolution,
    into_bounds,
    iteration_cap,
    logistic_solution,
    ridge_and_bounds,
    signs_and_weights,
    solution_of,
    warn_of,
)
from kernelwise.solvers.kernel_rows import ALL, KernelRows, NativeRows, can_be_native

WHOLE = 1500  # samples that are one working set from the start, in single precision
FIRST = 500  # samples, or a tenth of them, in the first working set
WIDE = 1.0  # a gap of more than this, the margin, says little yet about who will be a support vector: …
MORE = 1.5  # … a working set may then be larger than the last one by this, times the size of the first …
EARLY = (8000, 0.05)  # … the most samples in it, and the share of the worst on either side …
EARLY_DOUBLE = 1000  # … fewer in double precision, whose kernel values take longer …
LATE = (8000, 0.2)  # … and after: all that are free, if possible, and who is bad now
NEARLY = 0.8  # of the active samples in a working set: then all of them
MAX_ROUNDS = 1000
REDUCE = 0.1  # a working set is solved to this share of the gap it starts from, …
CLOSE = 0.5, 0.8  # … or of the tolerance; the latter if all active samples are in it
REACH = 0.35  # times the gap: how far f is likely to move yet
MARGIN = 0.05  # samples this far on the right side may be set aside …
ASIDE = 0.8  # … if no more than this share of the active ones is left
# Single precision is tried down to this tolerance, and kept if a sample of outputs is right to a tenth of it.
SINGLE_TOL = 1e-4
SAMPLE = 200
# … else f is computed anew in double precision, and single precision goes on from there: its error is that
# of what changes. After so many times double precision does the rest.
RENEWALS = 3


def aligned(size: int) -> np.ndarray:
    """Zeros in single precision that start with a line of the cache: a vector register is one."""
    line = 64
    memory = np.zeros(4 * size + line, np.uint8)  # only touched pages take memory
    start = -memory.ctypes.data % line
    return memory[start : start + 4 * size].view(SINGLE)


def solve_svm_by_rows(
    kernel: Callable[..., np.ndarray],
    X: Samples,
    y: ArrayLike,
    C: float = 1.0,
    *,
    sample_weight: ArrayLike | None = None,
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: ArrayLike | None = None,
    memory_limit: int = 2**30,
    warns: bool = True,
) -> SVMSolution:
    """Train a two-class machine without its Gram matrix; ``kernel(X, Y)`` returns one.

    Working sets of the samples that are free or violate the conditions are solved one after the other; only
    the rows of those whose coefficient changes are computed, so that the cost is that of the support vectors'
    rows. With the logistic loss every sample is one, and all rows are computed for each of some hundred
    products of the Gram matrix with a vector. ``memory_limit`` is in bytes of kernel values: half for rows
    that are kept, if some are, the rest for the working set. All else is as in
    :func:`~kernelwise.solvers.solve_svm_dual`.
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
    if loss == "logistic":
        used = np.flatnonzero(cost)
        rows = KernelRows(kernel, X[used] if used.size < n else X, memory_limit)
        return logistic_solution(rows.product, signs, cost, unit, warm_start, tol, max_iter, warns)
    ridge, lo, hi = ridge_and_bounds(cost, signs, loss)
    beta = np.zeros(n) if warm_start is None else into_bounds(warm_start, lo, hi)
    wrapped = partial(RidgedRows, ridge=ridge) if ridge.any() else None
    problem = RowProblem(kernel, X, signs, beta, lo, hi, wrapped)
    f, outcome = problem.minimise(tol, iteration_cap(max_iter, n), memory_limit)
    warn_of(outcome if warns else outcome._replace(converged=True), tol)
    return solution_of(beta, f, signs, cost, ridge, unit, outcome)


class RowProblem(NamedTuple):
    """The dual on samples: minimise ½βᵀKβ − pᵀβ between ``lo`` and ``hi``, Σβ as it is; changes ``beta``.

    ``wrapped`` makes the rows of the variables of the rows of the samples, where they are not the same.
    """

    kernel: Callable[..., np.ndarray]
    X: Samples
    p: np.ndarray
    beta: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    wrapped: Callable[[Any], Any] | None = None

    def minimise(self, tol: float, limit: int, memory_limit: int) -> tuple[np.ndarray, Outcome]:
        """Minimise in at most ``limit`` pair steps; return f = p − Kβ and how it went.

        ``memory_limit`` is in bytes: half for rows that are kept, if some are, the rest for the working set.
        """
        size = float(np.abs(self.p).max(initial=0.0)) or 1.0
        if tol >= SINGLE_TOL * size and can_be_native(self.kernel, self.X):
            return self._in_single(tol, limit, memory_limit)
        return self._in_double(tol, limit, memory_limit)

    def _in_double(self, tol: float, limit: int, memory_limit: int) -> tuple[np.ndarray, Outcome]:
        """The same on kernel values in double precision."""
        of_samples = KernelRows(self.kernel, self.X, memory_limit // 2)
        rows = self._of_variables(of_samples)
        f = self._gradient(rows)
        sets = WorkingSets(rows, self.beta, f, self.lo, self.hi, of_samples.rest_of(memory_limit))
        return f, sets.minimise(tol, limit)

    def _in_single(self, tol: float, limit: int, memory_limit: int) -> tuple[np.ndarray, Outcome]:
        """The same on kernel values in single precision, as long as that is enough."""
        assert isinstance(self.kernel, Kernel)
        of_samples = KernelRows(self.kernel, self.X, 0)
        exact = self._of_variables(of_samples)
        rows = self._of_variables(NativeRows(self.kernel, np.asarray(self.X)))
        f = self._gradient(rows)
        n_iter = 0
        for renewal in range(RENEWALS + 1):
            sets = WorkingSets(rows, self.beta, f, self.lo, self.hi, of_samples.rest_of(memory_limit))
            outcome = sets.minimise(tol, limit - n_iter)
            n_iter += outcome.n_iter
            some = self._some()
            if np.abs(self._gradient(exact, some) - f)[some].max() <= 0.1 * tol:
                return f, outcome._replace(n_iter=n_iter)
            if renewal < RENEWALS:
                f = self._gradient(exact)
        f, outcome = self._in_double(tol, limit - n_iter, memory_limit)
        return f, outcome._replace(n_iter=n_iter + outcome.n_iter)

    def _of_variables(self, rows: Any) -> Any:
        return rows if self.wrapped is None else self.wrapped(rows)

    def _gradient(self, rows: Any, columns: np.ndarray | slice = ALL) -> np.ndarray:
        """f by these rows; right for these columns only, if some are given."""
        f, support = self.p.copy(), np.flatnonzero(self.beta)
        rows.subtract(support, self.beta[support], f, columns)
        return f

    def _some(self) -> np.ndarray:
        """Some variables, half of them support vectors."""
        support = np.flatnonzero(self.beta)
        everywhere = np.arange(0, self.beta.size, 1 + 2 * self.beta.size // SAMPLE)
        return np.union1d(support[:: 1 + 2 * support.size // SAMPLE], everywhere)


class WorkingSets:
    """Solves working set after working set, on fewer and fewer samples.

    Samples that are clearly on the right side are set aside: ``f`` is then right for the ``active`` ones
    only. Each entry of ``aside`` holds some of the others and β when they left; they see what has changed
    since before the end. The square of a working set is kept for the next one if that has no other samples.
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
        # A square in single precision is its own pool; one in double precision has a copy there.
        self.is_single = rows.dtype == SINGLE
        self.largest = int(np.clip(np.sqrt(memory_limit / (4 if self.is_single else 16)), 64, LATE[0]))
        self.is_whole = self.is_single and f.size <= min(WHOLE, self.largest)
        # Pages are touched once.
        most = min(self.largest, f.size)
        self.memory = aligned(most * width_of_square(most))
        self.chosen = np.empty(0, int)
        self.square = np.empty((0, 0))
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
            chosen = self.active
            if not self.is_whole:
                chosen = self._working_set(self._set_aside(pull, gap), gap)
            qp = self._program(chosen)
            aim = CLOSE[1] * tol if chosen.size == self.active.size else max(CLOSE[0] * tol, REDUCE * gap)
            outcome = qp.minimise(aim, max_iter - n_iter)
            n_iter, n_rounds = n_iter + outcome.n_iter, n_rounds + 1
            is_convex = is_convex and outcome.is_convex
            change = qp.beta - self.beta[chosen]
            moved = np.flatnonzero(change)
            self._tell_others(chosen, moved, change)
            self.beta[chosen], self.f[chosen] = qp.beta, qp.f
            is_stuck = moved.size == 0
        n_free = int(((self.beta > self.lo) & (self.beta < self.hi)).sum())
        return Outcome(n_iter, max(gap, 0.0), offset, n_free, gap < tol, is_convex)

    def _tell_others(self, chosen: np.ndarray, moved: np.ndarray, change: np.ndarray) -> None:
        """Update f of the active samples that are not in the working set; that of the others is known."""
        columns: np.ndarray | slice = self.active if self.aside else ALL
        if self.is_single:  # rows in double precision are kept if they are computed as a whole
            is_other = np.zeros(self.f.size, bool)
            is_other[self.active], is_other[chosen] = True, False
            columns = np.flatnonzero(is_other)
        self.rows.subtract(chosen[moved], change[moved], self.f, columns)

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
        if gap > WIDE and not self.is_single:
            size = EARLY_DOUBLE
        if gap > WIDE:
            first = max(FIRST, self.f.size // 10)
            size = min(size, int(self.chosen.size + MORE * first) if self.beta.any() else first)
        size = min(size, self.largest)
        if candidates.size > size:
            n_worst = int(share * size)
            is_chosen = np.zeros(self.active.size, dtype=bool)
            is_chosen[candidates[np.linspace(0, candidates.size - 1, size - 2 * n_worst).astype(int)]] = True
            is_chosen[np.argpartition(pull, -n_worst)[:, -n_worst:]] = True
            candidates = np.flatnonzero(is_chosen)
        elif size >= self.active.size and candidates.size > NEARLY * self.active.size:
            return self.active
        return self._as_before(self.active[candidates])

    def _as_before(self, chosen: np.ndarray) -> np.ndarray:
        """The working set before if it has all of these samples, not many others, and none set aside.

        A sample that was set aside sees what has changed since when it wakes: it must not see it twice.
        """
        is_active, is_chosen = np.zeros((2, self.f.size), bool)
        is_active[self.active], is_chosen[chosen] = True, True
        n_common = np.count_nonzero(is_chosen[self.chosen])
        is_enough = n_common == chosen.size > NEARLY * self.chosen.size
        return self.chosen if is_enough and is_active[self.chosen].all() else chosen

    def _program(self, chosen: np.ndarray) -> BoxQP:
        """The dual on a working set, everyone else fixed.

        All of the set is in its pool from the start: it was chosen because it may move, and copying it whole
        is faster than one variable after the other.
        """
        m, is_new = chosen.size, not np.array_equal(chosen, self.chosen)
        self.chosen = chosen
        beta, f, lo, hi = (v[chosen] for v in (self.beta, self.f, self.lo, self.hi))
        width = width_of_square(m)
        wide = self.memory[: m * width].reshape(m, width)
        if self.is_single:
            if is_new:
                self.rows.fill(chosen, wide)
            qp = BoxQP(wide[:, :m], beta, f, lo, hi, wide=wide)
        else:
            self.square = self.rows.square(chosen) if is_new else self.square
            qp = BoxQP(self.square, beta, f, lo, hi)
            np.subtract(qp.K, qp.gram.shift, out=wide[:, :m], casting="same_kind")
            wide[:, m:] = 0.0
        qp.pools[SINGLE] = SinglePool(m, wide)
        qp.n_free = m  # as many may be: patience is that of the largest face
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


class RidgedRows:
    """Rows of K + diag(ridge), without computing K; has what `WorkingSets` asks of its rows."""

    def __init__(self, rows: Any, ridge: np.ndarray) -> None:
        self.rows, self.ridge = rows, ridge
        self.dtype: np.dtype = rows.dtype

    def square(self, indices: np.ndarray) -> np.ndarray:
        """The square of those samples in double precision."""
        square = np.array(self.rows.square(indices))
        self._add(indices, square)
        return square

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the square of those samples to the first columns of ``out``, in single precision."""
        self.rows.fill(indices, out)
        self._add(indices, out)

    def _add(self, indices: np.ndarray, square: np.ndarray) -> None:
        each = np.arange(indices.size)
        square[each, each] += self.ridge[indices].astype(square.dtype)

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        self.rows.subtract(indices, change, f, columns)
        own = np.zeros(f.size)
        own[indices] = change * self.ridge[indices]
        f[columns] -= own[columns]
