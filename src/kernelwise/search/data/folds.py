"""Step 2 of a search: rows assigned to folds; which fold trains on which row, and which holds it out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise._core.equal_points import row_hashes
from kernelwise._core.labels import check_class_sizes, lone_rows
from kernelwise._core.memory import MEMORY_LIMIT, rows_within
from kernelwise._core.text import count
from kernelwise._core.typing import RandomState
from kernelwise._core.typing import Samples as Features
from kernelwise._core.validation import copies_of, seed_of
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.findings import catalogue
from kernelwise.search.data.canonical import (
    AnswerNumbers,
    FoldPlaces,
    RowNumbers,
    canonical_order,
    distinct_points,
    distinct_rows,
    sample,
    shuffled_classes,
)
from kernelwise.search.data.samples import Samples
from kernelwise.search.data.together import (
    canonical_groups,
    folds_of_groups,
    near_copies,
    near_copies_finding,
)

if TYPE_CHECKING:
    from kernelwise.search.engine.context import FitContext
    from kernelwise.search.families.family import Family

Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class FoldRows:
    """The rows of a search, each with the folds that hold it out and those that train on it.

    Usually a row stands here once. A row of weight 3 whose copies go to two folds stands here twice, with
    weights such as 2 and 1: ``weight`` is that share, ``rows`` are indices of samples, increasing; both have
    the shape (n_rows,). ``held``, of shape (n_held,),
    are the rows that are held out, as positions in ``rows``, each as often as a fold does so; ``fold``, of
    the same shape, says which. Fold −1 marks a row that no fold
    holds out, whose answers only the final machine can give.
    ``trained``, of shape (n_folds, n_rows), says which fold trains on which row. ``group``, of shape
    (n_rows,), has equal numbers for rows that are in one fold because they belong together; None if none do.

    Usual folds are a partition: ``held`` is None where each row is held out once at most, and ``trained`` is
    None where all folds train on all rows that they do not hold out.
    """

    rows: RowNumbers
    fold: np.ndarray
    weight: np.ndarray
    n_folds: int
    held: FoldPlaces | None = None
    trained: np.ndarray | None = None
    group: np.ndarray | None = None

    @property
    def is_partition(self) -> bool:
        """Whether each row is held out once, or never and then trained on by all folds."""
        return self.held is None and self.trained is None

    @property
    def asked(self) -> FoldPlaces:
        """Positions in ``rows`` of what is held out, shape (n_held,)."""
        return FoldPlaces(np.arange(len(self.rows))) if self.held is None else self.held

    @property
    def times(self) -> np.ndarray:
        """How often the row of each answer is held out by all folds together, shape (n_held,), at least 1."""
        return np.maximum(np.bincount(self.asked[self.fold >= 0], minlength=len(self.rows)), 1)[self.asked]

    @property
    def places(self) -> list[AnswerNumbers]:
        """For every fold: which of the n_held answers are its own."""
        return [AnswerNumbers(np.flatnonzero(self.fold == k)) for k in range(self.n_folds)]

    @property
    def folds(self) -> Folds:
        """(train, test) pairs, as positions in ``rows``."""
        tests = [self.asked[place] for place in self.places]
        if self.trained is None:
            return [(np.flatnonzero(self.fold != k), test) for k, test in enumerate(tests)]
        return [(np.flatnonzero(train), test) for train, test in zip(self.trained, tests, strict=True)]

    def spelled_out(self) -> FoldRows:
        """The same folds with ``held`` and ``trained``; rows of the fold −1 are only trained on."""
        if not self.is_partition:
            return self
        asked = np.flatnonzero(self.fold >= 0)
        held = FoldPlaces(asked[np.argsort(self.fold[asked], kind="stable")])
        trained = self.fold != np.arange(self.n_folds)[:, None]
        return replace(self, fold=self.fold[held], held=held, trained=trained)

    def within(self, rows: RowNumbers) -> FoldRows:
        """These folds restricted to some rows; folds that are left without a part are dropped."""
        is_in = np.isin(self.rows, rows)
        if self.is_partition:
            return _numbered(self.rows[is_in], self.fold[is_in], self.weight[is_in], self._group_of(is_in))
        return self._restricted(is_in, np.full(self.n_folds, True))

    def only(self, is_kept: np.ndarray) -> FoldRows:
        """Some of the folds, by a mask of shape (n_folds,), of the same rows."""
        return self.spelled_out()._restricted(np.full(len(self.rows), True), is_kept)

    def _restricted(self, is_in: np.ndarray, is_kept: np.ndarray) -> FoldRows:
        assert self.held is not None
        assert self.trained is not None
        answers = np.flatnonzero(is_in[self.held] & (self.fold >= 0))
        has_test = np.bincount(self.fold[answers], minlength=self.n_folds) > 0
        kept = np.flatnonzero(is_kept & has_test & (self.trained & is_in).any(axis=1))
        answers = answers[np.isin(self.fold[answers], kept)]
        position = np.cumsum(is_in) - 1
        return FoldRows(
            RowNumbers(self.rows[is_in]),
            np.searchsorted(kept, self.fold[answers]),
            self.weight[is_in],
            len(kept),
            FoldPlaces(position[self.held[answers]]),
            self.trained[np.ix_(kept, is_in)],
            self._group_of(is_in),
        )

    def _group_of(self, is_in: np.ndarray) -> np.ndarray | None:
        return None if self.group is None else self.group[is_in]

    def asking_also(self, positions: FoldPlaces) -> FoldRows:
        """The same folds, and answers that only the final machine can give, of some positions in ``rows``."""
        assert self.held is not None
        held, fold = np.append(self.held, positions), np.append(self.fold, np.full(len(positions), -1))
        return replace(self, fold=fold, held=FoldPlaces(held))

    def asked_by_all(self, rows: RowNumbers, weight: np.ndarray) -> FoldRows:
        """The same folds, which also hold out other rows, each of them all, and train on none of these."""
        if not len(rows):
            return self
        spelled, n = self.spelled_out(), len(self.rows)
        assert spelled.held is not None
        assert spelled.trained is not None
        order = np.argsort(np.append(self.rows, rows), kind="stable")
        place = np.argsort(order)
        trained = np.zeros((self.n_folds, len(order)), bool)
        trained[:, place[:n]] = spelled.trained
        return FoldRows(
            RowNumbers(np.append(self.rows, rows)[order]),
            np.append(spelled.fold, np.repeat(np.arange(self.n_folds), len(rows))),
            np.append(self.weight, weight)[order],
            self.n_folds,
            FoldPlaces(np.append(place[spelled.held], np.tile(place[n:], self.n_folds))),
            trained,
        )

    def training_on(self, rows: RowNumbers) -> FoldRows:
        """A partition, but some rows are held out by no fold; folds that are left empty are dropped."""
        if not len(rows):
            return self
        fold = np.where(np.isin(self.rows, rows), -1, self.fold)
        return _numbered(self.rows, fold, self.weight, self.group)

    def renamed(self, names: np.ndarray) -> FoldRows:
        """A partition of rows with other indices: ``names`` has the new one of each, (n_rows,)."""
        order = np.argsort(names[self.rows], kind="stable")
        rows = RowNumbers(names[self.rows][order])
        return FoldRows(rows, self.fold[order], self.weight[order], self.n_folds)


def _numbered(
    rows: np.ndarray, fold: np.ndarray, weight: np.ndarray, group: np.ndarray | None = None
) -> FoldRows:
    """Folds numbered from zero without gaps; −1 stays."""
    filled = np.unique(fold[fold >= 0])
    number = np.where(fold < 0, -1, np.searchsorted(filled, fold))
    return FoldRows(RowNumbers(rows), number, weight, len(filled), group=group)


#: Folds for fewer rows than this; more folds for few rows, where the noise of a split costs most.
FOLDS = ((500, 5), (1500, 3))
FEWEST_FOLDS = 2
#: Copies, at most, that are drawn into folds; of more, all folds have the same share.
MOST_DRAWN = 1e9
#: Folds that the sigmoids of one machine are fitted on, at most.
SIGMOID_FOLDS = 5
#: Paths of C that a time budget should allow.
N_PATHS = 8
#: Seconds that what follows a search takes for a row and a machine, about, and the share of a time budget for
#: it: of a thousand pairs of classes, sigmoids and probabilities take as long as the search.
OF_ANSWER, FOR_ANSWERS = 4e-7, 0.5
#: Gram matrices that a search holds, at least: that of a sum of kernels in both precisions, that of a part of
#: it, and distances.
LEAST_MATRICES = 3.5
#: Rows that a search looks at, at least, however short its time and memory are.
FEWEST_ROWS = 300
#: Held-out values of all machines at one C, at most, unless classes would have fewer rows than this.
MOST_VALUES, FEWEST_OF_CLASS = 120_000_000, 4


def assign_folds(
    samples: Samples,
    cv: Any,
    family: Family,
    context: FitContext,
    *,
    random_state: int = 0,
    needs_all_classes: bool = False,
    share: float = 1.0,
    fewest_folds: int = FEWEST_FOLDS,
    memory_limit: float = MEMORY_LIMIT,
) -> FoldRows:
    """Assign folds to all rows, or to a stratified sample if they are too many for a search or its time.

    ``cv`` is a number of folds, "auto", or the folds themselves; "auto" is at least ``fewest_folds``. The
    context gets a finding if the rows are sampled: they are too many above ``share`` times the family's
    `max_rows`. ``needs_all_classes`` says that the score may be undefined on a fold without a class; then
    "auto" is no more folds than every class has samples for. ``memory_limit`` is in MiB.
    """
    most = int(share * family.max_rows)
    rows, asked = _search_rows(samples, most, family, context, random_state, memory_limit)
    found = _folds(samples, rows, cv, family, context, random_state, needs_all_classes, fewest_folds)
    return found.asked_by_all(RowNumbers(asked), samples.weight[asked])


def _folds(
    samples: Samples,
    rows: np.ndarray,
    cv: Any,
    family: Family,
    context: FitContext,
    random_state: int,
    needs_all_classes: bool,
    fewest_folds: int,
) -> FoldRows:
    """Folds of some rows of the samples; see `assign_folds`."""
    if isinstance(cv, FoldRows):
        return _usable(cv, rows, samples, family, context)
    n_folds = cv
    strata, weight = samples.strata[rows], samples.weight[rows]
    counts = np.bincount(strata, weights=copies_of(weight))
    most = int(counts.max())
    if n_folds == "auto":
        n_folds = min(folds_for(counts.sum(), fewest_folds), most)
        if needs_all_classes:
            n_folds = max(FEWEST_FOLDS, min(n_folds, int(counts[counts > 1].min())))
    if not family.splits_copies:
        n_folds = min(n_folds, len(rows))
        return stratified_folds(strata, weight, n_folds, random_state, is_split=False).renamed(rows)
    if n_folds > most:
        raise ValueError(
            f"cv={n_folds} is more than the {count(most, 'sample')} of the largest class. Use fewer folds."
        )
    points = None if samples.points is None else samples.points[rows]
    group = None if samples.is_gram or points is None else near_copies(samples.Z[rows], points)
    if group is not None:
        group = canonical_groups(group, rows)
        context.warn(near_copies_finding(group), TrustWarning)
        found = _of_groups(group, rows, strata, weight, n_folds, random_state, needs_all_classes)
        return _usable(found, rows, samples, family, context)
    return folds_of_rows(strata, weight, n_folds, points, random_state).renamed(rows)


def _of_groups(
    group: np.ndarray,
    rows: np.ndarray,
    strata: np.ndarray,
    weight: np.ndarray,
    n_folds: int,
    random_state: int,
    needs_all_classes: bool,
) -> FoldRows:
    """Folds of whole groups, no more than there are groups; all arrays have the shape (n_rows,)."""
    counts = np.zeros((int(group.max()) + 1, int(strata.max()) + 1))
    np.add.at(counts, (group, strata), weight)
    n_folds = min(n_folds, len(counts))
    if needs_all_classes:  # as many as every class has groups for that is in several
        n_groups = (counts > 0).sum(axis=0)
        n_folds = max(FEWEST_FOLDS, min(n_folds, int(n_groups[n_groups > 1].min(initial=n_folds))))
    fold = folds_of_groups(counts, n_folds, random_state)[group]
    return _numbered(rows, fold, weight, group)


def _usable(
    given: FoldRows, rows: np.ndarray, samples: Samples, family: Family, context: FitContext
) -> FoldRows:
    """Folds of the user, restricted to the rows of the search; findings say which do not count."""
    kept = given.within(RowNumbers(rows))
    n_times = np.bincount(kept.asked[kept.fold >= 0], minlength=len(kept.rows))
    if family.holds_out_all and ((n_times != 1).any() or kept.n_folds < FEWEST_FOLDS):
        folds = count(given.n_folds, "fold holds", "folds hold")
        raise ValueError(
            f"'cv' must hold out every sample once, and its {folds} {int((n_times == 1).sum())} of "
            f"{count(len(kept.rows), 'row')} out once. Use KFold, or a number of folds."
        )
    if kept.n_folds < given.n_folds:
        context.findings.append(catalogue.EMPTY_FOLDS(n=given.n_folds - kept.n_folds))
    if kept.is_partition:
        kept = kept.training_on(RowNumbers(lone_rows(samples.strata, samples.weight)))
    if not samples.strata.any():
        return kept
    strata = samples.strata[kept.rows]
    is_kept = np.array([len(np.unique(strata[train])) > 1 for train, _ in kept.folds], dtype=bool)
    if not is_kept.any():
        raise ValueError(
            "Every fold of 'cv' trains on samples of one class only. Use folds with samples of two classes "
            "in each training part."
        )
    if not is_kept.all():
        context.warn(catalogue.FOLDS_OF_ONE_CLASS(n=int((~is_kept).sum())), KernelwiseWarning)
        kept = kept.only(is_kept)
        strata = samples.strata[kept.rows]
    if kept.is_partition:
        return kept
    return kept.asking_also(FoldPlaces(np.flatnonzero(~np.isin(strata, strata[kept.asked]))))


def folds_of_rows(
    strata: np.ndarray, weight: np.ndarray, n_folds: int, points: np.ndarray | None, random_state: int
) -> FoldRows:
    """Stratified folds of rows in canonical order; the only row of a class is in every training part.

    ``points`` is as in `splits_copies`, the other arrays have the same shape.
    """
    is_split = splits_copies(points, strata, weight, n_folds)
    found = stratified_folds(strata, weight, n_folds, random_state, is_split)
    return found.training_on(RowNumbers(lone_rows(strata, weight)))


def folds_for_sigmoids(
    X: Features | None,
    index: np.ndarray,
    weight: np.ndarray,
    random_state: RandomState,
    points: np.ndarray | None = None,
) -> FoldRows:
    """Stratified folds of the rows: equal rows of a class are one with their total weight, whatever order.

    Of samples that are no table of numbers, None for a Gram matrix, ``points`` has equal numbers for equal
    ones, shape (n_samples,); without it nothing is known to be equal.
    """
    if X is None:
        every = np.arange(len(index)) if points is None else points
        distinct = distinct_points(every, index, weight)
        points = None if points is None else points[distinct.rows]
    else:
        distinct = distinct_rows(X, index, weight)
        Z = X[distinct.rows]
        order = canonical_order(Z, index[distinct.rows], distinct.weight)
        distinct, points = distinct.reordered(order), row_hashes(Z[order])[0]
    strata = index[distinct.rows]
    check_class_sizes(strata, distinct.weight)
    counts = np.bincount(strata, weights=copies_of(distinct.weight))
    n_folds = min(SIGMOID_FOLDS, int(counts[counts > 1].min()))
    found = folds_of_rows(strata, distinct.weight, n_folds, points, seed_of(random_state))
    return found.renamed(distinct.rows)


def _search_rows(
    samples: Samples,
    limit: int,
    family: Family,
    context: FitContext,
    random_state: int,
    memory_limit: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from, and rows that are only asked about: of many, half of the rows at most."""
    asked = family.only_asked(samples.y)
    learned = np.setdiff1d(np.arange(len(samples)), asked)
    n = len(samples)
    in_memory = rows_within(memory_limit, LEAST_MATRICES + family.path_matrices)
    in_memory = max(FEWEST_ROWS, in_memory)  # which take some MiB
    if in_memory < min(n, limit):
        context.findings.append(catalogue.SEARCH_IN_MEMORY(memory_limit=memory_limit, n_rows=in_memory))
        limit = in_memory
    n_classes = int(samples.strata.max(initial=0)) + 1
    if context.deadline.seconds is not None:
        left = max(context.deadline.left, 0.0)
        answerable = max(FOR_ANSWERS * left / (OF_ANSWER * family.n_machines), FEWEST_OF_CLASS * n_classes)
        affordable = min(np.sqrt(left / N_PATHS / family.path_cost), answerable)
        limit = int(np.clip(affordable, FEWEST_ROWS, limit))
    limit = min(limit, max(MOST_VALUES // family.n_machines, FEWEST_OF_CLASS * n_classes))
    if n <= limit:
        return learned, asked
    asked = _some(asked, samples, limit // 2, random_state)
    learned = _some(learned, samples, limit - len(asked), random_state)
    sampled = catalogue.SAMPLED if family.final_on_all else catalogue.SAMPLED_ONE_CLASS
    finding = sampled(
        is_stratified=samples.strata.any(),
        n_sampled=len(learned) + len(asked),
        n_rows=n,
        has_deadline=context.deadline.seconds is not None,
    )
    context.findings.append(finding)
    return learned, asked


def _some(rows: np.ndarray, samples: Samples, limit: int, random_state: int) -> np.ndarray:
    """A stratified sample of some rows of the samples, or all if they are few."""
    if len(rows) <= limit:
        return rows
    return rows[sample(samples.strata[rows], limit, random_state)]


def folds_for(n: float, fewest: int = FEWEST_FOLDS) -> int:
    """Number of folds for that many rows, and no fewer than are asked for."""
    return max(fewest, next((folds for limit, folds in FOLDS if n < limit), FEWEST_FOLDS))


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


def _drawn(copies: np.ndarray, sizes: np.ndarray, random_state: int) -> np.ndarray:
    """How many copies of each row are in each fold, drawn at random, shape (n_rows, n_folds).

    Folds that all had the same share of every point would hold out what they are trained on: the majority at
    a point would be right there as often as it is in the sample, which is more than it is on new rows.
    """
    rng, left, found = np.random.default_rng(random_state), copies.astype(np.int64), []
    for size in sizes.astype(np.int64):
        found.append(rng.multivariate_hypergeometric(left, size, method="marginals"))
        left = left - found[-1]
    return np.stack(found, axis=1).astype(float)


def stratified_folds(
    strata: np.ndarray, weight: np.ndarray, n_folds: int, random_state: int = 0, is_split: Any = True
) -> FoldRows:
    """Make stratified folds: the shuffled rows of a class go to the folds in turn.

    Those of a class with fewer rows than folds go on where the last such class ended: of many small classes
    all folds then have as many rows.
    ``strata`` has the class index of each row, in canonical order. A row of weight w is `copies_of` w rows,
    one after the other, in classes with ``is_split``, which is a bool or an array of shape (n_classes,).
    """
    is_split = np.broadcast_to(is_split, strata.max() + 1)
    copies = np.where(is_split[strata], copies_of(weight), 1.0)
    counts = np.zeros((len(strata), n_folds))
    n_of_small = 0.0
    # By their first rows, so that names of classes do not matter.
    for members in sorted(shuffled_classes(strata, random_state), key=min):
        after = np.cumsum(copies[members])
        if after[-1] < n_folds:
            after += n_of_small
            n_of_small = float(after[-1])
        # The copies of a class are numbered, and copy i goes to fold i mod n_folds: each row's in each fold.
        k = np.arange(n_folds)
        upto = np.floor_divide(after[:, None] - 1 - k, n_folds)
        counts[members] = upto - np.floor_divide(after[:, None] - copies[members, None] - 1 - k, n_folds)
        if len(members) >= n_folds and (copies[members] > 1.0).any() and copies[members].sum() < MOST_DRAWN:
            counts[members] = _drawn(copies[members], counts[members].sum(axis=0), random_state)
    rows, fold = np.nonzero(counts)
    return FoldRows(RowNumbers(rows), fold, counts[rows, fold] * (weight / copies)[rows], n_folds)
