"""Small two-class problems shared by the tests of the solvers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.preprocessing import StandardScaler

from kernelwise.solvers.path import ClassPaths


def overlapping(n: int, seed: int = 0, n_features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping Gaussian clouds with labels ±1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.standard_normal((n, n_features)) + 0.6 * y[:, None], y


def class_paths(y, folds, weight=None, strategy="ovo", **settings) -> ClassPaths:
    """The machines of labels on folds, with weights of shape (n_samples,) or (n_folds, n_samples)."""
    classes, index = np.unique(y, return_inverse=True)
    weights = np.broadcast_to(1.0 if weight is None else weight, (len(folds), len(y)))
    return ClassPaths(classes, index, folds, weights, strategy, **settings)


def newton_problem(gamma: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A Gram matrix of 16 samples, coefficients of which four are bounded, and labels."""
    K = rbf_kernel(np.random.default_rng(0).normal(size=(16, 3)), gamma=gamma)
    y = np.where(np.arange(16) % 2, 1.0, -1.0)
    beta = 0.5 * y
    beta[:2], beta[2:4] = -1.0 * (y[:2] < 0), 1.0 * (y[2:4] > 0)
    return K, beta, y


def bordered(K: np.ndarray, f: np.ndarray, total: float) -> tuple[np.ndarray, float]:
    """x and b of K x + b 1 = f, Σx = total, by one dense solve."""
    ones = np.ones((f.size, 1))
    solution = np.linalg.solve(np.block([[K, ones], [ones.T, np.zeros((1, 1))]]), [*f, total])
    return solution[:-1], float(solution[-1])


def assert_bounds_stop_at_a_minimum(newton_step: Callable[..., np.ndarray]) -> None:
    """With bounds in its way ``newton_step(K, beta, f, lo, hi)`` ends at the minimum of a smaller face."""
    K, beta, y = newton_problem()
    lo, hi = np.where(beta < 0, -0.8, 0.0), np.where(beta > 0, 0.8, 0.0)
    beta = np.clip(beta, lo, hi)
    f = y - K @ beta
    change = newton_step(K, beta, f, lo, hi)
    after = beta + change
    assert change.sum() == pytest.approx(0.0, abs=1e-12)
    assert ((lo <= after) & (after <= hi)).all()
    was_free, inside = (beta > lo) & (beta < hi), (after > lo) & (after < hi)
    assert 2 <= inside.sum() < was_free.sum()  # some ran into a bound
    residual = (f - K @ change)[inside]
    assert_allclose(residual, residual.mean(), atol=1e-8)
    assert 0.5 * change @ K @ change < f @ change  # the cost fell


@pytest.fixture(params=["rbf", "wide rbf", "linear"])
def gram_and_labels(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    """A Gram matrix of 80 samples and their labels; the linear one is singular."""
    X, y = overlapping(80)
    kernels = {
        "rbf": lambda: rbf_kernel(X, gamma=0.5),
        "wide rbf": lambda: rbf_kernel(X, gamma=0.01),
        "linear": lambda: linear_kernel(X),
    }
    return kernels[request.param](), y


@pytest.fixture(scope="session")
def breast_cancer() -> tuple[np.ndarray, np.ndarray, float]:
    """Standardised samples, labels, and γ = "scale"."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X, y, 1.0 / (X.shape[1] * X.var())
