"""The bins of the distance sketch, which the native core fills.

A squared distance D is binned by the leading bits of the float x = 1 + D/bottom: 2^8 bins in every octave of
x, no logarithm. Far above ``bottom`` the bins have equal relative widths, below it equal widths, so that
near-duplicates keep their distances; D = 0 has bin 0 to itself. A bin keeps Σ w vʲ, j = 0 … 3, with the place
v ∈ [−1, 1] of D in the bin: what a Taylor series of exp(−γD) about its centre needs. Its remainder is
(γD/512)⁴/24 of a term, 7e-8 at exp(−γD) = 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelwise import _native

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


def count_pairs(
    G: np.ndarray,
    norms_x: np.ndarray,
    norms_y: np.ndarray,
    rounding: float,
    per_bottom: float,
    words: np.ndarray,
    upper: bool,
) -> None:
    """Count pairs of weight one into fine bins, from inner products G of shape (n_rows, n_columns).

    Integers because two additions then serve three moments: a pass over all pairs spends its time on them.
    With the squared norms D = ‖x‖² + ‖y‖² − 2x·y, zero where only ``rounding`` · (‖x‖² + ‖y‖²) is left.
    ``words`` is of shape (1 + 2 · (n_bins − 1), 2) and uint64; ``upper`` takes only columns right of the
    diagonal, for the block of a set of rows with itself.
    """
    _native.count_pairs(G, norms_x, norms_y, rounding, per_bottom, upper, words)


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


def weigh_pairs(
    G: np.ndarray,
    norms_x: np.ndarray,
    norms_y: np.ndarray,
    rounding: float,
    per_bottom: float,
    weights_x: np.ndarray,
    weights_y: np.ndarray,
    moments: np.ndarray,
    upper: bool,
) -> None:
    """Add pairs of weight w_i w_j to ``moments`` of shape (n_bins, 4); otherwise as `count_pairs`."""
    _native.weigh_pairs(G, norms_x, norms_y, rounding, per_bottom, upper, weights_x, weights_y, moments)
