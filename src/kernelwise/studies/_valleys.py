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
    """The minima of a curve."""

    indices: np.ndarray  # of the minima, in increasing order, shape (n_minima,); at least one
    #: Whether each minimum lies at that end of the curve, or on a level part that begins there.
    at_first: np.ndarray
    at_last: np.ndarray
    borders: np.ndarray  # where the curve is highest between two minima, shape (n_minima − 1,)
    is_lowest: np.ndarray  # whether no other minimum is lower, shape (n_minima,)

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
