"""The maximum-likelihood criterion of Glasmachers and Igel (2010)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from kernelwise import TunedSVC
from kernelwise.criteria import CrossValidationLikelihood
from kernelwise.criteria.held_out_errors import sigmoid_cost
from kernelwise.kernels import RBF
from kernelwise.testing import check_criterion, check_gradient, extrapolated_difference

from .machines import WatchedProblem, make_data

X, Y = make_data()


def by_scikit_learn(X, y, weight=None, C=2.0, gamma=0.2, cv=4):
    """Mean negative log-likelihood by an unregularised logistic regression on held-out decision values."""
    machine = SVC(C=C, gamma=gamma, tol=1e-9)
    f = cross_val_predict(machine, X, y, cv=StratifiedKFold(cv), method="decision_function")[:, None]
    fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(f, y)
    assert fit.coef_[0, 0] > 0
    p = fit.predict_proba(f)[np.arange(len(y)), y]
    return -np.log(p).mean()


def test_it_is_a_logistic_regression_on_held_out_decision_values():
    value = CrossValidationLikelihood(C=2.0, cv=4).value(RBF(0.2)(X), Y)
    assert value == pytest.approx(by_scikit_learn(X, Y), rel=1e-6)


def test_it_keeps_the_contract():
    for n_classes in (2, 3):
        check_criterion(CrossValidationLikelihood(tol=1e-12), n_classes=n_classes)


def test_gradient_by_the_width_and_C_matches_differences():
    problem = WatchedProblem(RBF(0.2), CrossValidationLikelihood(C=3.0, tol=1e-10), X, Y)
    check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)
    assert set(problem.first) == {0, 1, 2}


def test_answers_worse_than_chance_have_the_likelihood_of_the_class_shares():
    signs = np.repeat([1.0, -1.0], [30, 10])
    falling = sigmoid_cost(-signs + 0.1 * np.arange(40), signs, np.ones(40), "plain-likelihood")
    assert falling.A == 0.0
    assert falling.value == pytest.approx(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
    assert not falling.by_decision.any()


def test_answers_without_an_error_cost_nothing():
    signs = np.repeat([1.0, -1.0], 20)
    cost = sigmoid_cost(signs * np.linspace(0.5, 1.5, 40), signs, np.ones(40), "plain-likelihood")
    assert cost.value < 1e-8
    assert np.abs(cost.by_decision).max() < 1e-8


def test_weights_count_rows_in_the_likelihood():
    f, signs = np.linspace(-1.0, 2.0, 30), np.where(np.arange(30) % 3, 1.0, -1.0)
    counts = np.arange(30) % 4 + 1
    weighted = sigmoid_cost(f, signs, counts.astype(float), "plain-likelihood").value
    rows = np.repeat(np.arange(30), counts)
    assert weighted == pytest.approx(
        sigmoid_cost(f[rows], signs[rows], np.ones(len(rows)), "plain-likelihood").value, rel=1e-10
    )


def test_folds_that_a_class_is_too_small_for_are_named():
    with pytest.raises(ValueError, match=r"'cv-likelihood' has 5 folds.*CrossValidationLikelihood\(cv=3\)"):
        CrossValidationLikelihood().value(np.eye(20), np.arange(20) < 3)


def test_it_chooses_width_and_C_by_name():
    model = TunedSVC(criterion="cv-likelihood").fit(X, Y)
    assert model.best_score_ > 0.7
