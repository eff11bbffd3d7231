"""Cross-validation of C: held-out decision values for every C and fold from one Gram matrix."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.memory import check_gram_memory, check_memory
from kernelwise._core.threads import cached_property, number_of_threads, threads
from kernelwise._core.validation import check_choice, check_gram, check_labels, check_positive, check_weights
from kernelwise.multiclass import order_by_class, two_class_machines, vote
from kernelwise.solvers.copies import Distinct, Shares, copies_that_pay, in_order, renumbered, trained_weights
from kernelwise.solvers.dual import LOSSES
from kernelwise.solvers.fold_path import Fold, Solved
from kernelwise.solvers.path_problem import PathProblem, PathsSolved, Places, Tables, warn_of_worst

#: Rows of K that are copied at a time.
BLOCK = 64
#: Times that decision values are in memory before labels or probabilities are made of them.
COPIES = 2.0


@dataclass(frozen=True)
class SVMPath:
    """Held-out decision values for a series of values of C.

    Attributes
    ----------
    decision : ndarray of shape (n_Cs, n_samples), or (n_Cs, n_samples, n_machines) for more than two classes
        Signs and order as in scikit-learn: positive means ``classes[1]`` for two classes, the first class of
        the pair for one against one ((0, 1), (0, 2), …), the class itself for one against the rest. NaN where
        a sample was never held out.
    n_support, n_bounded : ndarray of shape (n_Cs, n_folds, n_machines)
        Support vectors, and those of them at their upper bound.
    objective : ndarray of shape (n_Cs, n_folds, n_machines)
        LIBSVM's dual objective ½ βᵀKβ − yᵀβ.
    n_iter : ndarray of shape (n_Cs, n_folds, n_machines)
        Pair steps; 0 where the solution of a smaller C, free of bounded support vectors, still holds.
    converged : ndarray of shape (n_Cs, n_folds, n_machines)
    seconds : float
    classes, Cs : ndarray
    strategy : str
    last : list of lists of Solved
        By fold and machine: where `svm_path` with ``after=`` continues.
    members : list of ndarray
        Of each machine: the samples that the coefficients of its solutions belong to.
    is_single : bool
        Whether the kernel values were in single precision, as a search has them of many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from kernelwise.solvers import svm_path
    >>> X, y = load_iris(return_X_y=True)
    >>> path = svm_path(X @ X.T, y, [0.1, 1.0], StratifiedKFold(5).split(X, y))
    >>> path.decision.shape, path.n_support.shape  # two values of C, five folds, three pairs of classes
    ((2, 150, 3), (2, 5, 3))
    """

    decision: np.ndarray
    n_support: np.ndarray
    n_bounded: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray
    seconds: float
    classes: np.ndarray
    Cs: np.ndarray
    strategy: str
    last: list[list[Solved]] = field(repr=False)
    members: list[np.ndarray] = field(default_factory=list, repr=False)
    is_single: bool = False


def svm_path(
    K: ArrayLike,
    y: ArrayLike,
    Cs: ArrayLike,
    folds: Iterable[tuple[Any, Any]],
    *,
    sample_weight: ArrayLike | None = None,
    strategy: str = "ovo",
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
    callback: Callable[[int, int], None] | None = None,
    after: SVMPath | None = None,
    loss: str = "hinge",
) -> SVMPath:
    """Train support vector machines for many values of C on the training part of every fold.

    Each fold goes through C in increasing order from warm starts, and is finished, exactly, at the first C
    for which no support vector is bounded: no larger C changes that solution. Where many samples are copies
    of others (equal rows of K and equal labels), the copies are trained on as one sample with the sum of
    their weights, and share its coefficient by weight.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Gram matrix of all samples, float64 or float32.
    y : array of shape (n_samples,)
    Cs : array of shape (n_Cs,)
        In any order.
    folds : iterable of (train, test) index arrays
        As from ``cv.split(X, y)``; no sample may be in two test parts.
    sample_weight : array of shape (n_samples,) or (n_folds, n_samples), default=None
        The bound of sample i is C·w_i. A row for each fold gives weights that differ from fold to fold, such
        as those that balance the classes of each training part.
    strategy : {"ovo", "ovr"}, default="ovo"
        How more than two classes are split into two-class machines.
    tol, max_iter : float, int
        As in `solve_svm_dual`, for each machine.
    n_jobs : int, default=None
        Number of threads, under every backend of joblib. Results do not depend on it.
    callback : callable, default=None
        Called as ``callback(done, total)`` after each machine of each fold.
    after : SVMPath, default=None
        A path with the same K, y, weights, folds, strategy and loss, to continue from with larger values of
        C.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        As in `solve_svm_dual`. Only the hinge loss has bounded support vectors; with the other losses a
        machine is solved for every C.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import path_predictions, svm_path
    >>> X, y = load_iris(return_X_y=True)
    >>> K, folds = RBF(0.1)(X), list(StratifiedKFold(5).split(X, y))
    >>> path = svm_path(K, y, [0.01, 1.0], folds)
    >>> (path_predictions(path) == y).mean(axis=1).round(3).tolist()
    [0.913, 0.98]

    More values of C continue where the path ended:

    >>> svm_path(K, y, [1000.0], folds, after=path).decision.shape
    (1, 150, 3)
    """
    started = time.perf_counter()
    K = np.ascontiguousarray(check_gram(K, may_be_distances=True))
    classes, index = check_labels(y, K.shape[0])
    check_positive(tol, "tol", "svm_path")
    check_choice(loss, "loss", "svm_path", LOSSES)
    Cs = check_Cs(Cs)
    splits, weight = check_folds(folds, index, sample_weight, classes)
    how: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "n_jobs": n_jobs, "callback": callback}
    distinct = copies_that_pay(K, index, weight, float(Cs.max()), tol)
    if distinct is not None and (after is None or len(after.last) == len(splits)):
        path, tables = _solve_distinct(distinct, splits, weight, Cs, after, strategy, loss, how)
    else:
        paths = ClassPaths(classes, index, splits, weight, strategy, loss=loss)
        path, tables = paths.solve(K, Cs, after=after, **how)
    warn_of_worst(tables, tol)
    return replace(path, classes=classes, seconds=time.perf_counter() - started)


@dataclass(frozen=True, eq=False)
class ClassPaths:
    """The machines of classes on folds, prepared for one Gram matrix after the other: `svm_path` unchecked.

    ``index`` has the class index of each sample, ``weight`` the weights in each fold, of shape (n_folds,
    n_samples). With ``places`` the folds are free: a sample may be held out several times, and decision
    values have the shape (n_Cs, n_held, …). A class may be missing from a training part then, and is never
    answered by its machines. ``counts``, of shape (n_folds, n_samples), says how many samples each sample
    stands for where support vectors are counted.
    """

    classes: np.ndarray
    index: np.ndarray
    splits: list[Fold]
    weight: np.ndarray
    strategy: str = "ovo"
    places: Places | None = None
    loss: str = "hinge"
    counts: np.ndarray | None = None

    @cached_property
    def order(self) -> np.ndarray | None:
        """Samples in the order in which the members of machines stand together; None if they do already."""
        if len(self.classes) < 3:
            return None
        order = order_by_class(self.index, [test for _, test in self.splits])
        return order if (np.diff(order) < 0).any() else None

    @cached_property
    def problem(self) -> PathProblem:
        """The machines, which are the same for all Gram matrices."""
        places = self.places or Places([test for _, test in self.splits], self.index.size)
        index, splits, weight, counts = self.index, self.splits, self.weight, self.counts
        if self.order is not None:
            new = np.argsort(self.order)
            index, splits = index[self.order], [(new[train], new[test]) for train, test in splits]
            weight, counts = weight[:, self.order], None if counts is None else counts[:, self.order]
        machines = two_class_machines(index, len(self.classes), self.strategy)
        return PathProblem(machines, splits, places, weight, loss=self.loss, counts=counts)

    def solve(
        self,
        K: np.ndarray,
        Cs: np.ndarray,
        *,
        after: SVMPath | None = None,
        only: int | None = None,
        n_jobs: int | None = None,
        **how: Any,
    ) -> tuple[SVMPath, Tables]:
        """The path of one Gram matrix, and tables of shape (n_Cs, n_folds, n_machines); no warnings.

        All else is as in `PathProblem.solve`. What warnings would be about is in the tables.
        """
        started = time.perf_counter()
        # Beside K: a copy by classes, and for each thread the part of a machine and that in single precision.
        share = (self.problem.most / len(K)) ** 2
        n_threads = min(number_of_threads(n_jobs), 1 if only is not None else len(self.splits))
        n_copies = (self.order is not None) + n_threads * (1.5 * share if share < 1.0 else 0.5)
        check_gram_memory(n_copies, len(K), itemsize=K.dtype.itemsize)
        n_machines, n_held = len(self.problem.machines), self.problem.places.n
        check_memory(
            COPIES * 8.0 * len(Cs) * n_machines * n_held,
            f"The decision values of {n_machines} two-class models ({len(self.classes)} classes) for "
            f"{n_held} samples",
            "Use 'ovr', which has one model for each class and not for each pair, or fewer classes.",
        )
        members = [machine.members for machine in self.problem.machines]
        if self.order is not None:
            K, members = reordered(K, self.order, n_jobs), [self.order[own] for own in members]
        start = None if after is None else in_order(after, members, len(K))
        solved = self.problem.solve(K, Cs, after=start, only=only, n_jobs=n_jobs, **how)
        if self.strategy == "ovr" and len(self.classes) > 2 and self.places is not None:
            for fold in range(len(self.splits)) if only is None else [only]:
                is_known = np.isin(np.arange(len(self.classes)), self.index[self.splits[fold][0]])
                _sink(solved.decision, self.places.by_fold[fold], is_known)
        return as_path(solved, started, self.classes, Cs, self.strategy, members), solved.tables


def _solve_distinct(
    distinct: Distinct,
    splits: list[Fold],
    weight: np.ndarray,
    Cs: np.ndarray,
    after: SVMPath | None,
    strategy: str,
    loss: str,
    how: dict[str, Any],
) -> tuple[SVMPath, Tables]:
    """The path of all samples by that of the distinct ones.

    ``distinct`` has the Gram matrix and, as targets, class indices; the classes of the path are these.
    """
    assert distinct.row_of is not None
    n, training = distinct.row_of.size, distinct.training(weight, splits)
    shares = [Shares(distinct.row_of, used) for used in trained_weights(weight, splits)]
    start, has_bounds = None, loss == "hinge"
    if after is not None:
        start = renumbered(after, [partial(share.of_rows, has_bounds=has_bounds) for share in shares])
    paths = ClassPaths(
        np.unique(distinct.targets),
        distinct.targets,
        training.folds,
        training.weight,
        strategy,
        training.places,
        loss,
        training.counts,
    )
    path, tables = paths.solve(distinct.X, Cs, after=start, **how)
    decision = np.full((Cs.size, n, *path.decision.shape[2:]), np.nan)
    for (_, test), answers in zip(splits, training.answers, strict=True):
        decision[:, test] = path.decision[:, answers]
    shared = renumbered(path, [partial(share.of_samples, has_bounds=has_bounds) for share in shares])
    return replace(shared, decision=decision), tables


def reordered(K: np.ndarray, order: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """K with its rows and columns in this order, some rows at a time: they stay in the cache."""
    found = np.empty_like(K)

    def fill(first: int) -> None:
        block = slice(first, first + BLOCK)
        np.take(K[order[block]], order, axis=1, out=found[block], mode="clip")

    threads(n_jobs)((fill, (first,), {}) for first in range(0, len(K), BLOCK))
    return found


def _sink(decision: np.ndarray, place: np.ndarray, is_known: np.ndarray) -> None:
    """Put the values of classes that a fold does not know, in place, below those of all others."""
    if not is_known.all():
        values = decision[:, place]
        values[..., ~is_known] = np.minimum(values[..., is_known].min(axis=-1, keepdims=True), 0.0) - 1.0
        decision[:, place] = values


def as_path(
    solved: PathsSolved,
    started: float,
    classes: np.ndarray,
    Cs: np.ndarray,
    strategy: str,
    members: list[np.ndarray],
) -> SVMPath:
    """The result of a path that was begun at ``started`` by the clock `time.perf_counter`."""
    decision = solved.decision
    return SVMPath(
        decision=decision[:, :, 0] if decision.shape[2] == 1 else decision,
        **{name: table for name, table in solved.tables.items() if name in SVMPath.__dataclass_fields__},
        seconds=time.perf_counter() - started,
        classes=classes,
        Cs=Cs,
        strategy=strategy,
        last=solved.last,
        members=members,
        is_single=False,  # whoever made K in single precision says so
    )


def path_predictions(path: SVMPath) -> np.ndarray:
    """Return held-out labels of shape (n_Cs, n_samples), by scikit-learn's rules.

    Parameters
    ----------
    path : SVMPath
        Whose folds held out every sample.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import path_predictions, svm_path
    >>> X, y = np.array([[-2.0], [2.0], [-1.0], [1.0]]), ["a", "b", "a", "b"]
    >>> path = svm_path(X @ X.T, y, [1.0], [([0, 1], [2, 3]), ([2, 3], [0, 1])])
    >>> path_predictions(path).tolist()
    [['a', 'b', 'a', 'b']]
    """
    return vote(path.decision, path.classes, path.strategy)


def check_Cs(Cs: ArrayLike) -> np.ndarray:
    """The values of C, positive and finite, as an array of shape (n_Cs,)."""
    try:
        values = np.atleast_1d(np.asarray(Cs, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(f"'Cs' of svm_path must be a list of positive floats, got {Cs!r}.") from error
    if values.ndim != 1 or values.size == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"'Cs' of svm_path must be a list of positive floats, got {values.tolist()!r}.")
    return values


def check_folds(
    folds: Iterable[tuple[Any, Any]],
    index: np.ndarray,
    sample_weight: ArrayLike | None,
    classes: np.ndarray,
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Folds as integer indices, and the weights in each of them, of shape (n_folds, n_samples).

    All classes must be in each training part, and no sample in two test parts.
    """
    splits = check_disjoint(folds, index.size)
    weight = _weights_by_fold(sample_weight, len(splits), index.size)
    check_trained(splits, index, weight, classes, n_needed=len(classes))
    return splits, weight


