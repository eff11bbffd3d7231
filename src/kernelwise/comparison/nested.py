"""Our choice beside the ways people tune an SVC or SVR today, on the same outer folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.reading import check_one_per_sample, check_table
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.validation import check_choice, check_integer, check_labels
from kernelwise.comparison import peers
from kernelwise.comparison.methods import BASELINES, estimators
from kernelwise.comparison.table import Comparison

#: Errors of a regression beside its score, in the order of a cell.
ERRORS = ("rmse", "mae")


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
    task: str = "classification",
    baseline: bool = True,
    on_begin: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Nested scores, time and work of several methods on the same outer folds.

    Every method makes all its choices on the training part of an outer fold and is scored on the rest.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    methods : list of names, or dict from name to estimator, default=None
        Names of :data:`METHODS`, or of :data:`REGRESSION_METHODS`; None is the usual ones. The others are
        compared with the first.
    n_splits, n_repeats : int, default=5, 1
        Of the outer folds, stratified for classes; ``n_splits=2, n_repeats=5`` is Dietterich's 5 × 2.
    random_state : int, default=0
    journal : mutable mapping from str, default=None
        Finished cells are looked up there and put there, so that an interrupted comparison goes on.
    callback : callable, default=None
        ``callback(method, split, score)`` after every cell.
    task : {"classification", "regression"}, default="classification"
        Whether scores are accuracies, or R² with errors in units of y.
    baseline : bool, default=True
        Whether to add a method that ignores X: the most frequent class, or the mean.
    on_begin : callable, default=None
        ``on_begin(method, split)`` before every cell that is computed.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes, load_iris
    >>> from kernelwise import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, ["kernelwise", "SVC defaults"], n_splits=2)
    >>> table.methods, table.scores.shape
    (('kernelwise', 'SVC defaults', 'most frequent class'), (3, 2))

    The same for numbers:

    >>> table = compare(*load_diabetes(return_X_y=True), ["SVR defaults"], n_splits=2, task="regression")
    >>> table.score, sorted(table.errors)
    ('r2', ['mae', 'rmse'])
    """
    check_choice(task, "task", "compare", tuple(BASELINES))
    check_table(X, "X")
    check_one_per_sample(y)
    check_integer(n_splits, "n_splits", "compare", least=2)
    check_integer(n_repeats, "n_repeats", "compare", least=1)
    check_consistent_length(X, y)
    chosen, skipped = estimators(methods, task, random_state)
    name_of_baseline = ""
    if baseline:
        name_of_baseline, dummy = BASELINES[task]
        chosen.setdefault(name_of_baseline, dummy)
    y = column_or_1d(y)
    splits = _splits(X, y, task, n_splits, n_repeats, random_state)
    cell = nested_cell if task == "classification" else nested_number_cell
    n_numbers = 4 if task == "classification" else 4 + len(ERRORS)
    cells = np.zeros((n_numbers, len(chosen), len(splits)))
    journal = {} if journal is None else journal
    for s, (train, test) in enumerate(splits):
        for m, (name, estimator) in enumerate(chosen.items()):
            key = f"{name}/{s}"
            if key not in journal:
                if on_begin is not None:
                    on_begin(name, s)
                journal[key] = cell(estimator, X, y, train, test)
            cells[:, m, s] = journal[key]
            if callback is not None:
                callback(name, s, cells[0, m, s])
    score = "accuracy" if task == "classification" else "r2"
    errors = dict(zip(ERRORS, cells[4:], strict=False))
    scores, seconds, cpu_seconds, n_machines = cells[:4]
    return Comparison(
        methods=tuple(chosen),
        scores=scores,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        n_machines=n_machines,
        skipped=skipped,
        score=score,
        errors=errors,
        baseline=name_of_baseline,
    )


def _splits(X: Any, y: np.ndarray, task: str, n_splits: int, n_repeats: int, random_state: int) -> list[Any]:
    """The outer folds; targets that they cannot be made of are refused."""
    if task == "classification":
        check_labels(y, len(y), min_per_class=n_splits)
        stratified = RepeatedStratifiedKFold(
            n_splits=n_splits, n_repeats=n_repeats, random_state=random_state
        )
        return list(stratified.split(np.zeros(len(y)), y))
    check_consistent_length(X, y)
    if len(y) < 2 * n_splits:
        raise ValueError(f"{n_splits} outer folds of a regression need at least {2 * n_splits} samples.")
    return list(
        RepeatedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=random_state).split(
            np.zeros(len(y))
        )
    )


def nested_cell(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[float, float, float, float]:
    """Accuracy, wall and processor seconds, and machines of one method on one outer fold."""
    predicted, work = _answers(estimator, X, y, train, test)
    return float(np.mean(predicted == y[test])), *work


def nested_number_cell(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[float, ...]:
    """R², wall and processor seconds, machines, RMSE and MAE of one method on one outer fold."""
    predicted, work = _answers(estimator, X, y, train, test)
    rest = y[test] - predicted
    scatter = float(np.mean((y[test] - y[test].mean()) ** 2))
    squared = float(np.mean(rest**2))
    r2 = 1.0 - squared / scatter if scatter > 0 else 0.0
    return r2, *work, float(np.sqrt(squared)), float(np.mean(np.abs(rest)))


def _answers(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Predictions of shape (n_test,), and wall and processor seconds and machines."""
    model = clone(estimator)
    started, cpu_started = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers: what matters here is what they score
        model.fit(safe_indexing(X, train), y[train])
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return model.predict(safe_indexing(X, test)), (seconds, cpu_seconds, float(peers.n_machines(model)))
