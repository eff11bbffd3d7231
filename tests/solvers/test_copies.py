"""Paths on samples of which many are copies: one variable for all copies has the solution of all."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelwise.solvers import svm_path
from kernelwise.solvers.copies import Shares, copies_that_pay
from kernelwise.solvers.fold_path import Solved

from .conftest import class_paths

CS = np.array([0.1, 2.0, 50.0, 1000.0])
TOL = 1e-7


def table(seed: int, n_classes: int = 2, n_points: int = 25, n: int = 160):
    """A Gram matrix of few points, each several times, with labels that contradict each other."""
    rng = np.random.default_rng(seed)
    points = rng.integers(4, size=(n_points, 3)).astype(float)
    rows = np.append(np.arange(n_points), rng.integers(n_points, size=n - n_points))
    y = np.digitize(points[rows].sum(axis=1), [4.5, 6.5][: n_classes - 1])
    is_flipped = rng.random(n) < 0.2
    y[is_flipped] = rng.integers(n_classes, size=is_flipped.sum())
    return rbf_kernel(points, gamma=0.3)[np.ix_(rows, rows)], y, rng


def folds_of(y):
    return list(StratifiedKFold(4, shuffle=True, random_state=0).split(y, y))


def both(K, y, Cs, folds, sample_weight=None, strategy="ovo", loss="hinge", after=None):
    """The path on one row for all copies, and the path on all samples."""
    how = {"tol": TOL, "after": after}
    merged = svm_path(K, y, Cs, folds, sample_weight=sample_weight, strategy=strategy, loss=loss, **how)
    return [
        merged,
        class_paths(y, folds, sample_weight, strategy, loss=loss).solve(K, np.asarray(Cs), **how)[0],
    ]


def violation(K, y, solved, members, weight, C, train):
    """LIBSVM's violation at coefficients of samples, from K itself; whether they are in their box."""
    beta, bound = solved.beta, np.where(np.isin(members, train), C * weight[members], 0.0)
    # The labels of a path are those for which the first sample is positive.
    sign = np.where(y[members] == y[members[0]], 1.0, -1.0)
    f = sign - K[np.ix_(members, members)] @ beta
    may_rise = np.where(sign > 0, beta < bound, beta < 0.0)
    may_fall = np.where(sign > 0, beta > 0.0, beta > -bound)
    is_inside = (np.abs(beta) <= bound).all() and (beta * sign >= 0.0).all()
    np.testing.assert_allclose(solved.f, f, atol=1e-6)
    return f[may_rise].max() - f[may_fall].min(), is_inside


def weights_of(kind, rng, y):
    by_sample = rng.uniform(0.3, 3.0, size=y.size)
    return {
        "none": None,
        "samples": by_sample,
        "some zero": by_sample * (rng.random(y.size) > 0.2),
        "folds": by_sample * np.array([1.0, 0.5, 2.0, 1.5])[:, None],
        "classes": np.array([1.0, 4.0, 0.3])[y],
    }[kind]


