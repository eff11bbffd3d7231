"""The adjoint solve against differences of trained machines, one Gram entry at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelwise.exceptions import RidgeWarning
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers.sensitivity import dual_sensitivity, symmetric_product

from .conftest import overlapping

X, Y = overlapping(40, seed=3)
K = rbf_kernel(X, gamma=0.4)
WEIGHT = np.random.default_rng(5).uniform(0.5, 2.0, len(Y))
WEIGHT[:4] = 0.0
RANDOM = np.random.default_rng(6)
V, V_B = RANDOM.normal(size=len(Y)), 0.7
DIRECTION = RANDOM.normal(size=K.shape)
DIRECTION += DIRECTION.T


def machine(gram, C, weight=WEIGHT):
    return solve_svm_dual(gram, Y, C, sample_weight=weight, tol=1e-12)


def smooth_value(solution):
    """A value whose derivatives by coefficients and offset are not constant."""
    return np.sin(V @ solution.beta) + V_B * solution.intercept**2


def sensitivity_of_smooth_value(C, weight=WEIGHT):
    solution = machine(K, C, weight)
    v = V * np.cos(V @ solution.beta)
    return solution, dual_sensitivity(K, Y, weight, C, solution, v, 2.0 * V_B * solution.intercept)


def states(solution, C, weight=WEIGHT):
    """0 for no support vector, 1 for a free one, 2 for a bounded one."""
    return (solution.beta != 0) + 1 * (np.abs(solution.beta) == C * weight) * (weight > 0)


@pytest.mark.parametrize("C", [0.3, 2.0, 50.0])
def test_change_by_the_gram_matrix_matches_central_difference(C):
    solution, answer = sensitivity_of_smooth_value(C)
    step = 5e-6 / C  # the larger the coefficients, the more the value curves
    ends = [machine(K + s * step * DIRECTION, C) for s in (1, -1)]
    for end in ends:
        np.testing.assert_array_equal(states(end, C), states(solution, C))
    numeric = (smooth_value(ends[0]) - smooth_value(ends[1])) / (2 * step)
    assert -answer.multipliers @ DIRECTION @ solution.beta == pytest.approx(numeric, rel=1e-6)
    W = symmetric_product(-answer.multipliers[:, None], solution.beta[:, None])
    assert np.array_equal(W, W.T)
    assert np.vdot(W, DIRECTION) == pytest.approx(numeric, rel=1e-6)
    assert answer.ridge == 0.0


@pytest.mark.parametrize("C", [0.3, 2.0])
def test_change_by_C_matches_central_difference(C):
    solution, answer = sensitivity_of_smooth_value(C)
    step = 1e-5
    ends = [machine(K, C + s * step) for s in (1, -1)]
    for end, s in zip(ends, (1, -1), strict=True):
        np.testing.assert_array_equal(states(end, C + s * step), states(solution, C))
    assert set(states(solution, C)) == {0, 1, 2}
    numeric = (smooth_value(ends[0]) - smooth_value(ends[1])) / (2 * step)
    assert answer.by_C == pytest.approx(numeric, rel=1e-6)


def test_without_bounded_support_vectors_C_has_no_influence():
    solution, answer = sensitivity_of_smooth_value(1e4)
    assert set(states(solution, 1e4)) == {0, 1}
    assert answer.by_C == 0.0


def test_without_free_support_vectors_the_offset_follows_the_two_samples_that_bound_it():
    C, step, weight = 0.01, 1e-6, np.ones(len(Y))
    solution, answer = sensitivity_of_smooth_value(C, weight)
    assert set(states(solution, C, weight)) == {2}
    assert np.count_nonzero(answer.multipliers) == 2
    by_gram = [smooth_value(machine(K + s * step * DIRECTION, C, weight)) for s in (1, -1)]
    by_C = [smooth_value(machine(K, C + s * step, weight)) for s in (1, -1)]
    numeric = (by_gram[0] - by_gram[1]) / (2 * step)
    assert -answer.multipliers @ DIRECTION @ solution.beta == pytest.approx(numeric, rel=1e-6)
    assert answer.by_C == pytest.approx((by_C[0] - by_C[1]) / (2 * step), rel=1e-6)


def test_every_support_vector_taken_as_free_is_equation_12_of_paper_001():
    C = 2.0
    solution = machine(K, C)
    answer = dual_sensitivity(K, Y, WEIGHT, C, solution, V, V_B, treat_as_free=True)
    S = np.flatnonzero(solution.beta)
    alpha = np.append(np.abs(solution.beta[S]), solution.intercept)
    signs = Y[S]

    def hessian(gram, corner):
        H = np.zeros((S.size + 1, S.size + 1))
        H[:-1, :-1] = np.outer(signs, signs) * gram[np.ix_(S, S)]
        H[-1, :-1] = H[:-1, -1] = corner * signs
        return H

    by_alpha = np.append(signs * V[S], V_B)
    change = -np.linalg.solve(hessian(K, 1.0), hessian(DIRECTION, 0.0) @ alpha)
    assert -answer.multipliers @ DIRECTION @ solution.beta == pytest.approx(by_alpha @ change, rel=1e-9)
    # C as in reference [13]: 1/C on the diagonal of K, whose derivative is −1/C².
    by_C = -np.linalg.solve(hessian(K, 1.0), hessian(-np.eye(len(Y)) / C**2, 0.0) @ alpha)
    assert answer.by_C == pytest.approx(by_alpha @ by_C, rel=1e-9)


def test_a_singular_system_is_solved_with_a_ridge_and_said():
    twice = np.repeat(np.arange(len(Y)), 2)
    gram, y = K[np.ix_(twice, twice)], Y[twice]
    single = solve_svm_dual(K, Y, 2.0, tol=1e-12)
    # Half of each coefficient on either copy is a solution, too, and both copies are free then.
    pair = solve_svm_dual(gram, y, 1.0, tol=1e-10, warm_start=0.5 * single.beta[twice])
    ones = np.ones(len(y))
    with pytest.warns(RidgeWarning, match="free support vectors is singular"):
        answer = dual_sensitivity(gram, y, ones, 1.0, pair, V[twice], V_B)
    assert answer.ridge > 0
    expected = dual_sensitivity(K, Y, np.ones(len(Y)), 2.0, single, V, V_B)
    np.testing.assert_allclose(answer.multipliers.reshape(-1, 2).sum(axis=1), expected.multipliers, atol=1e-6)
    assert answer.by_C == pytest.approx(2.0 * expected.by_C, rel=1e-5)


def test_the_scale_of_the_kernel_does_not_matter():
    solution, _ = sensitivity_of_smooth_value(2.0)
    large = solve_svm_dual(1e8 * K, Y, 2e-8, sample_weight=WEIGHT, tol=1e-12)
    scaled = dual_sensitivity(1e8 * K, Y, WEIGHT, 2e-8, large, 1e8 * V, V_B)
    plain = dual_sensitivity(K, Y, WEIGHT, 2.0, solution, V, V_B)
    np.testing.assert_allclose(scaled.multipliers, plain.multipliers, rtol=1e-6, atol=1e-8)
    assert scaled.ridge == 0.0
