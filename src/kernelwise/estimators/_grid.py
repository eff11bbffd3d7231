"""The work of a grid search: candidates in groups, folds in blocks, and every group on every block.

A group of candidates differs only in C and shares one path; the folds of a block share Gram matrices.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning

from kernelwise._core.labels import balanced_on, is_balanced, none_if_ones, weight_classes
from kernelwise._core.memory import MIB, usable_memory
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.text import meant
from kernelwise._core.threads import cached_property, one_blas_thread, threads
from kernelwise._core.typing import ClassWeight, MatrixLike, Samples, Transformer
from kernelwise._core.validation import check_choice, check_positive, check_samples
from kernelwise.estimators._routing import split_metadata
from kernelwise.estimators.kernel_argument import (
    SKLEARN_NAMES,
    KernelFunction,
    check_kernel_numbers,
    choose_kernel,
    is_plain_function,
    is_precomputed,
    takes_distances,
)
from kernelwise.kernels import Kernel, KernelLike
from kernelwise.kernels.gram import Grams, base_of
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.search import Classification, FoldProblem, PathScorer, fit_transformer
from kernelwise.solvers import SVMPath
from kernelwise.solvers.copies import Distinct, Training

DEFAULTS = {"C": 1.0, "gamma": "scale", "degree": 3, "coef0": 0.0}
KEYS = sorted({*DEFAULTS, "kernel", "class_weight"})
# Candidates that differ in a parameter their kernel does not use have one solution.
USED = {
    "rbf": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    PRECOMPUTED_DISTANCE: ("gamma",),
}


@dataclass
class Group:
    """Candidates with one kernel and one ``class_weight``: their indices in the grid, and C of each."""

    kernel: KernelLike | KernelFunction
    options: dict[str, Any]
    class_weight: ClassWeight
    indices: list[int] = field(default_factory=list)
    Cs: list[float] = field(default_factory=list)

    @property
    def depends_on_training(self) -> bool:
        """Whether the kernel takes something from the samples it is trained on."""
        if isinstance(self.kernel, str) and self.kernel in (*SKLEARN_NAMES, PRECOMPUTED_DISTANCE):
            return "gamma" in USED.get(self.kernel, ()) and isinstance(self.options["gamma"], str)
        return not self.is_given

    @property
    def is_given(self) -> bool:
        """Whether the kernel is a function or takes a matrix as it is, and needs no choosing."""
        return is_plain_function(self.kernel) or (
            is_precomputed(self.kernel) and self.kernel != PRECOMPUTED_DISTANCE
        )

    def kernel_on(
        self, X: Samples | None, y: np.ndarray | None, weight: np.ndarray | None
    ) -> Kernel | KernelFunction | str:
        """The kernel `SVC` would use with the training samples ``X``, their classes ``y`` and weights."""
        return self.kernel if self.is_given else choose_kernel(self.kernel, X, y, weight, **self.options)

    def __str__(self) -> str:
        used = USED.get(self.kernel, ()) if isinstance(self.kernel, str) else ()
        return " ".join([str(self.kernel), *(f"{name}={self.options[name]}" for name in used)])


def check_grid(grid: Any) -> dict[str, Any] | Sequence[dict[str, Any]]:
    """What scikit-learn's ParameterGrid takes: a dict, or several; raises for anything else."""
    grids = [grid] if isinstance(grid, dict) else grid
    is_list = isinstance(grids, list | tuple) and len(grids) > 0
    if not is_list or not all(isinstance(one, dict) for one in grids):
        raise ValueError(
            "'param_grid' of GridSearchSVC must be a dict from parameters to lists of values, or a list of "
            f"such dicts, got {grid!r}."
        )
    return grid


