"""From the solution for one C to that for the next, where pair steps crawl."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise.solvers.box_qp import BoxQP
from kernelwise.solvers.products import subtract

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
