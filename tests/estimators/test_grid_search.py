"""GridSearchSVC gives the answer of scikit-learn's GridSearchCV(SVC())."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC as SklearnSVC

from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import RBF, ExponentialRBF, Gaussian, Linear, Polynomial
from kernelwise.search.scoring.held_out_answers import HeldOutMachine
from kernelwise.search.scoring.scores import FoldAnswers, score_of

GRID = {"gamma": [0.01, 0.1, "scale", "auto"], "C": [1.0, 10.0, 100.0]}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[::2], y[::2]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16.0, y[:400]


class RepeatingSVC(SklearnSVC):
    """scikit-learn's machine on rows that are repeated as often as their weights, whole numbers, say."""

    def fit(self, X, y, sample_weight):
        rows = np.repeat(np.arange(len(y)), sample_weight.astype(int))
        return super().fit(X[rows], y[rows])


def assert_same_search(ours, theirs, n_per_fold=None):
    """The same table; scores equal, or within one sample of ``n_per_fold`` in at most 2 % of the cells."""
    mine, reference = ours.cv_results_, theirs.cv_results_
    assert list(mine) == list(reference)
    for key, column in reference.items():
        if key.startswith("param_"):
            assert mine[key].dtype == column.dtype
            np.testing.assert_array_equal(mine[key].mask, column.mask)
            assert mine[key].tolist() == column.tolist()
    assert mine["params"] == reference["params"]
    scores = [key for key in reference if key.startswith("split")]
    difference = np.array([mine[key] - reference[key] for key in scores])
    if n_per_fold is None:
        np.testing.assert_allclose(difference, 0.0, atol=1e-12)
    else:
        assert np.abs(difference).max() <= 1.0 / n_per_fold + 1e-12
        assert np.mean(np.abs(difference) > 1e-12) <= 0.02
    assert ours.n_splits_ == theirs.n_splits_
    assert ours.multimetric_ == theirs.multimetric_


def compare(X, y, grid, *, n_per_fold=None, base=None, fit=None, **settings):
    own = settings.pop("own", {})
    ours = GridSearchSVC(grid, **settings, **own).fit(X, y, **(fit or {}))
    theirs = GridSearchCV(base or SklearnSVC(), grid, **settings).fit(X, y, **(fit or {}))
    assert_same_search(ours, theirs, n_per_fold)
    return ours, theirs