def group_candidates(
    candidates: Iterable[dict[str, Any]], kernel: KernelLike | KernelFunction, class_weight: ClassWeight
) -> list[Group]:
    """Group the candidates of a grid, in the order in which the groups first appear.

    A candidate has keys among ``KEYS``; what is missing has scikit-learn's default, but for the kernel and
    the class weight given here.
    """
    groups: dict[Hashable, Group] = {}
    for index, params in enumerate(candidates):
        unknown = sorted(set(params) - set(KEYS))
        if unknown:
            plain = unknown[0].rpartition("__")[2]
            advice = meant(unknown[0], KEYS).strip() or "Pass other settings to its constructor."
            if plain in KEYS:  # "svc__C", as for a Pipeline
                advice = (
                    f"Write {plain!r}: there is no Pipeline around the SVC (scaler= scales the features)."
                )
            raise ValueError(
                f"GridSearchSVC cannot search over {unknown[0]!r}, only over {', '.join(KEYS)}. {advice}"
            )
        options = {**DEFAULTS, "kernel": kernel, "class_weight": class_weight, **params}
        C, chosen, weights = (options.pop(name) for name in ("C", "kernel", "class_weight"))
        check_positive(C, "C", "GridSearchSVC")
        check_kernel_numbers(**options, owner="GridSearchSVC")
        if not isinstance(weights, dict) and weights is not None:
            check_choice(weights, "class_weight", "GridSearchSVC", ("balanced",))
        by_name = isinstance(chosen, str)
        used = tuple(options[name] for name in USED.get(chosen, ())) if by_name else ()
        key = chosen if by_name else id(chosen), used, id(weights) if isinstance(weights, dict) else weights
        if key not in groups:
            groups[key] = Group(chosen, options, weights)
            if not groups[key].depends_on_training:
                groups[key].kernel_on(None, None, None)  # refuse a bad parameter before any work
        groups[key].indices.append(index)
        groups[key].Cs.append(float(C))
    return list(groups.values())


class Fold(NamedTuple):
    """Rows of a block to train on and rows whose decision values are wanted."""

    number: int
    train: np.ndarray
    held: np.ndarray


@dataclass
class Block:
    """Samples with their class indices, weights, and the folds among them.

    ``targets`` are the class indices that machines learn: those of ``y``, but for classes that have no weight
    in the training part, of which nothing can be learned. ``is_gram`` says that X is a matrix of kernel
    values or distances. ``paths_on_identity`` are, by values of C and weights, the paths of kernels too
    narrow for any two samples: all of them have the same Gram matrix, the identity.
    """

    X: Samples
    y: np.ndarray
    targets: np.ndarray
    weight: np.ndarray
    folds: list[Fold]
    is_gram: bool = False
    paths_on_identity: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def distinct(self) -> Distinct:
        """The rows that machines are trained on: copies of a row with one target are one."""
        return Distinct.of(self.X, self.targets, self.is_gram)

    def check_weights(self, fold: Fold, classes: np.ndarray) -> None:
        """Raise unless rows of two classes have a positive weight in the training part of a fold."""
        present = self._trained[fold.number]
        if not present.size:
            raise ValueError(
                f"All training rows of fold {fold.number} have weight zero. Give some of them a positive "
                "weight, or use other folds."
            )
        if present.size == 1:
            raise ValueError(
                f"The training part of fold {fold.number} has only one class, not counting rows of weight "
                f"zero: {classes.tolist()[present[0]]!r}. Use stratified or fewer folds."
            )

    @cached_property
    def _trained(self) -> dict[int, np.ndarray]:
        """The classes that have a weight in the training part of each fold, by its number."""
        is_weighted = self.weight > 0
        return {fold.number: np.unique(self.y[fold.train[is_weighted[fold.train]]]) for fold in self.folds}

    def by_kernel(self, group: Group) -> list[tuple[Any, list[Fold]]]:
        """Kernels of the group with their folds: one for all unless it depends on the training part."""
        if not group.depends_on_training:
            return [(group.kernel_on(None, None, None), self.folds)]
        kernels: list[tuple[Any, list[Fold]]] = []
        for fold in self.folds:
            train = fold.train
            X = self.X[train]
            X = X[:, train] if takes_distances(group.kernel) else X
            kernel = group.kernel_on(X, self.y[train], self.weight[train])
            for other, members in kernels:
                if kernel == other:
                    members.append(fold)
                    break
            else:
                kernels.append((kernel, [fold]))
        return kernels

    def batches(
        self, folds: list[Fold], class_weight: ClassWeight, classes: np.ndarray
    ) -> list[tuple[np.ndarray, list[Fold]]]:
        """Folds that hold out no sample twice, with their sample weights, of shape (n_folds, n_samples)."""
        batches: list[tuple[np.ndarray, list[Fold]]] = []
        for fold in folds:
            for used, members in batches:
                if not used[fold.held].any():
                    used[fold.held] = True
                    members.append(fold)
                    break
            else:
                used = np.zeros(self.y.size, dtype=bool)
                used[fold.held] = True
                batches.append((used, [fold]))
        return [
            (np.stack([self._weight(fold, class_weight, classes) for fold in members]), members)
            for _, members in batches
        ]

    def _weight(self, fold: Fold, class_weight: ClassWeight, classes: np.ndarray) -> np.ndarray:
        if class_weight is None:
            return self.weight
        if is_balanced(class_weight):
            return self.weight * balanced_on(fold.train, self.y, self.weight)
        present = np.unique(self.y[fold.train])
        factors = np.zeros(classes.size)
        factors[present] = weight_classes(class_weight, classes[present], classes[self.y[fold.train]])
        return self.weight * factors[self.y]


def plan_blocks(
    X: Samples,
    y: np.ndarray,
    weight: np.ndarray,
    splits: list[tuple[np.ndarray, np.ndarray]],
    scaler: Transformer | None = None,
    with_train: bool = False,
    is_gram: bool = False,
) -> Iterator[Block]:
    """Put ordinary folds into one block of all samples, and each of the others into a block of its own.

    A fold is ordinary if its parts are disjoint, no sample repeats, all classes are there to train on, it
    needs no scaling of its own and no training scores. The block of any other fold has its training part and
    then the rows to be held out, as new rows: such a row may be a training sample, too. X may be the Gram
    matrix, ``y`` are class indices, the scaler is fitted to the training part of each fold, and
    ``with_train`` holds out the test part followed by the training part, for training scores.
    """
    n_classes = int(y.max()) + 1
    folds = [Fold(number, train, test) for number, (train, test) in enumerate(splits)]
    alone = scaler is not None or with_train
    shared = [] if alone else [fold for fold in folds if _is_ordinary(fold, y, weight, n_classes)]
    if shared:
        yield Block(X, y, y, weight, shared, is_gram)
    numbers = {fold.number for fold in shared}
    for fold in folds:
        if fold.number not in numbers:
            yield _own_block(fold, X, y, weight, scaler, with_train, is_gram)


def _is_ordinary(fold: Fold, y: np.ndarray, weight: np.ndarray, n_classes: int) -> bool:
    times = np.bincount(fold.train, minlength=y.size)
    trained = np.unique(y[fold.train[weight[fold.train] > 0]])
    repeats = np.bincount(fold.held, minlength=y.size).max() > 1
    return times.max() == 1 and not times[fold.held].any() and trained.size == n_classes and not repeats


def _own_block(
    fold: Fold,
    X: Samples,
    y: np.ndarray,
    weight: np.ndarray,
    scaler: Transformer | None,
    with_train: bool,
    is_gram: bool,
) -> Block:
    train = fold.train
    rows = np.concatenate([train, fold.held, train] if with_train else [train, fold.held])
    Z = X[np.ix_(rows, rows)] if is_gram else X[rows]
    if scaler is not None:
        own = fit_transformer(clone(scaler), X[train], y[train], none_if_ones(weight[train]))
        Z = check_samples(own.transform(Z))
    labels = y[rows]
    # The class of a held-out row plays no part in training, and may be absent from it.
    labels[train.size :] = labels[0]
    targets = labels.copy()
    with_weight = labels[: train.size][weight[train] > 0]
    if with_weight.size:
        targets[~np.isin(labels, with_weight)] = with_weight[0]
    everyone = np.arange(rows.size)
    alone = Fold(fold.number, everyone[: train.size], everyone[train.size :])
    return Block(Z, labels, targets, weight[rows], [alone], is_gram)


class Cell(NamedTuple):
    """Outcome of one group on one fold: scores of shape (n_Cs,) by metric, or why there are none."""

    group: int
    fold: int
    test: dict[str, np.ndarray]
    train: dict[str, np.ndarray]
    fit_time: float
    score_time: float
    error: str | None


@dataclass
class Job:
    """What does not change from candidate to candidate.

    ``samples`` are as the user passed them, for scorers; ``score_weights``, of shape (n_samples,), are by
    name of the scorers that take them, and ``metadata`` is what scikit-learn routes to them; ``settings`` are
    ``tol`` and ``max_iter``. With ``with_train`` the held-out rows of a fold are its test part followed by
    its training part.
    """

    samples: MatrixLike
    y: np.ndarray
    classes: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]
    scorer: PathScorer
    score_weights: dict[str, np.ndarray]
    metadata: dict[str, dict[str, Any]]
    family: Classification
    settings: dict[str, Any]
    with_train: bool
    error_score: float | str

    def cells(self, g: int, group: Group, block: Block, grams: Grams, n_jobs: int) -> list[Cell]:
        """Solve and score one group on the folds of one block."""
        cells = []
        for kernel, folds in block.by_kernel(group):
            started = time.perf_counter()
            with grams.gram(kernel) as K:
                is_alone = _is_identity(K)
                for weight, batch in block.batches(folds, group.class_weight, self.classes):
                    pairs = [(fold.train, fold.held) for fold in batch]
                    training = block.distinct.training(weight, pairs)
                    try:
                        for fold in batch:
                            block.check_weights(fold, self.classes)
                        key = (*group.Cs, weight.tobytes()) if is_alone else None
                        path = block.paths_on_identity.get(key)
                        if path is None:
                            path = self._path(K, block.distinct.targets, group.Cs, training, n_jobs)
                        if is_alone:
                            block.paths_on_identity[key] = path
                    except ValueError as error:
                        if self.error_score == "raise":
                            raise
                        cells += [Cell(g, fold.number, {}, {}, 0.0, 0.0, str(error)) for fold in batch]
                        continue
                    share = (time.perf_counter() - started) / len(batch) / len(group.Cs)
                    classes = self.classes[path.classes]
                    for fold, held in zip(batch, training.answers, strict=True):
                        cells.append(self._scored(g, fold, path.decision[:, held], classes, share))
                    started = time.perf_counter()
        return cells

    def _path(
        self, K: np.ndarray, y: np.ndarray, Cs: list[float], training: Training, n_jobs: int
    ) -> SVMPath:
        weight, folds, places, *_ = training
        settings = {**self.settings, "n_jobs": n_jobs}
        problem = FoldProblem(None, y, weight, folds, self.family, settings, places)
        solved = problem.solve(K, np.asarray(Cs))
        solved.warn(self.settings["tol"])
        return solved.path

    def _scored(self, g: int, fold: Fold, decision: np.ndarray, classes: np.ndarray, fit_time: float) -> Cell:
        started = time.perf_counter()
        train, test = self.splits[fold.number]
        if any(not weight[test].any() for weight in self.score_weights.values()):
            message = f"All test rows of fold {fold.number} have weight zero, so the fold has no score."
            if self.error_score == "raise":
                raise ValueError(message)
            return Cell(g, fold.number, {}, {}, fit_time, 0.0, message)
        scores = self._scores(test, decision[:, : test.size], classes)
        seconds = (time.perf_counter() - started) / len(decision)
        train_scores = self._scores(train, decision[:, test.size :], classes) if self.with_train else {}
        return Cell(g, fold.number, scores, train_scores, fit_time, seconds, None)

    def _scores(self, rows: np.ndarray, decision: np.ndarray, classes: np.ndarray) -> dict[str, np.ndarray]:
        weights = {name: weight[rows] for name, weight in self.score_weights.items()}
        metadata = {}
        for name, params in self.metadata.items():
            columns, others = split_metadata(params, len(self.y))
            metadata[name] = {**{key: column[rows] for key, column in columns.items()}, **others}
        return self.scorer(
            decision, classes, lambda: safe_indexing(self.samples, rows), self.y[rows], weights, metadata
        )


def run(
    job: Job, groups: list[Group], blocks: Iterable[Block], n_jobs: int, memory_limit: float, verbose: int
) -> Iterator[Cell]:
    """Every group on every block; the groups of a block are shared out to threads."""
    for block in blocks:
        bases = {
            base for group in groups for kernel, _ in block.by_kernel(group) if (base := base_of(kernel))
        }
        workers = _workers(min(n_jobs, len(groups)), len(block.distinct), len(bases), memory_limit)
        grams = Grams(block.distinct.X, bases, workers)
        inner = n_jobs if workers == 1 else 1
        # One BLAS thread, set here: paths that set and restore it side by side would undo each other's limit.
        with one_blas_thread():
            done = threads(workers, return_as="generator")(
                delayed(job.cells)(g, group, block, grams, inner) for g, group in enumerate(groups)
            )
            for k, cells in enumerate(done, 1):
                yield from cells
                if verbose > 0:
                    print(
                        f"[{k}/{len(groups)}] {groups[k - 1]}: {len(block.folds)} folds done", file=sys.stderr
                    )


def _is_identity(K: np.ndarray) -> bool:
    """Whether the kernel is so narrow that no two samples have anything in common, to the last bit."""
    if K[0, 1:].any():  # nearly always
        return False
    return bool(np.count_nonzero(K) == len(K) and (np.diagonal(K) == 1.0).all())


def _workers(wanted: int, n: int, n_bases: int, memory_limit: float) -> int:
    """Threads whose Gram matrices fit beside the shared matrices, into the limit and into what there is."""
    matrix = 8 * n * n / MIB
    fit = int(memory_limit / matrix - n_bases)
    if fit < 1:
        raise ValueError(
            f"The search needs {n_bases + 1} matrices of {n} × {n}, {matrix * (n_bases + 1):.0f} MiB, more "
            f"than memory_limit={memory_limit:g}. Raise memory_limit, or search on fewer samples."
        )
    if wanted == 1:  # what the system has need not be asked
        return 1
    return int(max(1, min(wanted, fit, usable_memory() / MIB / matrix - n_bases)))


def tabulate(
    cells: list[Cell], groups: list[Group], n_splits: int, error_score: float | str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Times, test scores and training scores as tables of shape (n_candidates, n_splits) by name."""
    _report_failures(cells, groups, error_score)
    n_candidates = sum(len(group.indices) for group in groups)
    shape = n_candidates, n_splits
    times = {"fit_time": np.zeros(shape), "score_time": np.zeros(shape)}
    test: dict[str, np.ndarray] = {}
    train: dict[str, np.ndarray] = {}
    for cell in cells:
        indices = groups[cell.group].indices
        times["fit_time"][indices, cell.fold] = cell.fit_time
        times["score_time"][indices, cell.fold] = cell.score_time
        for table, scores in ((test, cell.test), (train, cell.train)):
            for metric, values in scores.items():
                if metric not in table:
                    table[metric] = np.full(
                        shape, np.nan if error_score == "raise" else error_score, dtype=float
                    )
                table[metric][indices, cell.fold] = values
    return times, test, train


def _report_failures(cells: list[Cell], groups: list[Group], error_score: float | str) -> None:
    """Warn of the fits that failed, or raise if all did."""
    failed: Counter[str] = Counter()
    for cell in cells:
        if cell.error is not None:
            failed[cell.error] += len(groups[cell.group].Cs)
    if not failed:
        return
    total = sum(len(groups[cell.group].Cs) for cell in cells)
    reasons = " ".join(f"{count} fits: {reason}" for reason, count in failed.items())
    if failed.total() == total:
        raise ValueError(f"All the {total} fits failed. {reasons}")
    warnings.warn(
        f"{failed.total()} fits failed out of a total of {total}. Their scores are set to {error_score}; "
        f"error_score='raise' stops at the first. {reasons}",
        FitFailedWarning,
        stacklevel=4,
    )
