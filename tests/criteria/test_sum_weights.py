"""Weights of a sum of kernels by centred alignment."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_wine

from kernelwise.criteria import KernelTargetAlignment, TargetAlignment, aligned_sum
from kernelwise.criteria.alignment import alignment_weights
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import RBF, KernelSum, Laplacian, Linear, Polynomial

GRID = np.linspace(0.0, 1.0, 41)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[::3, :4], y[::3]


def highest_on_a_grid(grams, alignment):
    """The best alignment over weights on a grid of the simplex."""
    points = [p for p in product(GRID, repeat=len(grams) - 1) if sum(p) <= 1.0 + 1e-12]
    weights = [np.array([*point, max(0.0, 1.0 - sum(point))]) for point in points]
    return max(alignment(sum(v * K for v, K in zip(w, grams, strict=True))) for w in weights)


@pytest.mark.parametrize("kernels", [(RBF(0.02), Laplacian(1.0)), (RBF(0.01), RBF(1.0), Polynomial(3))])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_no_weights_of_a_grid_are_aligned_better(wine, kernels, task, is_weighted):
    X, y = wine
    y = y if task == "classification" else np.sin(X[:, 0]) + 0.3 * X[:, 1]
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y)) if is_weighted else None
    criterion = (KernelTargetAlignment if task == "classification" else TargetAlignment)(centered=True)
    grams = [kernel(X) for kernel in kernels]
    weights = alignment_weights(grams, y, task=task, sample_weight=weight)
    own = criterion.score(sum(v * K for v, K in zip(weights, grams, strict=True)), y, weight)
    best = highest_on_a_grid(grams, lambda K: criterion.score(K, y, weight))
    assert best - 1e-12 <= own <= best + 1e-3
    assert weights.sum() == pytest.approx(len(kernels))


def test_weights_are_the_papers_program(wine):
    """min vᵀMv − 2vᵀa over v ≥ 0, by its conditions of optimality, with plain matrices."""
    X, y = wine
    kernels = [RBF(0.02), RBF(0.5), Laplacian(0.3), Linear()]
    H = np.eye(len(y)) - 1.0 / len(y)
    centred = [H @ kernel(X) @ H for kernel in kernels]
    T = H @ (y[:, None] == y) @ H
    M = np.array([[np.vdot(a, b) for b in centred] for a in centred])
    a = np.array([np.vdot(C, T) for C in centred])
    v = alignment_weights([kernel(X) for kernel in kernels], y)
    v = v * (v @ a) / (v @ M @ v)  # the scale at which it is the minimum
    slope = M @ v - a
    scale = np.abs(a).max()
    assert (slope >= -1e-9 * scale).all()
    np.testing.assert_allclose(slope[v > 0], 0.0, atol=1e-9 * scale)


def test_weights_of_rows_are_repetitions(wine):
    X, y = wine
    times = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    kernels = [RBF(0.02), Laplacian(1.0)]
    weighted = aligned_sum(kernels, X, y, sample_weight=times)
    repeated = aligned_sum(kernels, np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.weights, repeated.weights, rtol=1e-9)


def test_a_kernel_that_does_not_help_is_left_out(wine):
    X, y = wine
    constant = Polynomial(1, gamma=1e-300, coef0=1.0)
    found = aligned_sum([RBF(0.05), RBF(0.05), constant], X, y)
    assert isinstance(found, KernelSum)
    assert constant not in list(found.kernels)
    assert sum(found.weights) == pytest.approx(3.0)
    with pytest.raises(DegenerateGramError, match="No kernel of the sum is aligned with y"):
        aligned_sum([constant], X, y)


def test_bad_input_is_one_sentence(wine):
    X, y = wine
    with pytest.raises(ValueError, match="'task' of aligned_sum must be one of"):
        aligned_sum([RBF()], X, y, task="ranking")
    with pytest.raises(ValueError, match="y is constant: no kernel is aligned with it"):
        aligned_sum([RBF()], X, np.ones(len(y)), task="regression")
    with pytest.raises(ValueError, match="'kernels' of KernelSum must be Kernel objects, got 'rbf'"):
        aligned_sum(["rbf"], X, y)
