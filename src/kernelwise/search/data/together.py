"""Rows that stay together in one fold: near copies of each other, which are found here, and whole groups.

A row that is measured again, or copied with a little noise, tells the label of the first one. Where folds
part such rows, a score says how well a machine remembers, and nothing about new rows.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kernelwise._core.equal_points import number_equal_rows
from kernelwise._core.rounding import significant
from kernelwise._core.threads import importing
from kernelwise._core.typing import Samples, is_sparse
from kernelwise.findings import Finding, catalogue

#: Digits by which the balance of two folds is compared: the rest is rounding.
DIGITS = 9
#: The neighbour whose distance says how far rows usually are.
NEIGHBOUR = 10
#: Rows of a group, at most: larger ones are places where rows are dense, or chains.
MOST_COPIES = 2 * NEIGHBOUR
#: Points, at least, of which neighbours are looked at.
FEWEST_POINTS = 4 * NEIGHBOUR
#: Points, at most: distances of all pairs take too long beyond it.
MOST_POINTS = 5000
#: Of rows that are said to be closer than by chance, the share that may be so by chance.
BY_CHANCE = 0.01
#: Near copies matter from this share of the points on, and from this number.
SHARE, FEWEST = 0.02, 5
#: Times that groups are farther from all other rows than their rows from each other.
APART = 3.0
#: The share of rows that may have the most frequent value of a column, and different values for each row, at
#: least: the distances of other columns, such as codes of words, take few values, and small ones are usual.
MOST_FREQUENT, DIFFERENT = 0.05, 0.1
#: The share of different values from which on the values of a column are not rounded.
UNROUNDED = 0.9
#: Steps between values that are rounding of the computer, in units of the range of a column.
TINY = 1e-9


def near_copies(Z: Samples, points: np.ndarray) -> np.ndarray | None:
    """The group of each row, shape (n_rows,), if rows are near copies of each other; None if few are.

    ``Z``, of shape (n_rows, n_features), are scaled rows; ``points``, of shape (n_rows,), has equal numbers
    for rows that are the same point. A row that is no copy is a group of its own. Of sparse rows, and of more
    than `MOST_POINTS`, nothing is said.
    """
    _, first, point = np.unique(points, return_index=True, return_inverse=True)
    if is_sparse(Z) or not FEWEST_POINTS <= len(first) <= MOST_POINTS:
        return None
    group = _groups_of_points(Z[first])
    return None if group is None else group[point]


def near_copies_finding(group: np.ndarray) -> Finding:
    """What is said of rows whose groups are given, shape (n_rows,)."""
    sizes = np.bincount(np.unique(group, return_inverse=True)[1])
    return catalogue.NEAR_COPIES(n=int(sizes[sizes > 1].sum()), n_groups=int((sizes > 1).sum()))


def _groups_of_points(Z: np.ndarray) -> np.ndarray | None:
    """The group of each of several different points, shape (n_points,); None without near copies.

    Where a density is smooth and has the dimension m near a point, the k - 1 neighbours within the distance
    r_k of its k-th one are closer than t r_k with probability t^m each. So the nearest one is as close as it
    is with a probability that is known; the points for which it is too small are found as by Benjamini and
    Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995.
    """
    with importing:
        from sklearn.neighbors import NearestNeighbors  # some tables do not need it

    n = len(Z)
    is_fine, step = _fine_columns(Z)
    if is_fine.sum() < 2:
        return None
    fine = np.ascontiguousarray(Z[:, is_fine])
    found = NearestNeighbors(n_neighbors=2 * NEIGHBOUR).fit(fine)
    neighbours = found.kneighbors(return_distance=False)
    distance, largest = _distances(fine, neighbours, step)
    rank = np.sort(distance, axis=1)
    usual, farther = rank[:, NEIGHBOUR - 1], rank[:, -1]
    is_usable = (usual > 0) & (farther > usual)
    if not is_usable.any():
        return None
    dimension = min(np.median(np.log(2.0) / np.log(farther[is_usable] / usual[is_usable])), is_fine.sum())
    # Copies have the same words.
    code = np.zeros(n, int) if is_fine.all() else number_equal_rows(Z[:, ~is_fine])
    is_same = (code[:, None] == code[neighbours]) & is_usable[:, None]
    closeness = np.where(is_same, largest / np.where(is_usable, usual, 1.0)[:, None], 1.0)
    chance = chance_of(closeness, float(dimension))
    limit = _false_discoveries(chance.min(axis=1))
    is_near = chance <= limit
    group = _connected(neighbours, is_near)
    sizes = np.bincount(group)
    is_inside = group[:, None] == group[neighbours]
    inside, outside = np.zeros(len(sizes)), np.full(len(sizes), np.inf)
    np.maximum.at(inside, group, np.where(is_inside, distance, np.inf).min(axis=1))
    np.minimum.at(outside, group, np.where(is_inside, np.inf, distance).min(axis=1))
    is_copy = (sizes > 1) & (sizes <= MOST_COPIES) & (APART * inside <= outside)
    if sizes[is_copy].sum() < max(FEWEST, SHARE * n):
        return None
    # There are copies. So others that are about as close to each other as these are copies, too.
    is_near |= (distance <= 2.0 * np.median(distance[is_near])) & (APART * closeness <= 1.0)
    group = _connected(neighbours, is_near)
    is_group = np.bincount(group)[group] <= MOST_COPIES
    return np.where(is_group, group, n + np.arange(n))


def _connected(neighbours: np.ndarray, is_near: np.ndarray) -> np.ndarray:
    """The number of the group of each point, shape (n_points,), where near neighbours are in one group."""
    row, place = np.nonzero(is_near)
    edges = coo_array((np.ones(len(row)), (row, neighbours[row, place])), (len(neighbours),) * 2)
    found: np.ndarray = connected_components(edges, directed=False)[1]
    return found


def chance_of(closeness: np.ndarray, dimension: float) -> np.ndarray:
    """The chance that the nearest of k - 1 points in a ball is as close to its centre, of any shape.

    ``closeness`` is its distance by the radius of the ball, 1 at the most.
    """
    inside = np.minimum(closeness, 1.0 - 2.0**-40) ** dimension
    return significant(-np.expm1((NEIGHBOUR - 1) * np.log1p(-inside)))


def _false_discoveries(chance: np.ndarray) -> float:
    """The largest chance that counts as none; negative if there is none."""
    rising = np.sort(chance)
    found = np.flatnonzero(rising <= BY_CHANCE * np.arange(1, len(rising) + 1) / len(rising))
    return float(rising[found[-1]]) if len(found) else -1.0


def _fine_columns(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A mask of the columns of measurements, (n_features,), and the steps by which these are rounded."""
    n = len(Z)
    is_fine, steps = np.zeros(Z.shape[1], bool), []
    for k in range(Z.shape[1]):
        values, counts = np.unique(Z[:, k], return_counts=True)
        if len(values) < max(2, DIFFERENT * n) or counts.max() > MOST_FREQUENT * n:
            continue
        is_fine[k] = True
        gaps = np.diff(values)
        is_rounded = len(values) < UNROUNDED * n
        steps.append(gaps[gaps > TINY * (values[-1] - values[0])].min() if is_rounded else 0.0)
    return is_fine, np.array(steps)


def _distances(Z: np.ndarray, neighbours: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances to neighbours, and the largest that they were before columns were rounded to steps.

    Both have the shape of ``neighbours``, (n_rows, n_neighbours).
    """
    distance, largest = np.empty(neighbours.shape), np.empty(neighbours.shape)
    for j, others in enumerate(neighbours.T):
        apart = np.abs(Z - Z[others])
        distance[:, j] = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        apart += step
        largest[:, j] = np.sqrt(np.einsum("ij,ij->i", apart, apart))
    return significant(distance), significant(largest)


def canonical_groups(group: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Groups numbered from zero in the order of the first of their canonical rows, shape (n_rows,)."""
    _, index = np.unique(group, return_inverse=True)
    first = np.full(index.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, index, row)
    return np.argsort(np.argsort(first, kind="stable"))[index]


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
