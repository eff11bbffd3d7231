"""The figure of decision regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.reports._plotly import axis, figure, numbers, plain, table
from kernelwise.reports.colours import INK, colour
from kernelwise.reports.regions import Regions

#: Decision values beyond this have the full colour.
SURE = 2.0


def regions_figure(regions: Regions) -> dict[str, Any]:
    """Decision regions as areas of colour, samples as points: crosses are those the machine gets wrong."""
    is_pair = len(regions.labels) == 2
    background = _of_two(regions) if is_pair else _of_many(regions)
    points = [_points(regions, k, wrong) for k in range(len(regions.labels)) for wrong in (False, True)]
    titles = (plain(f"direction {k}: {name}", 60) for k, name in enumerate(regions.axes, 1))
    xaxis, yaxis = (axis(title, showgrid=False) for title in titles)
    return figure(background + points, 540, xaxis=xaxis, yaxis=yaxis)


def _of_two(regions: Regions) -> list[dict[str, Any]]:
    place = {"x": numbers(regions.a), "y": numbers(regions.b), "hoverinfo": "skip"}
    values = table(np.clip(regions.values, -SURE, SURE).round(3))
    return [
        {
            **place,
            "type": "heatmap",
            "z": values,
            "zmin": -SURE,
            "zmax": SURE,
            "zsmooth": "best",
            "showscale": False,
            "colorscale": [[0, "#cbe2f0"], [0.5, "#fbfbfa"], [1, "#f8dcc6"]],
        },
        {
            **place,
            "type": "contour",
            "z": values,
            "showscale": False,
            "contours": {"start": 0, "end": 0, "size": 1, "coloring": "lines"},
            "colorscale": [[0, INK], [1, INK]],
            "line": {"width": 1.5},
        },
    ]


def _of_many(regions: Regions) -> list[dict[str, Any]]:
    k = len(regions.labels)
    steps = [
        [edge / (k + 1), "#ffffff" if place == 0 else colour(place - 1)]
        for place in range(k + 1)
        for edge in (place, place + 1)
    ]
    return [
        {
            "type": "heatmap",
            "x": numbers(regions.a),
            "y": numbers(regions.b),
            "z": table(regions.values),
            "zmin": -1.5,
            "zmax": k - 0.5,
            "colorscale": steps,
            "opacity": 0.2,
            "showscale": False,
            "hoverinfo": "skip",
        }
    ]


def _points(regions: Regions, k: int, is_wrong: bool) -> dict[str, Any]:
    """Samples of one class that the machine gets wrong, or right."""
    rows = (regions.truth == k) & (regions.is_wrong == is_wrong)
    label = plain(regions.labels[k])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": label,
        "legendgroup": str(k),
        "showlegend": not is_wrong,
        "x": numbers(regions.points[rows, 0].round(4)),
        "y": numbers(regions.points[rows, 1].round(4)),
        "marker": {
            "color": colour(k),
            "size": 9 if is_wrong else 6,
            "symbol": "x" if is_wrong else "circle",
            "line": {"color": "#ffffff", "width": 0.7},
        },
        "text": [f"{label}, misclassified" if is_wrong else label] * int(rows.sum()),
        "hovertemplate": "%{text}<extra></extra>",
    }
