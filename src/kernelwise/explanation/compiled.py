"""Compiled loops of the Shapley values of products of column factors.

For one support vector let u_j be the factor of column j of the explained row, and v_j that of the column when
it is absent. A coalition S has the value ∏_{j∈S} u_j ∏_{j∉S} v_j. The weights of the Shapley value are beta
integrals, q!(d − 1 − q)!/d! = ∫ t^q (1 − t)^(d−1−q) dt over [0, 1], so that

    φ_j = (u_j − v_j) ∫ ∏_{l≠j} (t u_l + (1 − t) v_l) dt,

a polynomial of degree d − 1 in t, which Gauss and Legendre's rule of ⌈d/2⌉ nodes integrates exactly. All
terms are products of numbers between 0 and 1 for the kernels here: nothing cancels, whatever the number of
columns. The interaction of two columns has the product over all others, of degree d − 2.

About 3√d nodes are enough for all digits of a double. On the ellipse with the foci 0 and 1 and the parameter
ρ no factor is larger than 1 + δ, δ = (ρ + 1/ρ − 2)/4, so that a rule of n nodes is at most
(64/15) (1 + δ)^degree ρ^(−2n)/(1 − ρ^(−2)) away from the integral, whatever ρ (Trefethen 2008, Theorem 4.5).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from kernelwise._core.compile import check_shapes, compiled_later
from kernelwise._core.llvm.values import at, inner

#: Types of what both compiled functions take first: U, V, beta, nodes and weights, and all numbers of them.
FACTORS = "float64[] float64[] float64[] float64[] float64[] int64 int64 int64 int64 int64 int64"
FAST = ("reassoc", "contract")
#: Error of an integral that is lost in rounding: the integrand is at most 1.
LARGEST_ERROR = 1e-17


@lru_cache
def nodes_for(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in (0, 1) and weights, each (n_nodes,), for products of ``degree`` factors a + t·(b − a).

    The numbers a and b are between 0 and 1. The rule is exact, or as good as that in double precision.
    """
    exact = max(1, degree // 2 + 1)
    rho = 1.0 + np.geomspace(1e-3, 10.0, 400)
    bulge = (rho + 1.0 / rho - 2.0) / 4.0
    error = np.log(64.0 / 15.0) + degree * np.log1p(bulge) - np.log1p(-(rho**-2.0))
    enough = np.min((error - np.log(LARGEST_ERROR)) / (2.0 * np.log(rho)))
    x, w = np.polynomial.legendre.leggauss(min(exact, int(np.ceil(enough))))
    return (x + 1.0) / 2.0, w / 2.0


def add_values(U: np.ndarray, V: np.ndarray, beta: np.ndarray, out: np.ndarray) -> None:
    """Add the Shapley values of Σ_i β_mi ∏_j u_ij, averaged over absent factors, to ``out``.

    Parameters
    ----------
    U : ndarray of shape (n_rows, n_support, n_columns)
        Factors of the explained rows.
    V : ndarray of shape (n_absent, n_support, n_columns)
        Factors of absent columns, one set for each background row.
    beta : ndarray of shape (n_machines, n_support)
    out : ndarray of shape (n_rows, n_columns, n_machines)
    """
    nodes, weights = nodes_for(U.shape[2] - 1)
    (n_rows, n_support, d), n_machines = U.shape, len(beta)
    check_shapes((V, (len(V), n_support, d)), (beta, (n_machines, n_support)), (out, (n_rows, d, n_machines)))
    factors = U, V, beta, nodes, weights, *U.shape, len(V), nodes.size, len(beta)
    _values(*factors, np.empty((d + 1, nodes.size)), np.empty(d), out)


def add_interactions(U: np.ndarray, V: np.ndarray, beta: np.ndarray, out: np.ndarray) -> None:
    """Add the Shapley interaction indices of pairs of columns to ``out``, (n_rows, d, d, n_machines).

    The other arrays are those of `add_values`; only the part above the diagonal is filled.
    """
    nodes, weights = nodes_for(max(U.shape[2] - 2, 0))
    (n_rows, n_support, d), n_machines = U.shape, len(beta)
    check_shapes(
        (V, (len(V), n_support, d)), (beta, (n_machines, n_support)), (out, (n_rows, d, d, n_machines))
    )
    factors = U, V, beta, nodes, weights, *U.shape, len(V), nodes.size, len(beta)
    _interactions(*factors, np.empty((d, d)), out)


@compiled_later(f"{FACTORS} float64[] float64[] float64[]")
@inner(fastmath=FAST)
def _values(
    U: Any,
    V: Any,
    beta: Any,
    nodes: Any,
    weights: Any,
    n_rows: int,
    n_support: int,
    d: int,
    n_absent: int,
    n_nodes: int,
    n_machines: int,
    products: Any,
    found: Any,
    out: Any,
) -> None:
    behind = at(products, d * n_nodes)
    for q in range(n_nodes):
        products[q] = weights[q]
    for i in range(n_rows):
        for s in range(n_support):
            us = at(U, (i * n_support + s) * d)
            for j in range(d):
                found[j] = 0.0
            for b in range(n_absent):
                vs = at(V, (b * n_support + s) * d)
                for j in range(d - 1):  # at each node products over the columns before the next one
                    v, slope = vs[j], us[j] - vs[j]
                    before, after = at(products, j * n_nodes), at(products, (j + 1) * n_nodes)
                    for q in range(n_nodes):
                        after[q] = before[q] * (v + nodes[q] * slope)
                for q in range(n_nodes):
                    behind[q] = 1.0
                for j in range(d - 1, -1, -1):  # and over those behind it
                    v, slope, before, total = vs[j], us[j] - vs[j], at(products, j * n_nodes), 0.0
                    for q in range(n_nodes):
                        total += before[q] * behind[q]
                        behind[q] *= v + nodes[q] * slope
                    found[j] += slope * total
            for j in range(d):
                for m in range(n_machines):
                    out[(i * d + j) * n_machines + m] += beta[m * n_support + s] * found[j] / n_absent


@compiled_later(f"{FACTORS} float64[] float64[]")
@inner(fastmath=FAST)
def _interactions(
    U: Any,
    V: Any,
    beta: Any,
    nodes: Any,
    weights: Any,
    n_rows: int,
    n_support: int,
    d: int,
    n_absent: int,
    n_nodes: int,
    n_machines: int,
    found: Any,
    out: Any,
) -> None:
    for i in range(n_rows):
        for s in range(n_support):
            us = at(U, (i * n_support + s) * d)
            for j in range(d * d):
                found[j] = 0.0
            for b in range(n_absent):
                vs = at(V, (b * n_support + s) * d)
                for j in range(d):
                    for k in range(j + 1, d):
                        total = 0.0
                        for q in range(n_nodes):
                            product = weights[q]
                            for other in range(d):
                                if other != j and other != k:
                                    v = vs[other]
                                    product *= v + nodes[q] * (us[other] - v)
                            total += product
                        found[j * d + k] += (us[j] - vs[j]) * (us[k] - vs[k]) * total
            for j in range(d):
                for k in range(j + 1, d):
                    sums = at(out, ((i * d + j) * d + k) * n_machines)
                    for m in range(n_machines):
                        sums[m] += beta[m * n_support + s] * found[j * d + k] / n_absent
