"""Nested comparison of ways to choose a machine."""

from kernelwise.comparison.cells import nested_cell
from kernelwise.comparison.methods import METHODS, REGRESSION_METHODS, full_grid
from kernelwise.comparison.nested import compare
from kernelwise.comparison.outcome import Comparison, ComparisonStopped

__all__ = [
    "METHODS",
    "REGRESSION_METHODS",
    "Comparison",
    "ComparisonStopped",
    "compare",
    "full_grid",
    "nested_cell",
]
