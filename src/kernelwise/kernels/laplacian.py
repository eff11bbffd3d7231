"""Kernels of the city-block distance ‖x − y‖₁: one width for all features, or one for each."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import MatrixLike, Samples
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.distances import (
    CITY_BLOCK,
    city_block_distances,
    weighted_differences,
    weighted_signs,
)
from kernelwise.kernels.metric import FeatureWeights
from kernelwise.kernels.radial import Decaying, OneGamma, decayed
from kernelwise.kernels.starts import start_sigma


class CityBlockKernel(Decaying):
    """k(x, y) = exp(−s‖L(x − y)‖₁); L is the identity unless ``transform`` says otherwise.

    It has a kink where two samples agree in a feature, so that trees' steps are easier for it than for a
    Gaussian kernel; features count each by themselves: the kernel is a product over the features.
    """

    is_radial: ClassVar[bool] = True
    distance: ClassVar[str] = "cityblock"
    #: City-block distances of sparse samples are no sums of products.
    takes_sparse: ClassVar[bool] = False

    @property
    def gram_base(self) -> str | None:
        return CITY_BLOCK if type(self).transform is Kernel.transform else None

    @property
    def scale(self) -> float:
        """The factor s before the distance."""
        return 1.0

    def distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """City-block distances after the linear map, shape (n_rows, n_columns)."""
        Z = self.transform(X)
        return city_block_distances(Z, None if Y is None or Y is X else self.transform(Y))

    def _gram(self, X: Samples, Y: Samples) -> np.ndarray:
        return decayed(self.distances(X, Y), self.scale)

    def _input_gradient(self, X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> np.ndarray:
        # ∂k/∂z_k = −s·sign(z_k − w_k)·k after the map z = x∘L.
        V = A * self._gram(X, Y)
        L = self.linear_map(X.shape[1])
        gradient = -self.scale * weighted_signs(X, V, Y)
        return gradient if L is None else gradient * L


class Laplacian(OneGamma, CityBlockKernel):
    """Laplacian kernel: k(x, y) = exp(−γ‖x − y‖₁), where ‖x − y‖₁ is the sum of absolute differences.

    Parameters
    ----------
    gamma : float, default=1.0

    Examples
    --------
    >>> from kernelwise.kernels import Laplacian
    >>> Laplacian(gamma=0.5)([[0.0, 0.0], [1.0, 2.0]]).round(4)
    array([[1.    , 0.2231],
           [0.2231, 1.    ]])
    """

    title: ClassVar[str] = "Laplacian kernel"
    meaning: ClassVar[str] = (
        "the larger the sum of the differences in all columns, the less alike two rows are"
    )
    input_powers: ClassVar = {"gamma": 0.5}

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep":
            return self._copy()
        return self._copy(gamma=0.5 / start_sigma(X, y, heuristic, "cityblock"))


class DiagonalLaplacian(FeatureWeights, CityBlockKernel):
    """Laplacian kernel with a weight for every feature: k(x, y) = exp(−‖q∘(x − y)‖₁).

    Parameters
    ----------
    q : array-like of shape (n_features,), default=None
        Positive weight of each feature: its inverse width. None until :meth:`initialize`.

    Examples
    --------
    >>> from kernelwise.kernels import DiagonalLaplacian
    >>> DiagonalLaplacian(q=[1.0, 0.5])([[0.0, 0.0], [1.0, 2.0]]).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    title: ClassVar[str] = "Laplacian with feature weights"
    meaning: ClassVar[str] = "the larger the weighted sum of column differences, the less alike two rows are"
    input_powers: ClassVar = {"q": 0.5}

    def linear_map(self, n_features: int) -> np.ndarray:
        return np.asarray(self.q, dtype=float)

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂K/∂log q_k = −q_k |x_k − y_k| K
        V = W * (self._gram(X, Y) if K is None else K)
        return -np.asarray(self.q, dtype=float) * weighted_differences(np.asarray(X), V, np.asarray(Y))

    def _started(self, X: Samples, y: ArrayLike | None, heuristic: str | None) -> Self:
        return self._copy(q=np.full(X.shape[1], 0.5 / start_sigma(X, y, heuristic, "cityblock")))
