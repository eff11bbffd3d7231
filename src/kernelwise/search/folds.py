"""Step 2 of a search: rows assigned to folds.

A row of weight two or more is several copies. Were they in several folds, machines would be asked about rows
that they have learned, so they go together; except in tables of few values, where most rows are repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.labels import lone_rows
from kernelwise._core.text import count
from kernelwise._core.weights import copies_of
from kernelwise.findings import Finding
from kernelwise.search.canonical import sample, shuffled_classes
from kernelwise.search.context import FitContext
from kernelwise.search.families import Family
from kernelwise.search.samples import Samples

Folds = list[tuple[np.ndarray, np.ndarray]]

#: Folds for fewer rows than this; more folds for few rows, where the noise of a split costs most.
FOLDS = ((500, 5), (1500, 3))
FEWEST_FOLDS = 2
#: Paths of C that a time budget should allow.
N_PATHS = 8
#: Rows that a search looks at, at least, however short its time is.
FEWEST_ROWS = 300


@dataclass(frozen=True)
class FoldRows:
    """The rows of a search, each with the fold that holds it out.

    A row stands here once for every fold that holds out a share of its weight: ``weight`` is that share,
    ``rows`` are indices of samples, increasing. All arrays have the shape (n_held_out,). The fold −1 is that
    of rows which all folds train on and none holds out: the only rows of their classes.
    """

    rows: np.ndarray
    fold: np.ndarray
    weight: np.ndarray
    n_folds: int

    @property
    def folds(self) -> Folds:
        """(train, test) pairs, as positions in ``rows``."""
        tests = [self.fold == k for k in range(self.n_folds)]
        return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]

    def within(self, rows: np.ndarray) -> FoldRows:
        """These folds restricted to some rows; folds that are left empty are dropped."""
        is_in = np.isin(self.rows, rows)
        return _numbered(self.rows[is_in], self.fold[is_in], self.weight[is_in])

    def training_on(self, rows: np.ndarray) -> FoldRows:
        """These folds, but some rows are held out by none; folds that are left empty are dropped."""
        if not len(rows):
            return self
        return _numbered(self.rows, np.where(np.isin(self.rows, rows), -1, self.fold), self.weight)

    def renamed(self, names: np.ndarray) -> FoldRows:
        """The same folds of rows with other indices: ``names`` has the new one of each, (n_rows,)."""
        order = np.argsort(names[self.rows], kind="stable")
        return FoldRows(names[self.rows][order], self.fold[order], self.weight[order], self.n_folds)


def _numbered(rows: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> FoldRows:
    """Folds numbered from zero without gaps; −1 stays."""
    filled = np.unique(fold[fold >= 0])
    return FoldRows(rows, np.where(fold < 0, -1, np.searchsorted(filled, fold)), weight, len(filled))


def assign_folds(
    samples: Samples,
    cv: Any,
    family: Family,
    context: FitContext,
    *,
    random_state: int = 0,
    needs_all_classes: bool = False,
) -> FoldRows:
    """Assign folds to all rows, or to a stratified sample if they are too many for a search or its time.

    ``cv`` is a number of folds, "auto", or the folds themselves. The context gets a finding if the rows are
    sampled. ``needs_all_classes`` says that the score may be undefined on a fold without a class; then "auto"
    is no more folds than every class has samples for.
    """
    rows = _search_rows(samples, family, context, random_state)
    if isinstance(cv, FoldRows):
        kept = cv.within(rows)
        if kept.n_folds < cv.n_folds:
            dropped = count(cv.n_folds - kept.n_folds, "fold holds", "folds hold")
            message = f"{dropped} out none of the rows that kernel and C were chosen on, and did not count."
            context.findings.append(Finding("empty folds", "info", message, "Use fewer folds (cv)."))
        return kept.training_on(lone_rows(samples.strata, samples.weight))
    n_folds = cv
    strata, weight = samples.strata[rows], samples.weight[rows]
    counts = np.bincount(strata, weights=copies_of(weight))
    most = int(counts.max())
    if n_folds == "auto":
        n_folds = min(folds_for(counts.sum()), most)
        if needs_all_classes:
            n_folds = max(FEWEST_FOLDS, min(n_folds, int(counts[counts > 1].min())))
    if n_folds > most:
        raise ValueError(
            f"cv={n_folds} is more than the {count(most, 'sample')} of the largest class. Use fewer folds."
        )
    points = None if samples.points is None else samples.points[rows]
    return folds_of_rows(strata, weight, n_folds, points, random_state).renamed(rows)


def folds_of_rows(
    strata: np.ndarray, weight: np.ndarray, n_folds: int, points: np.ndarray | None, random_state: int
) -> FoldRows:
    """Stratified folds of rows in canonical order; the only row of a class is in every training part.

    ``points`` is as in `splits_copies`, the other arrays have the same shape.
    """
    is_split = splits_copies(points, strata, weight, n_folds)
    found = stratified_folds(strata, weight, n_folds, random_state, is_split)
    return found.training_on(lone_rows(strata, weight))


def _search_rows(samples: Samples, family: Family, context: FitContext, random_state: int) -> np.ndarray:
    n, limit = len(samples), family.max_rows
    if context.deadline.seconds is not None:
        affordable = np.sqrt(max(context.deadline.left, 0.0) / N_PATHS / family.path_cost)
        limit = int(np.clip(affordable, FEWEST_ROWS, limit))
    if n <= limit:
        return np.arange(n)
    kind = "stratified sample" if samples.strata.any() else "sample"
    final = "all of them" if context.deadline.seconds is None else "as many as the time allows"
    message = (
        f"Kernel and C were chosen on a {kind} of {limit} of {n} distinct rows; the final model is trained "
        f"on {final}."
    )
    context.findings.append(Finding("sampled", "info", message))
    return sample(samples.strata, limit, random_state)


def folds_for(n: float) -> int:
    """Number of folds for that many rows."""
    return next((folds for limit, folds in FOLDS if n < limit), FEWEST_FOLDS)


def splits_copies(
    points: np.ndarray | None, strata: np.ndarray, weight: np.ndarray, n_folds: int
) -> np.ndarray:
    """Whether the copies of a row go to several folds, for each class, shape (n_classes,).

    They do where most of the weight is on points that are in several classes: of points with a few values
    only, a machine has to learn how often each is in which class. And they do in a class with fewer rows than
    folds: machines would otherwise know nothing of it. ``points``, of shape (n_rows,), has the same number
    for rows that are the same point; None if that is not known.
    """
    is_small = np.bincount(strata) < n_folds
    if points is None:
        return is_small
    _, index, counts = np.unique(points, return_inverse=True, return_counts=True)
    return is_small | (weight[counts[index] > 1].sum() > 0.5 * weight.sum())


def stratified_folds(
    strata: np.ndarray, weight: np.ndarray, n_folds: int, random_state: int = 0, is_split: Any = True
) -> FoldRows:
    """Make stratified folds: the shuffled rows of a class go to the folds in turn.

    ``strata`` has the class index of each row, in canonical order. A row of weight w is `copies_of` w rows,
    one after the other, in classes with ``is_split``, which is a bool or an array of shape (n_classes,).
    """
    is_split = np.broadcast_to(is_split, strata.max() + 1)
    copies = np.where(is_split[strata], copies_of(weight), 1.0)
    counts = np.zeros((len(strata), n_folds))
    for members in shuffled_classes(strata, random_state):
        after = np.cumsum(copies[members])
        # How many of the numbers up to (and from) a row's own leave the rest k, for every fold k.
        k = np.arange(n_folds)
        upto = np.floor_divide(after[:, None] - 1 - k, n_folds)
        counts[members] = upto - np.floor_divide(after[:, None] - copies[members, None] - 1 - k, n_folds)
    rows, fold = np.nonzero(counts)
    return FoldRows(rows, fold, counts[rows, fold] * (weight / copies)[rows], n_folds)


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


def given_folds(splits: list[tuple[Any, Any]], index: np.ndarray, weight: np.ndarray) -> FoldRows:
    """Turn the user's splits (indices or masks of samples) into folds of distinct rows.

    ``index``, of shape (n_samples,), is the row that each sample is; negative for those that are left out.
    """
    everyone = np.arange(len(index))
    fold, times = np.full(len(index), -1), np.zeros(len(index), int)
    if not splits:
        raise ValueError("'cv' has no folds. Use a splitter such as KFold, or a number of folds.")
    for k, (train, test) in enumerate(splits):
        if max(np.max(part, initial=0) for part in (train, test)) >= len(index):
            raise ValueError(f"Fold {k} of 'cv' names samples beyond the {len(index)} that there are.")
        test = everyone[test]
        fold[test] = k
        times[test] += 1
        if not np.array_equal(np.sort(everyone[train]), np.setdiff1d(everyone, test)):
            raise ValueError(
                f"Fold {k} of 'cv' does not train on all samples that it does not hold out. "
                "Use a splitter such as KFold, or GridSearchSVC, which takes any."
            )
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"'cv' holds out sample {row} {times[row]} times instead of once. "
            "Use a splitter such as KFold, or GridSearchSVC, which takes any."
        )
    used = index >= 0
    keys, inverse = np.unique(index[used] * len(splits) + fold[used], return_inverse=True)
    return FoldRows(
        keys // len(splits), keys % len(splits), np.bincount(inverse, weights=weight[used]), len(splits)
    )
