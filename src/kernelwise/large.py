"""Machines for more rows than an exact one can be trained on: Nyström features, and linear machines on them.

The Nyström map has features whose inner products are nearly the kernel's, from a few landmarks. Features come
in blocks of rows: whatever needs them is a sum over the blocks, or one value for each row. A loss of the
linear machines is the square of the part of a residual y − f(x) that is not tolerated; Newton's method trains
them. One-class machines are trained on rows of a Gram matrix of low rank instead.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.memory import MIB, usable_memory
from kernelwise._core.threads import cached_property, free_threads, importing, in_order
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_positive, check_weights
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.base import Kernel
from kernelwise.solvers.kernel_rows import ALL, NativeRows, can_be_native

#: Rows of a block: its product with itself is large enough for BLAS, and its copy small.
ROWS = 2048
DOUBLES = np.dtype(np.float64)
#: What the last step of a solver may gain, as a share of the objective, on features in double precision …
TOL = 1e-12
#: … and in single precision, where less would change no prediction.
SINGLE_TOL = 1e-8


def tol_of(dtype: np.dtype) -> float:
    """What the last step of a solver may gain on features of this precision."""
    return TOL if dtype == DOUBLES else SINGLE_TOL


class Blocks(ABC):
    """Features (Φ, 1) of n_rows samples, the last of which is that of the offset; ``shape`` is without it.

    Solvers use `apply`, `dot` and `square` only, each a sum over rows or one value for each row, so that rows
    on other machines need no more than another way to add up.
    """

    #: What the last step of a solver may gain, as a share of the objective.
    tol = TOL

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape

    @abstractmethod
    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients, of shape (n_rows,)."""

    @abstractmethod
    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1), of shape (n_features + 1,); rows of weight zero are left alone."""

    @abstractmethod
    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ, of shape (n_features + 1, n_features + 1); weights may be negative."""


class RowBlocks(Blocks):
    """Features had some rows at a time; a subclass says how."""

    @abstractmethod
    def kept(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which], or what `normalized` makes of it: kernel values."""

    def normalized(self, values: np.ndarray, *, back: bool = False) -> np.ndarray:
        """Features of what is kept, or ``back`` from coefficients of features to those of what is kept."""
        return values

    def rows(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""
        return self.normalized(self.kept(which))

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients"""
        values = np.empty(self.shape[0])
        direction = self.normalized(coefficients[:-1], back=True)

        def fill(first: int) -> None:
            block = slice(first, min(first + ROWS, self.shape[0]))
            values[block] = self.kept(block) @ direction + coefficients[-1]

        in_order(fill, range(0, self.shape[0], ROWS))
        return values

    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)"""
        blocks = list(_in_blocks(np.flatnonzero(weight)))
        sums = in_order(lambda block: weight[block] @ self.kept(block), blocks)
        total = self.normalized(np.sum(sums, axis=0)) if sums else np.zeros(self.shape[1])
        return np.append(total, weight.sum())

    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ"""
        m = self.shape[1]
        total = np.zeros((m + 1, m + 1))

        def product(block: np.ndarray) -> np.ndarray:
            # A product of a matrix with itself takes BLAS half the time of one with another.
            rows = self.rows(block)
            scaled = np.empty((block.size, m + 1), rows.dtype)
            scaled[:, :m], scaled[:, m] = rows, 1.0
            scaled *= np.sqrt(np.abs(weight[block]))[:, None]
            return np.asarray(scaled.T @ scaled)

        n_at_once = free_threads()  # as many products are in memory
        for sign, add in ((1.0, np.add), (-1.0, np.subtract)):
            blocks = list(_in_blocks(np.flatnonzero(sign * weight > 0.0)))
            for first in range(0, len(blocks), n_at_once):
                for part in in_order(product, blocks[first : first + n_at_once]):
                    add(total, part, out=total)
        return total


def _in_blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    for first in range(0, rows.size, ROWS):
        yield rows[first : first + ROWS]


