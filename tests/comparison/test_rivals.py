"""Forests and boosting beside the searches of compare: log-loss, what is missing, and the verdict."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from kernelwise import Comparison, TunedSVC, compare
from kernelwise.comparison import ComparisonStopped, methods, peers
from kernelwise.comparison.cells import held_out_log_loss

X, Y = load_iris(return_X_y=True)
TRAIN, TEST = np.arange(0, 150, 2), np.arange(1, 150, 2)


def test_forests_come_with_their_defaults_and_the_seed():
    table = compare(X, Y, ["random forest"], n_splits=2, random_state=3, baseline=False)
    splits = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=3).split(X, Y)
    expected = [
        RandomForestClassifier(random_state=3).fit(X[train], Y[train]).score(X[test], Y[test])
        for train, test in splits
    ]
    assert table.scores[0].tolist() == expected


def test_log_loss_is_the_mean_of_minus_log_p():
    labels = np.array(["b", "c", "a"])[Y]
    model = LogisticRegression(max_iter=1000).fit(X[TRAIN], labels[TRAIN])
    p = model.predict_proba(X[TEST])
    column = {"a": 0, "b": 1, "c": 2}
    expected = -np.mean([np.log(row[column[k]]) for row, k in zip(p, labels[TEST], strict=True)])
    found = held_out_log_loss(model, X[TRAIN], labels[TRAIN], X[TEST], labels[TEST])
    assert found == pytest.approx(expected, rel=1e-12)


def test_decision_values_get_sigmoids_of_held_out_rows():
    """Two classes: the sigmoid is the one that fits decision values on folds of the training rows best."""
    x, y = X[50:], Y[50:]
    train, test = np.arange(0, 100, 2), np.arange(1, 100, 2)
    found = held_out_log_loss(SVC().fit(x[train], y[train]), x[train], y[train], x[test], y[test])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held = cross_val_predict(SVC(), x[train], y[train], cv=folds, method="decision_function")
    n = np.bincount(y[train] - 1)
    goal = np.where(y[train] == 2, (n[1] + 1) / (n[1] + 2), 1 / (n[0] + 2))  # Platt's targets

    def loss(slope, shift, f, t):
        q = 1 / (1 + np.exp(-(slope * f + shift)))
        return -np.mean(t * np.log(q) + (1 - t) * np.log(1 - q))

    slope, shift = minimize(lambda ab: loss(*ab, held, goal), [1.0, 0.0], tol=1e-10).x
    values = SVC().fit(x[train], y[train]).decision_function(x[test])
    assert found == pytest.approx(loss(slope, shift, values, y[test] == 2), rel=1e-4)


def test_who_has_no_probabilities_has_no_log_loss():
    table = compare(X, Y, {"silent": _Constant(), "kernelwise": TunedSVC()}, n_splits=2)
    losses = [row["log_loss"] for row in table.rows()]
    assert np.isnan(losses[0])
    assert losses[1] < losses[2] == pytest.approx(np.log(3))  # the baseline answers with the shares
    assert (
        str(table).splitlines()[1].split()[5] == f"{table.seconds[0].mean():.3f}"
    )  # an empty cell before it


class _Constant(SVC):
    """Has labels only."""

    @property
    def decision_function(self):
        raise AttributeError

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_a_cell_without_log_loss_is_measured_anew():
    journal = {"forest/0": [0.1, 0.0, 0.0, 1.0]}
    forest = {"forest": RandomForestClassifier(n_estimators=5, random_state=0)}
    table = compare(X, Y, forest, n_splits=2, journal=journal, baseline=False)
    assert table.scores[0, 0] > 0.5
    assert len(journal["forest/0"]) == 5


def test_what_is_missing_is_one_sentence_when_it_is_named(monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"'lightgbm' cannot be run: .*pip install \"kernelwise\[forests\]\""
    ):
        compare(X, Y, ["kernelwise", "lightgbm"])
    with pytest.raises(ValueError, match=r"'xrfm' cannot be run: .*pip install xrfm"):
        compare(X, Y, ["xrfm"], task="regression")
    usual, skipped = methods.estimators(None, "regression", 0)
    assert list(usual) == ["kernelwise", "SVR defaults", "random forest", "gradient boosting"]
    assert skipped == {}


def test_libraries_run_where_they_are_installed(monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda name: name)
    usual, _ = methods.estimators(None, "classification", 0)
    trees = ["random forest", "gradient boosting", "lightgbm", "xgboost", "catboost"]
    assert list(usual) == ["kernelwise", "SVC defaults", *trees]


def test_a_stop_leaves_what_is_finished():
    def stop_at(*at):
        def stop(*begun):
            if begun == at:
                raise KeyboardInterrupt

        return stop

    forms = {"one": SVC(), "two": SVC(C=10.0)}
    for at, names, n_folds in (
        (("two", 2), ("one", "two", "most frequent class"), 2),
        (("two", 0), ("one",), 1),
    ):
        with pytest.raises(ComparisonStopped) as stopped:
            compare(X, Y, forms, n_splits=4, on_begin=stop_at(*at))
        table = stopped.value.table
        assert (table.methods, table.scores.shape) == (names, (len(names), n_folds))
        assert stopped.value.n_splits == 4
        assert np.isfinite(table.scores).all()
        assert [row["method"] for row in table.rows()] == list(names)
    with pytest.raises(KeyboardInterrupt) as stopped:
        compare(X, Y, forms, n_splits=4, on_begin=stop_at("one", 0))
    assert not isinstance(stopped.value, ComparisonStopped)


def test_sparse_data_leave_boosting_out_unless_it_is_named():
    usual, skipped = methods.estimators(None, "classification", 0, is_sparse=True)
    assert "gradient boosting" not in usual
    assert skipped["gradient boosting"] == "it does not accept sparse data."
    with pytest.raises(ValueError, match="'gradient boosting' cannot be run: it does not accept sparse data"):
        compare(sparse.csr_matrix(X), Y, ["gradient boosting"])


def test_threads_are_those_that_are_asked_for():
    found, _ = methods.estimators(["kernelwise", "GridSearchCV", "random forest"], "regression", 0, 2)
    assert [estimator.n_jobs for estimator in found.values()] == [2, 2, 2]
    with pytest.raises(ValueError, match="n_jobs of compare"):
        compare(X, Y, ["random forest"], n_jobs=0)


@pytest.mark.parametrize(
    "library", ["lightgbm", "xgboost", "catboost", "xrfm", "ebm", "realmlp", "neo-ls-svm"]
)
def test_a_library_answers_in_the_labels_of_the_data(library):
    pytest.importorskip(methods.BY_NAME[library].module)
    names = np.array([True, False])[(Y[50:] == 2).astype(int)]
    table = compare(X[50:], names, [library], n_splits=2)
    assert table.rows()[0]["accuracy"] > 0.8
    assert table.rows()[0]["log_loss"] < np.log(2)
    words = np.array(["b", "c", "a"])[Y]
    if library not in peers.TWO_CLASSES:
        assert compare(X, words, [library], n_splits=2).rows()[0]["accuracy"] > 0.85
    numbers = compare(X[:, :3], X[:, 3] + 1000.0, [library], n_splits=2, task="regression")
    assert numbers.rows()[0]["r2"] > 0.8


def test_a_library_of_two_classes_refuses_three():
    with pytest.raises(ValueError, match="neo-ls-svm takes two classes, not 3"):
        methods.METHODS["neo-ls-svm"](0).fit(X, Y)


def test_a_library_sees_codes_and_plain_arrays(monkeypatch):
    """Without the library: what it is called with, and what is made of its answers."""
    seen = {}

    class LGBMClassifier:
        def __init__(self, **settings):
            seen["settings"] = settings

        def fit(self, X, y):
            seen["X"], seen["y"] = X, y

        def predict(self, X):
            return np.full((len(X), 1), 2)  # as CatBoost does for three classes

    fake = ModuleType("lightgbm")
    fake.LGBMClassifier = LGBMClassifier
    monkeypatch.setitem(sys.modules, "lightgbm", fake)
    model = methods.METHODS["lightgbm"](5).set_params(n_jobs=2).fit(X.tolist(), np.array(["b", "c", "a"])[Y])
    assert seen["settings"] == {"random_state": 5, "n_jobs": 2, "verbosity": -1}
    assert seen["y"].tolist() == [1] * 50 + [2] * 50 + [0] * 50
    assert isinstance(seen["X"], np.ndarray)
    assert model.predict(X[:2]).tolist() == ["c", "c"]


# -- the verdict --------------------------------------------------------------------------------------------
SAME, BETTER, WORSE = [0.8, 0.9, 0.8, 0.9], [0.85, 0.94, 0.86, 0.95], [0.7, 0.81, 0.7, 0.8]
GUESS = [0.5, 0.5, 0.5, 0.5]
HALVES = {"kernelwise": [0.80, 0.82], "random_forest": [0.84, 0.87], "baseline": [0.5, 0.52]}


def table_of(log_losses=None, baseline=GUESS, **scores):
    names = tuple(name.replace("_", " ") for name in scores)
    values = np.array([*scores.values(), baseline])
    ones = np.ones_like(values)
    errors = {} if log_losses is None else {"log_loss": np.array([*log_losses, GUESS])}
    return Comparison((*names, "guess"), values, ones, ones, ones, {}, errors=errors, baseline="guess")


RIGHT = "A support vector machine suits this data: kernelwise is "
NO_WORSE = "A support vector machine is a reasonable choice here: kernelwise is "
NOT_BEST = "A support vector machine is not the best model here: "


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"random_forest": BETTER}, [f"{NOT_BEST}random forest is 5.00 points better than kernelwise"]),
        (
            {"random_forest": WORSE, "catboost": WORSE},
            [f"{RIGHT}clearly better than random forest or catboost."],
        ),
        (
            {"random_forest": WORSE, "catboost": SAME},
            [f"{NO_WORSE}not clearly worse than random forest or catboost."],
        ),
        ({"GridSearchCV": [score + 0.01 for score in BETTER], "catboost": BETTER}, []),
        ({"GridSearchCV": BETTER}, []),
        ({"random_forest": WORSE, "baseline": SAME}, []),
    ],
)
def test_the_verdict_goes_by_two_standard_errors(scores, expected):
    told = table_of(kernelwise=SAME, **scores).verdict()
    assert len(told) == len(expected)
    assert all(sentence.startswith(start) for sentence, start in zip(told, expected, strict=True))


def test_few_folds_make_nothing_clear_that_is_not():
    table = table_of(**HALVES)  # 4.5 points, nine standard errors of two folds
    assert not any(sentence.startswith(NOT_BEST) for sentence in table.verdict())
    assert any("2 outer folds" in note for note in table.notes())
    folds = {name: scores * 3 for name, scores in HALVES.items()}
    assert table_of(**folds).verdict()[0].startswith(NOT_BEST)
    assert table_of(**folds).notes() == []


def test_better_probabilities_are_told():
    table = table_of([[0.3, 0.4, 0.3, 0.4], [0.2, 0.3, 0.2, 0.28]], kernelwise=SAME, random_forest=SAME)
    assert table.verdict()[1] == (
        "The probabilities of random forest are better than those of kernelwise: the log-loss is 0.245 "
        "instead of 0.350 (standard error of the difference 0.005)."
    )
    table = table_of([[0.3, 0.4, 0.3, 0.4], [np.nan] * 4], kernelwise=SAME, random_forest=SAME)
    assert len(table.verdict()) == 1
    assert table_of(mine=SAME, random_forest=BETTER).verdict() == []  # nobody knows what mine is


def test_boosting_of_numbers_is_scikit_learns():
    x, y = X[:, :3], X[:, 3]
    table = compare(x, y, ["gradient boosting"], n_splits=2, task="regression")
    train, test = next(RepeatedKFold(n_splits=2, n_repeats=1, random_state=0).split(x))
    expected = HistGradientBoostingRegressor(random_state=0).fit(x[train], y[train]).score(x[test], y[test])
    assert table.scores[0, 0] == pytest.approx(expected, rel=1e-12)
