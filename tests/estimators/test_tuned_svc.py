"""TunedSVC on real data: what must not change its answer, and what it takes."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from kernelwise import SVC, TunedSVC
from kernelwise.exceptions import TrustWarning
from kernelwise.kernels import RBF
from kernelwise.search.wording import model_text
from kernelwise.solvers.probability import decide


def titanic_like():
    """Three coarse features, so that the same point is in both classes many times."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(1, 5, 400), random.integers(0, 2, 400), random.integers(0, 2, 400)])
    y = random.random(400) < 0.2 + 0.5 * X[:, 1] - 0.04 * X[:, 0]
    return X.astype(float), y.astype(int)


def few_digits():
    X, y = load_digits(n_class=3, return_X_y=True)
    return X[:100], y[:100]


SETS = {
    "iris": lambda: load_iris(return_X_y=True),
    "breast_cancer": lambda: tuple(part[:300] for part in load_breast_cancer(return_X_y=True)),
    "digits": few_digits,
    "titanic": titanic_like,
}


@pytest.fixture(scope="module", params=sorted(SETS))
def fitted(request):
    X, y = SETS[request.param]()
    return X, y, TunedSVC().fit(X, y)


def assert_same_search(one, other):
    """The same candidates with the same scores, and the same choice."""
    assert one.kernel_ == other.kernel_ or str(one.kernel_) == str(other.kernel_)
    assert one.C_ == other.C_
    assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])


def assert_same(one, other, X):
    assert_same_search(one, other)
    assert_array_equal(one.predict(X), other.predict(X))
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


# -- what must not change the answer -------------------------------------------------------------------------
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_result_again_and_with_more_threads(fitted, n_jobs):
    X, y, model = fitted
    assert_same(model, TunedSVC(n_jobs=n_jobs).fit(X, y), X)


def test_rows_in_another_order(fitted):
    X, y, model = fitted
    order = np.random.default_rng(1).permutation(len(y))
    assert_same(model, TunedSVC().fit(X[order], y[order]), X)


def test_a_weight_is_a_repeated_row(fitted):
    X, y, _ = fitted
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    repeated = TunedSVC().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same(repeated, TunedSVC().fit(X, y, sample_weight=weight), X)


@pytest.mark.slow
def test_balanced_classes_count_weights(fitted):
    X, y, _ = fitted
    weight = np.random.default_rng(3).integers(1, 4, len(y))
    repeated = TunedSVC(class_weight="balanced").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same(repeated, TunedSVC(class_weight="balanced").fit(X, y, sample_weight=weight), X)


def test_labels_renamed_in_reversed_order(fitted):
    X, y, model = fitted
    names = np.array([f"class {9 - label}" for label in range(10)])
    renamed = TunedSVC().fit(X, names[y])
    assert str(renamed.kernel_) == str(model.kernel_)
    assert renamed.C_ == model.C_
    assert_array_equal(renamed.predict(X), names[model.predict(X)])


def test_features_in_other_units(fitted):
    X, y, model = fitted
    units = 10.0 ** np.random.default_rng(4).uniform(-4, 4, X.shape[1])
    scaled = TunedSVC().fit(X * units, y)
    assert scaled.C_ == model.C_
    assert_array_equal(scaled.predict(X * units), model.predict(X))
    assert_allclose(scaled.decision_function(X * units), model.decision_function(X), atol=1e-2)


def test_weights_of_another_size(blobs):
    """A thousand times all weights is a thousandth of C."""
    X, y = blobs
    one = TunedSVC(scoring="accuracy").fit(X, y, sample_weight=np.full(len(y), 0.5))
    other = TunedSVC(scoring="accuracy").fit(X, y, sample_weight=np.full(len(y), 0.5 / 1024))
    assert other.C_ == one.C_ * 1024
    assert_allclose(other.decision_function(X), one.decision_function(X), atol=1e-8)


def test_scorers_without_weights_see_repeated_rows():
    X, y = titanic_like()

    def accuracy(machine, X, y):
        return np.mean(machine.predict(X) == y)

    assert_same_search(TunedSVC(scoring=accuracy).fit(X, y), TunedSVC().fit(X, y))


