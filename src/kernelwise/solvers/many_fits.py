"""Single fits of many small machines, such as those of pairs of classes, on parts of one Gram matrix."""

from __future__ import annotations

import numpy as np

from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import NOT_CONVEX
from kernelwise.solvers.dual import ROUNDING, SVMSolution
from kernelwise.solvers.fold_path import OFFSET
from kernelwise.solvers.many_paths import MOST_STEPS, ManyPaths
from kernelwise.solvers.units import unit_of

#: Of the tolerance: what rounding may add to f.
SHARE_OF_TOL = 0.01


def fit_many(
    K: np.ndarray,
    machines: list[Machine],
    weight: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
) -> list[SVMSolution | None]:
    """Solve machines on their parts of K, which is float64; see `solve_svm_dual`.

    The result is None for machines that want more than pair steps: few of them, or none.
    """
    nothing: list[SVMSolution | None] = [None] * len(machines)
    if unit_of(np.diagonal(K)) != 1.0 or 0 <= max_iter <= MOST_STEPS:
        return nothing
    decision, nobody, everyone = np.empty((len(machines), 1, 0)), np.empty(0, int), np.arange(len(K))
    many = ManyPaths(K, machines, np.array([C]), np.zeros(1, int), tol, [[None] * len(machines)], decision)
    found = nothing
    largest = float(np.abs(np.diagonal(K)).max())
    for solved in many.results([(everyone, nobody)], weight[None], [nobody], n_jobs):
        for k, (last, (row,)) in enumerate(zip(solved.last, solved.tables, strict=True)):
            m = solved.first + k
            # The steps have kept f up to date, and each has rounded it.
            if last is None or not solved.n_done[k] or row[1] <= NOT_CONVEX:
                continue
            if ROUNDING * largest * float(np.abs(last.beta).sum()) > SHARE_OF_TOL * tol:
                continue
            found[m] = _solution(machines[m], last.beta, last.f, row, C * weight[machines[m].members])
    return found


def _solution(
    machine: Machine, beta: np.ndarray, f: np.ndarray, row: np.ndarray, cost: np.ndarray
) -> SVMSolution:
    """What is known of a machine whose first member was positive in training; ``row`` is of `smo_path`."""
    turn, offset = machine.signs[0], float(row[OFFSET])
    signs = turn * machine.signs
    quadratic = float(beta @ (signs - f))
    objective = 0.5 * quadratic - float(signs @ beta)
    primal = 0.5 * quadratic + float(cost @ np.maximum(0.0, signs * (f - offset)))
    gap = max(float(row[2]), 0.0)
    return SVMSolution(
        turn * beta, float(turn * offset), objective, turn * f, int(row[0]), gap, primal + objective, True
    )
