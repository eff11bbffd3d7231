"""Several scores at once: one steers the search, and the table has all of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_wine

import kernelwise
from kernelwise import TunedSVC, TunedSVR


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_the_search_is_that_of_the_named_score(wine):
    both = TunedSVC("rbf", scoring=["accuracy", "neg_log_loss"], refit="neg_log_loss").fit(*wine)
    alone = TunedSVC("rbf", scoring="neg_log_loss").fit(*wine)
    assert both.best_params_ == alone.best_params_
    assert both.best_score_ == alone.best_score_
    assert both.score(*wine) == alone.score(*wine)
    table = both.cv_results_
    assert_array_equal(table["mean_test_score"], table["mean_test_neg_log_loss"])
    assert_array_equal(table["rank_test_score"], alone.cv_results_["rank_test_score"])


def test_the_other_scores_are_those_of_a_search_by_them(wine):
    Cs = [0.1, 1.0, 10.0]
    scores = {"share": "accuracy", "loss": "neg_log_loss", "macro": "f1_macro"}
    model = TunedSVC("linear", Cs=Cs, scoring=scores, refit="share").fit(*wine)
    for name, score in scores.items():
        alone = TunedSVC("linear", Cs=Cs, scoring=score).fit(*wine)
        # Decision values are kept in single precision for them.
        assert_allclose(
            model.cv_results_[f"mean_test_{name}"], alone.cv_results_["mean_test_score"], rtol=1e-5
        )


def test_regressions_have_several_scores(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    scores = ["r2", "neg_mean_absolute_error"]
    model = TunedSVR("rbf", scoring=scores, refit="neg_mean_absolute_error").fit(X, y)
    assert model.best_score_ == model.cv_results_["mean_test_neg_mean_absolute_error"][model.best_index_]
    assert np.isfinite(model.cv_results_["mean_test_r2"]).all()
    model.save(tmp_path / "model.kw")
    assert kernelwise.load(tmp_path / "model.kw").score(X, y) == model.score(X, y)


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("'refit' of TunedSVC must name the score", {"scoring": ["accuracy", "f1_macro"]}),
        ("one of 'accuracy', because", {"scoring": ["accuracy"], "refit": "f1"}),
        ("list of different names", {"scoring": ["accuracy", "accuracy"], "refit": "accuracy"}),
        ("list of different names", {"scoring": [], "refit": "accuracy"}),
        ("list of different names", {"scoring": [["accuracy"]], "refit": "accuracy"}),
        ("list of different names", {"scoring": 3}),
        ("'refit' of TunedSVC must be True, False", {"refit": "accuracy"}),
    ],
)
def test_bad_lists_are_refused(wine, message, settings):
    with pytest.raises(ValueError, match=message):
        TunedSVC("rbf", **settings).fit(*wine)
