"""The kernel that a name, an object or a function stands for, and its values on samples."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from kernelwise._core.labels import none_if_ones, with_copies
from kernelwise._core.memory import MIB, SMALL, usable_memory
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.validation import (
    check_choice,
    check_distances,
    check_gram,
    check_integer,
    check_not_negative,
    check_number,
)
from kernelwise.kernels import RBF, Kernel, Linear, Polynomial, PrecomputedDistance, Sigmoid, as_kernel
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.kernels.starts import scale_gamma
from kernelwise.solvers.kernel_rows import can_be_native

#: Matrices of the size of the Gram matrix that training on it takes at its worst: itself, a part or another
#: order of it, and what the solver has of it in single and double precision.
MATRICES = 3
MANY = 1000  # samples from which a machine with rows of the native core trains faster without its Gram matrix
SKLEARN_NAMES = ("linear", "poly", "rbf", "sigmoid")

KernelFunction = Callable[[Any, Any], Any]


def is_plain_function(kernel: Any) -> bool:
    """Whether ``kernel`` is a callable that sees the user's data as they are, as in scikit-learn."""
    return callable(kernel) and not isinstance(kernel, Kernel)


def is_precomputed(kernel: Any) -> bool:
    """Whether X is a matrix of kernel values or of distances instead of samples."""
    if isinstance(kernel, dict):
        kernel = as_kernel(kernel)
    if isinstance(kernel, Kernel):
        return kernel.takes_distances
    return isinstance(kernel, str) and kernel in ("precomputed", PRECOMPUTED_DISTANCE)


def takes_distances(kernel: Any) -> bool:
    """Whether X is a matrix of distances."""
    return is_precomputed(kernel) and kernel != "precomputed"


def matrix_check(kernel: Any) -> Callable[[Any], np.ndarray] | None:
    """What checks the matrix that X is for this kernel; None if X is samples."""
    if not is_precomputed(kernel):
        return None
    return check_distances if takes_distances(kernel) else check_gram


def matrix_kernel(kernel: Any, D: np.ndarray, gamma: Any = "scale") -> Kernel:
    """The kernel of a matrix of distances, which has been checked: its own γ, or the one given here.

    "scale" is one over the median distance.
    """
    if not isinstance(kernel, str):
        return as_kernel(kernel)
    if gamma == "auto":
        raise ValueError(
            "gamma='auto' needs the number of features, which a matrix of distances does not have. Use "
            "gamma='scale' or a number."
        )
    return PrecomputedDistance(gamma) if gamma != "scale" else PrecomputedDistance().initialize(D)


def matrix_source(kernel: Any, X: Any, gamma: Any = "scale") -> tuple[Kernel | None, np.ndarray]:
    """The kernel of a matrix that X is (None for a Gram matrix), and the Gram matrix to train on."""
    if not takes_distances(kernel):
        return None, check_gram(X)
    D = check_distances(X)
    made = matrix_kernel(kernel, D, gamma)
    return made, made(D)


