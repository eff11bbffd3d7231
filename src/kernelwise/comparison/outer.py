"""Outer and inner folds of a comparison: of rows, of whole groups, or in the order of time."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)

from kernelwise._core.text import count
from kernelwise._core.validation import check_labels
from kernelwise.search.group_folds import read_groups

Splits = list[tuple[np.ndarray, np.ndarray]]
#: Inner folds of the searches, as they have them for rows that are independent.
N_INNER = 5


class Partition:
    """How rows are parted; groups or times of the rows, of shape (n_samples,), or neither."""

    def __init__(self, groups: Any, times: Any, n_samples: int) -> None:
        if groups is not None and times is not None:
            raise ValueError("'groups' and 'times' of compare cannot be used together. Pass one of them.")
        self.groups = None if groups is None else read_groups(groups, n_samples, "compare")
        self.times = None if times is None else np.asarray(times)
        if self.times is not None and self.times.shape != (n_samples,):
            raise ValueError(f"'times' of compare must have one value for each of the {n_samples} samples.")

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent."""
        return self.groups is None and self.times is None

    def outer(self, y: np.ndarray, task: str, n_splits: int, n_repeats: int, random_state: int) -> Splits:
        """The outer folds; targets that they cannot be made of are refused."""
        is_classes = task != "regression"
        if not is_classes and len(y) < 2 * n_splits:
            raise ValueError(f"{n_splits} outer folds of a regression need at least {2 * n_splits} samples.")
        if self.is_plain:
            if is_classes:
                check_labels(y, len(y), min_per_class=n_splits)
            plain = RepeatedStratifiedKFold if is_classes else RepeatedKFold
            splitter = plain(n_splits=n_splits, n_repeats=n_repeats, random_state=random_state)
            return list(splitter.split(np.zeros(len(y)), y))
        if self.times is not None:
            if n_repeats > 1:
                raise ValueError("Folds in the order of time are always the same: 'n_repeats' must be 1.")
            order = np.argsort(self.times, kind="stable")
            return _checked(_in_time(order, n_splits), y, is_classes)
        assert self.groups is not None
        n_groups = len(np.unique(self.groups))
        if n_groups < n_splits:
            raise ValueError(f"{n_splits} outer folds are more than the {count(n_groups, 'group')}.")
        found: Splits = []
        for k in range(n_repeats):
            found += _of_groups(self.groups, y, is_classes, n_splits, random_state + k)
        return _checked(found, y, is_classes)

    def inner(self, train: np.ndarray, y: np.ndarray, task: str, random_state: int) -> Splits | None:
        """Folds of a training part, as positions in it, for methods that search; None for independent rows.

        The training part of a fold of time is in its order.
        """
        if self.is_plain:
            return None
        own = y[train]
        if self.times is not None:
            n_folds = min(N_INNER, len(train) - 1)
            splits = _in_time(np.arange(len(train)), n_folds)
        else:
            assert self.groups is not None
            groups = self.groups[train]
            n_folds = min(N_INNER, len(np.unique(groups)))
            if n_folds < 2:
                raise ValueError("The training part of an outer fold has only one group. Use more groups.")
            splits = _of_groups(groups, own, task == "classification", n_folds, random_state)
        if task == "classification":
            splits = [split for split in splits if len(np.unique(own[split[0]])) > 1]
            if not splits:
                raise ValueError(
                    "The inner folds of an outer fold train on samples of one class only. Use fewer outer "
                    "folds, or groups with several classes."
                )
        return splits


def _in_time(order: np.ndarray, n_splits: int) -> Splits:
    if n_splits >= len(order):
        raise ValueError(f"{n_splits} folds of time need more than {n_splits} samples, not {len(order)}.")
    splits = TimeSeriesSplit(n_splits).split(order)
    return [(order[train], order[test]) for train, test in splits]


def _of_groups(
    groups: np.ndarray, y: np.ndarray, is_classes: bool, n_splits: int, random_state: int
) -> Splits:
    kind = StratifiedGroupKFold if is_classes else GroupKFold
    splitter = kind(n_splits=n_splits, shuffle=True, random_state=random_state)
    return [split for split in splitter.split(np.zeros(len(y)), y, groups) if len(split[0]) and len(split[1])]


def _checked(splits: Splits, y: np.ndarray, is_classes: bool) -> Splits:
    for k, (train, _) in enumerate(splits):
        if is_classes and len(np.unique(y[train])) < 2:
            raise ValueError(
                f"The training part of outer fold {k} has one class only. Use fewer outer folds."
            )
    return splits
