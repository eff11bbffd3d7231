"""Which rows of a matrix are equal: by a hash of each row, so that nothing is compared pair by pair."""

from __future__ import annotations

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
