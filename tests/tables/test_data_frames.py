"""Data frames of three libraries, and arrays, as tables; what can be no feature is refused by name."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from kernelwise.tables import missing_codes, to_table
from tests.tables.conftest import as_library, columns

LISTS, _ = columns(30)


def read(X, categorical="from_dtype"):
    return to_table(X, categorical, "TunedSVC")


def test_all_libraries_give_the_same_table(library):
    frame = read(as_library(LISTS, library))
    assert frame.names == ("town", "size", "rooms", "new")
    assert frame.columns[0].tolist() == LISTS["town"]
    assert_array_equal(frame.columns[1], np.array(LISTS["size"], dtype=float))
    assert_array_equal(frame.columns[3], np.array(LISTS["new"], dtype=float))
    assert frame.whole == (False, False, True, False)
    assert frame.shape == (30, 4)


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["a", "b", None]),
        pd.array(["a", "b", None], dtype="string"),
        np.array(["a", "b", None], dtype=object),
        np.array(["a", "b", np.nan], dtype=object),
        pd.array(["a", "b", None], dtype="string[pyarrow]"),
        pl.Series(["a", "b", None], dtype=pl.Categorical),
        pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
    ],
)
def test_every_type_of_words(column):
    X = pl.DataFrame({"a": column}) if isinstance(column, pl.Series) else pd.DataFrame({"a": column})
    assert read(X).columns[0].tolist() == ["a", "b", None]


@pytest.mark.parametrize(
    "column",
    [
        [1.0, 0.0, np.nan],
        pd.array([1, 0, None], dtype="Int64"),
        pd.array([True, False, None], dtype="boolean"),
        pd.array([1, 0, None], dtype="int64[pyarrow]"),
        np.array([1, 0, None], dtype=object),
        np.array([decimal.Decimal(1), 0.0, None], dtype=object),
        pl.Series([1, 0, None]),
        pl.Series([1.0, 0.0, np.nan]),
        pl.Series([True, False, None]),
    ],
)
def test_every_type_of_numbers(column):
    X = pl.DataFrame({"a": column}) if isinstance(column, pl.Series) else pd.DataFrame({"a": column})
    assert_array_equal(read(X).columns[0], [1.0, 0.0, np.nan])


def test_whole_numbers_that_are_categories_are_words():
    frame = read(pd.DataFrame({"a": pd.Categorical([3, 1, None])}))
    assert frame.columns[0].tolist() == ["3", "1", None]


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((3, 2)),
        np.zeros((3, 2), dtype=int),
        [[1, 2], [3, 4]],
        pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]}),
        pl.DataFrame({"a": [1, 2]}),
        pa.table({"a": [1.0, 2.0]}),
        np.array([["1", "2"], ["3", "4"]]),
        [[1.0], [2.0, 3.0]],
        None,
        "text",
    ],
)
def test_what_needs_no_coding_is_left_to_the_checks_of_numbers(X):
    assert read(X) is None


@pytest.mark.parametrize(
    "X",
    [np.array([[1.0, np.nan], [2.0, 3.0]]), [[1.0, None], [2.0, 3.0]], np.array([[1, None], [2, 3]], object)],
)
def test_arrays_with_gaps(X):
    frame = read(X)
    assert_array_equal(frame.columns[1], [np.nan, 3.0])
    assert not frame.has_names
    assert frame.feature_names is None


DAY = datetime.date(2020, 1, 1)
REFUSED = {
    "Column 'a' of X has a date in row 0.* Use a number of days": pd.DataFrame({"a": [DAY, "u"]}),
    "Column 'a' of X has durations": pl.DataFrame({"a": [datetime.timedelta(1)] * 2}),
    "Column 'a' of X has lists": pl.DataFrame({"a": [[1], [2]]}),
    "Column 'a' of X has a list in row 1": pd.DataFrame({"a": ["u", [2]]}),
    "Column 'a' of X has a dict in row 0": pd.DataFrame({"a": [{"u": 1}, "v"]}),
    "Column 'a' of X has bytes": pl.DataFrame({"a": [b"u", b"v"]}),
    "Column 'a' of X has a bytes in row 0": pd.DataFrame({"a": [b"u", b"v"]}),
    r"Column 'a' of X mixes words \('u' in row 1\) and numbers \(3 in row 0\)": pd.DataFrame({"a": [3, "u"]}),
    "Column 'a' of X has values of the type interval": pd.DataFrame({"a": pd.interval_range(0, 2)}),
    "X has more than one column 'a'": pd.DataFrame([["u", "v"]], columns=["a", "a"]),
    "X is a lazy frame, .* Pass X.collect": pl.LazyFrame({"a": ["u", "v"]}),
    "X has more than one column 'b'": pa.table([[1], [2]], names=["b", "b"]),
    "X has inf in row 1, column 'a', which is not a finite number": pd.DataFrame(
        {"a": [1.0, np.inf], "b": ["u", "v"]}
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_can_be_no_feature_is_refused_by_name(words):
    with pytest.raises(ValueError, match=words):
        read(REFUSED[words])


@pytest.mark.parametrize("categorical", [["a"], [0], [True, False], np.array(["a"]), ("a",)])
def test_columns_that_are_named_as_words(categorical, library):
    frame = read(as_library({"a": [1, 2], "b": [3.0, 4.0]}, library), categorical)
    assert frame.columns[0].tolist() == ["1", "2"]
    assert_array_equal(frame.columns[1], [3.0, 4.0])
    assert frame.whole == (False, False)


def test_columns_of_an_array_that_are_named_as_words():
    frame = read(np.array([[1.0, 2.5], [2.0, np.nan]]), [0])
    assert frame.columns[0].tolist() == ["1", "2"]
    assert_array_equal(frame.columns[1], [2.5, np.nan])
    frame = read([["u", 1.0], ["v", 2.0]], [True, False])
    assert frame.columns[0].tolist() == ["u", "v"]


TABLE = pd.DataFrame({"colour": ["u", "v"], "b": [1, 2]})


@pytest.mark.parametrize(
    ("X", "categorical", "words"),
    [
        (TABLE, ["color"], "names the column 'color', which X does not have. Did you mean 'colour'?"),
        (TABLE, [True], "is a mask of 1 columns, and X has 2"),
        (TABLE, [2], "has the index 2, and X has 2 columns"),
        (TABLE, [-1], "has the index -1"),
        (TABLE, [1.5], "must be 'from_dtype', None, or names"),
        (TABLE, "auto", "must be 'from_dtype', None, or names"),
        (TABLE, [[True, False]], "must be 'from_dtype', None, or names"),
        (TABLE, None, "Column 'colour' of X holds words, but categorical_features does not name it"),
        (TABLE, ["b"], "Column 'colour' of X holds words, but categorical_features does not name it"),
        (np.zeros((2, 2)), ["a"], "names the column 'a', and X has no names"),
    ],
)
def test_categorical_features_that_cannot_be(X, categorical, words):
    with pytest.raises(ValueError, match=words):
        read(X, categorical)


def coded(values, code, times=4):
    return np.concatenate([values, np.full(times, code)])[:, None]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (np.linspace(0.0, 80.0, 40), -999.0),
        (np.linspace(0.0, 80.0, 40), 999.0),
        (np.linspace(0.0, 1e5, 40), -9.0),  # the only negative number
        (np.linspace(-20.0, 30.0, 40), 9999.0),
        (np.arange(40.0) % 5, -9.0),
    ],
)
def test_codes_for_missing_values_are_noticed(values, code):
    (finding,) = missing_codes(coded(values, code), ["'age'"])
    assert finding.message.startswith(f"'age' ({code:g} in 4 rows) has a number far from all others")
    assert f"--missing={code:.0f}" in finding.for_command_line()
    assert not missing_codes(coded(values, code, times=2), ["'age'"])  # which may be chance


@pytest.mark.parametrize(
    "X",
    [
        coded(np.linspace(1.0, 9500.0, 40), 9999.0),  # prices
        coded(np.linspace(5.0, 300.0, 40), 999.0),
        coded(np.arange(40.0), 99.0),  # counts, and percentages
        coded(np.linspace(-20.0, 30.0, 40), -9.0),  # temperatures
        coded(np.zeros(40), 999.0),
        coded(np.linspace(0.0, 80.0, 40), -998.0),
        coded(np.linspace(0.0, 80.0, 5), -999.0),  # too few rows to say so
    ],
)
def test_prices_counts_and_temperatures_are_no_codes(X):
    assert missing_codes(X, ["'x'"]) == []
