"""Standard errors of criteria and peaks over other rows, from groups of rows that a sketch does without."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import DistanceSketch
from kernelwise.criteria import as_criterion
from kernelwise.kernels import RBF
from kernelwise.sketch.pass_over_pairs import assign_groups

NAMES = ("dbtc", "esdr", "j4", "kta", "dbtc-unbiased", "esdr-trimmed")


def draw(random, n=90):
    """Two clouds of unequal sizes and spreads."""
    y = np.arange(n) % 3 == 0
    return random.normal(size=(n, 2)) * np.where(y, 1.5, 1.0)[:, None] + 1.5 * y[:, None], y


X, Y = draw(np.random.default_rng(0))


def test_the_sums_are_those_of_a_sketch_without_groups():
    plain, grouped = DistanceSketch.from_data(X, Y), DistanceSketch.from_data(X, Y, n_groups=7)
    gammas = np.geomspace(0.01, 10.0, 5)
    np.testing.assert_allclose(grouped.sums(gammas).S, plain.sums(gammas).S, rtol=1e-7)
    np.testing.assert_array_equal(grouped.n, plain.n)
    np.testing.assert_allclose(grouped.groups.n.sum(axis=0), plain.n)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_without_a_group_it_is_the_sketch_of_the_other_rows(is_weighted):
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(Y)) if is_weighted else None
    sketch = DistanceSketch.from_data(X, Y, sample_weight=w, n_groups=5, random_state=3)
    groups = assign_groups(Y.astype(int), np.array([False, True]), 5, 3)
    for g, histograms in enumerate(sketch._without_one):
        rows = groups != g
        rest = DistanceSketch.from_data(X[rows], Y[rows], sample_weight=None if w is None else w[rows])
        np.testing.assert_allclose(histograms.n, rest.n)
        np.testing.assert_allclose(
            histograms.class_sums(np.array([0.1, 1.0])).S, rest.sums([0.1, 1.0]).S, rtol=1e-6
        )


@pytest.mark.parametrize("name", NAMES)
def test_standard_errors_are_the_jackknife_by_hand(name):
    sketch = DistanceSketch.from_data(X, Y, n_groups=6, random_state=1)
    groups = assign_groups(Y.astype(int), np.array([False, True]), 6, 1)
    criterion = as_criterion(name)
    values = [criterion.score(RBF(0.3)(X[groups != g]), Y[groups != g]) for g in range(6)]
    expected = np.sqrt(5 / 6 * np.sum(np.square(values - np.mean(values))))
    found = sketch.curve(name, [0.3], return_std=True)[1][0]
    assert found == pytest.approx(expected, rel=5e-3 if "trimmed" in name else 1e-5)


@pytest.mark.slow
def test_standard_errors_are_the_spread_over_other_rows():
    """The root mean square of the errors beside the spread of the values over 100 sets from one source."""
    random = np.random.default_rng(2)
    values, errors = [], []
    for seed in range(100):
        sketch = DistanceSketch.from_data(*draw(random), n_groups=10, random_state=seed)
        found = [sketch.curve(name, [0.3], return_std=True) for name in NAMES]
        values.append([value[0] for value, _ in found])
        errors.append([error[0] for _, error in found])
    ratio = np.sqrt(np.mean(np.square(errors), axis=0)) / np.std(values, axis=0)
    # The spread of 100 values is known to 7 %, and the jackknife is known to err on the large side.
    assert ((ratio > 0.8) & (ratio < 1.35)).all(), dict(zip(NAMES, ratio, strict=True))


@pytest.mark.slow
def test_the_interval_of_the_peak_covers_that_of_the_source():
    random = np.random.default_rng(3)
    truth = DistanceSketch.from_data(*draw(random, 4000)).maximize("dbtc-unbiased").gamma
    covered, lengths = [], []
    for seed in range(60):
        sketch = DistanceSketch.from_data(*draw(random), n_groups=10, random_state=seed)
        low, high = sketch.maximize("dbtc-unbiased").interval()[0]
        covered.append(low <= truth <= high)
        lengths.append(np.log(high / low))
    assert np.mean(covered) >= 0.88  # 0.95 ± 0.028: 2.5 standard deviations below
    assert np.median(lengths) < 1.5  # an interval that says something


def test_a_wider_interval_is_more_certain_and_parts_can_be_merged(tmp_path):
    whole = DistanceSketch.from_data(X, Y, n_groups=8)
    parts = [DistanceSketch.from_data(X, Y, n_groups=8, part=(k, 2)) for k in range(2)]
    merged = parts[0].merge(parts[1])
    merged.save(tmp_path / "sketch.npz")
    read = DistanceSketch.load(tmp_path / "sketch.npz")
    best = whole.maximize("dbtc")
    for sketch in (merged, read):
        again = sketch.maximize("dbtc")
        np.testing.assert_array_equal(again.interval(), best.interval())
    narrow, wide = best.interval(0.5)[0], best.interval(0.99)[0]
    assert wide[0] < narrow[0] < best.gamma < narrow[1] < wide[1]


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.BoundaryWarning")
def test_a_criterion_without_a_peak_has_no_interval():
    best = DistanceSketch.from_data(X, Y, n_groups=5).maximize("esdr", bounds=(1e-6, 1e-4))
    assert best.stop_reason != "interior peak"
    assert np.isnan(best.interval()).all()


def test_what_cannot_work_is_said():
    with pytest.raises(ValueError, match="This maximum has no standard errors"):
        DistanceSketch.from_data(X, Y).maximize("dbtc").interval()
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, got 95"):
        DistanceSketch.from_data(X, Y, n_groups=5).maximize("dbtc").interval(95)
    with pytest.raises(
        ValueError, match="n_groups=31 needs at least as many rows of each class, but class True has"
    ):
        DistanceSketch.from_data(X, Y, n_groups=31)
    with pytest.raises(
        ValueError, match=r"n_groups needs all pairs of rows in memory\. Do not use it with n_blocks"
    ):
        DistanceSketch.from_data(X, Y, n_groups=5, n_blocks=5)
    with pytest.raises(ValueError, match=r"'n_groups' of DistanceSketch\.from_data must be"):
        DistanceSketch.from_data(X, Y, n_groups=1)
    one, other = (DistanceSketch.from_data(X, Y, n_groups=k, part=(i, 2)) for i, k in enumerate((5, None)))
    with pytest.raises(ValueError, match="These sketches differ"):
        one.merge(other)
