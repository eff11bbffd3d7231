"""Paths of many small machines, cut out for each fold, against those that share a start with all folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelwise.solvers import path_problem, svm_path
from kernelwise.solvers.box_qp import GramFacts
from kernelwise.solvers.path_problem import PathProblem, Places

from .conftest import class_paths

X, Y = (part[:400] for part in load_digits(return_X_y=True))
K = rbf_kernel(X, gamma=1e-3)
CS = np.array([0.5, 0.05, 300.0, 5.0])  # in any order
TOL = 1e-3


def folds_of(n):
    return list(StratifiedKFold(n, shuffle=True, random_state=0).split(X, Y))


def from_one_start(monkeypatch, *arguments, **options):
    """The same path with all members of a machine in every fold, from the machine on all of them."""
    with monkeypatch.context() as patch:
        patch.setattr(path_problem, "SMALL", 0)
        patch.setattr(path_problem, "SEED_FOLDS", 1)
        return svm_path(*arguments, **options)


def check_equal(path, expected):
    """Decision values, objectives and last solutions are as close as the tolerance of the solver says."""
    np.testing.assert_allclose(path.decision, expected.decision, atol=2 * TOL)
    np.testing.assert_allclose(path.objective, expected.objective, rtol=1e-5)
    assert np.abs(path.n_support - expected.n_support).max() <= 2
    assert np.abs(path.n_bounded - expected.n_bounded).max() <= 2
    assert path.converged.all()
    for fold, others in zip(path.last, expected.last, strict=True):
        for solved, other in zip(fold, others, strict=True):
            assert solved.C == other.C
            np.testing.assert_allclose(solved.f, other.f, atol=2 * TOL)


@pytest.mark.parametrize("n_folds", [2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_paths_are_those_of_folds_that_share_a_start(monkeypatch, n_folds, dtype):
    gram, folds = K.astype(dtype), folds_of(n_folds)
    check_equal(svm_path(gram, Y, CS, folds), from_one_start(monkeypatch, gram, Y, CS, folds))


def test_weights_that_differ_from_fold_to_fold_and_vanish(monkeypatch):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, (2, len(Y)))
    weight[:, ::20] = 0.0
    path = svm_path(K, Y, CS, folds_of(2), sample_weight=weight)
    check_equal(path, from_one_start(monkeypatch, K, Y, CS, folds_of(2), sample_weight=weight))
    betas = [(path.members[m], solved.beta) for m, solved in enumerate(path.last[0])]
    assert all((beta[members % 20 == 0] == 0.0).all() for members, beta in betas)


def test_what_is_kept_of_the_last_solution_is_that_of_all_members():
    """Of those that are held out, too: f = p − Kβ, with the first member positive."""
    path = svm_path(K, Y, [2.0], folds_of(2))
    for fold in path.last:
        for members, solved in zip(path.members, fold, strict=True):
            p = np.where(Y[members] == Y[members[0]], 1.0, -1.0)
            np.testing.assert_allclose(solved.f, p - K[np.ix_(members, members)] @ solved.beta, atol=1e-9)


@pytest.mark.parametrize("n_folds", [2, 5])
def test_a_path_goes_on_where_another_ended(n_folds):
    folds, Cs = folds_of(n_folds), np.sort(CS)
    whole, first = svm_path(K, Y, Cs, folds), svm_path(K, Y, Cs[:2], folds)
    rest = svm_path(K, Y, Cs[2:], folds, after=first)
    np.testing.assert_allclose(rest.decision, whole.decision[2:], atol=2 * TOL)
    assert rest.n_iter.sum() < whole.n_iter[:2].sum()


@pytest.mark.parametrize("patience", [0.001, 0.005])
def test_machines_that_crawl_are_solved_by_other_means(monkeypatch, patience):
    """They go on where pair steps ended; on the way some values of C are solved for some machines."""
    expected = from_one_start(monkeypatch, K, Y, CS, folds_of(2))
    monkeypatch.setattr(PathProblem, "patience", patience)
    seen = []
    path = svm_path(K, Y, CS, folds_of(2), callback=lambda done, total: seen.append((done, total)))
    check_equal(path, expected)
    assert seen == [(k + 1, 90) for k in range(90)]


@pytest.mark.parametrize("patience", [0.005, 1.0])
def test_any_number_of_threads_gives_the_same_bits(monkeypatch, patience):
    monkeypatch.setattr(PathProblem, "patience", patience)
    monkeypatch.setattr(path_problem, "LITTLE", 0)
    one, *others = (svm_path(K, Y, CS, folds_of(2), n_jobs=n) for n in (1, 2, 3))
    for other in others:
        np.testing.assert_array_equal(one.decision, other.decision)
        np.testing.assert_array_equal(one.objective, other.objective)
        assert all(
            np.array_equal(mine.f, theirs.f)
            for fold, other_fold in zip(one.last, other.last, strict=True)
            for mine, theirs in zip(fold, other_fold, strict=True)
        )


def test_many_small_machines_are_shared_out_and_few_are_not():
    problem = class_paths(Y, folds_of(2)).problem
    paths = [problem.begin(K, np.geomspace(0.1, 1.0, n), tol=TOL, n_jobs=2) for n in (2, 20)]
    assert [path.n_threads for path in paths] == [1, 2]


def test_names_of_classes_do_not_matter():
    names = np.random.default_rng(1).permutation(10)
    one, other = svm_path(K, Y, CS, folds_of(2)), svm_path(K, names[Y], CS, folds_of(2))
    pairs = {frozenset(pair): k for k, pair in enumerate((a, b) for a in range(10) for b in range(a + 1, 10))}
    for (a, b), k in ((tuple(sorted(pair)), k) for pair, k in pairs.items()):
        sign = 1.0 if names[a] < names[b] else -1.0
        np.testing.assert_array_equal(
            one.decision[:, :, k], sign * other.decision[:, :, pairs[frozenset((names[a], names[b]))]]
        )


def test_a_class_that_a_fold_has_not_seen_loses_against_all_others():
    """Its machines have seen one side only, and there is nothing to solve."""
    train = np.flatnonzero(Y != 3)[:150]
    test = np.flatnonzero(Y == 3)
    places = Places([np.arange(test.size)], test.size)
    path, _ = class_paths(Y, [(train, test)], places=places).solve(K, CS, tol=TOL)
    pairs = [(a, b) for a in range(10) for b in range(a + 1, 10)]
    for k, (a, b) in enumerate(pairs):
        if 3 in (a, b):
            np.testing.assert_array_equal(path.decision[:, :, k], -1.0 if a == 3 else 1.0)
        else:
            assert np.isfinite(path.decision[:, :, k]).all()
            assert np.ptp(path.decision[:, :, k]) > 0.0


def test_few_pair_steps_are_not_spent_twice():
    with pytest.warns(ConvergenceWarning, match="after 3 iterations"):
        path = svm_path(K, Y, CS, folds_of(2), max_iter=3)
    assert path.n_iter.max() == 3


@pytest.mark.parametrize("change", [np.asfortranarray, lambda K: K.astype(int), lambda K: K[:, :-1]])
def test_the_native_core_reads_nothing_but_square_contiguous_arrays(change):
    with pytest.raises((TypeError, ValueError), match="K must be"):
        GramFacts(change(K))


def test_pair_steps_before_other_means_count(monkeypatch):
    monkeypatch.setattr(PathProblem, "patience", 0.005)
    rows = np.arange(0, len(Y), 2)
    paths = class_paths(Y, [(rows, rows + 1)])
    path = paths.problem.begin(K[np.ix_(paths.order, paths.order)], np.array([300.0]), tol=TOL)
    is_left, n_before = path.n_done == 0, path.tables[:, :, 0, 0].copy()
    assert is_left.any()
    assert (n_before[is_left] > 15).all()
    path.finish(None)
    assert (path.tables[:, :, 0, 0] > n_before)[is_left].all()
    assert (path.tables[:, :, 0, 0] == n_before)[~is_left].all()
