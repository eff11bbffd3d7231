"""One class: rows of one kind, and maybe a few labels; ν has the place of C.

What chooses a kernel is how well its machines tell rows that they have not seen from rows that could not be:
artificial ones, or those that are labelled outliers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.metrics import average_precision_score

from kernelwise._core.text import count
from kernelwise._core.threads import Task, one_blas_thread, threads
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import copies_of
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.families.family import Family
from kernelwise.search.scoring.scores import Scoring
from kernelwise.solvers.one_class_path import solve_along
from kernelwise.solvers.path import SVMPath, as_path
from kernelwise.solvers.path_problem import PathsSolved, Places, Tables

NORMAL, UNKNOWN, OUTLIER = 1, 0, -1
#: Kinds of artificial rows, in the order of the columns of answers about them.
KINDS = ("box", "inside", "beside", "mixed")
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
#: ν for the order of rows, which hardly depends on it; half of the rows are support vectors.
NU = 0.5
#: Values of ν that labels choose among.
LABELLED_NUS = (NU, 0.05, 0.2, 1.0)
#: How far beyond the smallest and largest values the box goes, in shares of the range.
BEYOND = 0.1


@dataclass(frozen=True, eq=False)
class OneClass(Family):
    """Rows of one kind, learned by one-class machines; targets are 1, 0 (unknown) or −1 for outliers.

    Known outliers are asked about by all folds, and trained on by none. ``scoring`` is what chooses: a
    criterion of `CRITERIA`, by default ``criterion_name``, or, if there are outliers, one of `SCORINGS`.
    ``contamination`` is the share of rows that the threshold is for, if it is given. ``beside`` are the
    artificial rows, of shape (4 n_rows, n_features), one kind of `KINDS` after the other.

    A held-out decision value is the weighted mean of kernel values with the support vectors of a machine that
    has not seen the row. Beside it, where there are artificial rows, are the shares of each kind of them that
    the same machine finds stranger: the answers have 1 or 5 columns.
    """

    max_rows = 1000
    path_cost = 2e-7
    symbol = "ν"
    is_smooth = False
    final_on_all = False
    # Strange rows are told apart by logarithms of scores that single precision has no numbers for.
    precision = np.float64
    # No machine may learn a row from its copy: how strange it is would be hidden.
    splits_copies = False
    holds_out_all = True

    #: Names that ``criterion`` and, with labels, ``scoring`` may have.
    criteria: ClassVar[tuple[str, ...]] = CRITERIA
    scorings: ClassVar[tuple[str, ...]] = SCORINGS

    scoring: str = WINNER
    beside: np.ndarray | None = None
    criterion_name: str = "auto"
    contamination: float | None = None

    @property
    def nus(self) -> tuple[float, ...]:
        """Values of ν that are tried if none is given."""
        return LABELLED_NUS if self.scoring in SCORINGS else (NU,)

    @staticmethod
    def read_labels(y: ArrayLike | None, n_samples: int) -> np.ndarray:
        """Labels as integers, of shape (n_samples,): 1 normal, −1 outlier, 0 unknown; all 0 for None."""
        if y is None:
            return np.zeros(n_samples, int)
        values = np.asarray(y)
        if values.shape != (n_samples,):
            raise ValueError(
                f"y has the shape {values.shape} for {count(n_samples, 'sample')}. Give one label per "
                "sample: 1 for a normal one, -1 for an outlier, 0 where it is unknown."
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

    def of_targets(self, y: np.ndarray, weight: np.ndarray, owner: str) -> OneClass:
        if len(y) - len(self.only_asked(y)) < 2:
            raise ValueError(
                f"{owner} needs at least 2 different samples of positive weight that are not labelled "
                "outliers."
            )
        return self

    def scored_by(
        self, scoring: Scoring, scorer: Any, X: MatrixLike, samples: Samples, owner: str
    ) -> tuple[OneClass, StrangenessScorer]:
        """The same, going by a score of labels if some samples are outliers, or else by the criterion."""
        chosen = WINNER if self.criterion_name == "auto" else self.criterion_name
        if len(self.only_asked(samples.y)):
            chosen = scoring if isinstance(scoring, str) else SCORINGS[0]
        elif sparse.issparse(samples.Z):  # no artificial rows are drawn
            chosen = MEDIAN
        return replace(self, scoring=chosen), StrangenessScorer(chosen, samples.y)

    def values(self, given: np.ndarray | None) -> np.ndarray:
        return np.array(self.nus) if given is None else given

    def train(self, machine: Any, part: Samples) -> Any:
        return machine.fit(part.Z, sample_weight=part.weight)

    def n_labelled(self, samples: Samples) -> tuple[int, int]:
        """How many samples are labelled normal, and outliers; a weight of 2 counts as two."""
        copies = copies_of(samples.weight)
        return int(copies[samples.y == NORMAL].sum()), int(copies[samples.y == OUTLIER].sum())

    def encode(self, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return y, self.strata(y), np.where(y == OUTLIER, 0.0, weight)

    def only_asked(self, y: np.ndarray) -> np.ndarray:
        return np.flatnonzero(y == OUTLIER)

    def for_rows(self, samples: Samples, rows: np.ndarray, random_state: int) -> OneClass:
        """The same with artificial rows; none where labels or the rule of thumb decide."""
        if self.scoring not in AGAINST:
            return self
        part = samples[np.unique(rows)]
        made = pseudo_outliers(part.Z, part.weight, part.columns, random_state)
        return replace(self, beside=np.concatenate([made[kind] for kind in KINDS]))

    def params(self, kernel: Any, C: float, epsilon: float | None) -> dict[str, Any]:
        return {"kernel": kernel, "nu": float(C)}

    def prepare(self, problem: FoldProblem) -> Callable[..., tuple[SVMPath, Tables]]:
        folds, bound, settings = problem.folds, problem.bound, dict(problem.settings)
        n_jobs = settings.pop("n_jobs", None)
        by_fold, n_answers = problem.places or Places([test for _, test in folds], len(problem.y))

        def solve(
            K: np.ndarray,
            Cs: np.ndarray,
            *,
            beside: np.ndarray | None = None,
            only: int | None = None,
            **how: Any,
        ) -> tuple[SVMPath, Tables]:
            started = time.perf_counter()
            numbers = range(len(folds)) if only is None else [only]
            jobs: list[Task] = [
                (_solve_fold, (K, beside, Cs, folds[k], bound, settings), {}) for k in numbers
            ]
            with one_blas_thread():
                found = threads(n_jobs)(jobs)
            answers = np.full((len(Cs), n_answers, found[0][0].shape[2]), np.nan)
            for k, (own, _) in zip(numbers, found, strict=True):
                answers[:, by_fold[k]] = own
            tables = {name: np.stack([own[name] for _, own in found], axis=1) for name in found[0][1]}
            solved = PathsSolved(answers, tables, [])
            return as_path(solved, started, np.empty(0), Cs, "one class", []), tables

        return solve


def _solve_fold(
    K: np.ndarray,
    beside: np.ndarray | None,
    nus: np.ndarray,
    fold: tuple[np.ndarray, np.ndarray],
    weight: np.ndarray,
    settings: dict[str, Any],
) -> tuple[np.ndarray, Tables]:
    """Answers to what one fold holds out, (n_nus, n_test, 1 or 5), and tables of shape (n_nus, 1)."""
    train, test = fold
    path, tables = solve_along(K[np.ix_(train, train)], nus, None, weight[train], **settings)
    beta = path.beta / path.beta.sum(axis=1, keepdims=True)
    scores = beta @ K[np.ix_(test, train)].T
    tables["objective"] = 0.5 * (path.beta * path.scores).sum(axis=1, keepdims=True)
    if beside is None:
        return scores[:, :, None], tables
    others = np.split(beta @ beside[train], len(KINDS), axis=1)
    shares = [[below(*pair) for pair in zip(scores, one, strict=True)] for one in others]
    return np.stack([scores, *np.array(shares)], axis=2), tables


@dataclass
class StrangenessScorer:
    """Scores answers of `OneClass`; ``label``, of shape (n_rows,), is 1, 0 or −1 for outliers."""

    scoring: str
    label: np.ndarray
    is_share: bool = False

    def __call__(self, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Scores of shape (n_nus,) of answers to what one fold holds out, (n_nus, n_test[, 5])."""
        if self.scoring == MEDIAN:
            return np.zeros(len(decision))
        if self.scoring in AGAINST:
            shares = areas(decision, weight)
            return np.mean([shares[kind] for kind in AGAINST[self.scoring]], axis=0)
        label = self.label[rows]
        known, usual = label == OUTLIER, label != OUTLIER
        if (label == NORMAL).any():
            usual = label == NORMAL
        of = weight[usual], weight[known]
        return np.array([self._of_labels(values[usual], values[known], *of) for values in decision])

    def _of_labels(
        self, usual: np.ndarray, known: np.ndarray, weight: np.ndarray, of_known: np.ndarray
    ) -> float:
        if self.scoring == "roc_auc":
            return area(usual, known, weight, of_known)
        truth = np.r_[np.zeros(len(usual)), np.ones(len(known))]
        weights = np.r_[weight, of_known]
        return float(average_precision_score(truth, -np.r_[usual, known], sample_weight=weights))


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


def below(high: np.ndarray, low: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """The share of the second kind of rows that score lower than each of the first; equal ones are halves."""
    weight = np.ones(len(low)) if weight is None else weight
    order = np.argsort(low, kind="stable")
    ordered, upto = low[order], np.r_[0.0, np.cumsum(weight[order])]
    lower = upto[np.searchsorted(ordered, high, side="left")]
    equal = upto[np.searchsorted(ordered, high, side="right")] - lower
    return (lower + 0.5 * equal) / upto[-1]


def area(
    high: np.ndarray, low: np.ndarray, weight: np.ndarray, other_weight: np.ndarray | None = None
) -> float:
    """The share of pairs in which a row of the first kind has the higher score; equal ones are halves."""
    return float(np.average(below(high, low, other_weight), weights=weight))


def areas(answers: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """The same against each kind of artificial rows, from answers of `OneClass` to rows of one fold."""
    shares = np.average(answers[..., 1:], axis=-2, weights=weight)
    return {kind: shares[..., k] for k, kind in enumerate(KINDS)}
