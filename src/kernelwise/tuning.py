"""The choice of kernel and C as a function."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any

from numpy.typing import ArrayLike

from kernelwise._core.typing import MatrixLike
from kernelwise.criteria import Criterion
from kernelwise.estimators.missing_parameters import refuse_unknown
from kernelwise.estimators.tuned_svc import TunedSVC
from kernelwise.kernels import KernelLike
from kernelwise.search.result import SelectionResult


def tune(
    X: MatrixLike,
    y: ArrayLike,
    *,
    kernel: KernelLike | Sequence[KernelLike] = "auto",
    criterion: Criterion | str = "auto",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **settings: Any,
) -> SelectionResult:
    """Choose a kernel, its parameters and C from the data, without training the final model.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
    y : array of shape (n_samples,)
        Class labels.
    kernel : str, Kernel or list of them, default="auto"
        As in `TunedSVC`.
    criterion : "auto", str or Criterion, default="auto"
        As in `TunedSVC`.
    sample_weight : array of shape (n_samples,), default=None
        A weight of 2 is the same as a repeated row.
    groups : array of shape (n_samples,), default=None
        Rows of one group stay together in folds. If ``cv`` is a splitter, it gets the groups.
    **settings
        Further parameters of `TunedSVC`, except ``refit``.

    Returns
    -------
    result : SelectionResult
        It has ``result.kernel`` (for scaled features), ``result.C``, ``result.score`` and ``result.why``.
        Print it to read the reasons of the choice.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import tune
    >>> result = tune(*load_iris(return_X_y=True), Cs=[1.0, 10.0])
    >>> result.C in (1.0, 10.0) and result.score > 0.9
    True
    """
    if "refit" in settings:
        raise ValueError("tune() trains no final model, so 'refit' has no effect. Use TunedSVC.")
    refuse_unknown("tune", settings, _KNOWN, plain="SVC")
    model = TunedSVC(kernel, criterion=criterion, refit=False, **settings)
    return model.fit(X, y, sample_weight, groups).result_


#: Parameters of `tune`: its own, and those of `TunedSVC` but for ``refit``.
_KNOWN = dict.fromkeys(
    name
    for function in (tune, TunedSVC)
    for name in signature(function).parameters
    if name not in ("refit", "settings")
)
