"""The figure of decision regions."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import PALETTE, colour, rgb
from kernelwise.reports.drawing import Chart, Scale
from kernelwise.reports.drawing.elements import CLASS_SHAPES
from kernelwise.reports.drawing.picture import png_address, zero_line
from kernelwise.reports.regions import Regions
from kernelwise.reports.words import shortened

#: Decision values beyond this have the full colour; how much of it an area has.
SURE, DEPTH = 2.0, 0.3


def regions_figure(regions: Regions) -> Chart:
    """Decision regions as areas of colour, rows as points; crosses are those the model gets wrong."""
    x, y = (Scale(float(cells[0]), float(cells[-1])) for cells in (regions.a, regions.b))
    across, up = (f"direction {k}: {shortened(name, 60)}" for k, name in enumerate(regions.axes, 1))
    chart = Chart(x, y, across, up, height=480)
    chart.image(png_address(areas(regions)))
    if len(regions.labels) == 2:
        n = np.array(regions.values.shape[::-1]) - 1
        chart.pieces(zero_line(regions.values) / n)
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
