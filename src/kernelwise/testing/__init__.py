"""Contracts for anyone's own kernel, criterion or optimizer; the project's tests run them on ours."""

from kernelwise.testing.contracts import check_criterion, check_kernel, check_optimizer
from kernelwise.testing.gradients import (
    assert_gradient,
    central_difference,
    check_gradient,
    extrapolated_difference,
)

__all__ = [
    "assert_gradient",
    "central_difference",
    "check_criterion",
    "check_gradient",
    "check_kernel",
    "check_optimizer",
    "extrapolated_difference",
]
