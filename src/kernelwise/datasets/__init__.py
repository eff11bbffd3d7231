"""The papers' synthetic tasks, one closed form, and a loader for the benchmark files."""

from kernelwise.datasets.loader import Dataset, load
from kernelwise.datasets.manifest import available
from kernelwise.datasets.synthetic import (
    gaussian_esdr,
    gaussian_grid_parameters,
    make_gaussian_grid,
    make_two_gaussians,
    make_weston,
)

__all__ = [
    "Dataset",
    "available",
    "gaussian_esdr",
    "gaussian_grid_parameters",
    "load",
    "make_gaussian_grid",
    "make_two_gaussians",
    "make_weston",
]
