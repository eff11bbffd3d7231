"""Machines whose kernels are products over columns, or linear, and their exact Shapley values.

The values are integrals. For one support vector let u_j be the factor of column j of the explained row, and
v_j that of the column when it is absent. A coalition S has the value ∏_{j∈S} u_j ∏_{j∉S} v_j. The weights of
the Shapley value are beta integrals, q!(d − 1 − q)!/d! = ∫ t^q (1 − t)^(d−1−q) dt over [0, 1],
so that

    φ_j = (u_j − v_j) ∫ ∏_{l≠j} (t u_l + (1 − t) v_l) dt,

a polynomial of degree d − 1 in t, which Gauss and Legendre's rule of ⌈d/2⌉ nodes integrates exactly. All
terms are products of numbers between 0 and 1 for the kernels here: nothing cancels, whatever the number of
columns. The interaction of two columns has the product over all others, of degree d − 2.

About 3√d nodes are enough for all digits of a double. On the ellipse with the foci 0 and 1 and the parameter
ρ no factor is larger than 1 + δ, δ = (ρ + 1/ρ − 2)/4, so that a rule of n nodes is at most
(64/15) (1 + δ)^degree ρ^(−2n)/(1 − ρ^(−2)) away from the integral, whatever ρ (Trefethen 2008, Theorem 4.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from joblib import delayed

from kernelwise import _native
from kernelwise._core.threads import one_blas_thread, threads
from kernelwise.export import PlainModel, Term

#: Error of an integral that is lost in rounding: the integrand is at most 1.
LARGEST_ERROR = 1e-17
#: Distances that are sums over columns, so that exp(−s·D) is a product over them.
DIFFERENCES: dict[str, Callable[..., np.ndarray]] = {"sqeuclidean": np.square, "cityblock": np.abs}
#: Numbers of an array of factors, at most: 32 MiB.
MOST_NUMBERS = 1 << 22


@lru_cache
def nodes_for(degree: int, largest_error: float = LARGEST_ERROR) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in (0, 1) and weights, each (n_nodes,), for products of ``degree`` factors a + t·(b − a).

    The numbers a and b are between 0 and 1. The rule is exact, or no farther than ``largest_error`` from
    that, by default as good as exact in double precision.
    """
    exact = max(1, degree // 2 + 1)
    rho = 1.0 + np.geomspace(1e-3, 10.0, 400)
    bulge = (rho + 1.0 / rho - 2.0) / 4.0
    error = np.log(64.0 / 15.0) + degree * np.log1p(bulge) - np.log1p(-(rho**-2.0))
    enough = np.min((error - np.log(largest_error)) / (2.0 * np.log(rho)))
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


def is_product(plain: PlainModel) -> bool:
    """Whether every kernel of a machine is a product over columns, or linear."""
    return all(_is_product(term) or _is_linear(term) for term in plain.terms)


def _is_product(term: Term) -> bool:
    return term.form in DIFFERENCES and (term.L is None or term.L.ndim == 1)


def _is_linear(term: Term) -> bool:
    return term.form == "linear" and term.L is None


@dataclass(frozen=True)
class Products:
    """A machine f(x) = b + wᵀx + Σ_terms Σ_i β_i ∏_columns k(x, z_i), and how to compute its factors.

    ``group``, of shape (n_features,), is the column of the user's table, of ``n_columns``, that each feature
    belongs to: those of a word that is coded by several features are present or absent together.
    """

    plain: PlainModel
    group: np.ndarray
    n_columns: int

    def _summed(self, values: np.ndarray) -> np.ndarray:
        """Sums over the features of each column, from (…, n_features) to (…, n_columns)."""
        if np.array_equal(self.group, np.arange(self.n_columns)):
            return values
        order = np.argsort(self.group, kind="stable")
        columns, starts = np.unique(self.group[order], return_index=True)
        sums = np.zeros((*values.shape[:-1], self.n_columns))  # a column may have no feature
        sums[..., columns] = np.add.reduceat(values[..., order], starts, axis=-1)
        return sums

    @property
    def _products(self) -> list[Term]:
        return [term for term in self.plain.terms if _is_product(term)]

    @property
    def _weights(self) -> np.ndarray:
        """Weights of the features in linear kernels, (n_machines, n_features)."""
        nothing = np.zeros((len(self.plain.intercept), len(self.plain.support)))
        beta = sum((term.weight * term.beta for term in self.plain.terms if _is_linear(term)), nothing)
        return np.asarray(beta @ self.plain.support)

    def scaled(self, X: np.ndarray) -> np.ndarray:
        """Rows as the machine takes them, of shape (n_rows, n_features)."""
        return np.ascontiguousarray((np.asarray(X, dtype=float) - self.plain.shift) * self.plain.factor)

    def factors(self, term: Term, Z: np.ndarray, support: np.ndarray) -> np.ndarray:
        """Factors of every row, support vector and column, (n_rows, n_support, n_columns)."""
        scale = 1.0 if term.L is None else term.L
        differences = (scale * Z)[:, None, :] - (scale * support)[None, :, :]
        exponents = self._summed(DIFFERENCES[term.form](differences, out=differences))
        exponents *= -term.scale
        return np.exp(exponents, out=exponents)

    def values(self, X: np.ndarray, background: np.ndarray | None, n_jobs: int | None) -> np.ndarray:
        """Shapley values of shape (n_rows, n_columns, n_machines).

        Without ``background`` an absent column has the factor one, and 0 in linear kernels. With it the value
        of a coalition is the mean over background rows of f of the row with its absent columns from there.
        """
        shape = len(X), self.n_columns, len(self.plain.intercept)
        found = self._blocks(X, background, shape, add_values, n_jobs)
        away = self.scaled(X) - (0.0 if background is None else self.scaled(background).mean(axis=0))
        for m, weights in enumerate(self._weights):
            found[:, :, m] += self._summed(weights * away)
        return found

    def interactions(self, X: np.ndarray, background: np.ndarray | None, n_jobs: int | None) -> np.ndarray:
        """Shapley interaction indices, symmetric, of shape (n_rows, n_columns, n_columns, n_machines)."""
        d = self.n_columns
        shape = len(X), d, d, len(self.plain.intercept)
        found = self._blocks(X, background, shape, add_interactions, n_jobs)
        return found + found.transpose(0, 2, 1, 3)

    def absent(self, background: np.ndarray | None) -> np.ndarray:
        """The value of no column, (n_machines,): of factors one, or the mean over background rows."""
        if background is None:
            return self.plain.intercept + sum(term.weight * term.beta.sum(axis=1) for term in self._products)
        return self.plain.machine_values(background).mean(axis=0)

    def _blocks(
        self,
        X: np.ndarray,
        background: np.ndarray | None,
        shape: tuple[int, ...],
        add: Callable[..., None],
        n_jobs: int | None,
    ) -> np.ndarray:
        """Sums over terms, support vectors and background rows in blocks of bounded memory."""
        Z, out = self.scaled(X), np.zeros(shape)
        B = None if background is None else self.scaled(background)
        with one_blas_thread():
            for term in self._products:
                for rows, absent in self._parts(1 if B is None else len(B)):
                    part = None if B is None else B[absent]
                    share = 1.0 if B is None or part is None else len(part) / len(B)
                    self._add(term, share, self.plain.support[rows], rows, Z, part, out, add, n_jobs)
        return out

    def _add(
        self,
        term: Term,
        share: float,
        support: np.ndarray,
        rows: slice,
        Z: np.ndarray,
        B: np.ndarray | None,
        out: np.ndarray,
        add: Callable[..., None],
        n_jobs: int | None,
    ) -> None:
        """Add what one term contributes for some support vectors and background rows, rows in threads."""
        beta = np.ascontiguousarray(share * term.weight * term.beta[:, rows])
        V = np.ones((1, len(support), self.n_columns)) if B is None else self.factors(term, B, support)
        size = max(1, MOST_NUMBERS // (len(support) * len(self.group)))

        def block(first: int) -> None:
            part = slice(first, first + size)
            add(self.factors(term, Z[part], support), V, beta, out[part])

        threads(n_jobs)(delayed(block)(first) for first in range(0, len(Z), size))

    def _parts(self, n_absent: int) -> Iterator[tuple[slice, slice]]:
        """Support vectors and background rows whose factors are few enough to hold."""
        d = len(self.group)
        n_together = min(n_absent, max(1, MOST_NUMBERS // d))
        size = max(1, MOST_NUMBERS // (n_together * d))
        for first in range(0, len(self.plain.support), size):
            for other in range(0, n_absent, n_together):
                yield slice(first, first + size), slice(other, other + n_together)
