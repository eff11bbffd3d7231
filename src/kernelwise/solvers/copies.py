"""Copies of a row: models are trained on one of them, with the weights of all, and share its coefficient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._core.equal_points import ROUNDING, near_products, number_equal_rows, number_points
from kernelwise._core.typing import Samples
from kernelwise.solvers.fold_path import Fold, Solved
from kernelwise.solvers.path_problem import Places

if TYPE_CHECKING:
    from kernelwise.solvers.path import SVMPath

#: Samples of a Gram matrix: with fewer a path takes no longer than the search for copies.
LEAST = 100
#: Samples whose rows of a Gram matrix are looked at before all are.
LOOKED_AT = 32
#: The share of samples that may be left for it to pay that they are fewer.
LEFT = 0.5
#: Of the tolerance: rows of a Gram matrix are equal if no decision value can tell them apart by more.
SHARE_OF_TOL = 0.01


class Training(NamedTuple):
    """Some folds in the numbering of `Distinct`.

    ``weight`` and ``counts`` have the shape (n_folds, n_rows): the sum of the weights of the copies that a
    fold trains on, and how many of them have a weight. ``answers`` are, fold by fold, where the decision
    values of the held-out samples stand in those of the path. Without copies ``counts`` and ``places`` are
    None.
    """

    weight: np.ndarray
    folds: list[Fold]
    places: Places | None
    answers: list[np.ndarray]
    counts: np.ndarray | None = None


@dataclass(frozen=True)
class Distinct:
    """Rows of which no two are equal and have one target.

    The coefficients of copies enter the dual as their sum, whose bound is the sum of their bounds, and the
    rows of the Gram matrix are equal: one variable has the solution of all. (A face of many copies is
    singular, and its coefficients wander.) For the squared hinge Σ βᵢ²/wᵢ is least, with a given sum, where
    copies share it by their weights, and is then that of one variable with the sum of the weights. Two copies
    with different targets stay two variables, of which a machine leaves only one free: unless the decision
    value is at the margin of its label, a coefficient is at a bound, and the value is at one margin at most.

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
    def of(cls, X: Samples, targets: np.ndarray, is_gram: bool) -> Distinct:
        """The rows of samples with class indices ``targets``, in the order of their first copies."""
        return cls.numbered(X, number_equal_rows(X), targets, is_gram)

    @classmethod
    def numbered(cls, X: Samples, points: np.ndarray, targets: np.ndarray, is_gram: bool) -> Distinct:
        """The rows of samples that are copies where ``points``, of shape (n_samples,), are equal."""
        # Numbers of the pairs (point, target): a whole number each, without gaps in the order of the first.
        pairs = points * (int(targets.max()) + 1) + targets
        _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        if first.size == targets.size:
            return cls(X, targets, None)
        order = np.argsort(first)
        rows = first[order]
        return cls(X[np.ix_(rows, rows)] if is_gram else X[rows], targets[rows], np.argsort(order)[inverse])

    def __len__(self) -> int:
        return len(self.targets)

    def training(self, weight: np.ndarray, folds: list[Fold]) -> Training:
        """The folds of samples (train, held out), with weights of shape (n_folds, n_samples)."""
        if self.row_of is None:
            return Training(weight, folds, None, [held for _, held in folds])
        weights, counts, pairs, places, answers, n = [], [], [], [], [], 0
        for used, (_, held) in zip(trained_weights(weight, folds), folds, strict=True):
            weights.append(np.bincount(self.row_of, weights=used))
            counts.append(np.bincount(self.row_of, weights=used > 0))
            asked, inverse = np.unique(self.row_of[held], return_inverse=True)
            pairs.append((np.flatnonzero(weights[-1]), asked))
            places.append(n + np.arange(asked.size))
            answers.append(n + inverse)
            n += asked.size
        return Training(np.stack(weights), pairs, Places(places, n), answers, np.stack(counts))


def trained_weights(weight: np.ndarray, folds: list[Fold]) -> np.ndarray:
    """Weights of shape (n_folds, n_samples), zero where a fold does not train on a sample.

    They are in the order of the samples, each once, so that all sums of them have the same rounding.
    """
    used = np.zeros_like(weight, dtype=float)
    for own, given, (train, _) in zip(used, weight, folds, strict=True):
        own[train] = given[train]
    return used


