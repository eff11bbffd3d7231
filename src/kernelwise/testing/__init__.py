"""Contracts for anyone's own kernel, criterion or optimizer; the project's tests run them on ours."""

from kernelwise.testing.criteria import check_criterion
from kernelwise.testing.gradients import central_difference, check_gradient, extrapolated_difference
from kernelwise.testing.kernels import check_kernel
from kernelwise.testing.optimizers import check_optimizer

__all__ = [
    "central_difference",
    "check_criterion",
    "check_gradient",
    "check_kernel",
    "check_optimizer",
    "extrapolated_difference",
]
