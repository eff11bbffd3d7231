"""The mathematics of conformal prediction: against definitions, brute force and MAPIE."""

from __future__ import annotations

import numpy as np
import pytest
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from kernelwise import conformal
from kernelwise.conformal import (
    Spread,
    conformal_quantile,
    fewest_rows,
    fit_spread,
    least_probabilities,
    p_values,
    parts_of,
)

ONES = np.ones(99)


class Identity(RegressorMixin, BaseEstimator):
    """Predicts the first column."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


class Given(ClassifierMixin, BaseEstimator):
    """Whose probabilities are the columns."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_quantile_is_the_kth_smallest_of_n_plus_one(coverage):
    scores = np.random.default_rng(0).permutation(99) + 1.0
    assert conformal_quantile(scores, ONES, coverage) == round(100 * coverage)


def test_quantile_of_copies_is_that_of_weights():
    rng = np.random.default_rng(1)
    scores, weight = rng.normal(size=40), rng.integers(1, 5, 40).astype(float)
    repeated = np.repeat(scores, weight.astype(int))
    for coverage in (0.1, 0.5, 0.77, 0.9, 0.98):
        assert conformal_quantile(scores, weight, coverage) == conformal_quantile(
            repeated, np.ones(len(repeated)), coverage
        )


def test_weights_that_sum_to_one_are_as_good_as_equal_ones():
    scores = np.random.default_rng(2).normal(size=50)
    assert conformal_quantile(scores, np.full(50, 0.02), 0.9) == conformal_quantile(scores, np.ones(50), 0.9)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
def test_too_few_rows_have_no_finite_quantile(coverage):
    n = fewest_rows(coverage)
    assert np.isfinite(conformal_quantile(np.arange(n) * 1.0, np.ones(n), coverage))
    assert np.isinf(conformal_quantile(np.arange(n - 1) * 1.0, np.ones(n - 1), coverage))


def test_p_value_counts_rows_and_the_new_one():
    scores = np.array([3.0, 1.0, 2.0, 2.0])
    found = p_values(np.array([0.0, 1.0, 2.0, 2.5, 9.0]), scores, np.ones(4))
    assert_allclose(found, [0.2, 0.4, 0.8, 0.8, 1.0])


def test_p_values_are_never_too_small():
    rng = np.random.default_rng(3)
    found = [p_values(rng.normal(size=1), rng.normal(size=19), np.ones(19))[0] for _ in range(4000)]
    assert_allclose(np.bincount(np.rint(20 * np.array(found)).astype(int), minlength=21)[1:], 200, atol=60)


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_intervals_of_constant_width_are_those_of_mapie(coverage):
    rng = np.random.default_rng(4)
    X, new = rng.normal(size=(150, 1)), rng.normal(size=(5, 1))
    y = X[:, 0] + rng.normal(size=150)
    theirs = SplitConformalRegressor(Identity().fit(X, y), coverage, prefit=True)
    _, intervals = theirs.conformalize(X, y).predict_interval(new)
    limit = conformal_quantile(np.abs(y - X[:, 0]), np.ones(150), coverage)
    assert_allclose(intervals[:, :, 0], np.column_stack([new[:, 0] - limit, new[:, 0] + limit]))


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_sets_are_those_of_mapie(coverage):
    rng = np.random.default_rng(5)
    P, new = rng.dirichlet(np.ones(4), 203), rng.dirichlet(np.ones(4), 50)
    y = np.array([rng.choice(4, p=p) for p in P])
    theirs = SplitConformalClassifier(Given().fit(P, y), coverage, prefit=True, conformity_score="lac")
    _, sets = theirs.conformalize(P, y).predict_set(new)
    limits = least_probabilities(P[np.arange(203), y], y, np.ones(203), 4, coverage, by_class=False)
    assert_array_equal(new >= limits, sets[:, :, 0])


def test_limits_by_class_are_those_of_the_rows_of_the_class():
    rng = np.random.default_rng(6)
    p, truth = rng.uniform(size=120), np.repeat([0, 1, 2], [100, 18, 2])
    limits = least_probabilities(p, truth, np.ones(120), 3, 0.9, by_class=True)
    for k in (0, 1):
        own = least_probabilities(
            p[truth == k], truth[truth == k], np.ones(int(np.sum(truth == k))), 3, 0.9, False
        )
        assert limits[k] == own[0]
    assert limits[2] == -np.inf  # two rows tell nothing: the class is in all sets


def noisy(n, seed=0):
    """Rows, predictions and errors whose size grows with the first column."""
    rng = np.random.default_rng(seed)
    Z = rng.uniform(-1.5, 1.5, (n, 2))
    return Z, np.sin(Z[:, 1]), np.exp(Z[:, 0]) * rng.laplace(size=n)


def test_spread_follows_the_size_of_errors():
    Z, predictions, errors = noisy(1200)
    spread, of_rows = fit_spread(Z, predictions, errors, np.ones(1200), np.arange(1200) % 5, np.arange(80))
    for found in (of_rows, spread(Z, predictions)):
        assert np.std(np.log(found) - Z[:, 0]) < 0.2
        assert abs(np.mean(np.log(found) - Z[:, 0])) < 0.1


