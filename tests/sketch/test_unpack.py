"""Packed words become sums of places as one word after the other would."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from kernelwise.sketch.histograms import unpack


def test_unpacked_words_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    n_bins = 40
    counts = rng.integers(0, 4, size=1 + 2 * (n_bins - 1))
    words = np.zeros((len(counts), 2), np.uint64)
    for b, count in enumerate(counts):
        for place in rng.integers(1 << 24, size=count).tolist():
            words[b, 0] += np.uint64((1 << 44) | place)
            words[b, 1] += np.uint64((place >> 4) ** 2)
    sums = rng.random((n_bins, 6))
    expected = sums.copy()
    for b, (first, second) in enumerate(words.tolist()):
        c, places = float(first >> 44), float(first & ((1 << 44) - 1))
        k, half = (0, 0) if b == 0 else (1 + (b - 1) // 2, 3 * ((b - 1) % 2))
        expected[k, half] += c
        expected[k, half + 1] += (places + 0.5 * c) / 2.0**24
        expected[k, half + 2] += (second + (places - 7.5 * c) / 16.0 + 0.25 * c) / 2.0**40
    unpack(words, sums)
    assert_array_equal(sums, expected)
    assert not words.any()
