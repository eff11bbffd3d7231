"""Held-out scores along paths of C that extend themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.kernels import RBF, DiagonalGaussian, Linear
from kernelwise.search.engine.context import Deadline
from kernelwise.search.engine.runner import FoldProblem, feature_space_variance
from kernelwise.search.engine.scored_kernel import ScoredKernel, joined
from kernelwise.search.families.classification import Classification
from kernelwise.search.propose.c_range import LIMITS, N_VALUES, STEP, c_range
from kernelwise.solvers import svm_path
from kernelwise.solvers.path_problem import Places


@pytest.fixture
def make_paths(make_validator, in_turn):
    """A validator on three folds with a score of one's own."""

    def make(Z, index, score, **more):
        return make_validator(Z, index, score=score, cv=in_turn(len(Z)), **more)

    return make


@pytest.mark.parametrize("kernel", [RBF(0.5), Linear(), DiagonalGaussian([1.0, 2.0])])
def test_scores_are_those_of_svm_path(kernel, rings, make_paths):
    Z, index = rings
    Cs = np.array([0.1, 1.0, 10.0])
    paths = make_paths(Z, index, lambda d, rows: ((d > 0) == index[rows]).mean(axis=1), Cs=Cs)
    path = paths.score(kernel, "asked for")
    expected = svm_path(kernel(Z), index, Cs, paths.folds)
    assert_array_equal(path.stored[:, :, 0], expected.decision.astype(np.float32))
    for k, (_, test) in enumerate(paths.folds):
        right = (expected.decision[:, test] > 0) == index[test]
        assert_allclose(path.scores[:, k], right.mean(axis=1))
    assert path.reason == "asked for"
    assert path.n_machines == paths.n_machines == 9
    assert_allclose(path.n_support, expected.n_support.mean(axis=(1, 2)))


def test_the_same_buffers_serve_many_kernels(rings, make_paths):
    Z, index = rings
    score = lambda d, rows: ((d > 0) == index[rows]).mean(axis=1)  # noqa: E731
    paths = make_paths(Z, index, score)
    first = [paths.score(RBF(gamma), "").scores for gamma in (0.1, 1.0)]
    again = make_paths(Z, index, score)
    assert_array_equal(again.score(RBF(1.0), "").scores, first[1])


def like_C(sign):
    """A score that grows (or falls) with the scatter of the decision values, and so with C."""
    return lambda decision, rows: sign * np.log(decision.std(axis=1))


def test_c_goes_down_to_the_limit_when_the_best_is_the_smallest(blobs, make_paths):
    X, y = blobs
    paths = make_paths(X, y, like_C(-1.0))
    path = paths.score(RBF(0.1), "")
    assert path.best == 0
    start = c_range(path.variance)
    assert path.Cs[0] < start[0]
    assert_allclose(path.Cs[1:] / path.Cs[:-1], STEP)
    assert path.Cs[0] * path.variance / STEP < LIMITS[0] or path.Cs.size == N_VALUES + 2 * 4
    assert path.n_machines == 3 * path.Cs.size


def test_the_next_kernel_begins_around_the_best_c_so_far(blobs, make_paths):
    X, y = blobs
    wanted = make_paths(X, y, like_C(1.0)).score(RBF(0.1), "", Cs=np.array([4.0**-2])).scores.mean()
    near = lambda decision, rows: -np.abs(like_C(1.0)(decision, rows) - wanted)  # noqa: E731
    paths = make_paths(X, y, near)
    first, second = paths.score(RBF(0.1), ""), paths.score(RBF(0.1), "")
    assert first.best > 0
    assert first.Cs[0] < c_range(first.variance)[0]
    assert_array_equal(second.Cs, first.Cs[first.best] * STEP ** np.arange(-2.0, 3.0))
    assert second.n_machines == 3 * N_VALUES
    alone = make_paths(X, y, near, Cs=second.Cs).score(RBF(0.1), "")
    assert_array_equal(second.scores, alone.scores)


