"""The parameter ``categorical_features``: which columns hold words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelwise._core.text import meant

ALLOWED = "'from_dtype', None, or names, indices or a mask of columns"


def chosen_columns(
    categorical: Any, names: Sequence[Any] | None, n_columns: int, owner: str
) -> frozenset[int]:
    """Places of the columns that a list or mask names; empty for None and "from_dtype".

    ``names`` is None where the samples have none.
    """
    me = f"'categorical_features' of {owner}"
    if categorical is None or (isinstance(categorical, str) and categorical == "from_dtype"):
        return frozenset()
    values = np.asarray(categorical) if not isinstance(categorical, str) else np.asarray("")
    if values.ndim != 1 or (values.size and values.dtype.kind not in "biuUO"):
        raise ValueError(f"{me} must be {ALLOWED}, got {categorical!r}.")
    if not values.size:
        return frozenset()
    if values.dtype.kind == "b":
        if len(values) != n_columns:
            raise ValueError(f"{me} is a mask of {len(values)} columns, and X has {n_columns}.")
        return frozenset(np.flatnonzero(values).tolist())
    return frozenset(_place(value, names, n_columns, me) for value in values.tolist())


def _place(value: Any, names: Sequence[Any] | None, n_columns: int, me: str) -> int:
    if isinstance(value, str):
        if names is None:
            raise ValueError(f"{me} names the column {value!r}, and X has no names. Use indices or a mask.")
        if value not in names:
            raise ValueError(f"{me} names the column {value!r}, which X does not have.{meant(value, names)}")
        return list(names).index(value)
    if not isinstance(value, int) or not 0 <= value < n_columns:
        raise ValueError(f"{me} has the index {value!r}, and X has {n_columns} columns, counted from 0.")
    return value
