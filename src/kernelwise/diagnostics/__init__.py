"""What to know about the data before a kernel is chosen: findings a user can act on."""

from kernelwise.diagnostics._pairs import ClosestPair, closest_pair
from kernelwise.diagnostics._points import Points, distinct_points
from kernelwise.diagnostics.diagnosis import Diagnosis, diagnose

__all__ = ["ClosestPair", "Diagnosis", "Points", "closest_pair", "diagnose", "distinct_points"]