class TestAnswer:
    def test_two_classes(self, cancer):
        ours, theirs = compare(*cancer, GRID, cv=5, n_per_fold=56)
        assert ours.best_params_ == theirs.best_params_
        assert ours.best_index_ == theirs.best_index_
        assert ours.best_score_ == theirs.best_score_
        np.testing.assert_array_equal(ours.predict(cancer[0]), theirs.predict(cancer[0]))
        expected = theirs.decision_function(cancer[0])
        np.testing.assert_allclose(ours.decision_function(cancer[0]), expected, atol=5e-3)
        assert ours.score(*cancer) == theirs.score(*cancer)
        assert ours.refit_time_ > 0.0

    def test_three_classes(self, iris):
        ours, theirs = compare(*iris, GRID, cv=4)
        np.testing.assert_array_equal(
            ours.cv_results_["rank_test_score"], theirs.cv_results_["rank_test_score"]
        )
        assert ours.decision_function(iris[0]).shape == (150, 3)

    def test_ten_classes(self, digits):
        compare(*digits, {"gamma": [0.02, 0.1], "C": [0.5, 5.0, 50.0]}, cv=3, n_per_fold=133)

    def test_one_against_the_rest(self, iris):
        grid = {"gamma": [0.1, 1.0], "C": [1.0, 10.0]}
        ours = GridSearchSVC(grid, multiclass="ovr", cv=3).fit(*iris)
        wrapped = {f"estimator__{name}": values for name, values in grid.items()}
        theirs = GridSearchCV(OneVsRestClassifier(SklearnSVC()), wrapped, cv=3).fit(*iris)
        difference = ours.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]
        assert np.abs(difference).max() <= 1.0 / 150.0

    def test_list_of_grids_with_all_kernels(self, cancer):
        X, y = cancer
        grids = [
            {"kernel": ["linear"], "C": [0.1, 1.0]},
            {"kernel": ["poly"], "degree": [2, 3], "coef0": [0.0, 1.0], "gamma": [0.01, "scale"], "C": [1.0]},
            {"kernel": ["rbf"], "C": [1.0, 4.0]},
        ]
        compare(X, y, grids, cv=3, n_per_fold=94)

    def test_sigmoid(self, cancer):
        grid = {"kernel": ["sigmoid"], "gamma": [0.001], "coef0": [0.0], "C": [1.0, 10.0]}
        compare(*cancer, grid, cv=3)

    def test_gamma_of_linear_plays_no_part(self, cancer):
        search = GridSearchSVC({"kernel": ["linear"], "gamma": [0.1, 1.0], "C": [1.0]}, cv=3).fit(*cancer)
        assert np.ptp(search.cv_results_["mean_test_score"]) == 0.0

    def test_default_grid_is_that_of_libsvm(self, iris):
        search = GridSearchSVC(cv=2).fit(*iris)
        assert len(search.cv_results_["params"]) == 110
        assert sorted({np.log2(p["C"]) for p in search.cv_results_["params"]}) == list(range(-5, 16, 2))
        assert sorted({np.log2(p["gamma"]) for p in search.cv_results_["params"]}) == list(range(-15, 4, 2))

    def test_kernels_times_Cs(self, iris):
        kernels = [RBF(0.1), ExponentialRBF(0.5), Linear(), Polynomial(2), Gaussian(np.eye(4))]
        search = GridSearchSVC(kernels=kernels, Cs=[1.0, 10.0], cv=3).fit(*iris)
        assert {tuple(p) for p in search.cv_results_["params"]} == {("C", "kernel")}
        for kernel in kernels:
            chosen = [p["kernel"] is kernel for p in search.cv_results_["params"]]
            theirs = GridSearchCV(SklearnSVC(kernel=kernel), {"C": [1.0, 10.0]}, cv=3).fit(*iris)
            expected = theirs.cv_results_["mean_test_score"]
            np.testing.assert_allclose(search.cv_results_["mean_test_score"][chosen], expected, atol=1e-12)

    def test_kernel_function(self, iris):
        settings = {"cv": 3, "base": SklearnSVC(kernel=laplacian_kernel), "own": {"kernel": laplacian_kernel}}
        compare(*iris, {"C": [0.5, 5.0]}, **settings)

    def test_precomputed(self, iris):
        K = rbf_kernel(iris[0], gamma=0.2)
        base = SklearnSVC(kernel="precomputed")
        ours, _ = compare(K, iris[1], {"C": [0.5, 5.0]}, cv=3, base=base, own={"kernel": "precomputed"})
        assert ours.__sklearn_tags__().input_tags.pairwise
        nested = cross_val_score(clone(ours), K, iris[1], cv=3)
        search = GridSearchCV(base, {"C": [0.5, 5.0]}, cv=3)
        np.testing.assert_allclose(nested, cross_val_score(search, K, iris[1], cv=3))


