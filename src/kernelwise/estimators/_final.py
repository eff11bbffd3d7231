"""The last step of a tuned machine: on which rows it is trained, and its probabilities."""

from __future__ import annotations

import numpy as np

from kernelwise.findings import Finding
from kernelwise.multiclass import two_class_machines
from kernelwise.search.canonical import sample
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task
from kernelwise.solvers.platt import FLAT, fit_platt_of

#: Share of a time budget that is kept for the final machine.
RESERVE = 0.4


def affordable_rows(task: Task, path: KernelPath, place: int) -> np.ndarray:
    """Rows that the final machine can be trained on in the time left.

    Never fewer rows than a machine of the search had.
    """
    n = len(task.index)
    seconds = exact_seconds(task, path, place)
    fewest = len(task.pieces.rows) * (1.0 - 1.0 / task.n_folds)
    affordable = max(n * np.sqrt(max(task.deadline.left, 0.0) / seconds), fewest)
    if n <= affordable:
        return np.arange(n)
    rows = sample(task.index, int(affordable), task.random_state)
    task.deadline.skipped.append(f"training on {n - len(rows)} of {n} distinct rows")
    return rows


def exact_seconds(task: Task, path: KernelPath, place: int) -> float:
    """Seconds that the final machine takes on all rows, about.

    From a cold start it takes about as long as a fold's path up to its C, and the time grows like the square
    of the number of rows.
    """
    seconds = path.seconds / task.n_folds * (place + 1) / len(path.Cs)
    n_trained = len(task.pieces.rows) * (1.0 - 1.0 / task.n_folds)
    return max(seconds, 1e-6) * (len(task.index) / n_trained) ** 2


def held_out_sigmoids(task: Task, decision: np.ndarray, strategy: str) -> np.ndarray:
    """Platt's sigmoids of held-out decision values, shape (n_machines, 2).

    Parameters
    ----------
    task : Task
    decision : ndarray of shape (n_pieces, n_machines)
    strategy : {"ovo", "ovr"}
    """
    pieces = task.pieces
    index = task.index[task.rows[pieces.rows]]
    machines = two_class_machines(index, int(task.index.max()) + 1, strategy)
    sigmoids = fit_platt_of(machines, decision, pieces.weight)
    n_flat = int((np.abs(sigmoids[:, 0]) * np.abs(decision).max(axis=0) < 2.0 * FLAT).sum())
    if n_flat:
        task.findings.append(
            Finding(
                "flat probabilities",
                "info",
                f"Held-out decision values of {n_flat} of {len(sigmoids)} machines do not tell the classes "
                "apart, so that their probabilities are little more than the shares of the classes.",
                "Use decision_function to rank samples, or train on more samples of the rare classes.",
            )
        )
    return sigmoids