def check_trained(
    splits: list[tuple[np.ndarray, np.ndarray]],
    index: np.ndarray,
    weight: np.ndarray,
    classes: np.ndarray,
    n_needed: int = 2,
) -> None:
    """Refuse folds whose training part has weights of fewer classes than are needed."""
    for k, (train, _) in enumerate(splits):
        totals = np.bincount(index[train], weights=weight[k, train], minlength=len(classes))
        if np.count_nonzero(totals) < n_needed:
            missing = classes.tolist()[int(totals.argmin())]
            raise ValueError(
                f"The training part of fold {k} has no sample of class {missing!r}. "
                "Use stratified or fewer folds."
            )


def _weights_by_fold(sample_weight: ArrayLike | None, n_folds: int, n_samples: int) -> np.ndarray:
    if sample_weight is None or np.ndim(sample_weight) != 2:
        return np.broadcast_to(check_weights(sample_weight, n_samples), (n_folds, n_samples))
    rows = np.asarray(sample_weight)
    if len(rows) != n_folds:
        raise ValueError(
            f"sample_weight has {len(rows)} rows, but there are {n_folds} folds. Pass one row of "
            "weights for each fold, or one weight per sample."
        )
    return np.stack([check_weights(row, n_samples) for row in rows])


def check_disjoint(folds: Iterable[tuple[Any, Any]], n_samples: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds as integer indices, with disjoint parts and no sample in two test parts."""
    everyone = np.arange(n_samples)
    splits = [(everyone[train], everyone[test]) for train, test in folds]
    if not splits:
        raise ValueError("'folds' of svm_path is empty. Pass (train, test) pairs as from cv.split(X, y).")
    times = np.zeros(n_samples, int)
    for k, (train, test) in enumerate(splits):
        is_used = np.zeros(n_samples, bool)
        is_used[train] = True
        if is_used[test].any():
            raise ValueError(f"Fold {k} has samples in its training and its test part. Pass disjoint parts.")
        times += np.bincount(test, minlength=n_samples)
    if times.max() > 1:
        raise ValueError(
            f"Sample {int(times.argmax())} is held out {times.max()} times. "
            "For repeated cross-validation call svm_path once for each repetition."
        )
    return splits
