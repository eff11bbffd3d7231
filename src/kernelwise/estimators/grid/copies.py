"""Copies of a row: machines are trained on one of them, with the weights of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.equal_rows import number_equal_rows
from kernelwise.search.fold_rows import Folds
from kernelwise.solvers.run_paths import Places


class Training(NamedTuple):
    """What `FoldProblem` takes of some folds, in the numbering of `Distinct`.

    ``weight`` has the shape (n_folds, n_rows); ``answers`` are, fold by fold, where the decision values of
    the held-out samples stand in those of the path.
    """

    weight: np.ndarray
    folds: Folds
    places: Places | None
    answers: list[np.ndarray]


@dataclass(frozen=True)
class Distinct:
    """Rows of which no two are equal and have one target.

    The coefficients of copies enter the dual as their sum, whose bound is the sum of their bounds, and the
    rows of the Gram matrix are equal: one variable has the solution of all. (A face of many copies is
    singular, and its coefficients wander.) Two copies with different targets stay two variables, of which a
    machine leaves only one free: unless the decision value is at the margin of its label, a coefficient is at
    a bound, and the value is at one margin at most.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_rows, n_features), or a matrix of shape (n_rows, n_rows)
    targets : ndarray of shape (n_rows,)
    row_of : ndarray of shape (n_samples,)
        The row that each sample is; None if there are no copies.
    """

    X: Any
    targets: np.ndarray
    row_of: np.ndarray | None

    @classmethod
    def of(cls, X: Any, targets: np.ndarray, is_gram: bool) -> Distinct:
        """The rows of samples with class indices ``targets``, in the order of their first copies."""
        # Numbers of the pairs (point, target): a whole number each, without gaps in the order of the first.
        points = number_equal_rows(X)
        pairs = points * (int(targets.max()) + 1) + targets
        _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        if first.size == targets.size:
            return cls(X, targets, None)
        order = np.argsort(first)
        rows = first[order]
        return cls(X[np.ix_(rows, rows)] if is_gram else X[rows], targets[rows], np.argsort(order)[inverse])

    def __len__(self) -> int:
        return len(self.targets)

    def training(self, weight: np.ndarray, folds: Folds) -> Training:
        """The folds of samples (train, held out), with weights of shape (n_folds, n_samples)."""
        if self.row_of is None:
            return Training(weight, folds, None, [held for _, held in folds])
        weights, pairs, places, answers, n = [], [], [], [], 0
        for own, (train, held) in zip(weight, folds, strict=True):
            weights.append(np.bincount(self.row_of[train], weights=own[train], minlength=len(self)))
            asked, inverse = np.unique(self.row_of[held], return_inverse=True)
            pairs.append((np.flatnonzero(weights[-1]), asked))
            places.append(n + np.arange(asked.size))
            answers.append(n + inverse)
            n += asked.size
        return Training(np.stack(weights), pairs, Places(places, n), answers)
