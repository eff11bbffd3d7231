"""The distance sketch against sums over the whole kernel matrix."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from kernelwise.criteria import (
    CRITERIA,
    ESDR,
    J4,
    InterClassDistance,
    KernelTargetAlignment,
    Polarization,
    SumsCriterion,
)
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import (
    KMOD,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    Gaussian,
    LowRankGaussian,
    Mahalanobis,
)
from kernelwise.sketch.sketch import DistanceSketch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 6)) + 0.7 * RNG.normal(size=(3, 6))[np.arange(700) % 3]
Y = np.array(["ant", "bee", "cat"])[np.arange(700) % 3]
CRITERIA_WITHOUT_ROWS = [
    name
    for name in CRITERIA
    # The limit of a trimmed form is known to the width of a bin: tests/criteria/test_pairs.py has these.
    if isinstance(CRITERIA[name](), SumsCriterion) and name != "centered-kta" and "trimmed" not in name
]
OCTAVES = np.arange(-20.0, 16.1)


def distances(X):
    """Squared distances by differences, one feature at a time: no cancellation."""
    return sum((column[:, None] - column[None, :]) ** 2 for column in np.asarray(X, dtype=float).T)


def exact_derivatives(D, y, gamma, weights):
    """S_ab and three derivatives by γ, from the definition."""
    onehot = (y[:, None] == np.unique(y)) * weights[:, None]
    V = np.exp(-gamma * D)
    found = []
    for _ in range(4):
        found.append(onehot.T @ V @ onehot)
        V = V * -D
    return np.array(found)


def duplicated():
    """Equal rows within and across classes, and near ones."""
    Z = X.copy()
    Z[:30] = Z[300:330]
    Z[30:33] = Z[33]
    Z[40:50] = Z[340:350] + 1e-3 * RNG.normal(size=(10, 6))
    return Z


CASES = {
    "plain": (X, Y, None),
    "duplicates": (duplicated(), Y, None),
    "weights": (duplicated(), Y, RNG.random(700) * 3.0),
    "one feature": (RNG.normal(size=(500, 1)) ** 3, np.arange(500) % 2, None),
    "far from the origin": (X + 1e3, Y, None),
    "an outlier": (np.vstack([X[:300], np.full((1, 6), 1e3)]), np.arange(301) % 2, None),
    "eight points": (X[:8], Y[:8], None),
    "tiny scale": (X * 1e-30, Y, None),
    "large scale": (X * 1e30, Y, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_sums_and_three_derivatives_are_right_to_one_part_in_a_million(name):
    Z, y, weights = CASES[name]
    sketch = DistanceSketch.from_data(Z, y, sample_weight=weights)
    w = np.ones(len(y)) if weights is None else weights
    D = distances(Z)
    median = np.median(D[np.triu_indices(len(D), 1)])
    for gamma in 2.0**OCTAVES / median:
        exact = exact_derivatives(D, y, gamma, w)
        counts = exact[0] > 1e-8 * np.outer(sketch.n, sketch.n)
        found = sketch.derivatives(gamma)
        np.testing.assert_allclose(found[:, counts], exact[:, counts], rtol=1e-6, atol=1e-300)
        sums = sketch.sums(gamma)
        np.testing.assert_allclose(sums.S[0][counts], exact[0][counts], rtol=1e-6)
        squared = exact_derivatives(D, y, 2.0 * gamma, w)[0]
        np.testing.assert_allclose(sums.S2[0][counts], squared[counts], rtol=1e-6)
        assert np.array_equal(sums.t[0], sketch.n)


def test_exact_duplicates_do_not_decay():
    Z = np.repeat(X[:10], 4, axis=0)
    y = np.arange(40) % 2
    S = DistanceSketch.from_data(Z, y).derivatives(1e12)
    # Every point meets itself and its copies: two of each class in every group of four.
    np.testing.assert_array_equal(S[0], [[40.0, 40.0], [40.0, 40.0]])
    np.testing.assert_array_equal(S[1:], 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["pooled", "ovr", "ovo"])
@pytest.mark.parametrize("name", CRITERIA_WITHOUT_ROWS)
def test_curve_is_the_score_of_the_kernel_matrix(name, strategy):
    gammas = np.geomspace(1e-2, 10.0, 7)
    weights = RNG.random(len(Y)) + 0.5
    for w in (None, weights):
        criterion = CRITERIA[name]().set_params(strategy=strategy)
        exact = [criterion.score(RBF(gamma)(X), Y, w) for gamma in gammas]
        sketch = DistanceSketch.from_data(X, Y, sample_weight=w)
        np.testing.assert_allclose(sketch.curve(name, gammas, strategy=strategy), exact, rtol=1e-8)
        np.testing.assert_array_equal(
            sketch.curve(criterion, gammas), sketch.curve(name, gammas, strategy=strategy)
        )


@pytest.mark.parametrize("make", [InterClassDistance, ESDR, J4, Polarization, KernelTargetAlignment])
def test_class_weights_of_a_criterion_count(make):
    y = (X[:, 0] > 0.8).astype(int)
    criterion = make(class_weight="balanced")
    found = DistanceSketch.from_data(X, y).curve(criterion, [0.05, 0.5])
    np.testing.assert_allclose(found, [criterion.score(RBF(g)(X), y) for g in (0.05, 0.5)], rtol=1e-8)


@pytest.mark.parametrize("make", [ESDR, J4])
def test_ratios_reach_their_limit_for_wide_kernels(make):
    # γ → 0: the ratio of the mean squared distances in input space, which −D as a "kernel" has exactly.
    limit = make().score(-distances(X), Y)
    found = DistanceSketch.from_data(X, Y).curve(make(), [1e-13, 1e-15])
    np.testing.assert_allclose(found, limit, rtol=1e-9)


def test_dbtc_of_a_wide_kernel_keeps_its_digits():
    limit = InterClassDistance().score(-distances(X), Y)
    np.testing.assert_allclose(DistanceSketch.from_data(X, Y).curve("dbtc", 1e-14) / 1e-14, limit, rtol=1e-9)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(3.0),
        Mahalanobis(),
        Mahalanobis(covariance="full"),
        DiagonalGaussian(q=np.arange(1.0, 7.0)),
        Gaussian(Q=np.diag(np.arange(1.0, 7.0)) + 0.3),
        LowRankGaussian(A=np.arange(12.0).reshape(2, 6) / 10.0),
    ],
)
def test_distances_are_taken_after_the_linear_map_of_the_kernel(kernel):
    sketch = DistanceSketch.from_data(X, Y, kernel=kernel)
    bound = kernel.initialize(X, heuristic="keep")
    np.testing.assert_allclose(
        sketch.curve("dbtc", bound.scale), InterClassDistance().score(bound(X), Y), rtol=1e-8
    )


def test_sparse_samples_give_the_same_sums():
    Z = np.where(RNG.random(X.shape) < 0.6, 0.0, X)
    dense, csr = (DistanceSketch.from_data(data, Y) for data in (Z, sparse.csr_array(Z)))
    np.testing.assert_allclose(csr.derivatives(0.3), dense.derivatives(0.3), rtol=1e-9)
    weighted = DistanceSketch.from_data(sparse.csr_array(Z), Y, kernel=DiagonalGaussian(q=np.full(6, 2.0)))
    np.testing.assert_allclose(weighted.derivatives(0.15)[0], dense.derivatives(0.3)[0], rtol=1e-9)


def test_single_precision_is_computed_in_double():
    single = X.astype(np.float32)
    found = DistanceSketch.from_data(single, Y).derivatives(0.3)
    np.testing.assert_allclose(
        found, DistanceSketch.from_data(single.astype(float), Y).derivatives(0.3), rtol=1e-12
    )


@pytest.mark.parametrize("weights", [None, RNG.random(700)])
def test_threads_change_no_bit(monkeypatch, weights):
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.TASK", 10_000)
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.BLOCK", 60)
    one, three = (DistanceSketch.from_data(X, Y, sample_weight=weights, n_jobs=k) for k in (None, 3))
    assert np.array_equal(one.moments, three.moments)
    assert np.array_equal(one.used, three.used)


def test_small_blocks_change_nothing_but_rounding(monkeypatch):
    whole = DistanceSketch.from_data(X, Y).derivatives(0.3)
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.BLOCK", 33)
    monkeypatch.setattr("kernelwise.sketch.pass_over_pairs.MAX_PACKED", 33**2)
    np.testing.assert_allclose(DistanceSketch.from_data(X, Y).derivatives(0.3), whole, rtol=1e-10)


def test_what_a_sketch_cannot_do_is_refused_in_a_sentence():
    sketch = DistanceSketch.from_data(X, Y)
    with pytest.raises(IncompatibleError, match="Use 'dbtc', 'esdr', 'j4', 'polarization' or 'kta'"):
        sketch.curve("centered-kta", [1.0])
    with pytest.raises(IncompatibleError, match=r"needs a kernel exp\(−s·D\)"):
        DistanceSketch.from_data(X, Y, kernel=KMOD())
    with pytest.raises(ValueError, match="gammas must be positive and finite, got -1"):
        sketch.curve("dbtc", [1.0, -1.0])
    with pytest.raises(ValueError, match="'strategy' of DistanceSketch must be one of"):
        sketch.curve("dbtc", [1.0], strategy="all")
    with pytest.raises(ValueError, match="All samples of class 'bee' have weight zero"):
        DistanceSketch.from_data(X, Y, sample_weight=(Y != "bee").astype(float))
    with pytest.raises(ValueError, match="whose squares are out of the range of numbers"):
        DistanceSketch.from_data(X * 1e200, Y)
    with pytest.raises(ValueError, match=r"X has squared distances of the size .*Use other units"):
        DistanceSketch.from_data(X * 1e-155, Y).maximize("kta")
    with pytest.raises(ValueError, match="n_blocks must be None or an integer of at least 2"):
        DistanceSketch.from_data(X, Y, n_blocks=1)
    with pytest.raises(ValueError, match="y has one class only"):
        DistanceSketch.from_data(X, np.zeros(700))


@pytest.mark.parametrize("distance", ["euclidean", "cityblock", "precomputed"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_any_distance_has_a_sketch(distance, is_weighted):
    """Sums and derivatives against the double loop, to one part in a million, repeated rows included."""
    Z = duplicated()
    D = cdist(Z, Z, "cityblock" if distance == "precomputed" else distance)
    weights = np.random.default_rng(1).integers(1, 4, len(Z)) * 1.0 if is_weighted else np.ones(len(Z))
    given = D if distance == "precomputed" else Z
    sketch = DistanceSketch.from_data(given, Y, distance=distance, sample_weight=weights)
    median = np.median(D)
    for octave in (-6.0, -2.0, 0.0, 2.0):
        gamma = 2.0**octave / median
        expected = exact_derivatives(D, Y, gamma, weights)
        np.testing.assert_allclose(sketch.derivatives(gamma), expected, rtol=1e-6)


def test_the_distance_is_that_of_the_kernel():
    by_kernel = DistanceSketch.from_data(X, Y, kernel="laplacian")
    by_name = DistanceSketch.from_data(X, Y, distance="cityblock")
    np.testing.assert_array_equal(by_kernel.moments, by_name.moments)
    weighted = DistanceSketch.from_data(X, Y, kernel=DiagonalLaplacian(np.arange(1.0, 7.0)))
    of_products = DistanceSketch.from_data(X * np.arange(1.0, 7.0), Y, distance="cityblock")
    np.testing.assert_allclose(weighted.sums([0.1]).S, of_products.sums([0.1]).S, rtol=1e-9)
    with pytest.raises(ValueError, match="distance='euclidean' is not the distance of the kernel"):
        DistanceSketch.from_data(X, Y, kernel=RBF(), distance="euclidean")
    with pytest.raises(ValueError, match="'distance' of DistanceSketch must be one of"):
        DistanceSketch.from_data(X, Y, distance="cosine")


def test_what_is_no_matrix_of_distances_is_refused():
    D = cdist(X, X)
    bad = {
        "must be square": D[:5],
        "cannot be negative": D - 1.0,
        "from itself must be 0": D + 1.0,
        "not symmetric": np.triu(D),
    }
    for message, given in bad.items():
        with pytest.raises(ValueError, match=message):
            DistanceSketch.from_data(given, Y[: len(given)], distance="precomputed")
    with pytest.raises(ValueError, match="dense samples"):
        DistanceSketch.from_data(sparse.csr_array(X), Y, distance="cityblock")
    with pytest.raises(ValueError, match="dense samples"):
        DistanceSketch.from_data(sparse.csr_array(X), Y, kernel="laplacian")


@pytest.mark.parametrize("gammas", ["wide", [[0.1, 0.2]], []])
def test_widths_that_are_no_list_of_numbers_are_refused(gammas, blobs):
    with pytest.raises(ValueError, match="gammas must be a list of"):
        DistanceSketch.from_data(*blobs).sums(gammas)
