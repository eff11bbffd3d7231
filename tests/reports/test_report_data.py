"""The data of a report are those of the model."""

from __future__ import annotations

import copy
import re
import warnings
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC as ReferenceSVC

from kernelwise import SVC, Comparison, TunedSVC, load
from kernelwise.findings import Finding
from kernelwise.reports import report_data, write_report
from kernelwise.reports.answer import blend_meaning
from kernelwise.reports.curves import c_paths, chosen, standard_errors
from kernelwise.reports.held_out import class_factors

from .conftest import END, SCRIPT


def scaled(fitted):
    return fitted.model.scaler_.transform(fitted.X.to_numpy())


def reference(model):
    return ReferenceSVC(gamma=model.kernel_.gamma, C=model.C_, tol=1e-6)


# -- answer -------------------------------------------------------------------------------------------------
def test_answer_is_that_of_the_model(hostile):
    model = hostile.model
    answer = report_data(model).answer
    assert (answer.C, answer.cv_score) == (model.C_, model.result_.score)
    assert answer.kernel == f"RBF, γ = {model.kernel_.gamma:.3g}"
    assert answer.n_candidates == len(model.cv_results_["params"])
    assert (answer.n_machines, answer.n_folds, answer.n_features) == (model.n_svm_fits_, 4, 3)
    assert answer.cv_error == model.result_.standard_error


def test_error_of_other_scores_comes_from_the_folds(blobs):
    X, y = blobs
    model = TunedSVC("rbf", Cs=[1.0], scoring="roc_auc", cv=3).fit(X, y)
    table = model.cv_results_
    folds = np.array([table[f"split{k}_test_score"] for k in range(3)])
    assert_allclose(standard_errors(model), folds.std(axis=0, ddof=1) / np.sqrt(3))
    data = report_data(model)
    assert data.heading.startswith(f"ROC AUC {model.best_score_:.2f} ± ")


def test_test_samples_are_scored_by_the_model(hostile):
    X, y = hostile.X.iloc[:30], hostile.y[:30]
    data = report_data(hostile.model, test=(X, y))
    accuracy = hostile.model.score(X, y)
    assert data.answer.test_score == accuracy
    centre = (
        30 * accuracy + 2
    ) / 34  # as of Agresti and Coull: two rows more that are right, two that are wrong
    assert data.answer.test_error == pytest.approx(np.sqrt(centre * (1 - centre) / 34))
    assert_array_equal(data.confusions[1].counts, confusion_matrix(y, hostile.model.predict(X)))
    assert [curve.source for curve in data.reliabilities] == ["held out", "test"]


def test_comparison_comes_along(hostile):
    ones = np.ones((2, 3))
    scores = np.array([[0.8, 0.9, 0.7], [0.9, 0.9, 0.8]])
    comparison = Comparison(("kernelwise", "grid"), scores, ones, ones, ones, {"other": "it is missing."})
    data = report_data(hostile.model, comparison=comparison)
    assert data.comparison.rows == comparison.rows()
    assert data.losses == [*comparison.losses(), *comparison.notes()]
    assert len(data.losses) == 3


# -- the search ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["hostile", "three", "diagonal", "regression"])
def test_paths_are_the_table(name, request):
    model = request.getfixturevalue(name).model
    table, paths = model.cv_results_, c_paths(model)
    assert_array_equal(np.concatenate([path.Cs for path in paths]), table["param_C"].astype(float))
    assert_array_equal(np.concatenate([path.scores for path in paths]), table["mean_test_score"])
    assert all((np.diff(path.Cs) > 0).all() for path in paths)
    assert len({id(p["kernel"]) for p in table["params"]}) <= len(paths)
    number, place = chosen(model, paths)
    path = paths[number]
    assert path.first + place == model.best_index_
    assert (path.Cs[place], path.scores[place]) == (model.C_, -model.result_.value)


