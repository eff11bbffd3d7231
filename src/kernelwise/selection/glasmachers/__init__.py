"""Paper 002."""

from kernelwise.selection.glasmachers.procedure import glasmachers_curves, glasmachers_select
from kernelwise.selection.glasmachers.result import GlasmachersCurves, GlasmachersResult

__all__ = ["GlasmachersCurves", "GlasmachersResult", "glasmachers_curves", "glasmachers_select"]
