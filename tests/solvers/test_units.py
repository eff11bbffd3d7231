"""Kernel values of any size: K·u with C/u has the coefficients β/u and the same decision values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from kernelwise import SVC, SVR, load
from kernelwise.kernels import Linear
from kernelwise.solvers import minimum_enclosing_ball, one_class_path, solve_svm_dual, svm_path
from kernelwise.solvers.one_class_rows import solve_one_class_by_rows
from kernelwise.solvers.regression import solve_svr
from kernelwise.solvers.working_sets import solve_svm_by_rows

UNITS = [2.0**-300, 2.0**-40, 2.0**60, 2.0**400]


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_the_kernel_change_no_digit(unit, blobs):
    X, y = blobs
    K = X @ X.T
    plain, scaled = solve_svm_dual(K, y, 2.0), solve_svm_dual(unit * K, y, 2.0 / unit)
    np.testing.assert_array_equal(scaled.beta * unit, plain.beta)
    assert scaled.intercept == plain.intercept
    assert scaled.objective * unit == plain.objective
    again = solve_svm_dual(unit * K, y, 2.0 / unit, warm_start=scaled.beta)
    assert again.n_iter == 0
    folds = list(StratifiedKFold(4).split(X, y))
    path = svm_path(K, y, [0.5, 4.0], folds)
    other = svm_path(unit * K, y, [0.5 / unit, 4.0 / unit], folds)
    np.testing.assert_array_equal(other.decision, path.decision)
    np.testing.assert_array_equal(other.objective * unit, path.objective)
    onward = svm_path(unit * K, y, [8.0 / unit], folds, after=other)
    np.testing.assert_array_equal(onward.decision, svm_path(K, y, [8.0], folds, after=path).decision)
    ball = minimum_enclosing_ball(unit * K)
    assert ball.radius2 == unit * minimum_enclosing_ball(K).radius2


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_the_samples_change_no_digit_without_a_gram_matrix(unit, blobs):
    X, y = blobs
    root = np.sqrt(unit)
    plain = solve_svm_by_rows(Linear(), X, y, 2.0)
    scaled = solve_svm_by_rows(Linear(), root * X, y, 2.0 / unit)
    np.testing.assert_array_equal(scaled.beta * unit, plain.beta)
    line, other = solve_svr(Linear(), X, X[:, 0]), solve_svr(Linear(), root * X, X[:, 0], 1.0 / unit)
    np.testing.assert_array_equal(other.beta * unit, line.beta)
    assert other.objective * unit == line.objective


@pytest.mark.parametrize("scale", [1e-100, 1e-19, 1e19, 1e100])
def test_features_of_any_size_are_trained_on(scale, blobs, tmp_path):
    X, y = blobs
    plain = SVC(kernel="linear", tol=1e-6).fit(X, y)
    model = SVC(kernel="linear", C=1.0 / scale**2, tol=1e-6).fit(scale * X, y)
    np.testing.assert_allclose(model.decision_function(scale * X), plain.decision_function(X), atol=1e-4)
    assert model.fit_status_ == 0
    model.save(tmp_path / "model.kw")
    np.testing.assert_array_equal(load(tmp_path / "model.kw").predict(scale * X), model.predict(scale * X))


@pytest.mark.parametrize(
    ("model", "scale", "sentence"),
    [
        (
            SVC(kernel="poly", gamma=1.0, coef0=1.0),
            1e100,
            "The values of Polynomial.* out of the range of numbers",
        ),
        (SVC(kernel="poly", gamma=1.0, coef0=1.0), 1e40, r"C = 1 times kernel values of the size .*e\+2"),
        (SVC(kernel="linear"), 1e-149, "C = 1 times kernel values of the size .*e-29"),
        (SVR("linear"), 1e-149, "C = 1 times kernel values of the size .*e-29"),
        (SVC(kernel="linear", C=1e300), 1.0, r"C = 1e\+300 times kernel values"),
        (SVC(), 1e200, r"X has values of the size .*e\+200, whose squares are out of the range"),
    ],
)
def test_what_no_float_can_hold_is_refused(model, scale, sentence, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=sentence):
        model.fit(scale * X, y)


def test_a_polynomial_of_large_features_has_numbers_for_coefficients(blobs):
    X, y = blobs
    model = SVC(kernel="poly", gamma=1.0, coef0=1.0, max_iter=1000)
    with pytest.warns(UserWarning, match="1 of 1 models stopped early"):
        model.fit(1e5 * X, y)
    assert np.isfinite(model.decision_function(1e5 * X)).all()
    assert model.fit_status_ == 1


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_the_kernel_change_no_machine_of_one_class(unit, blobs):
    X = np.hstack([blobs[0], np.eye(60)])  # K is positive definite, so that β is unique
    folds = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    path, other = (one_class_path(u * (X @ X.T), [0.2, 0.5], folds, tol=1e-10 * u) for u in (1.0, unit))
    np.testing.assert_allclose(other.beta, path.beta, atol=1e-6)
    for name in ("scores", "offset", "held_out", "held_out_offset"):
        np.testing.assert_allclose(getattr(other, name) / unit, getattr(path, name), atol=1e-6)
    root = np.sqrt(unit)
    plain, scaled = (solve_one_class_by_rows(Linear(), r * X, 0.3, tol=1e-10 * r * r) for r in (1.0, root))
    np.testing.assert_allclose(scaled.beta, plain.beta, atol=1e-6)
    assert scaled.offset / unit == pytest.approx(plain.offset, abs=1e-6)
