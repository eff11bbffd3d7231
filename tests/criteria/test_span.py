"""The span estimate: exact where its assumption holds, smooth elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.criteria import SpanEstimate
from kernelwise.criteria.base import SearchState
from kernelwise.criteria.machine import HingeMachine, TwoClassProblem, distinct_rows
from kernelwise.criteria.span import Spans
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, Sigmoid
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_criterion, check_gradient, extrapolated_difference

from .machines import KERNELS, WatchedProblem, make_data

X, Y = make_data()
SIGNS = np.where(Y == 1, 1.0, -1.0)


def two_class(K, signs):
    n = len(signs)
    nothing = np.zeros(n, dtype=bool)
    return TwoClassProblem(K, signs, np.ones(n), nothing, {}, SearchState(), False, np.arange(n))


def states(machine):
    """0, 1 or 2 for a coefficient that is zero, free or bounded."""
    bound = machine.C * machine.weight
    return 1 * (machine.beta != 0) + ((np.abs(machine.beta) == bound) & (bound > 0))


def train(problem, left_out, C):
    return HingeMachine.train(replace(problem, warm={}), left_out, C, 1e-11, "all")


def count_exact(gamma, C):
    """Leave every row out in turn, and compare where all others stay zero, free or bounded; count these."""
    problem = two_class(RBF(gamma)(X), SIGNS)
    whole = train(problem, problem.held_out, C)
    spans, before = Spans(whole, 0.0), states(whole)
    assert spans.free.size  # without one, a row that is no support vector may bound the offset
    n_same = {0: 0, 1: 0, 2: 0}
    for p in range(len(Y)):
        without = train(problem, np.arange(len(Y)) == p, C)
        others = np.arange(len(Y)) != p
        if np.array_equal(states(without)[others], before[others]):
            answer = SIGNS[p] * without.decision(np.array([p]))[0]
            assert spans.left_out[p] == pytest.approx(answer, abs=2e-6)
            n_same[int(before[p])] += 1
    assert n_same[0] == np.sum(before == 0)  # those that are no support vectors never matter
    return n_same[1], n_same[2]


def test_plain_spans_are_left_out_answers_where_the_support_vectors_stay():
    found = np.sum([count_exact(gamma, C) for gamma in (0.05, 0.2, 2.0) for C in (0.5, 3.0, 1e4)], axis=0)
    assert (found >= 10).all(), found


def test_the_span_is_one_over_a_diagonal_entry_of_the_inverse():
    machine = train(two_class(RBF(0.2)(X), SIGNS), np.zeros(len(Y), dtype=bool), 3.0)
    spans = Spans(machine, 0.0)
    F, m = spans.free, len(spans.free)
    bordered = np.ones((m + 1, m + 1))
    bordered[:m, :m], bordered[m, m] = RBF(0.2)(X)[np.ix_(F, F)], 0.0
    assert_allclose(spans.squares[F], 1.0 / np.diag(np.linalg.inv(bordered))[:m], rtol=1e-8)


def test_the_smooth_span_is_the_minimum_that_defines_it():
    """‖Φ(x_p) − Σ λ_i Φ(x_i)‖² + Σ D_i λ_i² + (1 − Σ λ_i)²/τ over the other free ones, by least squares."""
    K, eta, C = 2.0 * RBF(0.2)(X), 0.05, 3.0
    spans = Spans(train(two_class(K, SIGNS), np.zeros(len(Y), dtype=bool), C), eta)
    alpha, tau = spans.alpha, 1.0 / 2.0  # the mean diagonal of K is 2
    assert 0 < len(spans.free) < len(spans.support)
    for p in spans.support:
        F = spans.free[spans.free != p]
        D = eta * (1.0 / alpha[F] + 1.0 / (C - alpha[F]))
        weights = np.linalg.solve(K[np.ix_(F, F)] + np.diag(D) + 1.0 / tau, K[F, p] + 1.0 / tau)
        least = K[p, p] - weights @ (K[F, p] + 1.0 / tau) + 1.0 / tau
        assert spans.squares[p] == pytest.approx(least, rel=1e-8)


def test_the_history_has_the_share_of_rows_whose_estimates_are_wrong():
    problem = TuningProblem(RBF(0.2), SpanEstimate(C=3.0, tol=1e-11), X, Y)
    problem.value(problem.theta)
    machine = train(two_class(RBF(0.2)(X), SIGNS), np.zeros(len(Y), dtype=bool), 3.0)
    wrong = np.mean(Spans(machine, SpanEstimate().eta).left_out < 0)
    assert problem.history[-1]["span_error"] == pytest.approx(wrong)
    assert 0.0 < wrong < 0.4


@pytest.mark.parametrize("eta", [0.01, 0.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_keeps_the_contract(eta, n_classes):
    check_criterion(SpanEstimate(eta=eta, tol=1e-12), n_classes=n_classes)


@pytest.mark.parametrize("C", [0.5, 3.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_gradient_by_every_parameter_and_C_matches_differences(kernel, C):
    for eta in (0.01, 0.0):
        problem = WatchedProblem(kernel, SpanEstimate(C=C, eta=eta, tol=1e-11), X, Y)
        assert problem.theta_names[-1] == "C"
        check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)
        assert set(problem.first) == {0, 1, 2}


def test_gradient_with_weights_matches_differences():
    weights = np.random.default_rng(1).uniform(0.5, 2.5, len(Y))
    problem = WatchedProblem(RBF(0.2), SpanEstimate(C=3.0, tol=1e-11), X, Y, sample_weight=weights)
    check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)


def test_gradient_with_copies_is_that_of_weights():
    rows = np.repeat(np.arange(len(Y)), np.arange(len(Y)) % 3 + 1)
    criterion = SpanEstimate(C=3.0, tol=1e-11)
    weighted = TuningProblem(RBF(0.2), criterion, X, Y, sample_weight=np.bincount(rows).astype(float))
    copied = TuningProblem(RBF(0.2), criterion, X[rows], Y[rows])
    for one, other in zip(*(p.value_and_gradient(p.theta) for p in (weighted, copied)), strict=True):
        assert_allclose(other, one, rtol=1e-6)


@pytest.mark.parametrize(("eta", "jumps"), [(0.01, False), (0.0, True)])
def test_it_does_not_jump_where_support_vectors_come_and_go(eta, jumps):
    """The largest step along a path of widths is made of smaller ones, but for the plain span."""
    problem = TuningProblem(RBF(0.2), SpanEstimate(C=1.0, eta=eta, search_C=False, tol=1e-10), X, Y)

    def steps(low, high, n):
        widths = np.linspace(low, high, n + 1)
        return widths, np.abs(np.diff([problem.value(np.array([width])) for width in widths]))

    widths, coarse = steps(np.log(0.05), np.log(1.0), 300)
    k = coarse.argmax()
    fine = steps(widths[k], widths[k + 1], 50)[1].max()
    assert fine > 0.5 * coarse[k] if jumps else fine < 0.2 * coarse[k]


def test_no_free_support_vector_is_no_error():
    """With a small C of balanced classes all are bounded: nothing can take the place of any."""
    y = np.arange(20) % 2
    value = SpanEstimate(C=1e-3).value_and_adjoint(np.eye(20), y)
    assert np.isfinite(value[0])
    assert np.isfinite(value[1]).all()


def test_negative_squared_lengths_of_an_indefinite_kernel_give_finite_numbers():
    X, y = make_data(40, seed=0)
    K = Sigmoid(0.3, -1.0)(X)
    assert K.diagonal().min() < -0.1
    with pytest.warns(KernelwiseWarning, match="semi-definite"):
        value, W = SpanEstimate(C=10.0).value_and_adjoint(K, y)[:2]
    assert 0.0 < value < 1.0
    assert np.isfinite(W).all()


def test_copies_are_found_by_their_distance_in_feature_space():
    K = RBF(0.5)(np.array([[0.0], [1.0], [0.0], [1.0], [0.0]]))
    first, number = distinct_rows(K, np.array([1.0, 1.0, 1.0, -1.0, -1.0]))
    assert first.tolist() == [0, 1, 3, 4]
    assert number.tolist() == [0, 1, 0, 2, 3]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"eta": -1.0}, "'eta' of SpanEstimate must"), ({"slope": 0.0}, "'slope' of SpanEstimate must")],
)
def test_wrong_parameters_are_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        SpanEstimate(**parameters)
