"""Samples of users as a `Table`: data frames of pandas, polars and pyarrow, and arrays with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from kernelwise._core.reading import check_table
from kernelwise._core.text import meant
from kernelwise.tables.cells import as_text, is_gap, typed_text, words_of
from kernelwise.tables.column import COLUMN_KINDS, Column, LeftOut, read_kind
from kernelwise.tables.new_rows import places_by_name
from kernelwise.tables.settle import HARMLESS, MIN_KINDS, settle
from kernelwise.tables.table import Table, is_numbers, is_words

#: Types that can be no features, and what they are called.
REFUSED = {
    "Time": "times",
    "Duration": "durations",
    "List": "lists",
    "Array": "arrays",
    "Struct": "records",
    "Binary": "bytes",
}
AS_NUMBER = "Use a number of days or seconds instead."
LEAVE_OUT = "Turn the column into numbers or words, or leave it out."
#: What the parameter ``categorical_features`` may be.
ALLOWED = "'from_dtype', None, or names, indices or a mask of columns"


def to_table(X: Any, categorical: Any, owner: str, is_finite: bool = True) -> Table | None:
    """Training samples as a table, or None if they are complete numbers, which need no coding.

    ``categorical`` is the parameter ``categorical_features`` of ``owner``. What can be no feature is refused
    in a sentence that names the column; so is infinity, unless ``is_finite`` is False.
    """
    if isinstance(X, Table):
        return X
    native = _native(X)
    if native is None:
        return _array(X, categorical, owner, is_finite)
    names, series = tuple(native.columns), list(native.iter_columns())
    chosen = chosen_columns(categorical, names, len(names), owner)
    is_plain = not chosen and all(_is_complete_number(column) for column in series)
    if is_plain and not any(_may_count_rows(column) for column in series):
        return None
    by_dtype = isinstance(categorical, str)
    columns = [
        _column(column, name, k in chosen, by_dtype, mixed=by_dtype)
        for k, (name, column) in enumerate(zip(names, series, strict=True))
    ]
    whole = tuple(column.dtype.is_integer() and k not in chosen for k, column in enumerate(series))
    words = [k for k, values in enumerate(columns) if is_words(values)]
    codes = frozenset(k for k in words if not _is_text(series[k].to_list()))
    table = Table(names, tuple(columns), whole=whole, codes_as_words=codes)
    if by_dtype:  # a list of columns says that the others are numbers
        fixed = {k for k in words if k in chosen or series[k].dtype in (nw.Categorical, nw.Enum)}
        table = settle(table, range(len(names)), fixed)
        _refuse_mixtures(table, series)
    is_harmless = all(why in HARMLESS for why in table.left_out.values())
    return None if is_plain and is_harmless else _checked(table, is_finite)


def plain_table(X: Any) -> Table | None:
    """A data frame of complete numbers, of which `to_table` makes no table, as one; None for an array."""
    native = _native(X)
    if native is None:
        return None
    return Table(
        tuple(native.columns), tuple(np.asarray(one.to_numpy(), float) for one in native.iter_columns())
    )


def _may_count_rows(column: Any) -> bool:
    """Whether whole numbers may be those of the rows, which no model should learn from; a quick look."""
    if len(column) < MIN_KINDS or not column.dtype.is_integer():
        return False
    return len(set(column[:MIN_KINDS].to_list())) == MIN_KINDS


def _refuse_mixtures(table: Table, series: Sequence[Any]) -> None:
    """Raise if a column mixes words and numbers, and is neither one of numbers nor left out."""
    for k, values in enumerate(table.columns):
        if is_words(values) and series[k].dtype == nw.Object and k not in table.left_out:
            _objects(series[k].to_list(), repr(table.names[k]))


def new_table(X: Any, columns: Sequence[Column], has_names: bool) -> Table:
    """Samples to predict as a table; an array has the columns of the training samples in their order.

    ``columns`` are those of the training samples, and ``has_names`` says whether they count by their names.
    Further columns of a data frame may hold anything.
    """
    if isinstance(X, Table):
        return X
    wanted = [column.name for column in columns]
    native = _native(_without_others(X, columns) if has_names else X)
    if native is not None:
        names = tuple(native.columns)
        places = places_by_name(wanted, names) if has_names else list(range(len(columns)))
        known = dict(zip(places, columns, strict=True))
        series = enumerate(zip(names, native.iter_columns(), strict=True))
        read = [_new_column(one, name, known.get(k)) for k, (name, one) in series]
        return _checked(Table(names, tuple(read)))
    words = frozenset(k for k, column in enumerate(columns) if column.is_words)
    return _checked(_nameless(_two_dimensions(X), words))


def _new_column(series: Any, name: Any, column: Column | None) -> np.ndarray:
    """One column of a data frame to predict, and what was learned of it, if it was there in training."""
    if isinstance(column, LeftOut):
        return words_of(series.to_list())
    if column is None or not column.is_words:
        return _column(series, name, False, True, mixed=column is not None)
    if column.is_text and series.dtype == nw.Object:
        _objects(series.to_list(), repr(name))  # refuses what can be no word
    # As they are: booleans and long integers would be other words if they became numbers first.
    return _column(series, name, True, True)


def _without_others(X: Any, columns: Sequence[Column]) -> Any:
    """A data frame without the columns that are not known; as it is if one that is needed is not there."""
    if not hasattr(X, "columns") or not hasattr(X, "shape") or sparse.issparse(X):
        return X
    names = list(getattr(X, "column_names", X.columns))
    places = places_by_name([column.name for column in columns], names)
    pairs = zip(places, columns, strict=True)
    if len(names) == len(columns) or any(k is None and not isinstance(one, LeftOut) for k, one in pairs):
        return X
    kept = [names[place] for place in sorted(place for place in places if place is not None)]
    return X.select(kept) if hasattr(X, "select") else X[kept]


def _native(X: Any) -> Any:
    """A data frame in narwhals' clothes, or None if X is no data frame."""
    if hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise ValueError("X is a lazy frame, whose rows are not computed yet. Pass X.collect().")
    if not hasattr(X, "columns") or sparse.issparse(X):
        return None
    if hasattr(X, "column_names"):  # of pyarrow, whose ``columns`` are the values
        twice = [name for k, name in enumerate(X.column_names) if name in X.column_names[:k]]
        if twice:
            raise ValueError(f"X has more than one column {twice[0]!r}. Give each column a name of its own.")
    else:
        check_table(X, "X", taken="".join(COLUMN_KINDS))
    native = nw.from_native(X, eager_only=True, pass_through=True)
    return native if isinstance(native, nw.DataFrame) and len(native.columns) else None


