"""Folds that never part a group: for rows that belong together, such as those of one patient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from kernelwise._core.reading import check_one_per_sample
from kernelwise._core.text import count
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import copies_of
from kernelwise.search.data.canonical import DistinctRows
from kernelwise.search.data.folds import FEWEST_FOLDS, FoldRows, folds_for
from kernelwise.search.data.given_folds import check_kind_of_folds, given_folds, read_splits

#: Digits by which the balance of two folds is compared: the rest is rounding.
DIGITS = 9


def folds_of(
    cv: Any,
    X: MatrixLike,
    targets: Callable[[], np.ndarray],
    weight: np.ndarray,
    distinct: DistinctRows,
    owner: str,
    *,
    strata: np.ndarray,
    params: dict[str, Any],
    random_state: int,
    needs_all_classes: bool,
) -> Any:
    """Check ``cv``: it is "auto", a number of folds, or splits of the samples, turned to folds of rows.

    A splitter sees what ``targets`` returns, as the user passed them, and ``params``. With ``groups`` among
    these, folds that would be drawn here are folds of whole groups; ``strata``, of shape (n_samples,), are
    the classes that they balance.
    """
    groups = params.get("groups")
    is_drawn = (isinstance(cv, str) and cv == "auto") or isinstance(cv, int | np.integer)
    if not (isinstance(cv, str) and cv == "auto"):
        check_kind_of_folds(cv, "'auto'", owner)
    group = None if groups is None else read_groups(groups, len(weight), owner)
    if is_drawn and group is None:
        return cv if isinstance(cv, str) else int(cv)
    if is_drawn and group is not None:
        return grouped_folds(
            *(cv, group, strata, weight, distinct),
            random_state=random_state,
            needs_all_classes=needs_all_classes,
            owner=owner,
        )
    folds = given_folds(read_splits(cv, X, targets(), weight, owner, params), distinct.row_of, weight)
    # With groups no row of one is trained on by the fold that holds the group out, however rare its class.
    return folds if group is None else folds.spelled_out()


def read_groups(groups: Any, n_samples: int, owner: str) -> np.ndarray:
    """The number of the group of each sample, shape (n_samples,)."""
    shape = np.shape(groups)
    if len(shape) > 2 or (len(shape) == 2 and shape[1] != 1):
        raise ValueError(f"groups must have one value per sample, got an array of shape {shape}.")
    labels = column_or_1d(groups) if len(shape) == 2 else groups
    check_one_per_sample(labels, "groups")
    labels = column_or_1d(labels)
    if len(labels) != n_samples:
        raise ValueError(f"groups has {count(len(labels), 'value')} for {count(n_samples, 'sample')}.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        row = int(np.isnan(labels).argmax())
        raise ValueError(f"groups has no value for sample {row}. Give every sample a group.")
    try:
        return np.unique(labels, return_inverse=True)[1]
    except TypeError as error:
        raise ValueError(
            f"groups of {owner} has values of kinds that cannot be compared. Use numbers or text alone."
        ) from error


def grouped_folds(
    cv: str | int,
    group: np.ndarray,
    strata: np.ndarray,
    weight: np.ndarray,
    distinct: DistinctRows,
    *,
    random_state: int,
    needs_all_classes: bool,
    owner: str,
) -> FoldRows:
    """Stratified folds of whole groups, which do not depend on the order of samples or names of groups.

    ``cv`` is "auto" or a number of folds; all arrays have the shape (n_samples,).
    """
    used = np.flatnonzero(distinct.row_of >= 0)
    order = _canonical(group[used], distinct.row_of[used])
    number = np.argsort(order)[np.unique(group[used], return_inverse=True)[1]]
    n_groups = len(order)
    if n_groups < FEWEST_FOLDS:
        raise ValueError(
            f"groups of {owner} has only one group, so none can be held out. Fit without groups, or pass at "
            "least two groups."
        )
    counts = np.zeros((n_groups, int(strata.max()) + 1))
    np.add.at(counts, (number, strata[used]), weight[used])
    if cv == "auto":
        n_folds = min(folds_for(float(copies_of(distinct.weight).sum())), n_groups)
        if needs_all_classes:  # as many as every class has groups for
            n_folds = max(FEWEST_FOLDS, min(n_folds, int((counts > 0).sum(axis=0).min())))
    else:
        n_folds = int(cv)
    if n_folds > n_groups:
        raise ValueError(f"cv={n_folds} is more than the {count(n_groups, 'group')}. Use fewer folds.")
    fold = np.full(len(group), -1)
    fold[used] = folds_of_groups(counts, n_folds, random_state)[number]
    splits = [(np.flatnonzero((fold >= 0) & (fold != k)), np.flatnonzero(fold == k)) for k in range(n_folds)]
    return given_folds(splits, distinct.row_of, weight).spelled_out()


def folds_of_groups(counts: np.ndarray, n_folds: int, random_state: int) -> np.ndarray:
    """The fold of each group, shape (n_groups,), from its weight in every class, (n_groups, n_classes).

    The rule is that of scikit-learn's StratifiedGroupKFold: groups whose classes are the most uneven come
    first, larger ones before smaller ones, and each goes where the shares of the classes stay the most even.
    """
    shuffled = np.random.default_rng(random_state).permutation(len(counts))
    spread, size = counts.std(axis=1).round(DIGITS), counts.sum(axis=1)
    order = shuffled[np.lexsort((-size[shuffled], -spread[shuffled]))]
    shares = counts / counts.sum(axis=0)
    totals, sizes = np.zeros((n_folds, counts.shape[1])), np.zeros(n_folds)
    fold = np.empty(len(counts), int)
    each = np.arange(n_folds)
    for g in order:
        after = np.repeat(totals[None], n_folds, axis=0)
        after[each, each] += shares[g]
        uneven = after.std(axis=1).mean(axis=1).round(DIGITS)
        fold[g] = np.lexsort((sizes, uneven))[0]
        totals[fold[g]] += shares[g]
        sizes[fold[g]] += size[g]
    return fold


def _canonical(group: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Groups, as numbered by their names, in the order of the first of their canonical rows."""
    _, index = np.unique(group, return_inverse=True)
    first = np.full(index.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, index, row)
    return np.argsort(first, kind="stable")
