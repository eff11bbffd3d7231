"""Contributions of columns to predictions: Shapley values of kernel machines."""

from kernelwise.explanation.explanation import Explanation
from kernelwise.explanation.shapley import explain, explain_pairs, explains_exactly

__all__ = ["Explanation", "explain", "explain_pairs", "explains_exactly"]
