"""Figures of a report: the search, rows that the model was not trained on, and the trained model."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.columns_used import Dependence, Relevance
from kernelwise.reports.curves import CPath, CriterionCurves
from kernelwise.reports.data import ReportData
from kernelwise.reports.drawing import (
    CLASS_SHAPES,
    PALETTE,
    Chart,
    Names,
    Ranks,
    Scale,
    colour,
    linear,
    logarithmic,
    png_address,
    rgb,
    zero_line,
)
from kernelwise.reports.held_out import SOURCES, Predictions, Reliability, Roc
from kernelwise.reports.outliers import Outliers
from kernelwise.reports.regions import Regions
from kernelwise.reports.words import sentence, shortened
from kernelwise.search.verdict.reasons import why_tried
from kernelwise.search.wording import number

#: Evaluations of one start that are drawn, at most.
MAX_EVALUATIONS = 400
DASHES = (None, "7 4", "2 3", "9 3 2 3", "12 5")
#: Colours of the page, which follow its scheme.
QUIET, FAINT = "var(--muted)", "var(--faint)"
WIDTHS = "γ (narrow kernels to the right)"
DOTTED = "2 4"
#: Probabilities that lie within a smaller range than this are shown enlarged.
ENLARGED = 0.6
#: Bins of the histogram of outlier scores.
N_BINS = 40
#: Scores below this share of the largest are drawn as if they had it: logarithms need a floor.
FLOOR = 1e-12
#: Decision values beyond this have the full colour; how much of it an area has, and that of usual rows.
SURE, DEPTH, USUAL_DEPTH = 2.0, 0.3, 0.25


def figures(data: ReportData) -> dict[str, str]:
    """All figures by the name that the page has for them; only those that have data."""
    score, charts = data.answer.score_axis, {}
    if data.outliers is not None:
        charts["scores"] = scores_figure(data.outliers)
    if data.criterion is not None:
        charts["criterion"] = criterion_figure(data.criterion)
        charts["tried"] = tried_figure(data.criterion, score)
    if data.paths:
        charts["paths"] = paths_figure(data.paths, data.chosen, score)
    if data.reliabilities:
        charts["reliability"] = reliability_figure(data.reliabilities)
    if data.rocs:
        charts["roc"] = roc_figure(data.rocs)
    if data.predictions:
        charts["predictions"] = predictions_figure(data.predictions)
        charts["residuals"] = residuals_figure(data.predictions)
    if data.relevance is not None and data.relevance.correlations is not None:
        charts["metric"] = metric_figure(data.relevance)
    if data.looks_at is not None:
        for k, part in enumerate(data.looks_at.dependence):
            charts[f"dependence-{k}"] = dependence_figure(part)
    if data.regions is not None and data.outliers is not None:
        charts["plane"] = outliers_figure(data.regions)
    elif data.regions is not None:
        charts["regions"] = regions_figure(data.regions)
    return {name: chart.markup() for name, chart in charts.items()}


def criterion_figure(curves: CriterionCurves) -> Chart:
    """Criteria over widths, each from its lowest to its highest value, or at the evaluations of a search."""
    shown = {name: curves.scaled(name)[:MAX_EVALUATIONS] for name in curves.values}
    if curves.is_over_widths:
        title = "each from its lowest value (0) to its highest (1)"
        chart = Chart(_widths(curves), Scale(-0.04, 1.04), WIDTHS, title, height=280)
    else:
        x = linear(*(curves.x[name][:MAX_EVALUATIONS] for name in shown))
        chart = Chart(x, linear(*shown.values()), "evaluation", "criterion", height=280)
    for k, names in enumerate(_same(shown)):
        first, dash = names[0], DASHES[k % len(DASHES)]
        key = " and ".join(_named(curves, name) for name in names)
        chart.key(key, colour=colour(k), is_line=True, dash=dash)
        chart.line(curves.x[first][: len(shown[first])], shown[first], colour(k), dash=dash)
    return chart


def _named(curves: CriterionCurves, name: str) -> str:
    """A criterion for the key, with its range where the axis does not have it."""
    if not curves.is_over_widths:
        return shortened(name)
    low, high = np.nanmin(curves.values[name]), np.nanmax(curves.values[name])
    return f"{shortened(name)} ({number(low)} to {number(high)})"


def _same(shown: dict[str, np.ndarray]) -> list[list[str]]:
    """Names of the curves; those that would hide each other are one."""
    groups: list[list[str]] = []
    for name, values in shown.items():
        for group in groups:
            first = shown[group[0]]
            if first.shape == values.shape and np.allclose(first, values, atol=0.01, equal_nan=True):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def tried_figure(curves: CriterionCurves, score: str) -> Chart:
    """The score of every kernel that was tried, at the best C of each, and the chosen one."""
    x, scores, errors = curves.best()
    titles = [
        f"{number(score, 4)}: {path.kernel}, best at C = {number(path.Cs[path.best])}. "
        f"{why_tried(path.reason)}"
        for path, score in zip(curves.tried, scores, strict=True)
    ]
    if curves.is_over_widths:
        across, title = _widths(curves), WIDTHS
    else:
        x, title = np.arange(1.0, len(x) + 1), "kernels in the order in which they were tried"
        across = linear(x, room=0.1)
    up = linear(scores, scores - np.nan_to_num(errors), scores + np.nan_to_num(errors))
    chart = Chart(across, up, title, score, height=240)
    chart.key("tried, ± one standard error", "circle", QUIET)
    k = curves.chosen
    if np.isfinite(x[k]):  # a sum of kernels has no single width, and is not on the axis
        chart.key("chosen", "star")
    chart.whiskers(x, scores - errors, scores + errors, QUIET)
    chart.dots(x, scores, titles, QUIET)
    chart.dots(x[k : k + 1], scores[k : k + 1], titles[k : k + 1], shape="star")
    return chart


def _widths(curves: CriterionCurves) -> Scale:
    """One axis for both figures over widths."""
    return logarithmic(
        *curves.x.values(), np.array([path.width for path in curves.tried], dtype=float), room=0.02
    )


def paths_figure(paths: list[CPath], chosen: tuple[int, int], score: str) -> Chart:
    """Scores along C: the chosen kernel with its standard error, all others faintly behind it."""
    path, index = paths[chosen[0]], chosen[1]
    others = [other for k, other in enumerate(paths) if k != chosen[0]]
    low, high = path.band
    up = linear(*(each.scores for each in paths), low, high)
    chart = Chart(logarithmic(*(each.Cs for each in paths)), up, "C", score)
    for other in others:
        chart.line(other.Cs, other.scores, FAINT, width=1.0)
    if others:
        chart.key("other kernels", colour=FAINT, is_line=True)
    chart.key("chosen kernel", "circle", colour(0), is_line=True)
    if np.isfinite(path.errors).all():
        chart.key("one standard error", "band", colour(0))
        chart.line(
            np.concatenate([path.Cs, path.Cs[::-1]]),
            np.concatenate([high, low[::-1]]),
            colour(0),
            is_closed=True,
        )
    chart.line(path.Cs, path.scores, colour(0))
    triples = zip(path.Cs, path.scores, path.n_support, strict=True)
    titles = [f"C = {number(C)}: {number(s, 4)}, {n:.0f} support vectors" for C, s, n in triples]
    chart.dots(path.Cs, path.scores, titles, colour(0), size=0.8)
    chart.key("chosen C", "star")
    here = slice(index, index + 1)
    chart.dots(path.Cs[here], path.scores[here], titles[here], shape="star")
    return chart


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
    chart.line([cut, cut], [chart.y.low, chart.y.high], dash=DOTTED, width=1.5)
    chart.key("the threshold", dash=DOTTED, is_line=True)
    return chart


def _titles(part: Predictions) -> list[str]:
    pairs = zip(part.observed, part.predicted, strict=True)
    return [f"observed {number(o, 4)}, predicted {number(p, 4)}" for o, p in pairs]


def _diagonal(chart: Chart, name: str) -> None:
    chart.key(name, is_line=True, dash=DOTTED)
    chart.line(_ends(chart.x), _ends(chart.x), dash=DOTTED, width=1.5)


def _ends(scale: Scale) -> list[float]:
    return [scale.low, scale.high]


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
    chart.line([chart.x.low, chart.x.high], [0.0, 0.0], dash=DOTTED, width=1.5)
    chart.specks(part.cells, part.values, colour(0))
    return chart
