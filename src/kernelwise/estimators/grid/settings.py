"""Settings of a grid search that cannot be."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from kernelwise._core.run_parameters import check_run
from kernelwise._core.validation import check_choice, check_flag, check_positive
from kernelwise.multiclass import check_strategy
from kernelwise.search.splits import check_kind_of_folds
from kernelwise.solvers.dual import LOSSES


def check_search(search: Any) -> None:
    """Raise unless the settings of a `GridSearchSVC`, other than its grid, are of their kind."""
    check_positive(search.tol, "tol", "GridSearchSVC")
    check_positive(search.memory_limit, "memory_limit", "GridSearchSVC")
    check_run(search)
    if search.cv is not None:
        check_kind_of_folds(search.cv, "None", "GridSearchSVC")
    check_flag(search.return_train_score, "return_train_score", "GridSearchSVC")
    check_choice(search.loss, "loss", "GridSearchSVC", LOSSES)
    check_choice(search.scaling, "scaling", "GridSearchSVC", ("per-fold", "shared"))
    check_strategy(search.multiclass, search.decision_function_shape, "GridSearchSVC")
    if not isinstance(search.refit, bool | np.bool_ | str) and not callable(search.refit):
        raise ValueError(
            f"'refit' of GridSearchSVC must be a bool, a name or callable, got {search.refit!r}."
        )
    is_one = search.scoring is None or isinstance(search.scoring, str)
    if is_one and isinstance(search.refit, str) and search.refit not in ("score", search.scoring):
        raise ValueError(
            f"'refit' of GridSearchSVC must be True, False or callable with one score, got {search.refit!r}."
        )
    if not isinstance(search.error_score, numbers.Real):
        check_choice(search.error_score, "error_score", "GridSearchSVC", ("raise",))
