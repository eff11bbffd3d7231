"""Checks of the values of C and the folds that a path is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import check_weights


def check_Cs(Cs: ArrayLike) -> np.ndarray:
    """The values of C, positive and finite, as an array of shape (n_Cs,)."""
    try:
        values = np.atleast_1d(np.asarray(Cs, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(f"'Cs' of svm_path must be a list of positive floats, got {Cs!r}.") from error
    if values.ndim != 1 or values.size == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"'Cs' of svm_path must be a list of positive floats, got {values.tolist()!r}.")
    return values


def check_folds(
    folds: Iterable[tuple[Any, Any]],
    index: np.ndarray,
    sample_weight: ArrayLike | None,
    classes: np.ndarray,
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Folds as integer indices, and the weights in each of them, of shape (n_folds, n_samples).

    All classes must be in each training part, and no sample in two test parts.
    """
    splits = check_disjoint(folds, index.size)
    weight = _weights_by_fold(sample_weight, len(splits), index.size)
    check_trained(splits, index, weight, classes, n_needed=len(classes))
    return splits, weight


def check_trained(
    splits: list[tuple[np.ndarray, np.ndarray]],
    index: np.ndarray,
    weight: np.ndarray,
    classes: np.ndarray,
    n_needed: int = 2,
) -> None:
    """Refuse folds whose training part has weights of fewer classes than are needed."""
    for k, (train, _) in enumerate(splits):
        totals = np.bincount(index[train], weights=weight[k, train], minlength=len(classes))
        if np.count_nonzero(totals) < n_needed:
            missing = classes.tolist()[int(totals.argmin())]
            raise ValueError(
                f"The training part of fold {k} has no sample of class {missing!r}. "
                "Use stratified or fewer folds."
            )


def _weights_by_fold(sample_weight: ArrayLike | None, n_folds: int, n_samples: int) -> np.ndarray:
    if sample_weight is None or np.ndim(sample_weight) != 2:
        return np.broadcast_to(check_weights(sample_weight, n_samples), (n_folds, n_samples))
    rows = np.asarray(sample_weight)
    if len(rows) != n_folds:
        raise ValueError(
            f"sample_weight has {len(rows)} rows, but there are {n_folds} folds. Pass one row of "
            "weights for each fold, or one weight per sample."
        )
    return np.stack([check_weights(row, n_samples) for row in rows])


def check_disjoint(folds: Iterable[tuple[Any, Any]], n_samples: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds as integer indices, with disjoint parts and no sample in two test parts."""
    everyone = np.arange(n_samples)
    splits = [(everyone[train], everyone[test]) for train, test in folds]
    if not splits:
        raise ValueError("'folds' of svm_path is empty. Pass (train, test) pairs as from cv.split(X, y).")
    times = np.zeros(n_samples, int)
    for k, (train, test) in enumerate(splits):
        is_used = np.zeros(n_samples, bool)
        is_used[train] = True
        if is_used[test].any():
            raise ValueError(f"Fold {k} has samples in its training and its test part. Pass disjoint parts.")
        times += np.bincount(test, minlength=n_samples)
    if times.max() > 1:
        raise ValueError(
            f"Sample {int(times.argmax())} is held out {times.max()} times. "
            "For repeated cross-validation call svm_path once for each repetition."
        )
    return splits
