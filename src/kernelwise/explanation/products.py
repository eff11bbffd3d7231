"""Machines whose kernels are products over columns, and their exact Shapley values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise.explanation.compiled import add_interactions, add_values
from kernelwise.export.plain_model import PlainModel, Term

#: Distances that are sums over columns, so that exp(−s·D) is a product over them.
DIFFERENCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {"sqeuclidean": np.square, "cityblock": np.abs}
#: Numbers of an array of factors, at most: 32 MiB.
MOST_NUMBERS = 1 << 22


def is_product(plain: PlainModel) -> bool:
    """Whether every kernel of a machine is a product over columns."""
    return all(term.form in DIFFERENCES and _is_diagonal(term) for term in plain.terms)


def _is_diagonal(term: Term) -> bool:
    return term.L is None or term.L.ndim == 1


@dataclass(frozen=True)
class Products:
    """A machine f(x) = b + Σ_terms Σ_i β_i ∏_groups k(x, z_i), and how to compute its factors.

    ``group``, of shape (n_features,), is the column of the user's table that each feature belongs to: those
    of a word that is coded by several features are present or absent together.
    """

    plain: PlainModel
    group: np.ndarray

    @property
    def n_columns(self) -> int:
        """Columns that are explained."""
        return int(self.group.max()) + 1

    def scaled(self, X: np.ndarray) -> np.ndarray:
        """Rows as the machine takes them, of shape (n_rows, n_features)."""
        return np.ascontiguousarray((np.asarray(X, dtype=float) - self.plain.shift) * self.plain.factor)

    def factors(self, term: Term, Z: np.ndarray, support: np.ndarray) -> np.ndarray:
        """Factors of every row, support vector and column, (n_rows, n_support, n_columns)."""
        difference = DIFFERENCES[term.form]
        exponents = np.zeros((len(Z), len(support), self.n_columns))
        scale = np.ones(Z.shape[1]) if term.L is None else term.L
        for k, column in enumerate(self.group):
            exponents[:, :, column] += difference(scale[k] * (Z[:, k, None] - support[None, :, k]))
        return np.exp(-term.scale * exponents)

    def values(self, X: np.ndarray, background: np.ndarray | None, n_jobs: int | None) -> np.ndarray:
        """Shapley values of shape (n_rows, n_columns, n_machines).

        Without ``background`` an absent column has the factor one. With it the value of a coalition is the
        mean over background rows of f of the row with its absent columns from there.
        """
        shape = len(X), self.n_columns, len(self.plain.beta)
        return self._blocks(X, background, shape, add_values, n_jobs)

    def interactions(self, X: np.ndarray, background: np.ndarray | None, n_jobs: int | None) -> np.ndarray:
        """Shapley interaction indices, symmetric, of shape (n_rows, n_columns, n_columns, n_machines)."""
        d = self.n_columns
        found = self._blocks(X, background, (len(X), d, d, len(self.plain.beta)), add_interactions, n_jobs)
        return found + found.transpose(0, 2, 1, 3)

    def absent(self, background: np.ndarray | None) -> np.ndarray:
        """The value of no column, (n_machines,): of factors one, or the mean over background rows."""
        if background is None:
            weights = sum(term.weight for term in self.plain.terms)
            return np.asarray(self.plain.intercept + weights * self.plain.beta.sum(axis=1))
        return self.plain.machine_values(background).mean(axis=0)

    def _blocks(
        self, X: np.ndarray, background: np.ndarray | None, shape: Any, add: Any, n_jobs: int | None
    ) -> np.ndarray:
        """Sums over terms and support vectors, in blocks of bounded memory, rows in threads."""
        Z, out = self.scaled(X), np.zeros(shape)
        B = None if background is None else self.scaled(background)
        with one_blas_thread():
            for term, rows in self._parts(1 if B is None else len(B)):
                self._add(term, rows, Z, B, out, add, n_jobs)
        return out

    def _add(
        self, term: Term, rows: slice, Z: np.ndarray, B: np.ndarray | None, out: Any, add: Any, n_jobs: Any
    ) -> None:
        """Add what one term and some support vectors contribute."""
        support = self.plain.support[rows]
        beta = np.ascontiguousarray(term.weight * self.plain.beta[:, rows])
        V = np.ones((1, len(support), self.n_columns)) if B is None else self.factors(term, B, support)
        size = max(1, MOST_NUMBERS // (len(support) * self.n_columns))

        def block(first: int) -> None:
            part = slice(first, first + size)
            add(self.factors(term, Z[part], support), V, beta, out[part])

        threads(n_jobs)(delayed(block)(first) for first in range(0, len(Z), size))

    def _parts(self, n_absent: int) -> Iterator[tuple[Term, slice]]:
        """Every term with support vectors whose absent factors are few enough to hold."""
        size = max(1, MOST_NUMBERS // (n_absent * self.n_columns))
        for term in self.plain.terms:
            for first in range(0, len(self.plain.support), size):
                yield term, slice(first, first + size)
