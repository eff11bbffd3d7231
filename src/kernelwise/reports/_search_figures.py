"""Figures of the search: criteria over widths, and scores over C."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.reports._plotly import DASHES, axis, figure, log_axis, numbers, plain
from kernelwise.reports.colours import FAINT, INK, MUTED, colour
from kernelwise.reports.criterion import CriterionCurves
from kernelwise.reports.paths import CPath
from kernelwise.reports.words import number, score_text

#: Evaluations of one start that are drawn, at most.
MAX_EVALUATIONS = 400


def criterion_figure(curves: CriterionCurves, score: str) -> dict[str, Any]:
    """Criteria above, cross-validation below: on one axis of widths, or each on its own."""
    over_widths = curves.is_over_widths
    traces = [_criterion_trace(curves, name, k) for k, name in enumerate(curves.values)]
    top_title = "criterion, scaled" if over_widths else "criterion"
    layout = {
        "yaxis": axis(top_title, domain=[0.54, 1.0], showticklabels=not over_widths),
        "yaxis2": axis(f"held-out {score}", domain=[0.0, 0.42], anchor="x" if over_widths else "x2"),
    }
    if over_widths:
        layout["xaxis"] = log_axis("γ, narrow kernels to the right", anchor="y2")
        positions = [path.width for path in curves.tried]
    else:
        layout["xaxis"] = axis("evaluation", anchor="y")
        layout["xaxis2"] = axis("kernels in the order they were scored", anchor="y2", dtick=1)
        positions = [float(k) for k in range(1, len(curves.tried) + 1)]
    traces += _tried(curves, positions, "x" if over_widths else "x2")
    return figure(traces, 520, **layout)


def _criterion_trace(curves: CriterionCurves, name: str, k: int) -> dict[str, Any]:
    x, shown = curves.x[name][:MAX_EVALUATIONS], curves.scaled(name)[:MAX_EVALUATIONS]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(name, 40),
        "x": numbers(x),
        "y": numbers(shown),
        "customdata": numbers(curves.values[name][:MAX_EVALUATIONS]),
        "line": {"color": colour(k), "width": 2, "dash": DASHES[k % len(DASHES)]},
        "hovertemplate": "%{customdata:.4g} at %{x:.3g}",
    }


def _tried(curves: CriterionCurves, positions: list[Any], xaxis: str) -> list[dict[str, Any]]:
    """The best of every kernel that cross-validation scored, and the chosen one."""
    best = [path.best for path in curves.tried]
    y = [float(path.scores[k]) for path, k in zip(curves.tried, best, strict=True)]
    errors = [float(path.errors[k]) for path, k in zip(curves.tried, best, strict=True)]
    texts = [
        f"{plain(path.kernel, 60)}<br>{plain(path.reason, 80)}<br>best at C = {number(path.Cs[k])}"
        for path, k in zip(curves.tried, best, strict=True)
    ]
    common = {"type": "scatter", "mode": "markers", "xaxis": xaxis, "yaxis": "y2"}
    hover = "%{y:.4f}<br>%{text}<extra></extra>"
    chosen = curves.chosen
    return [
        {
            **common,
            "name": "cross-validation",
            "x": numbers(positions),
            "y": numbers(y),
            "error_y": {
                "type": "data",
                "array": numbers(errors),
                "color": FAINT,
                "thickness": 1.5,
                "width": 3,
            },
            "marker": {"color": MUTED, "size": 8},
            "text": texts,
            "hovertemplate": hover,
        },
        {
            **common,
            "name": "chosen",
            "x": numbers([positions[chosen]]),
            "y": numbers([y[chosen]]),
            "marker": {"color": INK, "size": 15, "symbol": "star"},
            "text": [texts[chosen]],
            "hovertemplate": hover,
        },
    ]


def paths_figure(paths: list[CPath], chosen: tuple[int, int], score: str, share: bool) -> dict[str, Any]:
    """Scores along C: the chosen kernel with its standard error, all others faintly behind it."""
    others = [path for k, path in enumerate(paths) if k != chosen[0]]
    path, index = paths[chosen[0]], chosen[1]
    traces = [_other_path(other, k == 0) for k, other in enumerate(others)]
    low, high = path.scores - path.errors, path.scores + path.errors
    if np.isfinite(path.errors).all():
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": "one standard error",
                "x": numbers(np.concatenate([path.Cs, path.Cs[::-1]])),
                "y": numbers(np.concatenate([high, low[::-1]])),
                "fill": "toself",
                "fillcolor": "rgba(0,114,178,0.16)",
                "line": {"width": 0},
                "hoverinfo": "skip",
            }
        )
    texts = [f"{n:.0f} support vectors in a fold's machine" for n in path.n_support]
    traces.append(_path_trace(path, "chosen kernel", colour(0), texts))
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"chosen: {score_text(path.scores[index], share)}",
            "x": numbers([path.Cs[index]]),
            "y": numbers([path.scores[index]]),
            "marker": {"color": INK, "size": 15, "symbol": "star"},
            "hovertemplate": "C = %{x:.4g}<br>%{y:.4f}<extra></extra>",
        }
    )
    return figure(traces, 380, xaxis=log_axis("C"), yaxis=axis(f"held-out {score}"))


def _path_trace(path: CPath, name: str, line: str, texts: list[str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": numbers(path.Cs),
        "y": numbers(path.scores),
        "line": {"color": line, "width": 2.5},
        "marker": {"size": 6},
        "text": texts,
        "hovertemplate": "C = %{x:.4g}<br>%{y:.4f}<br>%{text}<extra></extra>",
    }


def _other_path(path: CPath, is_first: bool) -> dict[str, Any]:
    text = f"{plain(path.kernel, 60)}<br>{plain(path.reason, 80)}"
    trace = _path_trace(path, "other kernels", FAINT, [text] * len(path.Cs))
    thin = {"line": {"color": FAINT, "width": 1}, "marker": {"size": 3}}
    return {**trace, **thin, "legendgroup": "others", "showlegend": is_first}
