"""Single fits of many small machines, such as those of pairs of classes, on parts of one Gram matrix."""

from __future__ import annotations

import numpy as np

from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import GAP, NOT_CONVEX, OFFSET
from kernelwise.solvers.dual import ROUNDING, SVMSolution
from kernelwise.solvers.path_problem import PathProblem, Places
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
    if unit_of(np.diagonal(K)) != 1.0 or max_iter >= 0:  # steps of two solvers would have to be counted
        return nothing
    everyone, nobody = np.arange(len(K)), np.empty(0, int)
    problem = PathProblem(machines, [(everyone, nobody)], Places([nobody], 0), weight[None])
    path = problem.begin(K, np.array([C]), tol=tol, n_jobs=n_jobs)
    largest = float(np.abs(np.diagonal(K)).max())
    found = nothing
    for m, (machine, row, last) in enumerate(
        zip(machines, path.tables[0, :, 0], path.solutions()[0], strict=True)
    ):
        # The steps have kept f up to date, and each has rounded it.
        is_sided = not row.any()  # one side has no weight: there was nothing to solve
        if is_sided or not path.n_done[0, m] or row[1] <= NOT_CONVEX:
            continue
        if ROUNDING * largest * float(np.abs(last.beta).sum()) > SHARE_OF_TOL * tol:
            continue
        found[m] = _solution(machine, last.beta, last.f, row, C * weight[machine.members])
    return found


def _solution(
    machine: Machine, beta: np.ndarray, f: np.ndarray, row: np.ndarray, cost: np.ndarray
) -> SVMSolution:
    """What is known of a machine whose first member was positive; ``row`` says how it was found."""
    turn, offset = machine.signs[0], float(row[OFFSET])
    signs = turn * machine.signs
    quadratic = float(beta @ (signs - f))
    objective = 0.5 * quadratic - float(signs @ beta)
    primal = 0.5 * quadratic + float(cost @ np.maximum(0.0, signs * (f - offset)))
    gap = max(float(row[GAP]), 0.0)
    return SVMSolution(
        turn * beta, float(turn * offset), objective, turn * f, int(row[0]), gap, primal + objective, True
    )
