"""Pictures of a tuned machine for notebooks, by matplotlib."""

from kernelwise.reports.displays.columns import ExplanationDisplay, RelevanceDisplay
from kernelwise.reports.displays.search import CPathDisplay, CriterionDisplay, SearchSurfaceDisplay
from kernelwise.reports.displays.widths import WidthCurvesDisplay

__all__ = [
    "CPathDisplay",
    "CriterionDisplay",
    "ExplanationDisplay",
    "RelevanceDisplay",
    "SearchSurfaceDisplay",
    "WidthCurvesDisplay",
]
