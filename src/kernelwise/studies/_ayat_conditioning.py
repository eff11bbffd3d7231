"""Where the paper's H is badly conditioned, and which searches diverge from there (paper 001).

The paper (Ayat and others 2002) meets singular H, the bordered Gram matrix of all support vectors (equation
12), with "spread kernels, i.e. very small values for σ in case of KMOD kernel and a in case of RBF kernel",
and says of quasi-Newton that it prevents any divergence there. The task is that of figures 3 to 6 with a
third of the samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.criteria import ValidationError
from kernelwise.datasets import make_two_gaussians
from kernelwise.kernels import KMOD, RBF, Kernel
from kernelwise.optimizers import GradientDescent, Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.selection.ayat import PAPER_SEARCH
from kernelwise.solvers.dual import solve_svm_dual
from kernelwise.studies._ayat_synthetic import PAPER_STD, START, C
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row

N_TRAIN, N_VALIDATION, N_TEST = 300, 200, 200
STARTS: dict[str, Kernel] = {
    "RBF, a = 1": RBF(1.0),
    "RBF, a = 0.01": RBF(0.01),
    "RBF, a = 0.0001": RBF(0.0001),
    "KMOD, σ = 0.01": KMOD(START.gamma, 0.01),
    "KMOD, σ = 1/2.72": START,
    "KMOD, σ = 30": KMOD(START.gamma, 30.0),
}
#: E has risen by more than rounding, or the test error so much that the machine has been lost.
RISEN, LOST = 1.1, 0.1
SEARCHES: dict[str, Optimizer] = {
    "quasi-Newton": PAPER_SEARCH,
    "descent": GradientDescent(is_adaptive=False, max_iter=30),
}
GRADIENTS = ("paper", "exact")


def condition_number(K: np.ndarray, signs: np.ndarray) -> float:
    """Condition number of H = [[YKY, Y], [Yᵀ, 0]] over all support vectors, for labels ±1."""
    support = np.flatnonzero(solve_svm_dual(K, signs, C).beta)
    y = signs[support]
    H = np.zeros((len(y) + 1, len(y) + 1))
    H[:-1, :-1] = y[:, None] * K[np.ix_(support, support)] * y
    H[-1, :-1] = H[:-1, -1] = y
    return float(np.linalg.cond(H))


def cell(start: str, draw: int) -> dict[str, Any]:
    """Of one draw the condition of H at the start, and E and test error there and where each search ends."""
    X, y = make_two_gaussians(N_TRAIN + N_VALIDATION + N_TEST, std=PAPER_STD, random_state=draw)
    train, held, test = np.split(np.arange(len(y)), [N_TRAIN, N_TRAIN + N_VALIDATION])
    signs = np.where(y[train] == y.max(), 1.0, -1.0)
    found: dict[str, Any] = {"condition": condition_number(STARTS[start](X[train]), signs)}
    for search, optimizer in SEARCHES.items():
        for gradient in GRADIENTS:
            criterion = ValidationError(C, (X[held], y[held]), gradient=gradient)
            problem = TuningProblem(STARTS[start], criterion, X[train], y[train], test=(X[test], y[test]))
            curve = optimizer.minimize(problem).history.by_iteration()
            found[f"{search}, {gradient}"] = [
                [row["value"], row["test_error"]] for row in (curve[0], curve[-1])
            ]
    return found


def has_diverged(first: list[float], last: list[float]) -> bool:
    """Whether a search ends with a higher E than it began with, or has lost the machine."""
    return last[0] > RISEN * first[0] or last[1] > first[1] + LOST


def rows(study: Study, quietly: Any) -> list[Row]:
    """A row for each start: median condition number, and per cent of the draws that diverged."""
    n_draws = study.choose(10, 2)
    found = []
    for start in study.choose(list(STARTS), list(STARTS)[1::3]):
        cells = [study.cell(f"conditioning/{start}/{d}", quietly, cell, start, d) for d in range(n_draws)]
        row: Row = {"start": start, "draws": n_draws}
        row["condition of H"] = float(np.median([one["condition"] for one in cells]))
        for name in list(cells[0])[1:]:
            row[f"{name} gradient: diverged %"] = 100.0 * float(
                np.mean([has_diverged(*one[name]) for one in cells])
            )
        found.append(row)
    return found
