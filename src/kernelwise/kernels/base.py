"""What every kernel is: a small value object with a Gram matrix and a pulled-back gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._parameters import constructor_params
from kernelwise._validation import check_pair, check_samples


@dataclass(frozen=True)
class Hyperparameter:
    """A free parameter of a kernel: where it may move, and whether ``theta`` holds its logarithm."""

    name: str
    bounds: tuple[float, float] = (1e-6, 1e6)
    is_log: bool = True


class Kernel(ABC):
    """A kernel function k_θ(x, y) with named parameters.

    Kernels are values: :meth:`with_theta` and :meth:`initialize` return changed copies. A subclass writes
    ``_gram``, ``_diagonal`` and ``_gradient_dot`` and lists its free parameters, in declaration order, in
    ``hyperparameters``.
    """

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = ()
    #: "euclidean" if ``theta`` is a free vector, "spd" if it is a symmetric positive-definite matrix.
    geometry: ClassVar[str] = "euclidean"

    # -- values -----------------------------------------------------------------------------------------
    def __call__(self, X: Any, Y: Any = None) -> np.ndarray:
        """Gram matrix of shape (n_rows, n_columns); columns are the samples ``X`` when ``Y`` is None."""
        X, Y = check_pair(X, Y)
        self._check_features(X.shape[1])
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

    def _check_features(self, n_features: int) -> None:  # noqa: B027
        """Raise if the parameters do not fit samples with that many features."""

    def _check(self) -> None:  # noqa: B027
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

    # -- parameters as a vector ---------------------------------------------------------------------------
    @property
    def theta(self) -> np.ndarray:
        """Free parameters, flattened in declaration order; logarithms where ``Hyperparameter.is_log``."""
        parts = [np.empty(0)]
        for h in self.hyperparameters:
            value = np.ravel(np.asarray(getattr(self, h.name), dtype=float))
            parts.append(np.log(value) if h.is_log else value)
        return np.concatenate(parts)

    def with_theta(self, theta: Any) -> Self:
        """Return a copy with other values of the free parameters."""
        theta = np.asarray(theta, dtype=float)
        expected = self.theta.size
        if theta.shape != (expected,):
            raise ValueError(f"theta of {self} has shape ({expected},), got {theta.shape}.")
        changes: dict[str, Any] = {}
        start = 0
        for h in self.hyperparameters:
            old = np.asarray(getattr(self, h.name))
            piece = theta[start : start + old.size]
            start += old.size
            piece = np.exp(piece) if h.is_log else piece.copy()
            changes[h.name] = float(piece[0]) if old.ndim == 0 else piece.reshape(old.shape)
        return self._copy(**changes)

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest value of each entry of ``theta``, shape (n_theta, 2)."""
        rows = []
        for h in self.hyperparameters:
            limits = np.log(h.bounds) if h.is_log else np.asarray(h.bounds, dtype=float)
            rows.append(np.tile(limits, (np.size(getattr(self, h.name)), 1)))
        return np.concatenate(rows) if rows else np.empty((0, 2))

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Name of the parameter behind each entry of ``theta``, such as ``"gamma"`` or ``"q[3]"``."""
        names: list[str] = []
        for h in self.hyperparameters:
            value = np.asarray(getattr(self, h.name))
            index = (", ".join(map(str, i)) for i in np.ndindex(value.shape))
            names += [h.name] if value.ndim == 0 else [f"{h.name}[{i}]" for i in index]
        return tuple(names)

    # -- scikit-learn's parameter protocol --------------------------------------------------------------
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor arguments and their values, in declaration order."""
        return constructor_params(self)

    def set_params(self, **params: Any) -> Self:
        """Change constructor arguments in place; leaves the kernel as it was if one is not acceptable."""
        before = self.get_params()
        unknown = sorted(set(params) - set(before))
        if unknown:
            raise ValueError(f"{type(self).__name__} has no parameter {unknown[0]!r}; it has {list(before)}.")
        try:
            self.__dict__.update(params)
            self._check()
        except ValueError:
            self.__dict__.update(before)
            raise
        return self

    def _copy(self, **changes: Any) -> Self:
        return type(self)(**{**self.get_params(), **changes})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]  # set_params changes a kernel in place

    def __repr__(self) -> str:
        shown = (f"{name}={_short(value)}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(a: Any, b: Any) -> bool:
    if any(value is None or isinstance(value, str) for value in (a, b)):
        return type(a) is type(b) and bool(a == b)
    return np.array_equal(a, b)


def _short(value: Any) -> str:
    """A parameter in at most one line: numbers to six digits, long arrays by their ends."""
    if value is None or isinstance(value, str):
        return repr(value)
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}"
    if array.ndim == 1:
        return np.array2string(array, precision=4, threshold=6, edgeitems=2, separator=", ")
    return f"<array of shape {array.shape}>"
