"""Tests of two machines on one test set (paper 001, Ayat and others 2002, section 4).

z compares two recognition rates; McNemar's test is stronger, since it sees the outcomes in pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest, norm


class McNemar(NamedTuple):
    """Result of McNemar's test: samples that only one of two models predicted correctly, and the p-value.

    What `mcnemar_test` returns; for table 3 of paper 001 (Ayat and others 2002).

    Attributes
    ----------
    only_first, only_second : int
    p_value : float
        The two-sided probability, if both are right equally often, of counts at least as different.

    Examples
    --------
    >>> from kernelwise.selection import mcnemar_test
    >>> found = mcnemar_test([True, True, True, False], [False, False, True, False])
    >>> found.only_first, found.only_second
    (2, 0)
    """

    only_first: int
    only_second: int
    p_value: float


def mcnemar_test(first: Any, second: Any) -> McNemar:
    """Test whether two models are right equally often on one test set, from the outcome of every sample.

    McNemar's test in its exact form: of the samples on which the machines differ, each is as likely to be
    recognised by the one as by the other. Samples that both recognise, or neither, do not count, whereas
    `z_test`, which paper 001 (Ayat and others 2002, section 4) uses, takes them for a part of the noise.
    Returns a `McNemar`.

    Parameters
    ----------
    first, second : arrays of shape (n_samples,), booleans
        Whether each sample was recognised.

    Examples
    --------
    Two machines on 100 samples; the first is right on the 90 samples of the second and on 6 more:

    >>> import numpy as np
    >>> from kernelwise.selection import mcnemar_test, z_test
    >>> first, second = np.arange(100) < 96, np.arange(100) < 90
    >>> round(mcnemar_test(first, second).p_value, 3), round(z_test(first, second)[1], 3)
    (0.031, 0.096)
    """
    outcomes = [np.asarray(outcome) for outcome in (first, second)]
    if any(outcome.ndim != 1 or not outcome.size for outcome in outcomes):
        raise ValueError("mcnemar_test takes one boolean per sample, not shares; for shares use z_test.")
    if not all(np.isin(outcome, (0, 1)).all() for outcome in outcomes):
        raise ValueError("mcnemar_test takes booleans: whether each sample was recognised.")
    if outcomes[0].size != outcomes[1].size:
        raise ValueError(
            f"mcnemar_test has {outcomes[0].size} and {outcomes[1].size} outcomes. Pass those of one test "
            "set."
        )
    is_first, is_second = (outcome.astype(bool) for outcome in outcomes)
    only_first, only_second = int((is_first & ~is_second).sum()), int((is_second & ~is_first).sum())
    n = only_first + only_second
    return McNemar(only_first, only_second, float(binomtest(only_first, n).pvalue) if n else 1.0)


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
