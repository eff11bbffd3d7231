"""Descent on the manifold: its iterates, its steps, its gradient, and what keeps it inside bounds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import expm, sqrtm
from sklearn.exceptions import ConvergenceWarning

from kernelwise.criteria import KernelTargetAlignment, RegularizedMargin
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian, Hyperparameter, LowRankGaussian
from kernelwise.optimizers import ManifoldDescent, QuasiNewton
from kernelwise.optimizers.manifold_descent import METHODS, ConstantNorm, ConstantTrace
from kernelwise.optimizers.manifold_search import BoundedSPD, Box, PapersBox, PapersSPD, RaySearch, Search
from kernelwise.problem import TuningProblem
from kernelwise.testing import central_difference, check_optimizer

CRITERIA = ("centered-kta", "dbtc", "esdr", "regularized-margin")
MACHINES = ("radius-margin", "validation-error", "cv-error")
KERNELS = ("gaussian", "diagonal", "low-rank")


class AlignmentAndC(KernelTargetAlignment):
    """A criterion with a parameter of its own, best at C = e."""

    hyperparameters = (Hyperparameter("C", (1e-3, 1e6)),)

    def __init__(self, C=1.0):
        super().__init__(centered=True)
        self.C = C

    def evaluate(self, K, y, sample_weight=None, memory=None, needs_gradient=True):
        found = super().evaluate(K, y, sample_weight, memory, needs_gradient)
        away = np.log(self.C) - 1.0
        return found._replace(value=found.value + away**2, theta_gradient=np.array([2.0 * away]))


def minimize(optimizer, problem):
    """The result; methods that are slow by nature may say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return optimizer.minimize(problem)


def taken(result):
    """Costs of the points that a line search went to: gradients are asked for nowhere else."""
    return [row["value"] for row in result.history if np.isfinite(row["gradient_norm"])]


def metric(kernel):
    """Q of a kernel of the family."""
    if isinstance(kernel, Gaussian):
        return kernel.Q
    return np.diag(kernel.q) if isinstance(kernel, DiagonalGaussian) else kernel.A.T @ kernel.A


@pytest.fixture
def Q():
    A = np.random.default_rng(3).normal(size=(4, 4))
    return A @ A.T + 0.5 * np.eye(4)


@pytest.fixture
def T():
    B = np.random.default_rng(4).normal(size=(4, 4))
    return B + B.T


@pytest.mark.parametrize("method", METHODS)
def test_contract(method):
    check_optimizer(ManifoldDescent(method))


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", METHODS)
def test_iterates_are_positive_definite_and_the_cost_never_rises(method, kernel, turn, blobs):
    X, y = blobs
    # Two of the criteria for every method and kernel, and every criterion with each of both.
    place = list(METHODS).index(method) + KERNELS.index(kernel) + 2 * turn
    criterion = CRITERIA[place % len(CRITERIA)]
    problem = TuningProblem(kernel, criterion, X, y)
    result = minimize(ManifoldDescent(method, max_iter=25), problem)
    assert result.value < problem.value(problem.theta)
    for row in result.history:
        Q = metric(problem.kernel_at(row["theta"]))
        np.testing.assert_array_equal(Q, Q.T)
        if kernel != "low-rank":
            assert np.linalg.eigvalsh(Q)[0] > 0
    if method != "trust-region":  # whose iterations may end in a step that is not taken
        assert (np.diff(taken(result)) <= 0).all()
        assert len(taken(result)) > 2


@pytest.mark.parametrize("criterion", MACHINES)
@pytest.mark.parametrize("kernel", ["gaussian", "diagonal"])
def test_criteria_that_train_machines_search_C_beside_the_metric(kernel, criterion, blobs):
    X, y = blobs
    problem = TuningProblem(kernel, criterion, X, y)
    start = problem.value(problem.theta)
    result = minimize(ManifoldDescent(max_iter=4), problem)
    assert result.value < start
    assert result.criterion.C != problem.criterion.C
    assert (np.diff(taken(result)) <= 0).all()
    assert np.linalg.eigvalsh(metric(result.kernel))[0] > 0


