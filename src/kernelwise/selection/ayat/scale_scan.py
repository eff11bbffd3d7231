"""A search that looks at the kernel at many scales first, and what to take of the points it met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kernelwise.kernels import Kernel
from kernelwise.optimizers import Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import History, TuningResult

#: Factors of squared inputs: kernels up to 64 times as wide and 4 times as narrow, in steps of 2.
FACTORS = 4.0 ** np.arange(-6, 3)
#: Factors of C, each at all scales.
C_FACTORS = (1.0, 10.0)
CHOICES = ("lowest", "fewest")


def choose_row(rows: Iterable[dict[str, Any]], choose: str, majority: float = 0.0) -> dict[str, Any]:
    """Choose the point of a search to use, as a row of its history: that of the lowest cost ("lowest").

    Or, for "fewest", that with the fewest support vectors among the costs within one standard error of the
    lowest (of equally many, the lowest cost); rows then have "standard_error" and "n_support".

    Machines that are right on a smaller share of the validation set than ``majority`` are passed over, if
    there are others: E goes by a sigmoid whose threshold need not be zero, and a label by the sign.
    """
    rows = list(rows)
    rows = [row for row in rows if is_as_good(row, majority)] or rows
    lowest = min(rows, key=lambda row: row["value"])
    if choose == "lowest":
        return lowest
    limit = lowest["value"] + lowest["standard_error"]
    as_good = [row for row in rows if row["value"] <= limit]
    return min(as_good, key=lambda row: (row["n_support"], row["value"]))


def is_as_good(row: dict[str, Any], majority: float) -> bool:
    """Whether the machine of a point is right on the validation set at least as often as ``majority``."""
    return bool(1.0 - row.get("validation_error", 0.0) >= majority - 1e-9)


def can_scan(kernel: Kernel) -> bool:
    """Whether a scan makes sense: inner products at another scale ask for another C, and nothing else."""
    return kernel.is_radial and kernel.geometry == "euclidean" and bool(kernel.input_powers)


def scan_and_search(problem: TuningProblem, search: Optimizer, choose: str) -> TuningResult:
    """Search from the scale of the problem's kernel, and C, that :func:`choose_row` takes.

    History, evaluations and iterations of the result include the scan, which counts as the first iteration:
    the start is iteration 0, the rest of the scan iteration 1, the search follows.
    """
    problem.reset()
    problem.note(start=0, iteration=0)
    problem.value(problem.theta)
    problem.note(iteration=1)
    for theta in _scan_points(problem):
        problem.value(theta)
    scanned, seconds = problem.history, problem.seconds
    result = search.minimize(problem.starting_from(choose_row(scanned, choose)["theta"]))
    later = [
        {
            **row,
            "evaluation": row["evaluation"] + len(scanned),
            "iteration": row["iteration"] + 1,
            "seconds": row["seconds"] + seconds,
        }
        for row in result.history
    ]
    return replace(
        result,
        history=History([*scanned, *later]),
        n_evaluations=result.n_evaluations + len(scanned),
        n_iterations=result.n_iterations + 1,
        seconds=result.seconds + seconds,
    )


def _scan_points(problem: TuningProblem) -> Iterator[np.ndarray]:
    """Yield points with other scales and C than the start, inside the bounds."""
    own = problem.criterion.theta
    for C_factor in C_FACTORS if own.size else (1.0,):
        for factor in FACTORS:
            theta = np.concatenate([problem.kernel.rescaled(factor).theta, own + np.log(C_factor)])
            is_inside = (theta >= problem.bounds[:, 0]).all() and (theta <= problem.bounds[:, 1]).all()
            if is_inside and (factor, C_factor) != (1.0, 1.0):
                yield theta
