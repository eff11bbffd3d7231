"""The object that explanations are: rows of it, tables, notebooks, and shap's own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

from kernelwise import Explanation, TunedSVC, explain

pytestmark = pytest.mark.filterwarnings("ignore:Columns .* have a correlation")


@pytest.fixture(scope="module")
def wine():
    data = load_wine(as_frame=True)
    X = data.data.iloc[:, :4].rename(columns={"alcohol": "<script>alert(1)</script>"})
    return TunedSVC("diagonal", Cs=[0.1, 1.0, 10.0]).fit(X, data.target), X


@pytest.fixture(scope="module")
def three(wine):
    """Of three classes."""
    return explain(wine[0], wine[1].head(30), output="probability-log-odds")


@pytest.fixture
def one():
    """Of one output, an estimate."""
    values = np.array([[1.0, -2.0], [3.0, 0.0], [0.0, 4.0]])
    data = np.arange(6.0).reshape(3, 2)
    return Explanation(values, np.full(3, 0.5), data, ["a", "b"], standard_errors=values / 10.0)


def test_rows_are_explanations(three, one):
    part = three[5:8]
    assert_array_equal(part.values, three.values[5:8])
    assert_array_equal(part.base_values, three.base_values[5:8])
    assert_array_equal(part.data, three.data[5:8])
    assert part.feature_names == three.feature_names
    assert_array_equal(one[-1].values, [[0.0, 4.0]])
    assert_array_equal(one[[2, 0]].standard_errors, one.standard_errors[[2, 0]])
    assert_array_equal(one[np.array([True, False, True])].base_values, [0.5, 0.5])
    with pytest.raises(IndexError, match="no row 3: the explanation has 3 rows"):
        one[3]
    assert len(list(one)) == 3  # by rows, as a sequence


def test_global_answers(one, three):
    assert_allclose(one.importance(), [4 / 3, 2.0])
    assert three.importance().shape == (4, 3)
    column, values = one.dependence("b")
    assert_array_equal(column, [1.0, 3.0, 5.0])
    assert_array_equal(values, [-2.0, 0.0, 4.0])
    assert_array_equal(one.dependence(-1)[1], values)
    for wrong in ("c", 2, None):
        with pytest.raises(ValueError, match=r"no column .*The columns are 'a', 'b'\."):
            one.dependence(wrong)


def test_one_of_several_outputs(three, one):
    for output in ("2", 2, -1):
        part = three.of_output(output)
        assert_array_equal(part.values, three.values[:, :, 2])
        assert_array_equal(part.base_values, three.base_values[:, 2])
        assert part.output_names == []
    assert one.of_output() is one
    with pytest.raises(ValueError, match=r"'output' must be one of \['0', '1', '2'\]"):
        three.of_output()
    with pytest.raises(ValueError, match="one output"):
        one.of_output(0)


def test_tables(three, one):
    pytest.importorskip("pandas")
    frame = one.to_frame()
    assert frame.columns.tolist() == ["a", "b", "base value"]
    assert_array_equal(frame["b"], [-2.0, 0.0, 4.0])
    wide = three.to_frame()
    assert wide.shape == (30, 15)
    assert_array_equal(wide["1"].iloc[:, :4], three.values[:, :, 1])
    assert_array_equal(wide["1", "base value"], three.base_values[:, 1])


def test_notebooks_show_names_as_text(three, one):
    html = three._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "learned weight" in html
    assert "estimated" in one._repr_html_()
    many = Explanation(np.zeros((2, 40)), np.zeros(2), np.zeros((2, 40)), [f"c{k}" for k in range(40)])
    assert "and 25 more columns" in many._repr_html_()
    assert repr(many) == (
        "Explanation(2 rows, 40 columns, output='decision', value_function='kernel', exact)"
    )


def test_shap_takes_it(three):
    shap = pytest.importorskip("shap")
    made = three.to_shap()
    assert isinstance(made, shap.Explanation)
    assert made.shape == (30, 4, 3)
    assert_array_equal(made.values, three.values)
    assert_array_equal(made.base_values, three.base_values)
    assert list(made.feature_names) == three.feature_names
    of_one = made[..., 1]
    assert_array_equal(of_one.values, three.of_output(1).values)
    assert three.of_output(1).to_shap().output_names is None


def test_shap_agrees_where_it_is_exact(wine):
    """shap's own sums over all subsets, with the same background."""
    shap = pytest.importorskip("shap")
    model, X = wine
    background = X.iloc[60:70].to_numpy()
    found = explain(model, X.head(2), background=X.iloc[60:70], output="machine-values").of_output(0)
    machine = model.best_estimator_

    def predict(rows):
        f = machine.machine_values(model.scaler_.transform(rows))
        return (f[:, 0] + f[:, 1]) / 2.0

    exact = shap.explainers.Exact(predict, shap.maskers.Independent(background))
    theirs = exact(X.head(2).to_numpy())
    assert_allclose(found.values, theirs.values, atol=1e-9)
    assert_allclose(found.base_values, theirs.base_values, atol=1e-9)
