"""Kernels whose free parameters are a metric or weights of features, and what these say of the features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.rounding import significant
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_samples
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.radial import GaussianFamily, mapped

#: Shares of features, as multiples of their mean: those that are no different, and those that stand out.
SAME, STANDS_OUT = 0.1, 1.5


class LearnedMap(Kernel):
    """A kernel of distances after a linear map that is its free parameter; the data give its first value."""

    #: The constructor argument that holds the map; its last axis has one entry per feature.
    map_name: ClassVar[str]

    @abstractmethod
    def linear_map(self, n_features: int) -> np.ndarray: ...

    def transform(self, X: Samples) -> Any:
        return mapped(X, self.linear_map(X.shape[1]))

    @property
    def needs_data(self) -> bool:
        return getattr(self, self.map_name) is None

    def _check_features(self, n_features: int) -> None:
        name, Q = type(self).__name__, self.map_name
        if self.needs_data:
            raise ValueError(f"This {name} has no {Q} yet. Pass {Q}, or call kernel.initialize(X, y) first.")
        size = np.shape(getattr(self, Q))[-1]
        if size != n_features:
            raise ValueError(f"This {name} was made for {size} features, got {n_features}.")

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        if heuristic != "keep":
            return self._started(check_samples(X), y, heuristic)
        return self._started(check_samples(X), y, None) if self.needs_data else self._copy()

    @abstractmethod
    def _started(self, X: Samples, y: ArrayLike | None, heuristic: str | None) -> Self:
        """A copy whose map treats all directions alike, of the width that suits the data."""


class FeatureWeights(LearnedMap):
    """A kernel with a positive weight q_k for every feature; what differs is the distance that they weigh."""

    map_name: ClassVar[str] = "q"
    hyperparameters: ClassVar = (Hyperparameter("q"),)

    def __init__(self, q: ArrayLike | None = None) -> None:
        self.q = q
        self._check()

    def _check(self) -> None:
        if self.q is None:
            return
        owner, weights = type(self).__name__, np.asarray(self.q, dtype=float)
        if weights.ndim != 1:
            raise ValueError(f"'q' of {owner} is one weight per feature, got shape {weights.shape}.")
        is_good = np.isfinite(weights) & (weights > 0)
        if not is_good.all():
            k = int(np.flatnonzero(~is_good)[0])
            raise ValueError(f"'q' of {owner} must be positive, got {weights[k]} for feature {k}.")

    @property
    def feature_weights(self) -> np.ndarray | None:
        return None if self.q is None else np.array(self.q, dtype=float)

    def with_feature_weights(self, q: ArrayLike) -> Self:
        return self._copy(q=q)

    def of_unit_width(self) -> tuple[Kernel, float]:
        # Over the largest weight, without rounding that depends on it.
        weights = np.asarray(self.q, dtype=float)
        largest = float(weights.max())
        return self._copy(q=np.asarray(significant(weights / largest))), largest


class MetricKernel(LearnedMap, GaussianFamily):
    """k(x, y) = exp(−½ (x − y)ᵀ Q (x − y)) with the metric Q, or what Q is made of, as its free parameters.

    A search with tr Q held constant asks for the three methods that take a ``theta``: they are functions of a
    point of the search, which need not be the kernel's own.
    """

    learns_metric: ClassVar[bool] = True

    @property
    def scale(self) -> float:
        return 0.5

    @abstractmethod
    def log_trace(self, theta: np.ndarray) -> float:
        """Logarithm of tr Q at a point of the search."""

    @abstractmethod
    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        """The point, of the shape of ``theta``, where Q has that trace and is otherwise that of ``theta``."""

    @abstractmethod
    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        """Gradient by ``theta`` of f(``with_log_trace(theta, log_trace)``) from the gradient of f there.

        No direction along Q is left in it: f does not change with the scale of ``theta``.
        """


@dataclass(frozen=True)
class Direction:
    """A direction along which the kernel falls off.

    It has its share of the metric's trace and the component of each feature, the largest first; the squares
    of these sum to 1.
    """

    share: float
    loadings: dict[str, float]


def relevance(Q: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Share of each feature in the mean squared distance, if features were uncorrelated: q_k·Var(x_k).

    A constant feature has none, whatever its weight; zeros if all are constant.
    """
    weights = np.diag(Q) * variance
    total = weights.sum()
    return weights / total if total > 0 else weights


def has_weights(kernel: Kernel) -> bool:
    """Whether a kernel, or one of those in a sum, has weights of features or learns a metric."""
    return any(part.learns_metric or part.feature_weights is not None for _, part in kernel.parts())


def feature_relevance(
    kernel: Kernel, variance: np.ndarray, deviation: np.ndarray | None = None
) -> np.ndarray | None:
    """Share of each feature in the distances of a kernel with weights; the mean over the kernels of a sum.

    None if no kernel has weights. Differences of a city-block distance grow like ``deviation``, which is the
    standard deviation if it is None.
    """
    deviation = np.sqrt(variance) if deviation is None else deviation
    shares, weights = [], []
    for weight, part in kernel.parts():
        q = part.feature_weights
        if part.learns_metric:
            shares.append(relevance(part.metric(len(variance)), variance))
        elif q is not None:
            shares.append(relevance(np.diag(q), deviation))
        else:
            continue
        weights.append(weight)
    return np.average(shares, axis=0, weights=weights) if shares else None


def weigh_the_same(shares: np.ndarray, n_features: int) -> bool:
    """Whether the shares of all features, of which these are the largest, are the same but for a tenth."""
    return bool(np.abs(n_features * shares - 1.0).max() <= SAME)


def most_relevant(names: Sequence[str], shares: np.ndarray, n_most: int) -> str:
    """Which features stand out from the others, in words, the largest first.

    A feature stands out if its share is half as much again as that of a feature among equals.
    """
    if weigh_the_same(shares, len(names)):
        return "all features weigh the same"
    order = np.argsort(-shares, kind="stable")
    found = [k for k in order if len(names) * shares[k] >= STANDS_OUT][:n_most]
    return ", ".join(f"{names[k]} {shares[k]:.2f}" for k in found) or "no feature stands out"


def directions(Q: np.ndarray, names: Sequence[object], n_directions: int) -> tuple[Direction, ...]:
    """Leading eigenvectors of Q, each with its largest component positive."""
    values, U = np.linalg.eigh(Q)
    found = []
    for k in range(len(values) - 1, max(len(values) - 1 - n_directions, -1), -1):
        order = np.argsort(-np.abs(U[:, k]), kind="stable")
        vector = U[:, k] * np.sign(U[order[0], k])
        loadings = {str(names[i]): float(vector[i]) for i in order}
        found.append(Direction(float(values[k] / values.sum()), loadings))
    return tuple(found)


def correlations(Q: np.ndarray) -> np.ndarray:
    """Q_kl / √(Q_kk Q_ll), shape (n_features, n_features): what a diagonal metric cannot say."""
    scale = np.sqrt(np.diag(Q))
    size = np.outer(scale, scale)
    found = np.divide(Q, size, out=np.zeros_like(Q), where=size > 0)
    np.fill_diagonal(found, 1.0)
    return found