class TestWeightsAndLabels:
    @pytest.mark.parametrize("labels", [["no", "yes"], [3.0, -7.0]])
    def test_labels_of_any_type(self, cancer, labels):
        X, y = cancer
        ours, theirs = compare(X, np.array(labels)[y], {"gamma": [0.02], "C": [1.0, 10.0]}, cv=3)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    def test_class_weight(self, cancer):
        X, y = cancer
        grid = {
            "class_weight": [None, "balanced", {0: 5.0, 1: 0.5}],
            "gamma": [0.03, "scale"],
            "C": [0.5, 5.0, 20.0],
        }
        compare(X, y, grid, cv=KFold(4, shuffle=True, random_state=0), n_per_fold=71)

    @pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_balanced_on_each_training_part(self, kernel, n_classes):
        # The folds are not stratified, so that each training part has factors of its own.
        random = np.random.default_rng(n_classes)
        y = np.minimum(random.integers(0, 2 * n_classes, 70), n_classes - 1)
        X = random.normal(size=(70, 2)) + 0.8 * y[:, None]
        grid = {"C": [1.0, 5.0], "class_weight": ["balanced", {0: 3.0}]}
        if kernel == "rbf":
            grid["gamma"] = [0.1, 1.0, "scale"]
        own = {"tol": 1e-5, "kernel": kernel}
        base = SklearnSVC(tol=1e-4, kernel=kernel)
        compare(X, y, grid, cv=KFold(4), base=base, own=own)
        weight = random.integers(0, 4, 70).astype(float)
        repeating = RepeatingSVC(tol=1e-4, kernel=kernel)
        compare(X, y, grid, cv=KFold(4), base=repeating, own=own, fit={"sample_weight": weight})

    @pytest.mark.parametrize("class_weight", [None, "balanced"])
    def test_a_class_without_weight_in_a_training_part(self, iris, class_weight):
        X, y = iris[0][::3], np.array(["a", "b", "c"])[iris[1][::3]]
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        (train, _), *_ = folds.split(X, y)
        weight = np.ones(y.size)
        weight[train[y[train] == "c"]] = 0.0
        own, base = {"class_weight": class_weight}, RepeatingSVC(class_weight=class_weight)
        compare(X, y, {"C": [1.0, 10.0]}, cv=folds, fit={"sample_weight": weight}, own=own, base=base)

    def test_weights_that_leave_a_fold_without_rows(self, cancer):
        X, y = cancer
        folds = list(StratifiedKFold(3).split(X, y))
        (train, test), *_ = folds

        def zero(rows):
            weight = np.ones(y.size)
            weight[rows] = 0.0
            return {"X": X, "y": y, "sample_weight": weight}

        search = GridSearchSVC({"C": [1.0, 2.0]}, cv=folds, refit=False)
        strict = GridSearchSVC({"C": [1.0, 2.0]}, cv=folds, refit=False, error_score="raise")
        for one in (search, strict):
            with pytest.raises(ValueError, match="is zero for all samples in the test part of fold 0"):
                one.fit(**zero(test))
        rows, sentence = (
            train[y[train] == 1],
            "fold 0 has only one class, not counting rows of weight zero: 0",
        )
        with pytest.raises(ValueError, match=sentence):
            strict.fit(**zero(rows))
        with pytest.warns(FitFailedWarning, match=sentence), pytest.warns(UserWarning, match="finite"):
            search.fit(**zero(rows))
        assert np.isnan(search.cv_results_["split0_test_score"]).all()
        assert np.isfinite(search.cv_results_["split1_test_score"]).all()
        with pytest.raises(ValueError, match="is zero for all samples in the training part of fold 0"):
            search.fit(**zero(train))

    def test_sample_weight_reaches_machines_and_scorers(self, cancer):
        X, y = cancer
        fit = {"sample_weight": np.random.default_rng(0).uniform(0.1, 3.0, y.size)}
        compare(X, y, {"gamma": [0.03], "C": [0.5, 5.0]}, cv=3, fit=fit)
        compare(X, y, {"gamma": [0.03], "C": [0.5, 5.0]}, cv=3, fit=fit, scoring="f1")

    def test_a_scorer_without_weights_is_named(self, cancer):
        X, y = cancer
        scorer = make_scorer(lambda truth, labels: float(np.mean(truth == labels)))
        search = GridSearchSVC({"C": [1.0]}, cv=2, scoring=scorer)
        with pytest.warns(UserWarning, match="does not support sample_weight"):
            search.fit(X, y, sample_weight=np.ones(y.size))

    @pytest.mark.parametrize("container", [sparse.csr_array, sparse.coo_matrix])
    def test_sparse(self, digits, container):
        X, y = digits
        grid = {"kernel": ["rbf", "linear"], "gamma": ["scale"], "C": [1.0, 10.0]}
        ours = GridSearchSVC(grid, cv=3, scoring="f1_macro").fit(container(X), y)
        dense = GridSearchSVC(grid, cv=3, scoring="f1_macro").fit(X, y)
        for key in ("split0_test_score", "split2_test_score"):
            np.testing.assert_allclose(ours.cv_results_[key], dense.cv_results_[key])


