"""Facts about the rows that a report begins with."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.reports.words import shortened

#: Classes that are named one by one.
MAX_NAMED = 12


def class_counts(model: Any, y: np.ndarray | None) -> list[tuple[str, float]]:
    """Names of the classes and their rows: of y, or of the rows that were held out, by weight."""
    if y is not None:
        index, weight = np.searchsorted(model.classes_, y), None
    elif model.fit_record_ is not None:
        index, weight = model.fit_record_.truth, model.fit_record_.weight
    else:
        return []
    counts = np.bincount(index, weights=weight, minlength=len(model.classes_))
    return [(str(label), float(n)) for label, n in zip(model.classes_, counts, strict=True)]


def row_count(model: Any, y: np.ndarray | None) -> float | None:
    """Rows that the model was made from, by weight; None if nobody knows."""
    if y is not None:
        return float(len(y))
    return None if model.fit_record_ is None else float(model.fit_record_.weight.sum())


def classes_text(classes: list[tuple[str, float]]) -> str:
    """The classes in a line, the most frequent first: 3 classes: mild (150), severe (87), none (63)."""
    ordered = sorted(classes, key=lambda pair: -pair[1])
    named = [f"{shortened(label)} ({n:g})" for label, n in ordered[:MAX_NAMED]]
    more = [] if len(ordered) <= MAX_NAMED else [f"and {len(ordered) - MAX_NAMED} more"]
    return f"{count(len(classes), 'class', 'classes')}: {', '.join([*named, *more])}"
