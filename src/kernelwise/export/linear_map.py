"""The linear map of a kernel as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from kernelwise.kernels import Kernel


def map_transformer(kernel: Kernel, n_features: int) -> Any:
    """Return a fitted transformer that maps samples as the kernel does, or None if it does not map them.

    One weight per feature is a `StandardScaler` that does not centre; a matrix is a `TruncatedSVD`, the one
    decomposition whose transform is a product with a matrix and nothing else. Both take sparse samples, and
    both are known to skops and ONNX.
    """
    L = kernel.linear_map(n_features)
    if L is None:
        return None
    return _weighting(L) if L.ndim == 1 else _product(L)


def _weighting(weights: np.ndarray) -> StandardScaler:
    """x ↦ w∘x. A feature of weight zero is divided by infinity."""
    scaler = StandardScaler(with_mean=False)
    scaler.scale_ = np.divide(1.0, weights, out=np.full_like(weights, np.inf), where=weights > 0)
    scaler.var_ = scaler.scale_**2
    scaler.mean_ = np.zeros_like(weights)
    scaler.n_samples_seen_ = 0
    scaler.n_features_in_ = weights.size
    return scaler


def _product(matrix: np.ndarray) -> TruncatedSVD:
    """x ↦ xM, with M of shape (n_features, n_mapped)."""
    product = TruncatedSVD(n_components=matrix.shape[1])
    product.components_ = np.ascontiguousarray(matrix.T)
    product.singular_values_ = np.linalg.norm(matrix, axis=0)
    product.explained_variance_ = product.explained_variance_ratio_ = np.full(matrix.shape[1], np.nan)
    product.n_features_in_ = matrix.shape[0]
    return product