class TestFolds:
    @pytest.mark.parametrize(
        "cv",
        [
            ShuffleSplit(4, test_size=0.3, random_state=0),
            RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
            [
                (np.arange(0, 150, 2), np.arange(1, 150, 2)),
                (np.arange(150) % 3 != 0, np.arange(150) % 3 == 0),
            ],
            [(np.arange(150), np.arange(150))],
            [(np.r_[0:150:3, 0:150:3, 1:150:6], np.r_[2:150:3, 2:20:3])],
        ],
        ids=["overlapping", "repeated", "listed", "resubstitution", "bootstrap"],
    )
    def test_any_splits(self, iris, cv):
        compare(*iris, {"gamma": [0.3, "scale"], "C": [1.0, 10.0]}, cv=cv)

    def test_groups(self, iris):
        compare(*iris, {"gamma": [0.3], "C": [1.0]}, cv=GroupKFold(3), fit={"groups": np.arange(150) % 7})

    def test_a_class_missing_from_training_is_no_failure(self, iris):
        compare(*iris, {"gamma": [0.3], "C": [1.0, 10.0]}, cv=KFold(3))

    def test_one_class_in_training(self, cancer):
        X, y = cancer
        only_ones, rest = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        splits = [(only_ones, rest), (np.arange(0, 285, 2), np.arange(1, 285, 2))]
        search = GridSearchSVC({"C": [1.0, 2.0]}, cv=splits, error_score=-1.0)
        with pytest.warns(FitFailedWarning, match="2 fits failed out of a total of 4"):
            search.fit(X, y)
        np.testing.assert_array_equal(search.cv_results_["split0_test_score"], -1.0)
        with pytest.raises(ValueError, match="one class"):
            search.set_params(error_score="raise").fit(X, y)
        with pytest.raises(ValueError, match="All the 2 fits failed"):
            search.set_params(cv=splits[:1], error_score=np.nan).fit(X, y)

    def test_failed_candidates_rank_last(self, cancer):
        X, y = cancer
        splits = [(np.flatnonzero(y == 1), np.flatnonzero(y == 0)), *StratifiedKFold(2).split(X, y)]
        search = GridSearchSVC({"C": [1.0]}, cv=splits)
        with pytest.warns(FitFailedWarning), pytest.warns(UserWarning, match="non-finite"):
            search.fit(X, y)
        assert search.cv_results_["rank_test_score"].tolist() == [1]


