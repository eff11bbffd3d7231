"""One weight for every column of a user's table, though its words and gaps are several features."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.search.data.samples import Samples


class Spread:
    """How the features of each column vary together: C_B / tr C_B for the covariance C_B of its features.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
    columns : ndarray of shape (n_features,)
        The column of each feature.
    """

    def __init__(self, Z: np.ndarray, weight: np.ndarray, columns: np.ndarray) -> None:
        self.columns = columns
        self.n_columns = int(columns.max()) + 1
        share = weight / weight.sum()
        self._parts = []
        for column in range(self.n_columns):
            features = np.flatnonzero(columns == column)
            part = Z[:, features] - share @ Z[:, features]
            C = (share[:, None] * part).T @ part
            trace = float(np.trace(C))
            self._parts.append((features, C / trace if trace > 0.0 else np.zeros_like(C)))

    def squared_slopes(self, G: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Mean squared slope along each column, (n_columns,), of gradients of shape (n_rows, n_features).

        The slope is taken along the directions in which the rows differ, gᵀC_B g / tr C_B: from one word of a
        column to another, but not from a word to none. That of a column with one feature is its derivative.
        """
        return np.array(
            [np.einsum("i,ij,jk,ik->", share, G[:, B], C, G[:, B], optimize=True) for B, C in self._parts]
        )


def spread_of(samples: Samples) -> Spread | None:
    """The spread of the columns; None where every column is one feature."""
    if samples.columns is None:
        return None
    return Spread(samples.Z, samples.weight, samples.columns)


def tied(kernel: Any, samples: Samples) -> Any:
    """A kernel whose features have weights, with one weight for all features of a column.

    It is their mean by variance, so that the mean distance along the column stays as it is.
    """
    q = kernel.feature_weights
    if samples.columns is None or q is None:
        return kernel
    mean = np.average(samples.Z, axis=0, weights=samples.weight)
    variance = np.average((samples.Z - mean) ** 2, axis=0, weights=samples.weight)
    variance = np.maximum(variance, np.finfo(float).tiny)
    weights = np.bincount(samples.columns, q * variance) / np.bincount(samples.columns, variance)
    return kernel.with_feature_weights(weights[samples.columns])


def deviations(samples: Samples, variance: np.ndarray) -> np.ndarray:
    """By how much two rows differ in each feature on average, over what it is for a standard normal one.

    For numbers that is taken to be the standard deviation. A feature of two values a distance r apart, as
    those of words and gaps are, has a mean difference of 2·variance/r.
    """
    found = np.sqrt(variance)
    if samples.columns is None:
        return found
    is_coded = np.bincount(samples.columns)[samples.columns] > 1
    r = np.ptp(samples.Z, axis=0)
    at_an_end = (samples.Z == samples.Z.min(axis=0)) | (samples.Z == samples.Z.max(axis=0))
    is_two = is_coded & (r > 0.0) & at_an_end.all(axis=0)
    found[is_two] = np.sqrt(np.pi) * variance[is_two] / r[is_two]
    return found


def columns_that_vary(samples: Samples) -> np.ndarray:
    """1.0 for every column that is not constant, else 0.0, shape (n_columns,)."""
    varies = np.ptp(samples.Z, axis=0) > 0.0
    if samples.columns is None:
        return varies.astype(float)
    return (np.bincount(samples.columns, varies) > 0).astype(float)
