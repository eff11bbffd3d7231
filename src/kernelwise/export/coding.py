"""The coding of words and gaps as a ColumnTransformer of scikit-learn's own classes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from kernelwise.exceptions import IncompatibleError
from kernelwise.tables import Column, Encoder

#: What stands for a gap among words. It has to be no word, and the last in their order.
GAP = chr(0x10FFFD) + "missing"
#: What stands for the pooled words while an encoder is fitted.
RARE = chr(0x10FFFD) + "rare"
#: Libraries whose frames a ColumnTransformer can be fitted on.
LIBRARIES = ("pandas", "polars")


def column_transformer(encoder: Encoder) -> ColumnTransformer:
    """Return a fitted ColumnTransformer that produces the features of an encoder.

    It is fitted on a made-up table, which holds all that it needs. Columns are found by their names if the
    encoder has names, else by their places.
    """
    columns = encoder.columns
    for column in columns:
        if type(column) is not Column:
            raise IncompatibleError(
                f"to_sklearn has no step for {column.noun}s, but column {column.name!r} holds some. Keep the "
                "model with save(path)."
            )
    for k in encoder.words:
        if not columns[k].is_text:
            raise IncompatibleError(
                f"to_sklearn has no step that turns numbers into words, but column {columns[k].name!r} has "
                "numbers that count as words. Convert them to text before training, or keep the model with "
                "save(path)."
            )
    named = encoder.has_names and all(isinstance(column.name, str) for column in columns)

    def keys(places: list[int]) -> list[Any]:
        return [columns[k].name if named else k for k in places]

    steps: list[tuple[str, Any, list[Any]]] = []
    if encoder.numbers:
        steps.append(("numbers", SimpleImputer(strategy="median"), keys(encoder.numbers)))
    if encoder.gaps:
        steps.append(("gaps", MissingIndicator(features="all", error_on_new=False), keys(encoder.gaps)))
    steps += [(f"words {k}", _words(columns[k]), keys([k])) for k in encoder.words]
    made = ColumnTransformer(steps, sparse_threshold=0.0).set_output(transform="default")
    return made.fit(_table(columns, named))


def _words(column: Column) -> Pipeline:
    """Words as 0 and 1: those of the table that it is fitted on twice have a feature of their own."""
    alone: dict[str, Any] = {"handle_unknown": "ignore"}
    pooled = {"handle_unknown": "infrequent_if_exist", "min_frequency": 2}
    coder = OneHotEncoder(sparse_output=False, **(pooled if column.is_pooled else alone))
    # A gap is NaN in some data frames, and None in others.
    nan, none = (
        SimpleImputer(missing_values=gap, strategy="constant", fill_value=GAP) for gap in (np.nan, None)
    )
    return Pipeline([("nan", nan), ("none", none), ("words", coder)])


def _table(columns: tuple[Column, ...], named: bool) -> Any:
    """A table that a transformer learns all of the columns from."""
    cells = [_cells(column) for column in columns]
    n_rows = max(map(len, cells))
    table = np.empty((n_rows, len(columns)), dtype=object)
    for k, values in enumerate(cells):
        table[:, k] = [values[row % len(values)] for row in range(n_rows)]
        if columns[k].is_pooled:
            # Once only, however long the table is.
            table[:, k] = [*values, *(values[0] for _ in range(n_rows - len(values)))]
    if not named:
        return table
    library = next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if library is None:
        raise IncompatibleError(
            "to_sklearn needs pandas or polars to write a model of a data frame, and neither is installed. "
            "Install pandas."
        )
    lists = {column.name: table[:, k].tolist() for k, column in enumerate(columns)}
    return import_module(library).DataFrame(lists)


def _cells(column: Column) -> list[Any]:
    if not column.is_words:
        return [column.fill]
    known = [*column.words, *([GAP] if column.has_gaps else [])]
    rare = [RARE] if column.is_pooled else []
    # The first is repeated once more where the table is longer; what is pooled must not be.
    return [*known, *known, *rare] or [GAP]
