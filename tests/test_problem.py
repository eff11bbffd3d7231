"""The tuning problem: counts, history, cache, bounds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from kernelwise.criteria import ValidationError
from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian, KernelSum, Laplacian
from kernelwise.optimizers import LineSearch, QuasiNewton
from kernelwise.problem import TuningProblem


def test_value_and_value_and_gradient_agree_with_the_parts(blobs):
    X, y = blobs
    problem = TuningProblem(RBF(0.4), "esdr", X, y)
    theta = np.log([0.7])
    K = RBF(0.7)(X)
    expected, W = problem.criterion.value_and_adjoint(K, y)
    assert problem.value(theta) == expected
    value, gradient = problem.value_and_gradient(theta)
    assert value == expected
    np.testing.assert_allclose(gradient, RBF(0.7).gradient_dot(X, W), rtol=1e-12)


def test_evaluations_are_counted_once_and_recorded(blobs):
    X, y = blobs
    problem = TuningProblem(DiagonalGaussian(np.ones(4)), "esdr", X, y)
    theta = problem.kernel.theta
    problem.value(theta)
    problem.value(theta)
    assert (problem.n_evaluations, problem.n_gradients) == (1, 0)
    problem.value_and_gradient(theta)
    problem.value_and_gradient(theta)
    problem.value(theta)
    assert (problem.n_evaluations, problem.n_gradients) == (2, 1)
    row = problem.history[-1]
    assert row["score"] == -row["value"]
    assert row["gradient_norm"] > 0
    assert [row[f"q[{k}]"] for k in range(4)] == [1.0] * 4


def test_parameters_of_a_sum_are_recorded_in_their_own_units(blobs):
    X, y = blobs
    inner = KernelSum([RBF(0.4), Laplacian(0.3)], [2.0, 0.5])
    problem = TuningProblem(KernelSum([inner, Gaussian(np.eye(4))], [3.0, 4.0]), "esdr", X, y)
    problem.value(problem.kernel.theta)
    row = problem.history[-1]
    assert [row[name] for name in problem.theta_names] == pytest.approx([3.0, 4.0, 2.0, 0.5, 0.4, 0.3])
    assert problem.theta_names[-1] == "kernels[0].kernels[1].gamma"


def test_history_turns_into_a_frame_in_one_call(blobs):
    X, y = blobs
    result = QuasiNewton().minimize(TuningProblem("rbf", "dbtc", X, y))
    for frame in (pd.DataFrame(result.history), result.history.to_frame()):
        assert len(frame) == result.n_evaluations
        assert {"evaluation", "start", "iteration", "value", "score", "gamma", "seconds"} <= set(frame)


def test_a_kernel_given_by_name_starts_from_the_data_and_an_object_where_it_is(blobs):
    X, y = blobs
    assert TuningProblem("rbf", "esdr", X, y).kernel == RBF().initialize(X, y)
    assert TuningProblem(RBF(0.4), "esdr", X, y).kernel == RBF(0.4)
    assert np.ndim(TuningProblem("mahalanobis", "esdr", X, y).kernel.covariance) == 1


def test_sparse_frames_and_lists_give_the_same_problem(blobs):
    X, y = blobs
    expected = TuningProblem(RBF(0.4), "esdr", X, y).value(np.log([0.4]))
    for form in (sparse.csr_array(X), sparse.csr_matrix(X), X.tolist(), pd.DataFrame(X)):
        assert TuningProblem(RBF(0.4), "esdr", form, list(y)).value(np.log([0.4])) == pytest.approx(expected)


def test_bounds_make_room_around_a_start_on_an_unusual_scale(blobs):
    X, y = blobs
    problem = TuningProblem("rbf", "dbtc", 1e-7 * X, y)
    assert problem.bounds[0, 0] < problem.kernel.theta[0] < problem.bounds[0, 1]
    narrow = LineSearch().minimize(TuningProblem("rbf", "dbtc", X, y)).kernel.gamma
    assert LineSearch().minimize(problem).kernel.gamma == pytest.approx(1e14 * narrow, rel=1e-4)


def test_weights_are_used(blobs):
    X, y = blobs
    w = np.arange(len(y)) % 3 + 1
    rows = np.repeat(np.arange(len(y)), w)
    weighted = TuningProblem(RBF(0.4), "esdr", X, y, sample_weight=w).value(np.log([0.4]))
    assert weighted == pytest.approx(TuningProblem(RBF(0.4), "esdr", X[rows], y[rows]).value(np.log([0.4])))


def test_the_same_problem_from_another_point(blobs):
    X, y = blobs
    problem = TuningProblem(RBF(0.5), ValidationError(C=2.0), X, y, bounds={"gamma": (1e-3, 1e3)})
    value = problem.value(problem.theta)
    other = problem.starting_from(np.log([0.1, 30.0]))
    np.testing.assert_allclose(other.theta, np.log([0.1, 30.0]))
    assert (len(other.history), len(problem.history)) == (0, 1)
    assert other.value(problem.theta) == pytest.approx(value)
    assert problem.theta[0] == np.log(0.5)
