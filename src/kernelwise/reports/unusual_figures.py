"""Figures of a report on unusual rows."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import colour, rgb
from kernelwise.reports.drawing import Chart, Scale, linear
from kernelwise.reports.drawing.picture import png_address, zero_line
from kernelwise.reports.unusual import FLOOR, N_BINS, Plane, UnusualRows
from kernelwise.reports.words import shortened

USUAL, UNUSUAL = 0, 1
#: How much of its colour an area has.
DEPTH = 0.25


def histogram_figure(data: UnusualRows) -> Chart:
    """How many rows have each score, and the threshold; scores as powers of ten."""
    kept = data.scores[np.isfinite(data.scores)]
    floor = FLOOR * max(kept.max(), np.finfo(float).tiny)
    logs = np.log10(np.maximum(kept, floor))
    cut = float(np.log10(max(data.threshold, floor)))
    edges = np.linspace(min(logs.min(), cut), max(logs.max(), cut) + 1e-9, N_BINS + 1)
    parts = {"all rows": np.ones(len(kept), dtype=bool)}
    if data.labels is not None:
        labels = data.labels[np.isfinite(data.scores)]
        parts["rows labelled unusual"] = labels == -1
    counts = {name: np.histogram(logs[rows], edges)[0] for name, rows in parts.items()}
    chart = Chart(
        linear(edges, room=0.0), linear([0.0], counts["all rows"]), "log₁₀ of the score", "rows", height=300
    )
    for k, (name, heights) in enumerate(counts.items()):
        x = np.repeat(edges, 2)
        y = np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])
        chart.line(x, y, colour(k), is_closed=True)
        chart.key(name, "band", colour(k))
    chart.line([cut, cut], [chart.y.low, chart.y.high], dash="2 4", width=1.5)
    chart.key("the threshold", dash="2 4", is_line=True)
    return chart


def plane_figure(plane: Plane) -> Chart:
    """Rows as points; the line is where the model calls a row unusual."""
    x, y = (Scale(float(cells[0]), float(cells[-1])) for cells in (plane.a, plane.b))
    across, up = (f"direction {k}: {shortened(name, 60)}" for k, name in enumerate(plane.axes, 1))
    chart = Chart(x, y, across, up, height=480)
    chart.image(png_address(areas(plane)))
    chart.pieces(zero_line(plane.values) / (np.array(plane.values.shape[::-1]) - 1))
    for k, name, shape in ((USUAL, "usual row", "circle"), (UNUSUAL, "unusual row", "cross")):
        rows = plane.is_unusual == (k == UNUSUAL)
        a, b = plane.points[rows].T
        chart.dots(a, b, [name] * len(a), colour(k), shape=shape, size=0.8)
        chart.key(name, shape, colour(k))
    return chart


def areas(plane: Plane) -> np.ndarray:
    """Colours of the cells as RGBA bytes, shape (n_grid, n_grid, 4), the highest row first."""
    is_inside = plane.values[::-1] >= 0
    shade = np.where(is_inside, 255 * DEPTH, 0.0)
    hue = np.broadcast_to(np.array(rgb(colour(USUAL))), (*shade.shape, 3))
    return np.dstack([hue, shade]).round().astype(np.uint8)
