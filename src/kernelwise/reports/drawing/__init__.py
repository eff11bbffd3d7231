"""Small drawings without a script: axes, lines, dots, bands and pictures as SVG that fits any width."""

from kernelwise.reports.drawing.chart import Chart
from kernelwise.reports.drawing.scale import Names, Ranks, Scale, linear, logarithmic

__all__ = ["Chart", "Names", "Ranks", "Scale", "linear", "logarithmic"]
