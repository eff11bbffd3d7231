"""Figures of a report, as plotly's plain dictionaries."""

from __future__ import annotations

from typing import Any

from kernelwise.reports._plotly import DASHES, axis, figure, numbers, plain, table
from kernelwise.reports._regions_figure import regions_figure
from kernelwise.reports._search_figures import criterion_figure, paths_figure
from kernelwise.reports.colours import FAINT, colour
from kernelwise.reports.data import ReportData
from kernelwise.reports.held_out import Predictions, Reliability
from kernelwise.reports.relevance import Relevance


def figures(data: ReportData) -> dict[str, dict[str, Any]]:
    """All figures by the name that the page has for them; only those that have data."""
    found: dict[str, dict[str, Any]] = {}
    if data.criterion is not None:
        found["criterion"] = criterion_figure(data.criterion, data.answer.score)
    found["paths"] = paths_figure(data.paths, data.chosen, data.answer.score, data.answer.is_share)
    if data.reliabilities:
        found["reliability"] = reliability_figure(data.reliabilities)
    if data.predictions:
        found["predictions"] = predictions_figure(data.predictions)
    if data.relevance is not None:
        found["relevance"] = relevance_figure(data.relevance)
        if data.relevance.correlations is not None:
            found["metric"] = metric_figure(data.relevance)
    if data.regions is not None:
        found["regions"] = regions_figure(data.regions)
    return found


def reliability_figure(curves: list[Reliability]) -> dict[str, Any]:
    """Observed shares over predicted probabilities, with the diagonal of perfect ones."""
    traces: list[dict[str, Any]] = [_diagonal(0.0, 1.0, "as predicted")]
    for k, curve in enumerate(curves):
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": curve.source,
                "x": numbers(curve.predicted),
                "y": numbers(curve.observed),
                "error_y": {"type": "data", "array": numbers(curve.errors), "thickness": 1.2, "width": 3},
                "line": {"color": colour(k), "width": 2, "dash": DASHES[k % len(DASHES)]},
                "marker": {"size": 8},
                "text": [f"{weight:.0f} samples" for weight in curve.weights],
                "hovertemplate": "predicted %{x:.3f}<br>observed %{y:.3f}<br>%{text}<extra></extra>",
            }
        )
    of = plain(curves[0].of, 40)
    return figure(
        traces,
        420,
        xaxis=axis(f"predicted probability of {of}", range=[-0.03, 1.03]),
        yaxis=axis("observed share", range=[-0.03, 1.03]),
    )


def predictions_figure(parts: list[Predictions]) -> dict[str, Any]:
    """Predicted over observed targets."""
    ends = [part.observed for part in parts]
    low, high = min(float(values.min()) for values in ends), max(float(values.max()) for values in ends)
    traces = [_diagonal(low, high, "equal")]
    for k, part in enumerate(parts):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": part.source,
                "x": numbers(part.observed),
                "y": numbers(part.predicted),
                "marker": {"color": colour(k), "size": 6, "opacity": 0.6},
                "hovertemplate": "observed %{x:.4g}<br>predicted %{y:.4g}<extra></extra>",
            }
        )
    return figure(traces, 460, xaxis=axis("observed"), yaxis=axis("predicted"))


def _diagonal(low: float, high: float, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [low, high],
        "y": [low, high],
        "line": {"color": FAINT, "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }


def relevance_figure(relevance: Relevance) -> dict[str, Any]:
    """Shares of the features as bars, the largest on top."""
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": numbers(100 * relevance.shares),
        "y": list(range(len(relevance.names))),
        "text": [plain(name, 80) for name in relevance.names],
        "textposition": "none",
        "marker": {"color": colour(0)},
        "hovertemplate": "%{text}<br>%{x:.2f} %<extra></extra>",
    }
    height = 90 + 22 * len(relevance.names)
    return figure(
        [bars],
        height,
        xaxis=axis("share, %"),
        yaxis=_names(relevance, autorange="reversed"),
        bargap=0.35,
        showlegend=False,
    )


def metric_figure(relevance: Relevance) -> dict[str, Any]:
    """The metric off its diagonal: which features it takes together."""
    assert relevance.correlations is not None
    positions = list(range(len(relevance.names)))
    map_ = {
        "type": "heatmap",
        "x": positions,
        "y": positions,
        "z": table(relevance.correlations),
        "zmin": -1,
        "zmax": 1,
        "colorscale": [[0, "#d55e00"], [0.5, "#ffffff"], [1, "#0072b2"]],
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickfont": {"size": 11}},
        "text": [[f"{plain(a)} and {plain(b)}" for b in relevance.names] for a in relevance.names],
        "hovertemplate": "%{text}<br>%{z:.3f}<extra></extra>",
    }
    return figure(
        [map_],
        200 + 20 * len(positions),
        xaxis=_names(relevance, tickangle=-45, showgrid=False),
        yaxis=_names(relevance, autorange="reversed", showgrid=False),
    )


def _names(relevance: Relevance, **more: Any) -> dict[str, Any]:
    """An axis of features; by position, since two names may be equal."""
    ticks = {"tickvals": list(range(len(relevance.names))), "ticktext": [plain(n) for n in relevance.names]}
    return axis("", **ticks, **more)