def kernel_from_data(kernel: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Kernel:
    """Return a kernel object with the parameters that it lacks taken from the data.

    A name takes all parameters from the data (heuristic "scale"), an object keeps its own. Weights are
    numbers of repeated rows.
    """
    heuristic = "scale" if isinstance(kernel, str) else "keep"
    made = as_kernel(kernel)
    made.check_takes(X)
    if not made.needs_data:
        made._check_features(X.shape[1])
    return made.initialize(*with_copies(X, y, sample_weight), heuristic)


def choose_kernel(
    kernel: Any, X: Any, y: Any, sample_weight: Any = None, *, gamma: Any, degree: int, coef0: float
) -> Kernel:
    """Return the kernel object to train with.

    scikit-learn's four names take ``gamma``, ``degree`` and ``coef0``; other names take their parameters from
    the data (heuristic "scale"); an object keeps its own, and gets from the data only what it lacks. What is
    taken from the data is that of rows repeated as often as ``sample_weight`` says.
    """
    if takes_distances(kernel):
        return matrix_kernel(kernel, X, gamma)
    if not isinstance(kernel, str) or kernel not in SKLEARN_NAMES:
        return kernel_from_data(kernel, X, y, sample_weight)
    if kernel == "linear":
        return Linear()
    slope = resolve_gamma(gamma, X, none_if_ones(sample_weight))
    if kernel == "poly":
        return Polynomial(degree=degree, gamma=slope, coef0=coef0)
    return RBF(slope) if kernel == "rbf" else Sigmoid(slope, coef0)


def check_kernel_numbers(gamma: Any, degree: Any, coef0: Any, owner: str) -> None:
    """Raise unless the parameters of scikit-learn's kernels are of their kind, whichever the kernel uses."""
    check_integer(degree, "degree", owner, least=0)
    check_number(coef0, "coef0", owner)
    if isinstance(gamma, str):
        check_choice(gamma, "gamma", owner, ("scale", "auto"))
    else:
        check_not_negative(gamma, "gamma", owner)


def resolve_gamma(gamma: Any, X: Any, weight: np.ndarray | None = None) -> float:
    """γ as scikit-learn's SVC has it: "scale" is 1 / (n_features · Var(X)), "auto" is 1 / n_features.

    The variance is that of rows repeated as often as ``weight`` says; scikit-learn takes it without weights.
    """
    if isinstance(gamma, numbers.Real):
        return float(gamma)
    check_choice(gamma, "gamma", "SVC", ("scale", "auto"))
    return scale_gamma(X, weight) if gamma == "scale" else 1.0 / X.shape[1]


@dataclass(frozen=True, eq=False)
class OfNumbers:
    """A user's function of samples of any kind, called with the numbers of samples: solvers take arrays."""

    function: KernelFunction
    samples: Any

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Kernel values of shape (n_rows, n_columns); columns are the rows if there are none."""
        columns = rows if columns is None else columns
        X, Y = (safe_indexing(self.samples, numbers) for numbers in (rows, columns))
        return kernel_values(self.function, X, Y, len(columns))


class Rows(NamedTuple):
    """Samples whose Gram matrix is never computed at once, and the bytes its rows may take."""

    kernel: KernelFunction
    X: Any
    memory_limit: int


def trains_by_rows(kernel: KernelFunction, X: Any, n_samples: int, memory_limit: float) -> bool:
    """Whether to train without the Gram matrix: where it does not fit, and where that is faster.

    The rows that the native core makes are cheap, and most of them are never needed. Parameters are those of
    `gram_or_rows`.
    """
    is_cheap = n_samples >= MANY and can_be_native(kernel, X)
    size = MATRICES * n_samples**2 * np.dtype(float).itemsize
    return is_cheap or size > memory_limit * MIB or (size > SMALL and size > _bytes(memory_limit))


def _bytes(memory_limit: float) -> float:
    """Bytes for kernel values: the limit, or half of what there is."""
    return min(memory_limit * MIB, usable_memory() / 2)


def gram_or_rows(kernel: KernelFunction, X: Any, n_samples: int, memory_limit: float) -> np.ndarray | Rows:
    """Return the Gram matrix, shape (n_samples, n_samples), of the training samples, or what replaces it.

    ``kernel`` is called as ``kernel(X, X)``; ``memory_limit`` is in MiB.
    """
    if trains_by_rows(kernel, X, n_samples, memory_limit):
        limit = int(_bytes(memory_limit))
        if is_plain_function(kernel):
            return Rows(OfNumbers(kernel, X), np.arange(n_samples), limit)
        return Rows(kernel, X, limit)
    return gram_of(kernel, X, n_samples)


def gram_of(kernel: KernelFunction, X: Any, n_samples: int) -> np.ndarray:
    """The Gram matrix of the training samples, checked unless the kernel warrants for it."""
    K = kernel_values(kernel, X, X, n_samples)
    # A kernel object is symmetric by contract, and a value can only overflow where the diagonal does.
    is_sound = isinstance(kernel, Kernel) and np.isfinite(K.diagonal()).all()
    return K if is_sound else check_gram(K)


def kernel_values(kernel: KernelFunction, X: Any, Y: Any, n_columns: int) -> np.ndarray:
    """Dense kernel values of shape (n_rows, n_columns) from a kernel object or a user's function."""
    values = kernel(X, Y)
    values = values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=float)
    if values.ndim != 2 or values.shape[1] != n_columns:
        raise ValueError(
            f"The kernel function returned an array of shape {values.shape} for {n_columns} column samples. "
            "kernel(X, Y) must return one row per sample of X and one column per sample of Y."
        )
    return values
