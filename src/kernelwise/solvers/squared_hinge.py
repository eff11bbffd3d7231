"""The 2-norm machine: the dual on K + D with D = diag(1/(C w)), and no upper bound.

Its slacks are penalised by their squares, ½C Σ w ξ², so that C is part of the kernel (paper 002, Glasmachers
2006, equation 1) and every support vector is free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import N_COLUMNS, BoxQP
from kernelwise.solvers.dual import minimise_and_verify, negative_gradient, ridge_and_bound
from kernelwise.solvers.fold_path import FoldPath, constant_path
from kernelwise.solvers.follow import Solved
from kernelwise.solvers.kernel_rows import ALL


class RidgedRows:
    """Rows of K + diag(ridge), without computing K; has what `WorkingSets` asks of its rows."""

    def __init__(self, rows: Any, ridge: np.ndarray) -> None:
        self.rows, self.ridge = rows, ridge
        self.dtype: np.dtype = rows.dtype

    def square(self, indices: np.ndarray) -> np.ndarray:
        """The square of those samples in double precision."""
        square = np.array(self.rows.square(indices))
        self._add(indices, square)
        return square

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the square of those samples to the first columns of ``out``, in single precision."""
        self.rows.fill(indices, out)
        self._add(indices, out)

    def _add(self, indices: np.ndarray, square: np.ndarray) -> None:
        each = np.arange(indices.size)
        square[each, each] += self.ridge[indices].astype(square.dtype)

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        self.rows.subtract(indices, change, f, columns)
        own = np.zeros(f.size)
        own[indices] = change * self.ridge[indices]
        f[columns] -= own[columns]


class RidgePath:
    """The 2-norm machine for every C (increasing) on any of its folds: the twin of `MachinePath`.

    K + D changes with C, so that there is no path of bounds; each C starts from the solution of the last.
    Labels are such that the first member is positive, whatever its class is called.
    """

    def __init__(
        self,
        K: np.ndarray,
        machine: Machine,
        tol: float,
        max_iter: int,
        p: np.ndarray | None = None,
    ) -> None:
        self.K = K
        self.members, signs = machine
        self.sign = float(signs[0])
        self.signs = self.sign * signs
        self.tol, self.max_iter = tol, max_iter

    def fold(
        self,
        test: np.ndarray,
        weight: np.ndarray,
        Cs: np.ndarray,
        last: Solved,
        begun: np.ndarray,
        counts: np.ndarray | None = None,
    ) -> FoldPath:
        """Solve for every C on from ``last``; decision values of ``test``. See `MachinePath.fold`."""
        used = np.flatnonzero(weight[self.members] > 0)
        rows, signs, w = self.members[used], self.signs[used], weight[self.members[used]]
        if not (signs.min(initial=0.0) < 0.0 < signs.max(initial=0.0)):
            # Without one side a model answers the other, and without both none, as with the hinge loss.
            value = self.sign * float(np.sign(signs.sum()))
            return constant_path(Cs, value, test.size, np.zeros(self.members.size))
        each = np.ones(rows.size) if counts is None else counts[rows]
        K = np.ascontiguousarray(self.K[np.ix_(rows, rows)], dtype=np.float64)
        diagonal = K.diagonal().copy()
        beta = last.beta[used].copy()
        n = Cs.size
        decision = np.empty((n, test.size))
        seen = self.K[np.ix_(test, rows)]
        table = np.zeros((n, N_COLUMNS))
        for c, C in enumerate(Cs):
            ridge, bound = ridge_and_bound(C * w)
            K[np.arange(used.size), np.arange(used.size)] = diagonal + ridge
            lo, hi = np.where(signs < 0, -bound, 0.0), np.where(signs > 0, bound, 0.0)
            qp = BoxQP(K, beta, negative_gradient(K, beta, signs), lo, hi)
            outcome = minimise_and_verify(qp, signs, self.tol, self.max_iter)
            decision[c] = outcome.offset + seen @ beta
            n_support = (beta != 0.0) @ each  # and none of them is bounded
            table[c, :3] = outcome.n_iter, 0.0 if outcome.is_convex else -1.0, outcome.gap
            table[c, 3:5] = outcome.offset, n_support
            table[c, 6:] = n_support, -0.5 * beta @ (signs + qp.f)
        everyone = np.zeros(self.members.size)
        everyone[used] = beta
        last = Solved(float(Cs[-1]), everyone, np.zeros(self.members.size))
        return FoldPath(self.sign * decision, table, last)
