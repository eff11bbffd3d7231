"""``python -m benchmarks.grid_agrees``: cells in which `GridSearchSVC` and GridSearchCV differ.

Random small problems × kernels × class weights × sample weights. A cell is one candidate's mean test score.
"balanced" counts weights: scikit-learn's own counts rows, so that it is given the factors as numbers.
Where it differs, an interior-point method solves every machine of the cell: the exact cell has the labels of
the exact machines. The offset of a machine without a free support vector may be anything in an interval; it
is then the middle, LIBSVM's rule, and the cell is counted under "offset" unless the score is the same at both
ends; "middle" are those of them where ours is the score of the middle. "moves" are the differing cells where
GridSearchCV's own score changes with the rows of each training part in reversed order or with every C larger
by some millionths, and "ours moves" those where ours does. Candidates whose Gram matrix is not positive
semi-definite (sigmoid) have no exact cell.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import sklearn.svm
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.utils.class_weight import compute_class_weight

from benchmarks.interior_point import solve_exactly
from kernelwise import GridSearchSVC

N_FOLDS = 3
#: Relative changes of C that change nothing but the rounding of bounds.
HAIRS = (1e-6, 2e-6, 3e-6, 5e-6)
#: LIBSVM's kernel values are in single precision: a smaller tolerance does not bring it nearer.
TIGHT, MAX_ITER = 1e-6, 1_000_000
GRIDS: dict[str, dict[str, list[Any]]] = {
    "rbf": {"gamma": [0.01, 0.1, 1.0], "C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "poly": {"gamma": [0.1, 0.5], "degree": [2, 3], "coef0": [0.0, 1.0], "C": [0.1, 1.0, 10.0]},
    "linear": {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]},
    "sigmoid": {"gamma": [0.01, 0.1], "C": [0.1, 1.0, 10.0]},
}
COLUMNS = (
    *("cells", "differ", "tight", "moves", "ours moves"),
    *("offset", "middle", "ours", "theirs", "neither", "no exact"),
)
HEADER = "kernel   class_weight weights " + " ".join(f"{column:>10}" for column in COLUMNS)


class Case(NamedTuple):
    """One problem with one kernel and one kind of weights; ``weight`` may be None."""

    X: np.ndarray
    y: np.ndarray
    kernel: str
    class_weight: Any
    weight: np.ndarray | None

    @property
    def name(self) -> tuple[str, str, str]:
        """Row of the table."""
        return self.kernel, str(self.class_weight), "none" if self.weight is None else "random"


def cases(n_problems: int, seed: int, kernels: Sequence[str] = tuple(GRIDS)) -> Iterator[Case]:
    """Problems of 20 to 70 samples in two or three classes of unequal sizes, with these kernels."""
    random = np.random.default_rng(seed)
    for _ in range(n_problems):
        n, d, n_classes = int(random.integers(20, 71)), int(random.integers(1, 6)), int(random.integers(2, 4))
        shares = random.dirichlet(np.full(n_classes, 4.0))
        y = np.concatenate([np.tile(np.arange(n_classes), 4), random.choice(n_classes, n, p=shares)])
        X = random.normal(size=(y.size, d)) + random.normal(size=(n_classes, d))[y]
        weights = None, random.uniform(0.1, 3.0, y.size)
        for kernel in kernels:
            for class_weight in (None, "balanced", {0: 2.0}):
                for weight in weights:
                    yield Case(X, y, kernel, class_weight, weight)


class BalancedSVC(sklearn.svm.SVC):
    """scikit-learn's machine with "balanced" factors of classes that count the weights of samples."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train with the factors of these samples."""
        asked = self.class_weight
        if asked == "balanced":
            classes = np.unique(y)
            self.class_weight = dict(zip(classes, class_factors(asked, y, sample_weight), strict=True))
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.class_weight = asked


