"""Equal rows and equal points have one number, in the order of their first copies."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances

from kernelwise import SVC, TunedSVC, TunedSVR
from kernelwise._core.equal_points import number_equal_rows, number_points, row_hashes
from kernelwise.exceptions import TrustWarning


def by_dictionary(X):
    """The same, row by row."""
    seen = {}
    return [seen.setdefault(tuple(row), len(seen)) for row in np.asarray(X, dtype=float).tolist()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_as_by_a_dictionary_of_rows(seed, form):
    random = np.random.default_rng(seed)
    X = random.integers(-1, 2, size=(200, 4)) * 0.1
    assert number_equal_rows(form(X)).tolist() == by_dictionary(X)
    assert number_equal_rows(form(X[:0])).size == 0


def test_minus_zero_and_stored_zeros_are_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1.0, -0.0]])
    assert number_equal_rows(X).tolist() == [0, 0, 1, 1]
    stored = sparse.csr_array(([0.0, 1.0, 1.0, 0.5, 0.5], [0, 1, 1, 1, 1], [0, 2, 3, 5]), shape=(3, 2))
    assert number_equal_rows(stored).tolist() == [0, 0, 0]


def test_neighbouring_numbers_differ():
    X = np.full((2, 3), 1e8)
    X[1, 2] = np.nextafter(1e8, 2e8)
    assert number_equal_rows(X).tolist() == [0, 1]
    assert (row_hashes(X)[:, 0] != row_hashes(X)[:, 1]).all()


RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) + 5.0
COPIES = RNG.integers(0, 30, size=80)

MATRICES = {
    "distances": lambda X: cdist(X, X),
    "distances that cancel": euclidean_distances,
    "city block": lambda X: cdist(X, X, "cityblock"),
    "tiny distances": lambda X: 1e-200 * cdist(X, X),
    "products": lambda X: X @ X.T,
    "powers": lambda X: (1.0 + X @ X.T) ** 5,
    "Gaussian": lambda X: np.exp(-euclidean_distances(X, squared=True)),
    "nearly constant": lambda X: np.exp(-1e-9 * cdist(X, X, "sqeuclidean")),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
def test_copies_have_one_number(matrix):
    numbers = number_points(matrix(X[COPIES]))
    _, first = np.unique(COPIES, return_index=True)
    order = np.argsort(first)
    expected = np.argsort(order)[np.unique(COPIES, return_inverse=True)[1]]
    assert_array_equal(numbers, expected)


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_samples_close_together_are_not_copies(scale):
    near = np.concatenate([X, X + 1e-5])
    assert_array_equal(number_points(scale * cdist(near, near)), np.arange(60))
    assert_array_equal(number_points(scale * near @ near.T), np.arange(60))


def test_a_distance_of_zero_alone_makes_no_copy():
    """Distances that are no metric may be zero between samples that differ."""
    D = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    assert_array_equal(number_points(D), [0, 1, 2])


def test_a_matrix_of_zeros_is_one_point():
    assert_array_equal(number_points(np.zeros((3, 3))), [0, 0, 0])


@pytest.fixture
def repeated():
    """Rows of noise, each twice: a copy of a training row tells the answer."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(40, 3)), 2, axis=0)
    return rows, np.repeat(rng.integers(0, 2, size=40), 2)


KINDS = {
    "precomputed-distance": lambda X: cdist(X, X),
    "precomputed": lambda X: np.exp(-cdist(X, X)),
}


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_copies_are_held_out_together(kernel, repeated):
    rows, y = repeated
    M = KINDS[kernel](rows)
    model = TunedSVC(kernel).fit(M, y)
    assert model.best_score_ < 0.75
    # The same fit with weights instead of copies.
    weighted = TunedSVC(kernel).fit(M[::2, ::2], y[::2], sample_weight=np.full(40, 2.0))
    assert weighted.best_score_ == model.best_score_
    assert weighted.C_ == model.C_
    assert_allclose(model.decision_function(M[:, :]), weighted.decision_function(M[:, ::2]))


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_copies_of_a_regression_are_held_out_together(repeated):
    rows, _ = repeated
    y = np.repeat(np.random.default_rng(1).normal(size=40), 2)
    with pytest.warns(TrustWarning, match="no better than guessing"):
        model = TunedSVR("precomputed-distance").fit(cdist(rows, rows), y)
    assert model.best_score_ < 0.2


def test_probabilities_of_a_gram_matrix_come_from_rows_whose_copies_were_held_out(repeated):
    rows, y = repeated
    K = np.exp(-10.0 * cdist(rows, rows))
    model = SVC(kernel="precomputed", probability=True, C=100.0, random_state=0).fit(K, y)
    alone = SVC(kernel="precomputed", probability=True, C=100.0, random_state=0).fit(
        K[::2, ::2], y[::2], sample_weight=np.full(40, 2.0)
    )
    assert_allclose(model.predict_proba(K), alone.predict_proba(K[:, ::2]), atol=1e-6)


@pytest.mark.parametrize("is_distance", [False, True])
def test_equal_rows_are_compared_in_little_memory(is_distance):
    rows = np.arange(600) % 2
    own = 0.0 if is_distance else 1.0
    M = np.array([[own, 0.3], [0.3, own]])[np.ix_(rows, rows)]
    tracemalloc.start()
    numbers = number_points(M)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_array_equal(numbers, rows)
    assert peak < 0.5 * M.nbytes
