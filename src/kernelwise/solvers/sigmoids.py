"""Sigmoids of many two-class problems at once, by Newton's method: what `kernelwise.solvers.platt` fits."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise import _native

FLAT = 1e-6  # slope of probabilities that hardly depend on decision values, but have their order


class Sigmoids(NamedTuple):
    """Problems on the same samples, one in each row: decision values, targets, weights and where to start.

    The first three have the shape (n_problems, n_samples), ``start`` (n_problems, 2).
    """

    f: np.ndarray
    target: np.ndarray
    w: np.ndarray
    start: np.ndarray


def increasing_sigmoids(problems: Iterable[Sigmoids]) -> list[np.ndarray]:
    """(A, B) of every problem, an array of shape (n_problems, 2) for each item; none of them decreases."""
    return [solve_sigmoids(*own, is_increasing=True) for own in problems]


def solve_sigmoids(
    f: np.ndarray, target: np.ndarray, w: np.ndarray, start: np.ndarray, is_increasing: bool
) -> np.ndarray:
    """(A, B) of many problems, shape (n_problems, 2); the other arrays are as in `Sigmoids`."""
    # Decision values of any size: Newton's steps do not depend on their unit, but the ridge does.
    unit = np.abs(f).max(axis=1)
    unit[unit == 0.0] = 1.0
    found = _newton(f / unit[:, None], target, w, start)
    if is_increasing:
        # The likelihood is concave: the best without a wrong direction has no slope.
        is_wrong = found[:, 0] > 0.0
        share = (w * target)[is_wrong].sum(axis=1) / w[is_wrong].sum(axis=1)
        found[is_wrong, 1] = np.log((1.0 - share) / share)
        # This slope is as good as none, but keeps the order of values, whatever rounding makes of a zero.
        found[:, 0] = np.minimum(found[:, 0], -FLAT)
    found[:, 0] /= unit
    return found


def _newton(f: np.ndarray, target: np.ndarray, w: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise Σ w (t z + log(1 + e⁻ᶻ)) with z = A f + B over (A, B), for each row.

    ``f``, ``target`` and ``w`` have the shape (n_problems, n_samples); start and result (n_problems, 2).
    """
    found = np.array(start, float)
    f, target, w = (np.ascontiguousarray(np.broadcast_to(one, f.shape), float) for one in (f, target, w))
    if _native.fit_sigmoids(f, target, w, found):
        warnings.warn(
            "Platt's sigmoid did not converge in 100 Newton steps, so probabilities may be inaccurate. "
            "Scale the features, or lower C.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return found