def test_model_from_a_file_has_the_same_report(hostile, three, tmp_path):
    for model in (TunedSVC("rbf").fit(hostile.X, hostile.y), three.model):
        model.save(tmp_path / "model.npz")
        ours, theirs = report_data(load(tmp_path / "model.npz")), report_data(model)
        assert ours.answer == theirs.answer
        assert ours.why == theirs.why
        assert ours.chosen == theirs.chosen
        assert [path.first for path in ours.paths] == [path.first for path in theirs.paths]
        assert_array_equal(ours.confusions[0].counts, theirs.confusions[0].counts)


@pytest.mark.parametrize("name", ["hostile", "three", "diagonal", "regression"])
def test_model_of_an_earlier_version_has_a_report_without_standard_errors(name, request, tmp_path):
    fitted = request.getfixturevalue(name)
    old = copy.copy(fitted.model)
    old.cv_results_ = {k: v for k, v in old.cv_results_.items() if k not in ("path", "standard_error")}
    old.result_ = replace(old.result_, standard_error=np.nan)
    data = report_data(old, fitted.X, fitted.y)
    assert [path.first for path in data.paths] == [path.first for path in c_paths(fitted.model)]
    assert all(np.isnan(path.errors).all() for path in data.paths)
    assert "±" not in data.heading
    write_report(data, tmp_path / "report.html")


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_only_accuracy_is_a_share_of_samples(scoring, blobs):
    X, y = blobs
    answer = report_data(TunedSVC("rbf", Cs=[1.0], scoring=scoring, cv=3).fit(X, y), test=(X, y)).answer
    assert answer.score == scoring.replace("_", " ")
    assert answer.is_share == (scoring == "accuracy") == (" %" in answer.text(answer.cv_score))
    assert (answer.test_error is not None) == answer.is_share


def test_plateau_ends_where_scores_are_a_standard_error_lower(hostile):
    paths = c_paths(hostile.model)
    number, place = chosen(hostile.model, paths)
    path = paths[number]
    low, high = path.plateau(place)
    enough = path.smoothed >= path.smoothed[place] - path.errors[place]
    inside = (path.Cs >= low) & (path.Cs <= high)
    assert enough[inside].all()
    first, last = np.flatnonzero(inside)[[0, -1]]
    assert first == 0 or not enough[first - 1]
    assert last == len(path.Cs) - 1 or not enough[last + 1]


def test_the_report_and_the_reasons_name_the_same_range_of_C():
    rng = np.random.default_rng(0)
    for noise in (1.0, 2.0, 3.0):
        X = rng.normal(size=(90, 2))
        y = (X[:, 0] + noise * rng.normal(size=90) > 0).astype(int)
        model = TunedSVC("rbf").fit(X, y)
        paths = c_paths(model)
        number, place = chosen(model, paths)
        said = re.search(r"C from (\S+) to ([^\s,.]+)", " ".join(model.result_.why))
        found = re.search(r"from (\S+) to (\S+), the score", paths[number].heading(place))
        assert (said is None) == (found is None)
        assert said is None or said.groups() == found.groups()


def test_criterion_curves_are_those_of_the_model(hostile):
    curves = report_data(hostile.model).criterion
    path = hostile.model.criterion_path_
    assert curves.is_over_widths
    assert_array_equal(curves.values["DBTC"], path["dbtc"])
    assert_array_equal(curves.x["ESDR"], path["gamma"])
    assert set(curves.values) == {"DBTC", "alignment", "ESDR", "J4"}
    assert curves.tried[curves.chosen].width == hostile.model.kernel_.gamma
    assert curves.peaks()["DBTC"] == path["gamma"][np.argmax(path["dbtc"])]
    assert (curves.scaled("J4").min(), curves.scaled("J4").max()) == (0.0, 1.0)


def test_search_of_a_criterion_is_shown_by_evaluation(diagonal):
    model = diagonal.model
    curves = report_data(model).criterion
    assert not curves.is_over_widths
    assert sum(len(values) for values in curves.values.values()) == len(model.criterion_path_["score"])
    assert curves.searched[1] == model.result_.search.score


