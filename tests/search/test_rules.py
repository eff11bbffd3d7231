"""One standard error, and what is within it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from kernelwise import TunedSVC
from kernelwise.search.engine.rules import is_better, most_regularised_within, simplest_within, standard_error


def test_a_share_has_the_error_of_a_share():
    scores = np.array([[0.8, 0.9, 1.0], [1.0, 1.0, 1.0]])
    assert_allclose(standard_error(scores, 150.0, is_share=True), [np.sqrt(0.9 * 0.1 / 150), 0.0])


def test_the_error_of_a_share_is_what_draws_of_it_scatter_by():
    random = np.random.default_rng(0)
    shares = (random.random((20_000, 60)) < 0.7).mean(axis=1)
    errors = standard_error(shares[:, None], 60, is_share=True)
    assert errors.mean() == pytest.approx(shares.std(), rel=0.02)


def test_other_scores_have_that_of_the_folds():
    """ROC AUC lies between 0 and 1, too, and is no share of samples."""
    scores = np.array([[0.8, 0.9, 1.0]])
    assert_allclose(standard_error(scores, 150.0, is_share=False), [0.1 / np.sqrt(3)])
    assert np.isnan(standard_error(np.array([[0.9]]), 150.0, is_share=False)).all()


@pytest.mark.parametrize(("scoring", "is_share"), [(None, True), ("accuracy", True), ("roc_auc", False)])
def test_a_model_has_one_for_every_candidate(scoring, is_share):
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC(Cs=[1.0, 10.0], scoring=scoring, blend=False).fit(X[:150], y[:150])
    table = model.cv_results_
    folds = np.stack([table[f"split{k}_test_score"] for k in range(model.n_splits_)], axis=1)
    assert_allclose(table["standard_error"], standard_error(folds, 150, is_share))
    # What is told also has the error of the training rows, and of the choice.
    assert model.result_.standard_error > table["standard_error"][model.best_index_]


def test_the_simplest_within_one_error_of_the_best():
    scores, errors = np.array([0.90, 0.91, 0.92]), np.array([0.5, 0.5, 0.011])
    assert simplest_within(scores, np.array([1, 2, 3]), errors) == 1
    assert simplest_within(scores, np.array([1, 2, 3]), np.full(3, 0.02)) == 0
    assert simplest_within(scores, np.array([1, 2, 3]), np.full(3, np.nan)) == 2
    assert simplest_within(scores, np.array([1, 1, 3]), np.full(3, 0.02)) == 1  # the best of equally simple


def test_the_strongest_regularisation_within_an_error():
    strength, scores = np.array([4.0, 1.0, 2.0, 0.5]), np.array([0.92, 0.90, 0.915, 0.5])
    assert most_regularised_within(strength, scores, 0, 0.01) == 2
    assert most_regularised_within(strength, scores, 0, 0.03) == 1
    assert most_regularised_within(strength, scores, 0, np.nan) == 0
    may_be = np.array([False, False, True, True])
    assert most_regularised_within(strength, scores, 0, 0.03, may_be) == 2


def test_a_gain_must_be_more_than_chance():
    assert is_better(0.92, 0.90, np.array([0.02, 0.02, 0.02]))
    assert not is_better(0.92, 0.90, np.array([0.2, -0.16, 0.02]))
