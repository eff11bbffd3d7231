"""The one object between kernels, criteria and optimizers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from kernelwise._validation import check_labels, check_samples, check_weights
from kernelwise.criteria import as_criterion
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.result import History

# Parameters are named in the history up to this many; beyond, the row's "theta" has them all.
MAX_NAMED = 64
CACHE_SIZE = 64
# Cost of a point where the criterion is undefined, while no other point is known to compare it with.
UNDEFINED = 1e100


class TuningProblem:
    """Minimise a criterion over the parameters of a kernel on given data.

    Parameters
    ----------
    kernel : Kernel or str
        Where the search starts. A name starts from the data (:meth:`Kernel.initialize`).
    criterion : Criterion or str
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    sample_weight : array of shape (n_samples,), default=None
    bounds : dict from parameter name to (lowest, highest), default=None
        Ranges in the parameter's own units, in place of the kernel's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> problem = TuningProblem("rbf", "dbtc", X, y == 0)
    >>> result = LineSearch().minimize(problem)
    >>> round(result.kernel.gamma, 3), result.stop_reason
    (0.197, 'interior peak')
    """

    def __init__(
        self,
        kernel: Any,
        criterion: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.criterion = as_criterion(criterion)
        start = as_kernel(kernel)
        self.X = check_samples(X)
        check_labels(y, self.X.shape[0])
        self.y = np.asarray(y).ravel()
        self.sample_weight = None if sample_weight is None else check_weights(sample_weight, len(self.y))
        self.kernel: Kernel = start.initialize(self.X, self.y, None if isinstance(kernel, str) else "keep")
        self.bounds = _bounds(self.kernel, bounds)
        self.reset()

    def reset(self) -> None:
        """Forget counts, history and cache: every search starts with its own."""
        self.n_evaluations = 0
        self.n_gradients = 0
        self.n_undefined = 0
        self.history = History()
        self._started = time.perf_counter()
        self._notes: dict[str, Any] = {}
        self._cache: OrderedDict[bytes, tuple[float, np.ndarray | None]] = OrderedDict()
        self._gram: tuple[bytes, np.ndarray] | None = None

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self._started

    def note(self, **columns: Any) -> None:
        """Columns that the rows of the history carry from now on, such as the iteration."""
        self._notes.update(columns)

    def kernel_at(self, theta: Any) -> Kernel:
        """The kernel with those parameters."""
        return self.kernel.with_theta(theta)

    def value(self, theta: Any) -> float:
        """The cost at ``theta``."""
        key = np.asarray(theta, dtype=float).tobytes()
        if key in self._cache:
            return self._cache[key][0]
        try:
            value = self.criterion.value(self._gram_at(key, theta), self.y, self.sample_weight)
        except DegenerateGramError as error:
            value = self._penalty(error, needs_gradient=False)
        self._record(key, theta, value, None)
        return value

    def value_and_gradient(self, theta: Any) -> tuple[float, np.ndarray]:
        """The cost at ``theta`` and its gradient, of the shape of ``theta``."""
        key = np.asarray(theta, dtype=float).tobytes()
        value, gradient = self._cache.get(key, (0.0, None))
        if gradient is None:
            K = self._gram_at(key, theta)
            try:
                value, W = self.criterion.value_and_adjoint(K, self.y, self.sample_weight)
                gradient = self.kernel_at(theta).gradient_dot(self.X, W, K=K)
            except DegenerateGramError as error:
                value = self._penalty(error, needs_gradient=True)
                gradient = np.zeros_like(self.kernel.theta)
            self._record(key, theta, value, gradient)
        return value, gradient

    def _penalty(self, error: DegenerateGramError, *, needs_gradient: bool) -> float:
        """A cost above all others met, where the criterion is undefined: a search turns back there.

        A search that follows gradients has no way back from an undefined start, so that the error is raised.
        """
        met = [row["value"] for row in self.history if row["value"] < UNDEFINED]
        if needs_gradient and not met:
            raise error
        self.n_undefined += 1
        return 2.0 * abs(max(met)) + 1.0 if met else UNDEFINED

    @property
    def has_scale_derivatives(self) -> bool:
        """Whether :meth:`scale_derivatives` is available: a linear criterion and a kernel exp(−s·D)."""
        return self.criterion.is_linear and isinstance(self.kernel, ScaledGaussian)

    def scale_derivatives(self, theta: Any) -> np.ndarray:
        """Score and its first three derivatives with respect to the factor s of the kernel exp(−s·D).

        The factor is the kernel's one parameter itself, not its logarithm (paper 000, eq. 9). The adjoint
        of a linear criterion does not depend on K, so each call costs one pass over the distances.
        """
        kernel = self.kernel_at(theta)
        assert isinstance(kernel, ScaledGaussian)
        derivatives = self.criterion.sign * kernel.derivatives_dot(self.X, self._linear_adjoint)
        gradient = np.array([self.criterion.sign * kernel.scale * derivatives[1]])
        key = np.asarray(theta, dtype=float).tobytes()
        self._record(key, theta, self.criterion.sign * derivatives[0], gradient)
        return derivatives

    @cached_property
    def _linear_adjoint(self) -> np.ndarray:
        return self.criterion.adjoint(np.eye(len(self.y)), self.y, self.sample_weight)

    def _gram_at(self, key: bytes, theta: Any) -> np.ndarray:
        """The Gram matrix; the last one is kept, since a value and its gradient are often asked in turn."""
        if self._gram is None or self._gram[0] != key:
            self._gram = (key, self.kernel_at(theta)(self.X))
        return self._gram[1]

    def _record(self, key: bytes, theta: Any, value: float, gradient: np.ndarray | None) -> None:
        self.n_evaluations += 1
        self.n_gradients += gradient is not None
        self._cache[key] = (value, gradient)
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        row: dict[str, Any] = {
            "evaluation": self.n_evaluations,
            **self._notes,
            "value": value,
            "score": self.criterion.sign * value,
            "gradient_norm": np.nan if gradient is None else float(np.linalg.norm(gradient)),
            "seconds": self.seconds,
            "theta": np.array(theta, dtype=float),
        }
        names = self.kernel.theta_names
        if len(names) <= MAX_NAMED:
            row.update(zip(names, self._own_units(theta), strict=True))
        self.history.append(row)

    def _own_units(self, theta: Any) -> list[float]:
        kernel = self.kernel_at(theta)
        if kernel.geometry == "spd":
            return list(kernel.theta.ravel())
        return [float(v) for h in kernel.hyperparameters for v in np.ravel(getattr(kernel, h.name))]


def _bounds(kernel: Kernel, given: Mapping[str, tuple[float, float]] | None) -> np.ndarray:
    """Bounds in the units of ``theta``: the kernel's, or those given by name; always around the start."""
    bounds = kernel.bounds.copy()
    given = dict(given or {})
    if kernel.geometry != "euclidean":
        if given:
            raise ValueError(
                f"{type(kernel).__name__} takes no bounds by name; it is searched on a manifold."
            )
        return bounds
    start, row = kernel.theta, 0
    for h in kernel.hyperparameters:
        size = np.size(getattr(kernel, h.name))
        rows = slice(row, row + size)
        row += size
        if h.name not in given:
            # Data on an unusual scale start outside the usual range: make room around the start.
            room = np.log(1e3) if h.is_log else 1e3 * np.abs(start[rows]).max()
            bounds[rows, 0] = np.minimum(bounds[rows, 0], start[rows] - room)
            bounds[rows, 1] = np.maximum(bounds[rows, 1], start[rows] + room)
            continue
        low, high = given.pop(h.name)
        if not low < high or (h.is_log and low <= 0):
            raise ValueError(
                f"bounds of {h.name!r} must be two increasing{' positive' if h.is_log else ''} numbers, "
                f"got ({low}, {high})."
            )
        bounds[rows] = np.log([low, high]) if h.is_log else [low, high]
        if (start[rows] < bounds[rows, 0]).any() or (start[rows] > bounds[rows, 1]).any():
            raise ValueError(f"The kernel's {h.name!r} lies outside the bounds ({low}, {high}).")
    if given:
        raise ValueError(f"{type(kernel).__name__} has no free parameter {next(iter(given))!r} to bound.")
    return bounds
