"""Which fold trains on which row, and which holds it out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class FoldRows:
    """The rows of a search, each with the folds that hold it out and those that train on it.

    A row stands here once for every way in which folds use a share of its weight: ``weight`` is that share,
    ``rows`` are indices of samples, increasing; both have the shape (n_rows,). ``held``, of shape (n_held,),
    are the rows that are held out, as positions in ``rows``, each as often as a fold does so; ``fold``, of
    the same shape, says which. The fold −1 is none: of rows whose answers only the final machine can give.
    ``trained``, of shape (n_folds, n_rows), says which fold trains on which row.

    Usual folds are a partition: ``held`` is None where each row is held out once at most, and ``trained`` is
    None where all folds train on all rows that they do not hold out.
    """

    rows: np.ndarray
    fold: np.ndarray
    weight: np.ndarray
    n_folds: int
    held: np.ndarray | None = None
    trained: np.ndarray | None = None

    @property
    def is_partition(self) -> bool:
        """Whether each row is held out once, or never and then trained on by all folds."""
        return self.held is None and self.trained is None

    @property
    def asked(self) -> np.ndarray:
        """Positions in ``rows`` of what is held out, shape (n_held,)."""
        return np.arange(len(self.rows)) if self.held is None else self.held

    @property
    def times(self) -> np.ndarray:
        """How often the row of each answer is held out by all folds together, shape (n_held,), at least 1."""
        return np.maximum(np.bincount(self.asked[self.fold >= 0], minlength=len(self.rows)), 1)[self.asked]

    @property
    def places(self) -> list[np.ndarray]:
        """For every fold: which of the n_held answers are its own."""
        return [np.flatnonzero(self.fold == k) for k in range(self.n_folds)]

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
        held = np.flatnonzero(self.fold >= 0)
        held = held[np.argsort(self.fold[held], kind="stable")]
        trained = self.fold != np.arange(self.n_folds)[:, None]
        return FoldRows(self.rows, self.fold[held], self.weight, self.n_folds, held, trained)

    def within(self, rows: np.ndarray) -> FoldRows:
        """These folds restricted to some rows; folds that are left without a part are dropped."""
        is_in = np.isin(self.rows, rows)
        if self.is_partition:
            return _numbered(self.rows[is_in], self.fold[is_in], self.weight[is_in])
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
            self.rows[is_in],
            np.searchsorted(kept, self.fold[answers]),
            self.weight[is_in],
            len(kept),
            position[self.held[answers]],
            self.trained[np.ix_(kept, is_in)],
        )

    def asking_also(self, positions: np.ndarray) -> FoldRows:
        """The same folds, and answers that only the final machine can give, of some positions in ``rows``."""
        assert self.held is not None
        held, fold = np.append(self.held, positions), np.append(self.fold, np.full(len(positions), -1))
        return FoldRows(self.rows, fold, self.weight, self.n_folds, held, self.trained)

    def training_on(self, rows: np.ndarray) -> FoldRows:
        """A partition, but some rows are held out by no fold; folds that are left empty are dropped."""
        if not len(rows):
            return self
        return _numbered(self.rows, np.where(np.isin(self.rows, rows), -1, self.fold), self.weight)

    def renamed(self, names: np.ndarray) -> FoldRows:
        """A partition of rows with other indices: ``names`` has the new one of each, (n_rows,)."""
        order = np.argsort(names[self.rows], kind="stable")
        return FoldRows(names[self.rows][order], self.fold[order], self.weight[order], self.n_folds)


def _numbered(rows: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> FoldRows:
    """Folds numbered from zero without gaps; −1 stays."""
    filled = np.unique(fold[fold >= 0])
    return FoldRows(rows, np.where(fold < 0, -1, np.searchsorted(filled, fold)), weight, len(filled))
