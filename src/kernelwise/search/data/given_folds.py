"""Folds that come from the user: what ``cv`` and ``groups`` stand for, as folds of distinct rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import column_or_1d

from kernelwise._core.reading import check_one_per_sample
from kernelwise._core.text import count
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import copies_of
from kernelwise.search.data.canonical import DistinctRows, FoldPlaces, RowNumbers
from kernelwise.search.data.folds import FEWEST_FOLDS, FoldRows, folds_for
from kernelwise.search.data.together import canonical_groups, folds_of_groups


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
    fewest_folds: int = FEWEST_FOLDS,
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
        folds = grouped_folds(
            *(cv, group, strata, weight, distinct),
            random_state=random_state,
            needs_all_classes=needs_all_classes,
            fewest_folds=fewest_folds,
            owner=owner,
        )
    else:
        folds = given_folds(read_splits(cv, X, targets(), weight, owner, params), distinct.row_of, weight)
    if group is None:
        return folds
    # With groups no row of one is trained on by the fold that holds the group out, however rare its class.
    named = group[distinct.rows][folds.rows]
    return replace(folds.spelled_out(), group=canonical_groups(named, folds.rows))


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
    fewest_folds: int,
    owner: str,
) -> FoldRows:
    """Stratified folds of whole groups, which do not depend on the order of samples or names of groups.

    ``cv`` is "auto" or a number of folds; all arrays have the shape (n_samples,).
    """
    used = np.flatnonzero(distinct.row_of >= 0)
    number = canonical_groups(group[used], distinct.row_of[used])
    n_groups = int(number.max()) + 1
    if n_groups < FEWEST_FOLDS:
        raise ValueError(
            f"groups of {owner} has only one group, so none can be held out. Fit without groups, or pass at "
            "least two groups."
        )
    counts = np.zeros((n_groups, int(strata.max()) + 1))
    np.add.at(counts, (number, strata[used]), weight[used])
    if cv == "auto":
        n_folds = min(folds_for(float(copies_of(distinct.weight).sum()), fewest_folds), n_groups)
        if needs_all_classes:  # as many as every class has groups for
            n_folds = max(FEWEST_FOLDS, min(n_folds, int((counts > 0).sum(axis=0).min())))
    else:
        n_folds = int(cv)
    if n_folds > n_groups:
        raise ValueError(f"cv={n_folds} is more than the {count(n_groups, 'group')}. Use fewer folds.")
    fold = np.full(len(group), -1)
    fold[used] = folds_of_groups(counts, n_folds, random_state)[number]
    splits = [(np.flatnonzero((fold >= 0) & (fold != k)), np.flatnonzero(fold == k)) for k in range(n_folds)]
    return given_folds(splits, distinct.row_of, weight)


def given_folds(splits: list[tuple[Any, Any]], index: np.ndarray, weight: np.ndarray) -> FoldRows:
    """Turn the user's splits (indices or masks of samples) into folds of distinct rows.

    Test parts may overlap, miss samples, and be other than what is not trained on. Equal samples stay
    together where all folds use them alike, and apart where not, so that no fold learns what it holds out.
    ``index``, of shape (n_samples,), is the row that each sample is; negative for those that are left out.
    """
    if not splits:
        raise ValueError("'cv' has no folds. Use a splitter such as KFold, or a number of folds.")
    trained, asked = _counts(splits, len(index))
    if (asked.sum(axis=0) == 1).all() and np.array_equal(trained, 1 - asked):
        return _partition(asked.argmax(axis=0), len(splits), index, weight)
    # What a fold trains on twice is two samples, of which other folds train on one.
    copies = np.maximum(trained.max(axis=0), 1)
    sample = np.repeat(np.arange(len(index)), copies)
    number = np.arange(len(sample)) - np.repeat(np.cumsum(copies) - copies, copies)
    is_trained, asked = trained[:, sample] > number, np.where(number == 0, asked[:, sample], 0)
    used = np.flatnonzero(index[sample] >= 0)
    use, row = _numbers_of_uses(is_trained[:, used], asked[:, used]), index[sample[used]]
    order = np.lexsort((use, row))
    is_new = np.append(True, (np.diff(row[order]) != 0) | (np.diff(use[order]) != 0))[: len(order)]
    first = used[order[is_new]]
    fold, held = np.nonzero(asked[:, first])
    times = asked[:, first][fold, held]
    return FoldRows(
        RowNumbers(index[sample[first]]),
        np.repeat(fold, times),
        np.bincount(np.cumsum(is_new) - 1, weights=weight[sample[used[order]]]),
        len(splits),
        FoldPlaces(np.repeat(held, times)),
        is_trained[:, first],
    )


def _counts(splits: list[tuple[Any, Any]], n: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each fold trains on each sample, and holds it out, both of shape (n_folds, n_samples)."""
    everyone = np.arange(n)
    counts = np.zeros((2, len(splits), n), np.int32)
    for k, parts in enumerate(splits):
        if max(np.max(part, initial=0) for part in parts) >= n:
            raise ValueError(f"Fold {k} of 'cv' names samples beyond the {n} that there are.")
        counts[:, k] = [np.bincount(everyone[part], minlength=n) for part in parts]
        both = counts[:, k].all(axis=0)
        if both.any():
            raise ValueError(
                f"Fold {k} of 'cv' trains on sample {int(both.argmax())} and holds it out, too, so its score "
                "would be too good. Use disjoint parts, or GridSearchSVC, which accepts any."
            )
    return counts[0], counts[1]


