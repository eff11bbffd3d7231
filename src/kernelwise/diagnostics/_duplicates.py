"""Equal points, with equal and with different labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelwise._core.text import count
from kernelwise.diagnostics._data import Data
from kernelwise.diagnostics._points import Points
from kernelwise.findings import Finding


def duplicate_findings(data: Data, points: Points) -> Iterator[Finding]:
    """Repeated samples, contradictions among them, and data that are one point."""
    n, n_points = len(data.index), len(points.first)
    copies = int(np.maximum(points.counts - 1, 0).sum())
    if copies:
        yield Finding(
            "duplicates",
            "info",
            f"{count(copies, f'{data.noun} repeats', f'{data.noun}s repeat')} another with the same label "
            f"({100 * copies / n:.1f} % of all).",
            "Copies in several folds make the cross-validated score too high. Remove copies, or use "
            "sample_weight or grouped folds.",
            "kernelwise puts the copies of a row into one fold. If you make folds or a test file yourself, "
            "remove the copies first: copies in both parts make the score too high.",
        )
    mixed = (points.counts > 0).sum(axis=1) > 1
    if mixed.any():
        there = points.counts[mixed]
        floor = int((there.sum(axis=1) - there.max(axis=1)).sum())
        yield Finding(
            "conflicts",
            "warning",
            f"{count(int(there.sum()), data.noun)} in {count(int(mixed.sum()), 'group')} of equal features "
            f"have different labels, so any model makes at least {count(floor, 'training error')} "
            f"({100 * floor / n:.1f} %).",
            "Check these labels, or add a feature that distinguishes these samples. DBTC may have no peak.",
            "Check these labels, or add a column that distinguishes these rows.",
        )
    if n_points == 1 < n:
        same = f"All {n} {data.noun}s are the same point: every distance is zero."
        advice = "Check X: no kernel can separate the classes."
        yield Finding(
            "identical", "error", same, advice, "Check the file: no kernel can separate the classes."
        )
