"""Linear systems in the free variables, for problems on which pair steps (SMO) crawl.

Pair steps crawl on wide kernels, polynomials and large C, whose linear systems are nearly singular. What a
step loses there by rounding, or by fixing variables before they meet a bound, costs millions of pair steps.

- `FreeFace` solves one system after the other from one Cholesky factor, kept while variables join or leave.
- `solve_active_set` is a primal-dual active-set method: it guesses which variables are free. With the bounded
  ones fixed, the free ones and the offset follow from one linear system. Those that it puts outside their
  bounds are bounded in the next guess, and bounded ones that violate their condition are free: a Newton
  method for the conditions of optimality [1]_. From the solution for another C, or from one that is nearly
  right, it takes four or five systems; from afar it may not converge, which shows in the number of
  corrections.
- `newton_step` takes one step on the variables that are free now, as exact as can be, with a factor of its
  own. Where the kernel has fewer dimensions than variables are free, most of them end at a bound: one after
  the other meets it, since a step that fixes them together, before they get there, gains next to nothing.

.. [1] M. Hintermüller, K. Ito, K. Kunisch, "The primal-dual active set strategy as a semismooth Newton
   method", SIAM Journal on Optimization 13, 2002.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsymv, dtrsm, dtrsv
from scipy.linalg.lapack import dgesv, dpotrf, dpotrs

BLOCK = 256  # rows of K that are copied at once
MANY = 0.2  # of all variables: with more changes than this, all of K is faster than a copy of its rows
RIDGES = (1e-12, 1e-9, 1e-6)  # relative to the mean of the diagonal
TINY = 1e-100  # products of smaller values are denormal numbers, a hundred times slower to handle
MOST = 0.3  # of the factored variables: with more changes than this a new factor is cheaper
# Of the active-set method.
MAX_GUESSES = 15
WORSE = 1.3, 3  # times the fewest corrections so far, plus this many: a guess that became worse
GROWTH = 1.5, 50  # times the free variables of the guess, plus this many: as many may be free on the way
SLACK = 0.45  # of the tolerance: bounded variables that violate their condition by less stay bounded
MAX_DROPS = 60  # variables that a Newton step fixes


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


class FreeFace:
    """Solves ``K_FF x + b 1 = f, 1ᵀx = total`` for one set F of variables after the other.

    The factor L Lᵀ = K_BB belongs to the set B of some earlier call. For F = B − D + N the system is bordered
    with the rows of N and with x_D = 0, and reduced to one of |N| + |D| unknowns (a Schur complement). What
    that needs of a variable, a column of L⁻¹K or of L⁻¹, is kept with the factor: most variables that join or
    leave do so several times. A ridge makes a singular K_BB solvable; the caller corrects its error, since it
    computes residuals from K itself.
    """

    def __init__(self, K: np.ndarray) -> None:
        self.K = K
        n = K.shape[0]
        self.ridge = 0.0
        self.rows, self.is_row = np.empty(0, int), np.zeros(n, bool)  # B
        self.factor, self.ones = np.empty((0, 0)), np.empty(0)
        self.column, self.n_columns = np.full(n, -1), 0  # of each variable in `border`
        self.border, self.products = np.empty((0, 0)), np.empty((0, 0))

    def solve(self, is_free: np.ndarray, f: np.ndarray, total: float) -> tuple[np.ndarray, float] | None:
        """x, zero where not free, and b of K_FF x + b 1 = f_F and Σx = ``total``.

        ``f`` and x have the shape (n,). Returns None if K_FF is not positive definite.
        """
        joined, lost = (is_free > self.is_row).nonzero()[0], (is_free < self.is_row).nonzero()[0]
        if not self._add_columns(joined, lost):
            if not self._factor(is_free.nonzero()[0]):
                return None
            joined = lost = joined[:0]
        # With L⁻¹f and L⁻¹1 the sums of K⁻¹f and K⁻¹1 are products: b is known before the one solve with Lᵀ.
        half = np.empty((self.rows.size, 2), order="F")
        half[:, 0] = dtrsv(self.factor, f[self.rows], lower=1)
        half[:, 1] = self.ones
        x = np.zeros(f.size)
        sums = np.zeros(2)
        if joined.size or lost.size:
            k, at = joined.size, self.column[np.concatenate([joined, lost])]
            border = self.border[:, : self.n_columns]
            small = -self.products[at[:, None], at]
            small[:k, :k] += self.K[joined[:, None], joined]
            small.flat[: k * (at.size + 1) : at.size + 1] += self.ridge
            right = -(half.T @ border)[:, at].T
            right[:k, 0] += f[joined]
            right[:k, 1] += 1.0
            _, _, unknowns, info = dgesv(small, right)
            if info:
                return None
            weights = np.zeros((self.n_columns, 2))
            weights[at] = unknowns
            half -= border @ weights
            sums = unknowns[:k].sum(axis=0)
        sums = sums + self.ones @ half
        b = (sums[0] - total) / sums[1]
        if joined.size:
            x[joined] = unknowns[:k, 0] - b * unknowns[:k, 1]
        x[self.rows] = dtrsv(self.factor, half[:, 0] - b * half[:, 1], lower=1, trans=1)
        x[lost] = 0.0
        return x, float(b)

    def forget(self) -> None:
        """Factor anew in the next call if what is free then is not what the factor has."""
        self.border = self.border[:, :0]

    def _add_columns(self, joined: np.ndarray, lost: np.ndarray) -> bool:
        """Extend the border by these variables; False if there is no room."""
        joined, lost = joined[self.column[joined] < 0], lost[self.column[lost] < 0]
        start, k = self.n_columns, joined.size
        stop = start + k + lost.size
        if stop > self.border.shape[1] or self.rows.size == 0:
            return False
        if stop > start:
            new = np.zeros((self.rows.size, stop - start), order="F")
            new.T[:k] = self.K[joined[:, None], self.rows]
            new[np.searchsorted(self.rows, lost), np.arange(k, stop - start)] = 1.0
            new = dtrsm(1.0, self.factor, new, lower=1, overwrite_b=1)
            self.border[:, start:stop] = new
            products = self.border[:, :stop].T @ new
            self.products[:stop, start:stop], self.products[start:stop, :stop] = products, products.T
            self.column[joined] = np.arange(start, start + k)
            self.column[lost] = np.arange(start + k, stop)
            self.n_columns = stop
        return True

    def _factor(self, rows: np.ndarray) -> bool:
        """Factor K of these rows, plus the smallest ridge that makes it positive definite."""
        factor, self.ridge = cholesky(_square(self.K, rows))
        if factor is None:
            return False
        self.rows, self.factor = rows, factor
        self.ones = dtrsv(factor, np.ones(rows.size), lower=1)  # L⁻¹1
        self.is_row[:], self.column[:], self.n_columns = False, -1, 0
        self.is_row[rows] = True
        room = int(MOST * rows.size)
        self.border, self.products = np.empty((rows.size, room), order="F"), np.empty((room, room))
        return True


def _square(K: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A copy of K of these rows and columns, in double precision and Fortran's order, which LAPACK wants."""
    # A symmetric matrix in C order is its own transpose in Fortran's.
    return np.ascontiguousarray(K.take(rows, 0).take(rows, 1), dtype=np.float64).T


