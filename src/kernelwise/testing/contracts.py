"""The contracts of a kernel, of a criterion and of an optimizer."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone

from kernelwise._core.typing import MatrixLike
from kernelwise.criteria import Criterion, InterClassDistance, MachineCriterion
from kernelwise.kernels import RBF, Kernel
from kernelwise.kernels.distances import DISTANCES_OF, base_array
from kernelwise.optimizers import Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.testing.gradients import (
    assert_close,
    assert_gradient,
    central_difference,
    extrapolated_difference,
)


def check_kernel(
    kernel: Kernel, X: MatrixLike | None = None, y: ArrayLike | None = None, *, random_state: int = 0
) -> None:
    """Raise AssertionError unless a kernel keeps the contract of :class:`~kernelwise.kernels.Kernel`.

    Parameters
    ----------
    kernel : Kernel
        Your own, with or without data-dependent parameters: ``kernel.initialize(X, y)`` is called first.
        Sparse samples are left out if it says ``takes_sparse = False``.
    X : array of shape (n_samples, n_features), default=None
        At least 8 samples of two classes; made up when None.
    y : array of shape (n_samples,), default=None
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.testing import check_kernel
    >>> check_kernel(RBF())

    A matrix that is not symmetric is found out:

    >>> class Skew(RBF):
    ...     def _gram(self, X, Y):
    ...         return super()._gram(X, Y) + X[:, :1]
    >>> try:
    ...     check_kernel(Skew())
    ... except AssertionError as error:
    ...     print(str(error).split(":")[0])
    kernel(X) is not symmetric
    """
    random = np.random.default_rng(random_state)
    if X is None:
        X = random.normal(size=(24, 5)) + 1.0
        y = np.repeat([0, 1], 12)
    before = repr(kernel.get_params())
    fitted = kernel.initialize(X, y)
    after = repr(kernel.get_params())
    assert after == before, f"initialize changed the kernel it was called on: {before} became {after}."
    X = np.asarray(X, dtype=float)
    _check_values(fitted, X)
    _check_answers(fitted, X)
    _check_parameters(fitted, X)
    _check_gradients(fitted, X, random)


def _check_values(kernel: Kernel, X: np.ndarray) -> None:
    K = kernel(X)
    assert K.shape == (len(X), len(X)), f"kernel(X) of {len(X)} samples has shape {K.shape}."
    assert_close(K, K.T, "kernel(X) is not symmetric", rtol=0.0)
    assert_close(kernel(X, X.copy()), K, "kernel(X, Y) is not kernel(X) for an equal Y", 1e-10, 1e-12)
    assert_close(kernel(X, X[:3]), K[:, :3], "kernel(X, Y) is not a block of kernel(X)", 1e-10, 1e-12)
    assert_close(kernel.diagonal(X), K.diagonal(), "diagonal(X) is not the diagonal of kernel(X)")
    single = kernel(X.astype(np.float32))
    assert single.dtype == np.float32, (
        f"float32 samples should give a float32 Gram matrix, not {single.dtype}."
    )
    assert_close(single, K, "float32 samples have other kernel values", 1e-3, 1e-4)
    if kernel.takes_sparse:
        for make in (sparse.csr_matrix, sparse.csr_array):
            assert_close(
                _of_sparse(kernel, make(X)), K, "sparse samples have other kernel values", 1e-9, 1e-10
            )


def _of_sparse(kernel: Kernel, *arguments: Any) -> np.ndarray:
    """Kernel values of sparse samples, or the gradient if there are weights."""
    try:
        return kernel(*arguments) if len(arguments) == 1 else kernel.gradient_dot(*arguments)
    except Exception as error:
        raise AssertionError(
            f"{type(kernel).__name__} fails on a CSR matrix ({type(error).__name__}: {error}). "
            "Sparse samples are part of the contract unless the class says takes_sparse = False."
        ) from error


def _check_answers(kernel: Kernel, X: np.ndarray) -> None:
    """What a kernel says of itself (its map, its base, its metric) must be what its values show."""
    K, L = kernel(X), kernel.linear_map(X.shape[1])
    same = partial(assert_close, rtol=1e-9, atol=1e-12)
    by_map = X if L is None else X * L if L.ndim == 1 else X @ L
    same(by_map, kernel.transform(X), "linear_map is not the map of transform")
    if kernel.gram_base is not None:
        base = base_array(kernel.gram_base, X)
        same(kernel.profile(base), K, f"profile of {kernel.gram_base} is not kernel(X)")
    if kernel.distance is not None:
        D = kernel.distances(X)
        same(np.exp(-kernel.scale * D), K, "kernel(X) is not exp(−scale·D)")
        same(DISTANCES_OF[kernel.distance](kernel.transform(X)), D, f"distances are not {kernel.distance}")
    if kernel.is_gaussian:
        Q = kernel.metric(X.shape[1])
        differences = X[:, None] - X
        D = np.einsum("ijk,kl,ijl->ij", differences, Q, differences)
        same(np.exp(-0.5 * D), K, "metric is not that of kernel(X)")


def _check_parameters(kernel: Kernel, X: np.ndarray) -> None:
    theta, names = kernel.theta, kernel.theta_names
    assert theta.size == len(names), f"theta has {theta.size} entries and theta_names {len(names)}."
    moved = kernel.with_theta(theta * 1.01)
    assert_close(kernel.theta, theta, "with_theta changed the kernel it was called on", rtol=0.0)
    assert_close(moved.theta, theta * 1.01, "with_theta(theta).theta is not that theta")
    copies = {
        "clone(kernel)": clone(kernel),
        "a pickled kernel": pickle.loads(pickle.dumps(kernel)),
        "a kernel with the same parameters": type(kernel)(**kernel.get_params()),
    }
    for what, copy in copies.items():
        assert copy is not kernel, f"{what} is the kernel itself, not a copy."
        assert copy == kernel, f"{what} is not equal to the kernel: {copy!r}, expected {kernel!r}."
        assert_close(copy(X), kernel(X), f"{what} has other values", rtol=0.0)
    assert (moved == kernel) == (theta.size == 0), f"{moved!r} counts as equal to {kernel!r}."
    name = type(kernel).__name__
    assert name in repr(kernel), f"repr(kernel) does not have the name {name}: {kernel!r}."
    if kernel.geometry == "euclidean":
        bounds = kernel.bounds
        assert bounds.shape == (theta.size, 2), (
            f"bounds has shape {bounds.shape}, expected {(theta.size, 2)}."
        )
        for entry, (low, high), own in zip(theta, bounds, names, strict=True):
            inside = low <= entry <= high
            assert inside, f"theta of {own!r} is {entry:.6g}, outside its bounds {low:.6g} and {high:.6g}."


def _check_gradients(kernel: Kernel, X: np.ndarray, random: np.random.Generator) -> None:
    for Y in (None, X[: len(X) // 3] + 0.5):
        W = random.normal(size=(len(X), len(X) if Y is None else len(Y)))
        K = kernel(X, Y)
        gradient = kernel.gradient_dot(X, W, Y)
        shape, expected = gradient.shape, kernel.theta.shape
        assert shape == expected, f"gradient_dot has shape {shape}, and theta has {expected}."

        def contracted(theta: np.ndarray, Y: np.ndarray | None = Y, W: np.ndarray = W) -> float:
            return float(np.vdot(W, kernel.with_theta(theta)(X, Y)))

        numeric = central_difference(contracted, kernel.theta)
        assert_gradient(gradient, numeric, float(np.abs(W * K).sum()))
        given = kernel.gradient_dot(X, W, Y, K=K)
        assert_close(given, gradient, "gradient_dot with K= gives another gradient", 1e-9, 1e-12)
        if kernel.takes_sparse:
            sparse_Y = None if Y is None else sparse.csr_array(Y)
            found = _of_sparse(kernel, sparse.csr_array(X), W, sparse_Y)
            assert_close(found, gradient, "sparse samples have another gradient", 1e-8, 1e-10)


def check_criterion(criterion: Criterion, *, n_classes: int = 2, random_state: int = 0) -> None:
    """Raise AssertionError unless a criterion keeps the contract of :class:`~kernelwise.criteria.Criterion`.

    Parameters
    ----------
    criterion : Criterion
        Derivatives are looked at if it says ``is_differentiable``. If it trains machines, to a tolerance of
        1e-12: the steps of the differences must be large beside it, and so small that the same support
        vectors stay free.
    n_classes : int, default=2
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.criteria import ESDR, Margin
    >>> from kernelwise.testing import check_criterion
    >>> check_criterion(ESDR(), n_classes=3)
    >>> check_criterion(Margin(tol=1e-12))
    """
    random = np.random.default_rng(random_state)
    n = 8 * n_classes
    extra = criterion.extra_points(3)
    n_rows = n + (0 if extra is None else extra.shape[0])
    A = random.normal(size=(n_rows, n_rows + 2))
    # Far from singular, so that it stays positive definite when the differences move it.
    K = A @ A.T / n_rows + is_trained(criterion) * np.eye(n_rows)
    y = np.array([f"class {k % n_classes}" for k in range(n)])
    weights = random.uniform(0.5, 2.0, size=n)
    for w in (None, weights):
        _check_sign(criterion, K, y, w)
        if criterion.is_differentiable:
            _check_adjoint(criterion, K, y, w, random)
            _check_own_parameters(criterion, K, y, w)
    _check_names_and_weights(criterion, K, y)
    if not criterion.is_held_out:
        _check_order_and_repeats(criterion, K, y, random)


def is_trained(criterion: Criterion) -> bool:
    """Whether values are right to a solver's tolerance only."""
    return isinstance(criterion, MachineCriterion)


