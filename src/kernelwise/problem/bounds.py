"""Where the parameters of a search may move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelwise._core.parameters import Hyperparameter, Parametrized
from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel


def search_bounds(
    kernel: Kernel, criterion: Criterion, given: Mapping[str, tuple[float, float]] | None
) -> np.ndarray:
    """Return the bounds of the kernel's parameters, then of the criterion's, in the units of ``theta``.

    The shape is (n_theta, 2), with one row, for the logarithms of the eigenvalues, for a matrix on a
    manifold. ``given`` has ranges by name, in the parameter's own units, in place of the kernel's and the
    criterion's.
    """
    left = dict(given or {})
    criterion_bounds = _bounds_by_name(criterion, left)
    if kernel.geometry != "euclidean":
        if left:
            raise ValueError(
                f"{type(kernel).__name__} takes no bounds by name; it is searched on a manifold."
            )
        return np.concatenate([kernel.bounds, criterion_bounds])
    bounds = np.concatenate([_bounds_by_name(kernel, left), criterion_bounds])
    if left:
        raise ValueError(f"{type(kernel).__name__} has no free parameter {next(iter(left))!r} to bound.")
    return bounds


def _bounds_by_name(part: Parametrized, given: dict[str, tuple[float, float]]) -> np.ndarray:
    """Bounds in the units of ``theta``: the part's own, or those given by name, taken out of ``given``.

    Always around the start: data on an unusual scale start outside the usual range. Shape (n_theta, 2).
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
