"""What is no table of numbers is refused in one sentence that names the column or the argument."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import is_regressor

from kernelwise import SVC, SVR, GridSearchSVC, MetricTransformer, NystroemSVR, TunedSVC, TunedSVR
from kernelwise._core.validation import check_labels, check_targets
from kernelwise.kernels import RBF
from kernelwise.metrics import esdr

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.tile([0, 1], 6)
FRAME = pd.DataFrame(X, columns=["height", "width"])


def with_cell(value):
    table = X.astype(object)
    table[3, 1] = value
    return table


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        (
            FRAME.assign(town=["Ulm", *["Köln"] * 11]),
            r"X has 'Ulm' in row 0, column 'town', which is not a number",
        ),
        (pl.DataFrame({"a": X[:, 0], "town": ["Ulm"] * 12}), "X has 'Ulm' in row 0, column 'town'"),
        (with_cell("high"), "X has 'high' in row 3, column 1, which is not a number"),
        (FRAME.assign(day=pd.date_range("2020-01-01", periods=12)), "Column 'day' of X has dates or times"),
        (FRAME.assign(day=pd.date_range("2020-01-01", periods=12, tz="UTC")), "Column 'day' of X has dates"),
        (FRAME.assign(day=pd.to_timedelta(np.arange(12), unit="D")), "Column 'day' of X has durations"),
        (np.full((12, 2), np.datetime64("2020-01-01")), "X has dates or times, which are not numbers"),
        (FRAME.to_records(index=False), "X is a structured array with the fields 'height', 'width'"),
        ((row for row in X), "X must be an array, a list of rows or a data frame, got a generator"),
        ("samples.csv", "X must be an array, .* got the text 'samples.csv'"),
        (None, "X must be an array, .* got None"),
        (with_cell(pd.NA), "X has no value in row 3, column 1"),
        (with_cell(10**400), "X has an integer that no float can hold in row 3, column 1"),
        ([[1.0, 2.0]] * 11 + [[1.0]], "X has rows of different lengths"),
        (sparse.csr_matrix(X + 1j), "Complex data not supported: X has complex numbers"),
        (pd.concat([FRAME, FRAME], axis=1), "X has more than one column 'height'"),
    ],
)
def test_samples_that_are_no_numbers_are_named(samples, sentence):
    if not hasattr(samples, "__next__"):  # which can be looked at once only
        for call in (RBF(), TunedSVR().fit(X, Y).predict):
            with pytest.raises((ValueError, TypeError), match=sentence):
                call(samples)
    with pytest.raises((ValueError, TypeError), match=sentence):
        SVC().fit(samples, Y)


@pytest.mark.parametrize("model", [SVC(), TunedSVC(), GridSearchSVC({"C": [1.0]}), MetricTransformer()])
@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.where(np.arange(12) == 2, None, Y), "y contains None in row 2"),
        (pd.array([None, *Y[1:]], dtype="Int64"), "y contains NaN"),
        ((label for label in Y), "y must be an array or a list with one value per sample, got a generator"),
        ("class", "y must be an array or a list with one value per sample, got the text 'class'"),
        (np.array([(k,) for k in Y], dtype=[("a", int)]), "y must be an array .* got a structured array"),
        (np.datetime64("2020-01-01") + Y, "y has dates or times, which cannot be labels"),
        (Y * 1e200, r"y has values of the size 1\.0e\+200, which cannot be class labels"),
    ],
)
def test_labels_that_are_none_are_named(model, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)


@pytest.mark.parametrize("model", [SVR(), NystroemSVR(), TunedSVR()])
def test_text_in_the_targets_of_a_regression_is_named_with_its_row(model):
    with pytest.raises(ValueError, match=r"y has .high. in row 4, which is not a number\. A regr"):
        model.fit(X, [*X[:4, 0], "high", *X[5:, 0]])


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (["1"] * 12, "sample_weight must be one number per sample, got the text '1'"),
        ("balanced", "sample_weight must be one number per sample, got the text 'balanced'"),
        ([None, *[1.0] * 11], "sample_weight must be one number per sample, got no value in row 0"),
        (np.full(12, 1 + 1j), "sample_weight must be one number per sample, got values of the type complex"),
        ((1.0 for _ in Y), "sample_weight must be one number per sample"),
        (np.full(12, 1e200), r"sample_weight has no value above 1\.0e\+200"),
        (np.full(12, 1e-200), r"sample_weight has no value above 1\.0e-200"),
    ],
)
def test_weights_that_are_no_numbers_are_named(weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        SVC().fit(X, Y, sample_weight=weight)


def test_no_labels_at_all_are_a_sentence():
    with pytest.raises(ValueError, match="y is empty"):
        check_labels([], 0)


def test_sentences_count_and_have_no_types_of_numpy():
    with pytest.raises(ValueError, match=r"y has one class only \(0\.0\)"):
        esdr(np.eye(4), np.zeros(4))
    with pytest.raises(ValueError, match="y has 1 label for 4 samples"):
        esdr(np.eye(4), [0])


def test_a_matrix_of_distances_is_told_from_a_kernel():
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    for call in (lambda: esdr(D, Y[:6]), lambda: SVC(kernel="precomputed").fit(D, Y[:6])):
        with pytest.raises(ValueError, match=r"K has zeros on its diagonal .* a matrix of distances"):
            call()


def test_gaps_of_a_gram_matrix_are_not_to_be_imputed():
    K = np.eye(4)
    K[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"K contains NaN in row 1, column 2\. Correct the kernel"):
        esdr(K, [0, 0, 1, 1])


@pytest.mark.parametrize("model", [TunedSVC("rbf"), SVC(), GridSearchSVC({"C": [1.0]}), TunedSVR("rbf")])
def test_several_targets_are_refused_with_what_takes_them(model):
    wrapper = "MultiOutputRegressor" if is_regressor(model) else "MultiOutputClassifier"
    name = type(model).__name__
    with pytest.raises(ValueError, match=rf"{name} learns only one target.*multioutput\.{wrapper}\({name}\("):
        model.fit(np.zeros((4, 2)), np.eye(4, dtype=int))


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([np.zeros((2, 2)), np.zeros((2, 3))], "rows of different lengths"),
        (np.array({"a": 1}), "got an array that holds a dict"),
    ],
)
def test_what_is_no_table_is_named(X, says):
    with pytest.raises((TypeError, ValueError), match=says):
        SVC().fit(X, [0, 1])


def test_dates_are_no_targets():
    dates = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[D]")
    with pytest.raises(ValueError, match=r"y must be one number per sample, got an array of shape \(3,\)"):
        SVR().fit(np.zeros((3, 1)), dates)


def test_a_column_of_labels_or_targets_is_a_list():
    classes, index = check_labels(np.array([["b"], ["a"], ["b"]]), 3)
    assert (classes.tolist(), index.tolist()) == (["a", "b"], [1, 0, 1])
    assert check_targets(np.array([[1], [2]]), 2).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"one label per sample, got an array of shape \(2, 2\)"):
        check_labels(np.zeros((2, 2)), 2)


def test_a_missing_value_in_an_array_of_three_dimensions_is_named():
    cube = np.ones((2, 2, 2), dtype=object)
    cube[1, 0, 1] = pd.NA
    with pytest.raises(TypeError, match=r"X has no value in the cell \(1, 0, 1\)"):
        SVC().fit(cube, [0, 1])


@pytest.mark.parametrize("kind", [complex, np.complex64])
def test_complex_targets_among_objects_are_refused(kind):
    y = np.array([1.0, kind(2 + 1j), 3.0], dtype=object)
    with pytest.raises(ValueError, match=r"Complex data not supported: y has \(2\+1j\) in row 1"):
        SVR().fit(np.arange(6.0).reshape(3, 2), y)


@pytest.mark.parametrize("row", [sparse.dok_array((1, 2)), 3.0, {"a": 1}, None])
def test_a_list_of_rows_and_something_else_is_refused(row):
    with pytest.raises((TypeError, ValueError), match=r"X has .*rows? "):
        SVC().fit([[1.0, 2.0], row, [3.0, 4.0]], [0, 1, 1])
