"""The benchmarks of calibrations and of codes, on a small set and one simulated table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from benchmarks import calibration, codes


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2]


def test_every_calibration_has_probabilities_of_the_same_machine(iris):
    X, y = iris
    p, held = calibration.tuned(X[::2], y[::2], X[1::2])
    assert held.new.shape == (len(p), 3)
    for method in calibration.MORE.values():
        other = method(held)
        np.testing.assert_allclose(other.sum(axis=1), 1.0)
        assert (other.argmax(axis=1) == p.argmax(axis=1)).mean() > 0.9


def test_two_classes_are_what_a_sigmoid_for_each_machine_is(iris):
    X, y = iris
    is_used = y > 0
    found = calibration.measure(X[is_used], y[is_used])
    assert list(found) == ["kernelwise", *calibration.TWO]
    np.testing.assert_allclose(found["kernelwise"], found["pairs"], rtol=1e-6)


def test_gradients_of_the_scalings_lead_to_a_lower_loss(iris):
    X, y = iris
    _, held = calibration.tuned(X, y, X)
    held = held._replace(new=held.decision)
    known, truth = held.samples.y, calibration.by_pairs(held, calibration.probability.POOLED)
    for method in ("vector", "matrix"):
        assert calibration.log_loss(calibration.MORE[method](held), known) < calibration.log_loss(
            truth, known
        )


def test_lessons_are_rated_by_who_teaches_what():
    frame, y = codes.lessons(0)
    assert frame.shape == (150, 5)
    np.testing.assert_array_equal(np.bincount(y), [50, 50, 50])
    again, _ = codes.lessons(0)
    assert again.equals(frame)


def test_teachers_and_courses_are_names_and_scores_are_quantities():
    frame, y = codes.lessons(0, n_rows=400, n_teachers=30, n_courses=20)
    assert frame.shape == (400, 5)
    assert frame["teacher"].max() == 30
    assert codes.read_as_names(frame, y) == {"teacher", "course"}
    frame, y = codes.quantities(0, "score", "line", 150)
    assert list(frame) == list(codes.VALUES)
    assert np.corrcoef(frame["score"], y)[0, 1] > 0.3
    assert codes.read_as_names(frame, y, is_classes=False) == set()
