"""The C path of one machine on its folds: pair steps and, where these converge slowly, linear systems.

`follow` goes from the solution for one C to that for the next where pair steps crawl.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise._native import NO_OFFSET
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import LARGE, N_COLUMNS, N_FREE, N_SUPPORT, OFFSET, BoxQP, GramFacts, Outcome
from kernelwise.solvers.dual import minimise_and_verify, negative_gradient, ridge_and_bound
from kernelwise.solvers.logistic import LogisticMachine
from kernelwise.solvers.newton import subtract

HALVINGS = 2


class Solved(NamedTuple):
    """A solution on a path, from which another may go on: C, and β and p − Kβ of its machine."""

    C: float
    beta: np.ndarray
    f: np.ndarray


def follow(
    qp: BoxQP,
    unit_lo: np.ndarray,
    unit_hi: np.ndarray,
    before: Solved | None,
    last: float,
    C: float,
    tol: float,
    halvings: int = HALVINGS,
) -> bool:
    """Bring ``qp`` from its solution for the bounds last·unit to that for C·unit.

    The solution is linear in C as long as the same variables are free. The one ``before`` the last, if there
    is one, gives a line to guess by; else what was bounded stays so in the guess, and the first linear system
    gives the line. If too much happens on the way, half the way is tried first.

    Returns False if that fails, with the solution for some C on the way, which is within the bounds, too.
    """
    qp.lo, qp.hi = C * unit_lo, C * unit_hi
    if before is None:
        is_low, is_high = qp.beta == last * unit_lo, qp.beta == last * unit_hi
        beta, f, is_free = np.where(is_low, qp.lo, qp.beta), qp.f.copy(), ~(is_low | is_high)
        beta[is_high] = qp.hi[is_high]
        subtract(qp.K, beta - qp.beta, f)
    else:
        ahead = (C - last) / (last - before.C)
        line, f = qp.beta + ahead * (qp.beta - before.beta), qp.f + ahead * (qp.f - before.f)
        beta = np.minimum(np.maximum(line, qp.lo), qp.hi)
        is_low, is_high = beta <= qp.lo, beta >= qp.hi
        is_free = ~(is_low | is_high)
        offset = f[is_free].mean() if is_free.any() else 0.0
        is_free |= (is_low ^ is_high) & np.where(is_low, f > offset, f < offset)
        subtract(qp.K, beta - line, f)
    if qp.solve_from(beta, f, is_free, tol):
        return True
    if before is not None:
        return follow(qp, unit_lo, unit_hi, None, last, C, tol, halvings)
    if halvings == 0:
        return False
    middle = float(np.sqrt(last * C))
    return all(
        follow(qp, unit_lo, unit_hi, None, *ends, tol, halvings - 1) for ends in ((last, middle), (middle, C))
    )


Fold = tuple[np.ndarray, np.ndarray]


class Terms(NamedTuple):
    """The dual of one machine: minimise ½ βᵀKβ − pᵀβ with Σβ = 0 and C w·lo ≤ β ≤ C w·hi.

    ``p``, ``lo`` and ``hi`` have the shape (n_members,), and ``turn`` is what decision values are multiplied
    by in the end.
    """

    p: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    turn: float = 1.0


def class_terms(machine: Machine) -> Terms:
    """The dual of two classes, such that the first member is positive, whatever its class is called.

    The steps of the solver are then the same for both names of a class.
    """
    turn = float(machine.signs[0])
    signs = turn * machine.signs
    return Terms(signs, np.minimum(signs, 0.0), np.maximum(signs, 0.0), turn)


class FoldPath(NamedTuple):
    """Results along increasing C: ``decision``, (n_Cs, n_test), and how each was found, (n_Cs, 8)."""

    decision: np.ndarray
    rows: np.ndarray
    last: Solved


class RidgedMachine:
    """The 2-norm machine, for one C after the other: on K + diag(1/(C w)) and without an upper bound.

    Its slacks are penalised by their squares, ½C Σ w ξ², so that C is part of the kernel (paper 002,
    Glasmachers 2006, equation 1) and every support vector is free. ``K``, of shape (n_samples, n_samples), is
    changed; ``beta`` are coefficients to start from.
    """

    def __init__(self, K: np.ndarray, signs: np.ndarray, beta: np.ndarray) -> None:
        self.K, self.signs, self.beta = K, signs, beta
        self.diagonal, self.objective = K.diagonal().copy(), 0.0

    def solve(self, cost: np.ndarray, tol: float, max_iter: int) -> Outcome:
        """Go from the coefficients at hand to those for C w, which are positive."""
        ridge, bound = ridge_and_bound(cost)
        self.K.flat[:: self.signs.size + 1] = self.diagonal + ridge
        lo, hi = np.where(self.signs < 0, -bound, 0.0), np.where(self.signs > 0, bound, 0.0)
        qp = BoxQP(self.K, self.beta, negative_gradient(self.K, self.beta, self.signs), lo, hi)
        outcome = minimise_and_verify(qp, self.signs, tol, max_iter)
        self.objective = -0.5 * float(self.beta @ (self.signs + qp.f))
        return outcome


class MachinePath:
    """One machine, ready to be solved for increasing C on any of its folds.

    ``members`` are its samples, and ``loss`` is that of `kernelwise.solvers.solve_svm_dual`.
    """

    def __init__(
        self,
        K: np.ndarray,
        members: np.ndarray,
        terms: Terms,
        tol: float,
        max_iter: int,
        loss: str = "hinge",
    ) -> None:
        self.K, self.members = K, members
        self.p, self.lo, self.hi, self.sign = terms
        self.tol, self.max_iter = tol, max_iter
        self.loss, self.has_bounds = loss, loss == "hinge"
        if not self.has_bounds:
            return  # each fold has its own part of K
        everyone = np.array_equal(self.members, np.arange(K.shape[0]))
        self.K_members = K if everyone else np.ascontiguousarray(K[np.ix_(self.members, self.members)])
        self.facts = GramFacts(self.K_members)

    def fold(
        self,
        test: np.ndarray,
        weight: np.ndarray,
        Cs: np.ndarray,
        last: Solved,
        begun: np.ndarray,
        counts: np.ndarray | None = None,
    ) -> FoldPath:
        """Solve for every C from ``last``, which pair steps have reached for the first of them.

        ``weight``, of shape (n_samples,), are those of this fold, zero where it does not train on a sample;
        ``begun`` is the row of the table of the first C, and ``counts`` say how many support vectors each
        sample is, if not one. Held-out members stay in the problem with both bounds at zero. Their
        decision values are computed from K all the same, offset included: with a very narrow kernel they are
        smaller than the rounding of f.
        """
        if not self.has_bounds:
            return self._for_every_C(test, weight, Cs, last, counts)
        own = weight[self.members]
        unit_lo, unit_hi = self.lo * own, self.hi * own
        qp = BoxQP(self.K_members, last.beta.copy(), last.f.copy(), unit_lo, unit_hi, facts=self.facts)
        qp.n_free = int(begun[N_FREE])
        rows, betas = self._along_C(qp, unit_lo, unit_hi, Cs, begun)
        solved = Cs[: len(rows), None]
        is_free = (betas != 0.0) & (betas != solved * unit_lo) & (betas != solved * unit_hi)
        for c, offset in enumerate(rows[:, OFFSET].tolist()):
            if abs(offset) < NO_OFFSET and rows[c, N_FREE] > 0.0:
                rows[c, OFFSET] = self._mean_f(is_free[c], betas[c])
        if counts is not None:
            each = counts[self.members]
            rows[:, N_SUPPORT], rows[:, N_FREE] = (betas != 0.0) @ each, is_free @ each
        used = np.flatnonzero(betas.any(axis=0))
        decision = betas[:, used] @ self.K[np.ix_(test, self.members[used])].T
        decision += rows[:, OFFSET, None]
        decision *= self.sign
        last = Solved(float(Cs[len(rows) - 1]), qp.beta, qp.f)
        n_more = Cs.size - len(rows)
        if n_more:  # without a bounded support vector the last solution is that of every larger C, too
            decision = np.concatenate([decision, np.repeat(decision[-1:], n_more, axis=0)])
            rows = np.concatenate([rows, np.repeat(rows[-1:], n_more, axis=0)])
            rows[-n_more:, 0] = 0.0
        return FoldPath(decision, rows, last)

    def _mean_f(self, free: np.ndarray, beta: np.ndarray) -> float:
        """Mean of p − Kβ over ``free``, own terms apart: those of a narrow kernel hide all others.

        The others are in single precision, LIBSVM's for training: kernel values that vanish there must not
        decide labels here.
        """
        rows = self.K_members[free].astype(np.float32)
        rows[np.arange(len(rows)), np.flatnonzero(free)] = 0.0
        own = self.p - np.diagonal(self.K_members) * beta
        return float((own[free].sum() - (rows @ beta).sum()) / len(rows))

    def _along_C(
        self, qp: BoxQP, unit_lo: np.ndarray, unit_hi: np.ndarray, Cs: np.ndarray, begun: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve for increasing C from warm starts, up to the first without a bounded support vector.

        Returns the rows of the table, shape (n_solved, 8), and β, shape (n_solved, n_members).
        """
        table, coefficients = np.zeros((Cs.size, N_COLUMNS)), np.empty((Cs.size, unit_lo.size))
        table[0], n_done = begun, 1
        n_lost, n_waited = 0, 0  # guesses of the next solution that failed in a row; C without one since then
        while True:
            # More variables may be free than when the path began, and pair steps still be the cheaper ones.
            crawls = table[n_done - 1, 0] >= qp.patience(qp.n_free)
            before: Solved | None = None
            followed = True
            while True:
                c = n_done - 1
                qp.lo, qp.hi = Cs[c] * unit_lo, Cs[c] * unit_hi
                is_last = self._solve_one(qp, coefficients[c], table[c], crawls) or n_done == Cs.size
                if is_last or not (followed and qp.may_guess):
                    break
                # The path stopped early: it did not know yet how many variables would be free.
                if before is None and table[c, 0] < qp.patience(qp.n_free):
                    break
                if n_waited < n_lost:
                    n_waited += 1
                    break
                now = Solved(Cs[c], qp.beta.copy(), qp.f.copy())
                halvings = HALVINGS if n_lost == 0 and qp.n_free < LARGE else 0  # else pair steps are cheaper
                followed = follow(qp, unit_lo, unit_hi, before, Cs[c], Cs[c + 1], self.tol, halvings)
                qp.n_vain = 0 if followed else qp.n_vain + 1
                n_lost, n_waited = (0 if followed else n_lost + 1), 0
                before, n_done, crawls = now, n_done + 1, False
            if is_last:
                break
            qp.lo, qp.hi = unit_lo, unit_hi
            n_done, is_solved = qp.path(self.p, Cs, n_done, self.tol, self.max_iter, coefficients, table)
            if is_solved:
                break
        return table[:n_done], coefficients[:n_done]

    def _solve_one(self, qp: BoxQP, beta: np.ndarray, row: np.ndarray, crawls: bool) -> bool:
        """Solve for the bounds of ``qp``, and say whether no support vector is bounded."""
        outcome = qp.minimise(self.tol, self.max_iter - int(row[0]), newton_first=crawls)
        # A variable between two bounds is free at zero, too.
        n_support = np.count_nonzero((qp.beta != 0.0) | ((qp.lo < 0.0) & (qp.hi > 0.0)))
        row[0] += outcome.n_iter
        row[1] = row[1] if outcome.is_convex else -1.0
        row[2:5] = outcome.gap, outcome.offset, outcome.n_free
        row[6:] = n_support, -0.5 * (qp.beta @ (self.p + qp.f))
        beta[:] = qp.beta
        return bool(outcome.converged and n_support == outcome.n_free)

    def _for_every_C(
        self, test: np.ndarray, weight: np.ndarray, Cs: np.ndarray, last: Solved, counts: np.ndarray | None
    ) -> FoldPath:
        """Solve for every C a machine without bounds that are met, each from the solution of the last."""
        used = np.flatnonzero(weight[self.members] > 0)
        rows, signs, w = self.members[used], self.p[used], weight[self.members[used]]
        if not (signs.min(initial=0.0) < 0.0 < signs.max(initial=0.0)):
            # Without one side a model answers the other, and without both none, as with the hinge loss.
            answers = np.full((Cs.size, test.size), self.sign * float(np.sign(signs.sum())))
            nothing = np.zeros(self.members.size)
            return FoldPath(answers, np.zeros((Cs.size, N_COLUMNS)), Solved(float(Cs[-1]), nothing, nothing))
        each = np.ones(rows.size) if counts is None else counts[rows]
        K = np.ascontiguousarray(self.K[np.ix_(rows, rows)], dtype=np.float64)
        kind = LogisticMachine if self.loss == "logistic" else RidgedMachine
        machine = kind(K, signs, last.beta[used].copy())
        decision, seen = np.empty((Cs.size, test.size)), self.K[np.ix_(test, rows)]
        table = np.zeros((Cs.size, N_COLUMNS))
        for c, C in enumerate(Cs):
            outcome = machine.solve(C * w, self.tol, self.max_iter)
            decision[c] = outcome.offset + seen @ machine.beta
            n_support = (machine.beta != 0.0) @ each  # and none of them is bounded
            table[c, :3] = outcome.n_iter, 0.0 if outcome.is_convex else -1.0, outcome.gap
            table[c, 3:5] = outcome.offset, n_support
            table[c, 6:] = n_support, machine.objective
        everyone = np.zeros(self.members.size)
        everyone[used] = machine.beta
        last = Solved(float(Cs[-1]), everyone, np.zeros(self.members.size))
        return FoldPath(self.sign * decision, table, last)
