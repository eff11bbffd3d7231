"""Decision regions against the machine itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA

from kernelwise import TunedSVC
from kernelwise.kernels import RBF
from kernelwise.reports.regions import decision_regions, leading_plane


def test_plane_is_that_of_the_principal_components():
    Z = np.random.default_rng(0).normal(size=(50, 4)) * [3.0, 2.0, 1.0, 0.5]
    plane, pca = leading_plane(RBF(), Z), PCA(2).fit(Z)
    assert plane.share == pytest.approx(pca.explained_variance_ratio_.sum())
    assert_allclose(np.abs(plane.coordinates), np.abs(pca.transform(Z)))
    assert_allclose(plane.centre + plane.coordinates @ plane.loadings + plane.residual, Z)
    assert_allclose(plane.coordinates.T @ plane.residual, 0, atol=1e-10)


def test_plane_of_a_learned_metric_shows_the_features_that_count(diagonal):
    regions = decision_regions(diagonal.model, diagonal.X, diagonal.y, [f"f{k}" for k in range(6)])
    assert set(regions.axes[0].split(", ")[:1] + regions.axes[1].split(", ")[:1]) == {"f1", "f4"}


def test_two_features_are_shown_exactly(blobs):
    X, y = blobs[0][:, :2], blobs[1]
    model = TunedSVC("rbf", Cs=[1.0, 10.0]).fit(X, y)
    Z = model.scaler_.transform(X)
    plane = leading_plane(model.kernel_, Z)
    assert_allclose(plane.filled(plane.coordinates), Z, atol=1e-12)
    regions = decision_regions(model, X, y, ["a", "b"])
    place = np.array([[regions.a[7], regions.b[31]]])
    expected = model.best_estimator_.decision_function(plane.centre + place @ plane.loadings)
    assert regions.values[31, 7] == pytest.approx(expected[0])
    assert regions.share == pytest.approx(1.0)
    assert_array_equal(regions.is_wrong, model.predict(X) != y)


def test_agreement_is_counted_over_the_cells_of_the_samples(three):
    regions = decision_regions(three.model, three.X, three.y, list("abcd"))
    cells = [
        regions.values[np.abs(regions.b - b).argmin(), np.abs(regions.a - a).argmin()]
        for a, b in regions.points
    ]
    assert regions.agreement == pytest.approx(np.mean(cells == three.model.predict(three.X)))
    assert set(np.unique(regions.values)) <= {0.0, 1.0, 2.0}


def test_one_direction_is_no_plane():
    assert leading_plane(RBF(), np.arange(6.0)[:, None]) is None
    assert leading_plane(RBF(), np.outer(np.arange(6.0), [1.0, 2.0])) is None
