"""Margin and VC bound: values against scikit-learn, the origin, and what paper 001 shows about them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from kernelwise.criteria import Margin, VCBound
from kernelwise.kernels import RBF, Polynomial
from kernelwise.problem import TuningProblem

from .machines import make_data

X, Y = make_data()


@pytest.mark.parametrize("kernel", [RBF(0.2), Polynomial(3, 0.2, 1.0)], ids=repr)
def test_values_match_scikit_learn(kernel):
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    model = SVC(C=2.0, kernel=kernel, tol=1e-8).fit(X, Y, weights)
    V, c = X[model.support_], model.dual_coef_[0]
    norm2 = c @ kernel(V) @ c
    origin = np.zeros((1, 4))
    radius2 = (kernel.diagonal(V) - 2 * kernel(V, origin)[:, 0] + kernel(origin)[0, 0]).max()
    # LIBSVM keeps kernel values in single precision.
    for criterion, expected in ((Margin(2.0), norm2), (VCBound(2.0), radius2 * norm2)):
        problem = TuningProblem(kernel, criterion, X, Y, sample_weight=weights, test=(X, Y))
        assert problem.value(problem.theta) == pytest.approx(expected, rel=5e-6)
        row = problem.history[0]
        assert row["n_support"] == len(c)
        assert row["margin"] == pytest.approx(1 / np.sqrt(norm2), rel=5e-6)
        assert row["test_error"] == pytest.approx(1 - model.score(X, Y))
        assert row["score"] == row["value"]


def test_three_classes_are_the_mean_over_the_machines():
    X, y = make_data(120, 3)
    K = RBF(0.2)(X)
    pairs = [np.isin(y, pair) for pair in ((0, 1), (0, 2), (1, 2))]
    by_pair = [Margin(2.0).value(K[np.ix_(rows, rows)], y[rows]) for rows in pairs]
    assert Margin(2.0).value(K, y) == pytest.approx(np.mean(by_pair), rel=1e-6)
    by_class = [Margin(2.0).value(K, y == k) for k in range(3)]
    assert Margin(2.0, strategy="ovr").value(K, y) == pytest.approx(np.mean(by_class), rel=1e-6)


def test_vc_bound_asks_for_the_row_of_the_origin():
    with pytest.raises(ValueError, match="the samples and the origin, 81 rows, got 80"):
        VCBound().value(RBF(0.2)(X), Y)


def test_the_margin_without_coupling_is_closed_form():
    """Of two orthogonal unit vectors with labels ±1, w is half their difference … times two: ‖w‖² = 2."""
    K = np.kron(np.eye(2), np.ones((2, 2)))
    assert Margin(C=10.0).value(K, [0, 0, 1, 1]) == pytest.approx(2.0, rel=1e-6)
