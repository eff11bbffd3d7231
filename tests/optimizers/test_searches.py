"""The general searches: compatibility, restarts, bounds, and what they say when they stop."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelwise.criteria import ESDR, InterClassDistance
from kernelwise.exceptions import BoundaryWarning, IncompatibleError
from kernelwise.kernels import KMOD, RBF, DiagonalGaussian, Gaussian, Linear, Polynomial, Sigmoid
from kernelwise.optimizers import GradientDescent, GridSearch, LineSearch, QuasiNewton, SecondOrder
from kernelwise.optimizers.gradient_searches import _line_minimum, expand_bracket, golden_section
from kernelwise.problem import TuningProblem

ALL = [SecondOrder(), GradientDescent(), QuasiNewton(), LineSearch(), GridSearch()]


class StepCount(InterClassDistance):
    """A criterion without a gradient."""

    is_differentiable = False
    is_linear = False


@pytest.mark.parametrize("optimizer", ALL, ids=lambda o: type(o).__name__)
def test_a_kernel_without_parameters_is_refused(optimizer, blobs):
    X, y = blobs
    with pytest.raises(IncompatibleError, match="Linear has no free parameter"):
        optimizer.minimize(TuningProblem(Linear(), "esdr", X, y))


@pytest.mark.parametrize("optimizer", [SecondOrder(), LineSearch()], ids=lambda o: type(o).__name__)
def test_too_many_parameters_are_refused(optimizer, blobs):
    X, y = blobs
    with pytest.raises(IncompatibleError, match="searches 1 parameter, but there are 2: gamma, sigma"):
        optimizer.minimize(TuningProblem(KMOD(), "dbtc", X, y))


def test_a_criterion_without_gradient_is_refused_by_those_who_need_one(blobs):
    X, y = blobs
    problem = TuningProblem("rbf", StepCount(), X, y)
    for optimizer in (GradientDescent(), QuasiNewton(), SecondOrder()):
        with pytest.raises(IncompatibleError, match="needs a gradient, but StepCount has none"):
            optimizer.minimize(problem)
    assert problem.n_evaluations == 0
    assert LineSearch().minimize(problem).stop_reason == "interior peak"


def test_an_end_at_a_bound_is_found_and_a_warning_if_wanted(iris01):
    problem = TuningProblem(RBF(60.0), "dbtc", *iris01, bounds={"gamma": (50.0, 100.0)})
    with pytest.warns(BoundaryWarning, match="The best gamma is the lowest of its range") as caught:
        found = QuasiNewton().minimize(problem)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = QuasiNewton().minimize(problem, warns=False)
    assert again.stop_reason == found.stop_reason == "boundary"
    assert again.diagnostics == found.diagnostics
    assert [finding.name for finding in again.diagnostics] == ["boundary"]


@pytest.mark.parametrize("kernel", ["diagonal", "gaussian", "low-rank", "kmod"])
@pytest.mark.parametrize("engine", ["lbfgsb", "golden"])
def test_quasi_newton_improves_kernels_of_many_parameters(kernel, engine, iris01):
    X, y = iris01
    problem = TuningProblem(kernel, "centered-kta", X, y)
    start = problem.value(problem.kernel.theta)
    result = QuasiNewton(engine=engine).minimize(problem)
    assert result.converged
    assert result.value < start - 0.01
    assert all(finding.severity == "info" for finding in result.diagnostics)


def test_golden_section_engine_never_lets_the_cost_rise(iris01):
    X, y = iris01
    result = QuasiNewton(engine="golden").minimize(TuningProblem("diagonal", "centered-kta", X, y))
    frame = result.history.to_frame()
    taken = frame[frame["gradient_norm"].notna()]["value"]
    assert (taken.diff().dropna() <= 0).all()


@pytest.mark.parametrize("engine", ["lbfgsb", "golden"])
def test_an_iteration_that_gains_little_is_the_last(engine, iris01):
    X, y = iris01
    problem = TuningProblem("diagonal", "centered-kta", X, y)
    longer = QuasiNewton(engine).minimize(problem)
    result = QuasiNewton(engine, min_decrease=0.005).minimize(problem)
    values = [row["value"] for row in result.history.by_iteration()]
    assert result.n_iterations < longer.n_iterations
    assert (result.stop_reason, result.value) == ("converged", pytest.approx(values[result.n_iterations]))
    gains = -np.diff(values[: result.n_iterations + 1]) / np.abs(values[: result.n_iterations])
    assert gains[-1] < 0.005
    assert len(gains) > 1
    assert gains[:-1].min() >= 0.005
    with pytest.raises(ValueError, match="'min_decrease' of QuasiNewton must not be negative"):
        QuasiNewton(min_decrease=-1.0)


def test_a_line_with_two_valleys_gives_the_lower_point_met():
    class Space:
        bounds = np.array([[-100.0, 100.0]])

        def clip(self, vector):
            return vector

        def value(self, vector):
            # Falls to 4, where doubling meets it, rises, and golden section lands in the valley at 7.
            return float(
                -2.0 * np.exp(-50.0 * (vector[0] - 4.0) ** 2)
                - np.exp(-((vector[0] - 7.0) ** 2))
                - 0.01 * min(vector[0], 4.0)
            )

    new = _line_minimum(Space(), np.zeros(1), 0.0, np.ones(1))
    assert new[0] == 4.0


def test_both_engines_and_descent_end_at_the_same_cost(iris01):
    X, y = iris01
    problem = TuningProblem(DiagonalGaussian(np.ones(4)), "centered-kta", X, y)
    first = QuasiNewton().minimize(problem).value
    assert QuasiNewton(engine="golden").minimize(problem).value == pytest.approx(first, abs=1e-6)
    with pytest.warns(ConvergenceWarning, match="stopped after 300 iterations"):
        slow = GradientDescent(max_iter=300).minimize(problem)
    assert slow.value == pytest.approx(first, abs=1e-3)
    assert slow.n_iterations > 5 * QuasiNewton().minimize(problem).n_iterations


def test_gradient_descent_with_a_fixed_rate_follows_the_plain_rule(blobs):
    X, y = blobs
    problem = TuningProblem(RBF(0.4), ESDR(), X, y)
    with pytest.warns(ConvergenceWarning, match="stopped after 3 iterations"):
        result = GradientDescent(step=0.1, is_adaptive=False, max_iter=3).minimize(problem)
    thetas = [row["theta"][0] for row in result.history]
    gradients = [problem.value_and_gradient(np.array([t]))[1][0] for t in thetas]
    rate = 0.1 / abs(gradients[0])
    for k in range(3):
        assert thetas[k + 1] == pytest.approx(thetas[k] - rate * gradients[k], rel=1e-12)


@pytest.mark.slow
def test_restarts_find_the_better_of_two_valleys():
    # Two scales of structure: tight pairs of the same class inside mixed groups, and groups far apart.
    random = np.random.default_rng(1)
    centres = random.normal(size=(40, 2)) * 3
    X = np.repeat(centres, 3, axis=0) + 0.02 * random.normal(size=(120, 2))
    y = np.repeat((centres[:, 0] > 0).astype(int), 3)
    problem = TuningProblem(RBF(1e4), "centered-kta", X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = QuasiNewton().minimize(problem)
        together = QuasiNewton(n_restarts=20, random_state=0).minimize(problem)
        again = QuasiNewton(n_restarts=20, random_state=0).minimize(problem)
    assert together.value <= alone.value
    assert together.value == again.value
    assert set(together.history.to_frame()["start"]) == set(range(21))


def test_line_search_finds_the_global_peak_among_two():
    random = np.random.default_rng(0)
    centres = random.normal(size=(30, 2)) * 10
    labels = np.arange(30) % 2
    X = np.repeat(centres, 4, axis=0) + 0.05 * random.normal(size=(120, 2))
    y = np.repeat(labels, 4)
    problem = TuningProblem("rbf", "polarization", X, y)
    best = LineSearch().minimize(problem)
    widths = np.exp(np.linspace(*problem.bounds[0], 2000))
    values = [problem.value(np.log([gamma])) for gamma in widths]
    assert best.value <= min(values) + 1e-9 * abs(min(values))


def test_an_optimum_on_the_edge_is_said(blobs):
    X, y = blobs
    bounds = {"gamma": (10.0, 20.0)}
    for optimizer in (QuasiNewton(), LineSearch()):
        with pytest.warns(BoundaryWarning, match="best gamma is the lowest of its range"):
            result = optimizer.minimize(TuningProblem(RBF(15.0), "dbtc", X, y, bounds=bounds))
        assert result.kernel.gamma == pytest.approx(10.0)
        assert "boundary" in [finding.name for finding in result.diagnostics]


def test_esdr_that_rises_to_its_input_space_value_is_called_a_plateau():
    X = np.array([[0.0], [0.1], [1.0], [1.1]])
    with pytest.warns(BoundaryWarning):
        result = LineSearch().minimize(TuningProblem("rbf", "esdr", X, [0, 0, 1, 1]))
    assert result.stop_reason in ("plateau", "boundary")
    assert not result.converged


def test_grid_search_takes_values_in_the_parameters_own_units(blobs):
    X, y = blobs
    grid = GridSearch({"gamma": [0.1, 1.0, 10.0], "sigma": [0.5, 2.0]})
    result = grid.minimize(TuningProblem(KMOD(), "dbtc", X, y))
    assert result.n_evaluations == 6
    assert np.isclose(result.kernel.gamma, [0.1, 1.0, 10.0]).any()
    assert result.value == min(row["value"] for row in result.history)
    with pytest.raises(ValueError, match="KMOD has no free parameter 'width'; it has gamma, sigma"):
        GridSearch({"width": [1.0]}).minimize(TuningProblem(KMOD(), "dbtc", X, y))
    with pytest.raises(ValueError, match="in the grid must be positive"):
        GridSearch({"gamma": [0.0]}).minimize(TuningProblem(KMOD(), "dbtc", X, y))
    with pytest.raises(ValueError, match="The grid has 5904900000 points"):
        GridSearch(n_points=90).minimize(
            TuningProblem(DiagonalGaussian(np.ones(5)), "dbtc", np.c_[X, X[:, :1]], y)
        )


def test_a_search_turns_back_where_the_criterion_is_undefined(iris01):
    X, y = iris01
    bounds = {"gamma": (1e-30, 1e2), "coef0": (0.5, 2.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = GridSearch(n_points=5).minimize(
            TuningProblem(Polynomial(3), "centered-kta", X, y, bounds=bounds)
        )
    assert "undefined" in [finding.name for finding in result.diagnostics]
    assert -1 <= result.value < 0


def test_golden_section_and_bracket_find_a_minimum():
    def f(x):
        return (x - 3.3) ** 2 + 1.0

    low, high = expand_bracket(f, f(0.0), 0.1, 100.0)
    assert low < 3.3 < high
    x, value = golden_section(f, low, high, tol=1e-9)
    assert x == pytest.approx(3.3, abs=1e-6)
    assert value == f(x)
    assert expand_bracket(lambda x: -x, 0.0, 0.1, 5.0)[1] == 5.0


def test_a_grid_leaves_what_it_does_not_name_and_takes_values_below_zero(blobs):
    problem = TuningProblem(Sigmoid(0.1, 0.5), InterClassDistance(), *blobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = GridSearch({"coef0": [-1.0, 0.0, 1.0]}).minimize(problem).kernel
    costs = {c: problem.value(problem.kernel.with_theta([np.log(0.1), c]).theta) for c in (-1.0, 0.0, 1.0)}
    assert best.gamma == pytest.approx(0.1)
    assert best.coef0 == min(costs, key=costs.get)


def test_a_grid_takes_no_names_for_a_matrix(blobs):
    problem = TuningProblem(Gaussian(np.eye(4)), InterClassDistance(), *blobs)
    with pytest.raises(ValueError, match="GridSearch takes no named values for Gaussian"):
        GridSearch({"Q": [1.0]}).minimize(problem)


def test_golden_steps_end_at_the_limit(blobs):
    problem = TuningProblem(DiagonalGaussian(np.full(4, 0.1)), ESDR(), *blobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = QuasiNewton(engine="golden", max_iter=1, tol=1e-12, n_restarts=0).minimize(problem)
    assert (result.stop_reason, result.n_iterations) == ("max_iter", 1)
