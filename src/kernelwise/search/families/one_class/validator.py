"""A held-out score for every candidate: against rows that could not be, or by a few labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score

from kernelwise._core.text import count
from kernelwise.search.data.folds import folds_for, stratified_folds
from kernelwise.search.families.one_class.candidates import Candidate
from kernelwise.solvers.one_class import solve_one_class

#: How far beyond the smallest and largest values the box goes, in shares of the range.
BEYOND = 0.1


def pseudo_outliers(
    Z: np.ndarray, weight: np.ndarray, columns: np.ndarray | None, random_state: int
) -> dict[str, np.ndarray]:
    """Rows of each kind, as many as there are distinct rows; rows are drawn by their weights.

    ``columns``, of shape (n_features,), is the column of the user's table that each feature comes from.
    """
    rng = np.random.default_rng(random_state)
    n, m = Z.shape
    low, high = Z.min(axis=0), Z.max(axis=0)
    margin = BEYOND * (high - low)
    upto = np.cumsum(weight) / weight.sum()
    first, second, third = (np.minimum(np.searchsorted(upto, rng.random(n)), n - 1) for _ in range(3))
    mean = np.average(Z, axis=0, weights=weight)
    deviation = np.sqrt(np.average((Z - mean) ** 2, axis=0, weights=weight))
    column = np.arange(m) if columns is None else columns
    is_first = (rng.random((n, int(column.max()) + 1)) < 0.5)[:, column]
    return {
        "box": rng.uniform(low - margin, high + margin, size=(n, m)),
        "inside": rng.uniform(low, high, size=(n, m)),
        "beside": Z[third] + rng.normal(size=(n, m)) * deviation,
        "mixed": np.where(is_first, Z[first], Z[second]),
    }


NORMAL, UNKNOWN, OUTLIER = 1, 0, -1
#: Criteria that need no labels, and the kinds of rows that held-out rows are told apart from. Against rows
#: in a box alone it is the area beside the mass-volume curve.
AGAINST = {"mass-volume": ("box",), "pseudo-outliers": ("box", "beside", "mixed")}
#: What "auto" is.
WINNER = "pseudo-outliers"
#: The criterion that takes the rule for the width, and trains no machine but for the threshold.
MEDIAN = "median"
CRITERIA = ("auto", *AGAINST, MEDIAN)
#: Scores that labels are gone by.
SCORINGS = ("roc_auc", "average_precision")


@dataclass(frozen=True)
class Rows:
    """Distinct scaled rows in canonical order.

    ``label`` is 1 for normal rows, −1 for outliers and 0 for unknown ones; known outliers are never trained
    on. ``columns`` is as in `kernelwise.search.data.samples.Samples`.
    """

    Z: Any
    weight: np.ndarray
    label: np.ndarray
    columns: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.weight)

    def __getitem__(self, rows: np.ndarray) -> Rows:
        return Rows(self.Z[rows], self.weight[rows], self.label[rows], self.columns)

    @property
    def trained(self) -> np.ndarray:
        """Weights in training: zero for known outliers."""
        return np.where(self.label == OUTLIER, 0.0, self.weight)

    @property
    def has_labels(self) -> bool:
        """Whether some rows are known to be outliers, which a score can go by."""
        return bool((self.label == OUTLIER).any())


@dataclass(frozen=True)
class Scored:
    """A candidate with its score on every fold, and the held-out scores of the rows.

    ``scores`` has the shape (n_folds,), ``held_out`` the shape (n_rows,): the weighted mean of kernel values
    with the support vectors of machines that had not seen the row; of known outliers, the mean over folds.
    ``areas`` has the score against each kind of rows that could not be, the mean over folds.
    """

    candidate: Candidate
    nu: float
    scores: np.ndarray
    held_out: np.ndarray
    n_support: float
    n_stopped: int
    areas: dict[str, float]

    @property
    def score(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.scores))

    @property
    def standard_error(self) -> float:
        """Of the score, from its scatter over the folds."""
        n = len(self.scores)
        return float(self.scores.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")


@dataclass
class OneClassValidator:
    """Scores candidates on one set of folds.

    ``cv`` is "auto", a number of folds, or the fold of each row, of shape (n_rows,).
    """

    rows: Rows
    cv: Any
    scoring: str
    random_state: int
    settings: dict[str, Any]
    n_machines: int = 0
    scored: list[Scored] = field(default_factory=list)

    @cached_property
    def fold(self) -> np.ndarray:
        """The fold that holds out each row, shape (n_rows,); copies of a row go together."""
        trained = np.flatnonzero(self.rows.trained > 0.0)
        if isinstance(self.cv, np.ndarray):
            fold = np.full(len(self.rows), -1)
            fold[trained] = np.unique(self.cv[trained], return_inverse=True)[1]
            return fold
        n = self.rows.weight[trained].sum()
        n_folds = folds_for(n) if self.cv == "auto" else int(self.cv)
        n_folds = min(n_folds, len(trained))
        strata = np.zeros(len(trained), int)
        weight = self.rows.weight[trained]
        found = stratified_folds(strata, weight, n_folds, self.random_state, is_split=False)
        fold = np.full(len(self.rows), -1)
        fold[trained[found.rows]] = found.fold
        return fold

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @cached_property
    def pseudo(self) -> dict[str, np.ndarray]:
        """Rows that could not be; none where labels decide."""
        if self.scoring not in AGAINST:
            return {}
        inside = self.rows[self.fold >= 0]
        return pseudo_outliers(inside.Z, inside.weight, inside.columns, self.random_state)

    def score(self, candidate: Candidate, nus: tuple[float, ...]) -> list[Scored]:
        """Train the machines of every fold for every ν, and score them."""
        rows, kernel = self.rows, candidate.kernel
        K = kernel(rows.Z)
        others = {kind: kernel(rows.Z, made) for kind, made in self.pseudo.items()}
        found = []
        for nu in nus:
            held, outside = np.zeros(len(rows)), np.zeros(len(rows))
            scores, n_support, n_stopped = [], [], 0
            areas = dict.fromkeys(others, 0.0)
            for k in range(self.n_folds):
                train, test = (
                    np.flatnonzero((self.fold != k) & (self.fold >= 0)),
                    np.flatnonzero(self.fold == k),
                )
                inside = K[np.ix_(train, train)]
                solution = solve_one_class(
                    inside, nu, sample_weight=rows.weight[train], check=False, **self.settings
                )
                beta = solution.beta / solution.beta.sum()
                held[test] = K[np.ix_(test, train)] @ beta
                is_known = self.fold < 0
                outside[is_known] = K[np.ix_(is_known, train)] @ beta
                held[is_known] += outside[is_known] / self.n_folds
                strange = {kind: values[train].T @ beta for kind, values in others.items()}
                for kind, made in strange.items():
                    areas[kind] += area(held[test], made, rows.weight[test]) / self.n_folds
                scores.append(self._score(held[test], test, outside[is_known], strange))
                n_support.append(np.count_nonzero(beta))
                n_stopped += not solution.converged
            self.n_machines += self.n_folds
            mean = float(np.mean(n_support))
            found.append(Scored(candidate, nu, np.array(scores), held, mean, n_stopped, areas))
        self.scored += found
        return found

    def _score(
        self, held: np.ndarray, test: np.ndarray, outside: np.ndarray, strange: dict[str, np.ndarray]
    ) -> float:
        """The score of one fold: higher is better."""
        weight = self.rows.weight[test]
        if self.scoring in AGAINST:
            return float(np.mean([area(held, strange[kind], weight) for kind in AGAINST[self.scoring]]))
        if self.scoring == MEDIAN:
            return 0.0
        known = np.flatnonzero(self.rows.label == OUTLIER)
        label = self.rows.label[test]
        if (self.rows.label == NORMAL).any() and (label == NORMAL).any():
            held, weight = held[label == NORMAL], weight[label == NORMAL]
        if self.scoring == "average_precision":
            truth = np.r_[np.zeros(len(held)), np.ones(len(outside))]
            weights = np.r_[weight, self.rows.weight[known]]
            return float(average_precision_score(truth, -np.r_[held, outside], sample_weight=weights))
        return area(held, outside, weight, self.rows.weight[known])


def area(
    high: np.ndarray, low: np.ndarray, weight: np.ndarray, other_weight: np.ndarray | None = None
) -> float:
    """The share of pairs in which a row of the first kind has the higher score; equal ones are halves."""
    other = np.ones(len(low)) if other_weight is None else other_weight
    order = np.argsort(low, kind="stable")
    ordered, upto = low[order], np.r_[0.0, np.cumsum(other[order])]
    below = upto[np.searchsorted(ordered, high, side="left")]
    equal = upto[np.searchsorted(ordered, high, side="right")] - below
    return float(np.average(below + 0.5 * equal, weights=weight) / upto[-1])


def folds_given(splits: list[tuple[np.ndarray, np.ndarray]], row_of: np.ndarray, owner: str) -> np.ndarray:
    """The fold of each distinct row, shape (n_rows,), from splits of the samples into (train, test).

    ``row_of``, of shape (n_samples,), is as in `kernelwise.search.data.canonical.DistinctRows`.
    """
    fold = np.full(len(row_of), -1)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
    n_held = sum(len(test) for _, test in splits)
    if n_held != len(row_of) or (fold < 0).any() or len(splits) < 2:
        raise ValueError(
            f"'cv' of {owner} must hold out every sample once, and its {len(splits)} folds hold out {n_held} "
            f"of {len(row_of)} samples. Use KFold, or a number of folds."
        )
    of_row = np.zeros(int(row_of.max()) + 1, int)
    used = row_of >= 0
    of_row[row_of[used][::-1]] = fold[used][::-1]  # copies of a row go with the first of them
    return of_row


def check_labels_of_rows(y: Any, n_samples: int) -> np.ndarray:
    """Labels as integers, of shape (n_samples,): 1 normal, −1 outlier, 0 unknown; all 0 for None."""
    if y is None:
        return np.zeros(n_samples, int)
    values = np.asarray(y)
    if values.shape != (n_samples,):
        raise ValueError(
            f"y has the shape {values.shape} for {count(n_samples, 'sample')}. Give one label per sample: 1 "
            "for a normal one, -1 for an outlier, 0 where it is unknown."
        )
    strange = [value for value in values.tolist() if value not in (NORMAL, UNKNOWN, OUTLIER)]
    if strange:
        raise ValueError(
            f"y has the label {strange[0]!r}. Labels are 1 for a normal sample, -1 for an outlier and 0 "
            "where it is unknown; without labels, leave y out."
        )
    label = values.astype(int)
    if not (label != OUTLIER).any():
        raise ValueError(
            "y has only outliers (-1), but the model learns from the other samples. Add samples that are "
            "normal (1) or unknown (0)."
        )
    if (label == NORMAL).any() and not (label == OUTLIER).any():
        raise ValueError(
            "y has no outliers (-1), so the labels cannot help to choose a kernel. Leave out y, or label "
            "some outliers with -1; 1 is the label of normal samples."
        )
    return label
