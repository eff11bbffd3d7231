"""What was learned of one column of the training samples: what fills its gaps, which words it has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.frames.frame import is_missing, is_numbers

#: Words of a column that have a feature of their own, at most.
MAX_WORDS = 20
#: Of more words than that, one that weighs less than this many rows is pooled with the other rare ones.
RARE = 2.0
#: What the feature of the pooled words, and that of the gaps, is called.
OTHER, MISSING = "other", "missing"


@dataclass(frozen=True)
class Column:
    """One column of the training samples.

    Attributes
    ----------
    name : object
        As in the user's table.
    is_words : bool
        Whether it holds words, else numbers.
    words : tuple of str
        Words that have a feature of their own, sorted.
    is_pooled : bool
        Whether there were more; they share one feature, with all words that are new.
    has_gaps : bool
        Whether a gap has a feature of its own: 1 where the value is missing.
    fill : float, str or None
        What stands for a missing number; for a missing word, too, if gaps are filled.
    is_text : bool
        Whether the words were text in the user's table, and no numbers that count as words.
    """

    name: Any
    is_words: bool = False
    words: tuple[str, ...] = ()
    is_pooled: bool = False
    has_gaps: bool = False
    fill: Any = None
    is_text: bool = True

    @property
    def coded(self) -> tuple[str, ...]:
        """What the features of a column of words stand for, in their order."""
        return (*self.words, *([MISSING] if self.has_gaps else []), *([OTHER] if self.is_pooled else []))

    def one_hot(self, column: np.ndarray) -> np.ndarray:
        """A column of words as 0 and 1, of shape (n_rows, n_coded).

        A word that is new counts with the pooled ones; where there are none, it is all zeros. A gap is like a
        new word in a column that had no gaps, unless gaps are filled.
        """
        place = {word: k for k, word in enumerate(self.words)}
        other = len(self.coded) - 1 if self.is_pooled else -1
        gap = len(self.words) if self.has_gaps else place.get(self.fill, other)
        codes = np.array([gap if word is None else place.get(word, other) for word in column], dtype=int)
        features = np.zeros((len(column), len(self.coded)))
        known = np.flatnonzero(codes >= 0)
        features[known, codes[known]] = 1.0
        return features

    def filled(self, column: np.ndarray) -> np.ndarray:
        """A column of numbers without gaps, shape (n_rows,)."""
        return np.where(np.isnan(column), self.fill, column)

    def is_new(self, column: np.ndarray) -> np.ndarray:
        """Which cells hold a word that was not seen in training, or was too rare, shape (n_rows,)."""
        known = {None, *self.words}
        return np.array([word not in known for word in column], dtype=bool)


def learn_column(
    name: Any, column: np.ndarray, weight: np.ndarray, is_text: bool = True, fills_gaps: bool = False
) -> Column:
    """What a column of the training samples holds; a row counts as often as its weight says.

    ``is_text`` is about words; see `Column`. With ``fills_gaps`` a missing word is the most frequent one.
    """
    counts = weight > 0.0
    column, weight = column[counts], weight[counts]
    missing = is_missing(column)
    present, share = column[~missing], weight[~missing]
    has_gaps = bool(missing.any())
    if is_numbers(column):
        return Column(name, has_gaps=has_gaps, fill=_median(present, share))
    totals: defaultdict[str, float] = defaultdict(float)
    for word, n in zip(present.tolist(), share.tolist(), strict=True):
        totals[word] += n
    by_frequency = sorted(totals, key=lambda word: (-totals[word], word))
    kept = by_frequency
    if len(by_frequency) > MAX_WORDS:
        kept = [word for word in by_frequency if totals[word] >= RARE][:MAX_WORDS]
    is_pooled = len(kept) < len(by_frequency)
    fill = by_frequency[0] if fills_gaps and by_frequency else None
    return Column(name, True, tuple(sorted(kept)), is_pooled, has_gaps, fill, is_text)


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    """The median of rows that count as often as their weights say; 0 if there is none."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    values, total = values[order], np.cumsum(weight[order])
    half = total[-1] / 2.0
    low, high = np.searchsorted(total, half), np.searchsorted(total, half, side="right")
    return float((values[low] + values[min(high, len(values) - 1)]) / 2.0)