def _numbers_of_uses(is_trained: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The same number for samples that all folds use alike, shape (n_samples,).

    Folds have random keys of 64 bits, whose sums differ for uses that differ.
    """
    keys = np.random.default_rng(0).integers(2**64, size=(2, len(asked)), dtype=np.uint64)
    sums = keys[0] @ is_trained.astype(np.uint64) + keys[1] @ asked.astype(np.uint64)
    return np.unique(sums, return_inverse=True)[1]


def _partition(fold: np.ndarray, n_folds: int, index: np.ndarray, weight: np.ndarray) -> FoldRows:
    used = index >= 0
    keys, inverse = np.unique(index[used] * n_folds + fold[used], return_inverse=True)
    rows, weights = RowNumbers(keys // n_folds), np.bincount(inverse, weights=weight[used])
    return FoldRows(rows, keys % n_folds, weights, n_folds)


Splits = list[tuple[np.ndarray, np.ndarray]]


def check_kind_of_folds(cv: Any, default: str, owner: str) -> None:
    """Raise unless ``cv`` is a number of folds, a splitter or an iterable."""
    is_number = isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2
    if not is_number and ((not hasattr(cv, "split") and not np.iterable(cv)) or isinstance(cv, str)):
        raise ValueError(
            f"'cv' of {owner} must be {default}, an integer of at least 2, a splitter or an iterable of "
            f"(train, test), got {cv!r}."
        )


def read_splits(
    cv: Any, X: Any, y: np.ndarray, weight: np.ndarray, owner: str, params: dict[str, Any] | None = None
) -> Splits:
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
    splits = [_checked(fold, k, len(y)) for k, fold in enumerate(folds)]
    check_folds_have_weight(splits, weight, owner)
    return splits


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


def check_folds_have_weight(
    splits: list[tuple[np.ndarray, np.ndarray]], weight: np.ndarray, owner: str
) -> None:
    """Raise if there are no folds, or a part of one has samples of weight zero only."""
    if not splits:
        raise ValueError(
            f"'cv' of {owner} gives no folds. Pass a number of folds, or splits into (train, test)."
        )
    for k, (train, test) in enumerate(splits):
        for part, rows in (("training", train), ("test", test)):
            if not weight[rows].any():
                raise ValueError(
                    f"sample_weight is zero for all samples in the {part} part of fold {k} of 'cv'. "
                    "Use other folds, or remove the samples of weight zero."
                )
