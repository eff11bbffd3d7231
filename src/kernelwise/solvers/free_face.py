"""Linear systems on the free variables: one Cholesky factor, kept while variables join or leave."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm, dtrsv
from scipy.linalg.lapack import dgesv, dpotrf

RIDGES = (1e-12, 1e-9, 1e-6)  # relative to the mean of the diagonal
TINY = 1e-100  # products of smaller values are denormal numbers, a hundred times slower to handle
MOST = 0.3  # of the factored variables: with more changes than this a new factor is cheaper


class FreeFace:
    """Solves ``K_FF x + b 1 = f, 1ᵀx = total`` for one set F of variables after the other.

    The factor L Lᵀ = K_BB belongs to the set B of some earlier call. For F = B − D + N the system is bordered
    with the rows of N and with x_D = 0, and reduced to one of |N| + |D| unknowns (a Schur complement). What
    that needs of a variable, a column of L⁻¹K or of L⁻¹, is kept with the factor: most variables that join or
    leave do so several times. A ridge makes a singular K_BB solvable; the caller corrects its error, since it
    computes residuals from K itself.
    """

    def __init__(self, K: np.ndarray) -> None:
        self.K = K
        n = K.shape[0]
        self.ridge = 0.0
        self.rows, self.is_row = np.empty(0, int), np.zeros(n, bool)  # B
        self.factor, self.ones = np.empty((0, 0)), np.empty(0)
        self.column, self.n_columns = np.full(n, -1), 0  # of each variable in `border`
        self.border, self.products = np.empty((0, 0)), np.empty((0, 0))

    def solve(self, is_free: np.ndarray, f: np.ndarray, total: float) -> tuple[np.ndarray, float] | None:
        """x, zero where not free, and b of K_FF x + b 1 = f_F and Σx = ``total``.

        ``f`` and x have the shape (n,). Returns None if K_FF is not positive definite.
        """
        joined, lost = (is_free > self.is_row).nonzero()[0], (is_free < self.is_row).nonzero()[0]
        if not self._add_columns(joined, lost):
            if not self._factor(is_free.nonzero()[0]):
                return None
            joined = lost = joined[:0]
        # With L⁻¹f and L⁻¹1 the sums of K⁻¹f and K⁻¹1 are products: b is known before the one solve with Lᵀ.
        half = np.empty((self.rows.size, 2), order="F")
        half[:, 0] = dtrsv(self.factor, f[self.rows], lower=1)
        half[:, 1] = self.ones
        x = np.zeros(f.size)
        sums = np.zeros(2)
        if joined.size or lost.size:
            k, at = joined.size, self.column[np.concatenate([joined, lost])]
            border = self.border[:, : self.n_columns]
            small = -self.products[at[:, None], at]
            small[:k, :k] += self.K[joined[:, None], joined]
            small.flat[: k * (at.size + 1) : at.size + 1] += self.ridge
            right = -(half.T @ border)[:, at].T
            right[:k, 0] += f[joined]
            right[:k, 1] += 1.0
            _, _, unknowns, info = dgesv(small, right)
            if info:
                return None
            weights = np.zeros((self.n_columns, 2))
            weights[at] = unknowns
            half -= border @ weights
            sums = unknowns[:k].sum(axis=0)
        sums = sums + self.ones @ half
        b = (sums[0] - total) / sums[1]
        if joined.size:
            x[joined] = unknowns[:k, 0] - b * unknowns[:k, 1]
        x[self.rows] = dtrsv(self.factor, half[:, 0] - b * half[:, 1], lower=1, trans=1)
        x[lost] = 0.0
        return x, float(b)

    def forget(self) -> None:
        """Factor anew in the next call if what is free then is not what the factor has."""
        self.border = self.border[:, :0]

    def _add_columns(self, joined: np.ndarray, lost: np.ndarray) -> bool:
        """Extend the border by these variables; False if there is no room."""
        joined, lost = joined[self.column[joined] < 0], lost[self.column[lost] < 0]
        start, k = self.n_columns, joined.size
        stop = start + k + lost.size
        if stop > self.border.shape[1] or self.rows.size == 0:
            return False
        if stop > start:
            new = np.zeros((self.rows.size, stop - start), order="F")
            new.T[:k] = self.K[joined[:, None], self.rows]
            new[np.searchsorted(self.rows, lost), np.arange(k, stop - start)] = 1.0
            new = dtrsm(1.0, self.factor, new, lower=1, overwrite_b=1)
            self.border[:, start:stop] = new
            products = self.border[:, :stop].T @ new
            self.products[:stop, start:stop], self.products[start:stop, :stop] = products, products.T
            self.column[joined] = np.arange(start, start + k)
            self.column[lost] = np.arange(start + k, stop)
            self.n_columns = stop
        return True

    def _factor(self, rows: np.ndarray) -> bool:
        """Factor K of these rows, plus the smallest ridge that makes it positive definite."""
        # A symmetric matrix in C order is its own transpose in Fortran's, which LAPACK wants.
        square = np.ascontiguousarray(self.K.take(rows, 0).take(rows, 1), dtype=np.float64)
        factor, self.ridge = cholesky(square.T)
        if factor is None:
            return False
        self.rows, self.factor = rows, factor
        self.ones = dtrsv(factor, np.ones(rows.size), lower=1)  # L⁻¹1
        self.is_row[:], self.column[:], self.n_columns = False, -1, 0
        self.is_row[rows] = True
        room = int(MOST * rows.size)
        self.border, self.products = np.empty((rows.size, room), order="F"), np.empty((room, room))
        return True


def cholesky(A: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Lower Cholesky factor of ``A`` plus the smallest ridge that makes it positive definite, and the ridge.

    ``A`` is in Fortran's order, and changed; None if no ridge is large enough.
    """
    if A.min(initial=1.0) < TINY:  # nearly always false for a Gaussian kernel: a look is enough
        A[np.abs(A) < TINY] = 0.0
    diagonal = np.diagonal(A).copy()
    for ridge in RIDGES:
        np.fill_diagonal(A, diagonal + ridge * diagonal.mean())
        factor, info = dpotrf(A, lower=1, clean=0)
        if info == 0:
            return factor, float(ridge * diagonal.mean())
    return None, 0.0
