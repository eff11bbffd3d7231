"""Our choice beside the ways people tune an SVC today, on the same outer folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.reading import check_one_per_sample, check_table
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.validation import check_choice, check_integer, check_labels
from kernelwise.comparison import peers
from kernelwise.estimators import GridSearchSVC, TunedSVC


def full_grid(cv: Any) -> GridSearchSVC:
    """Paper 004's grid (Yin and Yin 2016) of widths and C, on features that are standardised once."""
    grid = {"gamma": peers.GAMMAS.tolist(), "C": peers.CS.tolist()}
    return GridSearchSVC(grid, scaler="standard", scaling="shared", cv=cv)


#: Methods by name; each makes an estimator from a seed.
METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedSVC(random_state=seed),
    "SVC defaults": lambda seed: peers.scaled_svc(),
    "GridSearchCV": lambda seed: peers.grid_search(random_state=seed),
    "HalvingGridSearchCV": lambda seed: peers.halving(random_state=seed),
    "random search": lambda seed: peers.random_search(random_state=seed),
    "Optuna TPE": lambda seed: peers.OptunaSVC(random_state=seed),
    "full grid": lambda seed: full_grid(StratifiedKFold(10, shuffle=True, random_state=seed)),
}
#: What is run where nothing is named; the full grid takes its time.
USUAL = ("kernelwise", "SVC defaults", "GridSearchCV", "HalvingGridSearchCV", "random search", "Optuna TPE")

#: Differences of folds that cancel may leave this much.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Nested scores of several methods.

    Attributes
    ----------
    methods : tuple of str
    scores : ndarray of shape (n_methods, n_splits)
        Accuracy on the outer test parts.
    seconds, cpu_seconds : ndarray of shape (n_methods, n_splits)
        Wall and processor time of choosing and training.
    n_machines : ndarray of shape (n_methods, n_splits)
        Times that an SVC was trained.
    skipped : dict from str to str
        Methods that could not be run, and why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from kernelwise import compare
    >>> methods = {"wide": SVC(gamma=0.01), "usual": SVC()}
    >>> comparison = compare(*load_iris(return_X_y=True), methods, n_splits=3)
    >>> comparison.scores.shape, [row["method"] for row in comparison.rows()]
    ((2, 3), ['wide', 'usual'])

    What did better than the first method is said in a sentence:

    >>> len(comparison.losses())
    1
    """

    methods: tuple[str, ...]
    scores: np.ndarray
    seconds: np.ndarray
    cpu_seconds: np.ndarray
    n_machines: np.ndarray
    skipped: dict[str, str]

    def rows(self) -> list[dict[str, Any]]:
        """One row per method: accuracy, its standard error, the difference from the first, time, machines.

        The standard errors are over the outer splits, whose training parts overlap: take them as a guide.
        """
        root = np.sqrt(self.scores.shape[1])
        spread = {"ddof": 1 if self.scores.shape[1] > 1 else 0}
        table = []
        for k, name in enumerate(self.methods):
            difference = self.scores[k] - self.scores[0]
            table.append(
                {
                    "method": name,
                    "accuracy": float(self.scores[k].mean()),
                    "standard_error": float(self.scores[k].std(**spread) / root),
                    "difference": float(difference.mean()),
                    "difference_error": float(difference.std(**spread) / root),
                    "seconds": float(self.seconds[k].mean()),
                    "cpu_seconds": float(self.cpu_seconds[k].mean()),
                    "machines": float(self.n_machines[k].mean()),
                }
            )
        return table

    def losses(self) -> list[str]:
        """One sentence for every method that did better than the first one, and for every skipped one."""
        first = self.methods[0]
        sentences = [
            f"{row['method']} was {100 * row['difference']:.2f} points better than {first} "
            f"(standard error {100 * row['difference_error']:.2f})."
            for row in self.rows()[1:]
            if row["difference"] > ROUNDING
        ]
        return sentences + [f"{name} was not run: {why}" for name, why in self.skipped.items()]

    def __str__(self) -> str:
        lines = [f"{'method':22s} accuracy  s.e.   difference  s.e.    seconds   machines"]
        lines += [
            f"{row['method']:22s} {row['accuracy']:7.4f}  {row['standard_error']:.4f}  "
            f"{row['difference']:+9.4f}  {row['difference_error']:.4f}  {row['seconds']:8.3f}  "
            f"{row['machines']:9.0f}"
            for row in self.rows()
        ]
        return "\n".join([*lines, *self.losses()])


def compare(
    X: Any,
    y: Any,
    methods: Any = None,
    *,
    n_splits: int = 5,
    n_repeats: int = 1,
    random_state: int = 0,
    journal: MutableMapping[str, Any] | None = None,
    callback: Callable[[str, int, float], None] | None = None,
) -> Comparison:
    """Nested accuracy, time and work of several methods on the same outer folds.

    Every method makes all its choices on the training part of an outer fold and is scored on the rest.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    methods : list of names, or dict from name to estimator, default=None
        Names of :data:`METHODS`; None is the usual ones. The others are compared with the first.
    n_splits, n_repeats : int, default=5, 1
        Of the outer stratified folds; ``n_splits=2, n_repeats=5`` is Dietterich's 5 × 2.
    random_state : int, default=0
    journal : mutable mapping from str, default=None
        Finished cells are looked up there and put there, so that an interrupted comparison goes on.
    callback : callable, default=None
        ``callback(method, split, accuracy)`` after every cell.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, ["kernelwise", "SVC defaults"], n_splits=2)
    >>> table.scores.shape
    (2, 2)
    """
    estimators, skipped = _estimators(methods, random_state)
    check_table(X, "X")
    check_one_per_sample(y)
    check_integer(n_splits, "n_splits", "compare", least=2)
    check_integer(n_repeats, "n_repeats", "compare", least=1)
    check_consistent_length(X, y)
    y = column_or_1d(y)
    check_labels(y, len(y), min_per_class=n_splits)
    splitter = RepeatedStratifiedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=random_state)
    splits = list(splitter.split(np.zeros(len(y)), y))
    cells = np.zeros((4, len(estimators), len(splits)))
    journal = {} if journal is None else journal
    for s, (train, test) in enumerate(splits):
        for m, (name, estimator) in enumerate(estimators.items()):
            key = f"{name}/{s}"
            if key not in journal:
                journal[key] = nested_cell(estimator, X, y, train, test)
            cells[:, m, s] = journal[key]
            if callback is not None:
                callback(name, s, cells[0, m, s])
    return Comparison(tuple(estimators), cells[0], cells[1], cells[2], cells[3], skipped)


def nested_cell(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[float, float, float, float]:
    """Accuracy, wall and processor seconds, and machines of one method on one outer fold."""
    model = clone(estimator)
    started, cpu_started = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers: what matters here is what they score
        model.fit(safe_indexing(X, train), y[train])
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    accuracy = float(np.mean(model.predict(safe_indexing(X, test)) == y[test]))
    return accuracy, seconds, cpu_seconds, float(peers.n_machines(model))


def _estimators(methods: Any, random_state: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Estimators by name, and the names that need something that is not installed."""
    if isinstance(methods, Mapping):
        return dict(methods), {}
    names = list(USUAL if methods is None else methods)
    skipped = {}
    for name in names:
        check_choice(name, "methods", "compare", tuple(METHODS))
    if "Optuna TPE" in names and find_spec("optuna") is None:
        names.remove("Optuna TPE")
        skipped["Optuna TPE"] = "optuna is not installed (pip install 'kernelwise[optuna]')."
    return {name: METHODS[name](random_state) for name in names}, skipped
