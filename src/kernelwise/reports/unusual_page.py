"""From data about unusual rows to one HTML file that needs no network."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.reports.columns_used import largest
from kernelwise.reports.figures.model import histogram_figure, plane_figure
from kernelwise.reports.outliers import MAX_BARS, Strange, UnusualRows, share_above, share_text
from kernelwise.reports.page import environment, shared, write_page


def write_unusual(data: UnusualRows, path: Any) -> None:
    """Write a report on unusual rows as one HTML file, whole or not at all."""
    write_page(render_unusual(data), path)


def render_unusual(data: UnusualRows) -> str:
    """The HTML text of a report on unusual rows."""
    charts = {"scores": histogram_figure(data)}
    if data.plane is not None:
        charts["plane"] = plane_figure(data.plane)
    text: str = (
        environment()
        .get_template("unusual.html")
        .render(
            data=data,
            figures={name: chart.markup() for name, chart in charts.items()},
            rows=[
                (name, probability, stranger_than(data, one), one, *bars(one))
                for name, probability, one in zip(
                    data.row_names, data.probabilities, data.strangest, strict=True
                )
            ],
            **shared(data.findings),
        )
    )
    return text


def stranger_than(data: UnusualRows, one: Strange) -> str:
    """The share of rows that have a higher score, as a percentage."""
    return share_text(share_above(data.scores, one.score), data.n_rows)


def bars(one: Strange) -> tuple[list[str], np.ndarray]:
    """The columns with the largest values, named with what the row has there, and the values."""
    labels = [f"{name} = {cell}" for name, cell in zip(one.names, one.cells, strict=True)]
    return largest(one.values, labels, MAX_BARS) if labels else ([], np.zeros(0))
