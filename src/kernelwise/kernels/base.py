"""What every kernel is: a small value object with a Gram matrix and a pulled-back gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.memory import check_gram_memory
from kernelwise._core.parameters import Parametrized
from kernelwise._core.validation import check_pair, check_samples


class Kernel(Parametrized, ABC):
    """A kernel function k_θ(x, y) with named parameters.

    Kernels are values: :meth:`with_theta` and :meth:`initialize` return changed copies. A subclass writes
    ``_gram``, ``_diagonal`` and ``_gradient_dot`` and lists its free parameters, in declaration order, in
    ``hyperparameters``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> kernel = RBF(gamma=0.5)
    >>> kernel(X).shape, kernel(X, X[:2]).shape
    ((3, 3), (3, 2))

    A search sees the vector ``theta`` and makes copies; here γ is doubled:

    >>> kernel.with_theta(kernel.theta + np.log(2.0))
    RBF(gamma=1)

    The derivative of ΣK by log γ, without an array of derivatives:

    >>> kernel.gradient_dot(X, np.ones((3, 3))).round(4)
    array([-1.2479])
    """

    #: "euclidean" if ``theta`` is a free vector, "spd" if it is a symmetric positive-definite matrix.
    geometry: ClassVar[str] = "euclidean"
    #: Power of the factor by which squared inputs grow with which each parameter grows; see `rescaled`.
    input_powers: ClassVar[dict[str, float]] = {}

    # -- values -----------------------------------------------------------------------------------------
    def __call__(self, X: Any, Y: Any = None) -> np.ndarray:
        """Gram matrix of shape (n_rows, n_columns); columns are the samples ``X`` when ``Y`` is None."""
        X, Y = check_pair(X, Y)
        self._check_features(X.shape[1])
        check_gram_memory(1, X.shape[0], Y.shape[0], X.dtype.itemsize)
        return self._gram(X, Y)

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) for every row of ``X``: the diagonal of ``kernel(X)`` without computing the rest."""
        X = check_samples(X)
        self._check_features(X.shape[1])
        return self._diagonal(X)

    def gradient_dot(self, X: Any, W: Any, Y: Any = None, *, K: np.ndarray | None = None) -> np.ndarray:
        """Contract a weight matrix with the derivative of the kernel matrix.

        Computes ``g[p] = sum_ij W[i, j] * dK[i, j] / dtheta[p]`` without forming the derivative array, which
        is what makes one width per feature affordable.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_rows, n_features)
        W : ndarray of shape (n_rows, n_columns)
            Sensitivity of a criterion to each kernel entry; need not be symmetric.
        Y : array or CSR matrix of shape (n_columns, n_features), default=None
            Column samples; ``X`` when omitted. Held-out criteria pass training rows here.
        K : ndarray of shape (n_rows, n_columns), default=None
            ``kernel(X, Y)`` if it is at hand; it is not changed. Saves computing it again.

        Returns
        -------
        gradient : ndarray of the shape of ``theta``
            With respect to ``theta``, that is, to the logarithm of each positive parameter.
        """
        X, Y = check_pair(X, Y)
        self._check_features(X.shape[1])
        W = np.asarray(W, dtype=float)
        if W.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"W has shape {W.shape}, expected {(X.shape[0], Y.shape[0])}: one weight per kernel entry."
            )
        return self._gradient_dot(X, Y, W, K)

    @abstractmethod
    def _gram(self, X: Any, Y: Any) -> np.ndarray: ...

    @abstractmethod
    def _diagonal(self, X: Any) -> np.ndarray: ...

    @abstractmethod
    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray: ...

    def _check_features(self, n_features: int) -> None:
        """Raise if the parameters do not fit samples with that many features."""

    def _check(self) -> None:
        """Raise if a parameter is out of its domain; called by the constructor and by ``set_params``."""

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        """Return a copy whose parameters suit the data.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Class labels, needed by Jaakkola's heuristic.
        heuristic : {"jaakkola", "median", "scale", "keep"}, default=None
            "jaakkola": σ is the median, over the points, of the distance to the nearest point of another
            class; "median": σ is the median distance between points; "scale": scikit-learn's
            γ = 1 / (n_features · Var(X)); "keep": only what cannot be had without data is set.
            None is "jaakkola" with labels and "median" without.
        """
        return self._copy()

    def rescaled(self, factor: float) -> Self:
        """The kernel of the inputs times √factor: narrower by that much for a factor above 1.

        Raises ValueError for a kernel that does not say how (``input_powers``).
        """
        if not self.input_powers:
            raise ValueError(f"{type(self).__name__} does not say how its parameters scale with the inputs.")
        powers = self.input_powers.items()
        return self._copy(**{name: _times(getattr(self, name), factor**power) for name, power in powers})


def _times(value: Any, factor: float) -> Any:
    """A number, an array or a list of numbers times a factor."""
    return np.asarray(value) * factor if isinstance(value, list | tuple) else value * factor
