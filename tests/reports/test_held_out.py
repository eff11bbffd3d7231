"""Reliability against scikit-learn's, and counts of small tables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score

from kernelwise import TunedSVC
from kernelwise.reports.held_out import Unseen, class_factors, reliability, some_rows


def answers(truth, predicted, weight, *, source="test", classes=("a", "b"), p=None, note=""):
    """Answers to rows, by default without probabilities."""
    p = np.full(len(truth), 0.5) if p is None else p
    return Unseen(source, classes, truth, predicted, p, weight, note)


def test_reliability_is_the_quantile_curve_of_scikit_learn():
    random = np.random.default_rng(0)
    p = random.permutation(1000)[:200] / 1000
    hit = random.uniform(size=200) < p**2
    curve = reliability("test", "x", p, hit, np.ones(200))
    observed, predicted = calibration_curve(hit, p, n_bins=10, strategy="quantile")
    assert_allclose(curve.observed, observed)
    assert_allclose(curve.predicted, predicted)
    assert curve.brier == pytest.approx(brier_score_loss(hit, p))
    assert curve.gap == pytest.approx(np.mean(np.abs(observed - predicted)))
    assert_allclose(curve.errors, np.sqrt(observed * (1.0 - observed) / 20))


def test_weighted_samples_are_repeated_ones_to_reliability():
    p, hit, weight = np.array([0.1, 0.4, 0.9]), np.array([False, True, True]), np.array([12.0, 8.0, 20.0])
    ours = reliability("test", "x", p, hit, weight)
    rows = np.repeat(np.arange(3), weight.astype(int))
    theirs = reliability("test", "x", p[rows], hit[rows], np.ones(40))
    assert ours.brier == pytest.approx(theirs.brier)
    assert ours.gap == pytest.approx(theirs.gap)
    assert ours.weights.sum() == 40


def test_class_weights_make_no_more_rows():
    random = np.random.default_rng(0)
    p = random.uniform(size=4000)
    hit = random.uniform(size=4000) < p
    factor = np.where(hit, 9.0, 1.0)
    curve = reliability("test", "x", p, hit, np.ones(4000), factor)
    assert curve.has_class_weights
    assert "with the class weights: the prob" in curve.heading
    assert "a rare class is less frequent than its probability suggests" in curve.note
    # One group: the error of a weighted share, against that from resampled rows.
    one = reliability("test", "x", np.full(200, 0.5), hit[:200], np.ones(200), factor[:200])
    drawn = random.integers(200, size=(4000, 200))
    spread = np.std((factor * hit)[drawn].sum(axis=1) / factor[drawn].sum(axis=1))
    assert one.errors[0] == pytest.approx(spread, rel=0.1)
    plain = reliability("test", "x", p, hit, np.ones(4000))
    assert (plain.has_class_weights, plain.note) == (False, "")


def test_one_probability_is_one_group():
    hit = np.arange(100) % 4 == 0
    curve = reliability(
        "test", "x", 0.25 + 1e-6 * np.random.default_rng(0).normal(size=100), hit, np.ones(100)
    )
    assert (len(curve.weights), curve.observed[0]) == (1, 0.25)
    assert curve.gap < 1e-6


def test_no_probabilities_no_curve():
    assert reliability("test", "x", np.empty(0), np.empty(0, bool), np.empty(0)) is None


def test_top_label_leaves_out_rejected_samples():
    truth, predicted = np.array([0, 1, 2, 2]), np.array([0, 1, 1, -1])
    p = np.array([0.9, 0.8, 0.6, 0.5])
    curve = answers(truth, predicted, np.ones(4), classes=["a", "b", "c"], p=p).reliability(np.ones(3))
    assert curve.weights.sum() == 3
    assert curve.observed.sum() == 2


def test_confusion_counts_by_hand():
    table = answers(np.array([0, 0, 1, 1]), np.array([0, 1, 1, -1]), np.full(4, 2.0)).confusion()
    assert_array_equal(table.counts, [[2, 2, 0], [0, 2, 2]])
    assert table.n_wrong == 4
    assert_array_equal(table.recall, [0.5, 0.5])
    assert table.worst() == [("a", "b", 2.0), ("b", "rejected", 2.0)]
    assert_array_equal(table.precision, [1.0, 0.5])
    assert (
        table.heading == "Test rows: 4 of 8 rows wrong, the most frequent error is “a” predicted as “b” (2)"
    )


def test_confusion_states_no_second_total_where_labels_differ_from_the_scored_ones():
    truth, predicted = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    same, other = (
        answers(truth, predicted, np.ones(4), source="held out", note=note).confusion()
        for note in ("", "Other rows.")
    )
    assert (
        same.heading
        == "Held-out rows: 1 of 4 rows wrong, the most frequent error is “a” predicted as “b” (1)"
    )
    assert other.heading == "Held-out rows: the most frequent error is “a” predicted as “b” (1)"
    same = answers(truth, truth, np.ones(4), source="held out", note="Other rows.").confusion()
    assert same.heading == "Held-out rows"


def test_precision_of_a_class_that_nothing_was_called_is_not_known():
    table = answers(np.array([0, 1]), np.array([0, 0]), np.ones(2)).confusion()
    assert_array_equal(table.precision, [0.5, np.nan])


def test_roc_is_that_of_scikit_learn_with_weights():
    random = np.random.default_rng(0)
    y = np.arange(3000) % 2
    p = np.clip(random.normal(0.4 + 0.2 * y, 0.2), 0, 1).round(3)
    weight = random.integers(1, 4, size=3000).astype(float)
    curve = answers(y, y, weight, p=p).roc()
    assert curve.area == pytest.approx(roc_auc_score(y, p, sample_weight=weight))
    assert len(curve.found) <= 500
    assert_array_equal([curve.found[[0, -1]], curve.false_alarms[[0, -1]]], [[0, 1], [0, 1]])
    assert f"{100 * curve.area:.1f} % of all pairs" in curve.heading
    assert answers(np.ones(5, int), np.ones(5, int), np.ones(5)).roc() is None


def test_rows_for_a_plot_are_bounded_and_in_order():
    rows = some_rows(10_000)
    assert len(rows) == 2000
    assert (np.diff(rows) > 0).all()
    assert_array_equal(some_rows(7), np.arange(7))


def test_probabilities_of_earlier_files_know_no_class_weights(blobs):
    X, y = blobs
    model = TunedSVC("rbf", class_weight={-1: 4.0, 1: 1.0}, Cs=[1.0]).fit(X, y)
    truth, weight = model.fit_record_.truth, model.fit_record_.weight
    assert_allclose(class_factors(model, truth, weight), [4.0, 1.0])
    model._knows_class_weights = False  # as the file of an earlier version says
    assert_allclose(class_factors(model, truth, weight), [1.0, 1.0])
    assert_allclose(class_factors(model.fit(X, y), truth, weight), [4.0, 1.0])
