"""What users pass as samples, targets and weights, turned into numbers, or refused with the cell named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from kernelwise._core.typing import RowsLike, Samples, is_sparse

ROWS = "an array, a list of rows or a data frame"
ADVICE = "Turn the column into numbers, or leave it out."
CORRECT_VALUE = "Correct the value, or leave its row out."
CORRECT_KERNEL = "Correct the kernel that the Gram matrix comes from."


def read_samples(estimator: BaseEstimator, X: RowsLike, *y: ArrayLike, **settings: Any) -> Any:
    """Return samples, and targets if they are given, as scikit-learn's ``validate_data`` does.

    What is no table of finite numbers is refused in a sentence that names the column, where scikit-learn
    passes on what numpy says, or advises other estimators.
    """
    for targets in y:
        check_one_per_sample(targets)
        _check_one_target(targets, estimator)
    words, gaps = _ways_out(estimator, is_training=bool(y))
    with explained(X, advice=words):
        try:
            return validate_data(estimator, X, *y, **settings)
        except ValueError as error:
            if not str(error).startswith("Input X contains "):
                raise
            table = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
            is_gap = np.isnan(table.data if is_sparse(table) else table).any()
            raise ValueError(
                f"{where_not_finite(table, columns=_names(X))} {gaps if is_gap else CORRECT_VALUE}"
            ) from error


def _ways_out(estimator: BaseEstimator, is_training: bool) -> tuple[str, str]:
    """What a user can do who has words, and who has gaps, where an estimator takes finite numbers only."""
    me = type(estimator).__name__
    if get_tags(estimator).input_tags.pairwise:
        return ADVICE, CORRECT_KERNEL
    tuned = {"TunedSVC": is_classifier(estimator), "TunedSVR": is_regressor(estimator)}
    takes_both = [name for name, fits in tuned.items() if fits and is_training and name != me]
    use = f"use {takes_both[0]}, which accepts words and gaps, or" if takes_both else "use"
    words = f"{me} accepts only numbers: {use} an encoder such as OneHotEncoder in a Pipeline."
    if is_training and hasattr(estimator, "categorical_features"):
        words = (
            f"{me} accepts words in a data frame, or in columns of an array that categorical_features names."
        )
    gaps = f"{me} accepts only finite numbers: {use} an imputer such as SimpleImputer in a Pipeline."
    return words, gaps


def where_not_finite(X: Samples, name: str = "X", columns: Sequence[object] | None = None) -> str:
    """A sentence that names the first value that is no finite number; ``columns`` are names of them."""
    if is_sparse(X):
        cells = X.tocoo()
        k = int(np.flatnonzero(~np.isfinite(cells.data))[0])
        row, column, value = cells.row[k], cells.col[k], cells.data[k]
    else:
        wrong = np.isnan(X)
        row, column = np.argwhere(wrong if wrong.any() else ~np.isfinite(X))[0]
        value = X[row, column]
    found = column if columns is None else repr(columns[column])
    return f"{name} contains {'NaN' if np.isnan(value) else 'infinity'} in row {row}, column {found}."


def _names(X: object) -> Any:
    """Names of the columns of a data frame; None if X is none."""
    return list(getattr(X, "column_names", X.columns)) if hasattr(X, "columns") else None


def _check_one_target(y: object, estimator: BaseEstimator) -> None:
    """Refuse several targets for each sample, as of several labels, with what can be used for them."""
    shape: tuple[Any, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and isinstance(shape[1], int) and shape[1] > 1:
        me = type(estimator).__name__
        wrapper = "MultiOutputClassifier" if is_classifier(estimator) else "MultiOutputRegressor"
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape}: {me} learns only one target. For "
            f"several, use sklearn.multioutput.{wrapper}({me}(...)), which trains one model for each."
        )


@contextmanager
def explained(X: object, name: str = "X", advice: str = ADVICE) -> Iterator[None]:
    """A context in which ``X`` is turned into numbers: if that fails, the error names the cell.

    ``advice`` is what a user can do who has words.
    """
    check_table(X, name)
    try:
        yield
    except Exception as error:
        cell = _first_word(X, name, advice)
        if cell is None:
            raise
        # Scikit-learn's contract: what float() refuses because of its type is an error of type.
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(cell) from error


def check_table(X: object, name: str, taken: str = "") -> None:
    """Refuse what no cell of which needs to be looked at: what is not there, dates, fields, text.

    ``taken`` has the kinds of NumPy's types that the caller can read, even if they are no numbers.
    """
    # The sparse matrix of keys is a dict.
    is_other = isinstance(X, str | bytes | dict | set) and not is_sparse(X)
    if X is None or is_other or hasattr(X, "__next__"):
        raise ValueError(f"{name} must be {ROWS}, got {_article(X)}.")
    dtype: Any = getattr(X, "dtype", None)
    if getattr(dtype, "names", None):
        raise ValueError(
            f"{name} is a structured array with the fields {', '.join(map(repr, dtype.names))}. Use "
            "numpy.lib.recfunctions.structured_to_unstructured to convert it to a table."
        )
    if hasattr(X, "columns"):
        columns = list(X.columns)
        twice = [column for k, column in enumerate(columns) if column in columns[:k]]
        if twice:
            raise ValueError(
                f"{name} has more than one column {twice[0]!r}. Give each column a name of its own."
            )
    for column, kind in _kinds(X):
        of = f"{name} has" if column is None else f"Column {column!r} of {name} has"
        if kind in "mM" and kind not in taken:
            what = "dates or times" if kind == "M" else "durations"
            raise ValueError(f"{of} {what}, which are not numbers. Use a number of days or seconds instead.")
        if kind == "c":
            # Scikit-learn's words, which its checks look for, without the whole array after them.
            raise ValueError(f"Complex data not supported: {of} complex numbers. Use real ones.")


def _kinds(X: object) -> Iterator[tuple[Any, str]]:
    """Kinds of numpy's types, by column for a data frame."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        for column, dtype in zip(X.columns, X.dtypes, strict=True):
            text = str(dtype).lower()
            named = {"datetime": "M", "date": "M", "period": "M", "time": "M", "duration": "m"}
            found = [kind for word, kind in named.items() if text.startswith(word)]
            yield column, "m" if text.startswith("timedelta") else (found or [getattr(dtype, "kind", "f")])[0]
    else:
        yield None, str(getattr(getattr(X, "dtype", None), "kind", "f"))