def test_scorers_without_weights_cannot_see_fractions(blobs):
    X, y = blobs
    with pytest.warns(UserWarning, match="does not support sample_weight"):
        TunedSVC(scoring=lambda machine, X, y: np.mean(machine.predict(X) == y)).fit(
            X, y, sample_weight=np.linspace(0.5, 1.5, len(y))
        )


# -- what it is right about ----------------------------------------------------------------------------------
def test_scores_are_those_of_machines_trained_one_by_one(blobs):
    """Folds given, features scaled before: the candidate's mean score is cross_val_score's."""
    X, y = blobs
    Z, cv = StandardScaler().fit_transform(X), KFold(3, shuffle=True, random_state=0)
    model = TunedSVC(["rbf", "laplacian"], scale=None, cv=cv).fit(Z, y)
    for row in range(0, len(model.cv_results_["params"]), 5):
        candidate = model.cv_results_["params"][row]
        machine = SVC(kernel=candidate["kernel"], C=candidate["C"])
        expected = cross_val_score(machine, Z, y, cv=cv)
        found = [model.cv_results_[f"split{k}_test_score"][row] for k in range(3)]
        assert_allclose(found, expected)


def test_the_machine_is_an_svc_of_the_chosen_kernel_and_c(fitted):
    X, y, blended = fitted
    model = TunedSVC(blend=False).fit(X, y)
    assert (model.kernel_, model.C_) == (blended.kernel_, blended.C_)
    machine = SVC(kernel=model.kernel_, C=model.C_).fit(model.scaler_.transform(X), y)
    by_votes = model.classes_[decide(model.machine_values(X), None, len(model.classes_), "ovo")]
    assert np.mean(machine.predict(model.scaler_.transform(X)) == by_votes) > 0.995
    assert model.best_params_["C"] == model.C_
    assert model.best_score_ == model.result_.score
    assert -model.result_.value == model.cv_results_["mean_test_score"][model.best_index_]
    assert model.result_.C == model.C_
    assert model.n_svm_fits_ == model.result_.n_svm_fits + len(model.n_iter_)


