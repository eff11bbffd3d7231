"""Every splitter of scikit-learn with every tuned estimator, and their scores beside GridSearchCV's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.svm import SVC as SklearnSVC
from sklearn.svm import SVR as SklearnSVR
from sklearn.utils import check_random_state

from kernelwise import TunedSVC, TunedSVR
from kernelwise.estimators import GridSearchSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF

N = 48
CS = [0.1, 1.0, 10.0]
SPLITTERS = [
    KFold(4),
    StratifiedKFold(4),
    TimeSeriesSplit(3),
    TimeSeriesSplit(3, gap=2, max_train_size=20, test_size=6),
    ShuffleSplit(4, test_size=0.25, random_state=0),
    ShuffleSplit(3, test_size=0.2, train_size=0.3, random_state=0),
    StratifiedShuffleSplit(3, test_size=0.25, random_state=0),
    RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    PredefinedSplit(np.where(np.arange(N) < 30, -1, np.arange(N) % 2)),
    PredefinedSplit(np.where(np.arange(N) < 36, -1, 0)),
    LeaveOneOut(),
    LeavePOut(2),
    GroupKFold(3),
    StratifiedGroupKFold(3),
    GroupShuffleSplit(3, test_size=0.25, random_state=0),
    LeaveOneGroupOut(),
    LeavePGroupsOut(2),
]
STRATIFIED = ("StratifiedKFold", "StratifiedShuffleSplit", "RepeatedStratifiedKFold", "StratifiedGroupKFold")
IDS = [f"{k}-{type(splitter).__name__}" for k, splitter in enumerate(SPLITTERS)]


@pytest.fixture(scope="module")
def rows():
    """Rows of three noisy classes in no order, a target, and six groups; two rows are repeated."""
    random = check_random_state(0)
    y = np.arange(N) % 3
    X = random.normal(size=(N, 3)) + 1.2 * np.eye(3)[y]
    groups = random.permutation(np.arange(N) % 6)
    X[40], X[41], y[40], y[41] = X[4], X[4], y[4], y[4]
    return X, y, X @ [1.0, -1.0, 0.5] + 0.3 * random.normal(size=N), groups


def taken(splitter, X, y, groups, is_svr):
    """The splitter, or its folds: the first of hundreds, and for numbers those of strata of classes."""
    if isinstance(splitter, LeavePOut):
        return list(splitter.split(X))[:40]
    is_stratified = type(splitter).__name__ in STRATIFIED
    return list(splitter.split(X, y, groups)) if is_svr and is_stratified else splitter


def test_the_table_has_every_splitter_of_scikit_learn():
    from sklearn import model_selection

    endings = ("Split", "Fold", "Out")
    names = {
        name for name in model_selection.__all__ if name.endswith(endings) and not name.startswith("Base")
    }
    assert names == {type(splitter).__name__ for splitter in SPLITTERS}


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored:UserWarning")
@pytest.mark.parametrize("splitter", SPLITTERS, ids=IDS)
@pytest.mark.parametrize("estimator", [TunedSVC, TunedSVR, GridSearchSVC])
def test_scores_are_those_of_grid_search_cv(estimator, splitter, rows):
    X, classes, numbers, groups = rows
    is_svr = estimator is TunedSVR
    cv = taken(splitter, X, classes, groups, is_svr)
    y = numbers if is_svr else classes
    if estimator is GridSearchSVC:
        model = GridSearchSVC({"C": CS, "gamma": [0.2]}, cv=cv)
        machine, Z, target = SklearnSVC(gamma=0.2), X, y
        gamma, scoring = 0.2, "accuracy"
    else:
        more = {"epsilons": 0.1, "scoring": "neg_mean_squared_error"} if is_svr else {}
        model = estimator(RBF(0.2), Cs=CS, cv=cv, scale=None, **more)
        deviation = y.std() if is_svr else 1.0
        Z, target = X, (y - y.mean()) / deviation if is_svr else y
    model.fit(X, y, groups=groups)
    assert model.predict(X).shape == (N,)
    results = model.cv_results_
    splits = list(cv if isinstance(cv, list) else cv.split(X, y, groups))
    assert model.n_splits_ == len(splits)
    if estimator is not GridSearchSVC:
        gamma = results["param_gamma"][0]
        machine = (
            SklearnSVR(gamma=gamma, epsilon=0.1, tol=1e-4)
            if is_svr
            else SklearnSVC(gamma=gamma, break_ties=True)
        )
        scoring = "neg_mean_squared_error" if is_svr else "accuracy"
    reference = GridSearchCV(machine, {"C": CS}, cv=splits, scoring=scoring).fit(Z, target).cv_results_
    first = np.flatnonzero(results["param_gamma"] == gamma)
    assert_allclose(results["param_C"][first].astype(float), CS)
    for k, (_, test) in enumerate(splits):
        ours, theirs = results[f"split{k}_test_score"][first], reference[f"split{k}_test_score"]
        if is_svr:
            assert_allclose(ours / deviation**2, theirs, rtol=0.02, atol=0.01)
        else:
            assert (np.abs(ours - theirs) * len(test) <= 1.0 + 1e-9).all()
            assert (np.abs(ours - theirs) * len(test) < 0.5).mean() >= 0.5
    if estimator is TunedSVC:
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_a_class_that_a_fold_does_not_know_is_never_answered_there(multiclass, rows):
    X, y, _, _ = rows
    order = np.argsort(y, kind="stable")  # the first part has the first two classes only
    splits = [(np.arange(30), np.arange(30, 48)), (np.arange(47, 14, -1), np.arange(15))]
    model = TunedSVC(RBF(0.2), Cs=CS, cv=splits, scale=None, multiclass=multiclass).fit(X[order], y[order])
    results = model.cv_results_
    machine = SklearnSVC(gamma=results["param_gamma"][0])
    reference = GridSearchCV(machine, {"C": CS}, cv=splits).fit(X[order], y[order]).cv_results_
    for k, (_, test) in enumerate(splits):
        ours, theirs = results[f"split{k}_test_score"][:3], reference[f"split{k}_test_score"]
        if multiclass == "ovo":
            assert (np.abs(ours - theirs) * len(test) <= 1.0 + 1e-9).all()
        assert (ours <= np.mean(np.isin(y[order][test], y[order][splits[k][0]])) + 1e-12).all()
    assert "classes not trained on" in [finding.name for finding in model.diagnostics_]


def test_folds_of_one_class_do_not_count():
    random = check_random_state(0)
    X, y = random.normal(size=(40, 2)), np.repeat([0, 1], [12, 28])
    X[:, 0] += 2 * y
    with pytest.warns(KernelwiseWarning, match="1 fold of 'cv' trains on samples of one class only"):
        model = TunedSVC(RBF(0.5), Cs=[1.0], cv=TimeSeriesSplit(3)).fit(X, y)
    assert model.n_splits_ == 2
    names = [finding.name for finding in model.diagnostics_]
    assert "folds of one class" in names
    assert "classes never held out" in names
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="Every fold of 'cv' trains on samples of one class only"):
        TunedSVC(RBF(0.5), cv=[(np.arange(10), np.arange(10, 40))]).fit(X, y)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_a_weight_of_two_is_a_repeated_row_in_free_folds(rows):
    X, y, _, _ = rows
    weight = np.where(np.arange(N) % 5 == 0, 2.0, 1.0)
    splits = list(TimeSeriesSplit(3).split(X))
    sample = np.repeat(np.arange(N), weight.astype(int))
    repeated = [tuple(np.flatnonzero(np.isin(sample, part)) for part in split) for split in splits]
    one = TunedSVC(RBF(0.2), Cs=CS, cv=splits).fit(X, y, sample_weight=weight)
    other = TunedSVC(RBF(0.2), Cs=CS, cv=repeated).fit(X[sample], y[sample])
    assert_allclose(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
@pytest.mark.parametrize("kernel", ["auto", "diagonal"])
def test_learned_metrics_and_sums_take_free_folds(kernel, rows):
    X, y, numbers, _ = rows
    for model, target in ((TunedSVC, y), (TunedSVR, numbers)):
        if kernel == "auto" or model is TunedSVC:
            fitted = model(kernel, cv=TimeSeriesSplit(3), refit="one-standard-error").fit(X, target)
            assert fitted.n_splits_ == 3
            assert "rows never held out" in [finding.name for finding in fitted.diagnostics_]


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_groups_without_a_splitter_stay_whole(rows):
    """Equal rows in two groups stay in the folds of their groups; names and order of groups do not matter."""
    X, y, numbers, groups = rows
    for estimator, target in ((TunedSVC, y), (TunedSVR, numbers)):
        for cv in ("auto", 3):
            model = estimator(RBF(0.2), Cs=CS, cv=cv)
            one = model.fit(X, target, groups=groups).cv_results_["mean_test_score"]
            order = np.random.default_rng(1).permutation(N)
            names = np.array(list("fbdeac"))[groups]
            other = model.fit(X[order], target[order], groups=names[order])
            assert_allclose(other.cv_results_["mean_test_score"], one)
            assert other.n_splits_ == (5 if cv == "auto" else 3)


def test_groups_that_leak_are_worth_nothing_with_groups():
    """Rows of a group are near one another and share a random label: only folds of rows are fooled."""
    random = check_random_state(0)
    groups = np.repeat(np.arange(30), 6)
    X = random.normal(size=(30, 4))[groups] + 0.05 * random.normal(size=(180, 4))
    y = (np.arange(30) % 2)[groups]
    rbf = TunedSVC("rbf")
    assert rbf.fit(X, y).best_score_ > 0.95
    assert rbf.fit(X, y, groups=groups).best_score_ < 0.75


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (np.zeros(N), "only one group"),
        (np.arange(N - 1), "groups has 47 values for 48 samples"),
        (np.where(np.arange(N) == 3, np.nan, 1.0), "groups has no value for sample 3"),
        (np.array([*(["a"] * (N - 1)), None], dtype=object), f"groups contains None in row {N - 1}"),
        (np.array([[name] for name in [None, *"ab" * (N // 2)]][:N], dtype=object), "groups contains None"),
        (np.zeros((N, 2)), rf"groups must have one value per sample, got an array of shape \({N}, 2\)"),
        ([*([1] * (N - 1)), "a"], None),
    ],
)
def test_groups_that_cannot_be_are_refused(groups, words, rows):
    X, y, _, _ = rows
    if words is None:
        groups, words = np.array(groups, dtype=object), "cannot be compared"
    with pytest.raises(ValueError, match=words):
        TunedSVC().fit(X, y, groups=groups)


def test_more_folds_than_groups_are_refused(rows):
    X, y, _, groups = rows
    with pytest.raises(ValueError, match="cv=7 is more than the 6 groups"):
        TunedSVC(cv=7).fit(X, y, groups=groups)


def imbalance(counts, fold):
    shares = np.array([counts[fold == k].sum(axis=0) for k in range(4)]) / counts.sum(axis=0)
    return np.abs(shares - 0.25).max()


def test_groups_balance_the_classes_as_well_as_stratified_group_k_fold():
    from kernelwise.search.data.together import folds_of_groups

    ours, theirs = [], []
    for seed in range(20):
        counts = check_random_state(seed).poisson(2.0, size=(40, 3)) + 0.0
        ours.append(imbalance(counts, folds_of_groups(counts, 4, seed)))
        assert_array_equal(folds_of_groups(counts, 4, seed), folds_of_groups(counts[:, ::-1], 4, seed))
        y = np.concatenate([np.repeat(np.arange(3), row.astype(int)) for row in counts])
        groups = np.repeat(np.arange(40), counts.sum(axis=1).astype(int))
        fold = np.zeros(40, int)
        splitter = StratifiedGroupKFold(4, shuffle=True, random_state=seed)
        for k, (_, test) in enumerate(splitter.split(np.zeros(len(y)), y, groups)):
            fold[groups[test]] = k
        theirs.append(imbalance(counts, fold))
    assert np.mean(ours) < 1.1 * np.mean(theirs)
