"""A model, and predictions, as pages that can be asked."""

from __future__ import annotations

import re

import pytest

import kernelwise

from .conftest import SHORT


@pytest.fixture
def model(run, rows, tmp_path):
    """A model with a column of words, and its file."""
    (tmp_path / "train.csv").write_text("\n".join(["a,b,colour,class", *rows]) + "\n")
    assert run("tune", "train.csv", *SHORT, "--kernel", "laplacian", "--model", "m.kw").code == 0
    return "m.kw"


def test_a_model_is_written_as_a_page(run, model, tmp_path):
    code, out, err = run("page", model, "-o", "m.html")
    assert (code, out) == (0, "")
    n = len(kernelwise.load(model).best_estimator_.support_vectors_)
    assert err.startswith(
        f"Wrote the model to m.html. Rows of the training data are in this file: the {n} rows"
    )
    assert (tmp_path / "m.html").read_text(encoding="utf-8") == kernelwise.load(model).to_page()
    assert run("page", model, "--out", "m.html", "--quiet") == (0, "", "")


def test_what_cannot_be_a_page_is_said(run, refused, model, tmp_path, monkeypatch):
    assert "train.csv is not a kernelwise model" in refused("page", "train.csv", "-o", "m.html")
    assert "there is no folder" in refused("page", model, "-o", "nowhere/m.html")
    assert "is given twice" in refused("page", model, "-o", model)
    assert "--out" in refused("page", model)
    assert run("tune", "train.csv", *SHORT, "--kernel", "kmod", "--model", "kmod.kw").code == 0
    told = refused("page", "kmod.kw", "-o", "m.html")
    assert told == "kmod.kw cannot be a page. A page cannot compute the kernel of this model (KMOD)."
    monkeypatch.setattr("kernelwise.cli.export.find_spec", lambda name: None)
    assert refused("page", model, "-o", "m.html").endswith('pip install "kernelwise[report]".')
    assert not (tmp_path / "m.html").exists()


def test_predictions_have_a_page_beside_their_file(run, refused, model, tmp_path):
    plain = run("predict", model, "train.csv")
    code, out, err = run("predict", model, "train.csv", "--report", "p.html")
    assert (code, out) == (0, plain.out)
    assert "Wrote a page on the predictions to p.html." in err
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert '<h1 dir="auto">The predictions of class for 40 rows</h1>' in text
    assert "kernelwise predictions · train.csv" in text
    named = re.findall(r'data-row="\d+">line (\d+)<', text)
    assert len(named) >= 20
    assert set(map(int, named)) <= set(range(2, 42))
    assert "is given twice" in refused("predict", model, "train.csv", "--out", "p.html", "--report", "p.html")
    assert "there is no folder" in refused("predict", model, "train.csv", "--report", "nowhere/p.html")


def test_a_report_can_be_without_rows_of_the_file(run, model, tmp_path):
    options = ("tune", "train.csv", *SHORT, "--kernel", "rbf")
    assert run(*options, "--report", "asked.html").code == 0
    assert run(*options, "--report", "still.html", "--no-form").code == 0
    assert "<script" in (tmp_path / "asked.html").read_text(encoding="utf-8")
    assert "<script" not in (tmp_path / "still.html").read_text(encoding="utf-8")


def test_predicted_quantiles_have_a_page(run, tmp_path):
    lines = [f"{k},{k % 7},{2 * k + 5 * (k % 3)}" for k in range(60)]
    (tmp_path / "numbers.csv").write_text("\n".join(["a,b,price", *lines]) + "\n")
    asked = ("--target", "price", "--quantile", "0.1,0.5,0.9", "--kernel", "rbf", "--log2c", "0,4,4")
    assert run("tune", "numbers.csv", *asked, "--model", "q.kw").code == 0
    code, out, _ = run("predict", "q.kw", "numbers.csv", "--report", "p.html")
    assert (code, out.splitlines()[0]) == (0, "q0.1,q0.5,q0.9")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "How many rows have which 0.5 quantile" in text
    assert len(re.findall(r"q0\.1\xa0=\xa0[\d.−]+, q0\.5\xa0=\xa0[\d.−]+, q0\.9\xa0=\xa0", text)) == 20
