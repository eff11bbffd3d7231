"""FSM, Wu and Wang's index and HSIC against explicit features and loops; given dissimilarities."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.criteria import ESDR, FSM, HSIC, J4, InterClassDistance, WuWangIndex
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import RBF
from kernelwise.problem import TuningProblem
from kernelwise.sketch import DistanceSketch
from kernelwise.testing import check_gradient

RANDOM = np.random.default_rng(5)
Y = np.arange(36) % 3 % 2
X = RANDOM.normal(size=(36, 4)) + 0.9 * Y[:, None]
THREE = np.arange(36) % 3


def naive_fsm(X, y):
    """From features, one row at a time."""
    one, two = (X[y == label] for label in np.unique(y))
    line = one.mean(axis=0) - two.mean(axis=0)
    length = np.linalg.norm(line)
    spreads = []
    for rows in (one, two):
        along = [float((x - rows.mean(axis=0)) @ line / length) for x in rows]
        spreads.append(np.sqrt(sum(a * a for a in along) / (len(rows) - 1)))
    return sum(spreads) / length


def naive_wu_wang(X, y):
    total, n = 0.0, 0
    for label in np.unique(y):
        for x in X[y == label]:
            for other in np.unique(y):
                if other != label:
                    total += np.linalg.norm(x - X[y == other].mean(axis=0))
                    n += 1
    return total / n


def naive_hsic(K, y):
    n, n_classes = len(y), len(np.unique(y))
    T = np.where(np.equal.outer(y, y), 1.0, -1.0 / (n_classes - 1))
    H = np.eye(n) - 1.0 / n
    return np.trace(K @ H @ T @ H) / (n - 1) ** 2


def test_fsm_is_that_of_the_features():
    assert FSM().score(X @ X.T, Y) == pytest.approx(naive_fsm(X, Y), rel=1e-12)
    pairs = [naive_fsm(X[THREE != k], THREE[THREE != k]) for k in range(3)]
    assert FSM().score(X @ X.T, THREE) == pytest.approx(np.mean(pairs), rel=1e-12)
    assert FSM(strategy="ovo").score(X @ X.T, THREE) == pytest.approx(np.mean(pairs), rel=1e-12)
    rest = [naive_fsm(X, THREE == k) for k in range(3)]
    assert FSM(strategy="ovr").score(X @ X.T, THREE) == pytest.approx(np.mean(rest), rel=1e-12)


def test_a_plane_across_the_line_has_an_error_below_the_bound_of_fsm():
    K = RBF(0.2)(X)
    one, two = ((y := Y == label) / y.sum() for label in (0, 1))
    r = K @ (one - two)
    error = min(np.mean((r > c) != (Y == 0)) for c in r)
    fsm = FSM().score(K, Y)
    assert error <= fsm**2 / (1.0 + fsm**2)


def test_a_very_narrow_kernel_has_the_best_fsm():
    assert FSM().score(np.eye(36), Y) == pytest.approx(0.0, abs=1e-12)
    assert np.isfinite(FSM().adjoint(np.eye(36), Y)).all()


def test_fsm_refuses_what_it_is_not_defined_for():
    with pytest.raises(DegenerateGramError, match="centres of two classes coincide"):
        FSM().score(np.ones((4, 4)), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="weights of a class sum to one or less"):
        FSM().score(np.eye(4), [0, 0, 1, 1], [0.5, 0.5, 2.0, 2.0])


def test_wu_wang_is_that_of_the_features():
    for y in (Y, THREE):
        assert WuWangIndex().score(X @ X.T, y) == pytest.approx(naive_wu_wang(X, y), rel=1e-12)
    rest = [naive_wu_wang(X, THREE == k) for k in range(3)]
    assert WuWangIndex("ovr").score(X @ X.T, THREE) == pytest.approx(np.mean(rest), rel=1e-12)


def test_hsic_is_the_trace_and_for_two_classes_a_multiple_of_dbtc():
    K = RBF(0.2)(X)
    for y in (Y, THREE):
        assert HSIC().score(K, y) == pytest.approx(naive_hsic(K, y), rel=1e-12)
        equal = np.equal.outer(y, y).astype(float)
        H = np.eye(36) - 1.0 / 36
        n_classes = len(np.unique(y))
        other = np.trace(K @ H @ equal @ H) / 35**2
        assert HSIC().score(K, y) == pytest.approx(n_classes / (n_classes - 1) * other, rel=1e-12)
    n1, n2 = np.bincount(Y)
    factor = (2.0 * n1 * n2 / (36 * 35)) ** 2
    assert HSIC().score(K, Y) == pytest.approx(factor * InterClassDistance().score(K, Y), rel=1e-12)
    sketch = DistanceSketch.from_data(X, Y)
    assert sketch.maximize("hsic", None).gamma == pytest.approx(sketch.maximize("dbtc", None).gamma)


@pytest.mark.parametrize("kernel", ["rbf", "diagonal", "kmod"])
@pytest.mark.parametrize("criterion", [FSM(), WuWangIndex(), HSIC()], ids=repr)
def test_gradients_match_central_differences(criterion, kernel):
    for y in (Y, THREE):
        check_gradient(TuningProblem(kernel, criterion, X, y), rtol=1e-6)


@pytest.mark.parametrize("parameters", [{}, {"unbiased": True}, {"unbiased": True, "trim": 0.1}], ids=repr)
@pytest.mark.parametrize("make", [InterClassDistance, ESDR, J4])
def test_dissimilarities_of_a_kernel_have_its_score(make, parameters):
    K, criterion = RBF(0.2)(X), make(**parameters)
    D = np.add.outer(K.diagonal(), K.diagonal()) - 2.0 * K
    for y in (Y, THREE):
        weights = RANDOM.integers(1, 4, 36)
        expected = criterion.score(K, y, weights)
        assert criterion.score_of_dissimilarities(D, y, weights) == pytest.approx(expected, rel=1e-10)


def test_dissimilarities_need_not_be_those_of_points():
    """Pairs of mean dissimilarities, by loops, where no Gram matrix is positive semi-definite."""
    D = RANDOM.uniform(0.5, 1.5, (36, 36))
    D = D + D.T + np.where(np.equal.outer(Y, Y), 0.0, 1.0)
    np.fill_diagonal(D, 0.0)
    H = np.eye(36) - 1.0 / 36
    assert np.linalg.eigvalsh(-H @ D @ H / 2).min() < -0.1

    def mean(a, b):
        return np.mean([D[i, j] for i in np.flatnonzero(a == Y) for j in np.flatnonzero(b == Y)])

    n = np.bincount(Y)
    within = (n[0] * mean(0, 0) + n[1] * mean(1, 1)) / 36
    assert ESDR().score_of_dissimilarities(D, Y) == pytest.approx(mean(0, 1) / within, rel=1e-12)
    between = mean(0, 1) - (mean(0, 0) + mean(1, 1)) / 2
    assert InterClassDistance().score_of_dissimilarities(D, Y) == pytest.approx(between, rel=1e-12)
    scatter = n[0] * n[1] / 36**2 * between
    assert J4().score_of_dissimilarities(D, Y) == pytest.approx(scatter / (within / 2), rel=1e-12)


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.eye(4), "distance of a sample from itself must be 0"),
        (np.triu(np.ones((4, 4)), 1), "not symmetric"),
        (np.zeros((3, 4)), "must be square"),
        (np.eye(4) - 1.0, "egative"),
    ],
)
def test_what_is_no_matrix_of_dissimilarities_is_refused(D, message):
    with pytest.raises(ValueError, match=message):
        ESDR().score_of_dissimilarities(D, [0, 0, 1, 1])
