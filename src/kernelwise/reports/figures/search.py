"""Figures of the search: criteria over widths, and scores of kernels and along C."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.colours import colour
from kernelwise.reports.curves import CPath, CriterionCurves
from kernelwise.reports.drawing import Chart, Scale, linear, logarithmic
from kernelwise.reports.words import shortened
from kernelwise.search.verdict.reasons import why_tried
from kernelwise.search.verdict.wording import number

#: Evaluations of one start that are drawn, at most.
MAX_EVALUATIONS = 400
DASHES = (None, "7 4", "2 3", "9 3 2 3", "12 5")
#: Colours of the page, which follow its scheme.
QUIET, FAINT = "var(--muted)", "var(--faint)"
WIDTHS = "γ (narrow kernels to the right)"


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
