"""Tables with words and gaps: one value for each column of the table, not for each coded feature."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from kernelwise import TunedSVC, TunedSVR, explain
from kernelwise.explanation import explain_pairs

from .test_explain import by_subsets, pairs_by_subsets

COLUMNS = ["town", "size", "age", "colour"]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    n = 90
    frame = pd.DataFrame(
        {
            "town": random.choice(["Ulm", "Bonn", "Kiel", None], n),
            "size": np.where(random.random(n) < 0.15, np.nan, random.normal(size=n)),
            "age": random.normal(size=n),
            "colour": random.choice(["red", "<b>blue</b>"], n),
        }
    )
    score = frame["age"] + 2.0 * (frame["town"] == "Ulm") - (frame["colour"] == "red") + frame["size"].isna()
    return frame, score.to_numpy(dtype=float) + 0.3 * random.normal(size=n)


def over_columns(output, row, background):
    """The value of a set of columns: those of the row, in every background row."""

    def value(columns):
        rows = background.copy()
        for k in columns:
            rows[COLUMNS[k]] = [row[COLUMNS[k]].iloc[0]] * len(rows)
        return output(rows).mean(axis=0)

    return value


@pytest.mark.parametrize("kernel", ["rbf", "diagonal", "laplacian", "diagonal-laplacian", "linear"])
def test_values_are_sums_over_all_subsets_of_columns(kernel, table):
    frame, score = table
    model = TunedSVC(kernel, Cs=[0.1, 1.0, 10.0]).fit(frame, score > 0.5)
    row, background = frame.iloc[[7]], frame.iloc[20:26]
    found = explain(model, row, background=background)
    assert found.is_exact
    assert found.feature_names == COLUMNS
    assert found.values.shape == (1, 4)

    def output(rows):
        return model.decision_function(rows)

    assert_allclose(found.values[0], by_subsets(over_columns(output, row, background), 4), atol=1e-9)
    assert_allclose(found.base_values, output(background).mean(), atol=1e-9)
    own = explain(model, frame.head(5))
    assert_allclose(own.values.sum(axis=1) + own.base_values, output(frame.head(5)), atol=1e-9)
    if kernel == "rbf":
        pairs = explain_pairs(model, row, background=background)
        assert_allclose(pairs[0], pairs_by_subsets(over_columns(output, row, background), 4), atol=1e-9)


def test_own_values_take_the_features_of_a_word_together(table):
    """By subsets of columns whose features agree with each support vector."""
    frame, score = table
    model = TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(frame, score > 0.5)
    machine, group = model.best_estimator_, model.encoder_.layout.column
    z, support = model.machine_samples(frame.iloc[[3]])[0], machine.support_vectors_

    def value(columns):
        rows = support.copy()
        of = np.isin(group, columns)
        rows[:, of] = z[of]
        K = np.array([machine.kernel_(rows[i : i + 1], support[i : i + 1])[0, 0] for i in range(len(rows))])
        return machine.beta_[0] @ K + machine.intercept_[0]

    assert_allclose(
        explain(model, frame.iloc[[3]], output="machine-values").values[0], by_subsets(value, 4), atol=1e-9
    )


def test_regression_cells_and_columns_in_another_order(table):
    frame, score = table
    model = TunedSVR("diagonal", Cs=[0.1, 1.0, 10.0]).fit(frame, score)
    found = explain(model, frame.head(10), background=frame.tail(5))
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(frame.head(10)), atol=1e-9)
    turned = explain(model, frame.head(10)[COLUMNS[::-1]], background=frame.tail(5)[COLUMNS[::-1]])
    assert np.array_equal(found.values, turned.values)
    assert found.relevance.shape == (4,)
    words, _ = found.dependence("town")
    assert words.tolist() == [None if pd.isna(word) else word for word in frame["town"].head(10)]
    assert found.data.shape == (10, 4)


@pytest.mark.filterwarnings("ignore:The kernel Polynomial")
def test_estimates_are_of_columns_too(table):
    frame, score = table
    model = TunedSVC("poly", Cs=[0.01, 0.1, 1.0]).fit(frame, score > 0.5)
    row, background = frame.iloc[[7]], frame.iloc[20:30]
    found = explain(model, row, background=background, n_orders=300)

    def output(rows):
        return model.decision_function(rows)

    expected = by_subsets(over_columns(output, row, background), 4)
    assert (np.abs(found.values[0] - expected) < 5 * found.standard_errors[0] + 1e-9).all()
    assert_allclose(found.values.sum() + found.base_values, output(row), atol=1e-9)
