"""Our choice beside other ways to tune a machine, forests and detectors, on the same outer folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.reading import check_one_per_sample, check_table
from kernelwise._core.text import count
from kernelwise._core.typing import Estimator, RowsLike
from kernelwise._core.validation import check_choice, check_integer, check_labels
from kernelwise.comparison.cells import COVERED, ERRORS, MEASURES, SCORES, Splits, nested_cell
from kernelwise.comparison.methods import BASELINES, estimators
from kernelwise.comparison.outcome import Comparison, ComparisonStopped
from kernelwise.conformal import check_coverage
from kernelwise.estimators import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.search.data.given_folds import read_groups
from kernelwise.tables import Table, learn_encoder, to_table

#: Inner folds of the searches, as they have them for rows that are independent.
N_INNER = 5


def compare(
    X: RowsLike,
    y: ArrayLike,
    methods: str | Sequence[str] | Mapping[str, Estimator] | None = None,
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
    groups: ArrayLike | None = None,
    times: ArrayLike | None = None,
    categorical_features: str | ArrayLike = "from_dtype",
    coverage: float | None = None,
) -> Comparison:
    """Compare several methods on the same outer folds: score, time and work.

    Every method makes all its choices on the training part of an outer fold and is scored on the rest: by
    accuracy and log-loss for classes, or by R², RMSE and MAE for numbers. Forests and boosting run with their
    default settings. A method without probabilities gets Platt's sigmoids from five folds of the training
    part.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Words and gaps are coded as 0 and 1 for methods that need numbers. `TunedSVC`, `TunedSVR` and a
        Pipeline that begins with a ColumnTransformer get the table itself.
    y : array of shape (n_samples,)
        Class labels, numbers, or 1 and −1 for the detection of unusual rows.
    methods : a name, list of names, or dict from name to estimator, default=None
        Names of :data:`METHODS`, or of :data:`REGRESSION_METHODS`. None means kernelwise, an SVM with
        default settings, scikit-learn's "random forest" and "gradient boosting", and of "lightgbm", "xgboost"
        and "catboost" those that are installed. Searches of SVMs ("GridSearchCV", "random search", …), "full
        grid", "xrfm", "ebm", "realmlp" and "neo-ls-svm" run if they are named. The first method is the one
        that the others are compared with.
    n_splits, n_repeats : int, default=5, 1
        Number of outer folds, which are stratified for classes, and how often to draw them. ``n_splits=2,
        n_repeats=5`` is Dietterich's 5 × 2.
    random_state : int, default=0
        Seed of the folds and of the methods.
    journal : mutable mapping from str, default=None
        Where finished cells are kept, so that an interrupted comparison can continue.
    callback : callable, default=None
        ``callback(method, split, score)`` is called after every cell.
    task : {"classification", "regression", "detection"}, default="classification"
        What is compared: accuracy, R² with errors in units of y, or, for the detection of unusual rows, ROC
        AUC with average precision. For detection, y is 1 for usual rows and −1 for unusual ones, and no
        method gets y.
    baseline : bool, default=True
        Whether to add a method that ignores X: the most frequent class, the mean, or equal scores.
    on_begin : callable, default=None
        ``on_begin(method, split)`` is called before every cell that is computed.
    n_jobs : int, default=None
        Number of threads for methods that can use several; None means one, -1 all cores. Estimators of a dict
        keep their own ``n_jobs``.
    groups : array of shape (n_samples,), default=None
        Rows of one group are never in both parts of a fold. This holds for outer folds and for the folds
        inside a method (its parameter ``cv``).
    times : array of shape (n_samples,), default=None
        Numbers or dates: all folds train on earlier rows and hold out later ones (TimeSeriesSplit).
    categorical_features : "from_dtype", None, or names, indices or a mask of columns, default="from_dtype"
        Which columns hold words, as in `TunedSVC`.
    coverage : float, default=None
        A share such as 0.9, for which `TunedSVR` has intervals and `TunedSVC` sets of classes: the table gets
        the share of held-out rows that they contain, and their mean width or size.

    Raises
    ------
    ComparisonStopped
        After Ctrl-C, if a method has finished a fold: its ``table`` has what is done. It is a
        KeyboardInterrupt.

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
    if coverage is not None:
        check_coverage(coverage)
        if task not in COVERED:
            raise ValueError(f"'coverage' of compare is for classes and numbers, not for task={task!r}.")
    frame = to_table(X, categorical_features, "compare")
    if frame is None:
        check_table(X, "X")
    # The coding sees no targets.
    coded: Any = X if frame is None else learn_encoder(frame).transform(frame)
    check_one_per_sample(y)
    check_integer(n_splits, "n_splits", "compare", least=2)
    check_integer(n_repeats, "n_repeats", "compare", least=1)
    check_consistent_length(coded, y)
    if n_jobs == 0:
        raise ValueError("n_jobs of compare must be a number of threads, or -1 for all, got 0.")
    chosen, skipped = estimators(methods, task, random_state, n_jobs, sparse.issparse(coded))
    name_of_baseline = ""
    if baseline:
        name_of_baseline, dummy = BASELINES[task]
        chosen.setdefault(name_of_baseline, dummy)
    targets: np.ndarray = column_or_1d(y)
    check_consistent_length(coded, targets)
    if task == "detection":
        check_detection_labels(targets)
    partition = Partition(groups, times, len(targets))
    splits = partition.outer(targets, task, n_splits, n_repeats, random_state)
    journal = {} if journal is None else journal
    errors = ERRORS[task] + (() if coverage is None else COVERED[task])
    n_numbers = 4 + len(errors)
    cells = np.full((n_numbers, len(chosen), len(splits)), np.nan)
    about = {"skipped": skipped, "score": SCORES[task], "baseline": name_of_baseline}
    done = 0, 0  # outer folds that all methods have done, and methods of the next one
    try:
        for s, split in enumerate(splits):
            inner = partition.inner(split[0], targets, task, random_state)
            for m, (name, estimator) in enumerate(chosen.items()):
                key = f"{name}/{s}" if coverage is None else f"{name}/{s}/{coverage:g}"
                if len(journal.get(key, ())) != n_numbers:  # a cell of an earlier version has no log-loss
                    if on_begin is not None:
                        on_begin(name, s)
                    rows = coded if frame is None else _as_taken(estimator, coded, frame, X)
                    how: Any = {"n_jobs": n_jobs, "inner": inner, "measure": MEASURES[task]}
                    journal[key] = nested_cell(estimator, rows, targets, *split, coverage=coverage, **how)
                cells[:, m, s] = np.array(journal[key], dtype=np.float64)  # None becomes NaN
                if callback is not None:
                    callback(name, s, cells[0, m, s])
                done = (s, m + 1) if m + 1 < len(chosen) else (s + 1, 0)
    except KeyboardInterrupt as stop:
        if done == (0, 0):
            raise
        # Whole folds; of the first fold, the methods that have done it.
        n_folds, n_methods = (done[0], len(chosen)) if done[0] else (1, done[1])
        part = _comparison(tuple(chosen)[:n_methods], cells[:, :n_methods, :n_folds], errors, **about)
        raise ComparisonStopped(part, len(splits)) from stop
    return _comparison(tuple(chosen), cells, errors, **about)