def test_c_goes_up_to_the_limit_when_the_best_is_the_largest(blobs, make_paths):
    """Overlapping classes: there are bounded support vectors at every C."""
    X, y = blobs
    path = make_paths(X, y, like_C(1.0)).score(RBF(0.005), "")
    assert path.best == path.Cs.size - 1
    assert not path.is_finished
    assert path.Cs.size > N_VALUES
    assert path.Cs[-1] * path.variance <= LIMITS[1] < path.Cs[-1] * path.variance * STEP


def test_a_gain_of_less_than_one_sample_is_no_reason_for_a_larger_c(blobs, make_paths):
    X, y = blobs
    calls = []

    def score(decision, rows):
        calls.append(len(decision))
        return np.arange(len(decision)) * 0.5 / len(y)

    path = make_paths(X, y, score).score(RBF(0.005), "")
    assert path.best == path.Cs.size - 1
    assert path.Cs.size == N_VALUES


def test_a_finished_path_does_not_go_up(rings, make_paths):
    """Separable classes: once no support vector is bounded, a larger C is the same machine."""
    Z, index = rings
    path = make_paths(Z, index, lambda d, rows: np.arange(len(d), dtype=float)).score(RBF(20.0), "")
    assert path.is_finished
    assert path.Cs.size == N_VALUES


def test_a_flat_path_is_not_extended(blobs, make_paths):
    X, y = blobs
    path = make_paths(X, y, lambda d, rows: np.full(len(d), 0.5)).score(RBF(0.1), "")
    assert path.best == 0
    assert path.Cs.size == N_VALUES


def test_values_of_c_that_were_given_are_all(blobs, make_paths):
    X, y = blobs
    path = make_paths(X, y, like_C(1.0), Cs=np.array([1.0, 2.0])).score(RBF(0.01), "")
    assert_array_equal(path.Cs, [1.0, 2.0])


def test_the_range_follows_weights(blobs, make_paths):
    """A hundred times the weights is a hundredth of C: the same machines."""
    X, y = blobs
    score = lambda d, rows: ((d > 0) == (y[rows] > 0)).mean(axis=1)  # noqa: E731
    paths = make_paths(X, y, score)
    heavy = make_paths(X, y, score, weight=np.full(len(y), 256.0))
    one, other = paths.score(RBF(0.1), ""), heavy.score(RBF(0.1), "")
    assert_allclose(other.Cs * 256.0, one.Cs)
    assert_allclose(other.scores, one.scores)


def test_smoothing_prefers_a_plateau_to_a_peak():
    scores = np.array([0.5, 0.9, 0.5, 0.8, 0.8, 0.8, 0.5])[:, None]
    path = ScoredKernel(
        "k", "", np.arange(1.0, 8.0), scores, np.zeros((7, 1, 1)), np.zeros(7), True, 1.0, 0.0, 7
    )
    assert path.best == 4
    assert path.best_score == pytest.approx(0.8)


def test_joined_paths_are_in_order(blobs, make_paths):
    X, y = blobs
    paths = make_paths(X, y, like_C(1.0), Cs=np.array([1.0, 4.0]))
    high = paths.score(RBF(0.1), "")
    paths.Cs = np.array([0.25])
    low = paths.score(RBF(0.1), "")
    for both in (joined(high, low), joined(low, high)):
        assert_array_equal(both.Cs, [0.25, 1.0, 4.0])
        assert_array_equal(both.stored, np.concatenate([low.stored, high.stored]))
        assert both.is_finished == high.is_finished
        assert both.n_machines == 9


def test_variance_is_that_of_the_gram_matrix(blobs, make_paths):
    X, y = blobs
    path = make_paths(X, y, like_C(1.0), Cs=np.array([1.0])).score(RBF(0.1), "")
    assert_allclose(path.variance, feature_space_variance(RBF(0.1)(X), np.ones(len(y))))


def test_machines_that_stopped_early_are_counted_without_a_warning_each(blobs, make_paths):
    X, y = blobs
    settings = {"tol": 1e-3, "max_iter": 3, "n_jobs": None}
    paths = make_paths(X, y, like_C(1.0), Cs=np.array([1.0, 1e4]), settings=settings)
    paths.score(RBF(0.1), "")
    assert paths.n_stopped > 0


