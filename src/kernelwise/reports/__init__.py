"""Reports of tuned machines: data, one HTML file, and displays for notebooks."""

from kernelwise.reports.asking import model_page, write_page
from kernelwise.reports.data import ReportData, report_data
from kernelwise.reports.displays import (
    CPathDisplay,
    CriterionDisplay,
    ExplanationDisplay,
    RelevanceDisplay,
    SearchSurfaceDisplay,
    WidthCurvesDisplay,
)
from kernelwise.reports.page import Page, write_report
from kernelwise.reports.predictions import predictions_page

__all__ = [
    "CPathDisplay",
    "CriterionDisplay",
    "ExplanationDisplay",
    "Page",
    "RelevanceDisplay",
    "ReportData",
    "SearchSurfaceDisplay",
    "WidthCurvesDisplay",
    "model_page",
    "predictions_page",
    "report_data",
    "write_page",
    "write_report",
]