def test_accuracy_beats_the_default_machine_on_iris():
    X, y = load_iris(return_X_y=True)
    tuned = cross_val_score(TunedSVC(), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    plain = cross_val_score(
        make_pipeline(StandardScaler(), SVC()), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )
    assert tuned.mean() >= plain.mean() - 0.01


def test_one_standard_error_regularises_more(fitted):
    X, y, model = fitted
    simple = TunedSVC(refit="one-standard-error").fit(X, y)
    scaled_C = model.cv_results_["scaled_C"]
    assert scaled_C[simple.best_index_] <= scaled_C[model.best_index_]
    table = simple.cv_results_
    best = np.argmax(table["smoothed_test_score"])
    error = table["standard_error"][best]
    loss = table["smoothed_test_score"][best] - table["smoothed_test_score"][simple.best_index_]
    assert loss <= error + 1e-12


def test_a_rule_of_ones_own_chooses(blobs):
    X, y = blobs
    model = TunedSVC(refit=lambda results: np.argmin(results["scaled_C"])).fit(X, y)
    assert model.best_index_ == np.argmin(model.cv_results_["scaled_C"])
    assert model.C_ == model.cv_results_["params"][model.best_index_]["C"]
    assert "'refit'" in model.result_.why[-1]


def _first_laplacian(table):
    kinds = [type(kernel).__name__ for kernel in table["param_kernel"]]
    return kinds.index("Laplacian") + 3


def test_reasons_are_of_the_row_that_a_rule_takes():
    X, y = load_iris(return_X_y=True)
    searched = TunedSVC().fit(X, y)
    model = TunedSVC(refit=_first_laplacian).fit(X, y)
    laplacian = TunedSVC("laplacian").fit(X, y)
    assert type(searched.kernel_) is not type(model.kernel_)
    assert model.result_.why[0].startswith("Laplacian kernel with γ")
    assert "The search itself prefers " + model_text(searched.kernel_, searched.C_) in model.result_.why[-1]
    assert not any(" and chose " in sentence for sentence in model.result_.why)
    steps = [one for one in laplacian.result_.how if "by a faster rule" not in one]
    assert list(model.result_.how[: len(steps)]) == steps
    assert model.result_.forms == searched.result_.forms
    same = TunedSVC("rbf", refit=lambda table: int(np.argmax(table["smoothed_test_score"]))).fit(X, y)
    assert same.result_.why[-1] == "The rule 'refit' chose the same setting as the search."
    assert same.result_.how == TunedSVC("rbf").fit(X, y).result_.how


def test_without_refit_there_is_no_machine(blobs):
    X, y = blobs
    model = TunedSVC(refit=False).fit(X, y)
    assert model.C_ > 0
    with pytest.raises(AttributeError, match="refit=False"):
        model.predict(X)
    model = TunedSVC().fit(X, y).set_params(refit=False).fit(X, y)
    assert not hasattr(model, "best_estimator_")


def test_a_line_for_every_kernel(blobs, capsys):
    model = TunedSVC("rbf", verbose=1).fit(*blobs)
    *lines, last = capsys.readouterr().err.splitlines()
    assert last == f"[TunedSVC] {model.result_.why[0]}"
    assert len(lines) == len(np.unique(model.cv_results_["param_gamma"]))
    pattern = (
        r"\[TunedSVC\] RBF, γ = \S+: score in the search 0\.\d{4} with C = \S+ \(\d+ models, .* s\)\. "
        "The search tried it "
    )
    assert all(re.match(pattern, line) for line in lines)
    assert all(line.endswith(".") for line in lines)
    assert not any(word in line for line in lines for word in ("uphill", "peak of"))


def test_random_states(blobs):
    X, y = blobs
    assert_same_search(TunedSVC(random_state=3).fit(X, y), TunedSVC(random_state=3).fit(X, y))
    TunedSVC(random_state=None).fit(X, y)
    TunedSVC(random_state=np.random.RandomState(0)).fit(X, y)


# -- what it takes -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_with_strings_for_labels(library):
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    frame = library.DataFrame(dict(zip(names, X.T, strict=True)))
    model = TunedSVC().fit(frame, library.Series(labels))
    assert list(model.feature_names_in_) == names
    assert_array_equal(model.predict(frame), TunedSVC().fit(X, labels).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(
            frame.rename(columns={"sepal width": "breadth"})
            if library is pd
            else frame.rename({"sepal width": "breadth"})
        )
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_a_data_frame_without_names():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC().fit(pd.DataFrame(X), pd.Series(y))
    assert not hasattr(model, "feature_names_in_")
    assert_array_equal(model.predict(pd.DataFrame(X)), model.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize(
    "container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array]
)
@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_sparse_samples(container, scale):
    """Sparse features are not centred, and an RBF kernel does not see a shift."""
    X, y = few_digits()
    dense = TunedSVC(scale=scale).fit(X, y)
    model = TunedSVC(scale=scale).fit(container(X), y)
    assert np.mean(model.predict(container(X)) == dense.predict(X)) > 0.99
    if scale is None:
        assert_array_equal(model.predict(X), model.predict(container(X)))


def test_a_scaler_of_ones_own_sees_all_rows():
    X, y = titanic_like()
    model = TunedSVC(scale=RobustScaler()).fit(X, y)
    assert_allclose(model.scaler_.center_, RobustScaler().fit(X).center_)
    assert_allclose(model.scaler_.scale_, RobustScaler().fit(X).scale_)


def test_scaling_is_weighted():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = TunedSVC().fit(X, y, sample_weight=weight)
    assert_allclose(model.scaler_.mean_, np.average(X, axis=0, weights=weight))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"])
def test_strategies(strategy):
    X, y = few_digits()
    assert TunedSVC(multiclass=strategy).fit(X, y).score(X, y) > 0.97


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro", "roc_auc"])
def test_scorings(scoring):
    X, y = few_digits()
    model = TunedSVC(scoring=scoring).fit(X, y > 1)
    assert 0.9 < model.best_score_ <= 1.0


def test_a_precomputed_gram_matrix():
    X, y = load_iris(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    K = RBF(0.2)(Z)
    model = TunedSVC("precomputed").fit(K, y)
    machine = SVC(kernel=RBF(0.2), C=model.C_).fit(Z, y)
    assert_array_equal(model.predict(K), machine.predict(Z))


def test_precomputed_rows_of_weight_zero_are_left_out():
    X, y = load_iris(return_X_y=True)
    K = RBF(0.2)(StandardScaler().fit_transform(X))
    weight = (np.arange(150) % 4 > 0).astype(float)
    kept = np.flatnonzero(weight)
    model = TunedSVC("precomputed").fit(K, y, sample_weight=weight)
    other = TunedSVC("precomputed").fit(K[np.ix_(kept, kept)], y[kept])
    assert_array_equal(model.decision_function(K), other.decision_function(K[:, kept]))


def test_tools_of_scikit_learn(blobs):
    X, y = blobs
    model = TunedSVC(Cs=[1.0, 10.0])
    pipeline = make_pipeline(SelectKBest(k=2), model).fit(X, y)
    assert pipeline.score(X, y) > 0.7
    assert cross_val_score(clone(model), X, y, cv=3).mean() > 0.7
    search = GridSearchCV(model, {"criterion": ["auto", "dbtc"], "kernel": ["rbf", "linear"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.7
    fitted = model.fit(X, y)
    assert_same(fitted, pickle.loads(pickle.dumps(fitted)), X)


def test_fitting_changes_no_argument(blobs):
    X, y = blobs
    Cs, kernel = [10.0, 1.0], RBF(0.3)
    model = TunedSVC(kernel, Cs=Cs, scale=(scaler := StandardScaler())).fit(X, y)
    assert Cs == [10.0, 1.0]
    assert kernel.gamma == 0.3
    assert not hasattr(scaler, "mean_")
    assert model.kernel is kernel


def test_probabilities(fitted):
    X, _, model = fitted
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_allclose(model.predict_log_proba(X), np.log(p))
    assert np.mean(model.classes_[p.argmax(axis=1)] == model.predict(X)) > 0.9


def test_where_features_have_no_weights_the_error_says_why():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("rbf")
    assert not hasattr(model, "relevance_")
    with pytest.raises(AttributeError, match="not fitted"):
        _ = model.relevance_
    model.fit(X, y)
    assert not hasattr(model, "relevance_")
    with pytest.raises(AttributeError, match=r"chosen \(RBF, γ = .*\) has no weights of features"):
        _ = model.relevance_
    with pytest.raises(AttributeError, match=r"\(RBF, γ = .*\) has learned no metric"):
        _ = pickle.loads(pickle.dumps(model)).metric_
    with_weights = clone(model).set_params(kernel="diagonal").fit(X, y)
    assert hasattr(with_weights, "relevance_") == (with_weights.kernel_.feature_weights is not None)


@pytest.mark.parametrize("kernel", ["rbf", "auto", "poly"])
def test_the_best_parameters_go_through_json_and_back_into_estimators(kernel):
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(kernel, tol=1e-8, blend=False).fit(X, y)
    params = json.loads(json.dumps(model.best_params_))
    assert params == model.best_params_
    machine = clone(SVC(tol=1e-8).set_params(**params)).fit(model.scaler_.transform(X), y)
    assert machine.kernel_ == model.kernel_
    assert_allclose(machine.machine_values(model.scaler_.transform(X)), model.machine_values(X), atol=1e-6)
    again = TunedSVC(params["kernel"], Cs=params["C"]).fit(X, y)
    assert again.best_params_ == model.best_params_


def test_a_model_tells_of_codes_and_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 2))
    X[::10, 1] = -999.0
    y = (X[:, 0] > 0.5).astype(int)
    before = X.copy()
    with pytest.warns(TrustWarning, match=r"Column 1 \(-999 in 6 rows\)"):
        model = TunedSVC("rbf", Cs=[1.0]).fit(X, y)
    assert (X == before).all()
    assert "codes for missing values" in [finding.name for finding in model.diagnostics_]