def _is_words(dtype: Any) -> bool:
    return dtype in (nw.String, nw.Categorical, nw.Enum)


def _is_complete_number(column: Any) -> bool:
    """Whether a column needs no coding; strange types are left to scikit-learn's checks of numbers."""
    dtype = column.dtype
    if dtype.is_float():
        return not (column.is_null().any() or column.is_nan().any())
    if dtype.is_numeric() or dtype == nw.Boolean:
        return not column.is_null().any()
    return dtype == nw.Unknown and getattr(getattr(column.to_native(), "dtype", None), "kind", "") in "fiubc"


def _column(column: Any, name: Any, words: bool, by_dtype: bool, mixed: bool = False) -> np.ndarray:
    """One column of a data frame, as numbers or words, or as another kind of column.

    Words and numbers in one column are refused, unless ``mixed``: then all of them are words for now.
    """
    dtype = column.dtype
    if not words and not dtype.is_numeric() and dtype != nw.Boolean:
        values = read_kind(column.to_list())
        if values is None and dtype in (nw.Date, nw.Datetime):  # dates that are all missing
            values = np.full(len(column), "NaT", dtype="datetime64[s]")
        if values is not None:
            return values
    kind = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if kind in REFUSED:
        what = REFUSED[kind]
        advice = AS_NUMBER if what in ("times", "durations") else LEAVE_OUT
        raise ValueError(f"Column {name!r} of X has {what}, which are neither numbers nor words. {advice}")
    if words or _is_words(dtype):
        if not words and not by_dtype:
            raise ValueError(
                f"Column {name!r} of X holds words, but categorical_features does not name it. Add it there, "
                "use categorical_features='from_dtype', or leave the column out."
            )
        return words_of(column.to_list())
    if dtype == nw.Object:
        return _objects(column.to_list(), repr(name), words_too=by_dtype, mixed=mixed)
    try:
        return np.array(column.cast(nw.Float64).to_numpy(), dtype=float)
    except Exception as error:  # whatever the library of the frame raises for a type that is no number
        own = column.to_native().dtype if dtype == nw.Unknown else dtype
        message = f"Column {name!r} of X has values of the type {own}, which are neither numbers nor words."
        raise ValueError(f"{message} {LEAVE_OUT}") from error


