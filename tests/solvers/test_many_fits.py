"""Single fits of many small machines on one Gram matrix, against `solve_svm_dual` on the part of each."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from kernelwise import SVC
from kernelwise.multiclass import two_class_machines
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers.box_qp import BoxQP
from kernelwise.solvers.path_problem import PathProblem, fit_many

X, Y = (part[:400] for part in load_digits(return_X_y=True))
K = rbf_kernel(X, gamma=1e-3)
MACHINES = two_class_machines(Y, 10, "ovo")
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))
TOL = 1e-4


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_every_machine_is_that_of_its_own_solve(C):
    found = fit_many(K, MACHINES, WEIGHT, C, TOL, -1, 1)
    for (members, signs), solution in zip(MACHINES, found, strict=True):
        part = K[np.ix_(members, members)]
        expected = solve_svm_dual(part, signs, C, sample_weight=WEIGHT[members], tol=TOL)
        assert solution.objective == pytest.approx(expected.objective, rel=1e-6)
        assert solution.intercept == pytest.approx(expected.intercept, abs=5 * TOL)
        np.testing.assert_allclose(part @ solution.beta, part @ expected.beta, atol=5 * TOL)
        np.testing.assert_allclose(solution.gradient, signs - part @ solution.beta, atol=1e-9)
        assert solution.converged
        assert solution.gap < TOL
        assert solution.duality_gap == pytest.approx(expected.duality_gap, abs=1e-2 * C)
        assert -1e-9 <= solution.duality_gap


@pytest.mark.parametrize("change", ["units", "few steps", "rounding"])
def test_what_wants_more_care_is_left_to_others(change):
    gram, C, max_iter = K, 1.0, -1
    if change == "units":
        gram = 1e-9 * K
    elif change == "few steps":
        max_iter = 5
    else:  # of sums of coefficients that are as large as this
        gram, C = K + 1e10, 1e10
    assert fit_many(gram, MACHINES, WEIGHT, C, TOL, max_iter, 1) == [None] * 45


def test_machines_that_crawl_are_trained_one_at_a_time(monkeypatch):
    expected = SVC(C=5.0, gamma=1e-3, tol=TOL).fit(X, Y)
    steps = [one.n_iter for one in fit_many(K, MACHINES, WEIGHT, 5.0, TOL, -1, 1)]
    worth = BoxQP(np.eye(80), *np.zeros((4, 80))).patience(100)  # pair steps of a machine of two classes
    monkeypatch.setattr(PathProblem, "patience", float(np.median(steps)) / worth)
    found = fit_many(K, MACHINES, WEIGHT, 5.0, TOL, -1, 1)
    assert 0 < found.count(None) < 45
    other = SVC(C=5.0, gamma=1e-3, tol=TOL).fit(X, Y)
    np.testing.assert_allclose(other.decision_function(X), expected.decision_function(X), atol=1e-2)
    np.testing.assert_allclose(other.intercept_, expected.intercept_, atol=5 * TOL)


def test_any_number_of_threads_gives_the_same_bits():
    one, other = (SVC(C=5.0, gamma=1e-3, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
