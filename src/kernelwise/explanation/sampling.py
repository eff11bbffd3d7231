"""Estimates of Shapley values where no exact formula is known: random orders of the columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelwise.explanation.products import MOST_NUMBERS


def sampled_values(
    predict: Callable[[np.ndarray], np.ndarray],
    X: np.ndarray,
    background: np.ndarray,
    group: np.ndarray,
    random_state: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Shapley values over a background, and their standard errors, each (n_rows, n_columns, n_outputs).

    In each order the columns of a background row are replaced one after the other by those of the explained
    row; what a replacement changes is a sample of the column's value. Every order is used forwards and
    backwards, which balances it, and the mean of both is one sample of the standard error. A row's values add
    up to its output less the mean output of the background.

    Parameters
    ----------
    predict : callable
        From samples of shape (n, n_features) to outputs, (n, n_outputs).
    X, background : ndarray of shape (n_rows, n_features) and (n_orders, n_features)
        Each background row begins one order of the columns; there are at least two.
    group : ndarray of shape (n_features,)
        The column that each feature belongs to.
    random_state : int
    """
    random = np.random.default_rng(random_state)
    d = int(group.max()) + 1
    n_together = max(1, MOST_NUMBERS // ((d + 1) * X.shape[1]))
    values, errors = [], []
    for row in X:
        parts = []
        for first in range(0, len(background), n_together):
            starts = background[first : first + n_together]
            orders = np.array([random.permutation(d) for _ in starts])
            both = [_changes(predict, row, starts, order, group) for order in (orders, orders[:, ::-1])]
            parts.append((both[0] + both[1]) / 2.0)
        samples = np.concatenate(parts)
        values.append(samples.mean(axis=0))
        errors.append(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return np.array(values), np.array(errors)


def _changes(
    predict: Callable[[np.ndarray], np.ndarray],
    row: np.ndarray,
    starts: np.ndarray,
    orders: np.ndarray,
    group: np.ndarray,
) -> np.ndarray:
    """What every replacement changes, of shape (n_orders, n_columns, n_outputs)."""
    n_orders, d = orders.shape
    # The step at which each column is replaced; a path has d + 1 points.
    step = np.argsort(orders, axis=1)
    is_replaced = step[:, None, :] < np.arange(d + 1)[None, :, None]
    points = np.where(is_replaced[:, :, group], row, starts[:, None, :])
    outputs = predict(points.reshape(n_orders * (d + 1), -1)).reshape(n_orders, d + 1, -1)
    return np.take_along_axis(np.diff(outputs, axis=1), step[:, :, None], axis=1)
