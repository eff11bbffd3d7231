"""Our choice beside other ways to tune an SVC or SVR and beside forests, on the same outer folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, MutableMapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d
from threadpoolctl import threadpool_limits

from kernelwise._core.reading import check_one_per_sample, check_table
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import number_of_threads
from kernelwise._core.validation import check_choice, check_integer
from kernelwise.comparison import peers
from kernelwise.comparison.methods import BASELINES, estimators
from kernelwise.comparison.outer import Partition, Splits
from kernelwise.comparison.probabilities import held_out_log_loss
from kernelwise.comparison.table import Comparison
from kernelwise.estimators import TunedSVC, TunedSVR
from kernelwise.frames import Frame, learn_encoder, to_frame

#: Errors beside the score, in the order of a cell.
ERRORS = {"classification": ("log_loss",), "regression": ("rmse", "mae")}
SCORES = {"classification": "accuracy", "regression": "r2"}


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
    n_jobs: int | None = None,
    groups: Any = None,
    times: Any = None,
    categorical_features: Any = "from_dtype",
) -> Comparison:
    """Nested scores, time and work of several methods on the same outer folds.

    Every method makes all its choices on the training part of an outer fold and is scored on the rest: by
    accuracy and log-loss, or by R², RMSE and MAE. Forests and boosting are taken as they come. A method that
    has no probabilities is trained on five folds of the training part once more, for Platt's sigmoids.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Words and gaps are coded as 0 and 1 for methods that take numbers only; `TunedSVC` and `TunedSVR`, and
        a Pipeline of your own that begins with a ColumnTransformer, are given the table.
    y : array of shape (n_samples,)
    methods : list of names, or dict from name to estimator, default=None
        Names of :data:`METHODS`, or of :data:`REGRESSION_METHODS`; None is the usual ones, with
        scikit-learn's "random forest" and "gradient boosting"; "full grid", "lightgbm", "catboost" and "xrfm"
        are run if they are named. The others are compared with the first.
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
    n_jobs : int, default=None
        Threads of a method that can use several; None is one, -1 is all. Estimators of a dict keep their own
        ``n_jobs``.
    groups : array of shape (n_samples,), default=None
        Rows of one group are never in both parts of a fold: not of an outer one, and not of the folds by
        which a method chooses, its parameter ``cv``.
    times : array of shape (n_samples,), default=None
        Numbers or dates: all folds train on earlier rows and hold out later ones (TimeSeriesSplit).
    categorical_features : "from_dtype", None, or names, indices or a mask of columns, default="from_dtype"
        Which columns hold words, as in `TunedSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes, load_iris
    >>> from kernelwise import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> table = compare(X, y, ["kernelwise", "SVC defaults"], n_splits=2)
    >>> table.methods, table.scores.shape
    (('kernelwise', 'SVC defaults', 'most frequent class'), (3, 2))
    >>> sorted(table.errors)
    ['log_loss']

    The same for numbers:

    >>> table = compare(*load_diabetes(return_X_y=True), ["SVR defaults"], n_splits=2, task="regression")
    >>> table.score, sorted(table.errors)
    ('r2', ['mae', 'rmse'])
    """
    check_choice(task, "task", "compare", tuple(BASELINES))
    table, frame = X, to_frame(X, categorical_features, "compare")
    if frame is None:
        check_table(X, "X")
    else:  # the coding sees no targets
        X = learn_encoder(frame).transform(frame)
    check_one_per_sample(y)
    check_integer(n_splits, "n_splits", "compare", least=2)
    check_integer(n_repeats, "n_repeats", "compare", least=1)
    check_consistent_length(X, y)
    if n_jobs == 0:
        raise ValueError("n_jobs of compare must be a number of threads, or -1 for all, got 0.")
    chosen, skipped = estimators(methods, task, random_state, n_jobs, sparse.issparse(X))
    name_of_baseline = ""
    if baseline:
        name_of_baseline, dummy = BASELINES[task]
        chosen.setdefault(name_of_baseline, dummy)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    partition = Partition(groups, times, len(y))
    splits = partition.outer(y, task, n_splits, n_repeats, random_state)
    journal = {} if journal is None else journal
    measure, n_numbers = CELLS[task], 4 + len(ERRORS[task])
    cells = np.zeros((n_numbers, len(chosen), len(splits)))
    for s, split in enumerate(splits):
        inner = partition.inner(split[0], y, task, random_state)
        for m, (name, estimator) in enumerate(chosen.items()):
            key = f"{name}/{s}"
            if len(journal.get(key, ())) != n_numbers:  # a cell of an earlier version has no log-loss
                if on_begin is not None:
                    on_begin(name, s)
                rows = X if frame is None else _as_taken(estimator, X, frame, table)
                journal[key] = measure(estimator, rows, y, *split, n_jobs=n_jobs, inner=inner)
            cells[:, m, s] = np.array(journal[key], dtype=np.float64)  # None becomes NaN
            if callback is not None:
                callback(name, s, cells[0, m, s])
    scores, seconds, cpu_seconds, n_machines = cells[:4]
    return Comparison(
        methods=tuple(chosen),
        scores=scores,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        n_machines=n_machines,
        skipped=skipped,
        score=SCORES[task],
        errors=dict(zip(ERRORS[task], cells[4:], strict=True)),
        baseline=name_of_baseline,
    )


def _as_taken(estimator: Any, coded: np.ndarray, frame: Frame, table: Any) -> Any:
    """The rows as an estimator takes them: coded, or one of the two forms of the table."""
    if isinstance(estimator, TunedSVC | TunedSVR):
        return frame
    is_own = isinstance(estimator, Pipeline) and isinstance(estimator[0], ColumnTransformer)
    return table if is_own else coded


def _rows(X: Any, rows: np.ndarray) -> Any:
    return X[rows] if isinstance(X, Frame) else safe_indexing(X, rows)


def nested_cell(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    n_jobs: int | None = None,
    inner: Splits | None = None,
) -> tuple[float, float, float, float]:
    """Accuracy, wall and processor seconds, and machines of one method on one outer fold."""
    model, work = _trained(estimator, X, y, train, n_jobs, inner)
    return _accuracy(model, X, y, test), *work


def nested_class_cell(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    n_jobs: int | None = None,
    inner: Splits | None = None,
) -> tuple[float | None, ...]:
    """The numbers of `nested_cell`, and the log-loss; what the probabilities take is in no time."""
    model, work = _trained(estimator, X, y, train, n_jobs, inner)
    parts = _rows(X, train), y[train], _rows(X, test), y[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss = held_out_log_loss(model, *parts, inner=inner)
    return _accuracy(model, X, y, test), *work, loss


def nested_number_cell(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    n_jobs: int | None = None,
    inner: Splits | None = None,
) -> tuple[float, ...]:
    """R², wall and processor seconds, machines, RMSE and MAE of one method on one outer fold."""
    model, work = _trained(estimator, X, y, train, n_jobs, inner)
    rest = y[test] - model.predict(_rows(X, test))
    scatter = float(np.mean((y[test] - y[test].mean()) ** 2))
    squared = float(np.mean(rest**2))
    r2 = 1.0 - squared / scatter if scatter > 0 else 0.0
    return r2, *work, float(np.sqrt(squared)), float(np.mean(np.abs(rest)))


CELLS: dict[str, Callable[..., tuple[float | None, ...]]] = {
    "classification": nested_class_cell,
    "regression": nested_number_cell,
}


def _accuracy(model: Any, X: Any, y: np.ndarray, test: np.ndarray) -> float:
    return float(np.mean(model.predict(_rows(X, test)) == y[test]))


def _trained(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, n_jobs: int | None, inner: Splits | None
) -> tuple[Any, tuple[float, float, float]]:
    """A method trained on the training part, and wall and processor seconds and machines.

    The searches of scikit-learn use threads, for processor time is not seen in other processes; its boosting
    would take all cores if nobody held it. ``inner`` are folds of the training part, for what has a ``cv``.
    """
    model = clone(estimator)
    if inner is not None and "cv" in model.get_params(deep=False):
        model.set_params(cv=inner)
    with (
        warnings.catch_warnings(),
        nullcontext() if n_jobs is None else parallel_config(backend="threading"),
        threadpool_limits(number_of_threads(n_jobs), user_api="openmp"),
    ):
        warnings.simplefilter("ignore")  # of peers: what matters here is what they score
        started, cpu_started = time.perf_counter(), time.process_time()
        model.fit(_rows(X, train), y[train])
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return model, (seconds, cpu_seconds, float(peers.n_machines(model)))