def _precision(criterion: Criterion) -> tuple[float, float]:
    """Step of differences and their allowed relative error."""
    return (1e-5, 1e-5) if is_trained(criterion) else (1e-6, 1e-6)


def _check_sign(criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
    expected = criterion.sign * criterion.score(K, y, w)
    assert_close(criterion.value(K, y, w), expected, "value is not sign · score")


def _check_adjoint(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None, random: np.random.Generator
) -> None:
    assert type(criterion).value_and_adjoint is not Criterion.value_and_adjoint, (
        f"{type(criterion).__name__} has is_differentiable = True but no value_and_adjoint. Write it, or set "
        "is_differentiable = False."
    )
    value, W = criterion.value_and_adjoint(K, y, w)
    assert_close(value, criterion.value(K, y, w), "value and value_and_adjoint differ in the cost", rtol=0.0)
    assert_close(criterion.adjoint(K, y, w), W, "adjoint and value_and_adjoint differ in W", rtol=0.0)
    assert np.shape(W) == K.shape, f"W has shape {np.shape(W)}, and K has {K.shape}."
    assert_close(W, W.T, "W = ∂cost/∂K is not symmetric", rtol=1e-12, atol=1e-15)
    step, rtol = _precision(criterion)
    directions = [D + D.T for D in random.normal(size=(6, *K.shape))]
    slopes = np.array([np.vdot(W, D) for D in directions])
    difference = extrapolated_difference if is_trained(criterion) else central_difference

    def moved(lengths: np.ndarray) -> float:
        return criterion.value(K + np.tensordot(lengths, directions, 1), y, w)

    assert_gradient(slopes, difference(moved, np.zeros(6), step), value, step, rtol)


def _check_own_parameters(criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
    """The derivative by the criterion's own parameters, such as log C."""
    gradient = criterion.evaluate(K, y, w).theta_gradient
    assert gradient.shape == criterion.theta.shape, (
        f"theta_gradient of evaluate has shape {gradient.shape}, and theta has {criterion.theta.shape}."
    )
    step, rtol = _precision(criterion)
    numeric = extrapolated_difference(
        lambda theta: criterion.with_theta(theta).value(K, y, w), criterion.theta, step
    )
    assert_gradient(gradient, numeric, criterion.value(K, y, w), step, rtol)


def _check_names_and_weights(criterion: Criterion, K: np.ndarray, y: np.ndarray) -> None:
    value, rtol = criterion.value(K, y), 1e-4 * _precision(criterion)[1]
    renamed = np.array([{"class 0": 7}.get(label, -int(label[-1])) for label in y])
    assert_close(criterion.value(K, renamed), value, "the names of the classes matter", rtol, 1e-8)
    ones = criterion.value(K, y, np.ones(len(y)))
    assert_close(ones, value, "weights of 1 are not the same as no weights", 1e-12, 1e-8)


def _check_order_and_repeats(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> None:
    value, rtol = criterion.value(K, y), 1e-4 * _precision(criterion)[1]
    extra = np.arange(len(y), len(K))
    order = random.permutation(len(y))
    rows = np.concatenate([order, extra])
    shuffled = criterion.value(K[np.ix_(rows, rows)], y[order])
    assert_close(shuffled, value, "the order of the samples matters", rtol, 1e-8)
    repeats = random.integers(1, 4, size=len(y))
    members = np.repeat(np.arange(len(y)), repeats)
    rows = np.concatenate([members, extra])
    repeated = criterion.value(K[np.ix_(rows, rows)], y[members])
    weighted = criterion.value(K, y, repeats)
    assert_close(weighted, repeated, "a weight of 2 is not a repeated row", rtol, 1e-8)


def check_optimizer(optimizer: Optimizer, *, rtol: float = 1e-3, random_state: int = 0) -> None:
    """Raise AssertionError unless an optimizer finds a known peak and keeps the contract of Optimizer.

    The task is the width of an RBF kernel that maximises the distance between the centres of two blobs,
    which has one peak; the reference is a grid, and a finer one around its best width.

    Parameters
    ----------
    optimizer : Optimizer
    rtol : float, default=1e-3
        Allowed relative distance of the width from the peak. Give a grid search its spacing.
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.testing import check_optimizer
    >>> check_optimizer(LineSearch())
    """
    random = np.random.default_rng(random_state)
    X = np.concatenate([random.normal(size=(30, 3)), random.normal(size=(30, 3)) + 2.0])
    y = np.repeat(["a", "b"], 30)
    problem = TuningProblem(RBF(gamma=0.3), InterClassDistance(), X, y)
    start = problem.value(problem.kernel.theta)
    coarse, step = np.linspace(np.log(1e-3), np.log(1e2), 201, retstep=True)
    near = min(coarse, key=lambda point: problem.value(np.array([point])))
    fine = near + np.linspace(-step, step, 101)
    peak = float(np.exp(min(fine, key=lambda point: problem.value(np.array([point])))))

    parameters = repr(optimizer)
    first, second = optimizer.minimize(problem), optimizer.minimize(problem)
    after = repr(optimizer)
    assert after == parameters, f"minimize changed the optimizer: {parameters} became {after}."
    kernel = problem.kernel
    assert kernel == RBF(gamma=0.3), f"minimize changed the kernel of the problem to {kernel!r}."
    width = float(np.exp(first.theta[0]))
    assert_close(width, peak, "the width found is not that of the peak, 'gamma'", rtol=max(rtol, 3e-3))
    assert first.value <= start, (
        f"the cost found, {first.value:.6g}, is above that of the start, {start:.6g}."
    )
    assert_close(second.value, first.value, "a second call finds another cost", rtol=0.0)
    assert_close(second.theta, first.theta, "a second call finds another theta", rtol=0.0)
    _check_history(first)
    _check_history(second)
    assert first.converged, (
        "the optimizer did not converge on a smooth problem with one peak; its stop_reason is "
        f"{first.stop_reason!r}."
    )


def _check_history(result: TuningResult) -> None:
    n_rows, n_evaluations = len(result.history), result.n_evaluations
    assert n_rows == n_evaluations, f"the history has {n_rows} rows for {n_evaluations} evaluations."
    lowest = min(row["value"] for row in result.history)
    assert_close(result.value, lowest, "the result is not the lowest cost of its history")
    assert_close(result.score, -result.value, "the score is not the cost with its sign changed", rtol=0.0)
