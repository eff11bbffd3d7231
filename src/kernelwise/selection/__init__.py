"""Whole procedures, one folder for each paper's: the kernel parameter first, then C."""

from kernelwise.selection.abe import (
    AbeParameters,
    AbeResult,
    abe_grid_search,
    abe_line_search,
    abe_parameters,
    abe_select,
)
from kernelwise.selection.ayat import AyatResult, PairMachine, PairTuning, ayat_select
from kernelwise.selection.glasmachers import (
    GlasmachersCurves,
    GlasmachersResult,
    glasmachers_curves,
    glasmachers_select,
)
from kernelwise.selection.laanaya import (
    adaptive_scaling_select,
    constant_trace_select,
    laanaya_select,
    rbf_select,
)
from kernelwise.selection.metric import MetricResult, learn_metric
from kernelwise.selection.yin import (
    YinCurves,
    YinResult,
    yin_curves,
    yin_grid_search,
    yin_select,
    z_test,
)

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
