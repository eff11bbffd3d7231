"""The quadratic program behind every machine here: SMO rounds, and Newton steps where SMO crawls.

It is solved in units of kernel values, so that features of any size can be trained on: the native core works
in single precision where it can, and its floor of the curvature is an absolute number. Both want kernel
values near one. K/u with the bound C·u has the solution β·u, with the same decision values and violations,
and a power of two as u changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kernelwise import _native
from kernelwise._core.threads import cached_property
from kernelwise._core.typing import Samples
from kernelwise.solvers.newton import FreeFace, newton_step, solve_active_set, subtract

SINGLE: np.dtype = np.dtype(np.float32)
DOUBLE: np.dtype = np.dtype(np.float64)
MAX_FACE = 5000  # free variables; a larger Cholesky factor costs more than it brings
LARGE = 400  # free variables: pair steps move most of them a little, and linear systems are the quicker ones
EAGER = 0.2  # of the pair steps, where as many are free and the last C took linear systems in the end
# Free variables: with fewer an active set method that fails costs little, and pair steps alone may not arrive
# where the values of K are huge (a polynomial kernel of 1e7).
CHEAP = 150
MOST_VAIN = 2  # active set methods that failed, one after the other: Newton steps and SMO do better
AFTER_NEWTON = 2000  # pair steps between Newton steps that gain: enough to correct which variables are free
FAR = 1e30  # values of f this large are too large for single precision
ONE = np.ones(1)
#: Columns of the table of a path: how the solution of each C was found (`Figures` of the native core).
N_COLUMNS, GAP, OFFSET, N_FREE, N_SUPPORT = 8, 2, 3, 4, 6
NOT_CONVEX = -1e-6  # relative to the diagonal: a pair that curves down by more is no rounding error
#: Largest kernel values between these are left as they are.
ORDINARY = 2.0**-6, 2.0**40
#: Samples whose kernel values stand for those of a function.
SOME = 64


def width_of_square(n: int) -> int:
    """Columns of a Gram matrix that is a pool as well: rows are padded, and do not share one cache set."""
    return (n + 63) // 64 * 64 + 48


class Outcome(NamedTuple):
    """How one solve went.

    ``gap`` is LIBSVM's violation; ``offset`` the mean of f over the ``n_free`` free variables, or the middle
    of the gap if there are none.
    """

    n_iter: int
    gap: float
    offset: float
    n_free: int
    converged: bool
    is_convex: bool


#: The variables that may move and a copy of their part of K, kept from one solve to the next.
Pool = _native.SinglePool | _native.DoublePool
POOLS: dict[np.dtype, type[Pool]] = {SINGLE: _native.SinglePool, DOUBLE: _native.DoublePool}


class GramFacts:
    """What is found out once about a Gram matrix that several programs share."""

    def __init__(self, K: np.ndarray, wide: np.ndarray | None = None) -> None:
        self.K, self.is_pool = K, wide is not None
        self._shift: float | None = None
        self._has_copies: bool | None = None
        #: What the native core reads: K, or rows that begin with those of K.
        self.whole = K if wide is None else wide
        if not self.whole.flags.c_contiguous or self.whole.dtype not in POOLS:
            raise TypeError(f"K must be C-contiguous and of float32 or float64, is of {self.whole.dtype}.")
        if (
            K.shape[0] != K.shape[1]
            or K.ctypes.data != self.whole.ctypes.data
            or K.strides != self.whole.strides
        ):
            raise ValueError(f"K must be square and the first columns of its rows, has shape {K.shape}.")

    # Not a cached_property: before Python 3.12 that has one lock for all threads, which a forked child may
    # find locked.
    @property
    def shift(self) -> float:
        """The constant that is subtracted from K in the pool's copy; as Σβ is constant, no solution changes.

        The values of a wide kernel are all nearly equal, and single precision could not tell them apart. A K
        that is the pool itself is in single precision already.
        """
        if self._shift is None:
            self._shift = float(self.K[0].mean()) if self.K.size and not self.is_pool else 0.0
        return self._shift

    @property
    def has_copies(self) -> bool:
        """Whether most samples are copies: which of them is free is arbitrary, and guesses go in circles."""
        if self._has_copies is None:
            self._has_copies = _native.has_copies(self.whole)
        return self._has_copies


@dataclass
class BoxQP:
    """Minimise ½ βᵀKβ − pᵀβ with Σβ fixed and lo ≤ β ≤ hi; ``f`` = p − Kβ is kept up to date.

    ``beta`` must be feasible and ``f`` belong to it when `minimise` is called; both are changed in place.
    ``K`` is C-contiguous, float64 or float32; everything else is float64. With ``wide``, K is its first
    columns, and the native core reads it there.
    """

    K: np.ndarray
    beta: np.ndarray
    f: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    pools: dict[np.dtype, Pool] = field(default_factory=dict)
    n_free: int = 0  # when SMO last looked
    n_vain: int = 0  # active set methods that failed since one led from C to C
    is_hard: bool = False  # whether the last C took linear systems: the next one will, too
    wide: np.ndarray | None = None
    facts: GramFacts | None = None  # of K, if they are known

    @cached_property
    def face(self) -> FreeFace:
        """The last Cholesky factor of free variables."""
        return FreeFace(self.K)

    @cached_property
    def gram(self) -> GramFacts:
        """What is known of K."""
        return GramFacts(self.K, self.wide) if self.facts is None else self.facts

    def minimise(self, tol: float, max_iter: int, *, newton_first: bool = False) -> Outcome:
        """Run until LIBSVM's violation is below ``tol`` or ``max_iter`` pair steps are done.

        Pair steps and Newton steps take turns. A Newton step is in vain if it lowers the objective by less
        than pair steps would have done in its time, at the pace of the last ones before it: twice as many of
        them come before the next one. The violation is no measure of that: it is one of many, and jumps.
        """
        n_iter, lowest = 0, 0.0
        dtype = SINGLE if np.abs(self.f).max(initial=0.0) < FAR else DOUBLE
        pause, pace = 0, 0.0  # pair steps before the next Newton step, and what each of the last ones gained
        while True:
            if newton_first or n_iter > 0:
                self.is_hard = True
                if not (self.may_guess and self.active_set(tol)):
                    worth = _native.patience(self.f.size, self.n_free, False)
                    gained = self.newton()
                    is_vain = gained is None or gained < pace * worth
                    pause = max(2 * pause, worth) if is_vain else AFTER_NEWTON
            limit = min(max_iter - n_iter, pause or self.patience(self.n_free))
            # Pair steps gain most at first: the second half shows their pace.
            for half in (limit // 2, limit - limit // 2):
                beta, f = self.beta.copy(), self.f.copy()
                k, curvature, gap, offset, _, stalled, *_ = self._smo(tol, half, dtype).tolist()
                n_iter, lowest = n_iter + int(k), min(lowest, curvature)
                if not gap >= tol or n_iter >= max_iter or (stalled and dtype is DOUBLE):
                    return Outcome(n_iter, max(gap, 0.0), offset, self.n_free, gap < tol, lowest > NOT_CONVEX)
                pace = self.gain(beta, f) / max(k, 1.0)
                if stalled:
                    dtype = DOUBLE
                    break

    def gain(self, beta: np.ndarray, f: np.ndarray) -> float:
        """What the objective fell by since β and f were these."""
        return float(0.5 * (self.beta - beta) @ (self.f + f))

    def patience(self, m: int) -> int:
        """Pair steps that take about as long as the linear systems with m free variables that follow them."""
        share = EAGER if self.is_hard and m >= LARGE else 1.0
        return int(share * _native.patience(self.f.size, m, self.may_guess))

    @property
    def may_guess(self) -> bool:
        """Whether active set methods promise anything, and have not failed too often."""
        return (self.n_vain < MOST_VAIN or self.n_free < CHEAP) and not self.gram.has_copies

    def active_set(self, tol: float) -> bool:
        """Solve at once from the present guess of what is free; False, and no change, if that fails."""
        is_solved = self.solve_from(self.beta, self.f, (self.beta > self.lo) & (self.beta < self.hi), tol)
        self.n_vain += not is_solved
        return is_solved

    def solve_from(self, beta: np.ndarray, f: np.ndarray, is_free: np.ndarray, tol: float) -> bool:
        """Solve from this guess by `solve_active_set`; False, and no change, if that fails."""
        limits = self.lo, self.hi, self.beta.sum()
        found = solve_active_set(self.face, beta, f, is_free, *limits, tol, MAX_FACE)
        if found is not None:
            self.beta[:], self.f[:] = found
        return found is not None

    def newton(self) -> float | None:
        """Take a Newton step on the free face, and say what it gained; None when that is not possible."""
        step = newton_step(self.K, self.beta, self.f, self.lo, self.hi, MAX_FACE)
        if step is None:
            return None
        beta, f = self.beta.copy(), self.f.copy()
        self.beta += step
        subtract(self.K, step, self.f)
        return self.gain(beta, f)

    def path(
        self,
        p: np.ndarray,
        Cs: np.ndarray,
        start: int,
        tol: float,
        max_iter: int,
        coefficients: np.ndarray,
        table: np.ndarray,
    ) -> tuple[int, bool]:
        """Solve with the bounds C·lo and C·hi for increasing C, as far as SMO goes without crawling.

        Ends at the first C for which no variable is at a bound other than zero, or which is not solved in the
        pair steps that a Newton step is worth. ``coefficients``, of shape (n_Cs, n) or (0, n), receives β for
        each C, and ``table``, of shape (n_Cs, 8), how it was found. The first ``start`` values of C are
        solved already. Returns how many C are done, and whether the last of them was solved.
        """
        limit = min(max_iter, self.patience(max(self.n_free, 100)))
        found = self._run(p, Cs, start, tol, limit, SINGLE, coefficients, table)
        self.is_hard = self.is_hard and found[0] == start + 1 and not found[1]
        return found

    def _smo(self, tol: float, max_iter: int, dtype: np.dtype) -> np.ndarray:
        """SMO alone; returns a row of the table."""
        # The objective is of no interest here, so that any p will do.
        table = np.zeros((1, N_COLUMNS))
        self._run(self.f, ONE, 0, tol, max_iter, dtype, np.empty((0, self.f.size)), table)
        return table[0]

    def _run(
        self,
        p: np.ndarray,
        Cs: np.ndarray,
        start: int,
        tol: float,
        limit: int,
        dtype: np.dtype,
        coefficients: np.ndarray,
        table: np.ndarray,
    ) -> tuple[int, bool]:
        if dtype not in self.pools:
            self.pools[dtype] = POOLS[dtype](self.f.size)
        gram = self.gram
        n_done, is_solved = _native.solve_path(
            gram.whole,
            p,
            self.beta,
            self.f,
            self.lo,
            self.hi,
            Cs,
            start,
            tol,
            limit,
            self.pools[dtype],
            gram.shift,
            coefficients,
            table,
        )
        check_finite(table[start:n_done, GAP])
        self.n_free = int(table[n_done - 1, N_FREE])
        return n_done, is_solved


def check_finite(gaps: np.ndarray) -> None:
    """Refuse what a solver makes of kernel values that are not finite: violations that are not numbers."""
    if np.isnan(gaps).any():
        raise ValueError(
            "The kernel has values that are infinite or NaN. Use a kernel whose values are finite for all "
            "pairs of rows, and do not change a Gram matrix while a model is trained on it."
        )


def unit_of(diagonal: np.ndarray) -> float:
    """A power of two near the largest of the values k(x, x); 1 if they are ordinary."""
    largest = float(np.abs(diagonal).max(initial=0.0))
    if largest == 0.0 or ORDINARY[0] <= largest <= ORDINARY[1] or not math.isfinite(largest):
        return 1.0
    # The inverse of the smallest powers is no number.
    return math.ldexp(1.0, max(math.frexp(largest)[1] - 1, -1020))


def in_units(C: float, unit: float) -> float:
    """C for kernel values divided by the unit."""
    scaled = float(C) * unit
    # The coefficients are as large as the bounds, and their squares are summed up.
    if not 1e-150 < scaled < 1e150:
        raise ValueError(
            f"C = {C:g} times kernel values of the size {unit:.1e} is out of the range of numbers. "
            "Scale the features, or use another C."
        )
    return scaled


class InUnits:
    """A kernel function whose values are divided by a unit."""

    def __init__(self, kernel: Callable[..., np.ndarray], unit: float) -> None:
        self.kernel, self.unit = kernel, unit

    def __call__(self, *samples: Samples) -> np.ndarray:
        """Kernel values of one or two sets of samples, dense."""
        return np.asarray(self.kernel(*samples), dtype=float) / self.unit


def unit_of_kernel(kernel: Callable[..., np.ndarray], X: Samples) -> float:
    """`unit_of` of a kernel on samples; a plain function is asked about some of them."""
    if hasattr(kernel, "diagonal"):
        return unit_of(kernel.diagonal(X))
    some = X[:: max(1, X.shape[0] // SOME)]
    return unit_of(np.diagonal(np.asarray(kernel(some, some), dtype=float)))
