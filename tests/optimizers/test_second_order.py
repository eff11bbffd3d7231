"""Paper 000's second-order step."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.criteria import InterClassDistance
from kernelwise.datasets import load
from kernelwise.exceptions import BoundaryWarning, IncompatibleError
from kernelwise.kernels import RBF, Mahalanobis
from kernelwise.optimizers import LineSearch, SecondOrder
from kernelwise.optimizers.one_parameter import second_order_step
from kernelwise.problem import TuningProblem
from kernelwise.testing import central_difference


@pytest.mark.parametrize(("label", "gamma"), [(0, 11.7197), (1, 24.3902), (2, 9.3367)])
def test_iris_one_against_all_gives_the_checked_widths(label, gamma, iris01):
    X, y = iris01
    problem = TuningProblem(RBF(0.01 / 4), InterClassDistance(), X, y == label)
    result = SecondOrder().minimize(problem)
    assert result.kernel.gamma * 4 == pytest.approx(gamma, abs=5e-5)  # γ/m as the paper writes it
    assert result.stop_reason == "interior peak"
    assert result.converged
    assert result.n_iterations <= 10


def test_iris_diagonal_mahalanobis_averages_to_the_checked_value(iris01):
    X, y = iris01
    deltas = [
        SecondOrder().minimize(TuningProblem(Mahalanobis(0.01), "dbtc", X, y == label)).kernel.delta
        for label in range(3)
    ]
    assert np.mean(deltas) == pytest.approx(0.970, abs=5e-4)


@pytest.fixture(scope="module")
def thyroid():
    try:
        X, y = load("thyroid", part="train")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    spread = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(spread > 0, spread, 1.0), y


@pytest.mark.slow
def test_thyroid_passes_the_inflection_on_the_first_class(thyroid):
    X, y = thyroid
    result = SecondOrder().minimize(TuningProblem(RBF(0.01 / 21), "dbtc", X, y == 1))
    assert result.kernel.gamma * 21 == pytest.approx(206.57, abs=5e-3)
    assert result.stop_reason == "interior peak"
    assert result.n_iterations <= 10


def test_the_peak_is_the_one_a_global_search_finds(blobs):
    X, y = blobs
    problem = TuningProblem("rbf", "dbtc", X, y)
    assert SecondOrder().minimize(problem).kernel.gamma == pytest.approx(
        LineSearch().minimize(problem).kernel.gamma, rel=1e-4
    )


def test_derivatives_match_central_differences(blobs):
    X, y = blobs
    problem = TuningProblem(RBF(0.4), "dbtc", X, y)
    derivatives = problem.scale_derivatives(np.log([0.4]))
    for k in range(3):
        numeric = central_difference(lambda s, k=k: problem.scale_derivatives(np.log(s))[k], [0.4], 1e-5)
        assert derivatives[k + 1] == pytest.approx(numeric[0], rel=1e-6)


def test_step_solves_the_quadratic_and_turns_into_newton():
    c, b, a = 0.3, -1.1, 0.4
    step = second_order_step(c, b, a)
    assert c + b * step + a * step**2 / 2 == pytest.approx(0.0, abs=1e-15)
    roots = np.roots([a / 2, b, c])
    assert step == pytest.approx(roots[np.abs(roots).argmin()])
    assert second_order_step(c, b, 1e-14) == pytest.approx(-c / b)
    assert second_order_step(0.3, -1e-9, 0.4) > 1e6  # an inflection is not a peak
    assert second_order_step(0.3, 1.0, 0.4) is None


def test_data_without_a_peak_end_with_a_stated_reason():
    # Every point stands twice, once with each label: the class centres coincide for every width.
    X = np.repeat(np.random.default_rng(0).normal(size=(15, 2)), 2, axis=0)
    y = np.tile([0, 1], 15)
    with pytest.warns(BoundaryWarning, match="no peak"):
        result = SecondOrder().minimize(TuningProblem(RBF(0.01), "dbtc", X, y))
    assert result.stop_reason == "plateau"
    assert not result.converged
    assert [finding.name for finding in result.diagnostics] == ["plateau"]


def test_a_score_that_only_rises_ends_on_its_plateau():
    # Alternating labels on a line: neighbours always differ, so d² rises to 1/n₁ + 1/n₂.
    X = np.arange(20.0)[:, None]
    y = np.arange(20) % 2
    with pytest.warns(BoundaryWarning):
        result = SecondOrder().minimize(TuningProblem(RBF(0.01), "dbtc", X, y))
    assert result.stop_reason in ("plateau", "boundary")
    assert result.score == pytest.approx(0.2, rel=1e-6)


def test_a_peak_outside_the_bounds_ends_on_the_boundary(iris01):
    X, y = iris01
    problem = TuningProblem(RBF(0.01), "dbtc", X, y == 0, bounds={"gamma": (1e-3, 1.0)})
    with pytest.warns(BoundaryWarning, match="highest of its range"):
        result = SecondOrder().minimize(problem)
    assert result.stop_reason == "boundary"
    assert result.kernel.gamma == pytest.approx(1.0)


@pytest.mark.parametrize(("kernel", "criterion"), [("rbf", "esdr"), ("laplacian", "esdr")])
def test_what_has_no_three_derivatives_is_refused(kernel, criterion, blobs):
    X, y = blobs
    with pytest.raises(IncompatibleError, match="SecondOrder needs three derivatives"):
        SecondOrder().minimize(TuningProblem(kernel, criterion, X, y))
