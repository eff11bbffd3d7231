"""The first lines: how good the model is beside what needs no model, and who wins a comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelwise import Comparison, TunedSVC
from kernelwise.reports import report_data
from kernelwise.reports.answer import Cost, answer_of, cost_of, expectation, headline, setting
from kernelwise.reports.comparison import Versus, versus
from kernelwise.reports.findings import finding_of_test

from .conftest import END, SCRIPT, with_baseline


def test_headline_is_the_share_right_beside_the_guess(hostile):
    model = with_baseline(hostile.model, 0.5, "always answering 'mild'")
    p, error = model.result_.score, model.result_.standard_error
    expected = (
        f"{100 * p:.0f} % ± {100 * error:.0f} correct on rows that the model was not trained on; "
        "always answering 'mild': 50 %"
    )
    assert report_data(model).heading == expected
    assert (
        setting(answer_of(model)) == f"SVM with RBF kernel, γ = {model.kernel_.gamma:.3g}, C = {model.C_:.0f}"
    )


def test_score_within_an_error_of_the_guess_is_no_better(hostile):
    p, error = hostile.model.result_.score, hostile.model.result_.standard_error
    inside = with_baseline(hostile.model, p - 0.9 * error, "always answering 'a'")
    guess = f"{100 * (p - 0.9 * error):.0f} %"
    assert f": not clearly better than always answering 'a' ({guess})" in headline(answer_of(inside))
    outside = with_baseline(hostile.model, p - 1.1 * error, "always answering 'a'")
    assert " better than " not in headline(answer_of(outside))


def test_answers_by_costs_are_no_guess_for_being_wrong_more_often(hostile):
    answer = replace(answer_of(with_baseline(hostile.model, 0.9, "always answering 'a'")), has_costs=True)
    assert " better than " not in headline(replace(answer, cv_score=0.6))
    assert "no better" in headline(replace(answer, fit_found_guess=True))


def test_model_without_a_baseline_has_a_headline(hostile):
    error = 100 * hostile.model.result_.standard_error
    told = headline(answer_of(with_baseline(hostile.model, None, "")))
    assert told.endswith(f"± {error:.0f} correct on rows that the model was not trained on")


def test_regression_says_its_error_in_units_of_y(regression):
    model = with_baseline(regression.model, -0.02, "always answering the mean")
    answer = answer_of(model)
    told = headline(answer)
    assert told.startswith(f"R² {model.best_score_:.4f} ± 0.00")
    ours, guess = f"{answer.rmse:.3g}", f"{np.std(regression.y):.3g}"
    assert told.endswith(f"typical error (RMSE) {ours}; that of always answering the mean: {guess}")
    assert "ε = " in setting(answer)


def test_baseline_that_is_not_defined_is_left_out(hostile):
    answer = answer_of(with_baseline(hostile.model, np.nan, "any answer that ignores X"))
    assert answer.baseline_score is None
    assert "ignores" not in headline(answer)


def test_other_scores_have_their_names_and_errors_are_positive(regression):
    answer = replace(answer_of(regression.model), score="MAE", sign=-1, cv_score=-2.5, cv_error=0.1)
    answer = replace(answer, baseline_score=-9.0, baseline_answer="always answering the median")
    expected = "MAE 2.50 ± 0.10 on rows that the model was not trained on; always answering the median: 9.00"
    assert headline(answer) == expected


def test_kernels_have_their_names(three, diagonal, blobs):
    assert setting(answer_of(three.model)).startswith("SVM with Gaussian kernel with a full metric, C = ")
    assert setting(replace(answer_of(three.model), kernel="Linear kernel")).startswith(
        "SVM with linear kernel, C"
    )
    assert setting(replace(answer_of(three.model), kernel="Laplacian kernel, γ = 1")).startswith(
        "SVM with Laplacian kernel, γ"
    )
    assert setting(answer_of(diagonal.model)).startswith("SVM with RBF kernel with weights for ")
    of_sum = replace(answer_of(three.model), kernel="Sum of 2 kernels (RBF, Laplacian)", C=4.0, epsilon=0.1)
    assert setting(of_sum) == "SVM with a sum of 2 kernels (RBF, Laplacian), C = 4, ε = 0.1"


def test_what_is_predicted_is_in_the_headline(hostile):
    told = headline(answer_of(hostile.model, target="illness"))
    assert told == f"Predicting 'illness': {headline(answer_of(hostile.model))}"
    pd = pytest.importorskip("pandas")
    y = pd.Series(hostile.y, name="illness")
    assert report_data(hostile.model, hostile.X, y).heading == told
    assert report_data(hostile.model, hostile.X, y, target="state").heading.startswith("Predicting 'state': ")


def test_new_rows_are_expected_to_score_without_the_luck(hostile):
    answer = replace(answer_of(hostile.model), cv_score=0.9, cv_error=0.02, n_candidates=40)
    assert expectation(replace(answer, corrected=0.895)) == "about the same for new rows of the same kind"
    told = expectation(replace(answer, corrected=0.871))
    assert told == "about 87.1 % for new rows: the best of 40 settings is partly luck"
    blended = replace(answer, corrected=0.871, blend="a blend of 4 kernels")
    assert expectation(blended) == "about 87.1 % for new rows: which class is more frequent is partly luck"
    tested = replace(answer, corrected=0.871, test_score=0.85, test_error=0.05, n_test=50)
    assert expectation(tested) == "85 % ± 5 correct on 50 test rows"


def test_costs_are_those_of_held_out_answers(blobs):
    X, y = blobs[0], np.unique(blobs[1], return_inverse=True)[1]
    costs = {0: 1.0, 1: 4.0}
    model = TunedSVC("rbf", Cs=[1.0], cv=3, costs=costs).fit(X, y)
    record, cost = model.fit_record_, cost_of(model, (X, y))
    per_row = [
        w * (0.0 if t == p else costs[int(t)])
        for t, p, w in zip(record.truth, record.predicted, record.weight, strict=True)
    ]
    assert cost.value == pytest.approx(sum(per_row) / record.weight.sum())
    assert cost.error == pytest.approx(np.std(per_row) / np.sqrt(len(per_row)))
    assert cost.always == {"1": pytest.approx(np.mean(y == 0)), "0": pytest.approx(4 * np.mean(y == 1))}
    assert list(cost.always) == ["1", "0"]  # the cheapest first
    predicted = model.predict(X)
    assert cost.test == pytest.approx(np.mean((predicted != y) * np.where(y == 1, 4.0, 1.0)))
    told = headline(answer_of(model))
    assert told.startswith(f"A cost of {cost.text(cost.value)} ± ")
    assert f"; always answering 1: {cost.text(np.mean(y == 0))}, 0: " in told
    assert cost_of(TunedSVC("rbf", Cs=[1.0], cv=3).fit(X, y)) is None


def test_balanced_weights_cost_the_mean_error_of_the_classes(blobs):
    X, y = blobs[0], np.unique(blobs[1], return_inverse=True)[1]
    rows = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:15]])
    model = TunedSVC("rbf", Cs=[1.0], cv=3, class_weight="balanced").fit(X[rows], y[rows])
    record, cost = model.fit_record_, cost_of(model)
    errors = [np.mean(record.predicted[record.truth == k] != k) for k in (0, 1)]
    assert cost.value == pytest.approx(np.mean(errors))
    assert list(cost.always.values()) == pytest.approx([0.5, 0.5])
    assert cost.is_of_weights
    by_balance = TunedSVC("rbf", Cs=[1.0], class_weight="balanced", scoring="balanced_accuracy")
    assert cost_of(by_balance.fit(X[rows], y[rows])) is None  # the score measures what was asked for


def test_costs_no_better_than_a_constant_answer_are_said_to_be():
    cost = Cost(0.60, 0.05, {"'b'": 0.63, "'a'": 0.9})
    assert cost.is_no_better
    assert not replace(cost, value=0.55).is_no_better
    assert cost.guesses() == "always answering 'b': 0.63, 'a': 0.90"
    many = replace(cost, always={str(k): k / 10 for k in range(1, 9)})
    assert many.guesses() == "always answering 1: 0.10 (the cheapest)"


@pytest.mark.parametrize(
    ("error", "told"),
    [(0.0126, "87.7 % ± 1.3 "), (0.0031, "87.65 % ± 0.31 "), (0.007, "87.7 % ± 0.7 "), (0.046, "88 % ± 5 ")],
)
def test_numbers_have_the_digits_that_their_error_allows(hostile, error, told):
    answer = replace(answer_of(hostile.model), cv_score=0.87654, cv_error=error)
    assert headline(answer).startswith(told)


# -- a test that is far below ------------------------------------------------------------------------------
def test_test_far_below_comes_first_and_is_a_finding(hostile):
    wrong = np.where(hostile.y == SCRIPT, END, SCRIPT)
    data = report_data(hostile.model, test=(hostile.X, wrong))
    p = hostile.model.score(hostile.X, wrong)
    assert data.heading.startswith(f"{100 * p:.1f} % ± 2.6 correct on 120 test rows; ")
    assert data.heading.endswith(f"cross-validation: {100 * hostile.model.result_.score:.0f} %")
    assert data.findings[0].name == "test below cross-validation"
    assert data.findings[0].severity == "warning"
    for word in ("Trust the test", "folds", "later time", "copies"):
        assert word in str(data.findings[0])


def test_test_like_cross_validation_changes_nothing(hostile):
    data = report_data(hostile.model, test=(hostile.X, hostile.y))
    assert data.heading == report_data(hostile.model).heading
    assert "test below cross-validation" not in {finding.name for finding in data.findings}


def test_gap_is_judged_by_the_errors_of_both(hostile):
    answer = replace(answer_of(hostile.model), cv_score=0.9, cv_error=0.03, n_test=100, test_error=0.04)
    assert finding_of_test(replace(answer, test_score=0.751)) is None
    gap, error = replace(answer, test_score=0.749).test_gap
    assert (gap, error) == (pytest.approx(0.151), pytest.approx(0.05))
    # A score that is no share: the error of the folds' 120 rows, on 30 rows twice as large.
    other = replace(answer, is_share=False, test_error=None, n_rows=120, n_test=30)
    assert replace(other, test_score=0.9 - 3.1 * np.hypot(0.03, 0.06)).test_gap is not None
    assert replace(other, test_score=0.9 - 2.9 * np.hypot(0.03, 0.06)).test_gap is None


# -- comparisons -------------------------------------------------------------------------------------------
def compared(*scores, seconds=(1.0, 10.0, 0.2)):
    scores = np.array(scores)
    ones = np.ones_like(scores)
    names = ("kernelwise", "grid", "defaults")[: len(scores)]
    return Comparison(names, scores, ones * np.array(seconds)[: len(scores), None], ones, ones, {})


SAME, NOISY = [0.8, 0.9, 0.8, 0.9], [0.9, 0.8, 0.81, 0.9]
WORSE, BETTER = [0.7, 0.81, 0.7, 0.8], [0.85, 0.94, 0.86, 0.95]


NO_BETTER = "No method is clearly better than kernelwise; "


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((SAME, NOISY, WORSE), f"{NO_BETTER}the difference from grid (at 10 × the time) may be chance"),
        ((SAME, BETTER, NOISY), "grid is 5.0 points better than kernelwise, at 10 × the time"),
        ((SAME, WORSE, NOISY), f"{NO_BETTER}the difference from defaults (at 1/5 of the time) may be chance"),
        ((SAME, WORSE), "kernelwise is clearly better than the other method; next is grid, 9.8 points below"),
        ((SAME, SAME), f"{NO_BETTER}the difference from grid (at 10 × the time) may be chance"),
        ((SAME,), "kernelwise: 85.0 % correct on rows that it was not trained on"),
    ],
)
def test_comparison_is_a_line(scores, expected):
    assert versus(compared(*scores)).heading == expected


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((SAME,), "kernelwise: ROC AUC 0.850 on rows that it was not trained on"),
        ((SAME, BETTER), "grid is 0.050 (ROC AUC) better than kernelwise, at 10 × the time"),
    ],
)
def test_comparison_of_detectors_is_a_line(scores, expected):
    assert versus(replace(compared(*scores), score="roc_auc")).heading == expected


def test_comparison_of_regressions_with_a_baseline():
    rows = versus(compared(SAME, BETTER, WORSE)).rows
    rows = [{**row, "r2": row.pop("accuracy"), "rmse": 3.0, "mae": 2.0} for row in rows]
    told = Versus(rows, "r2", "defaults")
    assert told.heading == "grid is 0.050 (R²) better than kernelwise, at 10 × the time"
    assert list(told.columns.values()) == ["R²", "RMSE", "MAE"]
    assert told.cell(rows[2], "difference").startswith("−0.098 ± ")
    assert Versus(rows, "r2", "grid").heading == "kernelwise is not clearly better than guessing (grid)"


def test_report_of_a_comparison_begins_with_it(hostile):
    data = report_data(hostile.model, comparison=compared(SAME, BETTER))
    assert data.heading == "grid is 5.0 points better than kernelwise, at 10 × the time"


def test_a_regression_within_an_error_of_the_mean_is_no_better(regression):
    answer = answer_of(with_baseline(regression.model, 0.0, "always answering the mean"))
    near = replace(answer, cv_score=0.05, cv_error=0.1, rmse=9.0, mean_rmse=10.0)
    assert headline(near).endswith(": not clearly better than always answering the mean (RMSE 9 and 10)")
    assert ": no better than always answering the mean" in headline(replace(near, rmse=11.0))
    assert " better than " not in headline(replace(near, cv_score=0.5))
