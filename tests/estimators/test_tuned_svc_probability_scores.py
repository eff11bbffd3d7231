"""Searches that go by probabilities: what scorers see, and that it is computed without the rows judged."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import get_scorer, log_loss, make_scorer

from kernelwise import TunedSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.search.scoring.held_out_answers import ProbabilityAnswers
from kernelwise.solvers.probability import fit_platt, platt_probability


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:200, :6], y[:200]


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_the_log_loss_of_a_search_is_that_of_sigmoids_of_other_folds(cancer):
    X, y = cancer
    half = np.arange(200) % 2 == 0
    folds = [(np.flatnonzero(~half), np.flatnonzero(half)), (np.flatnonzero(half), np.flatnonzero(~half))]
    model = TunedSVC("rbf", cv=folds, scoring="neg_log_loss", Cs=[1.0]).fit(X, y)
    decisions = []
    Z = model.scaler_.transform(X)
    for train, test in folds:
        machine = model._machine(model.kernel_, model.C_, None).set_params(tol=1e-6).fit(Z[train], y[train])
        decisions.append((test, machine.machine_values(Z[test])[:, 0]))
    (first, f), (second, g) = decisions
    losses = []
    for rows, values, other, seen in ((first, f, second, g), (second, g, first, f)):
        p = platt_probability(values, *fit_platt(seen, y[other], is_increasing=True))
        losses.append(log_loss(y[rows], p))
    assert model.best_score_ == pytest.approx(-np.mean(losses), rel=2e-3)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "d2_log_loss_score", "roc_auc_ovr"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_scores_of_probabilities_steer_a_search(wine, scoring, multiclass):
    model = TunedSVC("rbf", scoring=scoring, multiclass=multiclass).fit(*wine)
    assert model.result_.baseline.score < model.best_score_
    assert model.score(*wine) == pytest.approx(get_scorer(scoring)(model, *wine))
    assert np.array_equal(model.predict(wine[0]), model.classes_[model.predict_proba(wine[0]).argmax(axis=1)])


def test_a_search_by_log_loss_has_no_more_of_it(wine):
    X, y = wine
    by_labels = TunedSVC("rbf", cv=3).fit(X, y)
    by_loss = TunedSVC("rbf", cv=3, scoring="neg_log_loss").fit(X, y)
    rows = {(row["gamma"], row["C"]): score for row, score in _scored(by_loss)}
    chosen = by_labels.best_params_["gamma"], by_labels.best_params_["C"]
    if chosen in rows:
        assert by_loss.best_score_ >= rows[chosen] - 0.02
    assert max(rows.values()) - by_loss.best_score_ < 0.02  # the choice goes by smoothed scores


def _scored(model):
    return zip(model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True)


def test_the_shares_of_the_classes_are_the_baseline_of_log_loss(cancer):
    model = TunedSVC("rbf", scoring="neg_log_loss").fit(*cancer)
    share = cancer[1].mean()
    entropy = share * np.log(share) + (1 - share) * np.log(1 - share)
    assert model.result_.baseline.score == pytest.approx(entropy, rel=0.01)
    assert "shares of the classes" in model.result_.baseline.answer


def test_a_function_of_the_users_own_may_ask_for_probabilities(cancer):
    seen = []

    def loss(estimator, X, y):
        p = estimator.predict_proba(X)
        seen.append(p)
        return -log_loss(y, p)

    own = TunedSVC("rbf", scoring=loss).fit(*cancer)
    named = TunedSVC("rbf", scoring="neg_log_loss").fit(*cancer)
    made = TunedSVC(
        "rbf", scoring=make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
    )
    assert own.best_score_ == pytest.approx(named.best_score_, rel=1e-9)
    assert made.fit(*cancer).best_score_ == pytest.approx(named.best_score_, rel=1e-9)
    assert_allclose(seen[0].sum(axis=1), 1.0)


def test_a_weight_of_two_is_a_repeated_row(cancer):
    X, y = cancer
    weight = 1.0 + (np.arange(200) % 3 == 0)
    twice = np.repeat(np.arange(200), weight.astype(int))
    weighted = TunedSVC("rbf", scoring="neg_log_loss").fit(X, y, sample_weight=weight)
    repeated = TunedSVC("rbf", scoring="neg_log_loss").fit(X[twice], y[twice])
    assert weighted.best_score_ == pytest.approx(repeated.best_score_, rel=1e-9)
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)


def test_a_fold_without_a_class_has_a_log_loss():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = np.r_[np.zeros(29, int), np.ones(29, int), 2, 2]
    model = TunedSVC("rbf", scoring="neg_log_loss", cv=5).fit(X + y[:, None], y)
    assert np.isfinite(model.best_score_)


def test_a_nystroem_machine_chooses_its_C_by_probabilities(cancer):
    model = TunedSVC("rbf", scoring="neg_log_loss", solver="nystroem").fit(*cancer)
    assert model.best_score_ > model.result_.baseline.score
    assert np.isfinite(model.score(*cancer))


@pytest.mark.parametrize("n_folds", [1, 2])
@pytest.mark.parametrize(
    "how",
    [{"scoring": "neg_log_loss"}, {"scoring": "f1_macro", "threshold": "auto"}],
    ids=["score", "threshold"],
)
def test_one_test_part_alone_is_refused(how, n_folds):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0
    cv = [(np.arange(30), np.arange(30, 60)), (np.arange(20), np.arange(30, 60))][:n_folds]
    with pytest.raises(ValueError, match="fold 0 of 'cv' holds out all rows that any fold holds out"):
        TunedSVC("rbf", cv=cv, **how).fit(X, y)


def test_labels_are_made_only_for_scores_that_look_at_them(wine, monkeypatch):
    def refuse(self, odds, classes):
        raise AssertionError("nobody asked for labels")

    monkeypatch.setattr(ProbabilityAnswers, "labels", refuse)
    model = TunedSVC("rbf", scoring="neg_log_loss", cv=2, Cs=[1.0]).fit(*wine)
    assert np.isfinite(model.best_score_)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_probabilities_need_neither_every_class_nor_numbers(wine, scoring, n_classes):
    X, y = wine
    X, y = X[y < n_classes], y[y < n_classes]
    model = TunedSVC("rbf", scoring=scoring).fit(X, y)
    weight = np.random.default_rng(0).random(len(y))
    for given in ({}, {"sample_weight": weight}):
        assert model.score(X, y, **given) == pytest.approx(get_scorer(scoring)(model, X, y, **given))
    of_one = [model.score(X[k : k + 1], y[k : k + 1]) for k in range(len(y))]
    assert np.mean(of_one) == pytest.approx(model.score(X, y))
    words = np.array(["no", "yes", "perhaps"])[y]
    named = TunedSVC("rbf", scoring=scoring).fit(X, words)
    assert named.score(X, words) == pytest.approx(model.score(X, y), abs=0.02)  # other names, other folds
    with (
        pytest.warns(KernelwiseWarning, match="1 row has a label that no training row has"),
        pytest.raises(ValueError, match="y has the label 'never', of which the model knows no probability"),
    ):
        named.score(X[:1], ["never"])


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
def test_scores_of_probabilities_check_labels_and_weights(wine, scoring):
    X, y = wine
    model = TunedSVC("rbf", scoring=scoring, Cs=[1.0], blend=False).fit(X, y)
    assert model.score(X, y[:, None]) == model.score(X, y.tolist()) == model.score(X, y)
    for labels in (y[50:], np.append(y, 0)):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.score(X, labels)
    ones = np.ones(len(y))
    for weight, said in (
        (0 * ones, "all samples have zero or negative weights"),
        (np.nan * ones, "must be finite"),
        (ones[1:], "sample_weight"),
    ):
        with pytest.raises(ValueError, match=said):
            model.score(X, y, sample_weight=weight)
