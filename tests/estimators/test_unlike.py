"""Rows that are unlike the training rows, by their columns and by the kernel."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR, load
from kernelwise.estimators.unlike import training_range
from kernelwise.exceptions import KernelwiseWarning

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.3 * RANDOM.normal(size=120) > 0.0, "a", "b")
NEW = RANDOM.normal(size=(30, 3)) * 0.5
FIXED = {"Cs": [1.0, 10.0], "cv": 3}


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_distances_are_those_in_the_space_of_the_kernel(kernel):
    model = TunedSVC(kernel, **FIXED).fit(X, Y)
    machine, Z = model.best_estimator_, model.machine_samples(NEW)
    k, S = machine.kernel_, machine.support_vectors_
    expected = [
        min(
            np.sqrt(
                max(k(z[None], z[None])[0, 0] - 2 * k(z[None], s[None])[0, 0] + k(s[None], s[None])[0, 0], 0)
            )
            for s in S
        )
        for z in Z
    ]
    found = model.unlike(NEW)
    assert_allclose(found.distance, expected, rtol=1e-6)
    rows = model.machine_samples(X)
    reach = 0.0
    for row in rows:
        squares = np.array(
            [
                k(row[None], row[None])[0, 0] - 2 * k(row[None], s[None])[0, 0] + k(s[None], s[None])[0, 0]
                for s in S
            ]
        )
        reach = max(reach, np.sqrt(squares[squares > 1e-6].min()))
    assert_allclose(found.reach, reach, rtol=1e-6)
    assert not len(model.unlike(X).rows)  # no training row is


def test_the_farthest_number_is_named_with_its_range(tmp_path):
    frame = pd.DataFrame({"Age": np.linspace(0.42, 80.0, 120), "Fare": X[:, 1], "town": ["u", "v"] * 60})
    y = np.where(frame["Age"] > 40, "old", "young")
    model = TunedSVC("rbf", **FIXED).fit(frame, y)
    assert_array_equal(model.training_range_[[0, 2], 0], [0.42, 80.0])
    model.save(tmp_path / "m.kw")
    new = frame[:4].assign(Age=[30.0, 2200.0, 50.0, 40.0])
    found = load(tmp_path / "m.kw").unlike(new)
    assert found.rows.tolist() == [1]
    assert found.is_outside.tolist() == [False, True, False, False]
    assert_allclose(found.excess[:, 0], [0, 2120 / 79.58, 0, 0])
    assert found.message() == (
        "1 of 4 rows is unlike the training rows; farthest outside is Age 2200 in row 1 (training 0.42 to "
        "80); it is farther from all support vectors than any training row. Do not rely on its predictions."
    )
    assert "in line 3 (training" in found.message(lambda row: f"line {row + 2}")
    with pytest.warns(KernelwiseWarning, match=r"1 of 4 rows is unlike .* Age 2200 in row 1"):
        model.predict(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame[:4])
        assert not model.unlike(frame[:4]).message()


def test_the_kernel_sees_what_no_column_shows():
    ring = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    circle = np.column_stack([np.cos(ring), np.sin(ring)])
    model = TunedSVR("rbf", cv=3).fit(circle, circle[:, 0] * circle[:, 1])
    found = model.unlike(np.array([[0.0, 0.0], [1.0, 0.0]]))  # the middle of the ring is far from all of it
    assert found.is_outside.tolist() == [False, False]
    assert found.is_remote.tolist() == [True, False]
    assert found.message().startswith(
        "1 of 2 rows is unlike the training rows; it is farther from all support"
    )


def test_models_that_cannot_tell_say_so():
    sparse = TunedSVC("rbf", **FIXED).fit(csr_matrix(X), Y)
    with pytest.raises(AttributeError, match="does not know the ranges of its training samples"):
        sparse.unlike(X)
    nystroem = TunedSVC("rbf", solver="nystroem", **FIXED).fit(X, Y)
    assert not len(nystroem.unlike(X).rows)  # by its landmarks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TunedOneClassSVM("rbf").fit(X).predict(100.0 * X[:3])  # unusual rows are what it is for


def test_the_range_is_of_the_rows_that_count():
    weight = np.r_[np.zeros(20), np.ones(50), np.full(50, 2.0)]
    copies = np.vstack([X[20:70], X[70:], X[70:]])
    expected = np.stack([copies.min(axis=0), np.median(copies, axis=0), copies.max(axis=0)])
    assert_array_equal(training_range(X, weight), expected)


def test_labels_that_no_training_row_has_are_told():
    model = TunedSVC("rbf", **FIXED).fit(X, Y)
    with pytest.warns(KernelwiseWarning, match="2 rows have a label that no training row has, such as 'c'"):
        score = model.score(X[:4], ["c", Y[1], "c", Y[3]])
    assert score == np.mean(
        [False, *(model.predict(X[1:2]) == Y[1:2]), False, *(model.predict(X[3:4]) == Y[3:4])]
    )


def test_labels_in_two_spellings_are_told():
    y = np.where(np.arange(120) % 10 == 0, np.char.upper(Y), Y)
    with pytest.warns(UserWarning, match="differ only in capitals or spaces, but count as different classes"):
        model = TunedSVC("rbf", **FIXED).fit(X, y)
    assert len(model.classes_) == 4
