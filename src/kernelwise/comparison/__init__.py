"""Nested comparison of ways to choose a machine."""

from kernelwise.comparison.nested import METHODS, Comparison, compare, full_grid, nested_cell

__all__ = ["METHODS", "Comparison", "compare", "full_grid", "nested_cell"]
