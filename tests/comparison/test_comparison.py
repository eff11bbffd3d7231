"""compare: nested scores of several methods on the same outer folds."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, SVR

from kernelwise import TunedSVC, TunedSVR, compare
from kernelwise.comparison import METHODS, Comparison, methods, peers
from tests.tables.conftest import as_library, columns

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def table():
    methods = {"machine": SVC(), "narrow": SVC(gamma=500.0), "dummy": DummyClassifier()}
    return compare(X, Y, methods, n_splits=3, n_repeats=2, random_state=1)


@pytest.mark.slow
def test_scores_are_those_of_each_method_on_the_same_folds(table):
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    expected = [SVC().fit(X[train], Y[train]).score(X[test], Y[test]) for train, test in folds.split(X, Y)]
    np.testing.assert_allclose(table.scores[0], expected, rtol=1e-15)
    assert table.scores.shape == table.seconds.shape == table.cpu_seconds.shape == (4, 6)
    assert (table.n_machines == 1).all()


def test_rows_compare_with_the_first(table):
    rows = table.rows()
    difference = table.scores[1] - table.scores[0]
    assert rows[0]["difference"] == 0.0
    assert rows[1]["difference"] == pytest.approx(difference.mean())
    assert rows[1]["difference_error"] == pytest.approx(difference.std(ddof=1) / np.sqrt(6))
    assert "narrow" in str(table)


def test_it_says_where_the_first_loses():
    table = compare(X, Y, {"dummy": DummyClassifier(), "machine": SVC()}, n_splits=2)
    assert len(table.losses()) == 1
    assert "machine was" in table.losses()[0]
    assert "better than dummy" in table.losses()[0]


def test_rounding_is_no_loss():
    scores = np.array([[0.1, 0.2, 0.4], [0.4, 0.1, 0.2]])
    zeros = np.zeros_like(scores)
    table = Comparison(("a", "b"), scores, zeros, zeros, zeros, {})
    assert table.rows()[1]["difference"] > 0.0
    assert table.losses() == []


def test_a_journal_spares_what_is_finished():
    class Counted(DummyClassifier):
        fits = 0

        def fit(self, X, y):
            Counted.fits += 1
            return super().fit(X, y)

    journal = {}
    first = compare(X, Y, {"counted": Counted()}, n_splits=4, journal=journal)
    del journal["counted/2"]
    again = compare(X, Y, {"counted": Counted()}, n_splits=4, journal=journal)
    assert Counted.fits == 5
    np.testing.assert_array_equal(first.scores, again.scores)


@pytest.mark.slow
def test_the_usual_methods_on_small_data(monkeypatch):
    monkeypatch.setattr(peers, "LIBSVM_GRID", {"gamma": [0.1, 1.0], "C": [1.0, 10.0]})
    monkeypatch.setattr(methods, "find_spec", lambda name: None)
    table = compare(X, Y, n_splits=2)
    usual = ("kernelwise", "SVC defaults", "random forest", "gradient boosting", "most frequent class")
    assert table.methods == usual
    assert (table.scores[:-1].mean(axis=1) > 0.9).all()
    # Searches of an SVM's settings are run by name.
    searches = ["SVC defaults", "GridSearchCV", "HalvingGridSearchCV", "random search"]
    table = compare(X, Y, searches, n_splits=2, baseline=False)
    assert (table.scores.mean(axis=1) > 0.9).all()
    searched = dict(zip(table.methods, table.n_machines.mean(axis=1), strict=True))
    assert searched["GridSearchCV"] == 4 * 5 + 1
    assert searched["random search"] == 60 * 5 + 1
    assert searched["SVC defaults"] == 1
    with pytest.raises(ValueError, match="optuna is not installed"):
        compare(X, Y, ["Optuna TPE"], n_splits=2)


def test_the_full_grid_is_there_by_name():
    grid = METHODS["full grid"](0)
    assert len(grid.param_grid["gamma"]) == len(grid.param_grid["C"]) == 35
    assert 1.0 / (2.0 * 2.0**18) == pytest.approx(min(grid.param_grid["gamma"]))


def test_bad_input():
    with pytest.raises(ValueError, match="compare does not support the method"):
        compare(X, Y, ["a method of nobody"])
    with pytest.raises(ValueError, match="at least 5"):
        compare(X[:52], Y[:52], {"machine": SVC()})


def test_progress_is_told():
    told = []
    compare(
        X,
        Y,
        {"machine": SVC()},
        n_splits=2,
        baseline=False,
        callback=lambda *cell: told.append(cell[:2]),
        on_begin=lambda *cell: told.append(("begin", *cell)),
    )
    assert told == [("begin", "machine", 0), ("machine", 0), ("begin", "machine", 1), ("machine", 1)]


def test_the_baseline_is_the_most_frequent_class_of_the_training_part(table):
    assert table.baseline == table.methods[-1] == "most frequent class"
    np.testing.assert_array_equal(table.scores[-1], table.scores[2])  # what scikit-learn's dummy does, too
    uneven = np.append(np.zeros(80, int), np.ones(40, int))
    table = compare(X[:120], uneven, {"dummy": DummyClassifier(strategy="stratified")}, n_splits=4)
    assert table.rows()[-1]["accuracy"] == pytest.approx(2 / 3)
    assert "most frequent class was" in table.losses()[0]


def test_numbers_have_r2_and_errors_in_units_of_the_target():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:90], y[:90]
    table = compare(X, y, {"ridge": Ridge(), "tree": SVR()}, n_splits=3, task="regression")
    folds = RepeatedKFold(n_splits=3, n_repeats=1, random_state=0)
    rows = []
    for train, test in folds.split(X):
        predicted = Ridge().fit(X[train], y[train]).predict(X[test])
        rows.append(
            (
                r2_score(y[test], predicted),
                np.sqrt(mean_squared_error(y[test], predicted)),
                mean_absolute_error(y[test], predicted),
            )
        )
    expected = np.mean(rows, axis=0)
    first = table.rows()[0]
    np.testing.assert_allclose([first["r2"], first["rmse"], first["mae"]], expected, rtol=1e-12)
    assert table.baseline == "mean"
    assert table.rows()[-1]["r2"] <= 0.0
    assert table.rows()[-1]["rmse"] == pytest.approx(y.std(), rel=0.1)
    assert "RMSE" in str(table)
    with pytest.raises(ValueError, match="compare does not support the method"):
        compare(X, y, ["SVC defaults"], task="regression")
    with pytest.raises(ValueError, match="at least 6 samples"):
        compare(X[:5], y[:5], {"ridge": Ridge()}, n_splits=3, task="regression")


@pytest.mark.slow
def test_methods_of_a_regression_see_standardised_targets(monkeypatch):
    """The same table in other units of y, but for its errors: C and ε of a search have the units of y."""
    monkeypatch.setattr(peers, "LIBSVM_GRID", {"gamma": [0.1, 1.0], "C": [1.0, 10.0]})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sin(X[:, 0])
    names = ["kernelwise", "GridSearchCV", "random search"]
    one, other = (compare(X, unit * y, names, n_splits=2, task="regression") for unit in (1.0, 1024.0))
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-6)
    np.testing.assert_allclose(1024 * one.errors["rmse"], other.errors["rmse"], rtol=1e-6)
    assert (one.scores[0] > 0.9).all()


def test_no_minus_zero_and_a_word_about_halving():
    scores = np.array([[0.5, 0.5], [0.5, 0.49999], [0.5, 0.5]])
    zeros, machines = np.zeros((3, 2)), np.full((3, 2), 551.0)
    names = ("kernelwise", "GridSearchCV", "HalvingGridSearchCV")
    table = Comparison(names, scores, zeros, zeros, machines, {})
    assert "-0.0000" not in str(table)
    assert "+0.0000" in str(table)
    assert table.notes()[1:] == [
        "HalvingGridSearchCV trained 551 models, GridSearchCV 551: with so few rows, halving saves nothing."
    ]
    machines[2] = 300.0
    assert len(Comparison(names, scores, zeros, zeros, machines, {}).notes()) == 1


class Remembers(DummyClassifier):
    """Keeps the folds and the rows that it was given."""

    seen: ClassVar[list] = []

    def __init__(self, cv=None):
        super().__init__(strategy="prior")
        self.cv = cv

    def fit(self, X, y):
        self.seen.append((self.cv, np.asarray(X)))
        return super().fit(X, y)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_groups_are_never_parted(task):
    groups = np.random.default_rng(0).integers(0, 12, size=150)
    numbered = np.column_stack([groups, np.arange(150)])
    Remembers.seen.clear()
    y = Y if task == "classification" else X[:, 0]
    compare(
        numbered, y, {"dummy": Remembers()}, n_splits=3, n_repeats=2, groups=groups, task=task, baseline=False
    )
    assert len(Remembers.seen) == 6
    tests = []
    for folds, rows in Remembers.seen:
        tests.append(np.setdiff1d(np.arange(150), rows[:, 1]))
        assert not np.intersect1d(groups[tests[-1]], rows[:, 0]).size
        assert len(folds) == 5
        for train, test in folds:
            assert not np.intersect1d(rows[train, 0], rows[test, 0]).size
    np.testing.assert_array_equal(np.sort(np.concatenate(tests[:3])), np.arange(150))


def test_folds_of_time_train_on_earlier_rows():
    times = np.random.default_rng(0).permutation(150)
    Remembers.seen.clear()
    compare(times[:, None], Y, {"dummy": Remembers()}, n_splits=3, times=times, baseline=False)
    assert [len(rows) for _, rows in Remembers.seen] == [39, 76, 113]
    for folds, rows in Remembers.seen:
        assert rows.max() == len(rows) - 1
        assert all(rows[train].max() < rows[test].min() for train, test in folds)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"groups": Y, "times": Y}, "cannot be used together"),
        ({"times": Y, "n_repeats": 2}, "'n_repeats' must be 1"),
        ({"times": Y[:3]}, "one value for each of the 150 samples"),
        ({"groups": Y[:3]}, "groups has 3 values for 150 samples"),
        ({"groups": Y, "n_splits": 4}, "4 outer folds are more than the 3 groups"),
        ({"groups": np.arange(150) < 50, "n_splits": 2}, "outer fold . has one class only"),
        ({"times": np.arange(150), "n_splits": 5}, "outer fold 0 has one class only"),
    ],
)
def test_folds_that_cannot_be_are_refused(more, words):
    with pytest.raises(ValueError, match=words):
        compare(X, Y, {"dummy": DummyClassifier()}, **more)


def test_a_table_goes_to_every_method_as_it_takes_it():
    lists, y = columns()
    table = as_library(lists, "polars")
    coder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town"]))
    methods = {"tuned": TunedSVC("rbf", Cs=[10.0]), "own": make_pipeline(coder, SVC()), "coded": SVC()}
    found = compare(table, y, methods, n_splits=2, categorical_features=["town", "rooms"])
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0).split(np.zeros(len(y)), y)
    for k, (train, test) in enumerate(folds):
        own = make_pipeline(coder, SVC()).fit(table[train], y[train])
        assert found.scores[1, k] == own.score(table[test], y[test])
    assert (found.scores[0] > found.scores[1]).all()


def test_an_ellipse_finds_rows_that_are_far_away():
    random = np.random.default_rng(0)
    far = np.r_[random.normal(size=(60, 2)), random.normal(size=(12, 2)) + 9.0]
    labels = np.where(np.arange(72) < 60, 1, -1)
    table = compare(far, labels, ["elliptic envelope"], n_splits=3, task="detection")
    assert table.scores[0].min() > 0.95
    with pytest.raises(ValueError, match=r"must be 1 for usual rows and -1 .* got 0, 1\.$"):
        compare(far, (labels == 1).astype(int), ["elliptic envelope"], task="detection")


def test_groups_that_leave_nothing_to_choose_by_are_refused():
    two = np.repeat([0, 1], 75)
    with pytest.raises(ValueError, match=r"of an outer fold has only one group\. Use more groups"):
        compare(X, Y, {"machine": SVC(), "kernelwise": TunedSVC("rbf", Cs=[1.0])}, n_splits=2, groups=two)


def test_coverage_of_intervals_is_that_of_the_outer_folds():
    X, y = load_diabetes(return_X_y=True)
    X, y, journal = X[:120, :3], y[:120], {}
    ours = TunedSVR("rbf")
    asked = {"n_splits": 2, "task": "regression", "journal": journal, "coverage": 0.8}
    table = compare(X, y, {"ours": ours, "ridge": Ridge(), "median": TunedSVR("rbf", quantile=0.5)}, **asked)
    for fold, (train, test) in enumerate(RepeatedKFold(n_splits=2, n_repeats=1, random_state=0).split(X)):
        low, high = clone(ours).fit(X[train], y[train]).predict_interval(X[test], 0.8).T
        is_in = (low <= y[test]) & (y[test] <= high)
        assert table.errors["coverage"][0, fold] == is_in.mean()
        assert table.errors["width"][0, fold] == pytest.approx((high - low).mean(), rel=1e-12)
    assert np.isnan(table.errors["coverage"][1:]).all()  # a ridge, quantiles and the mean have no intervals
    assert np.isnan(table.errors["width"][1:]).all()
    assert f"{100 * table.rows()[0]['coverage']:.1f} %" in str(table)
    assert not {"coverage", "width"} & set(
        compare(X, y, {"ridge": Ridge()}, n_splits=2, task="regression").errors
    )
    assert set(journal) == {f"{name}/{fold}/0.8" for name in table.methods for fold in range(2)}


def test_coverage_of_sets_is_that_of_the_outer_folds():
    ours = TunedSVC("rbf")
    table = compare(X, Y, {"ours": ours, "machine": SVC()}, n_splits=2, coverage=0.9)
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    for fold, (train, test) in enumerate(folds.split(X, Y)):
        sets = clone(ours).fit(X[train], Y[train]).predict_set(X[test], 0.9)
        assert table.errors["coverage"][0, fold] == sets[np.arange(len(test)), Y[test]].mean()
        assert table.errors["set_size"][0, fold] == sets.sum(axis=1).mean()
    assert np.isnan(table.errors["set_size"][1:]).all()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"coverage": 1.0}, "'coverage' must be above 0 and below 1"),
        ({"coverage": 0.9, "task": "detection"}, "'coverage' of compare is for classes and numbers"),
    ],
)
def test_a_coverage_that_cannot_be_is_refused(asked, says):
    with pytest.raises(ValueError, match=says):
        compare(X, Y, ["kernelwise"], **asked)
