"""Labels and probabilities agree: the class of the largest one, for all strategies and weights."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelwise import SVC, NystroemSVC, TunedSVC, load
from kernelwise.exceptions import TrustWarning
from kernelwise.reports.answer import answer_of
from kernelwise.reports.held_out import unseen_classes
from kernelwise.search import Classification
from kernelwise.search.data.samples import Samples
from kernelwise.search.verdict.trust import labels_findings
from kernelwise.search.wording import score_text
from kernelwise.solvers.probability import class_probabilities, fit_platt, most_likely, platt_probability

ESTIMATORS = {
    "SVC": SVC(probability=True, random_state=0),
    "TunedSVC": TunedSVC(Cs=[1.0], cv=2),
    "NystroemSVC": NystroemSVC(C=1.0, n_components=30),
}


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_label_is_the_largest_probability(name, multiclass, n_classes, overlapping, tmp_path):
    X, y, X_new = overlapping(n_classes)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    dict_weight = dict.fromkeys(range(n_classes), 1.0) | {n_classes - 1: 5.0}
    for class_weight, sample_weight in ((None, None), ("balanced", None), (dict_weight, weight)):
        model = clone(ESTIMATORS[name]).set_params(multiclass=multiclass, class_weight=class_weight)
        model.fit(X, y, sample_weight)
        labels, p = model.predict(X_new), model.predict_proba(X_new)
        kept = labels != -1
        if multiclass != "ovo-reject" or n_classes == 2:
            assert kept.all()
        assert kept.mean() > 0.5
        assert_array_equal(labels[kept], p.argmax(axis=1)[kept])
        values = model.decision_function(X_new)
        shown = (values > 0).astype(int) if n_classes == 2 else values.argmax(axis=1)
        assert_array_equal(shown[kept], labels[kept])
        one_by_one = np.concatenate([model.predict(X_new[k : k + 1]) for k in range(50)])
        assert_array_equal(one_by_one, labels[:50])
        model.save(tmp_path / "model.npz")
        loaded = load(tmp_path / "model.npz")
        assert loaded.predict_by == "probability"
        assert_array_equal(loaded.predict(X_new), labels)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_class_weights_move_labels_and_probabilities(name, overlapping):
    X, y, X_new = overlapping(2)
    plain, weighted = (
        clone(ESTIMATORS[name]).set_params(class_weight=weight).fit(X, y) for weight in (None, {0: 1, 1: 20})
    )
    was, now = plain.predict(X_new) == 1, weighted.predict(X_new) == 1
    assert now.sum() > 1.25 * was.sum()
    assert weighted.predict_proba(X_new)[now, 1].min() > 0.5
    assert plain.predict_proba(X_new)[now, 1].min() < 0.2


def test_probabilities_are_of_the_population_that_has_the_weights(overlapping):
    """Maximum likelihood: their weighted mean over held-out rows is the weighted share of the class."""
    X, y, _ = overlapping(2)
    bound, weight = np.where(y == 1, 20.0, 1.0), np.ones(len(y))
    sigmoids, _ = Classification(np.arange(2)).sigmoids(Samples(None, y, y, weight, bound), X[:, :1])
    target = np.where(y == 1, 13 / 14, 1 / 62)  # Platt's, of 12 and 60 samples
    p = platt_probability(X[:, 0], *sigmoids[0])
    assert_allclose(np.average(p, weights=bound), np.average(target, weights=bound), rtol=1e-6)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_by_decision_is_the_rule_of_libsvm(name, overlapping):
    X, y, X_new = overlapping(3)
    model = clone(ESTIMATORS[name]).set_params(predict_by="decision").fit(X, y)
    votes = model.predict(X_new)
    assert (votes != model.predict_proba(X_new).argmax(axis=1)).any()
    # Equal votes of three classes go to the first of them, as in LIBSVM, whatever the values are.
    assert (model.decision_function(X_new).argmax(axis=1) == votes).mean() > 0.99
    if name == "SVC":
        assert_array_equal(votes, SVC().fit(X, y).predict(X_new))
        assert_array_equal(model.decision_function(X_new), SVC().fit(X, y).decision_function(X_new))


def test_unknown_rule_is_refused(overlapping):
    X, y, X_new = overlapping(2)
    for model in ESTIMATORS.values():
        with pytest.raises(ValueError, match=r"'predict_by' parameter of .* must be one of"):
            clone(model).set_params(predict_by="votes").fit(X, y)
    fitted = clone(ESTIMATORS["SVC"]).fit(X, y).set_params(predict_by="votes")
    with pytest.raises(ValueError, match="'predict_by' of SVC"):
        fitted.predict(X_new)


def test_best_estimator_answers_as_the_model(overlapping):
    X, y, X_new = overlapping(3)
    model = TunedSVC(Cs=[1.0], cv=2).fit(X, y)
    Z = model.machine_samples(X_new)
    assert_array_equal(model.best_estimator_.predict(Z), model.predict(X_new))
    assert_array_equal(model.best_estimator_.predict_proba(Z), model.predict_proba(X_new))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "ovo-reject"])
@pytest.mark.parametrize("solver", ["exact", "nystroem"])
def test_held_out_labels_follow_the_rule_of_predict(solver, multiclass, overlapping):
    X, y, _ = overlapping(5)
    by_probability, by_decision = (
        TunedSVC(Cs=[1.0], cv=3, solver=solver, multiclass=multiclass, predict_by=rule, blend=False)
        .fit(X, y)
        .fit_record_
        for rule in ("probability", "decision")
    )
    # The search breaks ties of votes by decision values, LIBSVM's rule by the order of the classes.
    assert (by_decision.n_relabelled > 0.0) == (multiclass == "ovo" and solver == "exact")
    assert_array_equal(by_probability.scored, by_decision.scored)
    n_other = (by_probability.predicted != by_decision.scored).sum()
    assert by_probability.n_relabelled == n_other > 0
    if multiclass != "ovo-reject":  # the largest of five probabilities
        assert by_probability.probability.min() >= 1 / 5


def test_rejected_or_the_largest():
    """Of the pairs (0, 1), (0, 2), (1, 2) class 0 wins both of its own, yet class 1 is the most likely."""
    odds = np.array([[0.05, 0.05, 6.0], [3.0, 3.0, 0.1], [2.0, -2.0, 2.0]])
    p = class_probabilities(odds, 3, "ovo")
    assert p[0].argmax() == 1
    assert_array_equal(most_likely(odds, 3, "ovo"), p.argmax(axis=1))
    assert_array_equal(most_likely(odds, 3, "ovo-reject"), [-1, 0, -1])
    assert_array_equal(most_likely(np.array([[0.0], [1.0], [-1.0]]), 2, "ovo-reject"), [-1, 1, 0])
    assert_array_equal(most_likely(np.zeros((1, 1)), 2, "ovo"), [0])


def test_unlikely_classes_keep_their_order():
    """No class is likely by its own machine; the least unlikely one is the answer."""
    odds = np.array([[-60.0, -50.0, -55.0], [-900.0, -901.0, -800.0]])
    p = class_probabilities(odds, 3, "ovr")
    assert_allclose(p[0], np.exp(odds[0]) / np.exp(odds[0]).sum())
    assert_array_equal(p.argmax(axis=1), [1, 2])


def test_class_weights_are_in_the_likelihood_and_not_in_the_smoothing():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [70, 30])
    f, factor = random.normal(size=100) + y, np.where(y == 1, 4.0, 0.5)
    target = np.where(y == 1, 31 / 32, 1 / 72)

    def cost(point):
        p = 1.0 / (1.0 + np.exp(point[0] * f + point[1]))
        return -factor @ (target * np.log(p) + (1 - target) * np.log(1 - p))

    best = minimize(cost, [-1.0, 0.5], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11}).x
    found = fit_platt(f, y, factor, counts=np.ones(100))
    assert_allclose(found, best, rtol=1e-6)
    # Only the ratio of class weights matters.
    assert_allclose(fit_platt(f, y, 1000.0 * factor, counts=np.ones(100)), found, rtol=1e-8)


def test_flat_sigmoid_has_the_share_of_the_weights():
    """Decision values that say the contrary: no slope, and the share of the weighted targets."""
    f, y, factor = np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 6.0, 6.0])
    A, B = fit_platt(f, y, factor, counts=np.ones(4), is_increasing=True)
    assert -1e-5 < A < 0
    assert_allclose(platt_probability(0.0, A, B), (2 * (1 / 4) + 12 * (3 / 4)) / 14)


@pytest.mark.parametrize(
    ("class_weight", "scoring", "is_said"),
    [
        ("balanced", None, True),
        ({0: 1, 1: 5}, "accuracy", True),
        ({0: 2, 1: 2}, None, False),
        (None, None, False),
        ("balanced", "balanced_accuracy", False),
        ("balanced", "roc_auc", False),
    ],
)
def test_a_score_that_undoes_the_weights_is_said(class_weight, scoring, is_said, overlapping):
    X, y, _ = overlapping(2)
    model = TunedSVC(Cs=[1.0], cv=2, class_weight=class_weight, scoring=scoring).fit(X, y)
    found = [finding for finding in model.diagnostics_ if finding.name == "weights undone"]
    assert len(found) == is_said
    if is_said:
        assert "scoring='balanced_accuracy'" in str(found[0])
        assert found[0].for_command_line().endswith("undo the weights. Use --scoring balanced_accuracy.")


def test_balanced_weights_of_equal_classes_undo_nothing(overlapping):
    X, y, _ = overlapping(2)
    rows = np.r_[0:12, 60:72]
    model = TunedSVC(Cs=[1.0], cv=2, class_weight="balanced").fit(X[rows], y[rows])
    assert "weights undone" not in {finding.name for finding in model.diagnostics_}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_score_announced_is_of_the_labels_that_predict_gives(n_classes):
    """By hand: sigmoids of every fold from the other folds, and the score of the most likely classes."""
    shares = [0.9] if n_classes == 2 else [0.84, 0.08]
    X, y = make_classification(
        400,
        6,
        n_informative=4,
        n_classes=n_classes,
        weights=shares,
        class_sep=0.2,
        flip_y=0.1,
        random_state=2,
    )
    folds = list(StratifiedKFold(4).split(X, y))
    score = "balanced_accuracy"
    model = TunedSVC("precomputed", Cs=[64.0], cv=folds, scoring=score, tol=1e-9)
    with pytest.warns(TrustWarning, match="The model predicts the most likely class, and these labels score"):
        model.fit(rbf_kernel(X, gamma=0.1), y)
    decision = np.empty((len(y), n_classes * (n_classes - 1) // 2))
    for train, test in folds:
        machine = sklearn.svm.SVC(C=64.0, gamma=0.1, tol=1e-9, decision_function_shape="ovo")
        decision[test] = machine.fit(X[train], y[train]).decision_function(X[test]).reshape(len(test), -1)
    pairs = list(combinations(range(n_classes), 2))
    scores, predicted = [], np.empty(len(y), int)
    for train, test in folds:
        odds = np.empty((len(test), len(pairs)))
        for k, (a, b) in enumerate(pairs):
            first = a if n_classes > 2 else b  # whose values are positive
            rows = train[np.isin(y[train], [a, b])]
            doubt = 1.0 / (n_classes - 1)  # the pairs of a class share that of one row
            A, B = fit_platt(decision[rows, k], np.where(y[rows] == first, 1, -1), doubt=doubt)
            odds[:, k] = -(A * decision[test, k] + B)
        labels = class_probabilities(odds, n_classes, "ovo").argmax(axis=1)
        scores.append(balanced_accuracy_score(y[test], labels))
        predicted[test] = labels
    result, found = model.result_, model.result_.score
    assert_allclose(found, np.mean(scores))
    assert_allclose(
        result.standard_error, np.std(scores, ddof=1) * np.sqrt(1.75 / 3.0)
    )  # as folds share rows
    assert model.best_score_ == found < -result.value - result.standard_error
    assert answer_of(model).cv_score == found
    assert f"score of {score_text(found, False, result.standard_error)} ±" in result.why[0]
    assert result.how[-1] == (
        "The search compared models by a faster rule, the signs of their decision values. By this rule, that "
        f"of cv_results_, the chosen model scores {-result.value:.4f}, and by its own answers {found:.4f}."
    )
    table = np.zeros((n_classes, n_classes))
    np.add.at(table, (y, predicted), 1.0)
    (held_out,) = unseen_classes(model, None)["confusions"]
    assert_array_equal(held_out.counts, table)
    (finding,) = (f for f in model.diagnostics_ if f.name == "labels by probability")
    assert f"these labels score {found:.4g}." in finding.message
    assert f"score {-result.value:.4g}." in finding.message
    assert "--class-weight balanced" in finding.for_command_line()
    # That score is for two classes.
    assert ("roc_auc" in finding.for_command_line()) == ("roc_auc" in finding.advice) == (n_classes == 2)


@pytest.mark.parametrize("settings", [{"scoring": "roc_auc"}, {"predict_by": "decision", "scoring": "f1"}])
def test_scores_of_ranks_and_of_decision_values_are_those_of_the_model(settings):
    X, y = make_classification(300, 6, weights=[0.9], class_sep=0.5, random_state=0)
    model = TunedSVC(Cs=[1.0, 8.0], **settings).fit(X, y)
    assert "labels by probability" not in [finding.name for finding in model.diagnostics_]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_that_there_are_already_are_not_recommended(n_classes):
    counts = np.array([100.0, 20.0, 60.0])[:n_classes]
    (plain,) = labels_findings(0.6, 0.7, 0.01, counts, 9.0, has_class_weights=False)
    (weighted,) = labels_findings(0.6, 0.7, 0.01, counts, 9.0, has_class_weights=True)
    for text in (weighted.advice, weighted.option):
        assert "class_weight" not in text
        assert "--class-weight" not in text
        assert text.startswith("Use ")
        assert text.endswith(".")
    assert "predict_by='decision'" in weighted.advice
    assert ("--scoring roc_auc" if n_classes == 2 else "--scoring neg_log_loss") in weighted.option
    assert "class_weight='balanced'" in plain.advice
    assert "--class-weight balanced" in plain.option


def test_equal_classes_need_no_weights():
    (found,) = labels_findings(0.6, 0.7, 0.01, np.array([40.0, 60.0]), 9.0, has_class_weights=False)
    assert "differ for 9 of 100 rows." in found.message
    assert "class_weight" not in found.advice
    assert "--class-weight" not in found.option


@pytest.mark.parametrize(
    ("counts", "n_changed", "is_told"),
    [
        ([50, 50, 50], 2, False),  # as in iris: a row or two
        ([30, 30], 4, False),  # 7 % of the rows, but only four
        ([300, 300], 29, False),  # less than 5 %
        ([300, 300], 30, True),
        ([900, 60], 11, False),  # less than a fifth of the rare class
        ([900, 60], 12, True),
        ([60, 60, 60, 60, 60], 14, False),  # a fifth of a class is not many where none is rare
    ],
)
def test_a_few_other_labels_are_not_told(counts, n_changed, is_told):
    counts = np.array(counts, dtype=float)
    found = labels_findings(0.6, 0.7, 0.01, counts, float(n_changed), has_class_weights=False)
    assert bool(found) == is_told


def test_a_search_with_class_weights_is_known_as_one():
    X, y = make_classification(150, 5, weights=[0.9], class_sep=0.3, random_state=5)
    for weight in (None, "balanced"):
        model = TunedSVC("rbf", class_weight=weight, Cs=[1.0, 8.0], scoring="f1").fit(X, y)
        (finding,) = (f for f in model.diagnostics_ if f.name == "labels by probability")
        assert ("class_weight" in finding.advice) == (weight is None)
