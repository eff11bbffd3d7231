"""Checks of the data before a kernel is chosen; their findings say what a user can do."""

from kernelwise.diagnostics._pairs import ClosestPair, Points, closest_pair, distinct_points
from kernelwise.diagnostics._theorems import BoundaryVerdict, boundary_verdict
from kernelwise.diagnostics.diagnosis import Diagnosis, diagnose

__all__ = [
    "BoundaryVerdict",
    "ClosestPair",
    "Diagnosis",
    "Points",
    "boundary_verdict",
    "closest_pair",
    "diagnose",
    "distinct_points",
]
