"""Classes too small to be learnt or to be held out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelwise._core.text import count
from kernelwise.diagnostics._data import Data, listed
from kernelwise.diagnostics.spellings import spelling_findings
from kernelwise.findings import Finding
from kernelwise.search.trust import LONE

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
        share = data.counts[small] / data.counts.sum()
        yield Finding(
            "imbalance",
            "warning" if ratio >= VERY_UNEQUAL else "info",
            f"The smallest class ({data.classes[small]!r}) has {share:.2%} of the {data.noun}s, the largest "
            f"({data.classes[large]!r}) {ratio:.3g} times as many.",
            "If the small class matters, use class_weight='balanced' and scoring='balanced_accuracy'. Use "
            "centred alignment ('centered-kta') instead of plain alignment ('kta').",
            "If the small class matters, use --class-weight balanced --scoring balanced_accuracy.",
        )
