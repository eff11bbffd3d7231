"""Histograms of squared distances D, and sums of exp(−γD) over pairs of classes from them, for any γ.

The native core fills the bins. A squared distance is binned by the leading bits of the float
x = 1 + D/bottom: 2^8 bins in every octave of x, no logarithm. Far above ``bottom`` the bins have equal
relative widths, below it equal widths, so that near-duplicates keep their distances; D = 0 has bin 0 to
itself. A bin keeps Σ w vʲ, j = 0 … 3, with the place v ∈ [−1, 1] of D in the bin: what a Taylor series of
exp(−γD) about its centre needs. Its remainder is (γD/512)⁴/24 of a term, 7e-8 at exp(−γD) = 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb, factorial

import numpy as np
from scipy import sparse

from kernelwise._core.threads import cached_property
from kernelwise.criteria.sums import ClassSums, check_pairs
from kernelwise.sketch.pair_blocks import class_pairs

N_MOMENTS = 4
# Counted pairs have three sums in each half of a bin instead: count, Σt and Σt² of the places t ∈ [0, 1).
N_SUMS = 6
BINS_PER_OCTAVE = 256
FINE_PER_BIN = 2
# Bits of a double: the mantissa has 52, of which a bin number takes 8 after the exponent.
SHIFT, FIRST = np.uint64(44), 1023 << 8
# Two words per fine bin: the number of pairs (20 bits) with the sum of their places t in 1/2^24 of the bin
# (44 bits), and the sum of t² in 1/2^40. Words must be emptied before 2^20 pairs.
MAX_PACKED = (1 << 20) - 1
COUNT_SHIFT = np.uint64(44)
SUM_MASK = np.uint64((1 << 44) - 1)


@dataclass(frozen=True)
class Bins:
    """Where the bins lie: equally wide below ``bottom``, a power of two; of equal relative width above."""

    bottom: float
    n_octaves: int

    @classmethod
    def covering(cls, typical: float, largest: float) -> Bins:
        """Bins for squared distances up to ``largest`` that resolve those far below a ``typical`` one."""
        if largest <= 0:
            return cls(1.0, 1)
        # exp(−γD) then needs no more than the moments of the lowest bin up to γ = 2^36 / typical.
        exponent = max(np.floor(np.log2(typical)) - 40, np.floor(np.log2(largest)) - 900, -1020.0)
        bottom = 2.0**exponent
        return cls(float(bottom), int(np.floor(np.log2(1.0 + largest / bottom))) + 1)

    @property
    def n_bins(self) -> int:
        return 1 + self.n_octaves * BINS_PER_OCTAVE

    def edges(self) -> np.ndarray:
        """Squared distances at the n_bins edges of all bins but the first, which is {0}."""
        numbers = np.arange(FIRST, FIRST + self.n_bins, dtype=np.uint64)
        return ((numbers << SHIFT).view(np.float64) - 1.0) * self.bottom

    def centres(self) -> np.ndarray:
        edges = self.edges()
        return np.concatenate([[0.0], (edges[1:] + edges[:-1]) / 2.0])

    def half_widths(self) -> np.ndarray:
        return np.concatenate([[0.0], np.diff(self.edges()) / 2.0])


def unpack(words: np.ndarray, sums: np.ndarray) -> None:
    """Add counted pairs to ``sums`` of shape (n_bins, 6) and empty ``words``."""
    b = np.flatnonzero(words[:, 0])
    first, second = words[b, 0], words[b, 1].astype(float)
    c, places = (first >> COUNT_SHIFT).astype(float), (first & SUM_MASK).astype(float)
    k, half = (b + 1) // 2, np.where(b == 0, 0, 3 * ((b - 1) % 2))
    sums[k, half] += c
    # t = (place + 1/2)/2^24, for the squares with the place cut to 20 bits.
    sums[k, half + 1] += (places + 0.5 * c) / 2.0**24
    sums[k, half + 2] += (second + (places - 7.5 * c) / 16.0 + 0.25 * c) / 2.0**40
    words[b] = 0


def as_moments(found: np.ndarray) -> np.ndarray:
    """Moments Σ w vʲ, j = 0 … 3, of the last axis, from the sums of counted pairs; others are returned as is.

    Within half a bin the third central moment is taken as zero, which is exact for up to two pairs, and
    otherwise costs at most (γD/1024)³/8 of a term: 7e-7 at exp(−γD) = 1e-8. It is not additive: sums are put
    together before.
    """
    if found.shape[-1] == N_MOMENTS:
        return found
    moments = np.zeros((*found.shape[:-1], N_MOMENTS))
    for a, half in ((-1.0, found[..., :3]), (0.0, found[..., 3:])):  # v = a + t
        c, t1, t2 = np.moveaxis(half, -1, 0)
        mean = np.divide(t1, c, out=np.zeros_like(c), where=c > 0)
        t3 = 3.0 * mean * t2 - 2.0 * c * mean**3
        moments[..., 0] += c
        moments[..., 1] += c * a + t1
        moments[..., 2] += c * a**2 + 2.0 * a * t1 + t2
        moments[..., 3] += c * a**3 + 3.0 * a**2 * t1 + 3.0 * a * t2 + t3
    return moments


# Numbers in the table of exponentials that is held at once.
TABLE = 1 << 18


@dataclass(frozen=True, eq=False)
class PairHistograms:
    """Histograms of all ordered pairs of samples, the pairs of a sample with itself included."""

    n: np.ndarray  # total weights of the classes, shape (n_classes,)
    centres: np.ndarray  # of the bins, shape (n_bins,)
    half_widths: np.ndarray
    #: Σ w_i w_j vʲ with D = centre + half_width · v, for classes a ≤ b, shape (n_class_pairs, n_bins, 4).
    moments: np.ndarray
    _kept: dict[int, np.ndarray] = field(default_factory=dict, repr=False)

    def sums(self, gammas: np.ndarray, order: int = 0, *, minus_one: bool = False) -> np.ndarray:
        """The ``order``-th derivative of S_ab by γ, shape (n_gammas, n_classes, n_classes).

        With ``minus_one`` that of Σ (exp(−γD) − 1), which keeps its digits as γ → 0.
        """
        step = max(1, TABLE // len(self.centres))
        pieces = [self._sums(gammas[k : k + step], order, minus_one) for k in range(0, len(gammas), step)]
        return self._square(np.concatenate(pieces))

    def _sums(self, gammas: np.ndarray, order: int, minus_one: bool) -> np.ndarray:
        """The same for the class pairs, shape (n_gammas, n_class_pairs), from a Taylor series in every bin.

        With D = m + hv the coefficient of vʲ in Dᵏ exp(−γD) is
        exp(−γm) Σ_i C(k, i) m^(k−i) hⁱ (−γh)^(j−i) / (j−i)!: products of exp(−γm) with :meth:`_columns`.
        """
        exponents = np.outer(-gammas, self.centres)
        columns = self._columns(order)
        products = np.exp(exponents) @ columns
        if minus_one and order == 0:
            n_pairs = len(self.moments)
            products[:, :n_pairs] = np.expm1(exponents) @ columns[:, :n_pairs]
        # Where the power is cut, the exponentials of all bins but that of D = 0 are zero.
        step = -np.minimum(gammas * self._unit, 1e90)
        powers = (-1.0) ** order * np.vander(step, N_MOMENTS, increasing=True)
        return np.einsum("gj,gjp->gp", powers, products.reshape(len(gammas), N_MOMENTS, -1))

    def _columns(self, order: int) -> np.ndarray:
        """Moments times powers of m and h, for each power of −γ: shape (n_bins, 4 · n_class_pairs); kept."""
        if order in self._kept:
            return self._kept[order]
        m, h, unit = self.centres, self.half_widths, self._unit
        columns = np.zeros((N_MOMENTS, *self.moments.shape[:2]))
        for power in range(N_MOMENTS):
            for i in range(min(order, N_MOMENTS - 1 - power) + 1):
                factor = comb(order, i) / factorial(power) * m ** (order - i) * h**i * (h / unit) ** power
                columns[power] += self.moments[:, :, i + power] * factor
        self._kept[order] = columns.reshape(-1, len(m)).T
        return self._kept[order]

    @property
    def _unit(self) -> float:
        """The widest bin: γ in its units has powers that do not overflow on data of any scale."""
        return float(self.half_widths.max()) or 1.0

    def _square(self, of_pairs: np.ndarray) -> np.ndarray:
        """Values of the class pairs a ≤ b, shape (m, n_class_pairs), as symmetric matrices."""
        a, b = np.array(class_pairs(len(self.n))).T
        S = np.empty((len(of_pairs), len(self.n), len(self.n)))
        S[:, a, b] = S[:, b, a] = of_pairs
        return S

    def derivatives(self, gamma: float, order: int) -> np.ndarray:
        """S_ab and its derivatives by γ up to ``order``, shape (order + 1, n_classes, n_classes).

        One γ at a time, and so by two points in every bin instead of a series about its centre: exact where a
        bin holds no more than two distances, as those do that alone count once exp(−γD) has nearly vanished.
        """
        points, weights = self._points
        terms = weights * np.exp(-gamma * points)
        derivatives = np.empty((order + 1, len(self.moments)))
        for k in range(order + 1):
            derivatives[k] = terms.sum(axis=(1, 2))
            terms *= -points
        return self._square(derivatives)

    @cached_property
    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        """Two squared distances for every bin, and their weights, with the bin's four moments.

        About the mean, with the variance s and the third moment c: v = (c ± √(c² + 4s³)) / 2s, Gauss's rule
        for the unknown distribution in the bin. Both of shape (n_class_pairs, n_bins, 2).
        """
        total = np.maximum(self.moments[:, :, 0], np.finfo(float).tiny)
        mean, second, third = (self.moments[:, :, j] / total for j in (1, 2, 3))
        s = second - mean**2
        c = third - 3.0 * mean * second + 2.0 * mean**3
        is_spread = s > 1e-14
        s = np.where(is_spread, s, 1.0)
        root = np.where(is_spread, np.sqrt(c**2 + 4.0 * s**3) / s, 0.0)
        skew = np.where(is_spread, c / s, 0.0)
        # Offsets a < 0 < b from the mean have weights b/(b − a) and −a/(b − a).
        offsets = np.stack([skew - root, skew + root], axis=-1) / 2.0
        share = np.divide(offsets[..., 1], root, out=np.full_like(root, 0.5), where=root > 0)
        weights = self.moments[:, :, :1] * np.stack([share, 1.0 - share], axis=-1)
        points = self.centres[:, None] + self.half_widths[:, None] * (mean[..., None] + offsets)
        return points, weights

    def merge(self, groups: np.ndarray) -> PairHistograms:
        """Histograms of classes put together; ``groups`` as in :meth:`ClassSums.merge`."""
        a, b = np.array(class_pairs(len(self.n))).T
        u, v = np.array(class_pairs(len(groups))).T
        shares = groups[u][:, a] * groups[v][:, b] + np.where(a == b, 0.0, groups[u][:, b] * groups[v][:, a])
        flat = sparse.csr_array(shares) @ self.moments.reshape(len(self.moments), -1)
        moments = flat.reshape(len(u), *self.moments.shape[1:])
        return PairHistograms(groups @ self.n, self.centres, self.half_widths, moments)

    def distinct(self, trim: float = 0.0) -> PairHistograms:
        """Histograms of pairs of different rows, without a share of the closest of every class pair.

        Each is scaled to n_a n_b pairs, so that S_ab/(n_a n_b) is the mean over the pairs kept, those of
        :class:`~kernelwise.criteria.sums.DistinctSums`; the limit is known to the width of a bin.
        """
        moments = self.moments.copy()
        for p, (a, b) in enumerate(class_pairs(len(self.n))):
            if a == b:
                moments[p, 0, 0] -= self.n[a]  # bin 0 is that of D = 0
            total = self.n[a] * (self.n[b] - (a == b))
            check_pairs(total)
            counts = np.maximum(moments[p, :, 0], 0.0)
            kept = np.cumsum(counts) - trim * total
            share = np.clip(np.divide(kept, counts, out=np.ones_like(kept), where=counts > 0), 0.0, 1.0)
            moments[p] *= share[:, None] * (self.n[a] * self.n[b] / ((1.0 - trim) * total))
        return PairHistograms(self.n, self.centres, self.half_widths, moments)

    def class_sums(self, gammas: np.ndarray, *, minus_one: bool = False, squares: bool = False) -> ClassSums:
        """The record that criteria take, for every γ; of the kernel minus one if ``minus_one``."""
        t = np.zeros_like(self.n) if minus_one else self.n
        S2 = self.sums(2.0 * gammas) if squares else None
        return ClassSums(
            self.n, np.broadcast_to(t, (len(gammas), len(t))), self.sums(gammas, minus_one=minus_one), S2
        )

    def quantile(self, share: float) -> float:
        """Quantile of the squared distances above zero (to the width of a bin); zero if there are none.

        Pairs within a class count twice, those between classes once: near points weigh more than in the
        quantile of all pairs. Widths that are tried and measured start from this number.
        """
        counts = np.where(self.centres > 0, self.moments[:, :, 0].sum(axis=0), 0.0)
        total = np.cumsum(counts)
        if total[-1] <= 0:
            return 0.0
        return float(self.centres[np.searchsorted(total, share * total[-1])])
