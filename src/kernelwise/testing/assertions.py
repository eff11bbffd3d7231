"""What a broken contract is called: a sentence, with the numbers that differ."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_close(found: Any, expected: Any, sentence: str, rtol: float = 1e-12, atol: float = 0.0) -> None:
    """Raise AssertionError with the sentence and the worst pair of numbers, unless all are close.

    Parameters
    ----------
    found, expected : array-like
        Of one shape.
    sentence : str
        What is wrong if they differ, without a full stop.
    rtol, atol : float
        Allowed difference, relative to the expected number and absolute.
    """
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{sentence}: shape {found.shape}, expected {expected.shape}."
    error = np.abs(found - expected)
    is_wrong = ~(error <= atol + rtol * np.abs(expected))  # NaN is wrong, too
    if not is_wrong.any():
        return
    worst = np.unravel_index(int(np.where(np.isnan(error), np.inf, error).argmax()), error.shape)
    where = f" at {list(map(int, worst))}" if error.ndim else ""
    raise AssertionError(f"{sentence}: {found[worst]:.12g}{where}, expected {expected[worst]:.12g}.")
