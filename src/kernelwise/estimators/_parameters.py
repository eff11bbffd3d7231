"""Parameters of a support vector classifier that cannot be, and kernels that see no difference."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.run_parameters import check_run
from kernelwise._core.validation import check_choice, check_flag, check_positive
from kernelwise.estimators._classifier import check_rule
from kernelwise.estimators.kernel_choice import Rows, check_kernel_numbers
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES, check_strategy
from kernelwise.solvers.dual import LOSSES


def check_svc(model: Any) -> None:
    """Raise unless the parameters of an `SVC` are of their kind, also those that its kernel does not use."""
    for name in ("C", "tol", "memory_limit"):
        check_positive(getattr(model, name), name, "SVC")
    for name in ("shrinking", "probability", "break_ties", "warm_start"):
        check_flag(getattr(model, name), name, "SVC")
    check_kernel_numbers(model.gamma, model.degree, model.coef0, "SVC")
    check_run(model)
    check_strategy(model.multiclass, model.decision_function_shape, "SVC")
    check_rule(model.predict_by, "SVC")
    check_choice(model.loss, "loss", "SVC", LOSSES)
    if model.break_ties and STRATEGIES[model.multiclass].rejects:
        raise ValueError(
            f"break_ties=True would label what multiclass={model.multiclass!r} rejects; set it to False."
        )


def warn_if_alike(source: np.ndarray | Rows, kernel: Any) -> None:
    """Warn of kernel values that are all the same: no model can tell the samples apart by them.

    Where there is no Gram matrix, its first row and its diagonal say it: k(x, z) = k(x, x) = k(z, z) if and
    only if x and z are one point in feature space.
    """
    if not isinstance(source, Rows):
        values = source
    elif isinstance(source.kernel, Kernel):
        row = source.kernel(source.X[:1], source.X)
        values = np.concatenate([row.ravel(), source.kernel.diagonal(source.X)])
    else:
        return
    value = values.flat[0]
    if values.size > 1 and (values == value).all():
        what = "of K" if kernel is None else f"of the kernel {kernel} on these samples"
        warnings.warn(
            f"All values {what} are {value:.4g}: the model cannot tell samples apart, and gives all of them "
            "one answer. Scale the features, or use other kernel parameters.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )
