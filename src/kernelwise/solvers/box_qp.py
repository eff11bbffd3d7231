"""The quadratic program behind every machine here: SMO rounds, and Newton steps where SMO crawls."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kernelwise._core.compile import check_shapes
from kernelwise.solvers.active_set import solve_active_set
from kernelwise.solvers.compiled.machine_code import compiled_smo
from kernelwise.solvers.free_face import FreeFace
from kernelwise.solvers.newton_face import newton_on_face
from kernelwise.solvers.newton_few import newton_on_few
from kernelwise.solvers.products import subtract

SINGLE: np.dtype = np.dtype(np.float32)
DOUBLE: np.dtype = np.dtype(np.float64)
MAX_FACE = 5000  # free variables; a larger Cholesky factor costs more than it brings
MAX_NEWTON = 50
MAX_VAIN = 2  # Newton steps that did not halve the gap: on a nearly singular face SMO alone does better
LARGE = 400  # free variables: pair steps move most of them a little, and linear systems are the quicker ones
EAGER = 0.2  # of the pair steps, where as many are free and the last C took linear systems in the end
SYSTEMS = 8  # linear systems that an active set method takes, and some more: it may fail
DISTINCT = 0.3  # of a row of K: with fewer distinct values most samples are copies
# Free variables: with fewer an active set method that fails costs little, and pair steps alone may not arrive
# where the values of K are huge (a polynomial kernel of 1e7).
CHEAP = 150
MOST_VAIN = 2  # active set methods that failed, one after the other: Newton steps and SMO do better
AFTER_NEWTON = 2000  # pair steps between Newton steps: enough to correct which variables are free
FAR = 1e30  # values of f this large are too large for single precision
ONE = np.ones(1)
LINE = 64  # bytes in a line of the cache
NOT_CONVEX = -1e-6  # relative to the diagonal: a pair that curves down by more is no rounding error


def _padded(n: int) -> int:
    return (n + 63) // 64 * 64


def width_of_square(n: int) -> int:
    """Columns of a Gram matrix that is a pool as well: padded, and wider than a pool that is a copy."""
    return _padded(n) + 48


def aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Zeros that start with a line of the cache: a vector register is one, and would else read two lines."""
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.zeros(size + LINE, np.uint8)  # only touched pages take memory
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


class Outcome(NamedTuple):
    """How one solve went.

    ``gap`` is LIBSVM's violation; ``offset`` the mean of f over the ``n_free`` free variables, or the middle
    of the gap if there are none.
    """

    n_iter: int
    n_newton: int
    gap: float
    offset: float
    n_free: int
    converged: bool
    is_convex: bool


class Pool:
    """The variables that may move and a copy of their part of K, kept from one solve to the next.

    With ``K``, of the shape (n, `width_of_square(n)`), all variables are in it, and there is no copy. All
    arrays have rows of the same length.
    """

    def __init__(self, n: int, dtype: np.dtype, K: np.ndarray | None = None) -> None:
        # Rows do not start at multiples of 4096 bytes, which would all fall into one cache set.
        stride = _padded(n) + 16 if K is None else K.shape[1]
        self.places = np.empty((6, stride), np.uintp)
        self.members = self.places[1]
        self.places[:2] = np.arange(stride)
        self.size = 0 if K is None else n
        self.room, self.short = np.empty((6, stride)), aligned((5, stride), dtype)
        # Usually far more than the pool needs. The zeros pad the rows.
        self.K = aligned((n, stride), dtype) if K is None else K

    @property
    def addresses(self) -> tuple[int, int]:
        """Where K and ``short`` are in memory; looked up each time, since a copy is elsewhere."""
        return self.K.ctypes.data, self.short.ctypes.data

    def check(self, n: int) -> None:
        """Refuse what compiled code would read and write beyond the arrays for ``n`` variables."""
        stride = self.K.shape[1]
        if stride < _padded(n) + 16 or not 0 <= self.size <= n or not self.K.flags.c_contiguous:
            raise ValueError(f"The pool has rows of {stride} numbers and {self.size} of {n} variables.")
        check_shapes((self.K, (n, stride)), (self.short, (5, stride)))
        check_shapes((self.room, (6, stride)), (self.places, (6, stride)))

    @property
    def rows(self) -> np.ndarray:
        """The copy of K, of shape (size, size)."""
        return self.K[: self.size, : self.size]

    def thin_out(self, is_wanted: np.ndarray) -> None:
        """Keep only the members for which ``is_wanted``, of shape (n_samples,), is true."""
        kept = np.flatnonzero(is_wanted[self.members[: self.size]])
        if kept.size == self.size:
            return
        rows = self.rows[np.ix_(kept, kept)]
        self.members[: kept.size], self.size = self.members[kept], kept.size
        self.rows[:] = rows

    def copy(self, new: Pool | None = None) -> Pool:
        """Return a pool of its own with the same members; ``new`` may be one that is no longer needed."""
        if new is None:
            new = Pool(len(self.K), self.K.dtype)
        new.members[: self.size], new.size = self.members[: self.size], self.size
        new.rows[:] = self.rows
        return new


