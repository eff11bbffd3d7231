"""Settings of a grid search that do not go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.multiclass import check_strategy
from kernelwise.search.data.given_folds import check_kind_of_folds


def check_search(search: Any) -> None:
    """Raise unless the settings of a `GridSearchSVC`, other than its grid, go together."""
    if search.cv is not None:
        check_kind_of_folds(search.cv, "None", "GridSearchSVC")
    check_strategy(search.multiclass, search.decision_function_shape)
    if not isinstance(search.refit, bool | np.bool_ | str) and not callable(search.refit):
        raise ValueError(
            f"'refit' of GridSearchSVC must be a bool, a name or callable, got {search.refit!r}."
        )
    is_one = search.scoring is None or isinstance(search.scoring, str)
    if is_one and isinstance(search.refit, str) and search.refit not in ("score", search.scoring):
        raise ValueError(
            f"'refit' of GridSearchSVC must be True, False or callable with one score, got {search.refit!r}."
        )
