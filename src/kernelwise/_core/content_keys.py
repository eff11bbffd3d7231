"""Keys of rows, columns and classes by their content: no order, unit or name has a part in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from kernelwise._core.equal_points import mixed, mixed_values, row_sums, summed
from kernelwise._core.typing import Samples, is_sparse

#: Binary digits of the largest value that keys look at: the rounding of a change of units is not in them.
COARSE = 18
#: Times that columns with equal keys are told apart by the rows that their values are in.
ROUNDS = 3


class ContentKeys(NamedTuple):
    """Integers of 64 bits, of shapes (n_features,), (n_rows,) and (n_classes,): equal for equal content."""

    columns: np.ndarray
    rows: np.ndarray
    classes: np.ndarray


class _Bits:
    """Mixed bits of the coarse values, and sums of them over rows and over columns, in integers."""

    def __init__(self, Z: Samples) -> None:
        if is_sparse(Z):
            Z = summed(Z)
            self.stored = sparse.csr_array((mixed_values(_coarse(Z.data)), Z.indices, Z.indptr), Z.shape)
            self.columnwise = self.stored.T.tocsr()
        else:
            self.stored, self.columnwise = mixed_values(_coarse(Z)), None

    def over_columns(self, factors: np.ndarray) -> np.ndarray:
        """Σ_j bits_ij·factors_j, shape (n_rows,)."""
        if self.columnwise is None:
            return (self.stored * factors).sum(axis=1, dtype=np.uint64)
        return row_sums(self.stored.data * factors[self.stored.indices], self.stored.indptr)

    def over_rows(self, factors: np.ndarray) -> np.ndarray:
        """Σ_i bits_ij·factors_i, shape (n_features,)."""
        if self.columnwise is None:
            return (self.stored * factors[:, None]).sum(axis=0, dtype=np.uint64)
        return row_sums(self.columnwise.data * factors[self.columnwise.indices], self.columnwise.indptr)


def content_keys(Z: Samples, index: np.ndarray, weight: np.ndarray) -> ContentKeys:
    """Keys of scaled distinct rows (array or CSR matrix), whose class indices and weights are given.

    All are sums, so that no order matters. A row's key is of its values, each with the key of its column, of
    its weight and of its class; a class's of its rows; a column's of its values and then, as long as some
    columns have equal keys, of the rows that they are in (as colours of a graph's nodes are refined).
    """
    bits = _Bits(Z)
    columns = bits.over_rows(np.ones(len(index), np.uint64))
    for _ in range(ROUNDS):
        rows, classes = _rows_and_classes(bits, columns, index, weight)
        n_different = len(np.unique(columns))
        if n_different == len(columns):
            break
        refined = mixed(columns + bits.over_rows(_odd(rows)))
        if len(np.unique(refined)) == n_different:
            break
        columns = refined
        rows, classes = _rows_and_classes(bits, columns, index, weight)
    return ContentKeys(columns, rows, classes)


def _rows_and_classes(
    bits: _Bits, columns: np.ndarray, index: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rows = mixed(bits.over_columns(_odd(columns)) + mixed_values(weight))
    classes = np.zeros(index.max() + 1, np.uint64)
    np.add.at(classes, index, rows)
    return mixed(rows + mixed(classes)[index]), classes


def _coarse(values: np.ndarray) -> np.ndarray:
    largest = np.abs(values).max(initial=0.0)
    return np.rint(np.ldexp(values, COARSE - np.frexp(largest)[1]))


def _odd(keys: np.ndarray) -> np.ndarray:
    return mixed(keys) | np.uint64(1)
