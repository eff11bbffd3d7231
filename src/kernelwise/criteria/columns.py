"""Which columns have to do with the target: the centred alignment of each column's own kernel with it.

It is the question of `kernelwise.metrics.kernel_target_alignment` (paper 002, Glasmachers 2006, section 2),
asked of one column at a time. A column that has nothing to do with the target is aligned with it, too, by
chance. By how much follows from the alignments with the targets in all other orders, whose mean and variance
have closed forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise import _native
from kernelwise._core.content_keys import content_keys
from kernelwise._core.equal_points import number_equal_rows
from kernelwise.criteria.alignment import centred_gram

#: Rows on which columns are aligned, at most: the time grows like their square.
MAX_ROWS = 500
#: Fewer rows have no variance over the orders of their targets.
LEAST = 4
#: γ of the kernel of a standardised column, and of that of a standardised target.
COLUMN_GAMMA, TARGET_GAMMA = 1.0, 0.5
#: Deviations beyond its mean over all orders from which on an alignment is no chance.
MARGIN = 3.0
#: Alignments are equal within this: sums of a quarter of a million terms.
ROUNDING = 1e-10


class ColumnAlignments(NamedTuple):
    """Centred alignments of columns, and their mean and deviation over all orders of the targets.

    All have the shape (n_columns,), and are zero for a constant column.
    """

    found: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    def beyond(self, margin: float) -> np.ndarray:
        """By how much alignments exceed the mean and so many deviations, shape (n_columns,)."""
        return np.asarray(self.found - self.mean - margin * self.deviation)


def target_gram(y: np.ndarray, weight: np.ndarray, *, are_classes: bool) -> np.ndarray:
    """The centred kernel of targets: 1 for rows of one class, or exp(−(t − t')²/2) of standardised numbers.

    The kernel of numbers also sees columns that change how far the target scatters and not its mean.
    """
    if are_classes:
        return centred_gram((y[:, None] == y).astype(float), weight)
    return centred_gram(_gaussian(_standardised(y[:, None], weight), TARGET_GAMMA), weight)


def align_columns(
    Z: np.ndarray, T: np.ndarray, weight: np.ndarray, columns: np.ndarray | None = None
) -> ColumnAlignments:
    """Align the kernel exp(−(z − z')²) of every standardised column with a centred matrix T.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
    T : ndarray of shape (n_rows, n_rows)
        As of `target_gram`; not zero.
    weight : ndarray of shape (n_rows,)
        Positive. A weight of 2 is a repeated row.
    columns : ndarray of shape (n_features,), default=None
        The column of each feature, where that is not one feature each: squared differences of the features of
        a column are added, and so are their variances.
    """
    return _aligned(standardised_columns(Z, weight, columns), T, weight)


def _aligned(parts: Sequence[np.ndarray], T: np.ndarray, weight: np.ndarray) -> ColumnAlignments:
    """Align the kernel of each part, of shape (n_rows, n_features of it), with a centred matrix T."""
    weight = copies(weight)
    of_target = _Traces.of_centred(T, weight)
    weighted = weight[:, None] * T * weight
    found = ColumnAlignments(*np.zeros((3, len(parts))))
    K = np.empty_like(T)
    for k, part in enumerate(parts):
        if not part.any():
            continue
        _gaussian(part, COLUMN_GAMMA, out=K)
        of_part = _Traces.of_ones(K, weight)
        size = np.sqrt(of_part.square * of_target.square)
        mean, variance = _over_orders(of_part, of_target, float(weight.sum()))
        found.found[k] = np.vdot(K, weighted) / size
        found.mean[k] = mean / size
        found.deviation[k] = np.sqrt(max(variance, 0.0)) / size
    return found


def screened_weights(
    Z: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    *,
    are_classes: bool,
    columns: np.ndarray | None = None,
    rounds: int = 2,
) -> np.ndarray:
    """Weights of columns by their alignment beyond chance, shape (n_columns,); zero for most that are noise.

    Columns are asked twice. The second time only rows count that are alike in the columns found before, so
    that a column which matters together with one of them is found, too. The weights are of squared
    differences of standardised columns, and all are zero if nothing is found. Parameters are as in
    `align_columns`; with ``rounds=1`` columns are asked once.
    """
    parts = standardised_columns(Z, weight, columns)
    if copies(weight).sum() < LEAST or np.ptp(y) == 0.0:
        return np.zeros(len(parts))
    T = target_gram(y, weight, are_classes=are_classes)
    first = _found(_aligned(parts, T, weight))
    if rounds == 1 or not first.any():
        return first
    kept = [np.sqrt(first[k]) * parts[k] for k in np.flatnonzero(first)]
    alike = centred_gram(T * _gaussian(np.hstack(kept), COLUMN_GAMMA), weight)
    return first + _found(_aligned(parts, alike, weight))


def _found(alignments: ColumnAlignments) -> np.ndarray:
    """What is beyond chance, as a share of the largest; zero elsewhere, and everywhere if nothing is."""
    beyond = alignments.beyond(MARGIN)
    beyond[beyond <= ROUNDING] = 0.0
    return beyond / (beyond.max() or 1.0)


def some_rows(Z: np.ndarray, index: np.ndarray, n_rows: int = MAX_ROWS) -> np.ndarray:
    """About so many different rows with all their copies, by their content: of each class its share.

    ``index`` are class indices of shape (n_rows,), all zero of numbers. Neither the order of rows and columns
    nor the names of classes matter, and the units of columns do not if they are standardised.
    """
    number = number_equal_rows(Z)
    _, first = np.unique(number, return_index=True)
    key = content_keys(Z[first], np.zeros(len(first), int), np.ones(len(first))).rows[number]
    different = [np.unique(key[index == k]) for k in range(index.max() + 1)]
    share = n_rows / sum(map(len, different))
    if share >= 1.0:
        return np.arange(len(index))
    chosen = [
        np.flatnonzero((index == k) & np.isin(key, keys[: max(2, round(share * len(keys)))]))
        for k, keys in enumerate(different)
    ]
    return np.sort(np.concatenate(chosen))


def copies(weight: np.ndarray) -> np.ndarray:
    """How many rows each stands for, shape (n_rows,): its weight, but one on average if that is less."""
    return weight * max(1.0, len(weight) / float(weight.sum()))


def standardised_columns(
    Z: np.ndarray, weight: np.ndarray, columns: np.ndarray | None = None
) -> list[np.ndarray]:
    """The features of each column, (n_rows, n_features of it), standardised."""
    if columns is None:
        return [_standardised(Z[:, k : k + 1], weight) for k in range(Z.shape[1])]
    return [_standardised(Z[:, columns == k], weight) for k in range(int(columns.max()) + 1)]


def _standardised(part: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Features of mean zero, whose variances add up to one; zero if none of them varies."""
    share = weight / weight.sum()
    part = np.where(np.ptp(part, axis=0) > 0.0, part - share @ part, 0.0)
    largest = float(np.abs(part).max(initial=0.0))  # by which squares neither overflow nor vanish
    if largest == 0.0:
        return part
    part = part / largest
    return np.asarray(part / np.sqrt(float((share @ part**2).sum())))


def _gaussian(part: np.ndarray, gamma: float, out: np.ndarray | None = None) -> np.ndarray:
    """exp(−γ‖z − z'‖²), shape (n_rows, n_rows), of exact differences; ``out`` is written to if given.

    New memory for every column takes longer than all else.
    """
    first, *others = np.ascontiguousarray(part.T)
    D = np.subtract.outer(first, first, out=out)
    D *= D
    for z in others:
        D += np.subtract.outer(z, z) ** 2
    _native.decay(D, gamma, D)
    return np.asarray(D)


class _Traces(NamedTuple):
    """tr A, tr A² and Σ a_ii² of a centred matrix A, in which a row counts as often as its weight says."""

    trace: float
    square: float
    diagonal: float

    @classmethod
    def of_centred(cls, A: np.ndarray, weight: np.ndarray) -> _Traces:
        diagonal = np.diag(A)
        return cls(float(weight @ diagonal), float(weight @ (A * A) @ weight), float(weight @ diagonal**2))

    @classmethod
    def of_ones(cls, K: np.ndarray, weight: np.ndarray) -> _Traces:
        """Those of HKH for a K with ones on its diagonal, without making it."""
        total = weight.sum()
        rows = K @ weight
        mean = weight @ rows / total**2
        diagonal = 1.0 - 2.0 * rows / total + mean
        square = weight @ (K * K) @ weight - 2.0 / total * (weight @ rows**2) + (total * mean) ** 2
        return cls(float(weight @ diagonal), float(square), float(weight @ diagonal**2))


def _over_orders(A: _Traces, B: _Traces, n: float) -> tuple[float, float]:
    """Mean and variance of Σ_ij a_ij b_π(i)π(j) over all orders π of n rows.

    F. Kazi-Aoual, S. Hitier, R. Sabatier, J.-D. Lebreton: Refined approximations to permutation tests for
    multivariate inference. Computational Statistics & Data Analysis 20, 1995.
    """
    (a, a2, ad), (b, b2, bd) = A, B
    mean = a * b / (n - 1.0)
    off = 2.0 * ((n - 1.0) * a2 - a * a) * ((n - 1.0) * b2 - b * b)
    off /= (n - 1.0) ** 2 * (n + 1.0) * (n - 2.0)
    on = n * (n + 1.0) * ad - (n - 1.0) * (a * a + 2.0 * a2)
    on *= n * (n + 1.0) * bd - (n - 1.0) * (b * b + 2.0 * b2)
    on /= (n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0)
    return mean, off + on
