"""Findings about y: labels written in two ways, small classes, and targets of a regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.equal_rows import number_equal_rows
from kernelwise._core.text import count
from kernelwise.diagnostics._data import Data, listed
from kernelwise.findings import Finding
from kernelwise.search.verdict.trust import LONE

#: Name of the finding that comes before all others, since they may follow from it.
TWO_SPELLINGS = "labels written in two ways"


def spelling_findings(classes: Sequence[Any], counts: Sequence[int], noun: str = "row") -> list[Finding]:
    """A warning if classes that are words differ only in capitals or spaces."""
    groups: dict[str, list[int]] = {}
    for k, label in enumerate(classes):
        if isinstance(label, str):
            groups.setdefault("".join(label.split()).casefold(), []).append(k)
    twice = [sorted(group, key=lambda k: -counts[k]) for group in groups.values() if len(group) > 1]
    if not twice:
        return []
    pairs = [
        " and ".join(f"{classes[k]!r} ({count(int(counts[k]), noun)})" for k in group) for group in twice
    ]
    message = f"{listed(pairs)} differ only in capitals or spaces, but count as different classes."
    advice = "If they are the same class, write them in the same way{} and run this again."
    return [Finding(TWO_SPELLINGS, "warning", message, advice.format(""), advice.format(" in the file"))]


N_FOLDS = 5  # of the usual cross-validation
UNEQUAL, VERY_UNEQUAL = 3.0, 10.0  # largest class over smallest


def class_findings(data: Data) -> list[Finding]:
    """One class only, tiny classes, and imbalance."""
    if len(data.classes) == 1:
        only = f"y has only one class ({data.classes[0]!r}, {count(len(data.index), data.noun)})."
        return [Finding("one-class", "error", only, f"Add {data.noun}s of another class.")]
    spelled = spelling_findings(data.classes, data.counts.tolist(), data.noun)
    return [*spelled, *_tiny(data), *_imbalance(data)]


def _tiny(data: Data) -> Iterator[Finding]:
    single, few = data.counts < 2, (data.counts >= 2) & (data.counts < N_FOLDS)
    if single.any():
        yield Finding(
            *(("tiny-class", "error") if single.all() else (LONE, "warning")),
            f"{count(int(single.sum()), 'class has', 'classes have')} only one {data.noun} "
            f"({_named(data, single)}).",
            f"Add {data.noun}s of such a class, or remove or merge it. One {data.noun} cannot be used for "
            "both training and testing, so no score can measure how well a model recognises the class.",
        )
    if few.any():
        yield Finding(
            "tiny-class",
            "warning",
            f"{count(int(few.sum()), 'class has', 'classes have')} fewer {data.noun}s than the {N_FOLDS} "
            f"folds of cross-validation ({_named(data, few)}).",
            f"Use at most {data.counts[few].min()} stratified folds, or merge such classes.",
            f"Use --cv {data.counts[few].min()}, or merge such classes.",
        )


def _named(data: Data, chosen: np.ndarray) -> str:
    return listed(f"{data.classes[k]!r}: {data.counts[k]}" for k in np.flatnonzero(chosen))


def _imbalance(data: Data) -> Iterator[Finding]:
    small, large = int(data.counts.argmin()), int(data.counts.argmax())
    ratio = data.counts[large] / data.counts[small]
    if ratio >= UNEQUAL:
        share = 100.0 * data.counts[small] / data.counts.sum()
        yield Finding(
            "imbalance",
            "warning" if ratio >= VERY_UNEQUAL else "info",
            f"The smallest class ({data.classes[small]!r}) has {share:.3g} % of the {data.noun}s, the "
            f"largest ({data.classes[large]!r}) {ratio:.3g} times as many.",
            "If the small class matters, use class_weight='balanced' and scoring='balanced_accuracy'. Use "
            "centred alignment ('centered-kta') instead of plain alignment ('kta').",
            "If the small class matters, use --class-weight balanced --scoring balanced_accuracy.",
        )


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


def as_targets(y: ArrayLike, n_samples: int) -> np.ndarray:
    """Check the targets of a regression, of shape (n_samples,)."""
    y = np.asarray(y, dtype=float).ravel()
    if len(y) != n_samples or not np.isfinite(y).all():
        raise ValueError(f"y must have one finite number for each of the {n_samples} samples.")
    return y
