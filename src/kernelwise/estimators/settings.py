"""Checks of the parameters of a tuned machine, before anything is computed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise._core.validation import check_not_negative, check_positive, copies_of
from kernelwise.criteria import as_criterion
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.optimizers import OPTIMIZERS, Optimizer

#: Words that stand for no kernel of samples.
NO_SAMPLES = ("precomputed", PRECOMPUTED_DISTANCE, "auto")
#: The one rule that ``refit`` knows by name.
ONE_ERROR = "one-standard-error"


def check_settings(model: Any) -> None:
    """Raise unless the parameters that all tuned machines share are acceptable."""
    model._validate_params()
    me = type(model).__name__
    _check_kernel(model.kernel, me)
    if not (isinstance(model.criterion, str) and model.criterion == "auto"):
        as_criterion(model.criterion)
    if model.search is not None and not isinstance(model.search, Optimizer):
        names = ", ".join(map(repr, OPTIMIZERS))
        if not isinstance(model.search, str) or model.search not in OPTIMIZERS:
            raise ValueError(
                f"'search' of {me} must be an Optimizer, None or one of {names}, got {model.search!r}."
            )
    _check_scores(model.scoring, model.refit, me)


def _check_scores(scoring: Any, refit: Any, owner: str) -> None:
    """Raise unless ``scoring`` is one score, or several of which ``refit`` names one."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        if not callable(refit) and not isinstance(refit, bool) and refit != ONE_ERROR:
            raise ValueError(
                f"'refit' of {owner} must be True, False, {ONE_ERROR!r} or callable, got {refit!r}."
            )
        return
    named = scores_by_name(scoring)
    if not named or not all(isinstance(name, str) for name in named):
        raise ValueError(
            f"'scoring' of {owner} must be a name, a function, a list of different names or a dict from "
            f"names to scores, got {scoring!r}."
        )
    if not isinstance(refit, str) or refit not in named:
        raise ValueError(
            f"'refit' of {owner} must name the score that the search maximises, one of "
            f"{', '.join(map(repr, named))}, because 'scoring' has several; got {refit!r}."
        )


def scores_by_name(scoring: Any) -> dict[Any, Any]:
    """Several scores as a dict; empty for what is no list, tuple, set or dict of different ones."""
    if isinstance(scoring, dict):
        return scoring
    if not isinstance(scoring, list | tuple | set):
        return {}
    try:
        named = {name: name for name in scoring}
    except TypeError:  # a list in a list
        return {}
    return named if len(named) == len(scoring) else {}


def steering_score(scoring: Any, refit: Any) -> Any:
    """The score that a search maximises: the only one, or the one of several that ``refit`` names."""
    return scores_by_name(scoring).get(refit, scoring) if isinstance(refit, str) else scoring


def _check_kernel(kernel: Any, owner: str) -> None:
    """Raise unless a kernel, or each of a list of them, is a name or an object that a search can choose."""
    if isinstance(kernel, str) and kernel in NO_SAMPLES:
        return
    if not isinstance(kernel, list | tuple):
        as_kernel(kernel, NO_SAMPLES)
        return
    if not kernel:
        raise ValueError(f"'kernel' of {owner} is an empty list. Pass kernels, or 'auto'.")
    for one in kernel:
        is_word = isinstance(one, str) and one in NO_SAMPLES
        if is_word or (isinstance(one, Kernel) and one.takes_distances):
            raise ValueError(
                f"'kernel' of {owner} is a list with {one!r}, which is not a kernel of samples. Give names "
                "such as 'rbf' and 'laplacian', or Kernel objects."
            )
        as_kernel(one)


def check_backend(backend: str | None, owner: str) -> None:
    """Raise if a backend is not installed."""
    if backend == "dask" and find_spec("dask") is None:
        raise ImportError(
            f"backend='dask' of {owner} needs dask. Install it with pip install 'kernelwise[dask]'."
        )


def values_of_C(Cs: Any, owner: str) -> np.ndarray | None:
    """Values of C in increasing order, each once, shape (n_Cs,); None if none are given."""
    return None if Cs is None else np.array(_values(Cs, "Cs", owner, check_positive, "positive float"))


def values_of_epsilon(epsilons: Any, owner: str) -> list[float] | None:
    """Values of ε in increasing order, each once; None if none are given."""
    return None if epsilons is None else _values(epsilons, "epsilons", owner, check_not_negative, "float")


def _values(given: Any, name: str, owner: str, check: Any, kind: str) -> list[float]:
    try:
        values = np.ravel(np.asarray(given)).tolist()
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name!r} of {owner} must be a list of numbers, got {given!r}.") from error
    if not values:
        raise ValueError(f"{name!r} of {owner} is empty. Give at least one {kind}, or None.")
    for value in values:
        check(value, name, owner)
    return sorted({float(value) for value in values})


def check_enough(weight: np.ndarray, folds: Any, owner: str) -> None:
    """Raise unless there are two samples, and as many as folds; a weight of 2 counts as two."""
    n = int(copies_of(weight).sum())
    if n < 2:
        raise ValueError(
            f"{owner} needs at least 2 samples of positive weight for cross-validation, got {n}."
        )
    if isinstance(folds, int | np.integer) and folds > n:
        raise ValueError(f"cv={folds} is more than the {count(n, 'sample')}. Use fewer folds.")
