"""Levels of effort: how much a search tries, and what wins over it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

from kernelwise import TunedSVC, TunedSVR
from kernelwise.search.settings import EFFORTS


@pytest.fixture(scope="module")
def classes():
    return make_classification(2600, 4, n_informative=3, n_redundant=0, random_state=0)


def rows_of(model):
    """Rows that the search looked at, from its finding; None if it looked at all."""
    said = [finding.message for finding in model.diagnostics_ if finding.name == "sampled"]
    return int(said[0].split("sample of ")[1].split()[0]) if said else None


def test_normal_is_the_default_and_changes_nothing(classes):
    X, y = classes[0][:300], classes[1][:300]
    plain, named = TunedSVC().fit(X, y), TunedSVC(effort="normal").fit(X, y)
    assert EFFORTS["normal"] == type(EFFORTS["normal"])()
    assert plain.best_params_ == named.best_params_
    assert plain.best_score_ == named.best_score_


def test_fast_looks_at_fewer_rows_and_weighs_no_features(classes):
    model = TunedSVC(effort="fast").fit(*classes)
    assert rows_of(model) == 2000
    assert set(model.result_.forms) == {"rbf", "laplacian", "sum"}
    assert model.best_estimator_.n_trained_ == 2600


def test_best_has_five_folds_and_no_race(classes):
    X, y = classes[0][:2100], classes[1][:2100]
    settings = {"Cs": [1.0], "blend": False, "tol": 0.1}
    model = TunedSVC(effort="best", **settings).fit(X, y)
    assert model.n_splits_ == 5
    assert not any("competed on" in sentence for sentence in model.result_.how)
    assert any("competed on" in sentence for sentence in TunedSVC(**settings).fit(X, y).result_.how)


@pytest.mark.parametrize(("effort", "n_rows"), [("fast", 1500), ("normal", 2000), ("best", None)])
def test_rows_of_numbers(effort, n_rows):
    X, y = make_friedman1(2200, noise=1.0, random_state=0)
    model = TunedSVR("rbf", effort=effort, Cs=[1.0], epsilons=[0.5], tol=0.1).fit(X, y)
    assert rows_of(model) == n_rows


def test_what_the_user_says_wins(classes):
    X, y = classes[0][:600], classes[1][:600]
    model = TunedSVC("rbf", effort="best", cv=3, Cs=[1.0]).fit(X, y)
    assert model.n_splits_ == 3
    groups = np.arange(600) // 4
    assert TunedSVC("rbf", effort="best", Cs=[1.0]).fit(X, y, groups=groups).n_splits_ == 5
    assert clone(model).effort == "best"


@pytest.mark.parametrize("effort", ["bset", None, []])
def test_an_unknown_effort_is_refused(effort, classes):
    with pytest.raises(ValueError, match="'effort' of TunedSVC must be one of 'fast', 'normal', 'best'"):
        TunedSVC(effort=effort).fit(*classes)
