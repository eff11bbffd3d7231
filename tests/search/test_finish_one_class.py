"""What scores of a one-class machine mean: thresholds, tails, probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.search.final.one_class import Tail, fit_sigmoid, some_of, threshold_at


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_no_sample_leaves_out_a_row_with_many_copies():
    weight = np.where(np.arange(900) == 700, 600.0, 1.0)
    found = some_of(weight, 50, 0)
    assert len(found) == 50
    assert 700 in found


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
