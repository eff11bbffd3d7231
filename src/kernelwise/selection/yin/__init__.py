"""Paper 004."""

from kernelwise.selection.yin.procedure import (
    CRITERIA,
    CS,
    SIGMAS,
    yin_curves,
    yin_grid_search,
    yin_select,
)
from kernelwise.selection.yin.result import YinCurves, YinResult
from kernelwise.selection.yin.z_test import z_test

__all__ = [
    "CRITERIA",
    "CS",
    "SIGMAS",
    "YinCurves",
    "YinResult",
    "yin_curves",
    "yin_grid_search",
    "yin_select",
    "z_test",
]
