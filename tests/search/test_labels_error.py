"""The standard error of a score of labels comes from the rows of each class, not from three folds alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, f1_score

from kernelwise import TunedSVC
from kernelwise.search.engine.context import FitContext
from kernelwise.search.fit import prepare_fit
from kernelwise.search.verdict.summary import labels_error

N_RARE, N = 11, 60


@pytest.fixture
def labels_of():
    """A validator by a score, and labels of its held-out rows."""

    def make(scoring, weight=None, n_classes=2):
        rng = np.random.default_rng(5)
        y = np.where(np.arange(N) < N_RARE, 0, 1 + np.arange(N) % (n_classes - 1))
        model = TunedSVC("rbf", cv=3, scoring=scoring)
        settings, context = model._settings(), FitContext()
        data = model._read(rng.normal(size=(N, 2)), y, weight, context, model._route(None, None, {}))
        validator = prepare_fit(model, data, settings, model._family(), context)[0]
        truth = validator.held_out.y[validator.tested]
        return validator, np.where(rng.random(N) < 0.7, truth, rng.integers(0, n_classes, N))

    return make


@pytest.mark.parametrize("n_classes", [2, 4])
def test_balanced_accuracy_has_the_errors_of_its_recalls(labels_of, n_classes):
    validator, labels = labels_of("balanced_accuracy", n_classes=n_classes)
    truth = validator.held_out.y[validator.tested]
    variance = 0.0
    for k in range(n_classes):
        recall, n = np.mean(labels[truth == k] == k), np.sum(truth == k)
        variance += recall * (1.0 - recall) / (n - 1)
    assert_allclose(labels_error(validator, labels), np.sqrt(variance) / n_classes, rtol=1e-12)


@pytest.mark.parametrize(
    ("scoring", "score"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)]
)
def test_it_is_the_jackknife_of_rows_within_classes_with_copies_as_rows(labels_of, scoring, score):
    weight = np.random.default_rng(1).integers(1, 4, N).astype(float)
    validator, labels = labels_of(scoring, weight)
    times = validator.fold_rows.weight[validator.fold_rows.asked[validator.tested]].astype(int)
    truth, labels_of_copies = (
        np.repeat(validator.held_out.y[validator.tested], times),
        np.repeat(labels, times),
    )
    variance = 0.0
    for k in (0, 1):
        without = [
            score(np.delete(truth, i), np.delete(labels_of_copies, i)) for i in np.flatnonzero(truth == k)
        ]
        variance += (len(without) - 1) * np.var(without)
    assert_allclose(labels_error(validator, labels), np.sqrt(variance), rtol=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_other_scores_keep_their_errors(labels_of, scoring):
    validator, labels = labels_of(scoring)
    assert np.isnan(labels_error(validator, labels))
    assert np.isnan(labels_error(validator, None))


def test_eleven_rows_of_a_rare_class_have_the_error_of_eleven_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), np.zeros(300, int)
    y[:N_RARE] = 1
    X[:N_RARE] += 1.2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TunedSVC("rbf", Cs=[1.0], class_weight="balanced", scoring="balanced_accuracy").fit(X, y)
    held = model.fit_record_
    recall = np.mean(held.predicted[held.truth == 1] == 1)
    assert 0.0 < recall < 1.0
    assert model.result_.standard_error >= 0.5 * np.sqrt(recall * (1.0 - recall) / (N_RARE - 1))
