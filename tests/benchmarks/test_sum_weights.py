"""benchmarks.sum_weights: both ways on the same folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from benchmarks import sum_weights


@pytest.fixture
def flowers():
    X, y = load_iris(return_X_y=True)
    return X[50::2], y[50::2]


def test_a_line_for_each_set(flowers, monkeypatch, capsys):
    monkeypatch.setattr(sum_weights, "samples", lambda name: flowers)
    monkeypatch.setattr(sum_weights, "N_FOLDS", 2)
    monkeypatch.setattr(sum_weights, "N_REPEATS", 1)
    sum_weights.main(["flowers", "--rows", "40"])
    *_, first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("| flowers |")
    assert first.split("|")[2:4] == last.split("|")[2:4]
    assert float(first.split("|")[2].split()[0]) > 70.0


def test_the_kernels_are_those_that_were_tried(flowers):
    X, y = flowers
    found, weights = sum_weights.scores(X, y, np.arange(0, 50), np.arange(0, 50, 5))
    assert list(found) == ["equal", "aligned"]
    assert weights.sum() == pytest.approx(4.0)  # RBF and Laplacian, plain and with weights of features
