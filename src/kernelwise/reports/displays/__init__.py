"""Pictures of a tuned machine for notebooks, by matplotlib."""

from kernelwise.reports.displays.c_path import CPathDisplay
from kernelwise.reports.displays.criterion import CriterionDisplay
from kernelwise.reports.displays.explanation import ExplanationDisplay
from kernelwise.reports.displays.relevance import RelevanceDisplay
from kernelwise.reports.displays.search_surface import SearchSurfaceDisplay

__all__ = [
    "CPathDisplay",
    "CriterionDisplay",
    "ExplanationDisplay",
    "RelevanceDisplay",
    "SearchSurfaceDisplay",
]
