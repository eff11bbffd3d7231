"""Findings about y: labels written in two ways, small classes, and targets of a regression."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.equal_points import number_equal_rows
from kernelwise.diagnostics._data import Data, listed
from kernelwise.findings import Finding, catalogue
from kernelwise.tables import spelling_findings

N_FOLDS = 5  # of the usual cross-validation
UNEQUAL, VERY_UNEQUAL = 3.0, 10.0  # largest class over smallest


def class_findings(data: Data) -> list[Finding]:
    """One class only, tiny classes, and imbalance."""
    if len(data.classes) == 1:
        return [catalogue.ONE_CLASS(label=data.classes[0], n=len(data.index), noun=data.noun)]
    spelled = spelling_findings(data.classes, data.counts.tolist(), data.noun)
    return [*spelled, *_tiny(data), *_imbalance(data)]


def _tiny(data: Data) -> Iterator[Finding]:
    single, few = data.counts < 2, (data.counts >= 2) & (data.counts < N_FOLDS)
    if single.any():
        every, some = catalogue.ONLY_CLASSES_OF_ONE_SAMPLE, catalogue.CLASSES_OF_ONE_SAMPLE
        entry = every if single.all() else some
        yield entry(n=int(single.sum()), noun=data.noun, classes=_named(data, single))
    if few.any():
        yield catalogue.TINY_CLASSES(
            n=int(few.sum()),
            noun=data.noun,
            n_folds=N_FOLDS,
            classes=_named(data, few),
            smallest=data.counts[few].min(),
        )


def _named(data: Data, chosen: np.ndarray) -> str:
    return listed(f"{data.classes[k]!r}: {data.counts[k]}" for k in np.flatnonzero(chosen))


def _imbalance(data: Data) -> Iterator[Finding]:
    small, large = int(data.counts.argmin()), int(data.counts.argmax())
    ratio = data.counts[large] / data.counts[small]
    if ratio >= UNEQUAL:
        yield catalogue.IMBALANCE(
            small=data.classes[small],
            percent=100.0 * data.counts[small] / data.counts.sum(),
            noun=data.noun,
            large=data.classes[large],
            ratio=ratio,
            severity="warning" if ratio >= VERY_UNEQUAL else "info",
        )


#: Targets farther from the median than this many interquartile ranges decide what a mean is.
FAR = 10.0


def target_findings(data: Data, y: np.ndarray) -> Iterator[Finding]:
    """What is wrong with the targets alone, of shape (n_samples,)."""
    if (y == y[0]).all():
        yield catalogue.CONSTANT_TARGET(value=y[0])
        return
    low, median, high = np.percentile(y, [25, 50, 75])
    far = np.flatnonzero(np.abs(y - median) > FAR * (high - low))
    if high > low and far.size:
        values = listed(f"{y[k]:g} ({data.where(k)})" for k in far.tolist())
        yield catalogue.OUTLIERS(n=far.size, far=FAR, median=median, values=values)


def conflict_findings(data: Data, y: np.ndarray) -> Iterator[Finding]:
    """Rows with equal features; different targets there are an error that no model can avoid."""
    numbers = number_equal_rows(data.X)
    sizes = np.bincount(numbers)
    n_repeated = int((sizes[numbers] > 1).sum())
    if not n_repeated:
        return
    means = np.bincount(numbers, weights=y) / sizes
    rest = float(np.sqrt(np.mean((y - means[numbers]) ** 2)))
    severity = "warning" if rest > 0.5 * float(np.std(y)) else "info"
    yield catalogue.DUPLICATES_OF_NUMBERS(n=n_repeated, noun=data.noun, error=rest, severity=severity)


def as_targets(y: ArrayLike, n_samples: int) -> np.ndarray:
    """Check the targets of a regression, of shape (n_samples,)."""
    y = np.asarray(y, dtype=float).ravel()
    if len(y) != n_samples or not np.isfinite(y).all():
        raise ValueError(f"y must have one finite number for each of the {n_samples} samples.")
    return y
