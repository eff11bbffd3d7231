"""How a one-class machine is chosen: areas, thresholds, tails, rows that could not be, widths, scaling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from kernelwise.kernels import RBF, Laplacian
from kernelwise.search.data.scaling import NORMAL_RANGE, fit_scaler
from kernelwise.search.families.one_class.candidates import AUTO, candidates
from kernelwise.search.families.one_class.doubts import area_error
from kernelwise.search.families.one_class.tail import Tail, fit_sigmoid, threshold_at
from kernelwise.search.families.one_class.validator import OneClassValidator, Rows, area, pseudo_outliers
from kernelwise.solvers.one_class import solve_one_class


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_area_is_scikit_learns_with_weights_and_ties(rng):
    high, low = rng.integers(8, size=40).astype(float), rng.integers(6, size=30).astype(float)
    weight, other = rng.integers(1, 4, size=40).astype(float), rng.random(30)
    truth, values = np.r_[np.ones(40), np.zeros(30)], np.r_[high, low]
    expected = roc_auc_score(truth, values, sample_weight=np.r_[weight, other])
    assert area(high, low, weight, other) == pytest.approx(expected, abs=1e-12)


def test_threshold_leaves_the_share_below_and_counts_weights_as_copies(rng):
    scores, weight = rng.normal(size=200), rng.integers(1, 4, size=200).astype(float)
    found = threshold_at(scores, weight, 0.1)
    repeated = np.repeat(scores, weight.astype(int))
    assert found == threshold_at(repeated, np.ones(len(repeated)), 0.1)
    assert abs((repeated < found.value).mean() - 0.1) <= weight.max() / len(repeated)
    plain = threshold_at(scores, np.ones(200), 0.1)
    assert (scores < plain.value).sum() == 20
    # The nearest number of rows where the share is no whole one, and a row at the threshold is never split.
    assert [(scores < threshold_at(scores, np.ones(200), c).value).sum() for c in (0.1024, 0.1026)] == [
        20,
        21,
    ]
    tied = np.array([0.0, 1.0, 1.0, 1.0, 2.0])
    assert [threshold_at(tied, np.ones(5), c).value for c in (0.05, 0.3, 0.5)] == [0.0, 0.5, 0.5]


def test_error_of_a_threshold_is_that_of_repeated_samples():
    rng = np.random.default_rng(0)
    found = [threshold_at(rng.normal(size=500), np.ones(500), 0.1) for _ in range(300)]
    true = np.std([one.value for one in found])
    assert np.mean([one.error for one in found]) == pytest.approx(true, rel=0.1)


def test_tail_gives_shares_of_usual_rows_and_goes_on_beyond_them(rng):
    seen, new = np.exp(-rng.exponential(size=1000)), np.exp(-rng.exponential(size=20000))
    tail = Tail.of(seen, np.ones(1000), is_log=True)
    shares = tail.share_beyond(new)
    for level in (0.5, 0.1, 0.01):  # of usual rows, a share is at least so strange
        assert (shares <= level).mean() == pytest.approx(level, rel=0.25)
    # Of exponential strangeness, e⁻²⁰ beyond 20: the tail is extrapolated, not cut.
    assert np.log(tail.share_beyond(np.exp([-20.0]))[0]) == pytest.approx(-20.0, rel=0.2)
    assert tail.share_beyond(np.array([0.0]))[0] == 0.0
    assert (np.diff(tail.share_beyond(np.exp(-np.linspace(0, 30, 200)))) <= 0.0).all()


def test_probability_is_one_half_at_the_threshold_and_rises_to_one(rng):
    scores = np.exp(-rng.exponential(size=2000))
    tail, threshold = Tail.of(scores, np.ones(2000), True), threshold_at(scores, np.ones(2000), 0.05)
    assert tail.probability(np.array([threshold.value]), 0.05)[0] == pytest.approx(0.5, abs=0.02)
    assert tail.probability(np.array([1.0, 1e-30, 0.0]), 0.05) == pytest.approx([1 / 21, 1, 1], abs=1e-3)
    for share in (0.0131, 0.3, 0.5):  # labels and probabilities agree, row by row
        value = threshold_at(scores[:150], np.ones(150), share).value
        p = Tail.of(scores[:150], np.ones(150), True).probability(scores[:150], share)
        assert np.array_equal(p > 0.5, scores[:150] < value)


def test_sigmoid_of_labels_has_the_share_that_is_asked_for(rng):
    scores = np.exp(-np.r_[rng.normal(2.0, 1.0, 1900), rng.normal(5.0, 1.0, 100)])
    is_outlier = np.arange(2000) >= 1900
    tail = Tail.of(scores[~is_outlier], np.ones(1900), True)
    p = tail.sigmoid(scores, fit_sigmoid(tail, scores, is_outlier, np.ones(2000), 0.05))
    assert p.mean() == pytest.approx(0.05, abs=0.003)  # as a fitted sigmoid has it
    # Two normal variables one deviation wide: log odds are 3t − 10.5 + log(0.05 / 0.95).
    at = 3.0 * 4.0 - 10.5 + np.log(0.05 / 0.95)
    value = tail.sigmoid(np.exp([-4.0]), fit_sigmoid(tail, scores, is_outlier, np.ones(2000), 0.05))[0]
    assert value == pytest.approx(1.0 / (1.0 + np.exp(-at)), abs=0.1)


def test_rows_that_could_not_be_are_wrong_in_three_ways(rng):
    Z = np.column_stack([t := rng.normal(size=400), t, rng.integers(2, size=400)])
    made = pseudo_outliers(Z, np.ones(400), np.array([0, 1, 1]), 0)
    assert all(rows.shape == Z.shape for rows in made.values())
    low, high = Z.min(axis=0), Z.max(axis=0)
    assert ((made["inside"] >= low) & (made["inside"] <= high)).all()
    assert not ((made["box"] >= low) & (made["box"] <= high)).all()
    assert np.isin(made["mixed"], Z).all()  # real values, but no longer connected …
    assert (made["mixed"][:, 0] != made["mixed"][:, 1]).mean() > 0.4
    pairs = {tuple(pair) for pair in Z[:, 1:]}
    assert all(tuple(pair) in pairs for pair in made["mixed"][:, 1:])  # … except within a column
    again = pseudo_outliers(Z, np.full(400, 2.0), np.array([0, 1, 1]), 0)
    assert np.array_equal(made["mixed"], again["mixed"])


def test_widths_follow_the_median_distance_and_weights_are_copies(rng):
    Z = rng.normal(size=(60, 3))
    found = candidates("auto", Z, np.ones(60), has_labels=False)
    assert [(one.form, one.factor) for one in found] == list(AUTO)
    upper = np.triu_indices(60, 1)
    D = np.abs(Z[:, None] - Z).sum(axis=2)[upper]
    assert found[0].kernel.gamma == pytest.approx(4.0 / np.sort(D)[(len(D) - 1) // 2], rel=1e-9)
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)[upper]
    assert found[2].kernel.gamma == pytest.approx(8.0 / np.sort(D)[(len(D) - 1) // 2], rel=1e-9)
    weight = np.where(np.arange(60) < 20, 3.0, 1.0)
    copies = np.repeat(Z, weight.astype(int), axis=0)
    weighted, repeated = (
        candidates("auto", X, w, has_labels=False) for X, w in ((Z, weight), (copies, np.ones(100)))
    )
    assert [one.kernel for one in weighted] == [one.kernel for one in repeated]
    whitened = [one for one in candidates("auto", Z, np.ones(60), has_labels=True) if one.form == "whitened"]
    assert len(whitened) == 2
    assert [
        type(one.kernel) for one in candidates(["rbf", Laplacian(2.0)], Z, np.ones(60), has_labels=False)
    ] == [
        *[RBF] * 4,
        Laplacian,
    ]


def test_held_out_scores_are_those_of_machines_trained_without_the_row(rng):
    Z, label = rng.normal(size=(40, 2)), np.r_[np.zeros(37, int), -np.ones(3, int)]
    validator = OneClassValidator(Rows(Z, np.ones(40), label), 3, "roc_auc", 0, {"tol": 1e-6, "max_iter": -1})
    kernel = candidates("rbf", Z, np.ones(40), has_labels=True)[0]
    scored = validator.score(kernel, (0.3,))[0]
    K, expected, areas = kernel.kernel(Z), np.zeros(40), []
    assert set(validator.fold) == {-1, 0, 1, 2}
    for k in range(3):
        train, test = (
            np.flatnonzero((validator.fold != k) & (label == 0)),
            np.flatnonzero(validator.fold == k),
        )
        beta = solve_one_class(K[np.ix_(train, train)], 0.3, tol=1e-6).beta
        values = K[:, train] @ beta / beta.sum()
        expected[test] = values[test]
        expected[label < 0] += values[label < 0] / 3
        areas.append(roc_auc_score(np.r_[np.ones(len(test)), np.zeros(3)], values[np.r_[test, 37:40]]))
    assert scored.held_out == pytest.approx(expected, rel=1e-9)
    assert scored.scores == pytest.approx(areas)
    assert area_error(50, 50) == pytest.approx(np.sqrt(101 / (12 * 2500)))


def test_robust_scaling_has_quartiles_copies_gaps_and_a_fallback(rng):
    X = np.column_stack([rng.normal(5.0, 2.0, size=101), np.arange(101) < 10])
    scaler = fit_scaler("robust", X, None, "me")
    low, middle, high = np.quantile(X[:, 0], [0.25, 0.5, 0.75])
    assert scaler.mean_[0] == pytest.approx(middle)
    assert scaler.scale_[0] == pytest.approx((high - low) / NORMAL_RANGE)
    assert scaler.scale_[1] == pytest.approx(X[:, 1].std())  # no range: its standard deviation
    weight = np.where(np.arange(101) < 30, 2.0, 1.0)
    weighted = fit_scaler("robust", X, weight, "me")
    repeated = fit_scaler("robust", np.repeat(X, weight.astype(int), axis=0), None, "me")
    assert weighted.mean_[0] == repeated.mean_[0]
    assert weighted.scale_ == pytest.approx(repeated.scale_)
