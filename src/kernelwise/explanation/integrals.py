"""Integrals that are the Shapley values of products of column factors.

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

import numpy as np

from kernelwise import _native

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
    _native.shapley_values(U, V, beta, nodes, weights, out)


def add_interactions(U: np.ndarray, V: np.ndarray, beta: np.ndarray, out: np.ndarray) -> None:
    """Add the Shapley interaction indices of pairs of columns to ``out``, (n_rows, d, d, n_machines).

    The other arrays are those of `add_values`; only the part above the diagonal is filled.
    """
    nodes, weights = nodes_for(max(U.shape[2] - 2, 0))
    _native.shapley_interactions(U, V, beta, nodes, weights, out)
