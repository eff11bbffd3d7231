"""Strategies for three or more classes: their rules by brute force, and their way through the estimators."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from kernelwise import SVC, GridSearchSVC
from kernelwise.multiclass import (
    REJECTED,
    STRATEGIES,
    decide_labels,
    fuzzy_membership,
    unanimous,
)

RANDOM = np.random.default_rng(0)


def membership_by_definition(D):
    """m_i = min(min(1, D_i), min over j ≠ i of min(1, −D_j)), one number at a time."""
    return np.array(
        [
            [min([min(1, r[i])] + [min(1, -r[j]) for j in range(len(r)) if j != i]) for i in range(len(r))]
            for r in D
        ]
    )


@pytest.fixture(scope="module")
def overlapping():
    """Four classes that leave regions without a class, or with several, under either kind of machines."""
    X, y = make_blobs(120, centers=4, cluster_std=3.0, random_state=3)
    return X, y, np.random.default_rng(1).uniform(X.min(0) - 3, X.max(0) + 3, (400, 2))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_membership_is_its_definition(n_classes):
    D = 1.5 * RANDOM.normal(size=(500, n_classes))
    assert_array_equal(fuzzy_membership(D), membership_by_definition(D))


def test_membership_of_two_classes_from_their_one_machine():
    d = RANDOM.normal(size=50)
    assert_array_equal(fuzzy_membership(d), membership_by_definition(np.column_stack([-d, d])))


@pytest.mark.parametrize("size", [0.2, 1.0, 10.0])
def test_largest_membership_is_at_the_largest_decision_value(size):
    """Everywhere, saturated or not: a membership of 1 belongs to one class at most."""
    D = size * RANDOM.normal(size=(20_000, 4))
    D[:2000] -= 2.0 * size
    m = fuzzy_membership(D)
    assert_array_equal(m.argmax(axis=1), D.argmax(axis=1))
    assert_array_equal((m == m.max(axis=1, keepdims=True)).sum(axis=1), 1)
    assert (m == 1).sum(axis=1).max() <= 1
    if size == 10.0:
        assert (m == 1).any()


def test_memberships_tie_only_where_decision_values_do():
    D = np.array([[0.0, 0.5, 0.5], [2.0, 2.0, -3.0], [-1.0, -1.0, -1.0]])
    assert_array_equal(fuzzy_membership(D), [[-0.5] * 3, [-2.0, -2.0, -3.0], [-1.0] * 3])
    # The first membership of the first row belongs to the class with the smallest decision value.
    assert_array_equal(decide_labels(D, np.arange(3), "ovr-fuzzy"), [1, 0, 0])


def test_membership_is_positive_where_the_signs_agree_on_one_class():
    D = RANDOM.normal(size=(1000, 3))
    agree = (D > 0).sum(axis=1) == 1
    assert_array_equal(fuzzy_membership(D).max(axis=1) > 0, agree)
    assert agree.any()
    assert not agree.all()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_unanimous_is_its_definition(n_classes):
    pairs = list(combinations(range(n_classes), 2))
    D = RANDOM.normal(size=(300, len(pairs)))
    D[0] = 0.0
    if n_classes == 2:
        D, won = D[:, 0], {(0, 1): -D[:, 0], (1, 0): D[:, 0]}
    else:
        won = {pair: D[:, k] for k, pair in enumerate(pairs)}
        won |= {(j, i): -values for (i, j), values in won.items()}
    expected = np.full(300, REJECTED)
    for s in range(300):
        for k in range(n_classes):
            if all(won[k, j][s] > 0 for j in range(n_classes) if j != k):
                expected[s] = k
    found = unanimous(D, n_classes)
    assert_array_equal(found, expected)
    assert found[0] == REJECTED
    assert (found >= 0).any()


def test_missing_decision_is_refused():
    with pytest.raises(ValueError, match="never held out"):
        unanimous(np.array([1.0, np.nan]), 2)


def test_rejection_of_one_cycle():
    cycle = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0]])  # 0 beats 1, 2 beats 0, 1 beats 2; then 0 beats all
    labels = decide_labels(cycle, np.array(["a", "b", "c"]), "ovo-reject", "nobody")
    assert_array_equal(labels, ["nobody", "a"])
    assert (labels == "nobody").mean() == 0.5


def test_fuzzy_machines_are_those_of_one_vs_rest(overlapping):
    X, y, grid = overlapping
    plain, fuzzy = (SVC(multiclass=name).fit(X, y) for name in ("ovr", "ovr-fuzzy"))
    D = fuzzy.decision_function(grid)
    assert_array_equal(D, plain.decision_function(grid))
    assert_array_equal(fuzzy.predict(grid), plain.predict(grid))
    assert_array_equal(fuzzy.membership(grid), membership_by_definition(D))
    assert_array_equal(fuzzy.predict(grid), fuzzy.membership(grid).argmax(axis=1))
    # Signs alone leave some of the grid without a class or with two.
    assert ((D > 0).sum(axis=1) != 1).any()


def test_membership_needs_one_vs_rest(overlapping):
    X, y, grid = overlapping
    assert not hasattr(SVC(), "membership")
    model = SVC().fit(X, y).set_params(multiclass="ovr-fuzzy")
    with pytest.raises(NotFittedError, match="when fitted with multiclass='ovo'"):
        model.membership(grid)
    two = SVC(multiclass="ovr-fuzzy").fit(X[y < 2], y[y < 2])
    assert_array_equal(two.membership(grid).argmax(axis=1), two.predict(grid))


def test_rejection_keeps_the_votes_of_the_unanimous(overlapping):
    X, y, grid = overlapping
    voting, rejecting = (SVC(multiclass=name).fit(X, y) for name in ("ovo", "ovo-reject"))
    labels, votes = rejecting.predict(grid), voting.predict(grid)
    rejected = labels == rejecting.reject_label_
    assert rejecting.reject_label_ == -1
    assert_array_equal(labels[~rejected], votes[~rejected])
    assert 0 < (labels == -1).mean() == rejected.mean() < 0.5
    n_votes = voting.set_params(decision_function_shape="ovr").decision_function(grid).max(axis=1).round()
    assert_array_equal(rejected, n_votes < 3)
    assert labels.dtype == y.dtype


@pytest.mark.parametrize(
    ("labels", "reject_label"),
    [
        (np.array(["a", "b", "c", "d"]), "a longer one"),
        (np.array(["a", "b", "c", "d"], dtype=object), "nobody"),
        (np.array([0.0, 1.0, 2.0, 3.0]), -7),
        (np.array([1, 2, 3, 4], dtype=np.uint8), None),
    ],
    ids=["strings", "objects", "floats", "unsigned"],
)
def test_reject_label_of_every_kind(overlapping, labels, reject_label):
    X, y, grid = overlapping
    model = SVC(multiclass="ovo-reject", reject_label=reject_label).fit(X, labels[y])
    index = SVC(multiclass="ovo-reject").fit(X, y).predict(grid)
    assert_array_equal(model.predict(grid) == model.reject_label_, index == -1)
    assert_array_equal(model.predict(grid)[index >= 0], labels[index[index >= 0]])


REFUSED = {
    "which is a class. Set 'reject_label'": ([-1, 0, 1, 2], None),
    "the labels are not numbers. Set 'reject_label'": (["a", "b", "c", "d"], None),
    "label 'b', which is a class": (["a", "b", "c", "d"], "b"),
    "of the same kind as the labels": (["a", "b", "c", "d"], 7),
    "same kind as the labels .*got nan": ([0.0, 1.0, 2.0, 3.0], np.nan),
    "same kind as the labels .*got 2.5": ([0.0, 1.0, 2.0, 3.0], 2.5),
    "same kind as the labels .*got 0.5": ([0, 1, 2, 3], 0.5),
    "Convert the boolean labels to integers": ([False, False, True, True], None),
}


@pytest.mark.parametrize("estimator", [SVC, GridSearchSVC])
@pytest.mark.parametrize("message", REFUSED)
def test_reject_label_that_cannot_be(overlapping, estimator, message):
    X, y, _ = overlapping
    labels, reject_label = REFUSED[message]
    with pytest.raises(ValueError, match=message):
        estimator(multiclass="ovo-reject", reject_label=reject_label).fit(X, np.array(labels)[y])


def test_ties_are_not_broken_for_the_rejected(overlapping):
    X, y, _ = overlapping
    with pytest.raises(ValueError, match="break_ties=True would label samples that"):
        SVC(multiclass="ovo-reject", break_ties=True).fit(X, y)
    with pytest.raises(ValueError, match="multiclass='ovr-fuzzy' has no pairwise values"):
        SVC(multiclass="ovr-fuzzy", decision_function_shape="ovo").fit(X, y)


@pytest.mark.parametrize("multiclass", STRATEGIES)
def test_warm_start_and_probability(multiclass):
    X, y = load_iris(return_X_y=True)
    model = SVC(multiclass=multiclass, probability=True, warm_start=True, random_state=0).fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    steps = model.n_iter_.sum()
    assert model.fit(X, y).n_iter_.sum() < steps


@pytest.mark.parametrize("multiclass", ["ovr-fuzzy", "ovo-reject"])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
def test_grid_search_is_that_of_scikit_learn(overlapping, multiclass, scoring):
    X, y, grid = overlapping
    parameters = {"gamma": [0.01, 0.3], "C": [0.1, 10.0]}
    settings = {"multiclass": multiclass, "tol": 1e-8}
    theirs = GridSearchCV(SVC(**settings), parameters, cv=3, scoring=scoring).fit(X, y)
    ours = GridSearchSVC(parameters, cv=3, scoring=scoring, **settings).fit(X, y)
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert_array_equal(ours.predict(grid), theirs.predict(grid))
    if multiclass == "ovo-reject":
        plain = GridSearchSVC(parameters, cv=3, scoring=scoring, tol=1e-8).fit(X, y)
        assert (ours.cv_results_["mean_test_score"] <= plain.cv_results_["mean_test_score"]).all()
        assert (ours.predict(grid) == -1).any()
