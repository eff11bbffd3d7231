"""Weights of features: a positive number for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.rounding import significant


def check_feature_weights(q: Any, owner: str) -> None:
    """Raise unless the parameter ``q`` of a kernel is one positive number for each feature."""
    weights = np.asarray(q, dtype=float)
    if weights.ndim != 1:
        raise ValueError(f"'q' of {owner} is one weight per feature, got shape {weights.shape}.")
    is_good = np.isfinite(weights) & (weights > 0)
    if not is_good.all():
        k = int(np.flatnonzero(~is_good)[0])
        raise ValueError(f"'q' of {owner} must be positive, got {weights[k]} for feature {k}.")


def over_the_largest(q: Any) -> tuple[np.ndarray, float]:
    """Weights over their largest, without rounding that depends on it, and the largest."""
    weights = np.asarray(q, dtype=float)
    largest = float(weights.max())
    return np.asarray(significant(weights / largest)), largest
