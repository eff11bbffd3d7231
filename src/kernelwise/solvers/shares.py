"""Coefficients of copies from that of the one row that stands for them, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernelwise.solvers.follow import Solved

if TYPE_CHECKING:
    from kernelwise.solvers.path import SVMPath


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
