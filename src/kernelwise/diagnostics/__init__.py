"""What to know about the data before a kernel is chosen: findings a user can act on."""

from kernelwise.diagnostics.closest_pair import ClosestPair, closest_pair
from kernelwise.diagnostics.diagnosis import Diagnosis, diagnose
from kernelwise.diagnostics.points import Points, distinct_points

__all__ = ["ClosestPair", "Diagnosis", "Points", "closest_pair", "diagnose", "distinct_points"]
