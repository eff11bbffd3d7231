"""Constraints on constructor parameters, and which kernels ignore gamma, degree and coef0."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from kernelwise._core.sklearn_compat import (
    ELSEWHERE,
    FINITE,
    FLAG,
    MAX_ITER,
    MEMORY,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    THREADS,
    VERBOSE,
    Number,
    at_least,
    one_of,
    stacklevel_of_user,
)
from kernelwise._core.text import count
from kernelwise._core.typing import is_sparse
from kernelwise._core.validation import copies_of
from kernelwise.estimators._classifier import RULES
from kernelwise.estimators.kernel_argument import Rows
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import Kernel
from kernelwise.multiclass import MACHINES, STRATEGIES, check_strategy
from kernelwise.search import OneClass
from kernelwise.solvers.dual import LOSSES

#: Rounding of inner products, relative to how much they vary, of which a machine learns too much.
MOST_ROUNDING = 1e-3
FEW = 64  # samples whose kernel values usually show that not all samples are alike

#: Of classifiers, however they are trained.
OF_CLASSES: dict[str, Any] = {
    "multiclass": one_of(STRATEGIES),
    "decision_function_shape": one_of(MACHINES),
    "reject_label": ELSEWHERE,
    "class_weight": ELSEWHERE,
}
OF_LABELS: dict[str, Any] = {**OF_CLASSES, "predict_by": one_of(RULES)}
#: Of machines that are trained to a tolerance.
OF_SOLVER: dict[str, Any] = {"tol": POSITIVE, **MAX_ITER, **MEMORY}
#: Of kernels that have a name.
OF_KERNEL: dict[str, Any] = {
    "kernel": ELSEWHERE,
    "gamma": [*one_of(("scale", "auto")), *NOT_NEGATIVE],
    "degree": at_least(0),
    "coef0": FINITE,
}
LOSS: dict[str, Any] = {"loss": one_of(LOSSES)}
OF_SVC: dict[str, Any] = {
    **OF_LABELS,
    **OF_SOLVER,
    **SEED,
    **OF_KERNEL,
    "C": POSITIVE,
    **dict.fromkeys(("shrinking", "probability", "break_ties", "warm_start"), FLAG),
    **LOSS,
    **THREADS,
    **VERBOSE,
}
OF_SVR: dict[str, Any] = {
    **OF_SOLVER,
    "C": [*POSITIVE, "array-like"],
    "epsilon": NOT_NEGATIVE,
    "kernel": ELSEWHERE,
    "loss": one_of(("epsilon_insensitive", "pinball")),
    "quantile": ELSEWHERE,
}
OF_NYSTROEM: dict[str, Any] = {
    **MEMORY,
    **SEED,
    "C": [*one_of(("auto",)), *POSITIVE],
    "n_components": [*one_of(("auto",)), *at_least(1)],
    "kernel": ELSEWHERE,
}
NU: dict[str, Any] = {"nu": [Number("a number above 0 and at most 1", Real, 0, 1, "right")]}
OF_ONE_CLASS: dict[str, Any] = {
    **OF_SOLVER,
    **OF_KERNEL,
    **NU,
    "shrinking": FLAG,
    "cache_size": POSITIVE,
    **VERBOSE,
}
OF_NYSTROEM_ONE_CLASS: dict[str, Any] = {
    **OF_SOLVER,
    **SEED,
    **NU,
    "kernel": ELSEWHERE,
    "n_components": OF_NYSTROEM["n_components"],
}
OF_GRID: dict[str, Any] = {
    **OF_CLASSES,
    **OF_SOLVER,
    **dict.fromkeys(("param_grid", "kernel", "kernels", "Cs", "scaler", "cv", "scoring", "refit"), ELSEWHERE),
    "scaling": one_of(("per-fold", "shared")),
    **LOSS,
    "error_score": [*one_of(("raise",)), Real],
    "return_train_score": FLAG,
    **THREADS,
    **VERBOSE,
}
#: Of all that is tuned.
OF_TUNED: dict[str, Any] = {
    **OF_SOLVER,
    **SEED,
    **dict.fromkeys(("kernel", "criterion", "search", "cv", "Cs", "refit", "scale", "scoring"), ELSEWHERE),
    "effort": ELSEWHERE,
    "blend": [*one_of(("auto",)), *FLAG],
    "categorical_features": ELSEWHERE,
    "solver": one_of(("auto", "exact", "nystroem")),
    "backend": [None, *one_of(("dask",))],
    "time_budget": [None, *POSITIVE],
    **THREADS,
    **VERBOSE,
}
OF_TUNED_ONE_CLASS: dict[str, Any] = {
    **{
        name: kinds
        for name, kinds in OF_TUNED.items()
        if name not in ("search", "Cs", "refit", "effort", "blend")
    },
    "criterion": one_of(OneClass.criteria),
    "scoring": [None, *one_of(OneClass.scorings)],
    "nu": [None, *NU["nu"]],
    "contamination": [
        None,
        Number(
            "a share of outliers above 0 and at most 0.5 (None if it is not known)", Real, 0, 0.5, "right"
        ),
    ],
}


def check_enough(weight: np.ndarray, folds: object, owner: str) -> None:
    """Raise unless there are two samples, and as many as folds; a weight of 2 counts as two."""
    n = int(copies_of(weight).sum())
    if n < 2:
        raise ValueError(
            f"{owner} needs at least 2 samples of positive weight for cross-validation, got {n}."
        )
    if isinstance(folds, int | np.integer) and folds > n:
        raise ValueError(f"cv={folds} is more than the {count(n, 'sample')}. Use fewer folds.")


def check_svc(model: Any) -> None:
    """Raise unless the parameters of an `SVC` go together."""
    check_strategy(model.multiclass, model.decision_function_shape)
    if model.break_ties and STRATEGIES[model.multiclass].rejects:
        raise ValueError(
            f"break_ties=True would label samples that multiclass={model.multiclass!r} rejects. Set it to "
            "False."
        )


def warn_if_alike(source: np.ndarray | Rows, kernel: Any) -> None:
    """Warn of kernel values that are all the same: no model can tell the samples apart by them.

    Where there is no Gram matrix, its first row and its diagonal say it: k(x, z) = k(x, x) = k(z, z) if and
    only if x and z are one point in feature space.
    """
    if not isinstance(source, Rows):
        values = source
    elif isinstance(source.kernel, Kernel):
        row = source.kernel(source.X[:1], source.X[:FEW])
        if (row != row[0, 0]).any():  # nearly always: the other values change nothing
            return
        row = source.kernel(source.X[:1], source.X)
        values = np.concatenate([row.ravel(), source.kernel.diagonal(source.X)])
    else:
        return
    value = values.flat[0]
    if values.size > 1 and (values == value).all():
        what = "of K" if kernel is None else f"of the kernel {kernel} on these samples"
        warnings.warn(
            f"All values {what} are {value:.4g}: the model cannot distinguish samples and predicts the same "
            "for all. Scale the features, or use other kernel parameters.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )


def warn_if_far_from_zero(kernel: Any, X: Any) -> None:
    """Warn if inner products are so large, for how much the samples vary, that rounding is much of it."""
    if not isinstance(kernel, Kernel) or kernel.gram_base != "inner products" or is_sparse(X):
        return
    X = np.asarray(X, dtype=float)
    spread = float(X.var(axis=0).sum())
    rounding = np.finfo(float).eps * float((X**2).sum(axis=1).max(initial=0.0))
    if rounding > MOST_ROUNDING * spread > 0.0:
        warnings.warn(
            f"The features are so far from zero, for how much they vary, that the values of {kernel} consist "
            f"of rounding errors to {min(1.0, rounding / spread):.1g} of their variance, which the model "
            "learns. Subtract the mean of every feature first, as StandardScaler does.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )
