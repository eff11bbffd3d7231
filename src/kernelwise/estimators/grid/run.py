"""The work of a grid search: every group of candidates on every block of folds."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from sklearn.exceptions import FitFailedWarning

from kernelwise._core.memory import MIB, usable_memory
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import one_blas_thread, threads
from kernelwise.estimators._routing import split_metadata
from kernelwise.estimators.grid.blocks import Block, Fold
from kernelwise.estimators.grid.candidates import Group
from kernelwise.kernels.gram import Grams, base_of
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.families.classification import Classification
from kernelwise.search.scoring.scorers import PathScorer
from kernelwise.solvers import SVMPath
from kernelwise.solvers.copies import Training


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

    samples: Any
    y: np.ndarray
    classes: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]
    scorer: PathScorer
    score_weights: dict[str, np.ndarray]
    metadata: dict[str, dict[str, Any]]
    family: Classification
    settings: dict[str, Any]
    with_train: bool
    error_score: Any

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

    def _path(self, K: np.ndarray, y: np.ndarray, Cs: Any, training: Training, n_jobs: int) -> SVMPath:
        weight, folds, places, *_ = training
        settings = {**self.settings, "n_jobs": n_jobs}
        problem = FoldProblem(None, y, weight, folds, self.family, settings, places)
        solved = problem.solve(K, Cs)
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
    cells: list[Cell], groups: list[Group], n_splits: int, error_score: Any
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


def _report_failures(cells: list[Cell], groups: list[Group], error_score: Any) -> None:
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
