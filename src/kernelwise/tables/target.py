"""The target of a table: labels, or numbers for a regression."""

from __future__ import annotations

import numpy as np

from kernelwise.tables.table import Table, TableError, is_missing, is_number

#: A column with one of these names is the target if nobody names another.
TARGET_NAMES = ("target", "class", "label", "y")
#: Whole numbers with more different values than this are no classes.
MAX_CLASSES = 100


def read_target(table: Table, index: int, task: str, as_text: bool = False) -> np.ndarray:
    """Labels as integers or text, or numbers, of shape (n_rows,); labels ``as_text`` where others are."""
    values, name = table.columns[index], table.names[index]
    missing = is_missing(values)
    if missing.any():
        where = table.where(int(np.flatnonzero(missing)[0]), index)
        raise TableError(f"{where}: the target is missing. Remove the row.")
    if task == "regression":
        return _numbers(table, index, values)
    if values.dtype.kind != "f" or as_text:
        return np.array(table.text(index).tolist(), dtype=str)
    distinct = np.unique(values)
    is_whole = bool((distinct == np.rint(distinct)).all()) and np.abs(distinct).max() < 2**53
    if not is_whole or len(distinct) > MAX_CLASSES:
        raise TableError(
            f"{table.source}: the target {name!r} looks continuous ({len(distinct)} distinct values, such as "
            f"{values[0]:g}). Use --task regression, or name another column with --target."
        )
    return values.astype(np.int64)


def _numbers(table: Table, index: int, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        row = next(r for r, value in enumerate(values) if not is_number(value))
        raise TableError(
            f"{table.where(row, index)}: a regression needs numbers, found {values[row]!r}. Use --task "
            "classification, or name another column with --target."
        )
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise TableError(f"{table.where(row, index)}: {values[row]} is not a finite number. Remove the row.")
    return values
