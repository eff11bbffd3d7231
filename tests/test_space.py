"""Matrices as vectors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import logm

from kernelwise.kernels import Gaussian
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace
from kernelwise.testing import central_difference

Q = np.array([[2.0, 0.5, 0.0, 0.1], [0.5, 1.0, 0.2, 0.0], [0.0, 0.2, 0.7, 0.0], [0.1, 0.0, 0.0, 0.3]])


def test_a_vector_kernel_is_its_own_vector(blobs):
    X, y = blobs
    problem = TuningProblem("diagonal", "esdr", X, y)
    space = SearchSpace(problem)
    assert np.array_equal(space.start, problem.kernel.theta)
    assert np.array_equal(space.to_theta(space.start), problem.kernel.theta)


def test_a_matrix_is_the_triangle_of_its_logarithm(blobs):
    X, y = blobs
    space = SearchSpace(TuningProblem(Gaussian(Q), "esdr", X, y))
    log_Q = logm(Q)
    assert np.linalg.norm(space.start) == pytest.approx(np.linalg.norm(log_Q))
    np.testing.assert_allclose(space.to_theta(space.start), Q, rtol=1e-12, atol=1e-14)
    random = np.random.default_rng(0)
    for _ in range(5):
        theta = space.to_theta(3 * random.normal(size=space.start.shape))
        assert np.linalg.eigvalsh(theta).min() > 0


@pytest.mark.parametrize(
    "Q", [Q, np.eye(4), np.diag([1.0, 1.0, 1.0 + 1e-9, 3.0])], ids=["full", "I", "close"]
)
def test_gradient_through_the_matrix_exponential(Q, blobs):
    X, y = blobs
    space = SearchSpace(TuningProblem(Gaussian(Q), "centered-kta", X, y))
    gradient = space.value_and_gradient(space.start)[1]
    numeric = central_difference(space.value, space.start, 1e-5)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-8)


def test_a_metric_of_extreme_condition_is_still_positive_definite():
    X, y = np.random.default_rng(0).normal(size=(12, 6)), np.repeat([0, 1], 6)
    space = SearchSpace(TuningProblem("gaussian", "polarization", X, y))
    vector = np.random.default_rng(1).normal(scale=40.0, size=space.start.shape)
    Q = space.to_theta(vector)
    values = np.linalg.eigvalsh(Q)
    assert values[0] > 0
    assert values[-1] / values[0] == pytest.approx(np.exp(28.0), rel=1e-2)
    assert space.problem.kernel_at(Q).theta.shape == (6, 6)
