"""Copies of rows in `GridSearchSVC`: one variable with the weights of all has the solution of all."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelwise import GridSearchSVC
from kernelwise.estimators._grid import Job
from kernelwise.kernels import RBF
from kernelwise.solvers.copies import Distinct
from kernelwise.solvers.path import ClassPaths

CS = np.array([0.3, 3.0, 40.0])


def table(n_classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thirty different rows, each several times and with labels that contradict each other; and weights."""
    rng = np.random.default_rng(5)
    points = rng.integers(4, size=(30, 3)).astype(float)
    rows = rng.integers(30, size=150)
    y = np.digitize(points[rows].sum(axis=1), [4.5, 6.5][: n_classes - 1])
    is_flipped = rng.random(150) < 0.2
    y[is_flipped] = rng.integers(n_classes, size=is_flipped.sum())
    return points[rows], y, rng.uniform(0.5, 2.0, size=150)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_row_for_all_copies_has_the_same_decision_values(n_classes, loss):
    X, y, weight = table(n_classes)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    weights = np.stack([weight * (1.0 + 0.1 * k) for k in range(4)])
    distinct = Distinct.of(X, y, is_gram=False)
    assert len(distinct) == len(np.unique(np.column_stack([X, y]), axis=0)) < 75
    training = distinct.training(weights, folds)

    def values(Z, targets, sample_weight, splits, places=None):
        classes, index = np.unique(targets, return_inverse=True)
        paths = ClassPaths(classes, index, splits, sample_weight, places=places, loss=loss)
        return paths.solve(RBF(0.3)(Z), np.asarray(CS), tol=1e-9)[0].decision

    merged = values(distinct.X, distinct.targets, training.weight, training.folds, training.places)
    expected = values(X, y, weights, folds)
    for (_, held), answers in zip(folds, training.answers, strict=True):
        np.testing.assert_allclose(merged[:, answers], expected[:, held], atol=1e-6)


def test_without_copies_nothing_is_copied():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 0, 1])
    distinct = Distinct.of(X, y, is_gram=False)
    assert distinct.X is X
    assert distinct.row_of is None


@pytest.mark.parametrize(
    "options", [{}, {"class_weight": "balanced"}, {"return_train_score": True}, {"scaler": "standard"}]
)
def test_scores_of_a_table_of_copies_are_those_of_scikit_learn(options):
    X, y, _ = table(3)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    grid = {"gamma": [0.03, 0.3], "C": CS.tolist()}
    ours = GridSearchSVC(grid, cv=cv, refit=False, tol=1e-6, **options).fit(X, y).cv_results_
    svc = SVC(tol=1e-6, class_weight=options.get("class_weight"))
    machine = make_pipeline(StandardScaler(), svc) if "scaler" in options else svc
    named = {f"svc__{key}": values for key, values in grid.items()} if "scaler" in options else grid
    with_train = options.get("return_train_score", False)
    search = GridSearchCV(machine, named, cv=cv, refit=False, return_train_score=with_train)
    theirs = search.fit(X, y).cv_results_
    names = [key for key in theirs if key.startswith("split") and key.endswith("_score")]
    assert len(names) == 4 * (1 + with_train)
    for name in names:
        order = np.lexsort([ours[f"param_{key}"].astype(float) for key in grid])
        other = np.lexsort([theirs[f"param_{key}"].astype(float) for key in named])
        np.testing.assert_allclose(ours[name][order], theirs[name][other], atol=1e-12)


def test_copies_in_a_gram_matrix():
    X, y, weight = table()
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    settings = {"cv": cv, "refit": False, "Cs": CS.tolist(), "tol": 1e-6}
    K = RBF(0.3)(X)
    assert len(Distinct.of(K, y, is_gram=True)) == len(Distinct.of(X, y, is_gram=False))
    by_matrix = GridSearchSVC(kernel="precomputed", **settings).fit(K, y, weight)
    by_rows = GridSearchSVC(kernels=[RBF(0.3)], **settings).fit(X, y, weight)
    scores, expected = (search.cv_results_["mean_test_score"] for search in (by_matrix, by_rows))
    assert scores.tolist() == expected.tolist()


def test_kernels_too_narrow_for_any_two_samples_share_one_path(monkeypatch):
    """Their Gram matrix is the identity. Weights and values of C still count, and so do other widths."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    weight = rng.uniform(0.5, 2.0, 60)
    grid = {"gamma": [0.5, 1e7, 1e8, 1e9], "C": [0.25, 4.0], "class_weight": [None, "balanced"]}
    alone = {}
    for gamma in grid["gamma"]:
        search = GridSearchSVC({**grid, "gamma": [gamma]}, cv=4, refit=False)
        alone |= scores(search.fit(X, y, sample_weight=weight).cv_results_)
    n_solved = []
    solve = Job._path
    monkeypatch.setattr(Job, "_path", lambda *args: n_solved.append(1) or solve(*args))
    found = GridSearchSVC(grid, cv=4, refit=False).fit(X, y, sample_weight=weight).cv_results_
    assert len(n_solved) == 4  # one narrow and one other width, with two kinds of weights
    assert scores(found) == alone


def scores(results):
    """The scores of the folds, by parameters."""
    return {
        str(sorted(parameters.items(), key=str)): [results[f"split{s}_test_score"][k] for s in range(4)]
        for k, parameters in enumerate(results["params"])
    }
