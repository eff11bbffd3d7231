"""One clear sentence for everything TunedSVC cannot work with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import make_scorer, recall_score

from kernelwise import TunedSVC, TunedSVR, tune
from kernelwise.datasets import make_weston
from kernelwise.estimators.tuned import fit_in_context
from kernelwise.exceptions import IncompatibleError
from kernelwise.search import FitContext
from kernelwise.search.scoring.scores import PositiveScore


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kernel": "rbff"}, "rbff"),
        ({"kernel": 3}, "3"),
        ({"criterion": "dtbc"}, "dtbc"),
        ({"search": "fast"}, "'search' of TunedSVC must be an Optimizer, None or one of .*, got 'fast'"),
        ({"Cs": []}, "'Cs' of TunedSVC is empty"),
        ({"Cs": [1.0, -1.0]}, "'Cs' of TunedSVC must be a positive float, got -1.0"),
        ({"Cs": ["a"]}, "'Cs' of TunedSVC must be a positive float, got 'a'"),
        ({"time_budget": 0}, "'time_budget' parameter of TunedSVC must be None or a positive number. Got 0"),
        (
            {"time_budget": -1.0},
            "'time_budget' parameter of TunedSVC must be None or a positive number. Got -1.0",
        ),
        ({"tol": 0.0}, "'tol' parameter of TunedSVC must be a positive number"),
        ({"memory_limit": -3}, "'memory_limit' parameter of TunedSVC must be a positive number"),
        ({"cv": 1}, "'cv' of TunedSVC must be 'auto', an integer of at least 2"),
        ({"cv": "five"}, "'cv' of TunedSVC must be 'auto', an integer of at least 2"),
        ({"cv": 2.5}, "'cv' of TunedSVC must be 'auto', an integer of at least 2"),
        ({"cv": 36}, "cv=36 is more than the 35 samples of the largest class"),
        ({"cv": [([0, 1, 36], [1, 2])]}, "Fold 0 of 'cv' trains on sample 1 and holds it out"),
        (
            {"refit": "best"},
            "'refit' of TunedSVC must be True, False, 'one-standard-error' or callable, got 'best'",
        ),
        ({"refit": lambda results: "best"}, "'refit' of TunedSVC must return the number of a row"),
        ({"refit": lambda results: 10**6}, "'refit' of TunedSVC must return the number of a row"),
        ({"refit": lambda results: -1}, "'refit' of TunedSVC must return the number of a row"),
        ({"scale": "log"}, "'scale' of TunedSVC must be one of 'standard', 'minmax', 'robust', got 'log'"),
        ({"multiclass": "all"}, "'multiclass' parameter of TunedSVC"),
        ({"decision_function_shape": "all"}, "'decision_function_shape' parameter of TunedSVC"),
        ({"scoring": "precission"}, "precission"),
        ({"class_weight": {-1: 0.0}}, "class_weight must be positive"),
    ],
)
def test_settings(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        TunedSVC(**settings).fit(*blobs)


def test_classes_of_one_sample_each(blobs):
    X, y = blobs
    rows = [0, len(y) - 1]
    assert len(np.unique(y[rows])) == 2
    with pytest.raises(ValueError, match=r"^Every class has 1 sample, so none can be held out"):
        TunedSVC().fit(X[rows], y[rows])


def test_one_class(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        TunedSVC().fit(X, np.ones(len(y)))


@pytest.mark.parametrize("has_gaps", [False, True])
def test_not_finite(blobs, has_gaps):
    X, y = blobs
    X = X.copy()
    X[3, 1] = np.inf
    if has_gaps:
        X[0, 0] = np.nan
    with pytest.raises(ValueError, match="X has inf in row 3, column 1" if has_gaps else "contains infinity"):
        TunedSVC().fit(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "diagonal", "poly"])
def test_constant_features(blobs, kernel):
    _, y = blobs
    with pytest.raises(ValueError, match="All features are constant"):
        TunedSVC(kernel).fit(np.full((len(y), 3), 2.0), y)


def test_some_constant_features_do_no_harm(blobs):
    X, y = blobs
    padded = np.column_stack([X, np.full(len(y), 5.0)])
    np.testing.assert_array_equal(TunedSVC().fit(padded, y).predict(padded), TunedSVC().fit(X, y).predict(X))


def test_the_same_points_in_both_classes():
    """Nothing can be learned, and nothing breaks: ties go somewhere."""
    X = np.repeat(np.arange(10.0), 2)[:, None]
    model = TunedSVC().fit(X, np.tile([0, 1], 10))
    assert set(model.predict(X)) <= {0, 1}
    assert model.best_score_ <= 0.6


def test_fewer_rows_than_folds():
    X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), [0, 0, 1, 1]
    model = TunedSVC().fit(X, y)
    assert model.n_splits_ == 2
    assert list(model.predict(X)) == y
    with pytest.raises(ValueError, match="cv=3 is more than the 2 samples"):
        TunedSVC(cv=3).fit(X, y)


def test_wrong_columns_at_predict(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="X has 3 features, but TunedSVC is expecting 4"):
        TunedSVC(Cs=[1.0]).fit(X, y).predict(X[:, :3])


def test_a_gram_matrix_that_is_none(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="square"):
        TunedSVC("precomputed").fit(X, y)


def test_wrong_weights(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="sample_weight has shape"):
        TunedSVC().fit(X, y, sample_weight=[1.0, 2.0])


def test_scores_of_one_class_are_told_which(blobs):
    X, y = blobs
    words = np.where(y == 1, "yes", "no")
    named = r"which one: 'no' or 'yes'. Pass .*make_scorer\(f1_score, pos_label='yes'\)"
    with pytest.raises(ValueError, match=named):
        TunedSVC(scoring="f1").fit(X, words)
    TunedSVC(scoring="f1", Cs=[1.0]).fit(X, y)  # 1 is positive, as everywhere in scikit-learn
    with pytest.raises(ValueError, match="'roc_auc' of TunedSVC works for two classes, but the target has 3"):
        TunedSVC(scoring="roc_auc").fit(X, np.arange(60) % 3)
    options, theirs = {"Cs": [1.0], "cv": 3}, make_scorer(recall_score, pos_label="no")
    ours = TunedSVC(scoring=PositiveScore("recall", "no"), **options).fit(X, words)
    assert ours.best_score_ == TunedSVC(scoring=theirs, **options).fit(X, words).best_score_
    assert ours.best_score_ != TunedSVC(scoring="recall", **options).fit(X, y).best_score_
    assert ours.scorer_(ours, X, words) == theirs(ours, X, words)


def test_tune_trains_nothing(blobs):
    with pytest.raises(ValueError, match="'refit' has no effect"):
        tune(*blobs, refit=True)


def test_a_fit_that_fails_leaves_no_half_of_a_model(blobs):
    X, y = blobs
    model = TunedSVC(Cs=[1.0]).fit(X, y).set_params(refit=lambda table: 10**6)
    with pytest.raises(ValueError, match="'refit' of TunedSVC must return the number of a row"):
        model.fit(X, y)
    assert not hasattr(model, "result_")
    model.set_params(refit=False).fit(X, y)
    assert "_sigmoids" not in vars(model)


@pytest.mark.parametrize(
    ("scoring", "words"),
    [
        (
            lambda model, X, y: {"a": 1.0, "b": 2.0},
            "one number, got a dict of 'a', 'b'",
        ),
        (lambda model, X, y: "good", "must return a number, got 'good'"),
    ],
)
def test_scores_that_are_no_numbers(scoring, words, blobs):
    with pytest.raises(ValueError, match=words):
        TunedSVC(Cs=[1.0], scoring=scoring).fit(*blobs)


def test_a_scorer_that_asks_for_more_is_told_where_to_go(blobs):
    X, y = blobs
    with pytest.raises(IncompatibleError, match=r"other samples than the test part.*GridSearchCV\(SVC\(\)"):
        TunedSVC(Cs=[1.0], scoring=lambda model, X, y: (model.predict(X + 1.0) == y).mean()).fit(X, y)
    with pytest.raises(IncompatibleError, match="needs more than predictions, which is all"):
        TunedSVR(Cs=[1.0], scoring=lambda model, X, y: model.decision_function(X).mean()).fit(X, y)


def test_names_for_other_features_are_refused(blobs):
    with pytest.raises(ValueError, match="1 name was given for 4 features"):
        fit_in_context(TunedSVC(Cs=[1.0]), *blobs, FitContext(feature_names=["a"]))


def test_a_context_may_serve_two_fits(blobs):
    context, model = FitContext(), TunedSVC(solver="nystroem", Cs=[1.0])
    first = fit_in_context(model, *blobs, context).diagnostics_
    assert [finding.name for finding in first][-1] == "nystroem"
    assert fit_in_context(model, *blobs, context).diagnostics_ == first


def test_a_centred_alignment_is_called_so(blobs):
    X, y = blobs
    model = TunedSVC("diagonal", criterion="centered-kta", Cs=[1.0], cv=2).fit(X, y)
    assert "metric by centered-kta" in model.result_.how[0]


def test_and_so_is_one_that_auto_learns_by():
    X, y = make_weston(60, n_noise=1, random_state=0)
    model = TunedSVC("auto", criterion="centered-kta", Cs=[10.0], cv=2).fit(X, y)
    assert " ".join(model.cv_results_["reason"]).count("kta (") == 2  # of RBF and of Laplacian
