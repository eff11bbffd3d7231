"""What a search for kernel and C has chosen, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.result import TuningResult
from kernelwise.search.scored_kernel import KernelPath


@dataclass
class Choice:
    """What was chosen, and how.

    Attributes
    ----------
    path : KernelPath
        Of the chosen kernel.
    place : int
        Of the chosen C on it.
    criterion_path : dict from str to ndarray
        The criteria over the widths, or the rows of a search's history as columns.
    search : TuningResult or None
        Of the criterion that an optimizer searched.
    why : list of str
        One sentence for every decision.
    """

    path: KernelPath
    place: int
    criterion_path: dict[str, Any] = field(default_factory=dict)
    search: TuningResult | None = None
    why: list[str] = field(default_factory=list)


def columns_of(result: TuningResult | None) -> dict[str, Any]:
    """The history of a search as columns."""
    if result is None:
        return {}
    names = dict.fromkeys(name for row in result.history for name in row)
    return {name: np.array([row.get(name, np.nan) for row in result.history]) for name in names}


def standard_error(path: KernelPath, n: float) -> float:
    """Standard error of the best score of a path on ``n`` held-out samples.

    A score of classes between 0 and 1 is taken as a share of the samples: few folds say little about their
    own spread. A regression's is no such share.
    """
    score = path.best_score
    if path.epsilon is None and 0.0 <= score <= 1.0:
        return float(np.sqrt(score * (1.0 - score) / n))
    folds = path.scores[path.best]
    return float(folds.std(ddof=1) / np.sqrt(len(folds)))