def test_kernel_without_parameters_has_no_criterion(blobs):
    data = report_data(TunedSVC("linear").fit(*blobs))
    assert data.criterion is None
    assert data.relevance is None
    assert data.answer.kernel == "Linear kernel"


# -- held-out samples ---------------------------------------------------------------------------------------
def platt(values, is_second):
    """A and B of the sigmoid 1/(1 + exp(A·value + B)), by Platt's targets."""
    n = is_second.sum()
    target = np.where(is_second, (n + 1) / (n + 2), 1 / (len(values) - n + 2))

    def cost(AB):
        z = AB[0] * values + AB[1]
        return (target * np.logaddexp(0.0, z) + (1.0 - target) * np.logaddexp(0.0, -z)).sum()

    return minimize(cost, [-1.0, 0.0], tol=1e-10).x


def test_confusion_is_that_of_machines_that_had_not_seen_the_samples(hostile):
    # Scaling is shared by the folds, as documented; the conflict is two rows, no repeated one.
    model, y = hostile.model, hostile.y
    how = {"cv": model.cv, "method": "decision_function"}
    values = cross_val_predict(reference(model), scaled(hostile), y, **how)
    predicted = np.empty_like(y)
    for train, test in model.cv:  # sigmoids, too, have not seen the samples
        A, B = platt(values[train], y[train] == model.classes_[1])
        predicted[test] = model.classes_[(A * values[test] + B < 0.0).astype(int)]
    table = report_data(model).confusions[0]
    assert_array_equal(table.counts, confusion_matrix(y, predicted, labels=[SCRIPT, END]))
    assert table.heading.startswith(f"Held-out rows: {(y != predicted).sum()} of 120 rows wrong, ")
    assert np.trace(table.counts) / 120 == pytest.approx(model.result_.score)
    assert model.result_.score != -model.result_.value  # labels by probability are others


def test_bounded_support_vectors_are_those_of_scikit_learn(hostile):
    model = hostile.model
    machine = reference(model).fit(scaled(hostile), hostile.y)
    support = report_data(model).support
    assert support.n_bounded == (np.abs(machine.dual_coef_[0]) == model.C_).sum()
    assert (support.n_support, support.n_rows) == (len(machine.support_), 120)


def test_weights_count_as_repeated_rows(blobs):
    X, y = blobs
    weight = np.where(np.arange(60) % 3 == 0, 2, 1)
    weighted = report_data(TunedSVC("rbf", Cs=[1.0]).fit(X, y, sample_weight=weight))
    rows = np.repeat(np.arange(60), weight)
    repeated = report_data(TunedSVC("rbf", Cs=[1.0]).fit(X[rows], y[rows]))
    assert_array_equal(weighted.confusions[0].counts, repeated.confusions[0].counts)
    assert weighted.confusions[0].counts.sum() == weight.sum()
    assert weighted.support == repeated.support
    assert weighted.answer.cv_error == repeated.answer.cv_error


def test_probabilities_under_class_weights_are_judged_in_their_population(blobs):
    X, y = blobs[0][10:], blobs[1][10:]
    model = copy.copy(TunedSVC("rbf", Cs=[1.0], class_weight="balanced", cv=3).fit(X, y))
    model.predict_by = "probability"  # a version whose probabilities know the class weights
    truth = model.fit_record_.truth
    weight = class_factors(model, truth, np.ones(len(truth)))[truth]
    assert weight[truth == 0].sum() == pytest.approx(weight[truth == 1].sum())
    assert report_data(model).reliabilities[0].weights.sum() == pytest.approx(weight.sum())
    model.best_class_weight_ = {model.classes_[0]: 3}
    assert class_factors(model, truth, np.ones(len(truth))).tolist() == [3.0, 1.0]


def test_rejected_samples_have_a_column_of_their_own():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 2)), np.arange(60) % 3  # noise, on which pairs of classes disagree
    model = TunedSVC("rbf", multiclass="ovo-reject", Cs=[1.0]).fit(X, y)
    confusion = report_data(model, test=(X, y)).confusions[1]
    n_rejected = (model.predict(X) == -1).sum()
    assert n_rejected > 0
    assert confusion.columns[-1] == "rejected"
    assert confusion.counts[:, -1].sum() == n_rejected


