"""What the study of all our methods (`beyond`) runs, and on which data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from kernelwise.comparison import full_grid, peers
from kernelwise.estimators import TunedSVC
from kernelwise.optimizers import GradientDescent, SecondOrder
from kernelwise.studies._study import Study
from kernelwise.studies._table import few_rows, load_or_say


class Method(NamedTuple):
    """A way to choose a machine: kernel × criterion × search."""

    kernel: str
    criterion: str
    search: str
    estimator: Any

    @property
    def name(self) -> str:
        return f"{self.kernel}, {self.criterion}" + (f", {self.search}" if self.search else "")


def _tuned(kernel: str, criterion: str, search: str = "", optimizer: Any = None) -> Method:
    return Method(kernel, criterion, search, TunedSVC(kernel, criterion=criterion, search=optimizer))


#: Criteria that choose the width of an RBF kernel.
WIDTHS: tuple[str, ...] = ("auto", "dbtc", "esdr", "j4", "kta", "centered-kta", "polarization")
WIDTHS += ("radius-margin", "regularized-margin", "cv-error", "validation-error")
#: Criteria of no paper of the five. They come last, so that the others keep their places in the tables.
MORE_WIDTHS: tuple[str, ...] = ("cv-likelihood", "span", "fisher")
MORE_WIDTHS += ("dbtc-unbiased", "esdr-unbiased", "j4-unbiased")
MORE_WIDTHS += ("dbtc-trimmed", "esdr-trimmed", "j4-trimmed")
METHODS: tuple[Method, ...] = (
    *(_tuned("rbf", criterion) for criterion in WIDTHS),
    _tuned("rbf", "dbtc", "second-order", SecondOrder()),
    _tuned("rbf", "radius-margin", "descent", GradientDescent()),
    _tuned("diagonal", "auto"),
    _tuned("diagonal", "centered-kta"),
    _tuned("diagonal", "regularized-margin"),
    _tuned("gaussian", "auto"),
    _tuned("poly", "auto"),
    _tuned("kmod", "auto"),
    _tuned("laplacian", "auto"),
    _tuned("diagonal-laplacian", "auto"),
    _tuned("auto", "auto"),
    Method("rbf", "full grid", "", full_grid(cv=5)),
    Method("rbf", "scikit-learn's defaults", "", peers.scaled_svc()),
    *(_tuned("rbf", criterion) for criterion in MORE_WIDTHS),
)
SETS: tuple[str, ...] = ("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd", "iris")
SETS += ("optdigits", "planning_relax", "ringnorm", "satimage", "segment", "splice", "thyroid")
SETS += ("tic_tac_toe", "titanic", "twonorm", "vertebral_2c", "waveform")
QUICK_SETS = ("banana", "iris", "vertebral_2c")
#: Rows to learn from at most, and outer splits: in full, and quick.
FULL, QUICK = (400, 4), (30, 2)
#: Rows to test on at most.
MAX_TEST = 3000


class Data(NamedTuple):
    """A data set of the comparison, and its outer splits."""

    X: np.ndarray
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]

    def groups(self) -> tuple[str, ...]:
        """Kinds of data that a person can tell beforehand."""
        n, d = len(self.splits[0][0]), self.X.shape[1]
        return (
            "all",
            "two classes" if len(np.unique(self.y)) == 2 else "more classes",
            "up to 15 features" if d <= 15 else "more than 15 features",
            "up to 300 rows to learn from" if n <= 300 else "more than 300 rows to learn from",
        )


def load_sets(study: Study) -> dict[str, Data]:
    """The sets that can be had; classes too small for the splits are left out."""
    n_train, n_splits = study.choose(FULL, QUICK)
    found = {}
    for name in study.choose(SETS, QUICK_SETS):
        dataset = load_or_say(name)
        if dataset is not None:
            X, y = few_rows(dataset.X, dataset.y, n_train + MAX_TEST)
            classes, counts = np.unique(y, return_counts=True)
            keep = np.isin(y, classes[counts >= 2 * n_splits])
            found[name] = Data(X[keep], y[keep], outer_splits(y[keep], n_train, n_splits))
    return found


def outer_splits(y: np.ndarray, n_train: int, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of few rows; of many, so many drawn to learn from, and all others to test on.

    Time goes with the rows that are learned from, and the noise of an accuracy with those that are not.
    """
    if len(y) * (n_splits - 1) <= n_train * n_splits:
        return list(StratifiedKFold(n_splits, shuffle=True, random_state=0).split(y, y))
    draws = StratifiedShuffleSplit(n_splits, train_size=n_train, test_size=len(y) - n_train, random_state=0)
    return list(draws.split(y, y))
