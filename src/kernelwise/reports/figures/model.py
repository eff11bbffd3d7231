"""Figures of the trained model: decision regions, the learned metric, and values of columns."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import PALETTE, colour, rgb
from kernelwise.reports.columns_used import Dependence, Relevance
from kernelwise.reports.drawing import Chart, Names, Ranks, Scale, linear
from kernelwise.reports.drawing.chart import CLASS_SHAPES
from kernelwise.reports.drawing.picture import png_address, zero_line
from kernelwise.reports.regions import Regions
from kernelwise.reports.words import shortened

#: Decision values beyond this have the full colour; how much of it an area has, and that of usual rows.
SURE, DEPTH, USUAL_DEPTH = 2.0, 0.3, 0.25


def regions_figure(regions: Regions) -> Chart:
    """Decision regions as areas of colour, rows as points; crosses are those the model gets wrong."""
    chart = _plane(regions, areas(regions))
    for k, label in enumerate(regions.labels):
        shape = shape_of(k)
        chart.key(shortened(label), shape, colour(k))
        rows = (regions.truth == k) & ~regions.is_wrong
        _draw(chart, regions, rows, label, k, shape, 0.8)
    # Above all points, since these are what one looks for.
    for k, label in enumerate(regions.labels):
        rows = (regions.truth == k) & regions.is_wrong
        _draw(chart, regions, rows, f"{label}, which the model gets wrong", k, "cross", 1.0)
    chart.key("a row that the model gets wrong, in the colour of its class", "cross")
    return chart


def outliers_figure(regions: Regions) -> Chart:
    """Rows as points; the line is where the model calls a row unusual."""
    values = regions.values[::-1]
    shade = np.where(values >= 0, 255 * USUAL_DEPTH, 0.0)
    hue = np.broadcast_to(np.array(rgb(colour(0))), (*shade.shape, 3))
    chart = _plane(regions, np.dstack([hue, shade]).round().astype(np.uint8))
    for k, (label, shape) in enumerate(zip(regions.labels, ("circle", "cross"), strict=True)):
        _draw(chart, regions, regions.truth == k, label, k, shape, 0.8)
        chart.key(label, shape, colour(k))
    return chart


def _plane(regions: Regions, cells: np.ndarray) -> Chart:
    """The two directions with the colours of their cells, and the line between two classes."""
    x, y = (Scale(float(cells[0]), float(cells[-1])) for cells in (regions.a, regions.b))
    across, up = (f"direction {k}: {shortened(name, 60)}" for k, name in enumerate(regions.axes, 1))
    chart = Chart(x, y, across, up, height=480)
    chart.image(png_address(cells))
    if len(regions.labels) == 2:
        n = np.array(regions.values.shape[::-1]) - 1
        chart.pieces(zero_line(regions.values) / n)
    return chart


def _draw(
    chart: Chart, regions: Regions, rows: np.ndarray, title: str, k: int, shape: str, size: float
) -> None:
    """Points of some rows of the k-th class; ``rows``, of shape (n_points,), says which."""
    a, b = regions.points[rows].T
    chart.dots(a, b, [shortened(title, 80)] * len(a), colour(k), shape=shape, size=size)


def shape_of(k: int) -> str:
    """The shape of a class: another one after every palette of colours."""
    return CLASS_SHAPES[k // len(PALETTE) % len(CLASS_SHAPES)]


def areas(regions: Regions) -> np.ndarray:
    """Colours of the cells as RGBA bytes, shape (n_grid, n_grid, 4), the highest row first."""
    values = regions.values[::-1]
    is_pair = len(regions.labels) == 2
    index = (values > 0).astype(int) if is_pair else values.astype(int)
    sure = np.clip(np.abs(values) / SURE, 0.0, 1.0) if is_pair else np.where(index < 0, 0.0, 0.8)
    palette = np.array([rgb(colour(k)) for k in range(len(regions.labels))])
    return np.dstack([palette[np.maximum(index, 0)], 255 * DEPTH * sure]).round().astype(np.uint8)


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


def dependence_figure(part: Dependence) -> Chart:
    """The values of a column over the column."""
    up = "value" if not part.of else f"value for {shortened(part.of, 24)}"
    across = Names(0, len(part.words), names=part.words) if part.words else linear(part.cells)
    chart = Chart(across, linear(part.values, [0.0]), shortened(part.name), up, height=230)
    chart.line([chart.x.low, chart.x.high], [0.0, 0.0], dash="2 4", width=1.5)
    chart.specks(part.cells, part.values, colour(0))
    return chart
