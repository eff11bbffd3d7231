"""Kernels and data that many tests share; read-only, so that a test cannot change them for the next."""

from __future__ import annotations

import os

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from kernelwise.kernels import (
    KMOD,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Gaussian,
    KernelSum,
    Laplacian,
    LowRankGaussian,
    Mahalanobis,
)

# Containers often tell Python to write no byte code. Then every process that a test starts would compile the
# whole package again, which takes longer than most of these tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

METRIC = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.4]])
#: Kernels of three features that have a gradient by the samples, of every class but the plain products.
SMOOTH_KERNELS = [
    RBF(0.3),
    ExponentialRBF(0.4),
    KMOD(0.6, 1.5),
    Mahalanobis(0.5).initialize(np.random.default_rng(1).normal(size=(30, 3)), heuristic="keep"),
    Mahalanobis(0.5, covariance="full").initialize(
        np.random.default_rng(1).normal(size=(30, 3)), heuristic="keep"
    ),
    DiagonalGaussian([0.3, 1.0, 0.1]),
    Gaussian(METRIC),
    LowRankGaussian(METRIC[:2]),
    Laplacian(0.3),
    DiagonalLaplacian([0.3, 1.0, 0.1]),
    KernelSum([RBF(0.3), KernelSum([Laplacian(0.2), ExponentialRBF(0.4)], [0.5, 2.0])], [3.0, 0.7]),
]


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


@pytest.fixture(scope="session")
def blobs():
    """60 samples of two overlapping classes in four features, of unequal sizes."""
    random = np.random.default_rng(7)
    X = random.normal(size=(60, 4))
    y = np.where(np.arange(60) < 25, -1, 1)
    X[y == 1] += [1.5, 0.0, -1.0, 0.0]
    return _frozen(X), _frozen(y)


@pytest.fixture(scope="session")
def iris01():
    """Iris scaled to [0, 1], as paper 000 has it."""
    X, y = load_iris(return_X_y=True)
    return _frozen(MinMaxScaler().fit_transform(X)), _frozen(y)


@pytest.fixture(scope="session")
def overlapping():
    """Samples of overlapping classes of unequal sizes in two features, and 400 points all over the plane."""

    def make(n_classes):
        random = np.random.default_rng(n_classes)
        sizes = np.linspace(60, 12, n_classes).astype(int)
        y = np.repeat(np.arange(n_classes), sizes)
        angle = 2 * np.pi * y / n_classes
        X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.9 * random.normal(size=(len(y), 2))
        return _frozen(X), _frozen(y), _frozen(random.uniform(-3, 3, (400, 2)))

    return make