@pytest.mark.parametrize("kernel", ["gaussian", "diagonal"])
def test_conjugate_gradients_and_trust_regions_end_where_quasi_newton_does(kernel, blobs):
    X, y = blobs
    problem = TuningProblem(kernel, RegularizedMargin(2.0, 0.1), X, y)
    reference = QuasiNewton().minimize(problem)
    for method in ("conjugate-gradient", "trust-region"):
        result = ManifoldDescent(method).minimize(problem)
        assert result.converged
        assert result.value == pytest.approx(reference.value, rel=1e-6)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", ["riemannian", "paper"])
def test_gradient_in_the_tangent_space_matches_central_differences(method, kernel, criterion, blobs):
    X, y = blobs
    constant_trace = (KERNELS.index(kernel) + CRITERIA.index(criterion)) % 2 == 1
    problem = TuningProblem(kernel, criterion, X, y)
    problem.value(problem.theta)
    search = Search(problem, ManifoldDescent(method, constant_trace))
    random = np.random.default_rng(0)
    point = search.to_point(problem.theta)
    point = search.manifold.retraction(point, 0.3 * tangent(search, point, random))
    gradient = search.riemannian_gradient(point)
    slopes, numeric = [], []
    for _ in range(6):
        direction = tangent(search, point, random)
        slopes.append(search.manifold.inner_product(point, gradient, direction))
        numeric.append(
            central_difference(
                lambda t, d=direction: search.cost(search.manifold.retraction(point, float(t[0]) * d)),
                np.zeros(1),
                1e-5,
            )[0]
        )
    error = np.abs(np.array(slopes) - numeric).max()
    assert error <= 1e-6 * max(np.abs(slopes).max(), abs(search.cost(point)) * 1e-2)


def tangent(search, point, random):
    """A random tangent vector of length 1."""
    first = random.normal(size=point[0].shape)
    first = first + first.T if search.problem.kernel.geometry == "spd" else first
    vector = search.manifold.to_tangent_space(point, [first])
    return vector / search.manifold.norm(point, vector)


def test_exponential_map_is_the_papers(Q, T):
    manifold = BoundedSPD(4, 1e-8, 1e8, 1e-12)
    root = np.real(sqrtm(Q))
    inverse = np.linalg.inv(root)
    expected = root @ expm(inverse @ T @ inverse) @ root
    np.testing.assert_allclose(manifold.exp(Q, T), expected, rtol=1e-10)


def test_transport_keeps_lengths_and_follows_geodesics(Q, T):
    manifold = BoundedSPD(4, 1e-8, 1e8, 1e-12)
    T = 0.2 * T
    there = manifold.exp(Q, T)
    moved = manifold.transport(Q, there, T)
    assert manifold.norm(there, moved) == pytest.approx(manifold.norm(Q, T), rel=1e-10)
    np.testing.assert_allclose(manifold.exp(there, moved), manifold.exp(Q, 2.0 * T), rtol=1e-8)


def test_the_papers_step_has_the_gradient_itself_in_the_exponential_map(Q, T):
    spd = PapersSPD(4, 1e-8, 1e8, 1e-12)
    np.testing.assert_allclose(spd.euclidean_to_riemannian_gradient(Q, T), T, rtol=1e-14)
    q = np.array([0.5, 2.0, 3.0])
    by_q = np.array([0.3, -0.2, 0.1])
    box = PapersBox(np.log([[1e-6, 1e6]] * 3))
    step = box.euclidean_to_riemannian_gradient(np.log(q), q * by_q)
    moved = np.exp(box.exp(np.log(q), -0.7 * step))
    full = PapersSPD(3, 1e-8, 1e8, 1e-12)
    np.testing.assert_allclose(np.diag(moved), full.exp(np.diag(q), -0.7 * np.diag(by_q)), atol=1e-14)


def test_the_riemannian_gradient_is_Q_times_gradient_times_Q(Q, T):
    manifold = BoundedSPD(4, 1e-8, 1e8, 1e-12)
    np.testing.assert_allclose(manifold.euclidean_to_riemannian_gradient(Q, T), Q @ T @ Q, rtol=1e-12)


def test_eigenvalues_keep_their_floor_and_bounds(Q, T):
    manifold = BoundedSPD(4, 1e-3, 10.0, 0.1)
    values = np.linalg.eigvalsh(manifold.exp(Q, 100.0 * T))
    assert values[-1] <= 10.0 * (1 + 1e-12)
    assert values[0] >= 0.1 * values[-1] * (1 - 1e-12)
    box = Box(np.log([[1e-3, 10.0]] * 3), floor=0.1)
    q = np.exp(box.exp(np.zeros(3), np.array([5.0, -5.0, 0.0])))
    np.testing.assert_allclose(q, [10.0, 1.0, 1.0])


