"""The global maximum over all widths, and what is said when there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from kernelwise.criteria import ESDR, InterClassDistance
from kernelwise.datasets import load
from kernelwise.exceptions import BoundaryWarning, DegenerateGramError
from kernelwise.kernels import RBF, Mahalanobis
from kernelwise.optimizers import LineSearch, SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.sketch.curves import find_maximum
from kernelwise.sketch.sketch import DistanceSketch

RNG = np.random.default_rng(1)
X = RNG.normal(size=(200, 4))
Y = (X[:, 0] + 0.3 * RNG.normal(size=200) > 0).astype(int)


def unit_scaled(name, part=None):
    X, y = load(name, part=part)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1.0), y


@pytest.fixture(scope="module")
def iris():
    return unit_scaled("iris")


def test_iris_has_the_widths_of_paper_000(iris):
    X, y = iris
    best = DistanceSketch.from_data(X, y).maximize("dbtc")
    np.testing.assert_allclose(best.gammas * 4, [11.7197, 24.3902, 9.3367], atol=5e-5)
    assert round(best.gamma * 4, 3) == 15.149
    assert best.stop_reason == "interior peak"
    assert best.problems == (0, 1, 2)
    kernel = Mahalanobis().initialize(X, heuristic="keep")
    assert round(DistanceSketch.from_data(X, y, kernel=kernel).maximize("dbtc").gamma, 3) == 0.970


def test_thyroid_has_the_widths_of_paper_000():
    try:
        X, y = unit_scaled("thyroid", "train")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    best = DistanceSketch.from_data(X, y).maximize("dbtc")
    np.testing.assert_allclose(best.gammas * 21, [206.57, 38.214, 40.774], rtol=5e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant features
        kernel = Mahalanobis().initialize(X, heuristic="keep")
    best = DistanceSketch.from_data(X, y, kernel=kernel).maximize("dbtc")
    np.testing.assert_allclose(best.gammas, [0.7742, 1.9628, 0.7983], atol=5e-5)


def test_peak_is_that_of_an_exact_optimizer(iris):
    exact = SecondOrder(tol=1e-10).minimize(TuningProblem(RBF(0.3), "dbtc", X, Y)).kernel.gamma
    found = DistanceSketch.from_data(X, Y).maximize("dbtc")
    assert found.gamma == pytest.approx(exact, rel=1e-8)
    assert found.value == pytest.approx(InterClassDistance().score(RBF(exact)(X), Y), rel=1e-9)
    X3, y3 = iris
    for criterion in ("polarization", "kta"):
        problem = TuningProblem(RBF(1.0), criterion, X3, y3)
        exact = LineSearch(tol=1e-9).minimize(problem).kernel.gamma
        assert DistanceSketch.from_data(X3, y3).maximize(criterion, "pooled").gamma == pytest.approx(
            exact, rel=1e-4
        )


@pytest.mark.parametrize(
    ("strategy", "names"), [("ovr", (0, 1, 2)), ("ovo", ((0, 1), (0, 2), (1, 2))), ("pooled", ((0, 1, 2),))]
)
def test_every_problem_has_its_own_peak(iris, strategy, names):
    X, y = iris
    best = DistanceSketch.from_data(X, y).maximize("dbtc", strategy)
    assert best.problems == names
    assert best.gamma == pytest.approx(best.gammas.mean())
    assert not best.values_std.any()
    for name, gamma, value in zip(names, best.gammas, best.values, strict=True):
        rows = np.isin(y, name) if strategy == "ovo" else slice(None)
        labels = y == name if strategy == "ovr" else y[rows]
        gammas = gamma * np.array([1.0, 0.999, 1.001])
        scores = [InterClassDistance().score(RBF(g)(X[rows]), labels) for g in gammas]
        assert scores[0] == pytest.approx(value, rel=1e-9)
        assert scores[0] > max(scores[1:])


@pytest.mark.parametrize(("share", "scale"), [(0.5, 0.1), (0.8, 0.1), (0.2, 20.0)])
def test_the_higher_of_two_peaks_is_found(share, scale):
    # Part of the classes differ on a scale of 0.1, the rest, far away, on one of 20: each has a peak.
    n = int(100 * share)
    rng = np.random.default_rng(3)
    near, far = rng.normal(size=(n, 1)), 1000.0 + rng.normal(size=(100 - n, 1))
    x = np.vstack([0.01 * near, 2.5 * far, 0.1 + 0.01 * near[::-1], 20.0 + 2.5 * far[::-1]])
    sketch = DistanceSketch.from_data(x, np.repeat([0, 1], 100))
    best = sketch.maximize("dbtc")
    gammas = np.geomspace(*best.bounds, 4000)
    curve = sketch.curve("dbtc", gammas)
    peaks = (curve[1:-1] > curve[:-2]) & (curve[1:-1] > curve[2:])
    assert peaks.sum() == 2
    assert best.value >= curve.max()
    assert 1.0 < best.gamma * scale**2 < 10.0


def test_a_ratio_that_only_falls_is_called_a_plateau():
    Z = np.vstack([RNG.normal(size=(100, 2)), RNG.normal(size=(100, 2)) + 6.0])
    y = np.repeat([0, 1], 100)
    sketch = DistanceSketch.from_data(Z, y)
    with pytest.warns(
        BoundaryWarning, match=r"esdr has no peak inside the range .* 1 of 1 problems: \(0, 1\) \(plateau\)"
    ):
        best = sketch.maximize("esdr")
    assert best.stop_reasons == ("plateau",)
    assert best.value == pytest.approx(ESDR().score(RBF(1e-9)(Z), y), rel=1e-4)
    with pytest.warns(BoundaryWarning, match="boundary"):
        assert sketch.maximize("esdr", bounds=(0.1, 1.0)).stop_reason == "boundary"


def test_mixed_labels_end_with_a_reason():
    Z = np.repeat(X[:50], 2, axis=0)
    y = np.arange(100) % 2
    with pytest.warns(BoundaryWarning, match="no peak"):
        best = DistanceSketch.from_data(Z, y).maximize("dbtc")
    assert best.stop_reason == "plateau"
    assert best.value == pytest.approx(0.0, abs=1e-12)


def test_two_points_end_with_a_reason():
    sketch = DistanceSketch.from_data([[0.0], [1.0]], [0, 1])
    with pytest.warns(BoundaryWarning, match="no peak"):
        best = sketch.maximize("dbtc")
    assert (best.stop_reason, best.value) == ("plateau", pytest.approx(2.0, rel=1e-4))
    with pytest.raises(DegenerateGramError, match="points of each class coincide"):
        sketch.maximize("j4")


def test_equal_points_end_with_a_sentence():
    sketch = DistanceSketch.from_data(np.ones((10, 2)), np.arange(10) % 2)
    with pytest.raises(DegenerateGramError, match="All samples coincide"):
        sketch.maximize("dbtc")
    np.testing.assert_array_equal(sketch.curve("dbtc", [0.1, 10.0]), 0.0)
    with pytest.warns(BoundaryWarning, match="no peak"):
        assert sketch.maximize("dbtc", bounds=(0.1, 10.0)).stop_reason == "plateau"


@pytest.mark.parametrize("bounds", [(1.0, 0.1), (0.0, 1.0), (1.0, np.inf)])
def test_bounds_must_increase(bounds):
    with pytest.raises(ValueError, match=r"bounds of gamma must be two increasing|gammas? must be positive"):
        DistanceSketch.from_data(X, Y).maximize("dbtc", bounds=bounds)


def test_highest_of_several_peaks_and_ends():
    grid = np.linspace(0.0, 9.0, 41)

    def evaluate(p):
        return np.sin(2.0 * p) + 0.1 * p, 2.0 * np.cos(2.0 * p) + 0.1

    peak, value, reason = find_maximum(grid, *evaluate(grid), evaluate)
    fine = np.linspace(0.0, 9.0, 100_001)
    assert reason == "interior peak"
    assert peak == pytest.approx(fine[evaluate(fine)[0].argmax()], abs=1e-4)
    assert value == pytest.approx(evaluate(fine)[0].max(), abs=1e-8)


def test_a_turn_that_only_one_way_of_summing_shows_is_rounding():
    grid = np.arange(4.0)
    slopes = np.array([1e-14, 2e-14, -2e-14, -1e-14])
    peak, value, reason = find_maximum(grid, np.full(4, 0.05), slopes, lambda p: (0.05, 1e-14))
    assert (value, reason) == (0.05, "plateau")
    assert peak in grid


def test_classes_that_cancel_out_end_with_a_reason():
    Z = np.column_stack([np.repeat(np.eye(3), 9, axis=0), np.arange(27) // 3 % 2])
    with pytest.warns(BoundaryWarning, match="no peak"):
        best = DistanceSketch.from_data(Z, np.arange(27) % 3).maximize("j4")
    np.testing.assert_allclose(best.values, 0.0, atol=1e-12)
