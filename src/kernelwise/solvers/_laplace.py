"""Sums of exp(−γD) over pairs of classes, for any γ, from the histograms of the squared distances D."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy import sparse

from kernelwise.criteria.sums import ClassSums

from ._bins import N_MOMENTS
from ._blocks import class_pairs

# Numbers in the table of exponentials that is held at once.
TABLE = 1 << 20


@dataclass(frozen=True)
class PairHistograms:
    """Histograms of all ordered pairs of samples, the pairs of a sample with itself included.

    Attributes
    ----------
    n : ndarray of shape (n_classes,)
        Total weights of the classes.
    centres, half_widths : ndarray of shape (n_bins,)
    moments : ndarray of shape (n_class_pairs, n_bins, 4)
        Σ w_i w_j vʲ with D = centre + half_width · v, for classes a ≤ b.
    """

    n: np.ndarray
    centres: np.ndarray
    half_widths: np.ndarray
    moments: np.ndarray

    def sums(self, gammas: np.ndarray, order: int = 0, *, minus_one: bool = False) -> np.ndarray:
        """The ``order``-th derivative of S_ab by γ, shape (n_gammas, n_classes, n_classes).

        With ``minus_one`` that of Σ (exp(−γD) − 1), which keeps its digits as γ → 0.
        """
        flat = self.moments.reshape(len(self.moments), -1).T
        step = max(1, TABLE // len(flat))
        pieces = [
            self._table(gammas[k : k + step], order, minus_one) @ flat for k in range(0, len(gammas), step)
        ]
        a, b = np.array(class_pairs(len(self.n))).T
        S = np.empty((len(gammas), len(self.n), len(self.n)))
        S[:, a, b] = S[:, b, a] = np.concatenate(pieces)
        return S

    def _table(self, gammas: np.ndarray, order: int, minus_one: bool) -> np.ndarray:
        """Taylor coefficients of (−D)^order exp(−γD) by powers of v, shape (n_gammas, n_bins · 4).

        D = m + hv: the coefficient of vʲ is exp(−γm) Σ_i C(order, i) m^(order−i) hⁱ (−γh)^(j−i) / (j−i)!.
        """
        m, h = self.centres, self.half_widths
        exponentials = np.exp(-np.outer(gammas, m))
        # h ≤ m, so that exp(−γm) is zero where γh is cut; a power of it must not overflow.
        step = -np.minimum(np.outer(gammas, h), 1e4)
        powers = [exponentials]
        for j in range(1, N_MOMENTS):
            powers.append(powers[-1] * step / j)
        table = np.empty((len(gammas), len(m), N_MOMENTS))
        for j in range(N_MOMENTS):
            terms = [
                comb(order, i) * m ** (order - i) * h**i * powers[j - i] for i in range(min(order, j) + 1)
            ]
            table[:, :, j] = (-1.0) ** order * sum(terms)
        if minus_one and order == 0:
            table[:, :, 0] = np.expm1(-np.outer(gammas, m))
        return table.reshape(len(gammas), -1)

    def merge(self, groups: np.ndarray) -> PairHistograms:
        """Histograms of classes put together; ``groups`` as in :meth:`ClassSums.merge`."""
        a, b = np.array(class_pairs(len(self.n))).T
        u, v = np.array(class_pairs(len(groups))).T
        shares = groups[u][:, a] * groups[v][:, b] + np.where(a == b, 0.0, groups[u][:, b] * groups[v][:, a])
        flat = sparse.csr_array(shares) @ self.moments.reshape(len(self.moments), -1)
        moments = flat.reshape(len(u), *self.moments.shape[1:])
        return PairHistograms(groups @ self.n, self.centres, self.half_widths, moments)

    def class_sums(self, gammas: np.ndarray, *, minus_one: bool = False, squares: bool = False) -> ClassSums:
        """The record that criteria take, for every γ; of the kernel minus one if ``minus_one``."""
        t = np.zeros_like(self.n) if minus_one else self.n
        S2 = self.sums(2.0 * gammas) if squares else None
        return ClassSums(
            self.n, np.broadcast_to(t, (len(gammas), len(t))), self.sums(gammas, minus_one=minus_one), S2
        )

    def median_distance(self) -> float:
        """Median of the squared distances above zero (to the width of a bin); zero if there are none."""
        counts = self.moments[:, :, 0].sum(axis=0)
        total = np.cumsum(np.where(self.centres > 0, counts, 0.0))
        if not len(total) or total[-1] <= 0:
            return 0.0
        return float(self.centres[np.searchsorted(total, total[-1] / 2.0)])