class DenseBlocks(RowBlocks):
    """Features that are in memory, in single or double precision."""

    def __init__(self, Phi: np.ndarray) -> None:
        super().__init__(Phi.shape)
        self.Phi = Phi

    def kept(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""
        return self.Phi[which]


class MappedBlocks(RowBlocks):
    """Features ``values(X[rows]) @ normalization``, computed again in every pass: too large to keep.

    Sums over rows are those of the kernel values, and normalized in the end. Only a product of features with
    themselves needs them row by row: rounding of kernel values would make a sum of these indefinite.
    """

    def __init__(
        self,
        values: Callable[[Any], np.ndarray],
        X: Samples,
        normalization: np.ndarray,
        dtype: np.dtype = DOUBLES,
    ) -> None:
        super().__init__((X.shape[0], normalization.shape[1]))
        self.values, self.X, self.normalization = values, X, normalization
        self._same = normalization.astype(dtype)
        self.tol = tol_of(dtype)

    def kept(self, which: slice | np.ndarray) -> np.ndarray:
        """Kernel values of some rows with the landmarks."""
        return self.values(self.X[which])

    def normalized(self, values: np.ndarray, *, back: bool = False) -> np.ndarray:
        """Features of kernel values; sums, which are vectors, in double precision."""
        if back:
            return self.normalization @ values
        return values @ (self._same if values.ndim == 2 else self.normalization)


#: Directions of less than this share of the largest eigenvalue are rounding, and left out.
SMALLEST = 1e-10
#: A negative eigenvalue beyond this share of the largest is no rounding.
INDEFINITE = 1e-6
#: MiB of features that are kept in double precision; more are kept in single precision …
DOUBLE = 256
#: … and still more are computed again in every pass, which takes little longer.
KEPT = 512
#: Landmarks whose values in single precision are checked, and the share of the largest they may be wrong by.
CHECKED, SINGLE_ERROR = 100, 1e-5


@dataclass(frozen=True)
class NystroemMap:
    """φ(x) = Nᵀ k(L, x) with k(L, L)⁻¹ = N Nᵀ, so that φ(x)·φ(y) = k(x, L) k(L, L)⁻¹ k(L, y).

    Exact for x among the landmarks L, of shape (n_landmarks, n_features) (Williams & Seeger, NIPS 13, 2001).
    The normalization N is of shape (n_landmarks, rank).
    """

    kernel: Any
    landmarks: Any
    normalization: np.ndarray

    @classmethod
    def from_landmarks(cls, kernel: Callable[..., np.ndarray], landmarks: Samples) -> NystroemMap:
        """The map of a kernel, in the directions of feature space that the landmarks span."""
        eigenvalues, vectors = np.linalg.eigh(np.asarray(kernel(landmarks), dtype=np.float64))
        largest = eigenvalues[-1]
        if -eigenvalues[0] > INDEFINITE * largest:
            warnings.warn(
                "The kernel matrix of the landmarks is indefinite: its eigenvalues range from "
                f"{eigenvalues[0]:.3g} to {largest:.3g}. Directions with negative eigenvalues are left out. "
                "Use another kernel.",
                KernelwiseWarning,
                stacklevel=3,
            )
        is_kept = eigenvalues > SMALLEST * largest
        if not is_kept.any():
            raise ValueError(f"{kernel} is not positive between any of the landmarks. Use another kernel.")
        return cls(kernel, landmarks, vectors[:, is_kept] / np.sqrt(eigenvalues[is_kept]))

    @property
    def rank(self) -> int:
        """Number of features."""
        return self.normalization.shape[1]

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Features of shape (n_samples, rank), in double precision."""
        return self.values(X) @ self.normalization

    def values(self, X: Any, dtype: np.dtype = DOUBLES) -> np.ndarray:
        """Kernel values of shape (n_samples, n_landmarks); in single precision from the native core."""
        if dtype == np.float32 and self._native is not None:
            return self._native.of_others(X)
        return np.asarray(self.kernel(X, self.landmarks), dtype=dtype)

    @cached_property
    def _native(self) -> NativeRows | None:
        """The native core's values, if it has the kernel and they are right: of far clusters they are not."""
        if not can_be_native(self.kernel, self.landmarks):
            return None
        rows, some = NativeRows(self.kernel, self.landmarks), self.landmarks[:CHECKED]
        expected = self.values(some)
        wrong = float(np.abs(rows.of_others(some) - expected).max())
        return rows if wrong <= SINGLE_ERROR * float(np.abs(expected).max()) else None

    def precision(self, n_rows: int) -> np.dtype:
        """Of the features of so many rows: single where they are many."""
        return DOUBLES if n_rows * self.rank * 8 / MIB <= DOUBLE else np.dtype(np.float32)

    def mapped(self, X: Samples, dtype: np.dtype = DOUBLES) -> MappedBlocks:
        """Features that are computed again in every pass."""
        return MappedBlocks(partial(self.values, dtype=dtype), X, self.normalization, dtype)

    def blocks(self, X: Samples, memory_limit: float) -> RowBlocks:
        """Features of many samples: kept if they take little memory, else computed again in every pass."""
        n, dtype = X.shape[0], self.precision(X.shape[0])
        blocks = self.mapped(X, dtype)
        if n * self.rank * dtype.itemsize / MIB > min(memory_limit, KEPT, usable_memory() / MIB):
            return blocks
        Phi = np.empty((n, self.rank), dtype)

        def fill(first: int) -> None:
            Phi[first : first + ROWS] = blocks.rows(slice(first, first + ROWS))

        in_order(fill, range(0, n, ROWS))
        return DenseBlocks(Phi)


def choose_landmarks(kernel: Kernel, X: Samples, n_landmarks: int, random_state: int = 0) -> np.ndarray:
    """Rows to serve as landmarks, in an order of which every beginning is a good choice, too.

    The seeding of k-means++ in the kernel's own metric: rows far from all landmarks so far are likely to be
    the next. On clustered data it misses no cluster; elsewhere it is as good as a uniform draw.
    """
    with importing:
        from sklearn.cluster import kmeans_plusplus  # a tenth of a second, and most models need none

    return kmeans_plusplus(kernel.transform(X), n_landmarks, random_state=random_state, n_local_trials=1)[1]


#: ``loss(residual, y)`` returns which rows count and the excess whose square is their loss, both of shape
#: (n_rows,). The excess is zero for other rows, and its slope by the residual is one where a row counts.
Loss = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def squared_hinge(residual: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss max(0, 1 − y f)² for labels ±1: y² = 1, so that 1 − y f is y times the residual."""
    is_inside = y * residual > 0.0
    return is_inside, np.where(is_inside, residual, 0.0)


def squared_epsilon_insensitive(
    residual: np.ndarray, y: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """The loss max(0, |y − f| − ε)² for numbers; with ε = 0 it is least squares, and every row counts."""
    return np.abs(residual) >= epsilon, residual - np.clip(residual, -epsilon, epsilon)


MAX_ITER = 100
#: The slope at the end of a line search, as a share of that at its start.
SLOPE = 1e-12
MAX_HALVINGS = 100


@dataclass
class LinearSolution:
    """A trained linear machine f(x) = w·φ(x) + b."""

    coefficients: np.ndarray  # w and, last, b: shape (n_features + 1,)
    C: float
    objective: float
    values: np.ndarray = field(repr=False)  # f of all rows, those of weight zero included
    n_iter: int  # Newton steps
    converged: bool


class LinearMachine:
    """Minimises ½‖w‖² + C Σ s_i loss(y_i, f(x_i)): LinearSVC's or LinearSVR's, with a free offset.

    The modified finite Newton method (Keerthi & DeCoste, JMLR 6, 2005): a step solves the least squares
    problem of the rows that have a loss (those inside the margin, or with an error above ε), and an exact
    line search along it makes it safe. The method ends because there are only so many sets of such rows. All
    sums are in double precision.

    The matrix Σ s φφᵀ of the rows with a loss does not depend on C and is kept between solutions: rows that
    have come in or gone out since are added or taken off, and along a path of C they are few.

    ``y`` are labels ±1 or targets, and ``weight`` is s, both of shape (n_rows,); rows of weight zero are not
    trained on and have values all the same, and the weights may be changed between solutions. ``start`` are
    coefficients to start from, of shape (n_features + 1,).
    """

    def __init__(
        self,
        blocks: Blocks,
        y: np.ndarray,
        weight: np.ndarray | None = None,
        start: np.ndarray | None = None,
        loss: Loss = squared_hinge,
    ) -> None:
        n, m = blocks.shape
        self.blocks, self.y, self.loss = blocks, np.asarray(y, dtype=float), loss
        self.weight = check_weights(weight, n)
        self.coefficients = np.zeros(m + 1) if start is None else np.array(start, dtype=float)
        self.values = np.zeros(n) if start is None else blocks.apply(self.coefficients)
        self._inside = np.zeros(n)  # weights with which the rows are in the matrix
        self._matrix = np.zeros((m + 1, m + 1))

    def solve(self, C: float, *, tol: float | None = None, max_iter: int = MAX_ITER) -> LinearSolution:
        """Train, from where the last solution ended, in at most ``max_iter`` Newton steps.

        It stops when half the Newton decrement, which estimates what is left to gain, is below the share
        ``tol`` of the objective, by default that of the blocks.
        """
        check_positive(C, "C", "LinearMachine")
        tol = self.blocks.tol if tol is None else tol
        # What residuals that are all rounding have for a loss: no step gains more where y is a constant.
        rounding = C * float(self.weight @ (4.0 * np.finfo(float).eps * self.y) ** 2)
        for n_iter in range(max_iter + 1):
            is_inside, excess = self.loss(self.y - self.values, self.y)
            gradient = self._gradient_and_matrix(self.weight * is_inside, excess, C)
            step = self._newton_step(gradient, C)
            objective, gain = self._objective(excess, C), float(-gradient @ step) / 2.0
            if gain <= max(tol * objective, rounding):
                return LinearSolution(
                    self.coefficients.copy(), C, objective, self.values.copy(), n_iter, True
                )
            if n_iter < max_iter:
                change = self.blocks.apply(step)
                length = self._exact_length(step, change, C)
                self.coefficients += length * step
                self.values += length * change
        warnings.warn(
            f"The linear model stopped after {max_iter} Newton steps at C = {C:.3g}, with "
            f"{gain / objective:.1e} of its objective still to gain (tol {tol:.1e}). Lower C, or raise tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
        return LinearSolution(self.coefficients.copy(), C, objective, self.values.copy(), max_iter, False)

    def _gradient_and_matrix(self, inside: np.ndarray, excess: np.ndarray, C: float) -> np.ndarray:
        """Bring the matrix up to date with the weights of the rows that count, and return the gradient."""
        # More changes than rows: from scratch is cheaper.
        if np.count_nonzero(inside != self._inside) > np.count_nonzero(inside):
            self._matrix[:], self._inside = 0.0, np.zeros_like(inside)
        if (inside != self._inside).any():
            self._matrix += self.blocks.square(inside - self._inside)
        self._inside = inside
        w = np.append(self.coefficients[:-1], 0.0)  # the gradient of ½‖w‖², zero for the offset
        return w - 2.0 * C * self.blocks.dot(inside * excess)

    def _newton_step(self, gradient: np.ndarray, C: float) -> np.ndarray:
        hessian = 2.0 * C * self._matrix
        hessian.flat[:: len(hessian) + 1] += 1.0
        hessian[-1, -1] -= 1.0 if self._inside.any() else 0.0  # no row inside: the offset stays
        try:
            return -cho_solve(cho_factor(hessian, overwrite_a=True), gradient)
        except LinAlgError as error:
            raise ValueError(
                f"C = {C:.3g} times the weights is too large for features of this size: the linear model "
                "cannot be solved in double precision. Lower C, or scale the features."
            ) from error

    def _objective(self, excess: np.ndarray, C: float) -> float:
        w = self.coefficients[:-1]
        return float(w @ w / 2.0 + C * (self.weight @ excess**2))

    def _exact_length(self, step: np.ndarray, change: np.ndarray, C: float) -> float:
        """Where the objective along a step is smallest: the root of its slope, which is piecewise linear.

        Newton's method for one variable, within a bracket that halves where Newton leaves it.
        """
        w, d = self.coefficients[:-1], step[:-1]
        residual = self.y - self.values

        def slope(t: float) -> tuple[float, float]:
            is_inside, excess = self.loss(residual - t * change, self.y)
            pull = np.where(is_inside, self.weight * change, 0.0)
            first = w @ d + t * (d @ d) - 2.0 * C * (pull @ excess)
            return float(first), float(d @ d + 2.0 * C * (pull @ change))

        enough = SLOPE * abs(slope(0.0)[0])
        low, high, t = 0.0, np.inf, 1.0
        for _ in range(MAX_HALVINGS):
            first, second = slope(t)
            if abs(first) <= enough:
                break
            low, high = (t, high) if first < 0.0 else (low, t)
            t = t - first / second if second > 0.0 else np.inf
            if not low < t < high:
                t = 2.0 * low if np.isinf(high) else (low + high) / 2.0
        return t


def linear_path(
    blocks: Blocks,
    y: np.ndarray,
    Cs: Iterable[float],
    weight: np.ndarray | None = None,
    loss: Loss = squared_hinge,
) -> list[LinearSolution]:
    """Train a `LinearMachine` for increasing values of C, each started from the one before."""
    machine = LinearMachine(blocks, y, weight, loss=loss)
    return [machine.solve(C) for C in Cs]


class FeatureRows:
    """Rows of ΦΦᵀ, whose sums take one pass over the features: what `WorkingSets` asks of its rows."""

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, blocks: RowBlocks) -> None:
        self.blocks = blocks
        self.n = blocks.shape[0]

    def square(self, indices: np.ndarray) -> np.ndarray:
        """Φ[indices] Φ[indices]ᵀ in double precision."""
        Phi = np.asarray(self.blocks.rows(indices), dtype=np.float64)
        return Phi @ Phi.T

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k Φφ_k, of f[columns] only if they are given."""
        change_of_all = np.zeros(self.n)
        change_of_all[indices] = change
        direction = self.weights(change_of_all)
        if isinstance(columns, slice):
            f -= self.blocks.apply(np.append(direction, 0.0))
            return
        direction = self.blocks.normalized(direction, back=True)
        for part in _in_blocks(columns):
            f[part] -= self.blocks.kept(part) @ direction

    def weights(self, beta: np.ndarray) -> np.ndarray:
        """Φᵀβ, the weights of the features, of shape (n_features,)."""
        return self.blocks.dot(beta)[:-1]