class TestScoring:
    @pytest.mark.parametrize(
        "scoring", ["accuracy", "roc_auc", "average_precision", "f1", "balanced_accuracy"]
    )
    def test_names(self, cancer, scoring):
        ours, theirs = compare(
            *cancer, {"gamma": [0.02, "scale"], "C": [1.0, 10.0, 1e5]}, cv=3, scoring=scoring, n_per_fold=94
        )
        assert type(ours.scorer_) is type(theirs.scorer_)

    @pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", "accuracy"])
    def test_short_cuts(self, scoring):
        random = np.random.default_rng(3)
        y = np.array(["a", "b"])[random.integers(0, 2, 40)]
        decision = random.integers(-3, 4, (6, 40)) / 2.0  # with ties
        labels = np.where(decision >= 0, "b", "a")
        scores = score_of(scoring).fast(FoldAnswers(lambda: labels, decision, y, np.array(["a", "b"]), None))
        for c in range(6):
            machine = HeldOutMachine(None, np.array(["a", "b"]), lambda c=c: labels[c], decision[c])
            assert scores[c] == pytest.approx(get_scorer(scoring)(machine, None, y), abs=1e-14)
        with_one_class = score_of("roc_auc").fast(
            FoldAnswers(lambda: labels, decision, np.full(40, "a"), np.array(["a", "b"]), None)
        )
        assert with_one_class is None

    def test_scorers_are_asked_only_when_the_answer_may_change(self, cancer):
        calls = {"labels": 0, "decision": 0}

        def by_labels(machine, X, y):
            calls["labels"] += 1
            return float(np.mean(machine.predict(X) == y))

        def by_decision(machine, X, y):
            calls["decision"] += 1
            return float(np.mean((machine.decision_function(X) >= 0) == y))

        scoring = {"labels": by_labels, "decision": by_decision, "accuracy": "accuracy"}
        grid = {"gamma": [0.05], "C": (2.0 ** np.arange(0, 16, 0.5)).tolist()}
        results = GridSearchSVC(grid, cv=3, scoring=scoring, refit=False).fit(*cancer).cv_results_
        for name in ("labels", "decision"):
            np.testing.assert_array_equal(results[f"mean_test_{name}"], results["mean_test_accuracy"])
        assert calls["labels"] < calls["decision"] < 3 * 32

    @pytest.mark.parametrize("shape", ["ovr", "ovo"])
    def test_shape_of_decision_values(self, iris, shape):
        def columns(machine, X, y):
            values = machine.decision_function(X)
            return float(values.shape[1] + np.mean(np.sign(values)))

        base = SklearnSVC(decision_function_shape=shape)
        compare(*iris, {"C": [1.0]}, cv=3, scoring=columns, base=base, own={"decision_function_shape": shape})

    def test_several_metrics(self, cancer):
        grid = {"gamma": [0.001, 0.02], "C": [1.0, 10.0]}
        scoring = {"acc": "accuracy", "f": make_scorer(f1_score, pos_label=0)}
        ours, theirs = compare(*cancer, grid, cv=3, scoring=scoring, refit="f")
        assert ours.best_params_ == theirs.best_params_
        assert ours.score(*cancer) == theirs.score(*cancer)
        assert list(ours.scorer_) == ["acc", "f"]
        compare(*cancer, grid, cv=3, scoring=["accuracy", "recall"], refit=False)
        with pytest.raises(ValueError, match="must be a callable, False or one of 'acc', 'f', got True"):
            GridSearchSVC(grid, scoring=scoring).fit(*cancer)

    def test_a_function_that_returns_several(self, cancer):
        def both(machine, X, y):
            labels = machine.predict(X)
            return {"right": float(np.mean(labels == y)), "first": float(np.mean(labels == 0))}

        ours, theirs = compare(*cancer, {"gamma": [0.02], "C": [1.0, 9.0]}, cv=3, scoring=both, refit="right")
        assert ours.best_params_ == theirs.best_params_
        assert ours.score(*cancer) == theirs.score(*cancer)

    def test_scorers_see_the_users_own_rows(self, cancer):
        X, y = cancer
        frame = pd.DataFrame(X).add_prefix("f")

        def on_frame(machine, X, y):
            return float(X["f3"].mean() + machine.score(X, y))

        ours, _ = compare(frame, y, {"gamma": [0.02], "C": [1.0]}, cv=3, scoring=on_frame)
        assert ours.feature_names_in_.tolist() == ours.best_estimator_.feature_names_in_.tolist()

    def test_probabilities_are_refused(self, cancer):
        with pytest.raises(
            IncompatibleError,
            match=r"'neg_log_loss' needs more than labels and decision .* Use 'accuracy'",
        ):
            GridSearchSVC({"C": [1.0]}, scoring="neg_log_loss").fit(*cancer)

    def test_other_samples_are_refused(self, cancer):
        with pytest.raises(IncompatibleError, match="other samples"):
            GridSearchSVC({"C": [1.0]}, scoring=lambda machine, X, y: machine.predict(X[:3]).mean()).fit(
                *cancer
            )

    def test_a_scorer_that_fails(self, cancer):
        def fails(machine, X, y):
            raise ZeroDivisionError("nothing to score")

        search = GridSearchSVC({"C": [1.0]}, cv=2, scoring=fails, error_score=0.25)
        with pytest.warns(UserWarning, match="Scoring failed"):
            search.fit(*cancer)
        assert search.best_score_ == 0.25
        with pytest.raises(ZeroDivisionError):
            search.set_params(error_score="raise").fit(*cancer)

    def test_training_scores(self, iris):
        compare(*iris, GRID, cv=3, return_train_score=True)
        compare(*iris, GRID, cv=3, return_train_score=True, scoring=["accuracy", "f1_macro"], refit=False)


