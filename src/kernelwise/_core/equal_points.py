"""Which samples are the same: equal rows of a matrix, and equal points of kernel values or distances.

Rows are told by a hash of each, so that nothing is compared pair by pair. Of a matrix of kernel values or
distances nothing else tells copies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kernelwise._core.typing import Samples, SparseMatrix, is_sparse


def number_equal_rows(X: Samples) -> np.ndarray:
    """Number the different rows of a finite matrix, array or CSR, in the order of their first copies.

    The numbers, of shape (n_samples,), are equal where the rows are.
    """
    hashes = row_hashes(X)
    order = np.lexsort(hashes)  # stable: equal rows stay in their order
    is_new = np.append(True, (hashes[:, order[1:]] != hashes[:, order[:-1]]).any(axis=0))[: len(order)]
    numbers = np.empty(len(order), dtype=int)
    numbers[order] = np.argsort(np.argsort(order[is_new]))[np.cumsum(is_new) - 1]
    return numbers


def summed(X: SparseMatrix) -> SparseMatrix:
    """A CSR matrix with every entry stored once, columns in order: equal rows may be stored differently."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def row_hashes(X: Samples) -> np.ndarray:
    """Two hashes of 64 bits of each row, shape (2, n_samples): those of equal rows, and of no others, agree.

    They are sums of integers, in which a large value does not swallow a small one.
    """
    factors = np.random.default_rng(0).integers(2**63, size=(2, X.shape[1]), dtype=np.uint64) * 2 + 1
    if not is_sparse(X):
        bits = mixed_values(np.asarray(X))
        return np.stack([(bits * own).sum(axis=1, dtype=np.uint64) for own in factors])
    stored = summed(X)
    bits = mixed_values(stored.data)
    return np.stack([row_sums(bits * own[stored.indices], stored.indptr) for own in factors])


def mixed_values(values: np.ndarray) -> np.ndarray:
    """The bits of numbers as integers in which every bit depends on all; zero stays zero."""
    return mixed((values.astype(np.float64) + 0.0).view(np.uint64))  # −0 becomes 0, which it is equal to


def mixed(bits: np.ndarray) -> np.ndarray:
    """Other integers of 64 bits in which every bit depends on all, by the steps of SplitMix64; 0 stays 0."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def row_sums(products: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Sums over the rows of a CSR matrix."""
    sums = np.zeros(len(indptr) - 1, products.dtype)
    is_filled = np.diff(indptr) > 0
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(products, indptr[:-1][is_filled])
    return sums


#: What rounding may change a product or a squared distance by, as a share of its largest terms: samples far
#: from the origin lose some thousand units in the last place.
ROUNDING = 2.0**-40
#: Rows that are compared at a time: all of them would take the memory of the matrix again, twice.
BLOCK = 64


def number_points(M: np.ndarray, rounding: float = ROUNDING) -> np.ndarray:
    """Number the different points of a symmetric matrix in the order of their first samples.

    Two samples are one point if their distance is zero and their rows are equal, both up to the rounding that
    the copies of a sample get in a matrix product: no machine tells them apart.

    Parameters
    ----------
    M : ndarray of shape (n_samples, n_samples)
        Kernel values; or distances, which have a diagonal of zeros.
    rounding : float, default=ROUNDING
        The largest difference of two equal values, as a share of the largest terms.

    Returns
    -------
    ndarray of shape (n_samples,)
        Equal numbers for one point.

    Examples
    --------
    >>> import numpy as np
    >>> number_points(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 2.0], [0.0, 2.0, 0.0]]))
    array([0, 1, 0])
    """
    n = len(M)
    is_distance = not M.diagonal().any()
    size = M.max(initial=0.0) if is_distance else np.sqrt(np.abs(M.diagonal()))
    numbers, n_points = np.full(n, -1), 0
    find = _same_distances if is_distance else _same_products
    is_near = partial(_near_distances, size=size) if is_distance else near_products
    for i, is_lone in enumerate(_are_lone(M, is_near, rounding).tolist()):
        if numbers[i] >= 0:
            continue
        if not is_lone:
            later = i + 1 + np.flatnonzero(numbers[i + 1 :] < 0)
            numbers[find(M, i, later, size, rounding)] = n_points
        numbers[i] = n_points
        n_points += 1
    return numbers


def _are_lone(M: np.ndarray, is_near: Callable[..., np.ndarray], rounding: float) -> np.ndarray:
    """Whether no other sample is at distance zero: most are so, and need not be compared one by one."""
    blocks = (slice(first, first + BLOCK) for first in range(0, len(M), BLOCK))
    found = [is_near(M, rows, slice(None), rounding).sum(axis=1) <= 1 for rows in blocks]
    return np.concatenate(found) if found else np.empty(0, bool)


def _near_distances(
    D: np.ndarray,
    rows: int | slice | np.ndarray,
    others: int | slice | np.ndarray,
    rounding: float,
    size: float,
) -> np.ndarray:
    """Whether ``others`` are at distance zero, of shape (n_rows, n_others), or (n_others,) of one row."""
    return np.asarray((D[rows, others] / (size or 1.0)) ** 2 <= rounding)


def near_products(
    K: np.ndarray, rows: int | slice | np.ndarray, others: int | slice | np.ndarray, rounding: float
) -> np.ndarray:
    """Whether ``others`` are at distance zero by kernel values; the shape is that of `_near_distances`."""
    diagonal = K.diagonal()
    squares = np.abs(diagonal)
    apart = np.abs(diagonal[rows][..., None] + diagonal[others] - 2.0 * K[rows, others])
    return np.asarray(apart <= rounding * (squares[rows][..., None] + squares[others]))


def _same_distances(D: np.ndarray, i: int, others: np.ndarray, size: float, rounding: float) -> np.ndarray:
    """Those of the others with the distances of sample i: the root of a square that cancels is inexact."""
    if size == 0.0:
        return others
    near = others[_near_distances(D, i, others, rounding, size)]
    own = (D[i] / size) ** 2
    return _that(near, lambda rows: np.abs((D[rows] / size) ** 2 - own) <= rounding)


def _same_products(
    K: np.ndarray, i: int, others: np.ndarray, size: np.ndarray, rounding: float
) -> np.ndarray:
    """Those of the others with the kernel values of sample i; ``size`` is the root of the diagonal."""
    near = others[near_products(K, i, others, rounding)]
    return _that(near, lambda rows: np.abs(K[rows] - K[i]) <= rounding * size[i] * size)


def _that(rows: np.ndarray, agree: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Those of the rows all whose values agree, which the function says of some rows, value by value."""
    blocks = (rows[first : first + BLOCK] for first in range(0, rows.size, BLOCK))
    found = [block[agree(block).all(axis=1)] for block in blocks]
    return np.concatenate(found) if found else rows
