"""The figure of a learned metric."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import colour, rgb
from kernelwise.reports.drawing import Chart, Ranks
from kernelwise.reports.relevance import Relevance


def metric_figure(relevance: Relevance) -> Chart:
    """The metric off its diagonal, features numbered by rank: which ones it takes together."""
    assert relevance.correlations is not None
    names, together = relevance.names, relevance.correlations
    across, down = Ranks(0, len(names)), Ranks(0, len(names), is_reversed=True)
    chart = Chart(across, down, "column, numbered as above", "column", 120 + 16 * len(names))
    chart.key("differences add up", "square", colour(0))
    chart.key("differences cancel", "square", colour(1))
    for (i, j), value in np.ndenumerate(together):
        red, green, blue = rgb(colour(0 if value > 0 else 1))
        fill = f"rgb({red} {green} {blue} / {min(abs(value), 1.0):.3f})"
        chart.cell(i, j, len(names), fill, f"{names[i]} and {names[j]}: {value:.3f}")
    return chart