def _first_word(X: object, name: str, advice: str) -> str | None:
    """A sentence about the first cell that is no number, if there is one."""
    if is_sparse(X) or getattr(getattr(X, "dtype", None), "kind", "O") in "biuf":
        return None
    if hasattr(X, "columns"):
        columns = [(repr(column), _column(X, k)) for k, column in enumerate(X.columns)]
    else:
        try:
            table = np.asarray(X, dtype=object)
        except ValueError:  # rows of several lengths
            return f"{name} has rows of different lengths. Give every row the same number of cells."
        if table.ndim == 0 and isinstance(X, np.ndarray):
            return f"{name} must be {ROWS}, got an array that holds {_article(table.item())}."
        if table.ndim == 1:
            return _about_list(table, name, advice)
        if table.ndim != 2:
            words = ((at, cell) for at, cell in np.ndenumerate(table) if not _is_number(cell))
            return next((_about(cell, f"the cell {at}", name, advice) for at, cell in words), None)
        columns = [(str(k), table[:, k]) for k in range(table.shape[1])]
    for column, cells in columns:
        for row, cell in enumerate(cells):
            if not _is_number(cell):
                return _about(cell, f"row {row}, column {column}", name, advice)
    return None


def _about(cell: object, place: str, name: str, advice: str) -> str:
    """A sentence about a cell that is no number."""
    if _is_missing(cell):
        return f"{name} has no value in {place}. Remove or impute such rows first."
    if isinstance(cell, str | bytes):
        text = str(cell) if isinstance(cell, str) else bytes(cell)  # not numpy's own types
        return f"{name} has {text!r} in {place}, which is not a number. {advice}"
    # The words that scikit-learn's checks look for.
    return (
        f"{name} has {_article(cell)} in {place}, which is not a number. Each value of this argument must be "
        "a string of digits or a number."
    )


def _about_list(rows: np.ndarray, name: str, advice: str) -> str | None:
    """A sentence about cells that are no table: rows of several lengths, or values that are no numbers."""
    lengths = {np.size(row) for row in rows if isinstance(row, list | tuple | np.ndarray)}
    if len(lengths) > 1:
        return f"{name} has rows of different lengths. Give every row the same number of cells."
    other = [row for row in rows if not isinstance(row, list | tuple | np.ndarray)]
    if lengths and other:
        kind = type(other[0]).__name__
        return (
            f"{name} has rows that are lists and one of the type {kind}. Give every row as a list of cells."
        )
    for row, cell in enumerate(rows):
        if not lengths and not _is_number(cell):
            return _about(cell, f"row {row}", name, advice)
    return None


