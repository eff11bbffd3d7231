"""The table of a tuned machine: every kernel and C that was scored, in scikit-learn's layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.estimators._cv_results import cv_results
from kernelwise.kernels import Kernel
from kernelwise.search.scored_kernel import KernelPath


def tabulate_paths(paths: list[KernelPath]) -> dict[str, Any]:
    """``cv_results_`` of all kernels and values of C, with four columns more.

    ``smoothed_test_score`` is what the choice went by: the mean over neighbouring values of C; ``n_support``
    the mean number of support vectors; ``scaled_C`` is C times the variance in feature space; ``reason`` says
    why the kernel was tried.
    """
    candidates = [params(path.kernel, C, path.epsilon) for path in paths for C in path.Cs]
    scores = np.concatenate([path.scores for path in paths])
    times = np.concatenate([np.full(path.scores.shape, path.seconds / path.scores.size) for path in paths])
    table = cv_results(
        candidates, {"fit_time": times, "score_time": np.zeros_like(times)}, {"score": scores}, {}
    )
    table["smoothed_test_score"] = np.concatenate([path.smoothed for path in paths])
    table["n_support"] = np.concatenate([path.n_support for path in paths])
    table["scaled_C"] = np.concatenate([path.Cs * path.variance for path in paths])
    table["reason"] = np.array([path.reason for path in paths for _ in path.Cs], dtype=object)
    return table


def params(kernel: Any, C: float, epsilon: float | None = None) -> dict[str, Any]:
    """A candidate: the kernel, C, ε of a regression, and the kernel's numbers by name."""
    numbers: dict[str, Any] = {}
    if isinstance(kernel, Kernel):
        numbers = {k: v for k, v in kernel.get_params().items() if isinstance(v, float | int)}
    tube = {} if epsilon is None else {"epsilon": epsilon}
    return {"kernel": kernel, **numbers, "C": float(C), **tube}


def place_of(paths: list[KernelPath], path: KernelPath, place: int) -> int:
    """Where a path's C stands in the table."""
    first = 0
    for other in paths:
        if other is path:
            return first + place
        first += len(other.Cs)
    raise LookupError("the path is not in the table")


def path_at(paths: list[KernelPath], row: int) -> tuple[KernelPath, int]:
    """The path and the place on it of a row of the table."""
    for path in paths:
        if row < len(path.Cs):
            return path, row
        row -= len(path.Cs)
    raise LookupError("the table has no such row")


def one_standard_error(results: dict[str, Any]) -> int:
    """Row of the simplest candidate whose score is within one standard error of the best.

    Simplest is the strongest regularisation: the smallest C times the variance in feature space.
    """
    best = int(np.argmax(results["smoothed_test_score"]))
    folds = np.array([results[f"split{k}_test_score"][best] for k in range(n_splits(results))])
    error = folds.std(ddof=1) / np.sqrt(len(folds))
    within = np.flatnonzero(results["smoothed_test_score"] >= results["smoothed_test_score"][best] - error)
    return int(within[np.argmin(results["scaled_C"][within])])


def n_splits(results: dict[str, Any]) -> int:
    """Number of folds in a table."""
    return sum(name.startswith("split") and name.endswith("_test_score") for name in results)
