"""Votes against scikit-learn's predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from kernelwise.solvers import vote


@pytest.mark.parametrize("n_classes", [2, 3])
def test_vote_equals_svc_predictions(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    X = X[:, :2]  # two features: many wrong and doubtful samples
    model = SVC(decision_function_shape="ovo", gamma=5.0).fit(X, y)
    grid = np.random.default_rng(0).uniform(X.min(0) - 2, X.max(0) + 2, (2000, 2))
    np.testing.assert_array_equal(vote(model.decision_function(grid), model.classes_), model.predict(grid))


def test_ties_go_to_the_first_class():
    cycle = np.array([[1.0, -1.0, 1.0]])  # 0 beats 1, 2 beats 0, 1 beats 2
    assert vote(cycle, np.array(["a", "b", "c"])) == ["a"]


def test_ovr_takes_the_largest():
    decision = np.array([[-1.0, -0.5, -2.0], [0.1, 0.2, 0.3]])
    np.testing.assert_array_equal(vote(decision, np.array([5, 6, 7]), "ovr"), [6, 7])


def test_missing_decision_is_refused():
    with pytest.raises(ValueError, match="never held out"):
        vote(np.array([1.0, np.nan]), np.array([0, 1]))