def test_at_the_floor_what_would_leave_it_is_not_in_the_gradient():
    # f = log-eigenvalues' sum: all should fall, and the largest lifts the smallest with it.
    Q = np.diag([1.0, 3.0, 10.0])
    manifold = BoundedSPD(3, 1e-6, 1e6, 0.1)
    gradient = manifold.euclidean_to_riemannian_gradient(Q, np.diag(1.0 / np.diag(Q)))
    np.testing.assert_allclose(np.diag(gradient) / np.diag(Q), [0.0, 1.0, 2.0], rtol=1e-12)
    box = Box(np.log([[1e-6, 1e6]] * 3), 0.1)
    inward = box.euclidean_to_riemannian_gradient(np.log(np.diag(Q)), np.ones(3))
    np.testing.assert_allclose(inward, [0, 1, 2])


@pytest.mark.parametrize("kernel", ["gaussian", "diagonal"])
def test_the_floor_is_kept_by_every_iterate(kernel, iris01):
    X, y = iris01
    problem = TuningProblem(kernel, "centered-kta", X, y)
    result = minimize(ManifoldDescent(floor=0.05, max_iter=40), problem)
    ratios = []
    for row in result.history:
        values = np.linalg.eigvalsh(metric(problem.kernel_at(row["theta"])))
        ratios.append(values[0] / values[-1])
    assert min(ratios) >= 0.05 * (1 - 1e-8)
    assert min(ratios) <= 0.05 * (1 + 1e-8)  # the data ask for less


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", METHODS)
def test_constant_trace_is_kept_and_still_improves(method, kernel, blobs):
    X, y = blobs
    problem = TuningProblem(kernel, "centered-kta", X, y)
    trace = np.trace(metric(problem.kernel))
    result = minimize(ManifoldDescent(method, constant_trace=True, max_iter=20, n_restarts=1), problem)
    for row in result.history:
        assert np.trace(metric(problem.kernel_at(row["theta"]))) == pytest.approx(trace, rel=1e-10)
    assert result.value < problem.value(problem.theta)


def test_constant_trace_needs_a_metric(blobs):
    X, y = blobs
    with pytest.raises(IncompatibleError, match="needs a kernel with a metric, but RBF has none"):
        ManifoldDescent(constant_trace=True).minimize(TuningProblem("rbf", "dbtc", X, y))


@pytest.mark.parametrize("kernel", [Gaussian(np.diag([1.0, 2.0])), DiagonalGaussian([1.0, 2.0])])
def test_pulled_back_gradient_has_no_part_along_the_scale(kernel):
    trace = ConstantTrace(kernel)
    random = np.random.default_rng(0)
    target = random.normal(size=kernel.theta.shape)
    theta = kernel.theta + np.eye(2) if kernel.theta.ndim == 2 else kernel.theta + np.array([0.3, -0.1])

    def cost(at):
        return float(np.vdot(target, trace.rescale(at)))

    gradient = trace.pull_back(theta, target)
    np.testing.assert_allclose(gradient, central_difference(cost, theta), rtol=1e-7, atol=1e-9)


def test_low_rank_metrics_keep_their_rank_under_constant_trace():
    kernel = LowRankGaussian([[1.0, 2.0, 0.0]])
    assert np.vdot(*[ConstantTrace(kernel).rescale(np.array([2.0, 1.0, 1.0]))] * 2) == pytest.approx(5.0)


def test_restarts_and_their_best_are_reproducible(blobs):
    X, y = blobs
    problem = TuningProblem("gaussian", "centered-kta", X, y)
    runs = [minimize(ManifoldDescent(n_restarts=2, max_iter=10, random_state=5), problem) for _ in range(2)]
    assert runs[0].value == runs[1].value
    assert {row["start"] for row in runs[0].history} == {0, 1, 2}
    assert runs[0].value == min(row["value"] for row in runs[0].history)


def test_an_early_stop_is_said(blobs):
    X, y = blobs
    with pytest.warns(ConvergenceWarning, match="stopped after 3 iterations before it converged"):
        result = ManifoldDescent("riemannian", max_iter=3).minimize(TuningProblem("gaussian", "dbtc", X, y))
    assert (result.stop_reason, result.n_iterations, result.converged) == ("max_iter", 3, False)


