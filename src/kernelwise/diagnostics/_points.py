"""Samples that are the same point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.equal_rows import number_equal_rows


@dataclass(frozen=True)
class Points:
    """The different points of a data set.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_points, n_features)
    first : ndarray of shape (n_points,)
        The first sample at each point.
    counts : ndarray of shape (n_points, n_classes)
        Samples of each class there.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.diagnostics import distinct_points
    >>> X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
    >>> points = distinct_points(X, index=np.array([0, 1, 1]), n_classes=2)

    Samples 0 and 2 are one point, with one sample of each class:

    >>> points.first.tolist(), points.counts.tolist()
    ([0, 1], [[1, 1], [0, 1]])
    """

    X: Any
    first: np.ndarray
    counts: np.ndarray

    def mapped(self, X: Any) -> Points:
        """The points with the coordinates that their first samples have in ``X``; some may fall together.

        Equal samples stay equal, although a matrix product may round them differently.
        """
        return _gathered(X[self.first], self.first, self.counts)


def distinct_points(X: Any, index: np.ndarray, n_classes: int) -> Points:
    """Gather samples whose features are all equal, in the order of their first samples.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), finite
    index : ndarray of shape (n_samples,)
        Class index of each sample.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.diagnostics import distinct_points
    >>> X = np.array([[1.0], [1.0], [2.0]])
    >>> distinct_points(X, index=np.array([0, 0, 1]), n_classes=2).X
    array([[1.],
           [2.]])
    """
    return _gathered(X, np.arange(X.shape[0]), (index[:, None] == np.arange(n_classes)).astype(int))


def _gathered(X: Any, first: np.ndarray, counts: np.ndarray) -> Points:
    """Merge equal rows of ``X``."""
    numbers = number_equal_rows(X)
    chosen = np.unique(numbers, return_index=True)[1]
    merged = np.zeros((chosen.size, counts.shape[1]), dtype=int)
    np.add.at(merged, numbers, counts)
    return Points(X[chosen], first[chosen], merged)
