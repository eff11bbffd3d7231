"""A kernel and a criterion on samples: what an optimizer sees.

`TuningProblem` is the one object between kernels, criteria and optimizers.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from copy import copy
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.labels import with_copies
from kernelwise._core.parameters import Hyperparameter, Parametrized
from kernelwise._core.threads import cached_property
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_labels, check_samples, check_targets, check_weights, stack_rows
from kernelwise.criteria import Criterion, as_criterion
from kernelwise.criteria.base import Adjoint, Evaluation, FactoredAdjoint, SearchState
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel, KernelLike, as_kernel
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.multiclass import vote
from kernelwise.result import History


def search_bounds(
    kernel: Kernel, criterion: Criterion, given: Mapping[str, tuple[float, float]] | None
) -> np.ndarray:
    """Return the bounds of the kernel's parameters, then of the criterion's, in the units of ``theta``.

    The shape is (n_theta, 2), with one row, for the logarithms of the eigenvalues, for a matrix on a
    manifold. ``given`` has ranges by name, in the parameter's own units, in place of the kernel's and the
    criterion's.
    """
    left = dict(given or {})
    criterion_bounds = _bounds_by_name(criterion, left)
    if kernel.geometry != "euclidean":
        if left:
            raise ValueError(
                f"{type(kernel).__name__} takes no bounds by name; it is searched on a manifold."
            )
        return np.concatenate([kernel.bounds, criterion_bounds])
    bounds = np.concatenate([_bounds_by_name(kernel, left), criterion_bounds])
    if left:
        raise ValueError(f"{type(kernel).__name__} has no free parameter {next(iter(left))!r} to bound.")
    return bounds


def _bounds_by_name(part: Parametrized, given: dict[str, tuple[float, float]]) -> np.ndarray:
    """Bounds in the units of ``theta``: the part's own, or those given by name, taken out of ``given``.

    Always around the start: data on an unusual scale start outside the usual range. Shape (n_theta, 2).
    """
    bounds, start, row = part.bounds.copy(), part.theta, 0
    for h in part.hyperparameters:
        size = np.size(getattr(part, h.name))
        rows = slice(row, row + size)
        row += size
        if h.name in given:
            bounds[rows] = _in_theta(h, given.pop(h.name), start[rows])
            continue
        room = np.log(1e3) if h.is_log else 1e3 * np.abs(start[rows]).max()
        bounds[rows, 0] = np.minimum(bounds[rows, 0], start[rows] - room)
        bounds[rows, 1] = np.maximum(bounds[rows, 1], start[rows] + room)
    return bounds


def _in_theta(h: Hyperparameter, limits: tuple[float, float], start: np.ndarray) -> Any:
    """Limits given in the parameter's own units, checked, in the units of ``theta``."""
    low, high = limits
    if not low < high or (h.is_log and low <= 0):
        raise ValueError(
            f"bounds of {h.name!r} must be two increasing{' positive' if h.is_log else ''} numbers, "
            f"got ({low}, {high})."
        )
    ends = np.log([low, high]) if h.is_log else np.array([low, high], dtype=float)
    if (start < ends[0]).any() or (start > ends[1]).any():
        raise ValueError(f"The start of {h.name!r} lies outside the bounds ({low}, {high}).")
    return ends


class UnseenSamples:
    """Samples that a search never sees, to be predicted by the machines that it trains."""

    def __init__(self, X: MatrixLike, y: ArrayLike, X_train: Samples, y_train: np.ndarray) -> None:
        self.X = check_samples(X, "The X of test")
        self.y = np.asarray(y).ravel()
        if self.X.shape != (len(self.y), X_train.shape[1]):
            raise ValueError(
                f"test must be samples with {X_train.shape[1]} features and one label each, got an X of "
                f"shape {self.X.shape} and {len(self.y)} labels."
            )
        self.X_train = X_train
        self.classes = np.unique(y_train)

    def error(self, kernel: Kernel, memory: SearchState) -> float:
        """Share of the samples that the machines in ``memory`` get wrong."""
        support = np.unique(np.concatenate([machine.rows for machine in memory.machines]))
        K = kernel(self.X, self.X_train[support])
        columns = [
            K[:, np.searchsorted(support, machine.rows)] @ machine.beta + machine.intercept
            for machine in memory.machines
        ]
        decision = np.column_stack(columns)
        labels = vote(decision[:, 0] if len(self.classes) == 2 else decision, self.classes, memory.strategy)
        return float(np.mean(labels != self.y))


