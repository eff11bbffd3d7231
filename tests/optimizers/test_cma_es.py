"""CMA-ES: the peak of a smooth problem, several parameters, steps; skipped without the package cma."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from kernelwise import TunedSVC
from kernelwise.criteria import Margin, SpanEstimate, XiAlpha
from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian
from kernelwise.optimizers import CMAES, GridSearch, QuasiNewton, as_optimizer
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_optimizer

needs_cma = pytest.mark.skipif(importlib.util.find_spec("cma") is None, reason="needs cma")
RANDOM = np.random.default_rng(2)
Y = np.arange(60) % 2
X = RANDOM.normal(size=(60, 3)) + np.array([1.5, 0.5, 0.0]) * Y[:, None]


@needs_cma
def test_it_keeps_its_contract():
    check_optimizer(CMAES())
    check_optimizer(CMAES(n_restarts=1, random_state=3))


@needs_cma
@pytest.mark.parametrize("kernel", [DiagonalGaussian(np.ones(3)), Gaussian(np.eye(3))], ids=repr)
def test_it_finds_what_a_gradient_finds(kernel):
    problem = TuningProblem(kernel, "centered-kta", X, Y)
    ours, theirs = CMAES().minimize(problem), QuasiNewton(n_restarts=4).minimize(problem)
    assert ours.value <= theirs.value + 1e-4 * abs(theirs.value)
    assert ours.n_gradients == 0


@needs_cma
@pytest.mark.filterwarnings("ignore:CMAES stopped after", "ignore:The best")
def test_it_searches_width_and_C_of_a_criterion_without_a_gradient():
    problem = TuningProblem("rbf", XiAlpha(), X, Y)
    ours, grid = CMAES(max_iter=40).minimize(problem), GridSearch(n_points=9).minimize(problem)
    assert ours.value <= grid.value
    model = TunedSVC("rbf", criterion="xi-alpha", search=CMAES(max_iter=20), cv=3).fit(X, Y)
    assert model.score(X, Y) > 0.75


@needs_cma
@pytest.mark.filterwarnings("ignore:CMAES stopped after")
def test_it_leaves_numpys_generator_alone():
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    problem = TuningProblem(RBF(0.3), SpanEstimate(), X, Y)
    first = CMAES(max_iter=5, random_state=1).minimize(problem).theta
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.testing.assert_array_equal(CMAES(max_iter=5, random_state=1).minimize(problem).theta, first)


@needs_cma
def test_bounds_hold_and_an_early_stop_is_told():
    problem = TuningProblem(RBF(0.3), Margin(), X, Y, bounds={"gamma": (0.1, 1.0), "C": (0.5, 2.0)})
    with pytest.warns(UserWarning, match=r"CMAES stopped after 3 iterations|is the (lowest|highest)"):
        result = CMAES(max_iter=3).minimize(problem)
    for row in result.history:
        assert 0.1 - 1e-12 <= row["gamma"] <= 1.0 + 1e-12
        assert 0.5 - 1e-12 <= row["C"] <= 2.0 + 1e-12


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr("kernelwise.optimizers.value_searches.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'CMAES needs the package cma\. Install it with pip install "kern'):
        as_optimizer("cma-es").minimize(TuningProblem("rbf", "dbtc", X, Y))


@pytest.mark.parametrize("bad", [{"sigma": 0.0}, {"tol": -1.0}, {"max_iter": 0}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' of CMAES"):
        CMAES(**bad)