def _comparison(names: tuple[str, ...], cells: np.ndarray, errors: Sequence[str], **about: Any) -> Comparison:
    """The outcome from cells of shape (n_numbers, n_methods, n_splits)."""
    scores, seconds, cpu_seconds, n_machines = cells[:4]
    measured = dict(zip(errors, cells[4:], strict=True))
    if about["baseline"] not in names:  # which is the last method, and was not reached
        about["baseline"] = ""
    return Comparison(names, scores, seconds, cpu_seconds, n_machines, errors=measured, **about)


def _as_taken(estimator: Estimator, coded: np.ndarray, frame: Table, table: RowsLike) -> Any:
    """The rows as an estimator takes them: coded, or one of the two forms of the table."""
    if isinstance(estimator, TunedSVC | TunedSVR | TunedOneClassSVM):
        return frame
    is_own = isinstance(estimator, Pipeline) and isinstance(estimator[0], ColumnTransformer)
    return table if is_own else coded


class Partition:
    """How rows are parted; groups or times of the rows, of shape (n_samples,), or neither."""

    def __init__(self, groups: ArrayLike | None, times: ArrayLike | None, n_samples: int) -> None:
        if groups is not None and times is not None:
            raise ValueError("'groups' and 'times' of compare cannot be used together. Pass one of them.")
        self.groups = None if groups is None else read_groups(groups, n_samples, "compare")
        self.times = None if times is None else np.asarray(times)
        if self.times is not None and self.times.shape != (n_samples,):
            raise ValueError(f"'times' of compare must have one value for each of the {n_samples} samples.")

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent."""
        return self.groups is None and self.times is None

    def outer(self, y: np.ndarray, task: str, n_splits: int, n_repeats: int, random_state: int) -> Splits:
        """The outer folds; targets that they cannot be made of are refused."""
        is_classes = task != "regression"
        if not is_classes and len(y) < 2 * n_splits:
            raise ValueError(f"{n_splits} outer folds of a regression need at least {2 * n_splits} samples.")
        if self.is_plain:
            if is_classes:
                check_labels(y, len(y), min_per_class=n_splits)
            plain = RepeatedStratifiedKFold if is_classes else RepeatedKFold
            splitter = plain(n_splits=n_splits, n_repeats=n_repeats, random_state=random_state)
            return list(splitter.split(np.zeros(len(y)), y))
        if self.times is not None:
            if n_repeats > 1:
                raise ValueError("Folds in the order of time are always the same: 'n_repeats' must be 1.")
            order = np.argsort(self.times, kind="stable")
            return _checked(_in_time(order, n_splits), y, is_classes)
        assert self.groups is not None
        n_groups = len(np.unique(self.groups))
        if n_groups < n_splits:
            raise ValueError(f"{n_splits} outer folds are more than the {count(n_groups, 'group')}.")
        found: Splits = []
        for k in range(n_repeats):
            found += _of_groups(self.groups, y, is_classes, n_splits, random_state + k)
        return _checked(found, y, is_classes)

    def inner(self, train: np.ndarray, y: np.ndarray, task: str, random_state: int) -> Splits | None:
        """Folds of a training part, as positions in it, for methods that search; None for independent rows.

        The training part of a fold of time is in its order.
        """
        if self.is_plain:
            return None
        own = y[train]
        if self.times is not None:
            n_folds = min(N_INNER, len(train) - 1)
            splits = _in_time(np.arange(len(train)), n_folds)
        else:
            assert self.groups is not None
            groups = self.groups[train]
            n_folds = min(N_INNER, len(np.unique(groups)))
            if n_folds < 2:
                raise ValueError("The training part of an outer fold has only one group. Use more groups.")
            splits = _of_groups(groups, own, task == "classification", n_folds, random_state)
        if task == "classification":
            splits = [split for split in splits if len(np.unique(own[split[0]])) > 1]
            if not splits:
                raise ValueError(
                    "The inner folds of an outer fold train on samples of one class only. Use fewer outer "
                    "folds, or groups with several classes."
                )
        return splits


def _in_time(order: np.ndarray, n_splits: int) -> Splits:
    if n_splits >= len(order):
        raise ValueError(f"{n_splits} folds of time need more than {n_splits} samples, not {len(order)}.")
    splits = TimeSeriesSplit(n_splits).split(order)
    return [(order[train], order[test]) for train, test in splits]


def _of_groups(
    groups: np.ndarray, y: np.ndarray, is_classes: bool, n_splits: int, random_state: int
) -> Splits:
    kind = StratifiedGroupKFold if is_classes else GroupKFold
    splitter = kind(n_splits=n_splits, shuffle=True, random_state=random_state)
    return [split for split in splitter.split(np.zeros(len(y)), y, groups) if len(split[0]) and len(split[1])]


def _checked(splits: Splits, y: np.ndarray, is_classes: bool) -> Splits:
    for k, (train, _) in enumerate(splits):
        if is_classes and len(np.unique(y[train])) < 2:
            raise ValueError(
                f"The training part of outer fold {k} has one class only. Use fewer outer folds."
            )
    return splits


def check_detection_labels(y: np.ndarray) -> None:
    """Raise unless every row is labelled 1, usual, or −1, unusual, and both occur."""
    found = set(np.unique(y).tolist())
    if found != {-1, 1}:
        shown = ", ".join(map(repr, sorted(found, key=str)[:6]))
        raise ValueError(
            "The labels of compare(task='detection') must be 1 for usual rows and -1 for unusual ones, and "
            f"both must occur, got {shown}."
        )