@pytest.mark.parametrize("slope", [0.01, 1.0, 100.0])
def test_ray_search_lowers_the_cost_whatever_the_first_step(slope):
    box = Box(np.array([[-1e3, 1e3]]))
    counted = []
    searcher = RaySearch(lambda: counted.append(1), 1.0)
    x, d = np.array([1.0]), np.array([-slope])
    step, there = searcher.search(lambda p: float(p[0] ** 2), box, x, d, 1.0, -2.0 * slope)
    assert counted == [1]
    assert there[0] ** 2 < 0.2
    assert step == pytest.approx(abs(there[0] - 1.0))
    assert searcher.search(lambda p: 1.0, box, x, d, 1.0, -2.0 * slope)[0] == 0.0


def test_parameters_out_of_their_domain_are_refused():
    with pytest.raises(ValueError, match="'method' of ManifoldDescent must be one of"):
        ManifoldDescent("newton")
    with pytest.raises(ValueError, match="'floor' of ManifoldDescent must be between 0 and 1, got 2"):
        ManifoldDescent(floor=2)


def test_a_flat_kernel_has_its_own_parameters_only(blobs):
    X, y = blobs
    result = ManifoldDescent().minimize(TuningProblem(RBF(0.3), "dbtc", X, y))
    assert result.kernel.gamma == pytest.approx(
        QuasiNewton().minimize(TuningProblem(RBF(0.3), "dbtc", X, y)).kernel.gamma, rel=1e-3
    )


@pytest.mark.parametrize("kernel", ["rbf", *KERNELS])
@pytest.mark.parametrize("method", METHODS)
def test_parameters_of_the_criterion_move_beside_the_kernels(method, kernel, blobs):
    X, y = blobs
    result = minimize(ManifoldDescent(method, max_iter=40), TuningProblem(kernel, AlignmentAndC(), X, y))
    # From C = 1; plain descent comes this far in 40 iterations, the others further.
    assert abs(np.log(result.criterion.C) - 1.0) < (0.1 if method in ("riemannian", "paper") else 0.02)
    assert result.theta.size == result.kernel.theta.size + 1


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 4.0])
def test_the_norm_of_the_scales_stays(p, blobs):
    X, y = blobs
    start = DiagonalGaussian(np.linspace(0.2, 0.8, X.shape[1]))
    problem = TuningProblem(start, RegularizedMargin(2.0, 0.0), X, y)
    result = minimize(ManifoldDescent(scales_norm=p, max_iter=10), problem)
    norms = [np.sum(np.asarray(kernel.q) ** (p / 2)) for kernel in (start, result.kernel)]
    assert norms[1] == pytest.approx(norms[0], rel=1e-9)
    assert result.value < problem.value(problem.theta)


def test_the_euclidean_norm_of_the_scales_is_the_trace(blobs):
    X, y = blobs
    problem = TuningProblem("diagonal", RegularizedMargin(2.0, 0.0), X, y)
    by_norm = minimize(ManifoldDescent(scales_norm=2.0, max_iter=8), problem)
    by_trace = minimize(ManifoldDescent(constant_trace=True, max_iter=8), problem)
    np.testing.assert_allclose(by_norm.kernel.q, by_trace.kernel.q, rtol=1e-9)


def test_gradients_along_a_norm_are_those_of_differences():
    random = np.random.default_rng(5)
    size = ConstantNorm(DiagonalGaussian([0.3, 1.0, 2.0]), 0.7)
    theta, target, step = random.normal(size=3), random.normal(size=3), 1e-6

    def cost(t):
        return np.sum((size.rescale(t) - target) ** 2)

    gradient = size.pull_back(theta, 2.0 * (size.rescale(theta) - target))
    expected = [(cost(theta + step * e) - cost(theta - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)


def test_a_norm_of_scales_needs_weights_and_no_trace():
    with pytest.raises(ValueError, match="the trace or a norm of the scales, not both"):
        ManifoldDescent(constant_trace=True, scales_norm=1.0)
    with pytest.raises(IncompatibleError, match="a weight for each feature, but Gaussian has none"):
        ConstantNorm(Gaussian(np.eye(2)), 1.0)