class GramFacts:
    """What is found out once about a Gram matrix that several programs share."""

    def __init__(self, K: np.ndarray, wide: np.ndarray | None = None) -> None:
        self.K, self.is_pool = K, wide is not None
        whole = K if wide is None else wide
        # Compiled code reads at addresses, and would read anything: no array may pass that is not as it says.
        if not whole.flags.c_contiguous or whole.dtype not in (np.float32, np.float64):
            raise TypeError(f"K must be C-contiguous and of float32 or float64, is of {whole.dtype}.")
        if K.shape[0] != K.shape[1] or K.ctypes.data != whole.ctypes.data or K.strides != whole.strides:
            raise ValueError(f"K must be square and the first columns of its rows, has shape {K.shape}.")
        self.width = whole.shape[1]

    @property
    def address(self) -> int:
        """Where K is in memory; looked up each time, since a copy is elsewhere."""
        return int(self.K.ctypes.data)

    @cached_property
    def shift(self) -> float:
        """The constant that is subtracted from K in the pool's copy; as Σβ is constant, no solution changes.

        The values of a wide kernel are all nearly equal, and single precision could not tell them apart. A K
        that is the pool itself is in single precision already.
        """
        return float(self.K[0].mean()) if self.K.size and not self.is_pool else 0.0

    @cached_property
    def has_copies(self) -> bool:
        """Whether most samples are copies: which of them is free is arbitrary, and guesses go in circles."""
        # Samples on a grid of whole numbers share distances to one sample, but hardly to all of three.
        some, enough = self.K[:: max(1, len(self.K) // 3)][:3].round(9), DISTINCT * len(self.K)
        # Columns differ where one row does, and one row is sorted in a tenth of the time.
        if any(1 + np.count_nonzero(np.diff(np.sort(row))) >= enough for row in some):
            return False
        return bool(np.unique(some, axis=1).shape[1] < enough)


@dataclass
class BoxQP:
    """Minimise ½ βᵀKβ − pᵀβ with Σβ fixed and lo ≤ β ≤ hi; ``f`` = p − Kβ is kept up to date.

    ``beta`` must be feasible and ``f`` belong to it when `minimise` is called; both are changed in place.
    ``K`` is C-contiguous, float64 or float32; everything else is float64. With ``wide``, K is its first
    columns, and compiled code reads it there.
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

    @property
    def shift(self) -> float:
        """See `GramFacts.shift`."""
        return self.gram.shift

    def minimise(self, tol: float, max_iter: int, *, newton_first: bool = False) -> Outcome:
        """Run until LIBSVM's violation is below ``tol`` or ``max_iter`` pair steps are done."""
        n_iter, n_newton, lowest = 0, 0, 0.0
        dtype = SINGLE if np.abs(self.f).max(initial=0.0) < FAR else DOUBLE
        may_newton, last_gap, n_vain = True, np.inf, 0
        while True:
            if newton_first or n_iter > 0:
                self.is_hard = True
                if not (self.may_guess and self.active_set(tol)):
                    may_newton = may_newton and n_newton < MAX_NEWTON and n_vain < MAX_VAIN and self.newton()
                    n_newton += may_newton
            patience = self.patience(self.n_free)
            if n_newton > 0:
                patience = AFTER_NEWTON if may_newton else max(patience, n_iter)
            limit = min(max_iter - n_iter, patience)
            k, curvature, gap, offset, _, stalled, *_ = self._smo(tol, limit, dtype).tolist()
            n_iter, lowest = n_iter + int(k), min(lowest, curvature)
            n_vain += n_newton > 0 and gap > 0.5 * last_gap
            last_gap = gap
            if not gap >= tol or n_iter >= max_iter or (stalled and dtype is DOUBLE):
                return Outcome(
                    n_iter, n_newton, max(gap, 0.0), offset, self.n_free, gap < tol, lowest > NOT_CONVEX
                )
            if stalled:
                dtype = DOUBLE

    def patience(self, m: int) -> int:
        """Pair steps that take about as long as what they would make way for (measured, in µs).

        That is an active set method with m free variables, or a Newton step.
        """
        n = self.f.size
        share = EAGER if self.is_hard and m >= LARGE else 1.0
        if not self.may_guess:
            newton = 500 + m * (0.5 + 0.015 * m + m * m / 3e4 + 0.0012 * n)
            return int(share * newton / (0.13 + 8e-4 * m))
        system = 80 + m * m * (1.1e-3 + 3e-6 * m) + n * min(4e-4 * m, 1.2e-4 * n)
        return int(share * SYSTEMS * system / (0.13 + 4.5e-4 * m))

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

    def newton(self) -> bool:
        """Take a Newton step on the free face; False when that is not possible."""
        problem = self.beta, self.f, self.lo, self.hi
        if np.count_nonzero((self.beta > self.lo) & (self.beta < self.hi)) < LARGE:
            step = newton_on_few(self.K, *problem)
        else:
            step = newton_on_face(self.face, *problem, MAX_FACE)
        if step is None:
            return False
        self.beta += step
        subtract(self.K, step, self.f)
        return True

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
        pair steps that a Newton step is worth. Parameters and results are those of `smo_path`.
        """
        limit = min(max_iter, self.patience(max(self.n_free, 100)))
        found = self._run(p, Cs, start, tol, limit, SINGLE, coefficients, table)
        self.is_hard = self.is_hard and found[0] == start + 1 and not found[1]
        return found

    def _smo(self, tol: float, max_iter: int, dtype: np.dtype) -> np.ndarray:
        """SMO alone; returns what `shrinking_smo` does."""
        # The objective is of no interest here, so that any p will do.
        table = np.zeros((1, 8))
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
            self.pools[dtype] = Pool(self.f.size, dtype)
        pool = self.pools[dtype]
        run, (precision, *functions) = compiled_smo(self.gram.K.dtype, pool.K.dtype)
        n = self.beta.size
        if len(self.gram.K) != n:  # compiled code would read beyond it
            raise ValueError(f"K is for {len(self.gram.K)} variables, and there are {n}.")
        check_shapes(*((v, (n,)) for v in (p, self.beta, self.f, self.lo, self.hi)))
        check_shapes((table, (Cs.size, 8)), (coefficients, (Cs.size if len(coefficients) else 0, n)))
        pool.check(n)
        problem = self.gram.address, self.gram.width, p, self.beta, self.f, self.lo, self.hi, Cs
        sizes = self.beta.size, Cs.size, len(coefficients), pool.room.shape[1], start, tol, limit, pool.size
        work = *pool.addresses, precision, self.shift, *functions, pool.places, pool.room
        done = np.zeros(2, np.int64)
        n_done = run(*problem, *sizes, *work, coefficients, table, done)
        is_solved, pool.size = done.tolist()
        self.n_free = int(table[n_done - 1, 4])
        return n_done, bool(is_solved)
