"""The C path of one two-class machine on its folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._box_qp import BoxQP, subtract_rows
from .multiclass import Machine

Fold = tuple[np.ndarray, np.ndarray]
SEED_TOL = 0.05  # the machine on all samples only gives the folds a start
SEED_FOLDS = 3  # with fewer folds that start costs more than it saves


@dataclass
class FoldPath:
    """Results along increasing C: ``decision`` of shape (n_Cs, n_test), everything else of shape (n_Cs,)."""

    decision: np.ndarray
    n_support: np.ndarray
    n_bounded: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray
    gap: np.ndarray
    converged: np.ndarray
    is_convex: np.ndarray


class MachinePath:
    """One machine, ready to be solved for every C (increasing) on any of its folds.

    The machine on all samples at the smallest C is solved first, coarsely: each fold starts from it, less the
    coefficients it holds out.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    machine : Machine
    weight : ndarray of shape (n_samples,)
    n_folds : int
    Cs : ndarray of shape (n_Cs,)
    tol, max_iter : float, int
    """

    def __init__(
        self,
        K: np.ndarray,
        machine: Machine,
        weight: np.ndarray,
        n_folds: int,
        Cs: np.ndarray,
        tol: float,
        max_iter: int,
    ) -> None:
        self.K = K
        self.members, self.signs = machine
        self.Cs, self.tol, self.max_iter = Cs, tol, max_iter
        everyone = self.members.size == K.shape[0]
        self.K_members = K if everyone else np.take(K[self.members], self.members, axis=1)
        self.limits = self.signs * weight[self.members]
        self.seed = self._problem(self.limits * Cs[0], np.zeros(self.signs.size), self.signs.copy())
        if n_folds >= SEED_FOLDS:
            self.seed.minimise(max(tol, SEED_TOL), max_iter)

    def _problem(self, limits: np.ndarray, beta: np.ndarray, f: np.ndarray) -> BoxQP:
        return BoxQP(self.K_members, beta, f, np.minimum(limits, 0.0), np.maximum(limits, 0.0))

    def fold(self, train: np.ndarray, test: np.ndarray) -> FoldPath:
        """Solve for every C on ``train``; decision values are those of ``test``.

        Held-out members stay in the problem with both bounds at zero: their decision values come with the
        gradient. Those of held-out samples of other classes take one matrix product.
        """
        place = np.full(self.K.shape[0], -1)
        place[self.members] = np.arange(self.members.size)
        used = np.zeros(self.members.size)
        inside = place[train]
        used[inside[inside >= 0]] = 1.0
        limits = used * self.limits
        qp = self._start(limits)
        path, coefficients, offsets = self._along_C(qp, limits)

        is_member = place[test] >= 0
        decision = np.empty((self.Cs.size, test.size))
        decision[:, is_member] = path.decision[:, place[test[is_member]]]
        others = test[~is_member]
        if others.size:
            trained = np.flatnonzero(limits)
            block = self.K[np.ix_(self.members[trained], others)]
            decision[:, ~is_member] = coefficients[:, trained] @ block + offsets[:, None]
        path.decision = decision
        return path

    def _start(self, limits: np.ndarray) -> BoxQP:
        """The seed less the coefficients held out, and the least ones of the sign that now outweighs."""
        qp = self._problem(limits * self.Cs[0], self.seed.beta.copy(), self.seed.f.copy())
        qp.pools = {dtype: pool.copy() for dtype, pool in self.seed.pools.items()}
        qp.beta[limits == 0] = 0.0
        excess = qp.beta.sum()
        sign = np.sign(excess)
        heavier = np.flatnonzero(qp.beta * sign > 0)
        for t in heavier[np.argsort(np.abs(qp.beta[heavier]), kind="stable")]:
            taken = sign * min(abs(qp.beta[t]), abs(excess))
            qp.beta[t] -= taken
            excess -= taken
            if excess == 0.0:
                break
        change = qp.beta - self.seed.beta
        rows = np.flatnonzero(change)
        subtract_rows(qp.K, rows, change[rows], qp.f)
        return qp

    def _along_C(self, qp: BoxQP, limits: np.ndarray) -> tuple[FoldPath, np.ndarray, np.ndarray]:
        """Solve for increasing C from warm starts; decision values are of all members.

        Returns
        -------
        path : FoldPath
        coefficients : ndarray of shape (n_Cs, n_members)
        offsets : ndarray of shape (n_Cs,)
        """
        n_Cs, signs = self.Cs.size, self.signs
        path = FoldPath(
            decision=np.empty((n_Cs, signs.size)),
            n_support=np.zeros(n_Cs, int),
            n_bounded=np.zeros(n_Cs, int),
            objective=np.zeros(n_Cs),
            n_iter=np.zeros(n_Cs, int),
            gap=np.zeros(n_Cs),
            converged=np.zeros(n_Cs, bool),
            is_convex=np.zeros(n_Cs, bool),
        )
        coefficients = np.empty((n_Cs, signs.size))
        offsets = np.empty(n_Cs)
        unit_lo, unit_hi = np.minimum(limits, 0.0), np.maximum(limits, 0.0)
        crawl = 0.0  # pair steps the next C would take without Newton steps
        for c, C in enumerate(self.Cs):
            if c > 0:
                _start_from_last(qp, signs, C / self.Cs[c - 1], C * limits)
            qp.lo, qp.hi = C * unit_lo, C * unit_hi
            outcome = qp.minimise(self.tol, self.max_iter, newton_first=crawl > qp.patience())
            crawl = 1.15 * crawl if outcome.n_newton else outcome.n_iter
            offsets[c], coefficients[c] = outcome.offset, qp.beta
            np.subtract(signs + outcome.offset, qp.f, out=path.decision[c])
            path.n_support[c] = np.count_nonzero(qp.beta)
            path.n_bounded[c] = path.n_support[c] - outcome.n_free
            path.objective[c] = -0.5 * (qp.beta @ (signs + qp.f))
            path.n_iter[c], path.gap[c] = outcome.n_iter, outcome.gap
            path.converged[c], path.is_convex[c] = outcome.converged, outcome.is_convex
            if path.n_bounded[c] == 0 and outcome.converged:
                break
        # With no bounded support vector the solution for this C is the solution for every larger one.
        for array in (*vars(path).values(), coefficients, offsets):
            array[c + 1 :] = array[c]
        path.n_iter[c + 1 :] = 0
        return path, coefficients, offsets


def _start_from_last(qp: BoxQP, signs: np.ndarray, s: float, limits: np.ndarray) -> None:
    """Keep β or scale it with C, whichever has the lower objective; what was bounded then stays so."""
    linear = signs @ qp.beta
    quadratic = linear - qp.f @ qp.beta
    if 0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear:
        return
    bounded = (qp.beta == qp.lo) | (qp.beta == qp.hi)
    bounded &= qp.beta != 0.0
    qp.beta *= s
    np.copyto(qp.beta, limits, where=bounded)
    qp.f *= s
    qp.f += (1.0 - s) * signs
