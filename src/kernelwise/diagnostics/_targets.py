"""Targets of a regression: constant ones, far outliers, and equal rows with different ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernelwise._core.equal_rows import number_equal_rows
from kernelwise._core.text import count
from kernelwise.diagnostics._data import Data, listed
from kernelwise.findings import Finding

#: Targets farther from the median than this many interquartile ranges decide what a mean is.
FAR = 10.0


def target_findings(data: Data, y: np.ndarray) -> Iterator[Finding]:
    """What is wrong with the targets alone, of shape (n_samples,)."""
    if (y == y[0]).all():
        yield Finding(
            "constant target",
            "error",
            f"The target is {y[0]:g} in all rows.",
            "Check y: there is nothing to learn.",
            "There is nothing to learn. Choose another column with --target.",
        )
        return
    low, median, high = np.percentile(y, [25, 50, 75])
    far = np.flatnonzero(np.abs(y - median) > FAR * (high - low))
    if high > low and far.size:
        values = listed(f"{y[k]:g} ({data.where(k)})" for k in far.tolist())
        yield Finding(
            "outliers",
            "warning",
            f"{count(far.size, 'target is', 'targets are')} more than {FAR:g} interquartile ranges from the "
            f"median {median:g}: {values}.",
            "Check them, because they dominate the score. The logarithm of the target may be easier to "
            "predict.",
        )


def conflict_findings(data: Data, y: np.ndarray) -> Iterator[Finding]:
    """Rows with equal features; different targets there are an error that no model can avoid."""
    numbers = number_equal_rows(data.X)
    sizes = np.bincount(numbers)
    n_repeated = int((sizes[numbers] > 1).sum())
    if not n_repeated:
        return
    means = np.bincount(numbers, weights=y) / sizes
    rest = float(np.sqrt(np.mean((y - means[numbers]) ** 2)))
    plural = f"{data.noun}s have"
    yield Finding(
        "duplicates",
        "warning" if rest > 0.5 * float(np.std(y)) else "info",
        f"{count(n_repeated, plural, plural)} the same features as another; no model can have a root mean "
        f"squared error below {rest:.4g} on all rows.",
        "Copies in several folds make the cross-validated score too high. Remove copies, or use "
        "sample_weight or grouped folds.",
        "kernelwise puts the copies of a row into one fold. If you make folds or a test file yourself, "
        "remove the copies first: copies in both parts make the score too high.",
    )


def as_targets(y: Any, n_samples: int) -> np.ndarray:
    """Check the targets of a regression, of shape (n_samples,)."""
    y = np.asarray(y, dtype=float).ravel()
    if len(y) != n_samples or not np.isfinite(y).all():
        raise ValueError(f"y must have one finite number for each of the {n_samples} samples.")
    return y
