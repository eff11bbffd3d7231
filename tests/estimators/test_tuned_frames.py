"""TunedSVC and TunedSVR on tables with words, booleans and gaps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from tests.tables.conftest import as_library, columns

from kernelwise import (
    SVC,
    SVR,
    GridSearchSVC,
    MetricTransformer,
    NystroemSVC,
    NystroemSVR,
    TunedSVC,
    TunedSVR,
)
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import Kernel

LISTS, Y = columns()
TABLE = as_library(LISTS, "pandas")
CHECKED = {"Cs": [1.0, 10.0], "cv": 3}


@pytest.fixture(scope="module")
def model():
    return TunedSVC().fit(TABLE, Y)


def test_the_words_and_the_numbers_are_learned(model):
    assert cross_val_score(TunedSVC("rbf", **CHECKED), TABLE, Y, cv=3).mean() > 0.75
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["town", "size", "rooms", "new"]
    assert model.best_estimator_.n_features_in_ == model.encoder_.n_features == 8


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_all_libraries_give_the_same_model(model, library):
    other = TunedSVC().fit(as_library(LISTS, library), Y)
    assert other.kernel_ == model.kernel_
    assert_array_equal(other.predict_proba(as_library(LISTS, library)), model.predict_proba(TABLE))
    assert other.feature_names_in_.tolist() == model.feature_names_in_.tolist()


def test_relevance_is_of_the_columns():
    model = TunedSVC("diagonal").fit(TABLE, Y)
    assert model.relevance_.shape == (4,)
    assert abs(model.relevance_.sum() - 1.0) < 1e-12
    assert set(np.argsort(-model.relevance_)[:2]) == {0, 1}
    layout = model.encoder_.layout
    for kernel in (model.kernel_, TunedSVC("diagonal-laplacian").fit(TABLE, Y).kernel_):
        q = kernel.feature_weights
        assert all(len(np.unique(q[layout.column == k])) == 1 for k in range(4))


def test_weights_of_auto_are_tied(model):
    parts: list[tuple[float, Kernel]] = model.kernel_.parts()
    layout = model.encoder_.layout
    for _, part in parts:
        q = part.feature_weights
        assert q is None or all(len(np.unique(q[layout.column == k])) == 1 for k in range(4))


def test_rows_in_another_order_and_weights(model):
    rows = np.random.default_rng(0).permutation(len(Y))
    other = TunedSVC().fit(TABLE.iloc[rows], Y[rows])
    assert_array_equal(other.predict_proba(TABLE), model.predict_proba(TABLE))
    weight = np.where(np.arange(len(Y)) % 3 == 0, 2.0, 1.0)
    repeated = np.repeat(np.arange(len(Y)), weight.astype(int))
    twice = TunedSVC("rbf").fit(TABLE.iloc[repeated], Y[repeated])
    weighted = TunedSVC("rbf").fit(TABLE, Y, sample_weight=weight)
    assert_array_equal(weighted.predict_proba(TABLE), twice.predict_proba(TABLE))


def test_gaps_in_arrays_mean_the_same_as_in_frames():
    numbers = TABLE[["size", "rooms"]].astype(float)
    y = np.where(np.nan_to_num(numbers["size"].to_numpy(), nan=9.0) > 10.0, 1, 0)
    by_frame = TunedSVC("rbf").fit(numbers, y)
    by_array = TunedSVC("rbf").fit(numbers.to_numpy(), y)
    assert_array_equal(by_frame.predict_proba(numbers), by_array.predict_proba(numbers.to_numpy()))
    assert not hasattr(by_array, "feature_names_in_")
    assert by_array.n_features_in_ == 2


def test_complete_numbers_are_not_coded():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, "u", "v")
    frame = pd.DataFrame(X, columns=list("abc")).assign(flag=X[:, 1] > 0)
    by_frame = TunedSVC("rbf").fit(frame, y)
    assert not hasattr(by_frame, "encoder_")
    by_array = TunedSVC("rbf").fit(frame.to_numpy(dtype=float), y)
    assert_array_equal(by_frame.predict_proba(frame), by_array.predict_proba(frame.to_numpy(dtype=float)))
    filled = by_frame.predict_proba(frame.assign(a=frame["a"].median()))
    with pytest.warns(
        KernelwiseWarning, match=r"Column 'a': 60 cells have no value .* count as the median, -0"
    ):
        assert_array_equal(by_frame.predict_proba(frame.assign(a=np.nan)), filled)
    sparse_model = TunedSVC("rbf").fit(csr_matrix(X), y)
    with pytest.raises(ValueError, match=r"X contains NaN, but the training samples had no gaps"):
        sparse_model.predict(np.full((1, 3), np.nan))


def test_a_second_fit_forgets_the_table():
    model = TunedSVC("rbf", **CHECKED).fit(TABLE, Y)
    model.fit(TABLE[["rooms"]].to_numpy(), Y)
    assert not hasattr(model, "encoder_")
    assert not hasattr(model, "feature_names_in_")


def test_predictions_of_tables_that_differ(model):
    expected = model.predict_proba(TABLE)
    assert_array_equal(model.predict_proba(TABLE[["new", "rooms", "size", "town"]]), expected)
    assert_array_equal(model.predict_proba(TABLE.assign(extra=1)), expected)
    assert_array_equal(model.predict_proba(pl.DataFrame(LISTS)), expected)
    assert_array_equal(model.predict_proba(TABLE.astype({"town": "category", "rooms": float})), expected)
    assert_array_equal(model.predict_proba(TABLE.to_numpy(dtype=object)), expected)
    with pytest.warns(
        KernelwiseWarning, match="Column 'town': 5 cells have a word that is not in the training"
    ):
        assert np.isfinite(model.predict_proba(TABLE.assign(town="Rom")[:5])).all()
    with pytest.warns(KernelwiseWarning, match="other capitals or blanks were taken: 'Size' for 'size'"):
        assert_array_equal(model.predict_proba(TABLE.rename(columns={"size": "Size"})), expected)
    with pytest.warns(
        KernelwiseWarning, match=r"'rooms': 120 cells have no value .* count as the median, 3;"
    ):
        assert np.isfinite(model.predict_proba(TABLE.assign(rooms=np.nan))).all()
    for changed, sentence in [
        (TABLE.drop(columns="size"), "X has no column 'size'"),
        (TABLE.rename(columns={"size": "sizes"}), "X has no column 'size'"),
        (
            TABLE.assign(size="large"),
            "row 0, column 'size': expected a number, found 'large' .120 such cells",
        ),
        (TABLE.to_numpy()[:, :3], "X has 3 columns, but the model was trained on 4"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            model.predict(changed)


def test_clone_and_pickle(model):
    assert clone(TunedSVC(categorical_features=["town"])).categorical_features == ["town"]
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))


@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_every_scale(scale):
    model = TunedSVC("rbf", scale=scale, **CHECKED).fit(TABLE, Y)
    assert model.score(TABLE, Y) > 0.8


def test_words_may_be_named():
    codes = TABLE.assign(town=TABLE["town"].map({"Ulm": 0.0, "Bonn": 1.0, "Kiel": 2.0}))
    named = TunedSVC("rbf", categorical_features=["town"], **CHECKED).fit(codes, Y)
    assert [column.is_words for column in named.encoder_.columns] == [True, False, False, False]
    assert named.encoder_.columns[0].words == ("0", "1", "2")
    with pytest.raises(ValueError, match="categorical_features' of TunedSVC names the column 'twon'"):
        TunedSVC(categorical_features=["twon"]).fit(codes, Y)


def test_findings_ask(model):
    names = [finding.name for finding in model.diagnostics_]
    assert "whole numbers that may be words" in names


def test_nystroem_machine():
    model = TunedSVC("rbf", solver="nystroem", **CHECKED).fit(TABLE, Y)
    assert model.score(TABLE, Y) > 0.8


def test_regression():
    y = np.where(TABLE["town"] == "Ulm", 5.0, 0.0) + TABLE["size"].fillna(10.0).to_numpy()
    model = TunedSVR(cv=3).fit(TABLE, y)
    assert model.score(TABLE, y) > 0.8
    assert_array_equal(TunedSVR(cv=3).fit(pl.DataFrame(LISTS), y).predict(TABLE), model.predict(TABLE))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TunedSVR().fit(TABLE, y[:-1])


@pytest.mark.parametrize(
    ("kind", "instead"),
    [
        (SVC, "TunedSVC, which accepts words and gaps, or"),
        (GridSearchSVC, "TunedSVC, which accepts words and gaps, or"),
        (NystroemSVC, "TunedSVC, which accepts words and gaps, or"),
        (SVR, "TunedSVR, which accepts words and gaps, or"),
        (NystroemSVR, "TunedSVR, which accepts words and gaps, or"),
        (MetricTransformer, ""),
    ],
)
def test_other_estimators_ask_for_numbers(kind, instead):
    me, use = kind.__name__, f"use {instead}".strip()
    model, y = kind(), np.arange(len(Y)) % 2
    found = "X has 'Bonn' in row 0, column 'town', which is not a number."
    with pytest.raises(ValueError, match="which is not a number") as words:
        model.fit(TABLE[1:], y[1:])
    encoder = "an encoder such as OneHotEncoder in a Pipeline."
    assert str(words.value) == f"{found} {me} accepts only numbers: {use} {encoder}"
    found = "X contains NaN in row 5, column 'size'."
    with pytest.raises(ValueError, match="contains NaN") as gaps:
        model.fit(TABLE[["rooms", "size"]], y)
    imputer = "an imputer such as SimpleImputer in a Pipeline."
    assert str(gaps.value) == f"{found} {me} accepts only finite numbers: {use} {imputer}"


def test_infinity_and_matrices_have_other_ways_out():
    X = TABLE[["rooms"]].to_numpy(dtype=float)
    with pytest.raises(
        ValueError, match=r"infinity in row 3, column 0\. Correct the value, or leave its row"
    ):
        SVC().fit(np.where(np.arange(len(X))[:, None] == 3, np.inf, X), Y)
    K = np.where(np.eye(len(X)) > 0, np.nan, 1.0)
    with pytest.raises(ValueError, match=r"NaN in row 0, column 0\. Correct the kernel that"):
        SVC(kernel="precomputed").fit(K, Y)
    with pytest.raises(ValueError, match=r"column 0\. SVC accepts only finite numbers: use an imputer"):
        SVC().fit(X, Y).predict(np.full((2, 1), np.nan))


def test_words_of_an_array_need_to_be_named():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.array(["u", "v"] * 30, dtype=object), rng.normal(size=60).astype(object)])
    y = np.arange(60) % 2
    expected = (
        r"'u' in row 0, column 0, .* in a data frame, or in columns of an array that categorical_features"
    )
    with pytest.raises(ValueError, match=expected):
        TunedSVC("rbf").fit(X, y)
    assert TunedSVC("rbf", categorical_features=[0]).fit(X, y).predict(X[:2]).shape == (2,)