def _column(X: Any, k: int) -> Any:
    return X.iloc[:, k] if hasattr(X, "iloc") else X[X.columns[k]]


def _is_number(cell: Any) -> bool:
    if isinstance(cell, int | float | np.number | np.bool_):
        return abs(cell) < 10**308 if isinstance(cell, int) else True
    try:
        float(cell)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_missing(cell: object) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def _article(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str | bytes):
        return f"the text {value[:40]!r}"
    if isinstance(value, int):
        return "an integer that no float can hold"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def check_one_per_sample(y: object, name: str = "y") -> None:
    """Refuse targets that are no list at all, or have values that are missing; scikit-learn does the rest."""
    # None and sparse matrices: scikit-learn has words for them.
    if y is None or is_sparse(y):
        return
    dtype = getattr(y, "dtype", None)
    is_scalar = not hasattr(y, "__len__") and not hasattr(y, "__array__")
    if is_scalar or isinstance(y, str | bytes | dict | set) or getattr(dtype, "names", None):
        got = "a structured array" if getattr(dtype, "names", None) else _article(y)
        raise ValueError(f"{name} must be an array or a list with one value per sample, got {got}.")
    if not isinstance(y, np.ndarray) or y.dtype.kind == "O":
        values = np.asarray(y)
        if values.ndim == 1 and values.dtype.kind == "O":
            _check_none_missing(values, name)


def as_numbers(y: ArrayLike) -> Any:
    """Return the targets of a regression as floats if they are text or objects, else as they are."""
    check_one_per_sample(y)
    # None and sparse matrices are arrays without a dimension; scikit-learn has words for them.
    values = np.asarray(y)
    if not values.ndim or values.dtype.kind in "biufc":
        return y
    if values.dtype.kind in "OSUT" and values.ndim <= 2:
        for row, value in enumerate(values.reshape(len(values), -1)):
            for cell in value:
                if isinstance(cell, complex | np.complexfloating):
                    raise ValueError(
                        f"Complex data not supported: y has {cell} in row {row}. Use real numbers."
                    )
                if not _is_number(cell):
                    what = repr(str(cell)) if isinstance(cell, str) else _article(cell)
                    raise ValueError(
                        f"y has {what} in row {row}, which is not a number. A regression needs numbers; for "
                        "classes, use TunedSVC or SVC."
                    )
        return values.astype(np.float64)
    raise ValueError(
        f"y must be one number per sample, got an array of shape {values.shape} and {values.dtype}."
    )


def check_objects(y: np.ndarray) -> None:
    """Refuse labels that are missing, or cannot be sorted because they are of several types."""
    _check_none_missing(y)
    types = sorted({type(label).__name__ for label in y})
    if "str" in types and len(types) > 1:
        raise ValueError(f"y mixes labels of the types {', '.join(types)}. Use one type.")


def _check_none_missing(y: np.ndarray, name: str = "y") -> None:
    for row, label in enumerate(y):
        is_itself = label == label
        # NaN differs from itself, and pandas.NA has no truth.
        if label is None or not isinstance(is_itself, (bool, np.bool_)) or not is_itself:
            what = "label" if name == "y" else "value"
            raise ValueError(f"{name} contains {label} in row {row}. Remove the samples without a {what}.")


def read_weights(sample_weight: ArrayLike) -> np.ndarray:
    """Weights as floats, of any shape and sign."""
    if is_sparse(sample_weight) or isinstance(sample_weight, str | bytes | dict | set):
        raise ValueError(f"sample_weight must be one number per sample, got {_article(sample_weight)}.")
    values = np.asarray(sample_weight)
    if values.dtype.kind == "O" and values.ndim == 1:
        for row, value in enumerate(values):
            if isinstance(value, str | bytes) or not _is_number(value):
                got = "no value" if _is_missing(value) else _article(value)
                raise ValueError(f"sample_weight must be one number per sample, got {got} in row {row}.")
    if values.dtype.kind not in "biufO" or (values.dtype.kind == "O" and values.ndim != 1):
        got = _article(sample_weight) if values.ndim == 0 else f"values of the type {values.dtype}"
        if values.dtype.kind in "SU" and values.size:
            got = f"the text {values.ravel()[0].item()!r}"
        raise ValueError(f"sample_weight must be one number per sample, got {got}.")
    return values.astype(np.float64)