def class_factors(class_weight: Any, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Factor of C of each class, shape (n_classes,)."""
    return compute_class_weight(class_weight, classes=np.unique(y), y=y, sample_weight=weight)


def compare(case: Case) -> Counter[str]:
    """Counts of one case, by the columns of the table."""
    grid = GRIDS[case.kernel]
    shared = {"cv": N_FOLDS, "refit": False}
    ours = GridSearchSVC(grid, kernel=case.kernel, class_weight=case.class_weight, **shared)
    fixed = {"kernel": case.kernel, "class_weight": case.class_weight}
    theirs = GridSearchCV(BalancedSVC(**fixed), grid, **shared)
    tight = GridSearchCV(BalancedSVC(**fixed, tol=TIGHT, max_iter=MAX_ITER), grid, **shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, reference, strict = (
            search.fit(case.X, case.y, sample_weight=case.weight).cv_results_["mean_test_score"]
            for search in (ours, theirs, tight)
        )
    differs = np.abs(mine - reference) > 1e-9
    counts = Counter(
        cells=mine.size, differ=int(differs.sum()), tight=int((np.abs(mine - strict) > 1e-9).sum())
    )
    if not differs.any():
        return counts
    counts["moves"] += int((differs & moves(case, theirs, reference)).sum())
    counts["ours moves"] += int((differs & moves(case, ours, mine)).sum())
    candidates = list(ParameterGrid(grid))
    for index in np.flatnonzero(differs):
        counts.update(verdict(case, candidates[index], mine[index], reference[index]))
    return counts


def moves(case: Case, search: Any, scores: np.ndarray) -> np.ndarray:
    """Whether each score, shape (n_candidates,), changes with the order of training rows or a hair of C."""
    found = np.zeros(scores.size, bool)
    grid = GRIDS[case.kernel]
    backwards = [(train[::-1], test) for train, test in StratifiedKFold(N_FOLDS).split(case.X, case.y)]
    changes = [{"cv": backwards}]
    changes += [{"param_grid": {**grid, "C": [C * (1.0 + hair) for C in grid["C"]]}} for hair in HAIRS]
    for change in changes:
        other = clone(search).set_params(**change)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other.fit(case.X, case.y, sample_weight=case.weight)
        found |= np.abs(other.cv_results_["mean_test_score"] - scores) > 1e-9
    return found


def verdict(case: Case, candidate: dict[str, Any], ours: float, theirs: float) -> list[str]:
    """Which of two scores is the exact one: names of `COLUMNS`."""
    exact = [exact_score(case, candidate, end) for end in (0.5, 0.0, 1.0)]
    if None in exact:
        return ["no exact"]
    middle, *ends = exact
    if any(abs(end - middle) > 1e-9 for end in ends):
        return ["offset", "middle"] if abs(ours - middle) < 1e-9 else ["offset"]
    if abs(ours - middle) < 1e-9:
        return ["ours"]
    return ["theirs" if abs(theirs - middle) < 1e-9 else "neither"]


def exact_score(case: Case, candidate: dict[str, Any], end: float) -> float | None:
    """The mean test score of exact machines; ``end`` says where in its interval an offset is, from 0 to 1."""
    kernel = {name: value for name, value in candidate.items() if name != "C"}
    K = pairwise_kernels(case.X, metric=case.kernel, **kernel)
    if np.linalg.eigvalsh(K)[0] < -1e-9 * np.trace(K):
        return None
    weight = np.ones(case.y.size) if case.weight is None else case.weight
    scores = []
    for train, test in StratifiedKFold(N_FOLDS).split(case.X, case.y):
        classes = np.unique(case.y[train])
        factors = class_factors(case.class_weight, case.y[train], weight[train])
        bound = candidate["C"] * weight * factors[np.searchsorted(classes, case.y)]
        votes = np.zeros((test.size, classes.size))
        for first, second in combinations(range(classes.size), 2):
            rows = train[np.isin(case.y[train], classes[[first, second]])]
            signs = np.where(case.y[rows] == classes[first], 1.0, -1.0)
            machine = solve_exactly(K[np.ix_(rows, rows)], signs, bound[rows])
            if not machine.is_exact:
                return None
            offset = (1.0 - end) * machine.low + end * machine.high
            is_first = K[np.ix_(test, rows)] @ machine.beta + offset > 0
            votes[:, first] += is_first
            votes[:, second] += ~is_first
        right = classes[votes.argmax(axis=1)] == case.y[test]
        scores.append(np.average(right, weights=weight[test]))
    return float(np.mean(scores))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", nargs="+", choices=list(GRIDS), default=list(GRIDS))
    options = parser.parse_args()
    table: dict[tuple[str, str, str], Counter[str]] = {}
    for case in cases(options.problems, options.seed, options.kernels):
        table.setdefault(case.name, Counter()).update(compare(case))
    print(HEADER)
    for name, counts in table.items():
        numbers = " ".join(f"{counts[column]:>10}" for column in COLUMNS)
        print(f"{name[0]:<8} {name[1]:<12} {name[2]:<7} {numbers}")


if __name__ == "__main__":
    main()
