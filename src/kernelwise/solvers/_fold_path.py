"""The C path of one two-class machine on its folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._box_qp import BoxQP
from .multiclass import Machine

Fold = tuple[np.ndarray, np.ndarray]


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


def fold_paths(
    K: np.ndarray,
    machine: Machine,
    weight: np.ndarray,
    folds: list[Fold],
    Cs: np.ndarray,
    tol: float,
    max_iter: int,
) -> list[FoldPath]:
    """Solve one machine for every fold and every C, ``Cs`` increasing.

    Held-out members stay in the problem with both bounds at zero: their decision values come with the gradient.
    Those of held-out samples of other classes take one matrix product.
    """
    n = K.shape[0]
    members, signs = machine
    everyone = members.size == n
    Km = K if everyone else K[members][:, members]
    place = np.full(n, -1)
    place[members] = np.arange(members.size)
    paths = []
    for train, test in folds:
        unit = np.zeros(n)
        unit[train] = weight[train]
        qp = BoxQP(Km, np.zeros(members.size), signs.copy(), np.zeros(members.size), np.zeros(members.size))
        path, coefficients, offsets = _along_C(qp, signs, unit[members], Cs, tol, max_iter)
        member = place[test] >= 0
        decision = np.empty((Cs.size, test.size))
        decision[:, member] = path.decision[:, place[test[member]]]
        if not everyone:
            trained = np.flatnonzero(unit[members])
            block = K[np.ix_(members[trained], test[~member])]
            decision[:, ~member] = coefficients[:, trained] @ block + offsets[:, None]
        path.decision = decision
        paths.append(path)
    return paths


def _along_C(
    qp: BoxQP, signs: np.ndarray, unit: np.ndarray, Cs: np.ndarray, tol: float, max_iter: int
) -> tuple[FoldPath, np.ndarray, np.ndarray]:
    """Solve for increasing C from warm starts; decision values are of all members.

    Returns
    -------
    path : FoldPath
    coefficients : ndarray of shape (n_Cs, n_members)
    offsets : ndarray of shape (n_Cs,)
    """
    n_Cs = Cs.size
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
    unit_lo, unit_hi = np.where(signs < 0, -unit, 0.0), np.where(signs > 0, unit, 0.0)
    crawl = 0.0  # pair steps the next C would take without Newton steps
    for c, C in enumerate(Cs):
        if c > 0:
            _start_from(qp, signs, Cs[c - 1], C, unit)
        qp.lo, qp.hi = C * unit_lo, C * unit_hi
        outcome = qp.minimise(tol, max_iter, newton_first=crawl > qp.patience())
        crawl = 1.15 * crawl if outcome.n_newton else outcome.n_iter
        offsets[c] = qp.offset()
        coefficients[c] = qp.beta
        path.decision[c] = signs - qp.f + offsets[c]
        path.n_support[c] = np.count_nonzero(qp.beta)
        path.n_bounded[c] = np.count_nonzero(np.abs(qp.beta) == C * unit) - np.count_nonzero(unit == 0)
        path.objective[c] = -0.5 * (qp.beta @ (signs + qp.f))
        path.n_iter[c] = outcome.n_iter
        path.gap[c], path.converged[c], path.is_convex[c] = outcome.gap, outcome.converged, outcome.is_convex
        if path.n_bounded[c] == 0 and outcome.converged:
            break
    # With no bounded support vector the solution of this C is that of every larger one.
    for array in (
        path.decision, path.n_support, path.n_bounded, path.objective, path.gap, path.converged, path.is_convex,
        coefficients, offsets,
    ):
        array[c + 1 :] = array[c]
    return path, coefficients, offsets


def _start_from(qp: BoxQP, signs: np.ndarray, old: float, new: float, unit: np.ndarray) -> None:
    """Keep β or scale it with C, whichever has the lower objective; scaled, what was bounded stays bounded."""
    linear = signs @ qp.beta
    quadratic = qp.beta @ (signs - qp.f)
    s = new / old
    if 0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear:
        return
    bounded = np.abs(qp.beta) == old * unit
    qp.beta *= s
    np.copyto(qp.beta, signs * (new * unit), where=bounded)
    qp.f += (1.0 - s) * (signs - qp.f)
