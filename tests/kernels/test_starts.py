"""Starts read off the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.svm import SVC

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, DiagonalLaplacian, Laplacian, Polynomial
from kernelwise.kernels.starts import scale_gamma, start_gamma, start_sigma


def test_jaakkola_is_the_median_distance_to_the_nearest_point_of_another_class(iris01):
    X, y = iris01
    D = cdist(X, X)
    D[y[:, None] == y[None, :]] = np.inf
    sigma = np.median(D.min(axis=1))
    assert start_gamma(X, y) == pytest.approx(1 / (2 * sigma**2), rel=1e-9)
    assert RBF().initialize(X, y).gamma == start_gamma(X, y, "jaakkola")


def test_median_is_the_median_over_pairs(blobs):
    X, _ = blobs
    assert start_gamma(X) == pytest.approx(1 / (2 * np.median(pdist(X)) ** 2), rel=1e-9)


def test_scale_is_scikit_learns(blobs):
    X, y = blobs
    expected = SVC(gamma="scale").fit(X, y)._gamma
    assert start_gamma(X, y, "scale") == pytest.approx(expected, rel=1e-12)
    assert start_gamma(sparse.csr_array(X), y, "scale") == pytest.approx(expected, rel=1e-12)
    assert start_gamma(np.ones((5, 2)), None, "scale") == 1.0
    assert Polynomial().initialize(X, y).gamma == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("heuristic", ["jaakkola", "median", "scale"])
def test_start_follows_the_scale_of_the_data(heuristic, blobs):
    X, y = blobs
    assert start_gamma(1000 * X, y, heuristic) == pytest.approx(start_gamma(X, y, heuristic) / 1e6, rel=1e-9)


def test_mostly_repeated_rows_start_from_the_other_distances_and_say_so():
    X = np.array([[0.0]] * 8 + [[2.0]])
    y = [0, 1] * 4 + [1]
    with pytest.warns(KernelwiseWarning, match="median of the others"):
        assert start_gamma(X, y) == pytest.approx(1 / (2 * 4.0))
    with pytest.warns(KernelwiseWarning, match="all points are equal"):
        assert start_gamma(np.zeros((6, 2)), [0, 1] * 3) == pytest.approx(1.0, rel=1e-15)


def test_jaakkola_without_labels_and_unknown_names_are_refused(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="needs labels"):
        start_gamma(X, None, "jaakkola")
    with pytest.raises(ValueError, match="'heuristic' of initialize must be one of"):
        start_gamma(X, y, "mean")


def test_city_block_starts_are_of_city_block_distances(blobs):
    X, y = blobs
    D = cdist(X, X, "cityblock")
    nearest = np.where(y[:, None] == y, np.inf, D).min(axis=1)
    assert start_sigma(X, y, None, "cityblock") == pytest.approx(np.median(nearest))
    assert start_sigma(X, None, None, "cityblock") == pytest.approx(np.median(D[np.triu_indices(len(D), 1)]))
    assert Laplacian().initialize(X, y).gamma == pytest.approx(0.5 / np.median(nearest))
    assert Laplacian().initialize(X, y, "scale").gamma == pytest.approx(1.0 / (X.shape[1] * X.std()))
    assert DiagonalLaplacian().initialize(X, y, "keep") == DiagonalLaplacian().initialize(X, y)
    kept = DiagonalLaplacian(np.ones(X.shape[1]))
    assert kept.initialize(X, y, "keep") == kept
    with pytest.warns(KernelwiseWarning, match=r"starts from gamma=1, since all points are equal"):
        assert Laplacian().initialize(np.zeros((6, 2)), [0, 1] * 3).gamma == 1.0


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_weights_of_scale_are_numbers_of_rows(blobs, container):
    X = blobs[0] + 3.0
    times = np.random.default_rng(0).integers(0, 4, len(X))
    expected = scale_gamma(np.repeat(X, times, axis=0))
    assert scale_gamma(container(X), times.astype(float)) == pytest.approx(expected, rel=1e-12)
    assert scale_gamma(container(X), times / 7.0) == pytest.approx(expected, rel=1e-12)
