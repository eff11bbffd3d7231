"""Checks of the parameters of a tuned one-class machine, before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.run_parameters import check_run
from kernelwise._core.validation import check_choice, check_integer, check_number, check_positive
from kernelwise.estimators._finish import check_solver
from kernelwise.estimators.kernel_choice import is_precomputed
from kernelwise.kernels import as_kernel
from kernelwise.search.one_class.judge import CRITERIA, SCORINGS
from kernelwise.search.splits import check_kind_of_folds
from kernelwise.solvers.one_class import check_nu


def check_one_class_settings(model: Any) -> None:
    """Raise unless the parameters of a `TunedOneClassSVM` are acceptable."""
    me = type(model).__name__
    for name in ("tol", "memory_limit"):
        check_positive(getattr(model, name), name, me)
    check_run(model)
    kernels = model.kernel if isinstance(model.kernel, list | tuple) else [model.kernel]
    if not kernels:
        raise ValueError(f"'kernel' of {me} is an empty list. Give kernels, or 'auto'.")
    for kernel in kernels:
        if is_precomputed(kernel):
            raise ValueError(
                f"{me} chooses a kernel of samples, and {kernel!r} is none. Use OneClassSVM for a matrix."
            )
        if not (isinstance(kernel, str) and kernel == "auto"):
            as_kernel(kernel)
    check_choice(model.criterion, "criterion", me, CRITERIA)
    if model.nu is not None:
        check_nu(model.nu, me)
    if model.scoring is not None:
        check_choice(model.scoring, "scoring", me, SCORINGS)
    if model.contamination is not None:
        check_number(model.contamination, "contamination", me)
        if not 0.0 < model.contamination <= 0.5:
            raise ValueError(
                f"'contamination' of {me} must be above 0 and at most 0.5, got {model.contamination!r}. "
                "It is the share of outliers; leave it out if it is not known."
            )
    if isinstance(model.cv, int | np.integer):
        check_integer(model.cv, "cv", me, least=2)
    elif not (isinstance(model.cv, str) and model.cv == "auto"):
        check_kind_of_folds(model.cv, "'auto'", me)
    check_solver(model.solver, False, me)
