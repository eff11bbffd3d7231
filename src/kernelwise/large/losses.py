"""Losses of linear machines: squares of the part of a residual y − f(x) that is not tolerated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: ``loss(residual, y)`` returns which rows count and the excess whose square is their loss, both of shape
#: (n_rows,). The excess is zero for other rows, and its slope by the residual is one where a row counts.
Loss = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def squared_hinge(residual: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss max(0, 1 − y f)² for labels ±1: y² = 1, so that 1 − y f is y times the residual."""
    is_inside = y * residual > 0.0
    return is_inside, np.where(is_inside, residual, 0.0)


def squared_epsilon_insensitive(
    residual: np.ndarray, y: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """The loss max(0, |y − f| − ε)² for numbers; with ε = 0 it is least squares, and every row counts."""
    return np.abs(residual) >= epsilon, residual - np.clip(residual, -epsilon, epsilon)
