"""The standard error of a score of values, such as ROC AUC, by the rows of each fold."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold

from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.search.engine.context import FitContext
from kernelwise.search.fit import prepare_fit
from kernelwise.search.result import Choice
from kernelwise.search.verdict.summary import N_PARTS, rows_error

N = 200


def searched(make=TunedSVC, groups=None, y=None, **how):
    """A validator that has scored one kernel at one C, and the choice of it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 2))
    noisy = X[:, 0] + 1.5 * rng.normal(size=N)
    y = y if y is not None else noisy if make is TunedSVR else (noisy > 0.5).astype(int)
    model = make(**how)
    settings, context = model._settings(), FitContext()
    data = model._read(X, y, None, context, model._route(None, groups, {}))
    validator = prepare_fit(model, data, settings, model._family(), context)[0]
    validator.score(RBF(0.5), "test", Cs=np.array([1.0]))
    return validator, Choice(validator.scored[0])


def test_the_error_of_an_area_is_that_of_delong():
    """Of each fold, by the shares of rows of the other class that a row is on the right side of."""
    validator, choice = searched(scoring="roc_auc", cv=2)
    values, truth, variance = choice.decision[:, 0], validator.held_out.y, 0.0
    for place in validator.places:
        low, high = (values[place][truth[place] == k] for k in (0, 1))
        below = low[:, None] < high
        variance += below.mean(axis=1).var(ddof=1) / len(low) + below.mean(axis=0).var(ddof=1) / len(high)
    assert_allclose(rows_error(validator, choice), np.sqrt(variance) / 2, rtol=0.35)


def test_the_error_of_a_mean_is_that_of_its_parts():
    """The jackknife of a mean is the standard error of a mean of parts."""
    validator, choice = searched(TunedSVR, scoring="neg_mean_absolute_error", cv=4)
    error = np.abs(validator.held_out.y - choice.decision[:, 0]) * validator.family.deviation
    exact = np.sqrt(sum(error[place].var(ddof=1) / len(place) for place in validator.places)) / 4
    assert_allclose(rows_error(validator, choice), exact, rtol=0.3)


def test_rows_of_a_group_are_left_out_together():
    group = np.arange(N) // 10  # of four folds, five groups each: fewer than parts
    validator, choice = searched(scoring="roc_auc", cv=StratifiedGroupKFold(4), groups=group)
    cluster = np.empty(len(validator.held_out), dtype=int)
    cluster[validator.tested] = validator.clusters[0]
    values, truth, variance = choice.decision[:, 0], validator.held_out.y, 0.0
    for place in validator.places:
        of_fold = np.unique(cluster[place])
        assert len(of_fold) < N_PARTS
        kept = [place[cluster[place] != one] for one in of_fold]
        scores = [roc_auc_score(truth[rows], values[rows]) for rows in kept]
        variance += (len(scores) - 1) * np.var(scores)
    assert_allclose(rows_error(validator, choice), np.sqrt(variance) / 4, rtol=1e-12)


def test_rows_that_are_held_out_several_times_are_no_more_rows():
    once, thrice = (
        rows_error(
            *searched(scoring="roc_auc", cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=n, random_state=0))
        )
        for n in (1, 3)
    )
    assert_allclose(thrice, once, rtol=0.3)


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy"])
def test_the_unit_of_weights_does_not_matter(scoring):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)
    X[:, 0] += y
    told = []
    for weight in (1.0, 0.25, 2.0**-7):
        model = TunedSVC("rbf", Cs=[1.0 / weight], scoring=scoring)
        model.fit(X, y, sample_weight=np.full(120, weight))
        told.append(model.result_.standard_error)
    assert_allclose(told, told[0], rtol=1e-6)


def test_a_fold_of_few_rows_warns_of_nothing():
    X = np.random.default_rng(0).normal(size=(12, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", KernelwiseWarning)
        for scoring in ("r2", "d2_absolute_error_score"):
            assert np.isfinite(TunedSVR("rbf", scoring=scoring).fit(X, X[:, 0]).result_.standard_error)


def test_names_of_classes_do_not_matter():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 3, 80)
    told = [
        TunedSVC("rbf", Cs=[1.0], scoring="neg_log_loss").fit(X, names[y]).result_.standard_error
        for names in (np.array(["a", "b", "c"]), np.array(["c", "a", "b"]))
    ]
    assert_allclose(*told, rtol=1e-9)


@pytest.mark.parametrize("scoring", [make_scorer(roc_auc_score, response_method="decision_function")])
def test_a_function_of_the_user_sees_whole_folds(scoring):
    assert np.isnan(rows_error(*searched(scoring=scoring)))


def test_the_only_row_of_a_class_in_a_fold_leaves_the_spread_over_folds():
    X, y = np.random.default_rng(0).normal(size=(N, 2)), (np.arange(N) < 5).astype(int)
    assert np.isnan(rows_error(*searched(y=y, scoring="roc_auc", cv=5)))
    assert np.isfinite(TunedSVC("rbf", cv=5, scoring="roc_auc").fit(X, y).result_.standard_error)