class TestRefit:
    def test_callable(self, cancer):
        def smallest(results):
            return int(np.argmin(results["param_C"].astype(float)))

        ours, theirs = compare(*cancer, {"C": [10.0, 0.5, 2.0]}, cv=3, refit=smallest)
        assert ours.best_params_ == theirs.best_params_ == {"C": 0.5}
        assert not hasattr(ours, "best_score_")
        with pytest.raises(IndexError, match="there are 1 candidates"):
            GridSearchSVC({"C": [1.0]}, refit=lambda results: 5).fit(*cancer)
        with pytest.raises(TypeError, match="must return an integer"):
            GridSearchSVC({"C": [1.0]}, refit=lambda results: "C").fit(*cancer)

    def test_none(self, cancer):
        search = GridSearchSVC({"C": [1.0, 2.0]}, refit=False)
        with pytest.raises(NotFittedError):
            search.predict(cancer[0])
        search.fit(*cancer)
        assert search.best_params_["C"] in (1.0, 2.0)
        with pytest.raises(AttributeError, match="refit=False"):
            search.predict(cancer[0])


class TestScaling:
    GRID: dict = {"gamma": [0.01, "scale"], "C": [1.0, 10.0]}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("scaler", "reference"),
        [("standard", StandardScaler()), ("minmax", MinMaxScaler()), (RobustScaler(), RobustScaler())],
    )
    def test_per_fold_is_the_pipeline(self, scaler, reference):
        X, y = load_breast_cancer(return_X_y=True)
        X, y = X[::2], y[::2]
        ours = GridSearchSVC(self.GRID, scaler=scaler, cv=4, tol=1e-6).fit(X, y)
        grid = {f"svc__{name}": values for name, values in self.GRID.items()}
        theirs = GridSearchCV(make_pipeline(reference, SklearnSVC(tol=1e-6)), grid, cv=4).fit(X, y)
        for key in [key for key in ours.cv_results_ if key.startswith("split")]:
            np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=1e-12)
        assert isinstance(ours.best_estimator_, Pipeline)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    def test_shared_is_scaling_first(self):
        X, y = load_breast_cancer(return_X_y=True)
        ours = GridSearchSVC(self.GRID, scaler="standard", scaling="shared", cv=3).fit(X, y)
        first = GridSearchSVC(self.GRID, cv=3).fit(StandardScaler().fit_transform(X), y)
        for key in [key for key in ours.cv_results_ if key.startswith("split")]:
            np.testing.assert_array_equal(ours.cv_results_[key], first.cv_results_[key])
        np.testing.assert_array_equal(ours.predict(X), first.predict(StandardScaler().fit_transform(X)))

    def test_scaler_that_returns_a_frame(self, iris):
        grid = {"C": [1.0, 10.0]}
        for scaling in ("per-fold", "shared"):
            scaler = StandardScaler().set_output(transform="pandas")
            frames = GridSearchSVC(grid, scaler=scaler, scaling=scaling, cv=3).fit(*iris)
            arrays = GridSearchSVC(grid, scaler="standard", scaling=scaling, cv=3).fit(*iris)
            expected = arrays.cv_results_["mean_test_score"]
            np.testing.assert_array_equal(frames.cv_results_["mean_test_score"], expected)

    def test_weights_go_to_the_machine_and_the_scaler(self):
        X, y = load_iris(return_X_y=True)
        weight = np.random.default_rng(1).uniform(0.2, 2.0, y.size)
        ours = GridSearchSVC({"C": [1.0], "gamma": [0.25]}, scaler="standard", cv=3)
        theirs = make_pipeline(StandardScaler(), SklearnSVC(gamma=0.25))
        for weights in ({}, {"standardscaler__sample_weight": weight, "svc__sample_weight": weight}):
            theirs.fit(X, y, **weights)
            ours.fit(X, y, sample_weight=weights.get("svc__sample_weight"))
            np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-3)

    @pytest.mark.parametrize("scaling", ["per-fold", "shared"])
    @pytest.mark.parametrize("scaler", ["standard", "minmax"])
    def test_weights_are_numbers_of_rows_to_scaler_and_width(self, scaler, scaling):
        """Scores and decision values are those of repeated rows; rows of weight zero are not there."""
        random = np.random.default_rng(0)
        y = np.arange(60) % 2
        X = random.normal(size=(60, 3)) * [1.0, 5.0, 0.2] + y[:, None]
        times = random.integers(0, 4, 60)
        X[times == 0] *= 10.0
        test = np.arange(60) % 3
        rows = np.repeat(np.arange(60), times)
        settings = {"scaler": scaler, "scaling": scaling, "tol": 1e-9, "scoring": "accuracy"}
        folds = [
            [(np.flatnonzero(k != t), np.flatnonzero(k == t)) for t in range(3)] for k in (test, test[rows])
        ]
        weighted, repeated = (GridSearchSVC({"C": [1.0, 3.0]}, cv=cv, **settings) for cv in folds)
        weighted.fit(X, y, sample_weight=times)
        repeated.fit(X[rows], y[rows])
        scores = [search.cv_results_["mean_test_score"] for search in (weighted, repeated)]
        np.testing.assert_allclose(*scores)
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)

    def test_inside_other_tools(self, iris):
        grid = {"gamma": [0.1, 1.0], "C": [1.0, 10.0]}
        ours = make_pipeline(StandardScaler(), GridSearchSVC(grid, cv=3))
        theirs = make_pipeline(StandardScaler(), GridSearchCV(SklearnSVC(), grid, cv=3))
        np.testing.assert_allclose(cross_val_score(ours, *iris, cv=3), cross_val_score(theirs, *iris, cv=3))