def test_indefinite_matrices_are_counted_without_a_warning_each(blobs, make_paths):
    X, y = blobs
    K = RBF(0.1)(X) - 0.9 * np.eye(len(X))
    paths = make_paths(K, y, like_C(1.0), Cs=np.array([1.0, 10.0]), is_gram=True)
    paths.score("precomputed", "")
    assert paths.n_indefinite == 1


def test_c_goes_no_further_without_time(blobs, make_paths):
    X, y = blobs
    deadline = Deadline(1.0, clock=iter([0.0, *[2.0] * 9]).__next__)
    path = make_paths(X, y, like_C(1.0), deadline=deadline).score(RBF(0.005), "")
    assert path.Cs.size == N_VALUES
    assert deadline.skipped == [f"C = {path.Cs[-1] * STEP:.3g} of RBF(gamma=0.005)"]


def test_a_gram_matrix_is_not_copied_to_count_its_samples(blobs, make_validator):
    X, y = blobs
    validator = make_validator(RBF(1.0)(X), y, is_gram=True, weight=np.where(y == y[0], 2.0, 1.0))
    assert validator.n_held_out == len(y) + np.count_nonzero(y == y[0])
    assert "search_samples" not in vars(validator)


@pytest.mark.parametrize(
    ("n_kernels", "budget", "is_announced"), [(2, None, True), (1, None, False), (2, 9.0, False)]
)
def test_kernels_are_announced_only_where_that_saves_time(
    blobs, make_validator, n_kernels, budget, is_announced
):
    announced = []
    validator = make_validator(*blobs, deadline=Deadline(budget))
    validator._runner.prefetch = lambda kernels, first, epsilons: announced.append(
        (kernels, first(0.5).tolist(), epsilons)
    )
    kernels = [RBF(1.0), RBF(2.0)][:n_kernels]
    validator.prefetch(kernels, [0.1])
    assert announced == ([(kernels, c_range(0.5).tolist(), [0.1])] if is_announced else [])


def test_a_problem_by_class_has_the_same_answers():
    """Samples of a class side by side: decision values stay where the folds say."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    Z = rng.normal(size=(60, 2)) + y[:, None]
    order = np.arange(60)
    folds = [(order[order % 3 != k], order[order % 3 == k]) for k in range(3)]
    bound = rng.uniform(0.5, 2.0, 60)
    settings = {"tol": 1e-3, "max_iter": -1, "n_jobs": None}
    places = Places([test for _, test in folds], 60)
    problem = FoldProblem(Z, y, bound, folds, Classification(np.arange(3)), settings, places)
    Cs = np.array([0.1, 1.0, 10.0])
    plain = problem.solve(RBF(0.5)(Z), Cs).path
    sorted_problem = problem.by_class(y, is_gram=False)
    assert (np.diff(sorted_problem.y) != 0).sum() == 2
    found = sorted_problem.solve(RBF(0.5)(sorted_problem.Z), Cs).path
    assert_allclose(found.decision, plain.decision, rtol=1e-9, atol=1e-9)
    gram = replace(problem, Z=RBF(0.5)(Z)).by_class(y, is_gram=True)
    assert_allclose(gram.Z, RBF(0.5)(sorted_problem.Z), rtol=1e-12)


def test_clearly_better_is_by_more_than_one_standard_error(rings, make_validator):
    Z, index = rings
    index = np.where(np.arange(120) < 12, 1 - index, index)  # or no answer would be wrong
    validator = make_validator(Z, index, Cs=np.array([1.0]))
    narrow, wide = (validator.score(RBF(gamma), "asked for") for gamma in (1.0, 1e-4))
    p = narrow.best_score
    error = np.sqrt(p * (1.0 - p) / len(Z))
    assert p > wide.best_score + error
    assert validator.is_clearly_better(narrow, wide)
    assert not validator.is_clearly_better(wide, narrow)
    assert not validator.is_clearly_better(narrow, narrow)
    almost = replace(narrow, scores=np.full_like(narrow.scores, p - 0.9 * error))
    assert not validator.is_clearly_better(narrow, almost)
    behind = replace(narrow, scores=np.full_like(narrow.scores, p - 1.1 * error))
    assert validator.is_clearly_better(narrow, behind)
