"""Ranks, Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy.stats import chi2

from kernelwise.studies import figures
from kernelwise.studies.ranks import (
    CriticalDifferencePicture,
    RankAndTimePicture,
    average_ranks,
    critical_difference,
    friedman_p,
)


def test_ranks_share_ties():
    scores = np.array([[0.9, 0.8, 0.9], [0.5, 0.7, 0.6]])
    assert average_ranks(scores).tolist() == [2.25, 2.0, 1.75]


@pytest.mark.parametrize(("n_methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_demsars(n_methods, q):
    """Table 5a of Demšar 2006 has q at 5 %."""
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert critical_difference(n_methods, 14) == pytest.approx(expected, rel=3e-4)


def test_friedman_is_the_formula():
    """χ² = 12N/(k(k + 1)) · (Σ R² − k(k + 1)²/4), without ties."""
    scores = np.random.default_rng(0).normal(size=(14, 4)) + np.array([0.0, 0.5, 0.0, 1.0])
    n_sets, k = scores.shape
    ranks = average_ranks(scores)
    statistic = 12 * n_sets / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4)
    assert friedman_p(scores) == pytest.approx(chi2.sf(statistic, k - 1))
    assert friedman_p(np.ones((3, 4))) == 1.0


def test_the_picture_names_all_methods(tmp_path):
    picture = CriticalDifferencePicture("Ranks", ["a method", "another", "the third"], [2.0, 1.2, 2.8], 0.9)
    figures.save(picture, tmp_path / "ranks.svg")
    text = " ".join(ElementTree.parse(tmp_path / "ranks.svg").getroot().itertext())
    for name in (*picture.names, "average rank", "critical difference"):
        assert name in text


def test_points_of_rank_and_time_have_names(tmp_path):
    picture = RankAndTimePicture("Time", ["a method", "another"], [2.0, 1.2], [0.1, 10.0])
    figures.save(picture, tmp_path / "time.svg")
    text = " ".join(ElementTree.parse(tmp_path / "time.svg").getroot().itertext())
    for name in (*picture.names, "average rank", "CPU seconds"):
        assert name in text


def test_the_same_accuracies_in_another_order_are_a_tie():
    a, b = np.array([23, 22, 24, 21]) / 25, np.array([21, 22, 23, 24]) / 25
    scores = np.array([[a, b]]).mean(axis=2)
    assert scores[0, 0] != scores[0, 1]  # by rounding only
    assert average_ranks(scores).tolist() == [1.5, 1.5]
    assert friedman_p(np.repeat(np.array([[a, b, a]]).mean(axis=2), 5, axis=0)) == 1.0