@pytest.mark.parametrize("kind", ["none", "samples", "some zero", "folds", "classes"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_decision_values_are_those_of_all_samples(kind, loss):
    K, y, rng = table(1)
    weight = weights_of(kind, rng, y)
    merged, plain = both(K, y, CS, folds_of(y), weight, loss=loss)
    np.testing.assert_allclose(merged.decision, plain.decision, atol=1e-5)
    np.testing.assert_allclose(merged.objective, plain.objective, rtol=1e-6)
    assert merged.converged.all()


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("seed", range(4))
def test_three_classes(strategy, seed):
    K, y, rng = table(seed, n_classes=3)
    names = np.array(["c", "a", "b"])[y]
    merged, plain = both(K, names, CS, folds_of(y), rng.uniform(0.5, 2.0, y.size), strategy)
    np.testing.assert_allclose(merged.decision, plain.decision, atol=1e-5)
    np.testing.assert_allclose(merged.objective, plain.objective, rtol=1e-6)
    assert merged.classes.tolist() == ["a", "b", "c"]
    assert merged.decision.shape == plain.decision.shape


@pytest.mark.parametrize("kind", ["none", "samples", "some zero"])
@pytest.mark.parametrize("C", CS)
def test_coefficients_of_all_samples_are_a_solution(kind, C):
    K, y, rng = table(2)
    weight, folds = weights_of(kind, rng, y), folds_of(y)
    path = svm_path(K, y, [C], folds, sample_weight=weight, tol=TOL)
    own = np.ones(y.size) if weight is None else weight
    for k, (train, test) in enumerate(folds):
        (members,), (solved,) = path.members, path.last[k]
        assert members.tolist() == list(range(y.size))
        gap, is_inside = violation(K, y, solved, members, own, C, train)
        assert is_inside
        assert gap < 2 * TOL
        assert abs(solved.beta.sum()) < 1e-12 * np.abs(solved.beta).sum()
        # The first sample is positive for the coefficients, whatever the sign of its label.
        f = K[np.ix_(test, members)] @ solved.beta * (1.0 if y[0] else -1.0)
        offsets = path.decision[0, test] - f
        np.testing.assert_allclose(offsets, offsets[0], atol=1e-6)
        assert path.n_support[0, k, 0] == np.count_nonzero(solved.beta)
        at_bound = (np.abs(solved.beta) == C * own) & (solved.beta != 0.0)
        assert path.n_bounded[0, k, 0] == np.count_nonzero(at_bound)


def test_the_order_of_training_samples_does_not_matter():
    K, y, rng = table(1)
    weight, folds = rng.uniform(0.3, 3.0, y.size), folds_of(y)
    shuffled = [(rng.permutation(train), test) for train, test in folds]
    paths = [svm_path(K, y, [0.01, 1.0], own, sample_weight=weight) for own in (folds, shuffled)]
    np.testing.assert_array_equal(paths[1].decision, paths[0].decision)
    for k, (train, _) in enumerate(folds):
        beta, of_sorted = (path.last[k][0].beta for path in reversed(paths))
        np.testing.assert_array_equal(beta, of_sorted)
        assert (np.abs(beta) <= np.where(np.isin(np.arange(y.size), train), weight, 0.0)).all()
        at_bound = (np.abs(beta) == weight) & (beta != 0.0)
        assert paths[1].n_bounded[1, k, 0] == np.count_nonzero(at_bound)


def test_a_training_sample_that_a_fold_names_twice_is_one_sample():
    K, y, rng = table(1)
    weight, folds = rng.uniform(0.3, 3.0, y.size), folds_of(y)
    repeated = [(np.append(train, train[:30]), test) for train, test in folds]
    merged, plain = both(K, y, CS, repeated, weight)
    np.testing.assert_allclose(merged.decision, plain.decision, atol=1e-5)
    np.testing.assert_allclose(merged.objective, plain.objective, rtol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_path_goes_on_from_shares(n_classes, loss):
    K, y, rng = table(3, n_classes)
    weight, folds = rng.uniform(0.5, 2.0, y.size), folds_of(y)
    whole = both(K, y, CS, folds, weight, loss=loss)[0]
    for before in both(K, y, CS[:2], folds, weight, loss=loss):
        for on in both(K, y, CS[2:], folds, weight, loss=loss, after=before):
            np.testing.assert_allclose(on.decision, whole.decision[2:], atol=1e-5)
            np.testing.assert_allclose(on.objective, whole.objective[2:], rtol=1e-6)
            assert on.converged.all()


def test_bounded_copies_stay_bounded_on_the_way():
    K, y, rng = table(4)
    weight, folds = rng.uniform(0.5, 2.0, y.size), folds_of(y)
    first = svm_path(K, y, [1e-3], folds, sample_weight=weight)
    again = svm_path(K, y, [1.1e-3], folds, sample_weight=weight, after=first)
    expected = svm_path(K, y, [1.1e-3], folds, sample_weight=weight)
    np.testing.assert_array_equal(again.n_bounded, expected.n_bounded)
    assert again.n_bounded.min() > 50


@pytest.mark.parametrize("n_below", [0, 1, 2, 20])
def test_shares_of_a_row_next_to_its_bound_are_within_theirs(n_below):
    rng = np.random.default_rng(0)
    weight, row_of, C = rng.uniform(0.1, 3.0, 300), rng.integers(40, size=300), 7633.034496762788
    bound = C * np.bincount(row_of, weights=weight)
    beta = bound * np.where(np.arange(40) % 2, 1.0, -1.0)
    for _ in range(n_below):
        beta = np.nextafter(beta, 0.0)
    rows = np.arange(40)
    shares = Shares(row_of, weight)
    samples, solved = shares.of_samples(rows, Solved(C, beta, np.zeros(40)), has_bounds=True)
    assert samples.tolist() == list(range(300))
    assert (np.abs(solved.beta) <= C * weight).all()
    assert ((np.abs(solved.beta) == C * weight) == (n_below == 0)).all()
    np.testing.assert_allclose(np.bincount(row_of, weights=solved.beta), beta, rtol=1e-14)
    _, back = shares.of_rows(samples, solved, has_bounds=True)
    assert (np.abs(back.beta) <= bound).all()
    if n_below == 0:
        np.testing.assert_array_equal(back.beta, beta)


def n_next_to_a_bound(beta, bound):
    """How many coefficients are as good as zero or as good as at their bound, but not there."""
    left = np.minimum(np.abs(beta), bound - np.abs(beta))
    return np.count_nonzero((left > 0.0) & (left < 1e-11 * bound))


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("seed", [114, 157, 162, 173, 428, 686])
def test_rounding_leaves_no_coefficient_next_to_its_bound(seed, merge):
    rng = np.random.default_rng(seed)
    points, rows, n = rng.normal(size=(20, 2)), rng.integers(20, size=120), 120
    K, y, weight = rbf_kernel(points)[np.ix_(rows, rows)], rng.integers(2, size=n), rng.integers(1, 3, n)
    folds, Cs = folds_of(y), np.sort(10 ** rng.uniform(-3.0, -0.5, 2))
    merged, plain = (
        svm_path(K, y, Cs, folds, sample_weight=weight),
        class_paths(y, folds, weight).solve(K, Cs, tol=1e-3)[0],
    )
    path = merged if merge else plain
    for (train, _), (solved,) in zip(folds, path.last, strict=True):
        is_used = np.isin(np.arange(n), train)
        assert n_next_to_a_bound(solved.beta, np.where(is_used, solved.C * weight, 0.0)) == 0


@pytest.mark.parametrize("n_points", [1, 2])
def test_all_samples_equal(n_points):
    rng = np.random.default_rng(0)
    rows = rng.integers(n_points, size=120)
    K, y = np.array([[1.0, 0.4], [0.4, 1.0]])[np.ix_(rows, rows)], rng.integers(2, size=120)
    merged, plain = both(K, y, CS, folds_of(y))
    np.testing.assert_allclose(merged.decision, plain.decision, atol=1e-5)
    assert merged.converged.all()


def test_results_do_not_depend_on_threads():
    K, y, _ = table(5, n_classes=3)
    one, two = (svm_path(K, y, CS, folds_of(y), n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.decision, two.decision)


def test_samples_that_are_never_held_out_have_no_decision_value():
    K, y, _ = table(6)
    folds = folds_of(y)[:2]
    path = svm_path(K, y, CS, folds)
    held = np.concatenate([test for _, test in folds])
    assert np.isfinite(path.decision[:, held]).all()
    assert np.isnan(np.delete(path.decision, held, axis=1)).all()


def test_wrong_folds_are_refused_as_without_copies():
    K, y, _ = table(6)
    folds = folds_of(y)
    first = svm_path(K, y, [1.0], folds)
    with pytest.raises(ValueError, match="'after' has 4 folds and 1 machines, this path 3 and 1"):
        svm_path(K, y, [20.0], folds[:3], after=first)
    with pytest.raises(ValueError, match="has no sample of class"):
        svm_path(K, y, [1.0], [(np.flatnonzero(y == 0), np.flatnonzero(y == 1))])


def find(K, y, C=1.0, tol=1e-3):
    return copies_that_pay(K, y, np.ones((1, y.size)), C, tol)


def test_copies_are_merged_only_where_they_are_many():
    K, y, _ = table(7)
    distinct = find(K, y)
    assert distinct is not None
    pairs = {(tuple(row.tolist()), label) for row, label in zip(K, y.tolist(), strict=True)}
    assert len(distinct) == len(pairs)
    np.testing.assert_array_equal(distinct.X[np.ix_(distinct.row_of, distinct.row_of)], K)
    np.testing.assert_array_equal(distinct.targets[distinct.row_of], y)
    assert find(K[:60, :60], y[:60]) is None  # few samples
    X = np.random.default_rng(0).normal(size=(200, 3))
    labels = np.arange(200) % 2
    assert find(rbf_kernel(X), labels) is None
    X[10:20] = X[:10]  # few copies
    assert find(rbf_kernel(X), labels) is None
    assert find(np.zeros((160, 160)), y) is None  # no Gram matrix of points


def test_nearly_equal_samples_are_no_copies_where_C_tells_them_apart():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(75, 3)), 2, axis=0)
    y = np.repeat(np.arange(75) % 2, 2)
    near = X + 2e-13 * rng.normal(size=X.shape)
    assert len(find(rbf_kernel(near), y, C=1e-3)) == 75
    assert find(rbf_kernel(near), y, C=1e6) is None
    copies = rbf_kernel(X[::2])[np.ix_(np.arange(150) // 2, np.arange(150) // 2)]
    assert len(find(copies, y, C=1e12)) == 75