# -- what goes along with samples ---------------------------------------------------------------------------
def test_findings_about_the_samples_need_the_samples(hostile):
    assert "closest-pair" not in {finding.name for finding in report_data(hostile.model).findings}
    names = [finding.name for finding in report_data(hostile.model, hostile.X, hostile.y).findings]
    assert "closest-pair" in names
    assert names.count("conflicts") == 1  # which the fit has found
    assert "cost" not in names


def test_an_answer_and_a_diagnosis_that_were_made_before_are_not_made_again(hostile, monkeypatch):
    made = report_data(hostile.model, hostile.X, hostile.y)
    for name in ("data.answer_of", "findings.diagnose"):
        monkeypatch.setattr(f"kernelwise.reports.{name}", None)
    diagnosis = [
        Finding("scaling", "warning", "Two rows disagree."),
        Finding("cost", "info", "Training takes a second."),
    ]
    data = report_data(hostile.model, hostile.X, hostile.y, answer=made.answer, diagnosis=diagnosis)
    assert data.answer is made.answer
    assert "Two rows disagree." in {finding.message for finding in data.findings}
    assert "cost" not in {finding.name for finding in data.findings}


def test_fingerprint_is_of_values_and_labels_not_of_their_container(hostile):
    X, y = hostile.X.to_numpy(), hostile.y
    moved = X.copy()
    moved[5, 2] += 1e-12

    def fingerprint(*rows):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            return report_data(hostile.model, *rows).provenance.fingerprint

    one = fingerprint(hostile.X, y)
    assert one == fingerprint(X, list(y)) == fingerprint(X.tolist(), y)
    assert one not in (fingerprint(moved, y), fingerprint(X, y[::-1]))
    assert fingerprint() is None


def test_run_can_be_repeated_from_what_is_said(diagonal):
    said = report_data(diagonal.model).provenance
    namespace = {"X": diagonal.X, "y": diagonal.y}
    exec(said.command.replace("TunedSVC(", "model = TunedSVC("), namespace)
    assert namespace["model"].kernel_ == diagonal.model.kernel_
    assert said.seed == 0
    assert {"kernelwise", "numpy", "scikit-learn"} <= set(said.versions)
    given = report_data(diagonal.model, command="kernelwise tune a.csv", source="a.csv", seed=7).provenance
    assert (given.command, given.source, given.seed) == ("kernelwise tune a.csv", "a.csv", 7)
    assert abs(datetime.now() - datetime.strptime(given.date, "%Y-%m-%d %H:%M")) < timedelta(hours=1)


def test_classes_have_their_rows_with_and_without_the_samples(hostile, three):
    assert report_data(hostile.model, hostile.X, hostile.y).classes == [
        (SCRIPT, (hostile.y == SCRIPT).sum()),
        (END, (hostile.y == END).sum()),
    ]
    data = report_data(three.model)
    assert data.classes == [("0", 25), ("1", 25), ("2", 25)]
    assert data.n_rows == 75


def test_relevance_has_the_largest_first_and_names(diagonal, three):
    relevance = report_data(diagonal.model).relevance
    assert_array_equal(relevance.shares, np.sort(diagonal.model.relevance_)[::-1][: len(relevance.shares)])
    assert set(relevance.names[:2]) == {"feature 1", "feature 4"}
    assert relevance.correlations is None
    full = report_data(three.model).relevance
    order = np.argsort(-three.model.relevance_)[: len(full.names)]
    Q = three.model.metric_[np.ix_(order, order)]
    assert_allclose(full.correlations, Q / np.sqrt(np.outer(np.diag(Q), np.diag(Q))), atol=1e-12)


