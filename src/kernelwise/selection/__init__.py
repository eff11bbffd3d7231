"""Whole procedures, one file for each paper's: the kernel parameter first, then C."""

from kernelwise.selection._abe_parameters import AbeParameters, abe_parameters
from kernelwise.selection._abe_result import AbeResult
from kernelwise.selection._ayat_result import AyatResult, PairMachine, PairTuning
from kernelwise.selection._glasmachers_results import GlasmachersCurves, GlasmachersResult
from kernelwise.selection._metric_result import MetricResult
from kernelwise.selection._yin_results import YinCurves, YinResult
from kernelwise.selection._z_test import z_test
from kernelwise.selection.abe import abe_grid_search, abe_line_search, abe_select
from kernelwise.selection.ayat import ayat_select
from kernelwise.selection.glasmachers import glasmachers_curves, glasmachers_select
from kernelwise.selection.laanaya import (
    adaptive_scaling_select,
    constant_trace_select,
    laanaya_select,
    rbf_select,
)
from kernelwise.selection.metric import learn_metric
from kernelwise.selection.yin import yin_curves, yin_grid_search, yin_select

__all__ = [
    "AbeParameters",
    "AbeResult",
    "AyatResult",
    "GlasmachersCurves",
    "GlasmachersResult",
    "MetricResult",
    "PairMachine",
    "PairTuning",
    "YinCurves",
    "YinResult",
    "abe_grid_search",
    "abe_line_search",
    "abe_parameters",
    "abe_select",
    "adaptive_scaling_select",
    "ayat_select",
    "constant_trace_select",
    "glasmachers_curves",
    "glasmachers_select",
    "laanaya_select",
    "learn_metric",
    "rbf_select",
    "yin_curves",
    "yin_grid_search",
    "yin_select",
    "z_test",
]
