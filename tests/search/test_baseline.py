"""The score of a constant answer: by hand for several scores, classes and strategies."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer

from kernelwise import TunedSVC, TunedSVR
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.verdict.baseline import decision_for_classes

SIZES = {2: (40, 20), 3: (15, 30, 18), 5: (10, 12, 24, 11, 9)}


def labelled(n_classes, seed=0):
    y = np.repeat(np.arange(n_classes), SIZES[n_classes])
    return np.random.default_rng(seed).normal(size=(len(y), 3)) + y[:, None], y


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_classes", SIZES)
def test_decision_values_make_each_class_the_answer(n_classes, strategy):
    decision = decision_for_classes(n_classes, STRATEGIES[strategy].machines)
    found = STRATEGIES[strategy].decide(decision, n_classes)
    assert_allclose(found, np.arange(n_classes))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "ovo-reject"])
@pytest.mark.parametrize("n_classes", SIZES)
def test_accuracy_of_the_most_frequent_class(n_classes, multiclass):
    X, y = labelled(n_classes)
    names = np.array(["b", "a", "e", "d", "c"])[y]
    folds = [(np.flatnonzero(np.arange(len(y)) % 3 != k), np.arange(k, len(y), 3)) for k in range(3)]
    model = TunedSVC(cv=folds, multiclass=multiclass, reject_label="?").fit(X, names)
    largest = names[np.bincount(y).argmax() == y][0]
    expected = np.mean([(names[test] == largest).mean() for _, test in folds])
    assert_allclose(model.result_.baseline.score, expected)
    assert model.result_.baseline.answer == f"always answering {str(largest)!r}"


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro", "roc_auc", "f1", "recall"])
def test_other_scores_are_those_of_the_best_dummy(scoring):
    X, y = labelled(2)
    folds = [(np.flatnonzero(np.arange(len(y)) % 3 != k), np.arange(k, len(y), 3)) for k in range(3)]
    model = TunedSVC(cv=folds, scoring=scoring).fit(X, y)
    dummies = [DummyClassifier(strategy="constant", constant=k).fit(X, y) for k in (0, 1)]
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)  # of a class that is never predicted
        scores = [np.mean([get_scorer(scoring)(d, X[t], y[t]) for _, t in folds]) for d in dummies]
    assert_allclose(model.result_.baseline.score, max(scores))


def test_chance_level_names_no_class():
    X, y = labelled(2)
    assert TunedSVC(scoring="roc_auc").fit(X, y).result_.baseline.answer == "guessing"


def test_a_mean_that_is_the_median_is_still_the_answer():
    y = np.repeat([0.0, 1.0, 2.0], 12)
    X = y[:, None] + 0.3 * np.random.default_rng(0).normal(size=(36, 2))
    assert TunedSVR("rbf").fit(X, y).result_.baseline.answer == "always answering the mean (1)"


def test_weights_count():
    X, y = labelled(2)
    weight = np.where(y == 1, 5.0, 1.0)
    guess = TunedSVC().fit(X, y, sample_weight=weight).result_.baseline
    assert guess.answer == "always answering 1"
    assert guess.score == pytest.approx(100 / 140, abs=0.05)


@pytest.mark.parametrize(("scoring", "strategy"), [(None, "mean"), ("neg_mean_absolute_error", "median")])
def test_a_regression_is_compared_with_the_mean_or_the_median(scoring, strategy):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = np.exp(X[:, 0] + 0.3 * rng.normal(size=60))
    folds = [(np.flatnonzero(np.arange(60) % 3 != k), np.arange(k, 60, 3)) for k in range(3)]
    guess = TunedSVR(cv=folds, scoring=scoring).fit(X, y).result_.baseline
    assert guess.answer.startswith(f"always answering the {strategy} (")
    if scoring is None:
        assert guess.score == pytest.approx(0.0, abs=1e-8)  # R² of the mean, of targets to 2⁻²⁶
    else:
        dummy = DummyRegressor(strategy="constant", constant=np.sort(y)[29]).fit(X, y)
        expected = np.mean([get_scorer(scoring)(dummy, X[t], y[t]) for _, t in folds])
        assert guess.score == pytest.approx(expected)
