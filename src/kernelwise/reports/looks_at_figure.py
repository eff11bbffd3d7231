"""Figures of what a model looks at."""

from __future__ import annotations

from kernelwise.reports.colours import colour
from kernelwise.reports.drawing import Chart, Names, linear
from kernelwise.reports.looks_at import Dependence
from kernelwise.reports.words import shortened


def dependence_figure(part: Dependence) -> Chart:
    """The values of a column over the column."""
    up = "value" if not part.of else f"value for {shortened(part.of, 24)}"
    across = Names(0, len(part.words), names=part.words) if part.words else linear(part.cells)
    chart = Chart(across, linear(part.values, [0.0]), shortened(part.name), up, height=230)
    chart.line([chart.x.low, chart.x.high], [0.0, 0.0], dash="2 4", width=1.5)
    chart.specks(part.cells, part.values, colour(0))
    return chart