def test_spread_of_equal_errors_is_constant():
    rng = np.random.default_rng(7)
    Z, errors = rng.normal(size=(60, 3)), np.where(np.arange(60) % 2, 0.5, -0.5)
    spread, of_rows = fit_spread(Z, Z[:, 0], errors, np.ones(60), np.arange(60) % 5, np.arange(60))
    assert_allclose(spread(Z, Z[:, 0]), 0.5)
    assert_allclose(of_rows, 0.5)


def test_spread_of_a_row_does_not_see_its_own_error():
    Z, predictions, errors = noisy(200)
    part = np.arange(200) % 5
    how = np.ones(200), part, np.arange(50)
    before = fit_spread(Z, predictions, errors, *how)[1]
    changed = np.where(part == 2, 1.05 * errors, errors)
    after = fit_spread(Z, predictions, changed, *how)[1]
    assert_allclose(after[part == 2], before[part == 2], rtol=1e-6)
    assert (after[part != 2] != before[part != 2]).all()


def test_log_spread_is_the_minimum_of_its_objective():
    rng = np.random.default_rng(8)
    features = np.column_stack([rng.normal(size=(80, 6)), np.ones(80)])
    sizes, weight = rng.exponential(np.exp(features[:, 0])), rng.uniform(0.5, 2.0, 80)
    sizes = np.maximum(sizes, conformal.LEAST_ERROR * np.average(sizes, weights=weight))
    for penalty in (0.3, 10.0, 300.0):
        found = conformal._log_spread(features, sizes, weight)(penalty)

        def loss(theta, penalty=penalty):
            eta = features @ theta
            return weight @ (eta + sizes * np.exp(-eta)) + 0.5 * penalty * np.sum(theta[:-1] ** 2)

        best = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-8})
        assert loss(found) - best.fun < 1e-4
        assert_allclose(found, best.x, atol=0.01)


def test_spread_of_copies_is_that_of_weights():
    Z, predictions, errors = noisy(60)
    weight, part = np.random.default_rng(9).integers(1, 4, 60), np.arange(60) % 5
    rows = np.repeat(np.arange(60), weight)
    one = fit_spread(Z, predictions, errors, weight.astype(float), part, np.arange(30))[0]
    first = np.searchsorted(rows, np.arange(30))
    other = fit_spread(Z[rows], predictions[rows], errors[rows], np.ones(len(rows)), part[rows], first)[0]
    assert_allclose(one(Z, predictions), other(Z, predictions), rtol=1e-6)


def test_spread_without_rows_depends_on_predictions():
    rng = np.random.default_rng(10)
    predictions = rng.uniform(-2.0, 2.0, 800)
    errors = np.exp(predictions) * rng.normal(size=800)
    spread, _ = fit_spread(None, predictions, errors, np.ones(800), np.arange(800) % 5, np.arange(80))
    at = spread(None, np.array([-1.5, 0.0, 1.5]))
    assert (at[1:] > 2.0 * at[:-1]).all()


def test_blocks_do_not_matter(monkeypatch):
    Z, predictions, _ = noisy(50)
    spread = Spread(Z[:9], predictions[:9], np.linspace(-1.0, 1.0, 9), 1.0, 0.3)
    whole = spread(Z, predictions)
    monkeypatch.setattr(conformal, "BLOCK", 7)
    assert_allclose(spread(Z, predictions), whole, rtol=1e-14)


def test_parts_keep_folds_together_and_rows_that_are_held_out_twice():
    fold = np.repeat(np.arange(25), 2)
    part = parts_of(fold, np.arange(50))
    assert len(np.unique(part)) == conformal.MOST_PARTS
    assert all(len(set(part[fold == k])) == 1 for k in range(25))
    rows = np.tile(np.arange(25), 2)
    part = parts_of(np.repeat([0, 1], 25), rows)
    assert_array_equal(part[:25], part[25:])
    assert len(np.unique(parts_of(np.zeros(30), np.arange(30)))) == conformal.FEWEST_PARTS


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.1, 90, "0.9", None, np.nan, True])
def test_what_is_no_coverage_is_refused(coverage):
    with pytest.raises(ValueError, match="coverage"):
        conformal.check_coverage(coverage)


def test_a_score_that_is_no_number_has_no_p_value():
    found = p_values(np.array([np.nan, -1.0, 9.0]), np.arange(9.0), np.ones(9))
    np.testing.assert_array_equal(found, [np.nan, 0.1, 1.0])


def test_weights_of_one_class_have_its_own_unit():
    """Classes of the same total weight: each covers by its own rows."""
    truth = np.repeat([0, 1], [30, 300])
    weight = np.where(truth == 0, 0.5 / 30, 0.5 / 300)
    p = np.linspace(0.1, 0.9, 330)
    limits = least_probabilities(p, truth, weight, 2, 0.9, by_class=True)
    for k in (0, 1):
        rows = truth == k
        alone = least_probabilities(p[rows], truth[rows], np.ones(rows.sum()), 2, 0.9, by_class=True)
        assert limits[k] == alone[k]
