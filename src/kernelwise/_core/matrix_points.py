"""Which samples of a matrix of kernel values or distances are the same point: nothing else tells copies."""

from __future__ import annotations

import numpy as np

#: What rounding may change a product or a squared distance by, as a share of its largest terms: samples far
#: from the origin lose some thousand units in the last place.
ROUNDING = 2.0**-40


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
    for i in range(n):
        if numbers[i] >= 0:
            continue
        later = i + 1 + np.flatnonzero(numbers[i + 1 :] < 0)
        find = _same_distances if is_distance else _same_products
        same = find(M, i, later, size, rounding)
        numbers[i] = numbers[same] = n_points
        n_points += 1
    return numbers


def _same_distances(D: np.ndarray, i: int, others: np.ndarray, size: float, rounding: float) -> np.ndarray:
    """Those of the others with the distances of sample i: the root of a square that cancels is inexact."""
    if size == 0.0:
        return others
    near = others[(D[i, others] / size) ** 2 <= rounding]
    gap = np.abs((D[near] / size) ** 2 - (D[i] / size) ** 2)
    return np.asarray(near[(gap <= rounding).all(axis=1)])


def _same_products(
    K: np.ndarray, i: int, others: np.ndarray, size: np.ndarray, rounding: float
) -> np.ndarray:
    """Those of the others with the kernel values of sample i; ``size`` is the root of the diagonal."""
    squares = np.abs(K.diagonal())
    apart = np.abs(K[i, i] + K.diagonal()[others] - 2.0 * K[i, others])
    near = others[apart <= rounding * (squares[i] + squares[others])]
    gap = np.abs(K[near] - K[i])
    return np.asarray(near[(gap <= rounding * size[i] * size).all(axis=1)])
