"""The one-class machine without a Gram matrix, by working sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import Samples
from kernelwise._core.validation import check_positive, check_weights
from kernelwise.solvers.box_qp import BoxQP, InUnits, unit_of_kernel
from kernelwise.solvers.dual import iteration_cap, warn_of
from kernelwise.solvers.kernel_rows import KernelRows
from kernelwise.solvers.one_class import (
    OneClassSolution,
    check_nu,
    inner_offset,
    limit_of,
    shift_total,
    solve_one_class,
)
from kernelwise.solvers.working_sets import WorkingSets

#: Rows of the sample whose machine says which rows to begin with.
SAMPLE = 2000


def solve_one_class_by_rows(
    kernel: Callable[..., np.ndarray],
    X: Samples,
    nu: float = 0.5,
    *,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    memory_limit: int = 2**30,
) -> OneClassSolution:
    """Train a one-class machine without its Gram matrix; ``kernel(X, Y)`` returns one.

    Only rows of support vectors are computed, of which there are ν n at least. ``memory_limit`` is in bytes
    of kernel values. All else is as in :func:`~kernelwise.solvers.solve_one_class`.
    """
    check_nu(nu, "solve_one_class_by_rows")
    check_positive(tol, "tol", "solve_one_class_by_rows")
    weight = check_weights(sample_weight, X.shape[0])
    unit = unit_of_kernel(kernel, X)
    if unit != 1.0:
        kernel = InUnits(kernel, unit)
    rows = KernelRows(kernel, X, memory_limit // 2)
    return one_class_on_rows(rows, weight, nu, tol, max_iter, rows.rest_of(memory_limit), unit)


def one_class_on_rows(
    rows: Any,
    weight: np.ndarray,
    nu: float,
    tol: float,
    max_iter: int,
    memory_limit: int,
    unit: float = 1.0,
) -> OneClassSolution:
    """The same for any rows that have what `WorkingSets` asks of them, in units of kernel values.

    Here Σβ is one, so that f is of the size of kernel values, as working sets expect it.
    """
    n, total = weight.size, float(nu * weight.sum())
    scale, beta = _start(rows, weight, nu, tol)
    f = np.zeros(n)
    support = np.flatnonzero(beta)
    rows.subtract(support, beta[support], f)
    limit, hi = limit_of(tol, scale, total, unit) / total, weight / total
    in_units = unit * total
    sets = WorkingSets(rows, beta, f, np.zeros(n), hi, memory_limit)
    if nu < 1.0:
        outcome = sets.minimise(limit, iteration_cap(max_iter, n))
        warn_of(outcome._replace(gap=in_units * outcome.gap), in_units * limit, has_C=False)
        n_iter, gap, converged, offset = outcome.n_iter, outcome.gap, outcome.converged, -outcome.offset
    else:
        n_iter, gap, converged, offset = 0, 0.0, True, -float(f[beta > 0].min())
    low, high = -float(f[beta > 0].min()), -float(f[beta < hi].max(initial=-np.inf))
    objective = 0.5 * float(beta @ -f)
    duality_gap = 2.0 * objective - offset + hi @ np.maximum(0.0, offset + f)
    return OneClassSolution(
        beta=total * beta,
        offset=in_units * offset,
        low=in_units * low,
        high=in_units * high,
        inner_offset=in_units * inner_offset(offset, high, scale, beta),
        scores=-in_units * f,
        objective=in_units * total * objective,
        n_iter=n_iter,
        gap=in_units * gap,
        duality_gap=in_units * total * float(duality_gap),
        converged=converged,
    )


def _start(rows: Any, weight: np.ndarray, nu: float, tol: float) -> tuple[float, np.ndarray]:
    """The mean k(x, x), and β, which sums to one, from the machine of a sample.

    The samples with the lowest scores by that machine are at their bounds; if most of its support vectors
    are free, as with a narrow kernel, all samples begin alike.
    """
    used = np.flatnonzero(weight)
    some = np.sort(np.random.default_rng(0).permutation(used)[:SAMPLE])
    K = rows.square(some)
    scale = float(np.average(np.abs(np.diagonal(K)), weights=weight[some])) or 1.0
    total = weight.sum()
    sampled = solve_one_class(K, nu, sample_weight=weight[some], tol=tol, check=False)
    is_free = (sampled.beta > 0) & (sampled.beta < weight[some])
    if nu == 1.0 or sampled.beta[is_free].sum() > 0.5 * sampled.beta.sum():
        return scale, weight / total
    scores = np.zeros(weight.size)
    support = np.flatnonzero(sampled.beta)
    rows.subtract(some[support], sampled.beta[support], scores)
    outer = BoxQP(K, np.zeros(weight.size), scores, np.zeros(weight.size), weight / (nu * total))
    shift_total(outer, 1.0)
    return scale, outer.beta