def cholesky(A: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Lower Cholesky factor of ``A`` plus the smallest ridge that makes it positive definite, and the ridge.

    ``A`` is in Fortran's order, and changed; None if no ridge is large enough.
    """
    if A.min(initial=1.0) < TINY:  # nearly always false for a Gaussian kernel: a look is enough
        A[np.abs(A) < TINY] = 0.0
    diagonal = np.diagonal(A).copy()
    for ridge in RIDGES:
        np.fill_diagonal(A, diagonal + ridge * diagonal.mean())
        factor, info = dpotrf(A, lower=1, clean=0)
        if info == 0:
            return factor, float(ridge * diagonal.mean())
    return None, 0.0


def solve_active_set(
    face: FreeFace,
    beta: np.ndarray,
    f: np.ndarray,
    is_free: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    total: float,
    tol: float,
    max_free: int,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Minimise ½ βᵀKβ − pᵀβ with Σβ = ``total`` and lo ≤ β ≤ hi; f = p − Kβ.

    ``beta``, within the bounds but of any sum, and which variables are free are a guess. Returns β and f of a
    solution with LIBSVM's violation below ``tol``; None if the guess did not lead to one, or if fewer than
    two or more than ``max_free`` variables were free on the way.
    """
    beta, f = beta.copy(), f.copy()
    can_move = lo < hi
    is_low, is_high = can_move & ~is_free & (beta <= lo), can_move & ~is_free & (beta >= hi)
    is_free = is_free.copy()
    max_free = min(max_free, int(GROWTH[0] * np.count_nonzero(is_free)) + GROWTH[1])
    fewest: int = beta.size
    for _ in range(MAX_GUESSES):
        if not 2 <= np.count_nonzero(is_free) <= max_free:
            return None
        # The step that solves all conditions of the free variables, and brings the sum to the total.
        solution = face.solve(is_free, f, total - beta.sum())
        if solution is None:
            return None
        step, b = solution
        subtract(face.K, step, f)
        beta += step
        pull = f - b
        left = pull[is_free]
        misses = left.max() - left.min() > SLACK * (1.0 - 2.0 * SLACK) * tol
        if misses:
            face.forget()  # rounding: its next factor is a fresh one
        rises, falls = is_low & (pull > SLACK * tol), is_high & (pull < -SLACK * tol)
        too_low, too_high = beta < lo, beta > hi
        corrections = rises | falls | too_low | too_high
        n_wrong = int(np.count_nonzero(corrections))
        if n_wrong == 0 and not misses:
            return beta, f
        if n_wrong > WORSE[0] * fewest + WORSE[1]:
            return None
        fewest = min(fewest, n_wrong)
        within = np.minimum(np.maximum(beta, lo), hi)
        subtract(face.K, within - beta, f)
        beta = within
        is_low, is_high = (is_low & ~rises) | too_low, (is_high & ~falls) | too_high
        is_free ^= corrections
    return None


def newton_step(
    K: np.ndarray, beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray, max_free: int
) -> np.ndarray | None:
    """Minimise over the free variables, bounded ones fixed, dropping those that run into a bound.

    The step d on the free set F solves ``K_FF d + b 1 = f_F, 1ᵀd = 0``. A variable that blocks it is fixed at
    its bound and the step continues on the smaller face; the smaller system is solved by the Schur complement
    of the one Cholesky factor. A ridge makes singular systems solvable: each step is then a proximal one and
    still descends. Returns what to add to β; None when K_FF is not positive definite even with the largest
    ridge, or when fewer than two or more than ``max_free`` variables are free.
    """
    free = np.flatnonzero((beta > lo) & (beta < hi))
    if not 2 <= free.size <= max_free:
        return None
    factor, _ = cholesky(_centred(_square(K, free)))
    if factor is None:
        return None
    low, high = lo[free], hi[free]
    start = beta[free]
    now = start.copy()
    # Solutions x of K_FF x = f_F and K_FF x = 1 on the variables kept; zero on those dropped.
    columns = _solve(factor, np.column_stack([f[free], np.ones(free.size)]))
    dropped: list[int] = []
    kept = np.ones(free.size)
    # A column of the inverse for each, scaled to 1 at its pivot.
    inverse = np.empty((free.size, MAX_DROPS), order="F")
    while True:
        step, offset = _balanced(columns, kept, free.size - len(dropped))
        fraction, blocking = _longest(now, step, low, high)
        now += fraction * step
        # The residual shrinks to (1 - t) f + t b 1, and so does its solution.
        columns[:, 0] += fraction * (offset * columns[:, 1] - columns[:, 0])
        if blocking < 0:
            break
        now[blocking] = high[blocking] if step[blocking] > 0 else low[blocking]
        k = len(dropped)
        if k == min(MAX_DROPS, free.size - 2):
            break
        # Taking a variable out of the system takes its pivot out of the inverse, a rank-one change.
        unit = np.zeros((free.size, 1))
        unit[blocking] = 1.0
        column = _solve(factor, unit)[:, 0]
        if dropped:  # of each column of the inverse as much as those before it leave
            # A lower triangle in C order is an upper one in Fortran's, which BLAS reads without a copy.
            share = dtrsv(inverse[dropped, :k].T, column[dropped], lower=0, trans=1, diag=1)
            column -= inverse[:, :k] @ share
        inverse[:, k] = column / column[blocking]
        columns -= inverse[:, k, None] * columns[blocking]
        dropped.append(blocking)
        kept[blocking] = 0.0
        columns *= kept[:, None]
    step = np.zeros(beta.size)
    step[free] = np.clip(now, low, high) - start
    return step


def _centred(A: np.ndarray) -> np.ndarray:
    """A with rows and columns centred, plus a constant of its size, in place.

    Steps that sum to zero do not see the difference; Cholesky's factor of a wide kernel does, all of whose
    values are nearly equal: what tells them apart would be lost beside their common part.
    """
    means = A.mean(axis=0)
    A -= means
    A -= means[:, None]
    A += means.mean()
    A += np.diagonal(A).mean()
    return A


def _solve(factor: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    return dpotrs(factor, rhs, lower=1)[0]


def _balanced(columns: np.ndarray, kept: np.ndarray, n_kept: int) -> tuple[np.ndarray, float]:
    """Newton step, and the offset b that keeps its sum at zero; ``kept`` is 1 or 0 for each variable."""
    total, total_one = (kept @ columns).tolist()
    offset = total / total_one if total_one > 0 else 0.0
    step = columns[:, 0] - offset * columns[:, 1]
    # On a nearly singular face the two columns are huge and their difference does not sum to zero by itself.
    step -= step.sum() / n_kept * kept
    return step, offset


def _longest(now: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, int]:
    """Largest fraction ≤ 1 of ``step`` within the bounds, and the variable that blocks it (or −1)."""
    room = np.where(step > 0, high, low) - now
    fractions = np.full(step.size, np.inf)
    np.divide(room, step, out=fractions, where=step != 0.0)
    blocking = int(fractions.argmin())
    if fractions[blocking] >= 1.0:
        return 1.0, -1
    return max(float(fractions[blocking]), 0.0), blocking
