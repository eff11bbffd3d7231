"""From values to places along an axis, and the numbers written there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: Numbers along an axis, about; those of an axis over orders of magnitude, and of cells, at most.
N_TICKS, MAX_POWERS, MAX_RANKS = 5, 7, 16
#: Names along an axis, at most, and letters of all of them together that a narrow drawing has room for.
MAX_NAMES, LETTERS = 6, 36
#: Room at both ends, as a share of the range.
ROOM = 0.04
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``; of their decimal logarithms if ``is_log``."""

    low: float
    high: float
    is_log: bool = False

    def places(self, values: ArrayLike) -> np.ndarray:
        """Where values are, 0 at the low end and 1 at the high one; what is outside is at the end."""
        values = np.asarray(values, dtype=float)
        if self.is_log:
            values = np.log10(np.where(values > 0, values, np.nan))
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and texts of the numbers along the axis."""
        values, texts = self._powers() if self.is_log else self._round_numbers()
        return list(zip(self.places(values).tolist(), texts, strict=True))

    def _round_numbers(self) -> tuple[np.ndarray, list[str]]:
        rough = (self.high - self.low) / N_TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(factor for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= 0.8 * rough)
        multiples = np.arange(np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9) + 1)
        digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
        if digits > 5 or abs(multiples).max() * step >= 1e6:
            return multiples * step, [f"{value:.4g}" for value in multiples * step]
        return multiples * step, [f"{value + 0.0:.{digits}f}".replace("-", "−") for value in multiples * step]

    def _powers(self) -> tuple[np.ndarray, list[str]]:
        first, last = int(np.ceil(self.low - 1e-9)), int(np.floor(self.high + 1e-9))
        if last - first < 1:
            values = np.array([m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5)])
            inside = (np.log10(values) >= self.low - 1e-9) & (np.log10(values) <= self.high + 1e-9)
            return values[inside], [f"{value:g}" for value in values[inside]]
        exponents = np.arange(first, last + 1, 1 + (last - first) // MAX_POWERS)
        return 10.0**exponents, [power_text(int(e)) for e in exponents]


@dataclass(frozen=True)
class Ranks(Scale):
    """An axis of n cells with their numbers from 1; from its high end if ``is_reversed``."""

    is_reversed: bool = False

    def ticks(self) -> list[tuple[float, str]]:
        """The middle of each cell, or of some of many."""
        n = int(self.high)
        ranks = range(1, n + 1, 1 + n // MAX_RANKS)
        places = [(rank - 0.5) / n for rank in ranks]
        return [(1 - p if self.is_reversed else p, str(k)) for p, k in zip(places, ranks, strict=True)]


@dataclass(frozen=True)
class Names(Scale):
    """An axis of cells with names, the k-th from k to k + 1; of many some are named."""

    names: tuple[str, ...] = ()

    def ticks(self) -> list[tuple[float, str]]:
        """The middle of each cell."""
        n = len(self.names)
        limit = max(4, LETTERS // min(n, MAX_NAMES))
        shown = range(0, n, 1 + (n - 1) // MAX_NAMES)
        texts = [name if len(name) <= limit else f"{name[: limit - 1]}…" for name in self.names]
        return [((k + 0.5) / n, texts[k]) for k in shown]


def power_text(exponent: int) -> str:
    """A power of ten: 0.01, 1, 100, 10⁻⁵."""
    return f"{10.0**exponent:g}" if abs(exponent) <= 3 else "10" + str(exponent).translate(SUPERSCRIPTS)


def linear(*values: ArrayLike, room: float = ROOM) -> Scale:
    """An axis that has all finite values, with a little room at its ends."""
    return _over(values, room, is_log=False)


def logarithmic(*values: ArrayLike, room: float = ROOM) -> Scale:
    """The same over orders of magnitude; values are positive."""
    return _over(values, room, is_log=True)


def _over(values: tuple[Any, ...], room: float, is_log: bool) -> Scale:
    found = np.concatenate([np.asarray(part, dtype=float).ravel() for part in values])
    found = found[np.isfinite(found) & ((found > 0) | (not is_log))]
    if is_log:
        found = np.log10(found)
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    spread = high - low
    # Of equal values, an axis around them: a range of rounding errors has no numbers to write.
    if spread <= 1e-9 * max(abs(low), abs(high)):
        spread, room = max(abs(low), 1.0) if not is_log else 1.0, 0.5
    return Scale(low - room * spread, high + room * spread, is_log)
