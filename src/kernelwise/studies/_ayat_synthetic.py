"""Figures 3 to 6 of paper 001 (Ayat and others 2002): two Gaussians in the plane.

Searches start from (γ, σ) = (1/2.72, 1/2.72) and C = 1000.

The paper does not say how large its Gaussians are. Its start has 187 support vectors, as ours has at a
standard deviation of 0.42, where the margin then leads to the paper's 700; at 1 the start has 690.

How few support vectors there can be is the data's to say: the line that minimises the expected hinge loss has
Φ(z) of the samples within its margin, where φ(z)/Φ(z) is half the distance of the means in standard
deviations: 43.5 of 1000, and two or three free ones. Means of 20 draws differ by one or two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise.criteria import Margin, ValidationError, VCBound
from kernelwise.datasets import make_two_gaussians
from kernelwise.kernels import KMOD
from kernelwise.optimizers import GradientDescent, Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.selection.ayat import PAPER_SEARCH
from kernelwise.selection.ayat.scale_scan import choose_row, scan_and_search
from kernelwise.studies._table import Row

START, C = KMOD(1 / 2.72, 1 / 2.72), 1000.0
N_TRAIN, N_VALIDATION, N_TEST = 1000, 500, 500
PAPER_STD = 0.42
BOUNDS = {"margin": Margin, "vc": VCBound}
#: Columns of a history, by the names of the figures.
COLUMNS = ("validation_error", "test_error", "n_support", "margin", "gamma", "sigma", "C", "seconds")


class Method(NamedTuple):
    """A line of the table, and the numbers that the paper prints for it."""

    name: str
    criterion: str
    optimizer: Optimizer
    scan: bool
    paper_error: float
    paper_support: int
    paper_iterations: int


def methods(n_descent: int = 50, n_bound: int = 30) -> list[Method]:
    """The paper's searches; ours has a scan first. Descent is plain, at a fixed rate, as the paper's."""
    descent = GradientDescent(is_adaptive=False, max_iter=n_descent)
    # ‖w‖² falls by orders of magnitude: a fixed rate is too long first or too short later.
    bound = GradientDescent(max_iter=n_bound)
    return [
        Method("quasi-Newton after a scan", "exact", PAPER_SEARCH, True, 0.022, 40, 5),
        Method("quasi-Newton", "exact", PAPER_SEARCH, False, 0.022, 40, 5),
        Method("quasi-Newton, paper's gradient", "paper", PAPER_SEARCH, False, 0.022, 40, 5),
        Method("descent after a scan", "exact", descent, True, 0.022, 42, 100),
        Method("descent", "exact", descent, False, 0.022, 42, 100),
        Method("margin", "margin", bound, False, np.nan, 700, 30),
        Method("VC bound", "vc", bound, False, np.nan, 700, 30),
    ]


def make_problem(method: Method, std: float, draw: int) -> TuningProblem:
    """The problem of one draw: 1000 samples to train on, 500 to validate, 500 to test."""
    X, y = make_two_gaussians(N_TRAIN + N_VALIDATION + N_TEST, std=std, random_state=draw)
    train, held, test = np.split(np.arange(len(y)), [N_TRAIN, N_TRAIN + N_VALIDATION])
    if method.criterion in BOUNDS:
        criterion = BOUNDS[method.criterion](C)
    else:
        criterion = ValidationError(C, (X[held], y[held]), gradient=method.criterion)
    return TuningProblem(START, criterion, X[train], y[train], test=(X[test], y[test]))


def run(method: Method, std: float, draw: int) -> TuningResult:
    """One search."""
    problem = make_problem(method, std, draw)
    if method.scan:
        return scan_and_search(problem, method.optimizer, "fewest")
    return method.optimizer.minimize(problem)


def cell(method: Method, std: float, draw: int) -> dict[str, Any]:
    """One search: where it began and ended, the cost of every point tried, and the curves."""
    result = run(method, std, draw)
    return {
        "ends": ends(result),
        "costs": [[row["iteration"], row["value"]] for row in result.history],
        "curve": [
            {"iteration": row["iteration"], "objective": row["value"], **{n: row.get(n) for n in COLUMNS}}
            for row in result.history.by_iteration()
        ],
    }


def ends(result: TuningResult) -> dict[str, float]:
    """Start and end of one search.

    The end is the choice of `ayat_select`: of the costs within one standard error of the lowest, the fewest
    support vectors; of the bounds, which have no standard error, the lowest.
    """
    start = result.history[0]
    end = choose_row(result.history, "fewest" if "standard_error" in start else "lowest")
    return {
        "objective": start["value"],
        "to": end["value"],
        "lowest": min(row["value"] for row in result.history),
        "test error": start["test_error"],
        "test error to": end["test_error"],
        "support": start["n_support"],
        "support to": end["n_support"],
        "iterations": result.n_iterations,
        "trainings": result.n_evaluations,
    }


def first_at(costs: list[list[float]], target: float) -> float | None:
    """The iteration that reached a cost at most 1 % above ``target``; None if none did."""
    return next((iteration for iteration, cost in costs if cost <= 1.01 * target), None)


def mean_row(std: float, method: Method, cells: list[dict[str, Any]], targets: list[float]) -> Row:
    """Means over the draws; ``targets`` are the lowest costs of the first method, by draw.

    "at target" is the mean iteration that reached the target, the last of a search that did not.
    """
    outcomes = []
    for found, target in zip(cells, targets, strict=True):
        reached = first_at(found["costs"], target) if method.criterion not in BOUNDS else None
        at = found["ends"]["iterations"] if reached is None else reached
        outcomes.append({**found["ends"], "at target": at, "reached": float(reached is not None)})
    return {
        "std": std,
        "method": method.name,
        **{name: float(np.mean([each[name] for each in outcomes])) for name in outcomes[0]},
        "paper's error": method.paper_error,
        "paper's support": method.paper_support,
        "paper's iterations": method.paper_iterations,
    }
