"""Local minima of a curve that is known at points, the ends included, and where a descent ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.signal import find_peaks

#: Depth, as a share of the largest size of a value, below which a minimum may be the solver's rounding.
SHALLOW = 1e-5


@dataclass(frozen=True, eq=False)
class Valleys:
    """The minima of a curve.

    Attributes
    ----------
    indices : ndarray of shape (n_minima,)
        Of the minima, in increasing order; at least one.
    at_first, at_last : ndarray of bool of shape (n_minima,)
        Whether a minimum lies at that end of the curve, or on a level part that begins there.
    borders : ndarray of shape (n_minima − 1,)
        Where the curve is highest between two minima.
    is_lowest : ndarray of bool of shape (n_minima,)
        Whether no other minimum is lower.
    """

    indices: np.ndarray
    at_first: np.ndarray
    at_last: np.ndarray
    borders: np.ndarray
    is_lowest: np.ndarray

    @classmethod
    def of(cls, costs: np.ndarray) -> Valleys:
        """Find the minima of a curve of shape (n_points,); shallow ones do not count."""
        depth = SHALLOW * float(np.abs(costs).max())
        if np.ptp(costs) <= depth:  # level: one minimum, which is everywhere
            one = np.ones(1, dtype=bool)
            return cls(np.array([int(costs.argmin())]), one, one, np.array([], dtype=int), one)
        wall = costs.max() + np.ptp(costs)
        peaks, _ = find_peaks(-np.concatenate([[wall], costs, [wall]]), prominence=depth)
        indices = peaks - 1
        lows = costs[indices]
        level = np.abs(costs[None, :] - lows[:, None]) <= depth
        index = np.arange(len(costs))
        return cls(
            indices=indices,
            at_first=(level | (index > indices[:, None])).all(axis=1),
            at_last=(level | (index < indices[:, None])).all(axis=1),
            borders=np.array([a + costs[a:b].argmax() for a, b in pairwise(indices)], dtype=int),
            is_lowest=lows <= lows.min() + depth,
        )

    def reached_from(self, start: int) -> int:
        """Number of the minimum that a descent from the point ``start`` ends in, if it never climbs."""
        return int(np.searchsorted(self.borders, start))

    @property
    def n_inside(self) -> int:
        """Minima that are at neither end."""
        return int(np.sum(~self.at_first & ~self.at_last))
