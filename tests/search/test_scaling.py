"""Scales of words and gaps: a column counts as much as others, whatever it holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from kernelwise.search.data.scaling import fit_scaler, weigh_alike
from kernelwise.tables import Table, learn_encoder


def words(*cells):
    return np.array(cells, dtype=object)


def frame_of(**by_name):
    return Table(tuple(by_name), tuple(by_name.values()), whole=(False,) * len(by_name))


def mean_squared_distances(Z, features):
    part = Z[:, features]
    return ((part[:, None] - part[None]) ** 2).sum(axis=2).mean()


def scaled(frame, kind):
    encoder = learn_encoder(frame)
    X = encoder.transform(frame)
    scaler = kind().fit(X)
    weigh_alike(scaler, encoder.layout)
    return scaler.transform(X), encoder.layout


@pytest.mark.parametrize("n_words", [2, 3, 7, 30])
def test_a_column_of_words_weighs_like_a_standardised_number(n_words):
    random = np.random.default_rng(0)
    town = random.choice([f"t{k}" for k in range(n_words)], 200, p=(q := np.arange(1, n_words + 1)) / q.sum())
    Z, layout = scaled(frame_of(town=words(*town), size=random.normal(5, 9, 200)), StandardScaler)
    for column in (0, 1):
        assert_allclose(mean_squared_distances(Z, layout.column == column), 2.0, rtol=1e-12)


def test_a_gap_lies_one_deviation_aside():
    # The values have their median for a mean, so that filling in the median leaves the mean as it is.
    values = np.concatenate([np.linspace(-3, 3, 41), np.full(20, np.nan)])
    Z, _ = scaled(frame_of(a=values), StandardScaler)
    deviation = np.nanstd(values)
    assert_allclose(Z[:41, 0], values[:41] / deviation, atol=1e-12)
    for number, z in zip(values[:41], Z[:41], strict=True):
        expected = np.mean((number - values[:41]) ** 2) / deviation**2
        assert_allclose(((z - Z[-1]) ** 2).sum(), expected, rtol=1e-12)


def test_minmax_makes_two_words_as_far_apart_as_the_ends():
    Z, layout = scaled(frame_of(a=words("u", "v", "w"), b=np.array([1.0, 2.0, 5.0])), MinMaxScaler)
    assert_allclose(((Z[0] - Z[1]) ** 2)[layout.column == 0].sum(), 1.0)
    assert_allclose(np.ptp(Z[:, layout.column == 1]), 1.0)


def test_a_constant_with_weights_is_scaled_without_a_word():
    """Rounding leaves it a variance of −1e-17, whose root would be NaN."""
    random = np.random.default_rng(0)
    for k in range(200):
        weight = random.uniform(0.5, 3.0, 40)
        X = np.column_stack([np.full(40, 0.5), random.normal(size=40)])
        scaler = fit_scaler("standard", X, weight, f"test {k}")
        assert np.isfinite(scaler.transform(X)).all()


def test_robust_is_the_median_and_the_range_of_quartiles_of_repeated_rows():
    random = np.random.default_rng(0)
    X, times = random.normal(3.0, 2.0, size=(41, 2)), random.integers(1, 4, 41)
    scaler = fit_scaler("robust", X, times.astype(float), "test")
    shares = (0.25, 0.5, 0.75)
    low, middle, high = np.quantile(np.repeat(X, times, axis=0), shares, 0, method="averaged_inverted_cdf")
    assert_allclose(scaler.mean_, middle, rtol=1e-12)
    # A standard normal variable has the scale 1.
    assert_allclose(scaler.scale_, (high - low) / (norm.ppf(0.75) - norm.ppf(0.25)), rtol=1e-12)


def test_a_column_of_gaps_alone_has_a_robust_scale():
    frame = frame_of(a=np.full(8, np.nan), b=np.arange(8.0))
    encoder = learn_encoder(frame)
    X = encoder.transform(frame)
    scaler = fit_scaler("robust", X, None, "test", encoder.layout)
    assert np.isfinite(scaler.transform(X)).all()
