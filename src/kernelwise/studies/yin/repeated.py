"""Repeated rows in the sets of paper 004 (Yin and Yin 2016), and what its accuracies owe to them.

If a row and its copy are in different folds, a machine has seen the answer: with a narrow kernel it answers
the larger class everywhere but at copies of rows that it was trained on. Folds that keep copies together show
what is left. `memory_rows` compares the printed accuracies with those of a memory of copies, which answers
the larger class unless a copy of the row is in the training part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from kernelwise._core.typing import FoldsLike
from kernelwise.kernels import RBF
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams
from kernelwise.search.engine.gram_accuracy import is_right
from kernelwise.selection.procedure import make_folds
from kernelwise.studies.tables import Row

#: How rows come into folds.
PAPERS, TOGETHER = "the paper's", "copies together"


@dataclass(frozen=True)
class CopiesTogether:
    """Shuffled stratified folds, of which none has copies of rows of another."""

    n_folds: int = 10

    def split(self, X: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of each fold."""
        folds = StratifiedGroupKFold(self.n_folds, shuffle=True, random_state=0)
        return folds.split(X, y, groups_of(X))


def groups_of(X: np.ndarray) -> np.ndarray:
    """The number of each row's group of equal rows, of shape (n_rows,)."""
    return np.unique(X, axis=0, return_inverse=True)[1].ravel()


def n_repeated(X: np.ndarray) -> int:
    """Rows that repeat an earlier one."""
    return len(X) - len(np.unique(X, axis=0))


def right_rows(
    X: np.ndarray, y: np.ndarray, sigma: float, C: float, Cs: ArrayLike, cv: FoldsLike
) -> np.ndarray:
    """Whether each row is classified correctly where it is held out, with the path of C of `yin_select`."""
    Z = StandardScaler().fit_transform(X)
    folds, _ = make_folds(X, y, cv, 0)
    with Grams(Z, [DISTANCES]).gram(RBF(0.5 / sigma**2)) as K:
        found = is_right(K, y, np.asarray(Cs), folds, "ovo", None)[np.isclose(Cs, C).argmax()]
    right = np.empty(len(y), dtype=bool)
    right[np.concatenate([test for _, test in folds])] = found
    return right


def seen_before(X: np.ndarray, y: np.ndarray, cv: FoldsLike) -> np.ndarray:
    """Whether a copy of each row with its label is in the training part of the fold that holds it out."""
    group = groups_of(X)
    seen = np.zeros(len(y), dtype=bool)
    for train, test in make_folds(X, y, cv, 0)[0]:
        known = {*zip(group[train].tolist(), y[train].tolist(), strict=True)}
        seen[test] = [(group[i], y[i]) in known for i in test.tolist()]
    return seen


def right_counts(right: np.ndarray, X: np.ndarray, y: np.ndarray, cv: FoldsLike) -> Row:
    """Of the right answers those of the larger class, those of the other one, and the copies among these."""
    is_larger, seen = y == larger_class(y), seen_before(X, y, cv)
    return {
        "right, larger class": int(np.sum(right & is_larger)),
        "right, smaller class": int(np.sum(right & ~is_larger)),
        "copies among these": int(np.sum(right & ~is_larger & seen)),
        "copies among the right": int(np.sum(right & seen)),
    }


def larger_class(y: np.ndarray) -> Any:
    """The label that most rows have."""
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()]


def remembered(X: np.ndarray, y: np.ndarray, n_draws: int) -> list[int]:
    """Right answers of a memory of copies, for ten shuffled stratified folds drawn so many times."""
    group, larger = groups_of(X), larger_class(y)
    counts = np.bincount(group)
    copied = np.flatnonzero(counts[group] > 1)
    n_plain = int(np.sum((y == larger) & (counts[group] == 1)))
    rights = []
    for draw in range(n_draws):
        fold = np.empty(len(y), dtype=int)
        for k, (_, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=draw).split(X, y)):
            fold[test] = k
        n_right = n_plain
        for i in copied:
            known = y[copied[(group[copied] == group[i]) & (fold[copied] != fold[i])]]
            answer = known[0] if len(known) and (known == known[0]).all() else larger
            n_right += int(answer == y[i])
        rights.append(n_right)
    return rights


def memory_rows(
    name: str, X: np.ndarray, y: np.ndarray, printed: dict[str, float], rights: list[int]
) -> list[Row]:
    """A row for each printed accuracy: the right answers that it is, beside those of a memory of copies."""
    n_larger, draws = int(np.sum(y == larger_class(y))), np.array(rights)
    by_value: dict[float, list[str]] = {}
    for method, accuracy in printed.items():
        by_value.setdefault(accuracy, []).append(method)
    rows = []
    for accuracy, methods in by_value.items():
        n_right = round(accuracy * len(y))
        rows.append(
            {
                "data": name,
                "printed for": ", ".join(methods),
                "printed": accuracy,
                "rows": len(y),
                "repeated rows": n_repeated(X),
                "right answers": n_right,
                "larger class": n_larger,
                "beyond it": n_right - n_larger,
                "a memory has": float(np.median(draws)),
                "fewest": int(draws.min()),
                "most": int(draws.max()),
                "as many %": 100.0 * float(np.mean(draws == n_right)),
                "draws of folds": len(rights),
            }
        )
    return rows


def memory_sentences(rows: list[Row]) -> Iterator[str]:
    """What printed accuracies are made of, where a memory of copies reaches them."""
    for row in rows:
        n_beyond = row["beyond it"]
        if 0 < n_beyond and row["right answers"] <= row["most"]:
            yield (
                f"{row['data']}: the paper's {row['printed']:.4f} ({row['printed for']}) is "
                f"{row['right answers']} of {row['rows']} rows: the {row['larger class']} of the larger "
                f"class, and {n_beyond} more. A memory that answers the larger class unless it was trained "
                f"on a copy of the row has {row['fewest']} to {row['most']} right, "
                f"{row['a memory has']:.0f} as a median, and exactly as many in {row['as many %']:.0f} % of "
                f"{row['draws of folds']} draws of ten folds. It has learned nothing."
            )
