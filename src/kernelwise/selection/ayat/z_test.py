"""The test of two recognition rates on one test set (paper 001, Ayat and others 2002, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm


def z_test(first: Any, second: Any, n_samples: int | None = None) -> tuple[float, float]:
    """Test whether two models are right equally often on one test set.

    Parameters
    ----------
    first, second : arrays of shape (n_samples,), booleans, or float
        Whether each sample was recognised, or the shares of those that were.
    n_samples : int, default=None
        Needed with shares.

    Returns
    -------
    z, p_value : float
        z = (p₁ − p₂) / √(2 p̄ (1 − p̄) / n), and the two-sided probability of one as large. As in the paper
        the test knows nothing of which samples both got right; with pairs of outcomes McNemar's is stronger.

    Examples
    --------
    KMOD against the polynomial of degree 3 in table 3 of paper 001, on 10 000 digits:

    >>> from kernelwise.selection import z_test
    >>> z, p_value = z_test(0.9898, 0.9825, 10_000)
    >>> round(z, 2), p_value < 0.05
    (4.42, True)
    """
    shares = []
    for outcome in (np.asarray(first, dtype=float), np.asarray(second, dtype=float)):
        if outcome.ndim > 1 or outcome.size == 0 or not ((outcome >= 0) & (outcome <= 1)).all():
            raise ValueError("z_test takes shares between 0 and 1, or one boolean per sample.")
        if outcome.ndim == 1:
            if n_samples not in (None, outcome.size):
                raise ValueError(f"z_test has {outcome.size} outcomes for a test set of {n_samples} samples.")
            n_samples = outcome.size
        shares.append(float(outcome.mean()))
    if n_samples is None:
        raise ValueError("z_test of shares needs n_samples, the size of the test set.")
    mean = 0.5 * (shares[0] + shares[1])
    if shares[0] == shares[1]:
        return 0.0, 1.0
    z = (shares[0] - shares[1]) / np.sqrt(2.0 * mean * (1.0 - mean) / n_samples)
    return float(z), float(2.0 * norm.sf(abs(z)))
