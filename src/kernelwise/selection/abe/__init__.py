"""Paper 000."""

from kernelwise.selection.abe.parameters import AbeParameters, abe_parameters
from kernelwise.selection.abe.procedure import (
    CS,
    DELTAS,
    GAMMAS,
    abe_grid_search,
    abe_line_search,
    abe_select,
)
from kernelwise.selection.abe.result import AbeResult

__all__ = [
    "CS",
    "DELTAS",
    "GAMMAS",
    "AbeParameters",
    "AbeResult",
    "abe_grid_search",
    "abe_line_search",
    "abe_parameters",
    "abe_select",
]
