"""The figure of decision regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.reports._plotly import INK, MUTED, axis, colour, figure, numbers, plain, table
from kernelwise.reports.regions import Regions

#: Decision values beyond this have the full colour.
SURE = 2.0


def regions_figure(regions: Regions) -> dict[str, Any]:
    """Decision regions as areas of colour, samples as points: crosses are those the machine gets wrong."""
    is_pair = len(regions.labels) == 2
    background = _of_two(regions) if is_pair else _of_many(regions)
    points = [_points(regions, k, label) for k, label in enumerate(regions.labels)]
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


def _points(regions: Regions, k: int, label: str) -> dict[str, Any]:
    rows = regions.truth == k
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(label),
        "x": numbers(regions.points[rows, 0].round(4)),
        "y": numbers(regions.points[rows, 1].round(4)),
        "marker": {
            "color": colour(k),
            "size": [9 if wrong else 6 for wrong in regions.is_wrong[rows]],
            "symbol": ["x" if wrong else "circle" for wrong in regions.is_wrong[rows]],
            "line": {"color": "#ffffff", "width": 0.7},
        },
        "text": [f"{plain(label)}{', misclassified' if wrong else ''}" for wrong in regions.is_wrong[rows]],
        "hovertemplate": "%{text}<extra></extra>",
        "hoverlabel": {"bordercolor": MUTED},
    }
