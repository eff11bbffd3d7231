"""Figures of rows that the model was not trained on: calibration, ROC curve, errors, scores."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import colour
from kernelwise.reports.drawing import Chart, Scale, linear
from kernelwise.reports.held_out import SOURCES, Predictions, Reliability, Roc
from kernelwise.reports.outliers import Outliers
from kernelwise.reports.words import sentence, shortened
from kernelwise.search.verdict.wording import number

DOTTED, DASHES = "2 4", (None, "7 4")
#: Probabilities that lie within a smaller range than this are shown enlarged.
ENLARGED = 0.6
#: Bins of the histogram of outlier scores.
N_BINS = 40
#: Scores below this share of the largest are drawn as if they had it: logarithms need a floor.
FLOOR = 1e-12


def reliability_figure(curves: list[Reliability]) -> Chart:
    """Observed shares over predicted probabilities, with the diagonal of perfect ones."""
    scale = _where_the_data_are(curves)
    across = f"predicted probability of {shortened(curves[0].of)}"
    chart = Chart(scale, scale, across, "how often it was true", 440, is_square=True)
    _diagonal(chart, "exactly as predicted")
    for k, curve in enumerate(curves):
        chart.key(SOURCES[curve.source], "circle", colour(k), is_line=True, dash=DASHES[k])
        low, high = curve.observed - curve.errors, curve.observed + curve.errors
        chart.whiskers(curve.predicted, low, high, colour(k))
        chart.line(curve.predicted, curve.observed, colour(k), dash=DASHES[k])
        titles = [
            f"predicted {p:.3f}, came true {o:.3f} ({w:.0f} rows)"
            for p, o, w in zip(curve.predicted, curve.observed, curve.weights, strict=True)
        ]
        chart.dots(curve.predicted, curve.observed, titles, colour(k))
    return chart


def _where_the_data_are(curves: list[Reliability]) -> Scale:
    """From 0 to 1, or the part in which all points are."""
    parts = [(c.predicted, c.observed - c.errors, c.observed + c.errors) for c in curves]
    values = np.concatenate([values for part in parts for values in part])
    values = np.clip(values[np.isfinite(values)], 0.0, 1.0)
    if np.ptp(values) > ENLARGED:
        return Scale(-0.02, 1.02)
    return linear(values, room=0.08)


def roc_figure(curves: list[Roc]) -> Chart:
    """Share of the class that is found over the share of false alarms."""
    up, scale = f"share of “{shortened(curves[0].of)}” found", Scale(-0.02, 1.02)
    across = "share of the other class called so (false alarms)"
    chart = Chart(scale, scale, across, up, 440, is_square=True)
    _diagonal(chart, "guessing: 0.500")
    for k, curve in enumerate(curves):
        name = f"{SOURCES[curve.source]}: area {curve.area:.3f}"
        chart.key(name, colour=colour(k), is_line=True, dash=DASHES[k])
        chart.line(curve.false_alarms, curve.found, colour(k), dash=DASHES[k])
    return chart


def predictions_figure(parts: list[Predictions]) -> Chart:
    """Predicted over observed targets."""
    scale = linear(*(part.observed for part in parts), *(part.predicted for part in parts))
    chart = Chart(scale, scale, "observed", "predicted", 440, is_square=True)
    _diagonal(chart, "exact")
    for k, part in enumerate(parts):
        chart.key(sentence(SOURCES[part.source]), "circle", colour(k))
        chart.dots(part.observed, part.predicted, _titles(part), colour(k), size=0.8)
    return chart


def residuals_figure(parts: list[Predictions]) -> Chart:
    """Errors over predicted targets: what is left to learn has a shape, noise has none."""
    errors = [part.predicted - part.observed for part in parts]
    x, y = linear(*(part.predicted for part in parts)), linear(*errors, [0.0])
    chart = Chart(x, y, "predicted", "predicted − observed", height=300)
    chart.line(_ends(x), [0.0, 0.0], dash=DOTTED, width=1.5)
    for k, (part, error) in enumerate(zip(parts, errors, strict=True)):
        if len(parts) > 1:
            chart.key(sentence(SOURCES[part.source]), "circle", colour(k))
        chart.dots(part.predicted, error, _titles(part), colour(k), size=0.8)
    return chart


def scores_figure(found: Outliers) -> Chart:
    """How many rows have each score, and the threshold; scores as powers of ten."""
    kept = found.scores[np.isfinite(found.scores)]
    floor = FLOOR * max(kept.max(), np.finfo(float).tiny)
    logs = np.log10(np.maximum(kept, floor))
    cut = float(np.log10(max(found.threshold, floor)))
    edges = np.linspace(min(logs.min(), cut), max(logs.max(), cut) + 1e-9, N_BINS + 1)
    parts = {"all rows": np.ones(len(kept), dtype=bool)}
    if found.labels is not None:
        labels = found.labels[np.isfinite(found.scores)]
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


def _titles(part: Predictions) -> list[str]:
    pairs = zip(part.observed, part.predicted, strict=True)
    return [f"observed {number(o, 4)}, predicted {number(p, 4)}" for o, p in pairs]


def _diagonal(chart: Chart, name: str) -> None:
    chart.key(name, is_line=True, dash=DOTTED)
    chart.line(_ends(chart.x), _ends(chart.x), dash=DOTTED, width=1.5)


def _ends(scale: Scale) -> list[float]:
    return [scale.low, scale.high]
