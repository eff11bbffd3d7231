"""Checks of the parameters of a tuned one-class machine, before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_integer
from kernelwise.estimators.kernel_argument import is_precomputed
from kernelwise.kernels import as_kernel
from kernelwise.search.data.given_folds import check_kind_of_folds


def check_one_class_settings(model: Any) -> None:
    """Raise unless the parameters of a `TunedOneClassSVM` are acceptable."""
    me = type(model).__name__
    model._validate_params()
    kernels = model.kernel if isinstance(model.kernel, list | tuple) else [model.kernel]
    if not kernels:
        raise ValueError(f"'kernel' of {me} is an empty list. Pass kernels, or 'auto'.")
    for kernel in kernels:
        if is_precomputed(kernel):
            raise ValueError(
                f"{me} chooses a kernel of samples, but {kernel!r} is a kernel of a matrix. Use OneClassSVM "
                "for a matrix."
            )
        if not (isinstance(kernel, str) and kernel == "auto"):
            as_kernel(kernel)
    if isinstance(model.cv, int | np.integer):
        check_integer(model.cv, "cv", me, least=2)
    elif not (isinstance(model.cv, str) and model.cv == "auto"):
        check_kind_of_folds(model.cv, "'auto'", me)
