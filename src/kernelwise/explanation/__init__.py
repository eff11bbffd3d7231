"""Which columns made a prediction: Shapley values of kernel machines."""

from kernelwise.explanation.explain import explain, explain_pairs, explains_exactly
from kernelwise.explanation.explanation import Explanation

__all__ = ["Explanation", "explain", "explain_pairs", "explains_exactly"]