def copies_that_pay(
    K: np.ndarray, targets: np.ndarray, weight: np.ndarray, C: float, tol: float
) -> Distinct | None:
    """The distinct samples of a Gram matrix if they are so few that a path on them is faster; else None.

    A few rows show how many samples would be left, and all of K is looked at only if it may pay. Two rows are
    equal if they differ by no more than what changes a decision value by a hundredth of ``tol`` for the
    largest ``C``: coefficients are at most C times their weight, ``weight`` of shape (n_folds, n_samples).
    """
    n, diagonal = len(K), K.diagonal()
    if n < LEAST or not (diagonal > 0).all():
        return None
    largest = C * float(weight.sum(axis=1).max()) * float(diagonal.max())
    rounding = min(ROUNDING, SHARE_OF_TOL * tol / largest)
    some = np.random.default_rng(0).choice(n, LOOKED_AT, replace=False)
    is_near = near_products(K, some, slice(None), rounding) & (targets[some, None] == targets)
    if (1.0 / np.maximum(is_near.sum(axis=1), 1)).mean() > LEFT:  # a sample is this share of its point
        return None
    distinct = Distinct.numbered(K, number_points(K, rounding), targets, is_gram=True)
    return distinct if len(distinct) <= LEFT * n else None


class Shares:
    """How the samples that a fold trains on share the coefficients of rows, and back.

    ``weight``, of shape (n_samples,), is zero for samples that the fold does not train on.
    """

    def __init__(self, row_of: np.ndarray, weight: np.ndarray) -> None:
        self.row_of, self.weight = row_of, weight
        self.total = np.bincount(row_of, weights=weight)

    def of_samples(self, members: np.ndarray, solved: Solved, has_bounds: bool) -> tuple[np.ndarray, Solved]:
        """Samples and their coefficients, by weight, from those of the rows ``members``.

        Where there are bounds, the samples of a bounded row are bounded, and those of any other row are not,
        without rounding.
        """
        C, beta, f = solved
        at = np.full(self.total.size, -1)
        at[members] = np.arange(members.size)
        samples = np.flatnonzero(at[self.row_of] >= 0)
        rows = self.row_of[samples]
        own, total, of_row = self.weight[samples], self.total[rows], beta[at[rows]]
        share = np.divide(own, total, out=np.zeros(own.size), where=total > 0)
        shared = of_row * share
        if has_bounds:
            bound = C * own
            inside = np.minimum(np.abs(shared), np.nextafter(bound, 0.0))
            shared = np.sign(of_row) * np.where(np.abs(of_row) == C * total, bound, inside)
        return samples, Solved(C, shared, f[at[rows]])

    def of_rows(self, members: np.ndarray, solved: Solved, has_bounds: bool) -> tuple[np.ndarray, Solved]:
        """Rows and their coefficients from those of the samples ``members``.

        Where there are bounds, the coefficient of a row of bounded samples is its bound, without rounding.
        """
        C, beta, f = solved
        rows, first, number = np.unique(self.row_of[members], return_index=True, return_inverse=True)
        summed = np.bincount(number, weights=beta)
        if has_bounds:
            bound = C * self.total[rows]
            n_free = np.bincount(number, weights=np.abs(beta) != C * self.weight[members])
            size = np.where(n_free == 0, bound, np.minimum(np.abs(summed), bound))
            summed = np.sign(summed) * size
        return rows, Solved(C, summed, f[first])


def renumbered(
    path: SVMPath, by_fold: list[Callable[[np.ndarray, Solved], tuple[np.ndarray, Solved]]]
) -> SVMPath:
    """The path with its last solutions, and what they belong to, as a function of each fold has them."""
    found = [
        [change(members, one) for members, one in zip(path.members, machines, strict=True)]
        for change, machines in zip(by_fold, path.last, strict=True)
    ]
    last = [[solved for _, solved in machines] for machines in found]
    return replace(path, last=last, members=[members for members, _ in found[0]])


def in_order(after: SVMPath, members: list[np.ndarray], n: int) -> SVMPath:
    """A path whose last solutions have their coefficients in the order of ``members``, of ``n`` samples."""
    if len(after.members) != len(members) or all(map(np.array_equal, after.members, members)):
        return after  # a wrong number is refused where the folds are looked at, too

    def ordered(wanted: np.ndarray, own: np.ndarray, solved: Solved) -> Solved:
        place = np.empty(n, int)
        place[own] = np.arange(own.size)
        return Solved(solved.C, solved.beta[place[wanted]], solved.f[place[wanted]])

    return replace(
        after,
        last=[list(map(ordered, members, after.members, machines)) for machines in after.last],
        members=members,
    )