def _objects(cells: Any, name: Any, words_too: bool = True, mixed: bool = False) -> np.ndarray:
    """Cells of any type, as numbers if all are numbers, as words if all are text, or if they are mixed."""
    present = [(row, cell) for row, cell in enumerate(cells) if not is_gap(cell)]
    text = [(row, cell) for row, cell in present if isinstance(cell, str)]
    other = [(row, cell) for row, cell in present if not isinstance(cell, str)]
    for row, cell in other:
        if not _is_number(cell):
            kind = type(cell).__name__
            is_date = hasattr(cell, "isoformat") or kind == "timedelta"
            advice = AS_NUMBER if is_date else LEAVE_OUT
            article = "an" if kind[0] in "aeiouAEIOU" else "a"
            raise ValueError(
                f"Column {name} of X has {article} {kind} in row {row}, where a number or a word was "
                f"expected. {advice}"
            )
    if text and other and not mixed:
        raise ValueError(
            f"Column {name} of X mixes words ({text[0][1]!r} in row {text[0][0]}) and numbers "
            f"({other[0][1]!r} in row {other[0][0]}). Make all of them words, or all of them numbers."
        )
    if text:
        if not words_too:
            raise ValueError(
                f"X has {text[0][1]!r} in row {text[0][0]}, column {name}, which is not a number. Name the "
                "column in categorical_features if it holds words, or leave it out."
            )
        return words_of([cell if is_gap(cell) else typed_text(cell) for cell in cells])
    return np.array([np.nan if is_gap(cell) else float(cell) for cell in cells], dtype=float)


def _is_number(cell: Any) -> bool:
    if isinstance(cell, bytes | complex | np.complexfloating):
        return False
    try:
        float(cell)
    except (TypeError, ValueError, OverflowError):
        return False
    return np.ndim(cell) == 0


def _array(X: Any, categorical: Any, owner: str, is_finite: bool) -> Table | None:
    """An array or a list of rows as a table, if it has gaps or columns that are named as words."""
    is_named = categorical is not None and not isinstance(categorical, str)
    if sparse.issparse(X):
        if is_named and chosen_columns(categorical, None, X.shape[1], owner):
            raise ValueError(
                f"{owner}(categorical_features=...) needs dense samples or a data frame, but X is sparse. "
                "Pass X.toarray()."
            )
        return None
    if isinstance(X, str | bytes | dict | set) or X is None or hasattr(X, "__next__"):
        return None  # the checks of numbers have words for these
    cells = _cells(X)
    if cells is None or cells.ndim != 2 or not cells.shape[1] or cells.dtype.kind not in "biufOU":
        return None
    chosen = chosen_columns(categorical, None, cells.shape[1], owner) if is_named else frozenset()
    if not chosen and not _has_gaps(cells):
        return None
    return _checked(_nameless(cells, chosen), is_finite)


def _nameless(cells: np.ndarray, words: frozenset[int]) -> Table:
    """The columns of an array, of shape (n_rows, n_columns), some of which are named as words."""
    names = tuple(range(cells.shape[1]))
    columns = [words_of(cells[:, k].tolist()) if k in words else _no_words(cells[:, k], k) for k in names]
    codes = frozenset(k for k in words if k in names and not _is_text(cells[:, k].tolist()))
    whole = (False,) * len(names)
    return Table(names, tuple(columns), has_names=False, whole=whole, codes_as_words=codes)


def _is_text(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values if not is_gap(value))


def _cells(X: Any) -> np.ndarray | None:
    """The cells of an array or a list of rows; None if its rows have several lengths."""
    if hasattr(X, "__array__"):
        return np.asarray(X)
    try:
        cells = np.asarray(X)
        return np.asarray(X, dtype=object) if cells.dtype.kind == "U" else cells
    except ValueError:
        return None


def _no_words(cells: np.ndarray, name: Any) -> np.ndarray:
    """One column of an array that is not named as words."""
    if cells.dtype.kind in "biuf":
        return cells.astype(float)
    values = read_kind(cells.tolist())
    return _objects(cells.tolist(), name, words_too=False) if values is None else values


def _has_gaps(cells: np.ndarray) -> bool:
    if cells.dtype.kind == "f":
        return bool(np.isnan(np.min(cells, initial=np.inf)))
    return cells.dtype.kind == "O" and any(is_gap(cell) for cell in cells.flat)


def _two_dimensions(X: Any) -> np.ndarray:
    check_table(X, "X")
    cells = _cells(X.toarray() if sparse.issparse(X) else X)
    if cells is None or cells.ndim != 2 or cells.dtype.kind not in "biufOU":
        got = "rows of different lengths" if cells is None else f"an array of shape {cells.shape}"
        raise ValueError(
            f"X must be a table of rows and columns of numbers and words, got {got}. "
            "Reshape one row with X.reshape(1, -1)."
        )
    return cells


def _checked(table: Table, is_finite: bool = True) -> Table:
    """The table, if its numbers are finite or need not be."""
    for name, column in zip(table.names, table.columns, strict=True):
        if is_finite and is_numbers(column) and np.isinf(column).any():
            row = int(np.flatnonzero(np.isinf(column))[0])
            raise ValueError(
                f"X has {as_text(column[row])} in row {row}, column {name!r}, which is not a finite number. "
                "Correct it, or leave it empty if it is missing."
            )
    return table


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
