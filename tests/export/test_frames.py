"""Models of tables with words and gaps: as a Pipeline, in a file, and refused where only numbers can go."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.tables.conftest import as_library, columns

import kernelwise
from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import IncompatibleError

LISTS, Y = columns()
LISTS["street"] = [f"s{k % 26 if k % 3 else k}" for k in range(len(Y))]  # more words than are kept
TABLE = as_library(LISTS, "pandas")
NEW = TABLE.assign(
    town=["Rom", None, "Ulm", *TABLE["town"][3:]],
    size=[None, *TABLE["size"][1:]],
    street=["never", None, *TABLE["street"][2:]],
)
FIXED = {"cv": 3, "Cs": [1.0, 10.0]}
pytestmark = [
    pytest.mark.filterwarnings("ignore:Column 'town'. 1 cell has a word that is not in the training"),
    pytest.mark.filterwarnings(
        "ignore:Column 'street'. 1 cell has no value .* counts as one of the rare words"
    ),
]


@pytest.fixture(scope="module", params=["rbf", "diagonal"])
def model(request):
    found = TunedSVC(request.param, **FIXED).fit(TABLE, Y)
    assert found.encoder_.columns[-1].is_pooled
    return found


@pytest.mark.parametrize("table", [TABLE, NEW])
def test_the_pipeline_gives_the_same_answers(model, table):
    pipeline = model.to_sklearn()
    assert [name for name, _ in pipeline.steps][:2] == ["columns", "scaler"]
    assert_allclose(pipeline[0].transform(table), model.encoder_.read(table))
    assert_array_equal(pipeline.predict(table), model.predict(table))
    assert_allclose(pipeline.predict_proba(table), model.predict_proba(table), atol=1e-9)
    assert_array_equal(pipeline.predict(table[table.columns[::-1]]), model.predict(table))
    polars = pl.DataFrame({name: [None if pd.isna(v) else v for v in table[name]] for name in table})
    assert_array_equal(pipeline.predict(polars), model.predict(table))
    assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict(table), model.predict(table))
    assert "kernelwise" not in str(pickle.dumps(pipeline))


def test_the_pipeline_of_an_array_with_gaps():
    X = TABLE[["size", "rooms"]].to_numpy(dtype=float)
    model = TunedSVC("rbf", **FIXED).fit(X, np.where(np.nan_to_num(X[:, 0]) > 10.0, 1, 0))
    assert_array_equal(model.to_sklearn().predict(X), model.predict(X))


def test_the_pipeline_of_a_regression():
    y = np.where(TABLE["town"] == "Ulm", 5.0, 0.0) + TABLE["size"].fillna(10.0).to_numpy()
    model = TunedSVR("rbf", **FIXED).fit(TABLE, y)
    assert_allclose(model.to_sklearn().predict(TABLE), model.predict(TABLE), rtol=1e-6)


def test_numbers_that_count_as_words_have_no_pipeline():
    model = TunedSVC("rbf", categorical_features=["rooms"], **FIXED).fit(TABLE[["size", "rooms"]], Y)
    with pytest.raises(IncompatibleError, match="column 'rooms' has numbers that count as words"):
        model.to_sklearn()


def test_onnx_takes_coded_rows(model):
    onnxruntime = pytest.importorskip("onnxruntime")
    graph = model.to_onnx()
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    label, p = session.run(["label", "probabilities"], {"X": model.encoder_.read(NEW)})
    assert_array_equal(label, model.predict(NEW))
    assert_allclose(p, model.predict_proba(NEW), atol=1e-9)


def test_c_source_names_the_coded_features(model):
    source = model.to_c()
    for name in ("town=Ulm", "town missing", "size missing", "street: other"):
        assert name in source


def test_a_model_file_keeps_the_table(model, tmp_path):
    model.save(tmp_path / "model.npz")
    again = kernelwise.load(tmp_path / "model.npz")
    assert again.encoder_ == model.encoder_
    assert_array_equal(again.predict_proba(NEW), model.predict_proba(NEW))
    assert again.feature_names_in_.tolist() == list(TABLE.columns)


def test_a_file_whose_parts_do_not_fit_is_refused(model, tmp_path):
    from dataclasses import replace

    broken = pickle.loads(pickle.dumps(model))
    for columns_, words in [
        (model.encoder_.columns[1:], "its encoder 4"),
        ((replace(model.encoder_.columns[0], words=("a",)), *model.encoder_.columns[1:]), "its machine"),
        ((replace(model.encoder_.columns[0], words=(1, 2, 3)), *model.encoder_.columns[1:]), "are not text"),
    ]:
        broken.encoder_ = replace(model.encoder_, columns=columns_)
        broken.save(tmp_path / "model.npz")
        with pytest.raises(ValueError, match=words):
            kernelwise.load(tmp_path / "model.npz")


def test_a_report_of_a_table(model, tmp_path):
    pytest.importorskip("jinja2")
    model.report(tmp_path / "report.html", TABLE, Y)
    assert "rooms" in (tmp_path / "report.html").read_text()
