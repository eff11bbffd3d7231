"""Checks of matrices of distances that users pass in."""

from __future__ import annotations

import numpy as np

from kernelwise._core.typing import MatrixLike, is_sparse
from kernelwise._core.validation import check_range, check_samples


def check_distances(D: MatrixLike) -> np.ndarray:
    """Return ``D`` as a float array of shape (n_samples, n_samples) of distances between samples."""
    checked = check_samples(D)
    if is_sparse(checked):
        raise ValueError("A matrix of distances must be dense, but X is sparse. Pass X.toarray().")
    distances = checked.astype(np.float64, copy=False)
    if distances.shape[0] != distances.shape[1]:
        raise ValueError(
            f"X has the shape {distances.shape}, but a matrix of the distances between all samples must be "
            "square. Pass one row and one column for every sample."
        )
    check_not_below_zero(distances)
    check_range(distances)
    if distances.diagonal().any():
        i = int(np.flatnonzero(distances.diagonal())[0])
        raise ValueError(
            f"The distance of a sample from itself must be 0, but X has {distances[i, i]:g} in row {i}, "
            f"column {i}. Pass distances; for a matrix of kernel values use kernel='precomputed'."
        )
    if np.abs(distances - distances.T).max() > 1e-9 * distances.max():
        raise ValueError("The matrix of distances X is not symmetric. Pass (X + X.T) / 2.")
    return distances


def check_not_below_zero(D: np.ndarray) -> None:
    """Raise if a matrix of distances, of shape (n_rows, n_columns), has a negative one."""
    if D.min(initial=0.0) < 0.0:  # the first words are those that scikit-learn's checks ask for
        i, j = np.argwhere(D < 0.0)[0]
        raise ValueError(
            f"Negative values in data: X has {D[i, j]:g} in row {i}, column {j}, but distances cannot be "
            "negative. Pass distances, or np.maximum(X, 0) if rounding made them negative."
        )
