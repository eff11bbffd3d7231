"""Rows that are no real ones: what held-out rows are told apart from where there are no labels.

A good description of the rows scores held-out rows higher than rows that could not be. Each kind of these is
wrong in a way of its own: anywhere in a box around all rows, a little larger than they need ("box") or just
as large ("inside"); beside a row, at about the distance of another; and with the values of two rows, half of
the columns each, which keeps the columns and breaks what connects them ("mixed").
"""

from __future__ import annotations

import numpy as np

#: How far beyond the smallest and largest values the box goes, in shares of the range.
BEYOND = 0.1


def pseudo_outliers(
    Z: np.ndarray, weight: np.ndarray, columns: np.ndarray | None, random_state: int
) -> dict[str, np.ndarray]:
    """Rows of each kind, as many as there are distinct rows; rows are drawn by their weights.

    ``columns``, of shape (n_features,), is the column of the user's table that each feature comes from.
    """
    rng = np.random.default_rng(random_state)
    n, m = Z.shape
    low, high = Z.min(axis=0), Z.max(axis=0)
    margin = BEYOND * (high - low)
    upto = np.cumsum(weight) / weight.sum()
    first, second, third = (np.minimum(np.searchsorted(upto, rng.random(n)), n - 1) for _ in range(3))
    mean = np.average(Z, axis=0, weights=weight)
    deviation = np.sqrt(np.average((Z - mean) ** 2, axis=0, weights=weight))
    column = np.arange(m) if columns is None else columns
    is_first = (rng.random((n, int(column.max()) + 1)) < 0.5)[:, column]
    return {
        "box": rng.uniform(low - margin, high + margin, size=(n, m)),
        "inside": rng.uniform(low, high, size=(n, m)),
        "beside": Z[third] + rng.normal(size=(n, m)) * deviation,
        "mixed": np.where(is_first, Z[first], Z[second]),
    }
