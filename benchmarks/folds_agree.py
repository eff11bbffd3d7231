"""``python -m benchmarks.folds_agree``: scores of groups and of time beside GridSearchCV's, cell by cell.

A cell is the score of one candidate on one fold. Three sets that come with scikit-learn, at most 500 rows of
each in a random order, with TimeSeriesSplit and with GroupKFold over twelve random groups: a grid of widths
and C by `GridSearchSVC`, and every width that `TunedSVC` tries from one start, at the same values of C. A
label may differ where a decision value is within the solvers' tolerance of zero.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import GridSearchCV, GroupKFold, TimeSeriesSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelwise import GridSearchSVC, TunedSVC
from kernelwise.kernels import RBF

SETS = {"breast cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}
N_ROWS, N_GROUPS = 500, 12
GAMMAS, CS = [2.0**k for k in (-7, -5, -3, -1)], [2.0**k for k in (-1, 1, 3, 5, 7)]


def labels_that_differ(ours: dict[str, Any], rows: Any, theirs: dict[str, Any], splits: Any) -> np.ndarray:
    """Number of labels by which two tables of scores differ, of shape (n_folds, n_candidates)."""
    names = [f"split{k}_test_score" for k in range(len(splits))]
    parts = zip(names, splits, strict=True)
    return np.array([np.abs(ours[name][rows] - theirs[name]) * len(test) for name, (_, test) in parts])


def of_grid(X: np.ndarray, y: np.ndarray, groups: np.ndarray, cv: Any) -> np.ndarray:
    """Labels that differ between the two grid searches."""
    grid = {"gamma": GAMMAS, "C": CS}
    ours = GridSearchSVC(grid, cv=cv, refit=False).fit(X, y, groups=groups).cv_results_
    theirs = GridSearchCV(SVC(), grid, cv=cv, refit=False).fit(X, y, groups=groups).cv_results_
    return labels_that_differ(ours, slice(None), theirs, list(cv.split(X, y, groups)))


def of_search(X: np.ndarray, y: np.ndarray, groups: np.ndarray, cv: Any) -> np.ndarray:
    """Labels that differ between a search and a grid search with the widths that it tried."""
    model = TunedSVC(RBF(GAMMAS[0]), Cs=CS, cv=cv, scale=None, refit=False).fit(X, y, groups=groups)
    ours, splits, found = model.cv_results_, list(cv.split(X, y, groups)), []
    for gamma in sorted(set(ours["param_gamma"].tolist())):
        search = GridSearchCV(SVC(gamma=gamma, break_ties=True), {"C": CS}, cv=splits, refit=False)
        theirs = search.fit(X, y).cv_results_
        found.append(labels_that_differ(ours, np.flatnonzero(ours["param_gamma"] == gamma), theirs, splits))
    return np.concatenate(found, axis=1)


def main() -> None:
    """Print a row for each set and kind of folds."""
    warnings.simplefilter("ignore")  # of C at the end of its range
    random = np.random.default_rng(0)
    print(f"{'set':<14} {'folds':<16} {'search':<14} cells  equal  most labels that differ")
    for name, load in SETS.items():
        X, y = load(return_X_y=True)
        rows = random.permutation(len(y))[:N_ROWS]
        X, y, groups = (
            StandardScaler().fit_transform(X[rows]),
            y[rows],
            random.integers(N_GROUPS, size=len(rows)),
        )
        for cv in (TimeSeriesSplit(5), GroupKFold(5)):
            for search, count in (("GridSearchSVC", of_grid), ("TunedSVC", of_search)):
                n = count(X, y, groups, cv)
                figures = f"{n.size:>5} {(n < 0.5).sum():>6} {round(n.max()):>8}"
                print(f"{name:<14} {type(cv).__name__:<16} {search:<14} {figures}", flush=True)


if __name__ == "__main__":
    main()
