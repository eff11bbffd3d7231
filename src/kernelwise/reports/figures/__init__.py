"""Figures of a report, as markup."""

from __future__ import annotations

from kernelwise.reports.data import ReportData
from kernelwise.reports.figures.held_out import (
    predictions_figure,
    reliability_figure,
    residuals_figure,
    roc_figure,
    scores_figure,
)
from kernelwise.reports.figures.model import (
    dependence_figure,
    metric_figure,
    outliers_figure,
    regions_figure,
)
from kernelwise.reports.figures.search import criterion_figure, paths_figure, tried_figure


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