class TestContract:
    @pytest.mark.parametrize("settings", [{}, {"scaler": "standard"}, {"scoring": "average_precision"}])
    def test_threads_change_nothing(self, cancer, settings):
        grid = {"gamma": [0.01, 0.1, "scale"], "C": [0.5, 5.0], "class_weight": [None, "balanced"]}
        one, two = (GridSearchSVC(grid, cv=3, n_jobs=n, **settings).fit(*cancer) for n in (1, 2))
        for key, column in one.cv_results_.items():
            if "time" not in key:
                np.testing.assert_array_equal(column, two.cv_results_[key])
        np.testing.assert_array_equal(one.decision_function(cancer[0]), two.decision_function(cancer[0]))

    def test_fewer_threads_within_the_memory_limit(self, cancer):
        grid = {"gamma": [0.01, 0.1], "C": [1.0]}
        tight = GridSearchSVC(grid, cv=3, n_jobs=2, memory_limit=2 * 8 * 285**2 / 2**20).fit(*cancer)
        wide = GridSearchSVC(grid, cv=3).fit(*cancer)
        np.testing.assert_array_equal(
            tight.cv_results_["mean_test_score"], wide.cv_results_["mean_test_score"]
        )
        with pytest.raises(ValueError, match=r"2 matrices of 285 × 285.*memory_limit=1"):
            GridSearchSVC(grid, memory_limit=1).fit(*cancer)

    def test_pickle_and_clone(self, cancer):
        search = GridSearchSVC({"kernel": [RBF(0.02)], "C": [1.0, 2.0]}, cv=2).fit(*cancer)
        again = pickle.loads(pickle.dumps(search))
        np.testing.assert_array_equal(again.decision_function(cancer[0]), search.decision_function(cancer[0]))
        copy = clone(search)
        assert not hasattr(copy, "cv_results_")
        assert copy.fit(*cancer).best_params_["C"] == search.best_params_["C"]

    def test_progress(self, cancer, capsys):
        GridSearchSVC({"gamma": [0.01, 0.1], "C": [1.0]}, cv=3, verbose=1).fit(*cancer)
        lines = capsys.readouterr().err.splitlines()
        assert lines == ["[1/2] rbf gamma=0.01: 3 folds done", "[2/2] rbf gamma=0.1: 3 folds done"]

    def test_quiet(self, cancer, capsys):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            GridSearchSVC({"C": [1.0]}, cv=2).fit(*cancer)
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"param_grid": {"nu": [0.5]}}, "cannot search over 'nu'.* Pass other settings"),
            ({"param_grid": {"gama": [0.5]}}, "cannot search over 'gama'.* Did you mean 'gamma'"),
            (
                {"param_grid": {"svc__gamma": [0.5]}},
                "cannot search over 'svc__gamma'.* Write 'gamma': there is no",
            ),
            ({"param_grid": {"svc__C": [0.5]}}, "cannot search over 'svc__C'.* Write 'C': there is no Pipel"),
            ({"param_grid": {"C": [-1.0]}}, "'C' of GridSearchSVC must be a positive float"),
            ({"param_grid": {"gamma": ["big"]}}, "'gamma' of .* must be one of 'scale', 'auto'"),
            ({"param_grid": {"gamma": [-0.5]}}, "'gamma' of GridSearchSVC must not be negative, got -0.5"),
            ({"param_grid": {"kernel": ["cubic"]}}, "kernel must be a Kernel or one of"),
            (
                {"param_grid": {"kernel": ["rbf", "precomputed"]}},
                "'precomputed' cannot be searched together with other kernels",
            ),
            ({"param_grid": {"class_weight": ["even"]}}, "'class_weight' of GridSearchSVC must be one of"),
            ({"param_grid": {"C": [1.0]}, "Cs": [1.0]}, "either 'param_grid' or 'kernels' and 'Cs'"),
            ({"scaler": "robust"}, "'scaler' of GridSearchSVC must be one of 'standard', 'minmax'"),
            ({"scaling": "all"}, "'scaling' parameter of GridSearchSVC must be one of"),
            ({"scaler": "standard", "kernel": "precomputed"}, "cannot be scaled"),
            ({"error_score": "nan"}, "'error_score' parameter of GridSearchSVC must be 'raise'"),
            ({"scoring": ["f1", "f1"]}, "'scoring' of GridSearchSVC must be"),
            ({"multiclass": "ovr", "decision_function_shape": "ovo"}, "has no pairwise values"),
            ({"multiclass": "all"}, "'multiclass' parameter of GridSearchSVC must be one of"),
        ],
    )
    def test_bad_settings(self, cancer, settings, message):
        with pytest.raises(ValueError, match=message):
            GridSearchSVC(**settings).fit(*cancer)


def test_score_of_several_metrics_needs_the_name_of_one(cancer):
    X, y = cancer
    names = ["accuracy", "f1"]
    search = GridSearchSVC({"C": [1.0]}, cv=2, scoring=names, refit=lambda results: 0).fit(X, y)
    with pytest.raises(ValueError, match="score needs the name of one of them in 'refit'"):
        search.score(X, y)
    named = GridSearchSVC({"C": [1.0]}, cv=2, scoring=names, refit="accuracy").fit(X, y)
    assert named.score(X, y) == np.mean(named.predict(X) == y)
