"""The C path of one two-class machine on its folds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import LARGE, BoxQP, GramFacts, Pool
from kernelwise.solvers.compiled.rounding import HAIR, NO_OFFSET
from kernelwise.solvers.follow import HALVINGS, Solved, follow
from kernelwise.solvers.products import subtract_rows

Fold = tuple[np.ndarray, np.ndarray]
N_COLUMNS, OFFSET, N_FREE, N_SUPPORT = 8, 3, 4, 6  # of the table of `smo_path`
SEED_TOL = 0.05  # the machine on all samples only gives the folds a start
SEED_SLACK = 0.25  # what is this close to the margin may move in a fold
SEED_FOLDS = 3  # with fewer folds that start costs more than it saves


class FoldPath(NamedTuple):
    """Results along increasing C: ``decision``, (n_Cs, n_test), and the table of `smo_path`, (n_Cs, 8)."""

    decision: np.ndarray
    rows: np.ndarray
    last: Solved


class MachinePath:
    """One machine, ready to be solved for every C (increasing) on any of its folds.

    The machine on all samples at the smallest C is solved first, coarsely: each of the ``n_folds`` that start
    from it does so less the coefficients it holds out (0 if each goes on from a path of its own). ``weight``,
    of shape (n_samples,), are at least those of any fold. ``p`` is the linear term of the dual, of shape
    (n_members,): the machine's labels unless a regression has its own.

    Labels are such that the first member is positive, whatever its class is called: the steps of the solver
    are then the same for both names of a class. Decision values are those of the labels given.
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
        p: np.ndarray | None = None,
    ) -> None:
        self.K = K
        self.members, signs = machine
        self.sign = float(signs[0]) if p is None else 1.0
        self.signs = self.sign * signs
        self.p = self.signs if p is None else p
        self.Cs, self.tol, self.max_iter = Cs, tol, max_iter
        self.pieces = contiguous(self.members)
        everyone = self.members.size == K.shape[0]
        self.K_members = K if everyone else _blocks(K, self.pieces, self.members.size)
        self.facts = GramFacts(self.K_members)
        self.spare: list[dict[np.dtype, Pool]] = []  # of folds that are done: fresh memory is dear
        self.seed = self._problem(
            self.signs * weight[self.members] * Cs[0], np.zeros(self.p.size), self.p.copy()
        )
        if n_folds >= SEED_FOLDS:
            outcome = self.seed.minimise(max(tol, SEED_TOL), max_iter)
            for pool in self.seed.pools.values():  # each fold copies it
                pool.thin_out(np.abs(self.seed.f - outcome.offset) < SEED_SLACK)

    def _problem(self, limits: np.ndarray, beta: np.ndarray, f: np.ndarray) -> BoxQP:
        bounds = np.minimum(limits, 0.0), np.maximum(limits, 0.0)
        return BoxQP(self.K_members, beta, f, *bounds, facts=self.facts)

    def fold(
        self,
        train: np.ndarray,
        test: np.ndarray,
        weight: np.ndarray,
        last: Solved | None = None,
        counts: np.ndarray | None = None,
        K_test: np.ndarray | None = None,
    ) -> FoldPath:
        """Solve for every C on ``train``, from the seed or on from ``last``; decision values of ``test``.

        ``weight``, of shape (n_samples,), are those of this fold, and ``counts`` say how many support vectors
        each sample is, if not one. Held-out members stay in the problem with both bounds at zero. Their
        decision values are computed from K all the same, offset included: with a very narrow kernel they are
        smaller than the rounding of f. ``K_test`` are the columns of ``test``, of shape (n_samples, n_test),
        where several machines share them.
        """
        is_used = np.zeros(self.K.shape[0], bool)
        is_used[train] = True
        limits = np.where(is_used[self.members], self.signs * weight[self.members], 0.0)
        if not (limits.min() < 0.0 < limits.max()):
            return constant_path(self.Cs, self.sign * float(np.sign(limits.sum())), test.size, self.p)
        qp = self._start(limits) if last is None else self._problem(limits * last.C, *map(np.copy, last[1:]))
        rows, betas = self._along_C(qp, limits, last)
        self.spare.append(qp.pools)
        for c, offset in enumerate(rows[:, OFFSET].tolist()):
            if abs(offset) < NO_OFFSET and rows[c, N_FREE] > 0.0:
                free = (betas[c] != 0.0) & (betas[c] != self.Cs[c] * limits)
                rows[c, OFFSET] = self._mean_f(free, betas[c])
        if counts is not None:
            each, is_support = counts[self.members], betas != 0.0
            is_free = is_support & (betas != self.Cs[: len(rows), None] * limits)
            rows[:, N_SUPPORT], rows[:, N_FREE] = is_support @ each, is_free @ each
        decision = self._values(betas, test, K_test)
        decision += rows[:, OFFSET, None]
        decision *= self.sign
        last = Solved(float(self.Cs[len(rows) - 1]), qp.beta, qp.f)
        n_more = self.Cs.size - len(rows)
        if n_more:  # without a bounded support vector the last solution is that of every larger C, too
            decision = np.concatenate([decision, np.repeat(decision[-1:], n_more, axis=0)])
            rows = np.concatenate([rows, np.repeat(rows[-1:], n_more, axis=0)])
            rows[-n_more:, 0] = 0.0
        return FoldPath(decision, rows, last)

    def _values(self, betas: np.ndarray, test: np.ndarray, K_test: np.ndarray | None) -> np.ndarray:
        """Decision values of ``test`` without the offset, of shape (n_solved, n_test)."""
        if K_test is not None:  # few members are support vectors, and their rows are copied fast
            used = np.flatnonzero(betas.any(axis=0))
            return betas.take(used, axis=1) @ K_test.take(self.members[used], axis=0)
        values, start = 0.0, 0
        for piece in self.pieces:
            size = piece.stop - piece.start
            values = values + betas[:, start : start + size] @ self.K[test, piece].T
            start += size
        return np.asarray(values)

    def _mean_f(self, free: np.ndarray, beta: np.ndarray) -> float:
        """Mean of p − Kβ over ``free``, own terms apart: those of a narrow kernel hide all others.

        The others are in single precision, LIBSVM's for training: kernel values that vanish there must not
        decide labels here.
        """
        rows = self.K_members[free].astype(np.float32)
        rows[np.arange(len(rows)), np.flatnonzero(free)] = 0.0
        own = self.p - np.diagonal(self.K_members) * beta
        return float((own[free].sum() - (rows @ beta).sum()) / len(rows))

    def _start(self, limits: np.ndarray) -> BoxQP:
        """The seed, brought into these limits, less the least coefficients of the sign that now outweighs."""
        qp = self._problem(limits * self.Cs[0], np.empty_like(limits), self.seed.f.copy())
        np.minimum(np.maximum(self.seed.beta, qp.lo), qp.hi, out=qp.beta)
        # A coefficient that rounding leaves next to a bound would count as free, and the offset be its f.
        hair = HAIR * (qp.hi - qp.lo)
        np.copyto(qp.beta, qp.hi, where=qp.hi - qp.beta <= hair)
        np.copyto(qp.beta, qp.lo, where=qp.beta - qp.lo <= hair)
        try:  # another thread may take the last one between a look and a pop
            spare = self.spare.pop()
        except IndexError:
            spare = {}
        qp.pools = {dtype: pool.copy(spare.get(dtype)) for dtype, pool in self.seed.pools.items()}
        excess = float(qp.beta.sum())
        # The rounding of the sum is no excess: taken from a bounded variable it would make that one free.
        rounding = HAIR * float(np.abs(qp.beta).sum())
        signed = qp.beta if excess > 0.0 else -qp.beta
        heavier = (signed > 0.0).nonzero()[0] if abs(excess) > rounding else np.empty(0, int)
        sizes = signed[heavier]
        order = sizes.argsort(kind="stable")
        left = abs(excess)
        for t, size in zip(heavier[order].tolist(), sizes[order].tolist(), strict=True):
            if left <= rounding:
                break
            taken = left if left < size - rounding else size
            qp.beta[t] -= taken if excess > 0.0 else -taken
            left -= taken
        change = qp.beta - self.seed.beta
        rows = change.nonzero()[0]
        subtract_rows(qp.K, rows, change[rows], qp.f)
        return qp

    def _along_C(self, qp: BoxQP, limits: np.ndarray, last: Solved | None) -> tuple[np.ndarray, np.ndarray]:
        """Solve for increasing C from warm starts, up to the first without a bounded support vector.

        Returns the rows of the table of `smo_path`, shape (n_solved, 8), and β, shape (n_solved, n_members).
        """
        unit_lo, unit_hi = np.minimum(limits, 0.0), np.maximum(limits, 0.0)
        n_before = 0 if last is None else 1
        Cs = self.Cs if last is None else np.append(last.C, self.Cs)
        table, coefficients = np.zeros((Cs.size, N_COLUMNS)), np.empty((Cs.size, limits.size))
        n_done = n_before
        n_lost, n_waited = 0, 0  # guesses of the next solution that failed in a row; C without one since then
        while n_done < Cs.size:
            qp.lo, qp.hi = unit_lo, unit_hi
            n_done, is_solved = qp.path(self.p, Cs, n_done, self.tol, self.max_iter, coefficients, table)
            if is_solved:
                break
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
        return table[n_before:n_done], coefficients[n_before:n_done]

    def _solve_one(self, qp: BoxQP, beta: np.ndarray, row: np.ndarray, crawls: bool) -> bool:
        """Solve for the bounds of ``qp``, and say whether no support vector is bounded."""
        outcome = qp.minimise(self.tol, self.max_iter - int(row[0]), newton_first=crawls)
        n_support = np.count_nonzero(qp.beta)
        row[0] += outcome.n_iter
        row[1] = row[1] if outcome.is_convex else -1.0
        row[2:5] = outcome.gap, outcome.offset, outcome.n_free
        row[6:] = n_support, -0.5 * (qp.beta @ (self.p + qp.f))
        beta[:] = qp.beta
        return bool(outcome.converged and n_support == outcome.n_free)


def constant_path(Cs: np.ndarray, value: float, n_test: int, f: np.ndarray) -> FoldPath:
    """The path of a machine whose training part has no sample of one side: it answers the other.

    ``value`` is its decision value, and ``f`` what p − Kβ is without coefficients.
    """
    last = Solved(float(Cs[-1]), np.zeros(f.size), f.copy())
    return FoldPath(np.full((Cs.size, n_test), value), np.zeros((Cs.size, N_COLUMNS)), last)


def _blocks(K: np.ndarray, pieces: list[slice], n: int) -> np.ndarray:
    """The rows and columns of K that are in ``pieces``, n of each."""
    found, sizes = np.empty((n, n), K.dtype), [piece.stop - piece.start for piece in pieces]
    ends = np.cumsum(sizes)
    places = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    for rows, place in zip(pieces, places, strict=True):
        for columns, beside in zip(pieces, places, strict=True):
            found[place, beside] = K[rows, columns]
    return found


def contiguous(members: np.ndarray) -> list[slice]:
    """Increasing indices as slices: one for all samples, or one for each class of sorted ones."""
    breaks = np.flatnonzero(np.diff(members) != 1) + 1
    return [slice(int(part[0]), int(part[-1]) + 1) for part in np.split(members, breaks)]