# Parameters are named in the history up to this many; beyond, the row's "theta" has them all.
MAX_NAMED = 64
CACHE_SIZE = 64
# Cost of a point where the criterion is undefined, while no other point is known to compare it with.
UNDEFINED = 1e100


class TuningProblem:
    """Minimisation of a criterion over the parameters of a kernel, on given data.

    The search also covers parameters of the criterion, such as C.

    A point of the search is one vector: the kernel's ``theta``, flattened, then the criterion's.

    Parameters
    ----------
    kernel : Kernel or str
        Where the search starts. A name starts from the data (:meth:`~kernelwise.kernels.Kernel.initialize`).
    criterion : Criterion or str
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    sample_weight : array of shape (n_samples,), default=None
    bounds : dict from parameter name to (lowest, highest), default=None
        Ranges in the parameter's own units, in place of the kernel's and the criterion's.
    test : (X, y), default=None
        Samples that the search never sees: the history shows the error on them of the machines that the
        criterion trains (criteria without machines have none to show).

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
        kernel: KernelLike,
        criterion: Criterion | str,
        X: MatrixLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        test: tuple[Any, Any] | None = None,
    ) -> None:
        self.criterion: Criterion = as_criterion(criterion)
        start = as_kernel(kernel)
        self.X = check_samples(X)
        start.check_takes(self.X)
        self.y = self._checked(y)
        self.sample_weight = None if sample_weight is None else check_weights(sample_weight, len(self.y))
        # Jaakkola's start asks for classes.
        labels = None if self.criterion.is_regression else self.y
        samples = with_copies(self.X, labels, self.sample_weight)
        self.kernel: Kernel = start.initialize(*samples, None if isinstance(kernel, str) else "keep")
        self.bounds = search_bounds(self.kernel, self.criterion, bounds)
        extra = self.criterion.extra_points(self.X.shape[1])
        self._points = self.X if extra is None else stack_rows(self.X, extra)
        self._test = None if test is None else UnseenSamples(*test, self.X, self.y)
        self.reset()

    def _checked(self, y: ArrayLike) -> np.ndarray:
        """Labels or, for a regression criterion, numbers; shape (n_samples,)."""
        if self.criterion.is_regression:
            return check_targets(y, self.X.shape[0])
        check_labels(y, self.X.shape[0])
        return np.asarray(y).ravel()

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
        self.memory = SearchState(wants_machines=self._test is not None)

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self._started

    def note(self, **columns: float | str) -> None:
        """Columns that the rows of the history carry from now on, such as the iteration."""
        self._notes.update(columns)

    @property
    def theta(self) -> np.ndarray:
        """Where the search starts; of the shape of the kernel's ``theta`` if only that is searched."""
        return self._join(self.kernel.theta, self.criterion.theta)

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Name of the parameter behind each entry of ``theta``."""
        return (*self.kernel.theta_names, *self.criterion.theta_names)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The free parameters, as the kernel and the criterion declare them."""
        return (*self.kernel.hyperparameters, *self.criterion.hyperparameters)

    def kernel_at(self, theta: ArrayLike) -> Kernel:
        """The kernel at a point of the search."""
        return self.kernel.with_theta(self._split(theta)[0])

    def criterion_at(self, theta: ArrayLike) -> Criterion:
        """The criterion at a point of the search: with its C."""
        own = self._split(theta)[1]
        return self.criterion.with_theta(own) if own.size else self.criterion

    def starting_from(self, theta: ArrayLike) -> TuningProblem:
        """The same problem with another point to start from, and nothing remembered."""
        other = copy(self)
        other.kernel, other.criterion = self.kernel_at(theta), self.criterion_at(theta)
        other.reset()
        return other

    def _split(self, theta: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        theta = np.asarray(theta, dtype=float)
        size, own = self.kernel.theta.size, self.criterion.theta.size
        if theta.size != size + own:
            raise ValueError(f"A point of this search has {size + own} entries, got shape {theta.shape}.")
        flat = theta.ravel()
        return flat[:size].reshape(self.kernel.theta.shape), flat[size:]

    def _join(self, kernel_part: np.ndarray, own: np.ndarray) -> np.ndarray:
        return np.concatenate([kernel_part.ravel(), own]) if own.size else kernel_part

    def value(self, theta: ArrayLike) -> float:
        """The cost at ``theta``."""
        key = np.asarray(theta, dtype=float).tobytes()
        if key in self._cache:
            return self._cache[key][0]
        try:
            value = self._evaluate(theta, needs_gradient=False).value
        except DegenerateGramError as error:
            value = self._penalty(error, needs_gradient=False)
        self._record(key, theta, value, None)
        return value

    def value_and_gradient(self, theta: ArrayLike) -> tuple[float, np.ndarray]:
        """The cost at ``theta`` and its gradient, of the shape of ``self.theta``."""
        key = np.asarray(theta, dtype=float).tobytes()
        value, gradient = self._cache.get(key, (0.0, None))
        if gradient is None:
            try:
                value, W, own = self._evaluate(theta, needs_gradient=True)
                assert W is not None
                gradient = self._join(self._contract(theta, W), own)
            except DegenerateGramError as error:
                value = self._penalty(error, needs_gradient=True)
                gradient = np.zeros_like(self.theta)
            self._record(key, theta, value, gradient)
        return value, gradient

    def _evaluate(self, theta: ArrayLike, *, needs_gradient: bool) -> Evaluation:
        self.memory.report, self.memory.machines = {}, []
        K = self._gram_at(theta)
        return self.criterion_at(theta).evaluate(K, self.y, self.sample_weight, self.memory, needs_gradient)

    def _contract(self, theta: ArrayLike, W: Adjoint) -> np.ndarray:
        """Σ_ij W_ij ∂K_ij/∂θ by the kernel's parameters."""
        kernel, K = self.kernel_at(theta), self._gram_at(theta)
        if not isinstance(W, FactoredAdjoint):
            return kernel.gradient_dot(self._points, W, K=K)
        rows, columns, block = W.block()
        if not block.size:  # the criterion is constant here
            return np.zeros_like(kernel.theta)
        return kernel.gradient_dot(
            self._points[rows], block, self._points[columns], K=K[np.ix_(rows, columns)]
        )

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
        return self.criterion.is_linear and self.kernel.has_one_width

    def scale_derivatives(self, theta: ArrayLike) -> np.ndarray:
        """Score and its first three derivatives with respect to the factor s of the kernel exp(−s·D).

        The factor is the kernel's one parameter itself, not its logarithm (paper 000, Abe 2007, eq. 9). The
        adjoint of a linear criterion does not depend on K: each call costs one pass over the distances.
        """
        kernel = cast(ScaledGaussian, self.kernel_at(theta))
        derivatives = self.criterion.sign * kernel.derivatives_dot(self.X, self._linear_adjoint)
        gradient = np.array([self.criterion.sign * kernel.scale * derivatives[1]])
        key = np.asarray(theta, dtype=float).tobytes()
        self._record(key, theta, self.criterion.sign * derivatives[0], gradient)
        return derivatives

    @cached_property
    def _linear_adjoint(self) -> np.ndarray:
        return self.criterion.adjoint(np.eye(len(self.y)), self.y, self.sample_weight)

    def _gram_at(self, theta: ArrayLike) -> np.ndarray:
        """The Gram matrix of the samples and the criterion's extra points.

        The last one is kept, since a value and its gradient are often asked in turn, or C alone moves.
        """
        kernel_key = self._split(theta)[0].tobytes()
        if self._gram is None or self._gram[0] != kernel_key:
            self._gram = (kernel_key, self.kernel_at(theta)(self._points))
        return self._gram[1]

    def _record(self, key: bytes, theta: ArrayLike, value: float, gradient: np.ndarray | None) -> None:
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
        names = self.theta_names
        if len(names) <= MAX_NAMED:
            row.update(zip(names, self._own_units(theta), strict=True))
        row.update(self.memory.report)
        if self._test is not None and self.memory.machines:
            row["test_error"] = self._test.error(self.kernel_at(theta), self.memory)
        self.history.append(row)

    def _own_units(self, theta: ArrayLike) -> list[float]:
        """The parameters in the order of `theta_names`: not their logarithms, and Q as it is."""
        kernel = self.kernel_at(theta)
        Q = kernel.theta.ravel() if kernel.geometry == "spd" else np.empty(0)
        values = Q, kernel.theta_values, self.criterion_at(theta).theta_values
        return [float(value) for value in np.concatenate(values)]


__all__ = ["TuningProblem"]
