"""Groups of rows that a sketch can do without: the jackknife over rows, for standard errors of criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.validation import check_integer
from kernelwise.sketch.pair_blocks import class_pairs
from kernelwise.sketch.pass_over_pairs import Part


class RowGroups(NamedTuple):
    """What the rows of each group add to a sketch.

    Each row is in one group, each class in all of them. ``n`` and ``own``, of shape (n_groups, n_classes),
    are those of :class:`~kernelwise.DistanceSketch`, and so are ``moments``, of the pairs with a row or two
    in the group, of shape (n_groups, n_class_pairs, n_used, 4 or 6).
    """

    n: np.ndarray
    own: np.ndarray
    moments: np.ndarray


def assign_groups(index: np.ndarray, classes: np.ndarray, n_groups: int, random_state: Any) -> np.ndarray:
    """A group for each row: the rows of a class, in random order, go round."""
    check_integer(n_groups, "n_groups", "DistanceSketch.from_data", least=2)
    counts = np.bincount(index)
    if counts.min() < n_groups:
        rare = int(counts.argmin())
        raise ValueError(
            f"n_groups={n_groups} needs at least as many rows of each class, but class "
            f"{classes.tolist()[rare]!r} has {counts[rare]}. Use fewer groups, or more rows."
        )
    rng = np.random.default_rng(random_state)
    groups = np.empty(len(index), dtype=int)
    for c in range(len(counts)):
        rows = rng.permutation(np.flatnonzero(index == c))
        groups[rows] = np.arange(len(rows)) % n_groups
    return groups


def in_draws(found: Iterable[Part], n_classes: int, n_groups: int) -> Iterator[Part]:
    """Histograms of all pairs as draw 0, and of those with a row in group g as draw 1 + g.

    ``found`` is of finer classes, group g of class c having the number c · n_groups + g.
    """
    fine = class_pairs(n_classes * n_groups)
    number = {pair: p for p, pair in enumerate(class_pairs(n_classes))}
    for part in found:
        (a, g), (b, h) = (divmod(u, n_groups) for u in fine[part.cell[1]])
        for draw in sorted({0, 1 + g, 1 + h}):
            yield Part((draw, number[a, b]), part.first, part.moments)


def summed(index: np.ndarray, groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ weights by group and class, shape (n_groups, n_classes)."""
    totals = np.zeros((groups.max() + 1, index.max() + 1))
    np.add.at(totals, (groups, index), weights)
    return totals


def n_groups_of(groups: RowGroups | None) -> int:
    """How many there are; zero without any."""
    return 0 if groups is None else len(groups.n)


def merged(
    groups: Sequence[RowGroups | None], used: Sequence[np.ndarray], all_used: np.ndarray
) -> RowGroups | None:
    """Those of shares of the work, with the bins in use of each, put together."""
    first = groups[0]
    if first is None:
        return None
    moments = np.zeros((*first.moments.shape[:2], len(all_used), first.moments.shape[3]))
    for part, bins in zip(groups, used, strict=True):
        assert part is not None
        moments[:, :, np.searchsorted(all_used, bins)] += part.moments
    return RowGroups(first.n, first.own, moments)
