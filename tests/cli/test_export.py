"""A model of the command line as ONNX and as C source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kernelwise

from .conftest import SHORT


@pytest.fixture
def train(run, rows, tmp_path):
    (tmp_path / "train.csv").write_text("\n".join(["a,b,colour,class", *rows]) + "\n")
    return "train.csv"


@pytest.fixture
def model(run, train):
    """A model with a column of words."""
    assert run("tune", train, *SHORT, "--kernel", "laplacian", "--model", "m.kw", "--impute").code == 0
    return "m.kw"


def test_a_model_is_written_by_the_ending_of_the_file(run, model, tmp_path):
    loaded = kernelwise.load(model)
    code, out, err = run("export", model, "m.c")
    assert (code, out) == (0, "")
    assert (tmp_path / "m.c").read_text() == loaded.to_c()
    assert err.startswith("Saved the model to m.c. A row has these numbers: 'a', 'b', 'colour=")
    assert ", are 1 for that word and 0 for others." in err
    assert err.endswith("Unlike `kernelwise predict`, the exported model does not fill in missing values.\n")
    runtime = pytest.importorskip("onnxruntime")
    assert run("export", model, "m.onnx", "--quiet") == (0, "", "")
    session = runtime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    rows = pd.read_csv("train.csv").dropna()
    (labels,) = session.run(["label"], {"X": loaded.encoder_.read(rows)})
    assert labels.tolist() == loaded.predict(rows).tolist()
    assert len(set(labels.tolist())) == 2


def test_what_cannot_be_exported_is_said(run, refused, model, train, monkeypatch):
    assert refused("export", model, "m.txt") == "m.txt must end in .onnx for ONNX or in .c for C source."
    assert "train.csv is not a kernelwise model" in refused("export", train, "m.c")
    assert "there is no folder" in refused("export", model, "nowhere/m.c")
    assert run("tune", train, *SHORT, "--kernel", "kmod", "--model", "kmod.kw").code == 0
    told = refused("export", "kmod.kw", "m.c")
    assert told.startswith("kmod.kw has the kernel KMOD, which a .c file cannot hold. Train the model again")
    monkeypatch.setattr("kernelwise.export.c_source.MOST_NUMBERS", 10)
    assert refused("export", model, "m.c").startswith(
        "m.kw is too large for a .c file. Train the model again with"
    )
    monkeypatch.setattr("kernelwise.cli.export.find_spec", lambda name: None)
    assert refused("export", model, "m.onnx").endswith('pip install "kernelwise[onnx]".')


def test_intervals_are_exported(run, refused, tmp_path, model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_csv("numbers.csv", index=False)
    assert run("tune", "numbers.csv", "--kernel", "rbf", "--model", "numbers.kw").code == 0
    assert run("export", "numbers.kw", "n.c", "--interval", 0.8).code == 0
    assert (tmp_path / "n.c").read_text() == kernelwise.load("numbers.kw").to_c(interval=0.8)
    told = refused("export", model, "m.c", "--interval", 0.8)
    assert told == "--interval is for regression models, and m.kw is a classification model."
    assert "A coverage of 0.99 needs 99 held-out" in refused(
        "export", "numbers.kw", "n.c", "--interval", 0.99
    )
