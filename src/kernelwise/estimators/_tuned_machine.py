"""The last step of a tuned machine: on which rows it is trained, and its probabilities."""

from __future__ import annotations

import numpy as np

from ..selection.canonical import sample
from ..selection.held_out_paths import KernelPath
from ..selection.task import Task
from ..solvers.multiclass import two_class_machines
from ..solvers.platt import fit_platt

#: Of the time left, the share that the final machine may be expected to take: the guess is rough.
CAUTION = 0.5


def affordable_rows(task: Task, path: KernelPath) -> np.ndarray:
    """Rows that the final machine can be trained on in the time left, from the time of its path.

    Time grows like the square of the number of rows. Never fewer rows than a machine of the search had.
    """
    n, n_pieces = len(task.index), len(task.pieces.rows)
    per_machine = path.seconds / (len(path.Cs) * task.n_folds)
    n_trained = n_pieces * (1.0 - 1.0 / task.n_folds)
    left = max(task.deadline.left, 0.0) * CAUTION
    affordable = n_trained * np.sqrt(max(left / max(per_machine, 1e-6), 1.0))
    if n <= affordable:
        return np.arange(n)
    rows = sample(task.index, int(affordable), task.random_state)
    task.deadline.skipped.append(f"training on {n - len(rows)} of {n} distinct rows")
    return rows


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
    return np.array(
        [
            fit_platt(column[members], signs, pieces.weight[members])
            for column, (members, signs) in zip(decision.T, machines, strict=True)
        ]
    )
