"""Where the parameters of a search may move."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.parameters import Hyperparameter, Parametrized


def bounds_by_name(part: Parametrized, given: dict[str, tuple[float, float]]) -> np.ndarray:
    """Bounds in the units of ``theta``: the part's own, or those given by name, taken out of ``given``.

    Always around the start: data on an unusual scale start outside the usual range.

    Returns
    -------
    bounds : ndarray of shape (n_theta, 2)
    """
    bounds, start, row = part.bounds.copy(), part.theta, 0
    for h in part.hyperparameters:
        size = np.size(getattr(part, h.name))
        rows = slice(row, row + size)
        row += size
        if h.name in given:
            bounds[rows] = _in_theta(h, given.pop(h.name), start[rows])
            continue
        room = np.log(1e3) if h.is_log else 1e3 * np.abs(start[rows]).max()
        bounds[rows, 0] = np.minimum(bounds[rows, 0], start[rows] - room)
        bounds[rows, 1] = np.maximum(bounds[rows, 1], start[rows] + room)
    return bounds


def _in_theta(h: Hyperparameter, limits: tuple[float, float], start: np.ndarray) -> Any:
    """Limits given in the parameter's own units, checked, in the units of ``theta``."""
    low, high = limits
    if not low < high or (h.is_log and low <= 0):
        raise ValueError(
            f"bounds of {h.name!r} must be two increasing{' positive' if h.is_log else ''} numbers, "
            f"got ({low}, {high})."
        )
    ends = np.log([low, high]) if h.is_log else np.array([low, high], dtype=float)
    if (start < ends[0]).any() or (start > ends[1]).any():
        raise ValueError(f"The start of {h.name!r} lies outside the bounds ({low}, {high}).")
    return ends
