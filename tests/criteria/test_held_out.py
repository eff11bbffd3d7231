"""Validation and cross-validation error: gradients, values, weights, columns of the history."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from kernelwise.criteria import CrossValidationError, ValidationError
from kernelwise.exceptions import RidgeWarning
from kernelwise.kernels import KMOD, RBF
from kernelwise.optimizers import QuasiNewton
from kernelwise.problem import TuningProblem

from .machines import make_data

X, Y = make_data()


def independent_sigmoid(decision, is_positive, weight):
    """A and B by a general minimiser on Platt's smoothed targets, and the probabilities."""
    positive, negative = weight[is_positive].sum(), weight[~is_positive].sum()
    target = np.where(is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def cost(point):
        p = 1.0 / (1.0 + np.exp(point[0] * decision + point[1]))
        return -weight @ (target * np.log(p) + (1 - target) * np.log(1 - p)) / weight.sum()

    found = minimize(cost, [-1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15})
    return found.x, found.fun, 1.0 / (1.0 + np.exp(found.x[0] * decision + found.x[1]))


def test_value_and_report_match_scikit_learn_and_another_sigmoid():
    mask = np.arange(len(Y)) % 3 == 0
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    model = SVC(C=2.0, gamma=0.2, tol=1e-8).fit(X[~mask], Y[~mask], weights[~mask])
    decision, w = model.decision_function(X[mask]), weights[mask]
    (A, B), likelihood, p = independent_sigmoid(decision, Y[mask] == 1, w)
    errors = np.where(Y[mask] == 1, 1 - p, p)
    error = w @ errors / w.sum()
    for loss, expected in (("error", error), ("likelihood", likelihood)):
        criterion = ValidationError(2.0, mask, loss=loss)
        problem = TuningProblem(RBF(0.2), criterion, X, Y, sample_weight=weights)
        assert problem.value(problem.theta) == pytest.approx(expected, abs=1e-6)
        row = problem.history[0]
        assert (row["platt_A"], row["platt_B"]) == (pytest.approx(A, rel=1e-4), pytest.approx(B, abs=1e-4))
        assert row["n_support"] == len(model.support_)
        c = model.dual_coef_[0]
        norm = np.sqrt(c @ RBF(0.2)(model.support_vectors_) @ c)
        assert row["margin"] == pytest.approx(1 / norm, rel=1e-5)
        assert row["validation_error"] == pytest.approx(w @ ((decision > 0) != Y[mask]) / w.sum())
        assert "test_error" not in row
        if loss == "error":
            spread = np.sqrt(np.sum(w**2 * (errors - error) ** 2)) / w.sum()
            assert row["standard_error"] == pytest.approx(spread, rel=1e-4)


def test_the_standard_error_is_that_of_a_mean():
    mask = np.arange(len(Y)) % 3 == 0
    problem = TuningProblem(RBF(0.2), ValidationError(2.0, mask, loss="likelihood"), X, Y)
    problem.value(problem.theta)
    row, n = problem.history[0], mask.sum()
    positive = Y[mask] == 1
    target = np.where(positive, (positive.sum() + 1) / (positive.sum() + 2), 1 / ((~positive).sum() + 2))
    model = SVC(C=2.0, gamma=0.2, tol=1e-8).fit(X[~mask], Y[~mask])
    z = row["platt_A"] * model.decision_function(X[mask]) + row["platt_B"]
    costs = target * np.log1p(np.exp(z)) + (1 - target) * np.log1p(np.exp(-z))
    assert row["standard_error"] == pytest.approx(costs.std() / np.sqrt(n), rel=1e-3)


def test_rows_mask_and_further_samples_are_the_same_validation_set():
    rows = np.arange(0, len(Y), 3)
    mask = np.isin(np.arange(len(Y)), rows)
    names = np.array(["no", "yes"])[Y]
    problems = [
        TuningProblem(RBF(0.2), ValidationError(2.0, rows), X, names),
        TuningProblem(RBF(0.2), ValidationError(2.0, mask), X, names),
        TuningProblem(RBF(0.2), ValidationError(2.0, (X[rows], names[rows])), X[~mask], names[~mask]),
    ]
    answers = [problem.value_and_gradient(problem.theta) for problem in problems]
    for value, gradient in answers[1:]:
        assert value == pytest.approx(answers[0][0], abs=1e-8)
        np.testing.assert_allclose(gradient, answers[0][1], atol=1e-6)


def test_a_share_is_stratified_and_the_same_at_every_evaluation():
    criterion = ValidationError(validation=0.25, random_state=3)
    index = np.repeat([0, 1], [20, 60])
    layouts = [criterion.with_theta([c])._layout(None, index, np.ones(80), 80)[2] for c in (0.0, 1.0)]
    np.testing.assert_array_equal(*layouts)
    assert [layouts[0][index == k].sum() for k in (0, 1)] == [5, 15]


def test_a_training_row_of_weight_two_is_a_row_given_twice():
    mask = np.arange(len(Y)) % 3 == 0
    repeats = np.where(np.arange(len(Y)) % 4 == 1, 2, 1)
    rows = np.repeat(np.arange(len(Y)), repeats)
    criterion = {"C": 2.0, "tol": 1e-10}
    weighted = TuningProblem(
        RBF(0.2), ValidationError(validation=mask, **criterion), X, Y, sample_weight=repeats
    )
    repeated = TuningProblem(RBF(0.2), ValidationError(validation=mask[rows], **criterion), X[rows], Y[rows])
    theta = weighted.theta
    value, gradient = weighted.value_and_gradient(theta)
    assert repeated.value(theta) == pytest.approx(value, abs=1e-9)
    with pytest.warns(RidgeWarning):
        np.testing.assert_allclose(repeated.value_and_gradient(theta)[1], gradient, rtol=1e-4, atol=1e-7)
    assert "ridge" in repeated.memory.findings
    assert "ridge" not in weighted.memory.findings


def test_the_gradient_of_the_paper_is_equations_7_to_12():
    mask = np.arange(len(Y)) % 3 == 0
    problem = TuningProblem(RBF(0.2), ValidationError(2.0, mask, gradient="paper", tol=1e-10), X, Y)
    gradient = problem.value_and_gradient(problem.theta)[1]
    row, beta = problem.history[0], problem.memory.warm[0]["0"]
    S, t = np.flatnonzero(beta), Y[mask]
    y = np.sign(beta[S])
    alpha = np.abs(beta[S])
    K, D = RBF(0.2)(X), ((X[:, None] - X[None]) ** 2).sum(axis=2)
    offset = np.mean([y[k] - K[i, S] @ beta[S] for k, i in enumerate(S) if alpha[k] < 2.0])
    f = K[np.ix_(mask, S)] @ beta[S] + offset
    e = np.exp(row["platt_A"] * f + row["platt_B"])
    p = 1 / (1 + e)
    by_p = np.where(t == 1, -1.0, 1.0)  # eq. 9
    by_f = by_p * -row["platt_A"] * p**2 * e / mask.sum()  # eqs. 8 and 10
    by_alpha = np.append(by_f @ (y * K[np.ix_(mask, S)]), by_f.sum())  # eq. 11 with the vector's own label
    H = np.zeros((len(S) + 1, len(S) + 1))
    H[:-1, :-1] = np.outer(y, y) * K[np.ix_(S, S)]
    H[-1, :-1] = H[:-1, -1] = y
    by_log_gamma = np.zeros_like(H)
    by_log_gamma[:-1, :-1] = H[:-1, :-1] * -0.2 * D[np.ix_(S, S)]
    change = -np.linalg.solve(H, by_log_gamma @ np.append(alpha, offset))  # eq. 12
    assert gradient[0] == pytest.approx(by_alpha @ change, rel=1e-6)


@pytest.mark.parametrize("engine", ["golden", "lbfgsb"])
def test_history_has_the_columns_of_paper_001_at_every_iteration(engine):
    (X, Y), test = make_data(n_clean=80), make_data(200, seed=8, n_clean=200)
    problem = TuningProblem(KMOD(1.0, 1.0), ValidationError(C=100.0), X, Y, test=test)
    result = QuasiNewton(engine=engine).minimize(problem)
    rows = result.history.by_iteration()
    assert [row["iteration"] for row in rows] == list(range(result.n_iterations + 1))
    assert np.all(np.diff([row["value"] for row in rows]) <= 0)
    columns = {"iteration", "value", "validation_error", "test_error", "n_support", "margin", "seconds"}
    assert all(columns | {"gamma", "sigma", "C"} <= set(row) for row in rows)
    assert rows[-1]["value"] == pytest.approx(result.value, abs=1e-6)
    assert result.value < rows[0]["value"]
    first = rows[0]
    held_out = problem.criterion._layout(None, Y, np.ones(len(Y)), len(Y))[2]
    model = SVC(C=first["C"], kernel=KMOD(first["gamma"], first["sigma"]), tol=1e-6)
    model.fit(X[~held_out], Y[~held_out])
    assert first["test_error"] == pytest.approx(1 - model.score(*test))
    assert result.criterion.C == pytest.approx(np.exp(result.theta[-1]))


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_error_of_three_classes_on_test_samples(strategy):
    data, test = make_data(120, 3), make_data(150, 3, seed=9)
    criterion = ValidationError(C=2.0, strategy=strategy, search_C=False)
    problem = TuningProblem(RBF(0.2), criterion, *data, test=test)
    problem.value_and_gradient(problem.theta)
    assert problem.theta_names == ("gamma",)
    assert len(problem.memory.machines) == 3
    kept = ~criterion._layout(None, data[1], np.ones(120), 120)[2]
    if strategy == "ovo":
        labels = SVC(C=2.0, gamma=0.2, tol=1e-8).fit(data[0][kept], data[1][kept]).predict(test[0])
    else:
        machines = [SVC(C=2.0, gamma=0.2, tol=1e-8).fit(data[0][kept], data[1][kept] == k) for k in range(3)]
        labels = np.argmax([machine.decision_function(test[0]) for machine in machines], axis=0)
    assert problem.history[0]["test_error"] == pytest.approx(np.mean(labels != test[1]))


def test_cross_validation_is_scikit_learn_fold_by_fold_and_one_sigmoid():
    decision = cross_val_predict(
        SVC(C=2.0, gamma=0.2, tol=1e-8), X, Y, cv=StratifiedKFold(4), method="decision_function"
    )
    (A, B), likelihood, p = independent_sigmoid(decision, Y == 1, np.ones(len(Y)))
    for loss, expected in (("error", np.where(Y == 1, 1 - p, p).mean()), ("likelihood", likelihood)):
        criterion = CrossValidationError(2.0, cv=4, loss=loss)
        problem = TuningProblem(RBF(0.2), criterion, X, Y, test=(X, Y))
        assert problem.value(problem.theta) == pytest.approx(expected, abs=1e-6)
        row = problem.history[0]
        assert (row["platt_A"], row["platt_B"]) == (pytest.approx(A, rel=1e-4), pytest.approx(B, abs=1e-4))
        assert row["validation_error"] == pytest.approx(np.mean((decision > 0) != Y))
        # The machine for the test error saw all samples.
        assert row["test_error"] == pytest.approx(1 - SVC(C=2.0, gamma=0.2, tol=1e-8).fit(X, Y).score(X, Y))


def test_folds_are_the_same_at_every_evaluation_and_follow_the_seed():
    K = RBF(0.2)(X)
    first, again, other = (CrossValidationError(random_state=seed).value(K, Y) for seed in (3, 3, 4))
    assert first == again != other


def test_cross_validation_refuses_more_folds_than_samples_of_a_class():
    with pytest.raises(ValueError, match=r"a class has 3 samples\. Use .*CrossValidationError\(cv=3\), "):
        CrossValidationError().value(np.eye(20), np.arange(20) < 3)
    with pytest.raises(ValueError, match="'cv' of CrossValidationError must be an integer from 2 on, got 1"):
        CrossValidationError(cv=1)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"validation": 1.5}, "must be a share between 0 and 1"),
        ({"validation": (X[:3], Y[:2])}, "samples and one label for each"),
        (
            {"loss": "hinge"},
            "'loss' of ValidationError must be one of 'error', 'likelihood', 'plain-likelihood'",
        ),
        ({"gradient": "fast"}, "'gradient' of ValidationError must be one of 'exact', 'paper'"),
        ({"random_state": None}, "must be an integer, so that every evaluation holds out the same rows"),
        ({"C": 0.0}, "'C' of ValidationError must be a positive float"),
    ],
)
def test_arguments_that_cannot_work_are_named(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        ValidationError(**parameters)


@pytest.mark.parametrize(
    ("validation", "sentence"),
    [
        ([100], "a mask of 80 rows or indices of some of them"),
        (np.ones(5, dtype=bool), "a mask of 80 rows"),
        (np.flatnonzero(Y == 1), "The validation part has samples of one class only"),
        (Y == 1, "The validation part has samples of one class only"),
        (np.ones(80, dtype=bool), "The training part has samples of one class only"),
        ((X[:4], [0, 1, 7, 0]), "has the label 7, which the samples do not have"),
    ],
)
def test_validation_rows_that_cannot_work_are_named(validation, sentence):
    problem = TuningProblem(RBF(0.2), ValidationError(validation=validation), X, Y)
    with pytest.raises(ValueError, match=sentence):
        problem.value(problem.theta)
