"""The procedures of paper 000."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC as ReferenceSVC

from kernelwise.datasets import load
from kernelwise.exceptions import BoundaryWarning, RidgeWarning
from kernelwise.kernels import RBF, Mahalanobis
from kernelwise.selection import abe_grid_search, abe_line_search, abe_parameters, abe_select
from kernelwise.selection.abe import CS, DELTAS, GAMMAS

IRIS = load_iris(return_X_y=True)
HALF = IRIS[0][::2], IRIS[1][::2]


@pytest.fixture(scope="module")
def thyroid():
    try:
        return load("thyroid", part="train")
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("method", ["sketch", "second-order"])
def test_iris_has_the_widths_of_the_paper(method):
    rbf = abe_parameters(*IRIS, method=method)
    np.testing.assert_allclose(rbf.parameters, [11.7197, 24.3902, 9.3367], atol=6e-5)
    assert rbf.parameter == pytest.approx(15.149, abs=5e-4)
    assert rbf.stop_reasons == ("interior peak",) * 3
    assert rbf.problems == (0, 1, 2)
    assert abe_parameters(*IRIS, "mahalanobis", method=method).parameter == pytest.approx(0.970, abs=5e-4)


def test_thyroid_has_the_widths_of_the_paper(thyroid):
    rbf = abe_parameters(*thyroid)
    # The first class has an inflection near 47.8, where the printed step ends.
    np.testing.assert_allclose(rbf.parameters, [206.57, 38.214, 40.774], rtol=2e-5)
    assert rbf.parameter == pytest.approx(95.186, abs=5e-4)
    diagonal = abe_parameters(*thyroid, "mahalanobis")
    np.testing.assert_allclose(diagonal.parameters, [0.7742, 1.9628, 0.7983], atol=6e-5)
    assert diagonal.parameter == pytest.approx(1.178, abs=5e-4)


@pytest.mark.parametrize("kernel", ["rbf", "mahalanobis", "mahalanobis-full"])
@pytest.mark.parametrize("strategy", ["ovr", "ovo"])
def test_one_pass_finds_what_the_second_order_method_finds(kernel, strategy):
    both = [abe_parameters(*IRIS, kernel, strategy=strategy, method=m) for m in ("sketch", "second-order")]
    np.testing.assert_allclose(both[0].parameters, both[1].parameters, rtol=1e-5)
    assert both[0].problems == both[1].problems


@pytest.mark.slow
def test_iterations_are_those_of_the_second_order_method(thyroid):
    for samples, kernel, expected in (
        (IRIS, "rbf", (5, 6, 5)),
        (IRIS, "mahalanobis", (5, 6, 5)),
        (thyroid, "rbf", (7, 6, 6)),
        (thyroid, "mahalanobis", (6, 7, 6)),
    ):
        found = abe_parameters(*samples, kernel, method="second-order")
        assert found.n_iterations == expected
    assert abe_parameters(*IRIS).n_iterations == ()


def test_the_result_has_the_iterations():
    assert abe_select(*IRIS, method="second-order", Cs=[1.0]).n_iterations == (5, 6, 5)
    assert abe_select(*IRIS, Cs=[1.0]).n_iterations == ()
    assert abe_grid_search(*HALF, parameters=[1.0], Cs=[1.0]).n_iterations == ()


def test_the_average_is_that_of_the_problems():
    chosen = abe_parameters(*IRIS, strategy="ovo")
    assert chosen.problems == ((0, 1), (0, 2), (1, 2))
    assert chosen.parameter == pytest.approx(chosen.parameters.mean())


def test_C_is_the_best_of_an_independent_cross_validation():
    X, y = HALF
    Cs = [1.0, 50.0, 1000.0]
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    chosen = abe_select(X, y, Cs=Cs, cv=folds)
    scaled = MinMaxScaler().fit_transform(X)
    expected = []
    for C in Cs:
        machine = OneVsRestClassifier(ReferenceSVC(C=C, gamma=chosen.parameter / 4, tol=1e-6))
        expected.append(np.mean(cross_val_predict(machine, scaled, y, cv=folds) == y))
    np.testing.assert_allclose(chosen.accuracies, [expected])
    assert chosen.C == Cs[int(np.argmax(expected))]
    assert chosen.cv_accuracy == max(expected)


def test_the_machine_is_trained_on_the_scaled_training_part():
    X, y = HALF
    chosen = abe_select(X, y, Cs=[10.0])
    scaler, machine = chosen.estimator
    np.testing.assert_array_equal(scaler.data_max_, X.max(axis=0))
    assert machine.multiclass == "ovr-fuzzy"
    assert isinstance(chosen.kernel, RBF)
    assert chosen.kernel.gamma == pytest.approx(chosen.parameter / 4)
    rest = IRIS[0][1::2]
    reference = OneVsRestClassifier(ReferenceSVC(C=10.0, gamma=chosen.kernel.gamma, tol=1e-6))
    reference.fit(scaler.transform(X), y)
    np.testing.assert_array_equal(chosen.estimator.predict(rest), reference.predict(scaler.transform(rest)))
    membership = machine.membership(scaler.transform(rest))
    np.testing.assert_array_equal(membership.argmax(axis=1), chosen.estimator.predict(rest))


def test_mahalanobis_is_an_rbf_kernel_of_whitened_samples():
    X, y = HALF
    scaled = MinMaxScaler().fit_transform(X)
    Q = np.cov(scaled.T, bias=True)
    d = scaled[0] - scaled[-1]
    for kernel, covariance in (("mahalanobis", np.diag(Q.diagonal())), ("mahalanobis-full", Q)):
        chosen = abe_select(X, y, kernel, Cs=[10.0])
        assert isinstance(chosen.kernel, Mahalanobis)
        expected = np.exp(-chosen.parameter / 4 * d @ np.linalg.solve(covariance, d))
        assert chosen.kernel(scaled[:1], scaled[-1:])[0, 0] == pytest.approx(expected, rel=1e-9)


def test_grid_search_takes_the_smallest_C_and_the_widest_kernel_of_equals():
    chosen = abe_grid_search(*HALF)
    assert chosen.accuracies.shape == (len(GAMMAS), len(CS))
    best = np.argwhere(chosen.accuracies == chosen.accuracies.max())
    C = min(CS[c] for _, c in best)
    assert (chosen.C, chosen.parameter) == (C, min(GAMMAS[g] for g, c in best if CS[c] == C))
    assert chosen.kernel.gamma == pytest.approx(chosen.parameter / 4)
    assert chosen.cv_accuracy == chosen.accuracies.max()


def test_line_search_is_two_grid_searches():
    chosen = abe_line_search(*HALF)
    first = abe_grid_search(*HALF, "mahalanobis", parameters=[1.0])
    second = abe_grid_search(*HALF, "mahalanobis", parameters=DELTAS, Cs=[first.C])
    assert (chosen.C, chosen.parameter) == (first.C, second.parameter)
    np.testing.assert_array_equal(chosen.accuracies, second.accuracies)


def test_two_classes_make_one_problem():
    X, y = IRIS[0][50:], IRIS[1][50:]
    chosen = abe_select(X, y, Cs=[1.0, 10.0])
    assert chosen.problems == ((1, 2),)
    assert abe_parameters(X, y, method="second-order").parameter == pytest.approx(chosen.parameter, rel=1e-5)
    assert chosen.to_dict()["C"] == chosen.C


def test_a_constant_feature_has_no_influence():
    X, y = HALF
    wide = np.column_stack([X, np.full(len(y), 7.3)])
    with pytest.warns(RidgeWarning, match="constant"):
        chosen = abe_select(wide, y, "mahalanobis", Cs=[1.0])
    assert "constant features" in {finding.name for finding in chosen.findings}
    # Only m differs: δ/5 now does what δ/4 did.
    narrow = abe_select(X, y, "mahalanobis", Cs=[1.0])
    assert chosen.parameter / 5 == pytest.approx(narrow.parameter / 4, rel=1e-6)
    assert chosen.cv_accuracy == narrow.cv_accuracy


@pytest.mark.parametrize("method", ["sketch", "second-order"])
def test_a_problem_without_a_peak_is_left_out_with_a_finding(method):
    # Classes 1 and 2 alternate along a line: the narrower the kernel, the further apart their centres.
    line = np.arange(20.0)
    X = np.concatenate([line, 100.0 + line])[:, None]
    y = np.repeat([1, 0], 20)
    y[1:20:2] = 2
    with pytest.warns(BoundaryWarning):
        chosen = abe_parameters(X, y, strategy="ovo", method=method)
    assert chosen.stop_reasons[:2] == ("interior peak",) * 2
    assert chosen.stop_reasons[2] in ("plateau", "boundary")
    assert chosen.parameter == pytest.approx(chosen.parameters[:2].mean())
    assert "(1, 2)" in chosen.findings[0].message


def test_a_class_with_few_samples_has_fewer_folds():
    rows = np.r_[0:20, 50:70, 100:103]
    chosen = abe_select(IRIS[0][rows], IRIS[1][rows], Cs=[1.0])
    assert "3 folds" in next(finding.message for finding in chosen.findings if finding.name == "few folds")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "linear"}, "'kernel' of selection.abe must be one of 'rbf'"),
        ({"strategy": "pooled"}, "'strategy' of selection.abe must be one of 'ovr', 'ovo'"),
        ({"method": "newton"}, "'method' of selection.abe"),
        ({"multiclass": "crammer"}, "'multiclass' of selection.abe"),
        ({"Cs": []}, "'Cs' of abe_select is empty"),
        ({"Cs": [1.0, -1.0]}, "'Cs' of abe_select must be a positive float, got -1.0"),
        ({"cv": 1}, "cv must be at least 2 folds"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        abe_select(*HALF, **settings)


def test_a_class_of_one_sample_is_refused():
    with pytest.raises(ValueError, match="at least 2 per class"):
        abe_select(IRIS[0][:51], IRIS[1][:51])