# -- regression and other cases -----------------------------------------------------------------------------
def test_regression_shows_held_out_predictions_in_units_of_y(regression):
    model = regression.model
    data = report_data(model, regression.X, regression.y, test=(regression.X[:20], regression.y[:20]))
    held_out, test = data.predictions
    assert_allclose(np.sort(held_out.observed), np.sort(regression.y))
    r2 = 1 - np.mean((held_out.predicted - held_out.observed) ** 2) / np.var(regression.y)
    assert r2 == pytest.approx(model.best_score_, abs=1e-6)
    assert_array_equal(test.predicted, model.predict(regression.X[:20]))
    errors = held_out.predicted - held_out.observed
    assert held_out.rmse == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert held_out.mae == pytest.approx(np.abs(errors).mean())
    assert held_out.mean_rmse == pytest.approx(regression.y.std())
    assert data.answer.score == "R²"
    assert data.answer.epsilon == model.epsilon_
    assert not data.confusions
    assert data.regions is None


def test_model_without_a_machine_has_a_report(blobs):
    model = TunedSVC("rbf", refit=False).fit(*blobs)
    data = report_data(model, *blobs)
    assert data.support is None
    assert data.regions is None
    assert not data.confusions
    with pytest.raises(ValueError, match="refit=False"):
        report_data(model, test=blobs)


def test_refit_without_a_machine_forgets_the_earlier_one(blobs):
    model = TunedSVC("rbf", Cs=[1.0]).fit(*blobs)
    assert report_data(model).confusions
    assert not report_data(model.set_params(refit=False).fit(*blobs)).confusions


def test_gram_matrix_and_sparse_samples(blobs):
    X, y = blobs
    gram = report_data(TunedSVC("precomputed", Cs=[1.0]).fit(X @ X.T, y), X @ X.T, y)
    assert gram.answer.kernel == "Precomputed kernel"
    assert gram.regions is None
    rows = sparse.csr_array(X)
    data = report_data(TunedSVC("rbf", Cs=[1.0]).fit(rows, y), rows, y)
    assert data.regions is None
    assert data.confusions[0].counts.sum() == 60
    assert data.provenance.fingerprint is not None


def test_bad_input_is_one_sentence(hostile):
    with pytest.raises(ValueError, match="both X and y"):
        report_data(hostile.model, hostile.X)
    with pytest.raises(ValueError, match="label 'new' in row 1"):
        report_data(hostile.model, test=(hostile.X.iloc[:2], [SCRIPT, "new"]))
    with pytest.raises(ValueError, match=r"\[120, 5\]"):
        report_data(hostile.model, hostile.X, hostile.y[:5])
    with pytest.raises(TypeError, match="fitted TunedSVC, TunedSVR or TunedOneClassSVM, got SVC"):
        report_data(SVC())
    with pytest.raises(NotFittedError):
        report_data(TunedSVC())


@pytest.mark.parametrize("form", [list, lambda y: pd.Series(y, index=np.arange(60)[::-1]), lambda y: y == 1])
def test_labels_of_any_kind(form, blobs):
    X, y = blobs
    labels = form(np.where(y == 1, "one", "other")) if form is list else form(y)
    model = TunedSVC("rbf", Cs=[1.0]).fit(X, labels)
    data = report_data(model, X, labels, test=(X, labels))
    assert data.confusions[1].counts.sum(axis=1).tolist() == [
        np.sum(np.asarray(labels) == label) for label in model.classes_
    ]
    assert data.regions.labels == [str(label) for label in model.classes_]


def test_a_blend_lists_its_settings_with_their_weights(blobs):
    X, y = blobs
    model = TunedSVC().fit(X, y)
    answer = report_data(model).answer
    assert len(answer.members) == len(model.result_.members) > 1
    weights = [float(text.partition(" %")[0]) for text in answer.members]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(100, abs=len(weights) / 2)
    assert all(" C = " in text and text.endswith(" loss)") for text in answer.members)
    one, *others = model.result_.members
    assert "judge differently which rows are alike" in blend_meaning([one, *others])
    assert "follow the training rows more and less closely" in blend_meaning([one, replace(one, C=8.0)])
