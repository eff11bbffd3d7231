"""Sigmoids of many two-class problems at once, by Newton's method: what `kernelwise.solvers.platt` fits."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

MAX_ITER = 100
TOL = 1e-10  # of the gradient, relative to the total weight
RIDGE = 1e-12  # keeps the Hessian invertible when all decision values are equal
SUFFICIENT = 1e-4  # share of the predicted decrease that a step must bring
SMALLEST_STEP = 1e-10
FLAT = 1e-6  # slope of probabilities that hardly depend on decision values, but have their order
#: Numbers in one stack: enough that calls of NumPy take little of the time, and few enough for the cache.
STACK = 2**16


class Sigmoids(NamedTuple):
    """Problems on the same samples, one in each row: decision values, targets, weights and where to start.

    The first three have the shape (n_problems, n_samples), ``start`` (n_problems, 2).
    """

    f: np.ndarray
    target: np.ndarray
    w: np.ndarray
    start: np.ndarray


def increasing_sigmoids(problems: Iterable[Sigmoids]) -> list[np.ndarray]:
    """(A, B) of every problem, an array of shape (n_problems, 2) for each item; none of them decreases.

    Problems of different items are solved together: a Newton step of a single one is hardly more than the
    time of its calls of NumPy.
    """
    found: list[np.ndarray] = []
    for stack in _stacks(problems):
        ends = np.cumsum([len(own.f) for own in stack])
        joined = stack[0] if len(stack) == 1 else _joined(stack)
        found += np.split(solve_sigmoids(*joined, is_increasing=True), ends[:-1])
    return found


def _stacks(problems: Iterable[Sigmoids]) -> Iterator[list[Sigmoids]]:
    """Problems in their order, in lists of at most `STACK` numbers, or of one."""
    stack: list[Sigmoids] = []
    n_rows, width = 0, 0
    for own in problems:
        n_rows, width = n_rows + len(own.f), max(width, own.f.shape[1])
        if stack and n_rows * width > STACK:
            yield stack
            stack, n_rows, width = [], *own.f.shape
        stack.append(own)
    if stack:
        yield stack


def _joined(stack: list[Sigmoids]) -> Sigmoids:
    """All problems below each other; samples of weight zero fill up the shorter ones."""
    shape = sum(len(own.f) for own in stack), max(own.f.shape[1] for own in stack)
    f, target, w = np.zeros((3, *shape))
    first = 0
    for own in stack:
        n, m = own.f.shape
        for array, part in zip((f, target, w), own[:3], strict=True):
            array[first : first + n, :m] = part
        first += n
    return Sigmoids(f, target, w, np.concatenate([own.start for own in stack]))


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
    """Minimise Σ w (t z + log(1 + e⁻ᶻ)) with z = A f + B over (A, B), for many problems at once.

    ``f``, ``target`` and ``w`` have the shape (n_problems, n_samples); start and result (n_problems, 2).
    """

    def cost(point: np.ndarray, which: np.ndarray) -> np.ndarray:
        z = point[:, :1] * f[which] + point[:, 1:]
        # log(1 + e⁻ᶻ) in a form that cannot overflow, by functions that NumPy has for vector registers.
        log_term = np.log1p(np.exp(-np.abs(z))) + np.maximum(-z, 0.0)
        return (w[which] * (target[which] * z + log_term)).sum(axis=1)

    found, total = start.copy(), w.sum(axis=1)
    left = np.arange(len(f))
    value = cost(found, left)
    for _ in range(MAX_ITER):
        point, values = found[left], f[left]
        p = expit(-(point[:, :1] * values + point[:, 1:]))
        pull = w[left] * (target[left] - p)
        gradient = np.column_stack([(pull * values).sum(axis=1), pull.sum(axis=1)])
        is_open = np.abs(gradient).max(axis=1) > TOL * total[left]
        left, point, values, p, gradient = (part[is_open] for part in (left, point, values, p, gradient))
        if not left.size:
            return found
        curvature = w[left] * p * (1.0 - p)
        cross = (curvature * values).sum(axis=1)
        hessian = np.empty((len(left), 2, 2))
        hessian[:, 0, 0] = (curvature * values**2).sum(axis=1) + RIDGE * total[left]
        hessian[:, 1, 1] = curvature.sum(axis=1) + RIDGE * total[left]
        hessian[:, 0, 1] = hessian[:, 1, 0] = cross
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = (gradient * step).sum(axis=1)
        length, new = np.ones(len(left)), np.empty(len(left))
        tried = np.arange(len(left))
        # Near the minimum the decrease is lost in the rounding of the cost, and the whole step is right.
        most = value[left] + 1e-14 * np.abs(value[left])
        while tried.size:
            new[tried] = cost(point[tried] + length[tried, None] * step[tried], left[tried])
            allowed = most[tried] + SUFFICIENT * length[tried] * slope[tried]
            tried = tried[new[tried] > allowed]
            length[tried] /= 2.0
            tried = tried[length[tried] >= SMALLEST_STEP]
        found[left], value[left] = point + length[:, None] * step, new
    warnings.warn(
        f"Platt's sigmoid did not converge in {MAX_ITER} Newton steps, so probabilities may be inaccurate. "
        "Scale the features, or lower C.",
        ConvergenceWarning,
        stacklevel=3,
    )
    return found
