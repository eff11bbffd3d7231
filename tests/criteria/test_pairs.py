"""Unbiased and trimmed forms of DBTC, ESDR and J4 against loops over pairs of different rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kernelwise.criteria import ESDR, J4, InterClassDistance, as_criterion
from kernelwise.criteria.sums import without_closest
from kernelwise.diagnostics import boundary_verdict
from kernelwise.kernels import RBF
from kernelwise.metrics import esdr, inter_class_distance, j4
from kernelwise.optimizers import LineSearch, SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.sketch import DistanceSketch
from kernelwise.testing import check_criterion, check_gradient

RANDOM = np.random.default_rng(5)
Y = np.arange(50) % 5 // 2  # 20, 20 and 10
X = RANDOM.normal(size=(50, 3)) + 0.8 * Y[:, None]
MAKES = (InterClassDistance, ESDR, J4)
NAMES = ("dbtc", "esdr", "j4")


def means(K, y, trim=0.0):
    """Mean squared distance over the pairs i ≠ j of every two classes, the closest share left out."""
    labels = np.unique(y)
    found = np.empty((len(labels), len(labels)))
    for a, b in product(range(len(labels)), repeat=2):
        rows, columns = (np.flatnonzero(y == labels[k]) for k in (a, b))
        pairs = [(i, j) for i, j in product(rows, columns) if i != j]
        d = np.sort([K[i, i] + K[j, j] - 2 * K[i, j] for i, j in pairs])
        whole = int(trim * len(d))
        part = trim * len(d) - whole
        weights = np.ones(len(d))
        weights[:whole] = 0.0
        if part > 1e-9:
            weights[whole] -= part
        found[a, b] = weights @ d / weights.sum()
    return found


def by_loops(K, y, trim=0.0):
    """DBTC, ESDR and J4 of two classes from mean distances: d² = between − (within₁ + within₂)/2."""
    m = means(K, y, trim)
    n = np.unique(y, return_counts=True)[1]
    centres = m[0, 1] - (m[0, 0] + m[1, 1]) / 2
    within = n @ m.diagonal() / n.sum()  # twice the scatter
    return centres, m[0, 1] / within, n[0] * n[1] / n.sum() ** 2 * centres / (within / 2)


@pytest.mark.parametrize("trim", [0.0, 0.02, 0.313])
@pytest.mark.parametrize("K", [RBF(0.4)(X), X @ X.T], ids=["rbf", "linear"])
def test_two_classes_by_loops_over_pairs(K, trim):
    rows = Y != 2
    K, y = K[np.ix_(rows, rows)], Y[rows]
    found = [metric(K, y, unbiased=True, trim=trim) for metric in (inter_class_distance, esdr, j4)]
    np.testing.assert_allclose(found, by_loops(K, y, trim), rtol=1e-10)


def test_three_classes_at_once_average_over_pairs_of_classes():
    K = RBF(0.4)(X)
    m, n = means(K, Y, 0.1), np.bincount(Y)
    pairs = [(0, 1), (0, 2), (1, 2)]
    weights = [n[a] * n[b] for a, b in pairs]
    expected = np.average([m[a, b] - (m[a, a] + m[b, b]) / 2 for a, b in pairs], weights=weights)
    assert inter_class_distance(K, Y, unbiased=True, trim=0.1) == pytest.approx(expected, rel=1e-10)
    expected = np.average([m[a, b] for a, b in pairs], weights=weights) / (n @ m.diagonal() / n.sum())
    assert esdr(K, Y, unbiased=True, trim=0.1) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("strategy", "n_classes"), [("pooled", 2), ("pooled", 3), ("ovr", 3), ("ovo", 3)])
@pytest.mark.parametrize(("class_weight", "trim"), [(None, 0.0), (None, 0.15), ("balanced", 0.15)])
@pytest.mark.parametrize("make", MAKES)
def test_they_keep_the_contract(make, trim, class_weight, strategy, n_classes):
    check_criterion(make(strategy, class_weight, True, trim), n_classes=n_classes)


@pytest.mark.parametrize("kernel", ["rbf", "diagonal", "poly", "kmod"])
@pytest.mark.parametrize("trim", [0.0, 0.05])
@pytest.mark.parametrize("make", MAKES)
def test_gradients_match_central_differences(make, trim, kernel):
    check_gradient(TuningProblem(kernel, make(unbiased=True, trim=trim), X, Y))


def test_a_narrow_kernel_has_the_limits_of_classes_that_cannot_be_told_apart():
    K, y = np.eye(40), np.arange(40) % 2
    assert [metric(K, y) for metric in (inter_class_distance, esdr)] == pytest.approx([0.1, 40 / 38])
    for trim in (0.0, 0.1):
        found = [metric(K, y, unbiased=True, trim=trim) for metric in (inter_class_distance, esdr, j4)]
        assert found == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


def test_the_average_over_many_sets_is_that_of_the_distributions():
    """d² of two equal distributions is zero on average; with the rows themselves it is not."""
    found = np.array(
        [
            [
                inter_class_distance(
                    RBF(0.5)(RANDOM.normal(size=(12, 2))), np.arange(12) % 2, unbiased=is_unbiased
                )
                for is_unbiased in (False, True)
            ]
            for _ in range(2000)
        ]
    )
    plain, unbiased = found.mean(axis=0)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert abs(unbiased) < 4 * error[1]
    assert plain > 0.1 > 20 * error[0]


@pytest.mark.parametrize("name", NAMES)
def test_one_close_pair_of_different_classes_does_not_bend_the_trimmed_form(name):
    """Theorem 3 of paper 002: with the plain sums a narrow kernel is a boundary optimum of such data."""
    y = np.arange(40) % 2
    angle = np.repeat(np.arange(20), 2) * 2 * np.pi / 20
    points = np.column_stack([np.cos(angle), np.sin(angle)]) * 40.0
    # Neighbours of one class are close to each other; those of the other class are far away.
    points = points[np.argsort(np.argsort(y, kind="stable"), kind="stable")]
    points += np.where(y == 1, 100.0, 0.0)[:, None]
    points[np.flatnonzero(y == 0)[:19:2]] = points[np.flatnonzero(y == 0)[1:20:2]] + [1.0, 0.0]
    points[1] = points[0] + [0.0, 0.1]  # of different classes, and closer than any other
    assert boundary_verdict(points, y).sign == -1
    narrow, wider = (RBF(gamma)(points) for gamma in (3e3, 100.0))
    plain, trimmed = as_criterion(name), as_criterion(f"{name}-trimmed")
    assert plain.score(wider, y) < plain.score(narrow, y)
    narrow, wider = (RBF(gamma)(points) for gamma in (12.0, 8.0))
    assert plain.score(wider, y) < plain.score(narrow, y)
    assert trimmed.score(wider, y) > trimmed.score(narrow, y)


@pytest.mark.parametrize("name", NAMES)
def test_moving_the_closest_pair_moves_the_plain_form_only(name):
    """One entry of K is changed by hand, that of the closest pair of different classes."""
    y = np.arange(60) % 2
    K = RBF(2.0)(RANDOM.normal(size=(60, 2)))
    different = np.where(np.not_equal.outer(y, y), K, -1.0)
    i, j = np.unravel_index(different.argmax(), K.shape)
    moved = K.copy()
    moved[i, j] = moved[j, i] = 1.0
    criterion = as_criterion(f"{name}-trimmed")
    assert criterion.score(moved, y) == criterion.score(K, y)
    assert as_criterion(name).score(moved, y) < as_criterion(name).score(K, y)


@pytest.mark.parametrize("strategy", ["pooled", "ovr", "ovo"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("make", MAKES)
def test_the_sketch_has_the_same_values(make, class_weight, strategy):
    gammas = np.geomspace(0.01, 10.0, 5)
    counts = np.arange(50) % 3 + 1.0
    for w in (None, counts, RANDOM.uniform(0.4, 2.0, 50)):
        sketch = DistanceSketch.from_data(X, Y, sample_weight=w)
        for trim, rtol in ((0.0, 1e-8), (0.05, 2e-4)):
            criterion = make(strategy, class_weight, True, trim)
            exact = [criterion.score(RBF(gamma)(X), Y, w) for gamma in gammas]
            np.testing.assert_allclose(sketch.curve(criterion, gammas), exact, rtol=rtol, atol=1e-6 * rtol)


@pytest.mark.parametrize("name", ["dbtc-unbiased", "dbtc-trimmed"])
def test_the_sketch_finds_the_peak_of_a_search(name):
    best = DistanceSketch.from_data(X, Y == 0).maximize(name)
    found = LineSearch().minimize(TuningProblem(RBF(0.3), name, X, Y == 0))
    assert best.stop_reason == "interior peak"
    assert best.gamma == pytest.approx(found.kernel.gamma, rel=1e-2)


def test_second_order_steps_are_for_what_is_linear():
    assert InterClassDistance(unbiased=True).is_linear
    assert not InterClassDistance(unbiased=True, trim=0.01).is_linear
    found = SecondOrder().minimize(TuningProblem(RBF(0.3), "dbtc-unbiased", X, Y == 0))
    other = LineSearch().minimize(TuningProblem(RBF(0.3), "dbtc-unbiased", X, Y == 0))
    assert found.kernel.gamma == pytest.approx(other.kernel.gamma, rel=1e-3)


def test_equally_close_pairs_at_the_limit_are_kept_in_part():
    kept = without_closest(np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4), 1.5)
    assert kept.tolist() == [1.0, 0.0, 0.75, 0.75]


def test_what_cannot_work_is_said():
    K = RBF(1.0)(X)
    with pytest.raises(ValueError, match=r"'trim' of ESDR must be a share from 0 to below 1, .* got 1"):
        ESDR(unbiased=True, trim=1.0)
    with pytest.raises(ValueError, match=r"and 0 unless unbiased=True, got 0\.1"):
        J4(trim=0.1)
    with pytest.raises(ValueError, match="'unbiased' of J4 must be"):
        J4(unbiased="yes")
    weights = np.full(50, 1e-3)
    with pytest.raises(ValueError, match="weights of a class sum to one or less, but an unbiased criterion"):
        esdr(K, Y, unbiased=True, sample_weight=weights)
    with pytest.raises(ValueError, match="weights of a class sum to one or less, but an unbiased criterion"):
        DistanceSketch.from_data(X, Y, sample_weight=weights).curve("esdr-unbiased", [1.0])
