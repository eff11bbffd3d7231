"""Shapley values of tables with words and gaps: one for each column of the table, whatever its coding."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise import TunedSVC, TunedSVR, explain
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.explanation import explain_pairs
from tests.explanation.test_explain import by_subsets, own_value, pairs_by_subsets
from tests.frames.conftest import as_library, columns

LISTS, Y = columns(60)
TABLE = as_library(LISTS, "pandas")


@pytest.fixture(scope="module")
def model():
    return TunedSVC("diagonal").fit(TABLE, Y)


def replaced(x, background):
    """A value function: background rows with some columns of a row, whose outputs are averaged."""

    def value(output):
        def of(places):
            rows = background.copy()
            for k in places:
                rows.isetitem(k, [x.iloc[k]] * len(rows))
            return output(rows.astype(background.dtypes.to_dict())).mean()

        return of

    return value


def test_columns_of_words_and_gaps_have_one_value_each(model):
    found = explain(model, TABLE[:12])
    assert found.values.shape == (12, 4)
    assert found.feature_names == list(TABLE.columns)
    assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.machine_values(TABLE[:12])[:, 0], atol=1e-9
    )
    column, features = model.encoder_.layout.column, model.encoder_.read(TABLE[:12])
    for row in (0, 5, 11):  # a gap among words, one among numbers, both complete
        of_features = own_value(model, features[row])
        values = by_subsets(
            lambda S, value=of_features: value(np.flatnonzero(np.isin(column, S)))[0], len(TABLE.columns)
        )
        assert_allclose(found.values[row], values, atol=1e-9)
    assert found.data[0].tolist() == [None, LISTS["size"][0], LISTS["rooms"][0], float(LISTS["new"][0])]


def test_absent_columns_come_from_a_background_of_words(model):
    background = TABLE[20:30].reset_index(drop=True)
    found = explain(model, TABLE[:6], background=background)
    pairs = explain_pairs(model, TABLE[:6], background=background)
    for row in (0, 5):
        value = replaced(TABLE.iloc[row], background)(lambda rows: model.machine_values(rows)[:, 0])
        assert_allclose(found.values[row], by_subsets(value, 4), atol=1e-9)
        assert_allclose(pairs[row], pairs_by_subsets(value, 4), atol=1e-9)


def test_estimates_are_by_column_too():
    target = np.array([len(str(town)) for town in LISTS["town"]]) + np.array(LISTS["rooms"])
    model = TunedSVR("poly").fit(TABLE, target)
    with pytest.warns(KernelwiseWarning, match="no product over columns"):
        found = explain(model, TABLE[:4], n_orders=20)
    assert found.values.shape == found.standard_errors.shape == (4, 4)
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(TABLE[:4]), rtol=1e-6)


def test_columns_of_the_table_are_named_in_a_warning_of_correlation():
    table = TABLE.assign(twin=TABLE["rooms"] + 0.01)[["town", "size", "rooms", "twin"]]
    model = TunedSVC("rbf").fit(table, Y)
    with pytest.warns(KernelwiseWarning, match="Columns 'rooms' and 'twin' have a correlation of 1.00"):
        explain(model, table)


def test_an_array_with_gaps_is_explained_by_column():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[::7, 1] = np.nan
    model = TunedSVC("rbf").fit(X, y)
    found = explain(model, X[:9])
    assert found.values.shape == (9, 3)
    assert found.feature_names == ["column 0", "column 1", "column 2"]
    np.testing.assert_array_equal(found.data, X[:9])
