"""compare: nested scores of several methods on the same outer folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC

from kernelwise import compare
from kernelwise.comparison import nested as module

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def table():
    methods = {"machine": SVC(), "narrow": SVC(gamma=500.0), "dummy": DummyClassifier()}
    return compare(X, Y, methods, n_splits=3, n_repeats=2, random_state=1)


def test_scores_are_those_of_each_method_on_the_same_folds(table):
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    expected = [SVC().fit(X[train], Y[train]).score(X[test], Y[test]) for train, test in folds.split(X, Y)]
    np.testing.assert_allclose(table.scores[0], expected, rtol=1e-15)
    assert table.scores.shape == table.seconds.shape == table.cpu_seconds.shape == (3, 6)
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
    table = module.Comparison(("a", "b"), scores, zeros, zeros, zeros, {})
    assert table.rows()[1]["difference"] > 0.0
    assert table.losses() == []


def test_a_journal_spares_what_is_finished():
    class Counted(SVC):
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


def test_the_usual_methods_on_small_data(monkeypatch):
    monkeypatch.setattr(module.peers, "LIBSVM_GRID", {"svc__gamma": [0.1, 1.0], "svc__C": [1.0, 10.0]})
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    table = compare(X, Y, n_splits=2)
    assert table.methods == module.USUAL[:-1]
    assert (table.scores.mean(axis=1) > 0.9).all()
    assert "optuna is not installed" in table.losses()[-1]
    searched = dict(zip(table.methods, table.n_machines.mean(axis=1), strict=True))
    assert searched["GridSearchCV"] == 4 * 5 + 1
    assert searched["random search"] == 60 * 5 + 1
    assert searched["SVC defaults"] == 1


def test_the_full_grid_is_there_by_name():
    grid = module.METHODS["full grid"](0)
    assert len(grid.param_grid["gamma"]) == len(grid.param_grid["C"]) == 35
    assert 1.0 / (2.0 * 2.0**18) == pytest.approx(min(grid.param_grid["gamma"]))


def test_bad_input():
    with pytest.raises(ValueError, match="methods"):
        compare(X, Y, ["a method of nobody"])
    with pytest.raises(ValueError, match="at least 5"):
        compare(X[:52], Y[:52], {"machine": SVC()})


def test_progress_is_told():
    told = []
    compare(X, Y, {"machine": SVC()}, n_splits=2, callback=lambda *cell: told.append(cell))
    assert [cell[:2] for cell in told] == [("machine", 0), ("machine", 1)]
