"""Weighted sums of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import MatrixLike, Samples
from kernelwise.kernels.base import Kernel


class KernelSum(Kernel):
    """Weighted sum of kernels: k(x, y) = Σ_m w_m k_m(x, y).

    Two samples are similar if one of the kernels finds them similar, and very similar if several do.

    Its free parameters are the weights (their logarithms) and those of its kernels, one kernel after another;
    a kernel whose parameters are a matrix on a manifold keeps them.

    Parameters
    ----------
    kernels : sequence of Kernel
    weights : array-like of shape (n_kernels,), default=None
        Positive; None is 1 for each.

    Examples
    --------
    >>> from kernelwise.kernels import RBF, KernelSum, Laplacian
    >>> KernelSum([RBF(gamma=0.5), Laplacian(gamma=0.5)])([[0.0, 0.0], [1.0, 2.0]]).round(4)
    array([[2.    , 0.3052],
           [0.3052, 2.    ]])
    """

    title: ClassVar[str] = "Sum of kernels"
    meaning: ClassVar[str] = "several measures of how alike two rows are, added up"

    def __init__(self, kernels: Sequence[Kernel], weights: ArrayLike | None = None) -> None:
        self.kernels = kernels
        self.weights = weights
        self._check()

    def _check(self) -> None:
        if not isinstance(self.kernels, list | tuple) or not self.kernels:
            raise ValueError(f"'kernels' of KernelSum must be a list of kernels, got {self.kernels!r}.")
        for kernel in self.kernels:
            if not isinstance(kernel, Kernel):
                raise ValueError(f"'kernels' of KernelSum must be Kernel objects, got {kernel!r}.")
            if kernel.takes_distances:
                raise ValueError(
                    f"A KernelSum needs kernels of samples, but {kernel} is a kernel of a matrix of "
                    "distances. Add up the matrices of kernel values yourself, and use "
                    "kernel='precomputed'."
                )
        if self.weights is None:
            return
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (len(self.kernels),):
            raise ValueError(
                f"'weights' of KernelSum has shape {weights.shape}, expected one for each of "
                f"{len(self.kernels)} kernels."
            )
        if not (np.isfinite(weights) & (weights > 0)).all():
            raise ValueError(f"'weights' of KernelSum must be positive numbers, got {weights.tolist()}.")

    def parts(self) -> list[tuple[float, Kernel]]:
        return [(w * v, part) for w, k in zip(self._w, self.kernels, strict=True) for v, part in k.parts()]

    @property
    def _w(self) -> list[float]:
        weights = np.ones(len(self.kernels)) if self.weights is None else np.asarray(self.weights, float)
        return [float(w) for w in weights]

    @property
    def _free(self) -> list[Kernel]:
        """The kernels whose parameters are a free vector."""
        return [kernel for kernel in self.kernels if kernel.geometry == "euclidean"]

    @property
    def theta(self) -> np.ndarray:
        return np.concatenate([np.log(self._w), *(kernel.theta for kernel in self._free)])

    @property
    def theta_values(self) -> np.ndarray:
        return np.concatenate([self._w, *(kernel.theta_values for kernel in self._free)])

    def with_theta(self, theta: ArrayLike) -> Self:
        theta = np.asarray(theta, dtype=float)
        sizes = [kernel.theta.size if kernel.geometry == "euclidean" else 0 for kernel in self.kernels]
        if theta.shape != (len(sizes) + sum(sizes),):
            raise ValueError(f"theta of {self} has shape ({len(sizes) + sum(sizes)},), got {theta.shape}.")
        pieces = np.split(theta, np.cumsum([len(sizes), *sizes])[:-1])
        pairs = zip(self.kernels, pieces[1:], strict=True)
        moved = [kernel.with_theta(piece) if piece.size else kernel for kernel, piece in pairs]
        return self._copy(kernels=moved, weights=np.exp(pieces[0]))

    @property
    def bounds(self) -> np.ndarray:
        of_weights = np.tile(np.log([1e-6, 1e6]), (len(self.kernels), 1))
        return np.concatenate([of_weights, *(kernel.bounds for kernel in self._free)])

    @property
    def theta_names(self) -> tuple[str, ...]:
        names = [f"weights[{m}]" for m in range(len(self.kernels))]
        for m, kernel in enumerate(self.kernels):
            if kernel.geometry == "euclidean":
                names += [f"kernels[{m}].{name}" for name in kernel.theta_names]
        return tuple(names)

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        return all(kernel.takes_sparse for kernel in self.kernels)

    @property
    def needs_data(self) -> bool:
        return any(kernel.needs_data for kernel in self.kernels)

    @property
    def input_powers(self) -> dict[str, float]:  # type: ignore[override]
        """Not empty if every kernel says how it scales with the inputs."""
        return {"kernels": 1.0} if all(kernel.input_powers for kernel in self.kernels) else {}

    def rescaled(self, factor: float) -> Self:
        return self._copy(kernels=[kernel.rescaled(factor) for kernel in self.kernels])

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        return self._copy(kernels=[kernel.initialize(X, y, heuristic) for kernel in self.kernels])

    def _check_features(self, n_features: int) -> None:
        for kernel in self.kernels:
            kernel._check_features(n_features)

    def _gram(self, X: Samples, Y: Samples) -> np.ndarray:
        total = None
        for weight, kernel in self.parts():
            K = kernel._gram(X, Y)
            if weight != 1.0:
                K *= K.dtype.type(weight)
            total = K if total is None else np.add(total, K, out=total)
        assert total is not None
        return total

    def _diagonal(self, X: Samples) -> np.ndarray:
        total = sum(weight * kernel._diagonal(X) for weight, kernel in self.parts())
        return np.asarray(total, dtype=X.dtype)

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂K/∂log w_m = w_m K_m, and a kernel's own parameters see its weight times W.
        by_weight, by_theta = [], []
        for weight, kernel in zip(self._w, self.kernels, strict=True):
            own = kernel._gram(X, Y)
            by_weight.append(weight * float(np.vdot(W, own)))
            if kernel.geometry == "euclidean":
                by_theta.append(kernel._gradient_dot(X, Y, weight * W, own))
        return np.concatenate([by_weight, *by_theta])

    def _input_gradient(self, X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> np.ndarray:
        gradients = [weight * kernel._input_gradient(X, A, Y) for weight, kernel in self.parts()]
        return np.asarray(sum(gradients))
