"""Golden-section search along a line (the line search of paper 001, Ayat and others 2002)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def golden_section(
    f: Callable[[float], float], low: float, high: float, tol: float = 1e-2, max_iter: int = 60
) -> tuple[float, float]:
    """Minimise a function on an interval by keeping the golden part of it that holds the lower value.

    Returns
    -------
    x, value : float
        The best point met, the ends included in the comparison only through the points inside.
    """
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f_left, f_right = f(left), f(right)
    for _ in range(max_iter):
        if high - low <= tol * (abs(low) + abs(high)) / 2.0:
            break
        if f_left <= f_right:
            high, right, f_right = right, left, f_left
            left = high - GOLDEN * (high - low)
            f_left = f(left)
        else:
            low, left, f_left = left, right, f_right
            right = low + GOLDEN * (high - low)
            f_right = f(right)
    return (left, f_left) if f_left <= f_right else (right, f_right)


def expand_bracket(
    f: Callable[[float], float], f_zero: float, first: float, largest: float
) -> tuple[float, float]:
    """An interval (0 or more, up to ``largest``) that holds a minimum of f on the ray from 0, by doubling.

    ``f_zero`` is f(0), which is known; ``first`` the first step tried.
    """
    before, low, value = 0.0, 0.0, f_zero
    step = min(first, largest)
    while True:
        ahead = f(step)
        if ahead >= value:
            return before, step
        before, low, value = low, step, ahead
        if step >= largest:
            return before, largest
        step = min(2.0 * step, largest)
