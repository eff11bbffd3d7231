"""Small two-class problems shared by the tests of the solvers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.preprocessing import StandardScaler


def overlapping(n: int, seed: int = 0, n_features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping Gaussian clouds with labels ±1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.standard_normal((n, n_features)) + 0.6 * y[:, None], y


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
