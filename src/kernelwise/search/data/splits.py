"""The splits into training and test parts that a ``cv`` of the user stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

Splits = list[tuple[np.ndarray, np.ndarray]]


def check_kind_of_folds(cv: Any, default: str, owner: str) -> None:
    """Raise unless ``cv`` is a number of folds, a splitter or an iterable."""
    is_number = isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2
    if not is_number and ((not hasattr(cv, "split") and not np.iterable(cv)) or isinstance(cv, str)):
        raise ValueError(
            f"'cv' of {owner} must be {default}, an integer of at least 2, a splitter or an iterable of "
            f"(train, test), got {cv!r}."
        )


def read_splits(cv: Any, X: Any, y: np.ndarray, owner: str, params: dict[str, Any] | None = None) -> Splits:
    """Row numbers of the training and test part of each fold of a classification's or a regression's ``cv``.

    ``X`` and ``params``, such as ``groups``, are what a splitter sees. None and numbers are stratified folds.
    """
    params = params or {}
    if cv is None or hasattr(cv, "split") or isinstance(cv, int | np.integer):
        given: Any = check_cv(cv, y, classifier=True).split(X, y, **params)
    else:
        given = cv
    try:
        folds = list(given)
    except ValueError as error:
        if params.get("groups") is None and "groups" in str(error):
            raise ValueError(
                f"'cv' of {owner} is {cv!r}, which needs groups. Pass them to fit: fit(X, y, groups=...)."
            ) from error
        raise
    return [_checked(fold, k, len(y)) for k, fold in enumerate(folds)]


def _checked(fold: Any, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The row numbers of one fold."""
    parts = [np.asarray(part) for part in fold] if isinstance(fold, tuple | list) else []
    if len(parts) != 2 or not all(_are_rows(part, n) for part in parts):
        raise ValueError(
            f"Fold {k} of 'cv' must be a pair (train, test) of row numbers or of masks of the {n} rows. Use "
            "a splitter such as KFold, or such pairs."
        )
    for part in parts:
        if part.size and part.dtype != bool and not -n <= part.min() <= part.max() < n:
            raise ValueError(f"Fold {k} of 'cv' names samples beyond the {n} that there are.")
    everyone = np.arange(n)
    train, test = (everyone[part] if part.size else everyone[:0] for part in parts)
    return train, test


def _are_rows(part: np.ndarray, n: int) -> bool:
    if part.ndim != 1:
        return False
    return part.size == 0 or part.dtype.kind in "iu" or (part.dtype == bool and len(part) == n)
