"""TunedSVR on real data: what must not change its answer, what it takes, and what it refuses."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.svm import SVR as LibSVR

from kernelwise import NystroemSVR, TunedSVR
from kernelwise.criteria import KernelTargetAlignment, TargetAlignment
from kernelwise.estimators import SVR
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, Linear
from kernelwise.optimizers import LineSearch
from kernelwise.search import Regression
from kernelwise.search.scoring.scores import score_unit

# Machines to this tolerance, so that predictions can be compared to PRECISION.
EXACT, PRECISION = {"tol": 1e-7}, 1e-4


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return X[:150], y[:150]


@pytest.fixture(scope="module")
def fitted(data):
    return TunedSVR(**EXACT).fit(*data)


def assert_same(one, other, X, Y=None):
    assert (one.C_, one.epsilon_) == (other.C_, other.epsilon_)
    assert_allclose(one.kernel_.theta, other.kernel_.theta, rtol=1e-9)
    assert_allclose(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1e-5)
    assert_allclose(one.predict(X), other.predict(X if Y is None else Y), atol=PRECISION * one.target_scale_)


# -- what must not change the answer -------------------------------------------------------------------------
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_result_again_and_with_more_threads(data, fitted, n_jobs):
    again = TunedSVR(n_jobs=n_jobs, **EXACT).fit(*data)
    assert_array_equal(again.predict(data[0]), fitted.predict(data[0]))
    assert_array_equal(again.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"])


def test_rows_in_another_order(data, fitted):
    X, y = data
    order = np.random.default_rng(1).permutation(len(y))
    assert_same(fitted, TunedSVR(**EXACT).fit(X[order], y[order]), X)


def test_features_in_other_units(data, fitted):
    X, y = data
    units = 10.0 ** np.random.default_rng(4).uniform(-4, 4, X.shape[1])
    assert_same(fitted, TunedSVR(**EXACT).fit(X * units, y), X, X * units)


def test_targets_in_other_units(data, fitted):
    X, y = data
    other = TunedSVR(**EXACT).fit(X, 3e5 - 1e3 * y)
    assert (other.C_, other.epsilon_) == (fitted.C_, fitted.epsilon_)
    assert_allclose((3e5 - other.predict(X)) / 1e3, fitted.predict(X), atol=PRECISION * fitted.target_scale_)


@pytest.mark.parametrize("kernel", ["rbf", "diagonal"])
def test_a_weight_is_a_repeated_row(data, kernel):
    X, y = data[0][:, :4] if kernel == "diagonal" else data[0], data[1]
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    settings = EXACT if kernel == "rbf" else {"Cs": [1.0, 10.0], **EXACT}
    model = TunedSVR(kernel, **settings)
    repeated = TunedSVR(kernel, **settings).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = model.fit(X, y, sample_weight=weight)
    assert (weighted.C_, weighted.epsilon_) == (repeated.C_, repeated.epsilon_)
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=PRECISION * weighted.target_scale_)


@pytest.mark.parametrize(
    "scoring", ["r2", "neg_mean_squared_error", lambda m, X, y: r2_score(y, m.predict(X))]
)
def test_scorers_see_weights_as_repeated_rows(data, scoring):
    X, y = data
    weight = np.arange(len(y)) % 3
    settings = {"scoring": scoring, "Cs": [1.0, 10.0], "epsilons": 0.1}
    weighted = TunedSVR(**settings).fit(X, y, sample_weight=weight)
    repeated = TunedSVR(**settings).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(
        weighted.cv_results_["mean_test_score"], repeated.cv_results_["mean_test_score"], rtol=1e-6
    )


def test_fractions_of_weights(data):
    X, y = data
    weight = np.linspace(0.5, 1.5, len(y))
    plain = TunedSVR(scoring="r2", Cs=[1.0], epsilons=0.1).fit(X, y, sample_weight=weight)
    assert plain.best_score_ < 1.0
    with pytest.warns(UserWarning, match="does not support sample_weight"):
        TunedSVR(scoring=lambda m, X, y: r2_score(y, m.predict(X)), Cs=[1.0], epsilons=0.1).fit(
            X, y, sample_weight=weight
        )


# -- what it is right about ----------------------------------------------------------------------------------
@pytest.mark.slow
def test_scores_are_those_of_machines_trained_one_by_one(data):
    """Folds given, everything standardised before: scores are those of held-out predictions."""
    X, y = data
    Z, t, cv = (
        StandardScaler().fit_transform(X),
        (y - y.mean()) / y.std(),
        KFold(3, shuffle=True, random_state=0),
    )
    model = TunedSVR(["rbf", "laplacian"], scale=None, cv=cv, tol=1e-6).fit(Z, y)
    assert len(set(model.cv_results_["param_epsilon"])) > 1
    for candidate, score in zip(
        model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True
    ):
        machine = SVR(candidate["kernel"], C=candidate["C"], epsilon=candidate["epsilon"], tol=1e-6)
        held_out = cross_val_predict(machine, Z, t, cv=cv)
        assert score == pytest.approx(1.0 - np.mean((held_out - t) ** 2), abs=1e-4)


def test_the_machine_is_scikit_learns(data):
    X, y = data
    fitted = TunedSVR(blend=False, **EXACT).fit(X, y)
    Z, t = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    machine = LibSVR(gamma=fitted.kernel_.gamma, C=fitted.C_, epsilon=fitted.epsilon_, tol=1e-7).fit(Z, t)
    # LIBSVM keeps kernel values in single precision.
    rounding = np.finfo(np.float32).eps * np.abs(machine.dual_coef_).sum() * y.std()
    assert_allclose(fitted.predict(X), y.mean() + y.std() * machine.predict(Z), atol=rounding)
    assert fitted.best_params_ == {
        "kernel": {"name": "RBF", "gamma": fitted.kernel_.gamma},
        "gamma": fitted.kernel_.gamma,
        "C": fitted.C_,
        "epsilon": fitted.epsilon_,
    }
    assert fitted.best_score_ == fitted.cv_results_["mean_test_score"][fitted.best_index_]
    assert fitted.n_svm_fits_ == fitted.result_.n_svm_fits + 1
    assert fitted.target_mean_ == pytest.approx(y.mean())


@pytest.mark.slow
def test_accuracy_is_well_above_the_default_machine():
    X, y = make_friedman1(300, noise=1.0, random_state=0)
    cv = KFold(3, shuffle=True, random_state=0)
    tuned = cross_val_score(TunedSVR(), X, y, cv=cv).mean()
    plain = cross_val_score(make_pipeline(StandardScaler(), LibSVR()), X, y, cv=cv).mean()
    assert tuned > plain + 0.03


def test_a_metric_finds_the_relevant_features():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 8))
    y = np.sin(2.0 * X[:, 2]) + X[:, 5] ** 2 + 0.1 * random.normal(size=150)
    model = TunedSVR("diagonal").fit(X, y)
    relevant = set(np.flatnonzero(model.relevance_ > 0.1))
    assert relevant >= {2, 5}
    assert len(relevant) <= 3
    assert model.relevance_.sum() == pytest.approx(1.0)
    assert model.best_score_ > TunedSVR("rbf").fit(X, y).best_score_ + 0.05
    plain = model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(plain, "relevance_")
    assert not hasattr(plain, "metric_")


@pytest.mark.parametrize("kernel", ["diagonal", "gaussian", "low-rank"])
def test_a_metric_is_in_the_units_of_the_features(data, kernel):
    """The machine is the one of Q on features as they are."""
    X, y = data[0][:80, :5], data[1][:80]
    model = TunedSVR(kernel, Cs=[1.0], epsilons=0.1).fit(X, y)
    difference = X[:40, None] - X[None, :40]
    K = np.exp(-0.5 * np.einsum("ijk,kl,ijl->ij", difference, model.metric_, difference))
    assert_allclose(model.kernel_(model.scaler_.transform(X[:40])), K, atol=1e-10)
    assert model.relevance_.shape == (X.shape[1],)


def test_scores_of_a_metric_are_honest():
    """Of a target that is noise, no metric predicts held-out values, although alignment finds one."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 20)), random.normal(size=80)
    for kernel in ("diagonal", "gaussian"):
        assert TunedSVR(kernel, Cs=[0.1, 1.0, 10.0]).fit(X, y).best_score_ < 0.1


def test_auto_finds_the_feature_that_counts():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 6))
    one_feature = np.sin(3.0 * X[:, 2]) + 0.1 * random.normal(size=100)
    chosen = TunedSVR(Cs=[1.0, 10.0, 100.0]).fit(X, one_feature)
    assert np.argmax(chosen.relevance_) == 2
    assert chosen.best_score_ > TunedSVR("rbf", Cs=[1.0, 10.0, 100.0]).fit(X, one_feature).best_score_


def test_auto_takes_sparse_samples(data):
    model = TunedSVR("auto", Cs=[1.0]).fit(sparse.csr_array(data[0]), data[1])
    assert isinstance(model.kernel_, RBF)
    assert "because the features are sparse" in " ".join(model.result_.how)


def test_epsilon_follows_the_noise():
    X = np.linspace(0.0, 6.0, 120)[:, None]
    noise = np.random.default_rng(0).normal(size=120)
    noisy, clean = (TunedSVR().fit(X, np.sin(X[:, 0]) + s * noise) for s in (0.7, 0.001))
    assert max(noisy.cv_results_["param_epsilon"]) > 0.2
    assert clean.epsilon_ < 0.03
    assert clean.best_score_ > 0.999
    assert "ε =" in noisy.result_.why[-1]


def test_every_epsilon_sees_the_same_values_of_C(data):
    table = TunedSVR("rbf").fit(*data).cv_results_
    others = table["reason"] == "other ε"
    assert others.any()
    for epsilon in set(table["param_epsilon"][others]):
        tried = np.asarray(table["param_C"][others & (table["param_epsilon"] == epsilon)], dtype=float)
        same_kernel = table["param_gamma"] == table["param_gamma"][np.flatnonzero(others)[0]]
        first = np.asarray(table["param_C"][same_kernel & (table["param_epsilon"] == 0.1)], dtype=float)
        assert_array_equal(tried, first)


@pytest.mark.parametrize(
    "kernel", ["linear", "poly", "sigmoid", "exponential", "kmod", "mahalanobis", "gaussian"]
)
@pytest.mark.filterwarnings("ignore:.*models stopped before they converged")
def test_every_kind_of_kernel(data, kernel):
    X, y = data
    X = X[:, [2, 3, 8]] if kernel == "gaussian" else X  # its parameters are many: time
    model = TunedSVR(kernel).fit(X, y)
    assert model.best_score_ > 0.25
    assert model.score(X, y) > model.best_score_ - 0.1


@pytest.mark.parametrize("criterion", ["kta", "centered-kta", TargetAlignment(centered=True), "cv-error"])
def test_criteria(data, criterion):
    model = TunedSVR("rbf", criterion=criterion).fit(*data)
    assert model.best_score_ > 0.25
    is_alignment = criterion != "cv-error"
    assert (model.result_.search is not None) == is_alignment
    assert ("value" in model.criterion_path_) == is_alignment
    assert isinstance(model.result_.criterion, TargetAlignment) == is_alignment


def test_a_search_of_ones_own(data):
    model = TunedSVR("rbf", criterion="centered-kta", search=LineSearch()).fit(*data)
    quasi_newton = TunedSVR("rbf", criterion="centered-kta").fit(*data)
    assert model.kernel_.gamma == pytest.approx(quasi_newton.kernel_.gamma, rel=1e-2)


def test_rules_of_refit(data, fitted):
    simple = TunedSVR(refit="one-standard-error", **EXACT).fit(*data)
    scaled_C = fitted.cv_results_["scaled_C"]
    assert scaled_C[simple.best_index_] < scaled_C[fitted.best_index_]
    last = TunedSVR(refit=lambda table: len(table["params"]) - 1).fit(*data)
    assert last.best_index_ == len(last.cv_results_["params"]) - 1
    assert last.epsilon_ == last.cv_results_["params"][-1]["epsilon"]
    none = last.set_params(refit=False).fit(*data)
    with pytest.raises(AttributeError, match="refit=False"):
        none.predict(data[0])


def test_given_values_are_the_only_ones_tried(data):
    model = TunedSVR(Cs=[10.0, 1.0], epsilons=[0.3, 0.05]).fit(*data)
    assert set(model.cv_results_["param_C"]) == {1.0, 10.0}
    assert set(model.cv_results_["param_epsilon"]) == {0.05, 0.3}


# -- what it takes -------------------------------------------------------------------------------------------
def test_data_frames(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = TunedSVR().fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list(frame)
    # A frame's columns are stored one after the other, which rounds distances differently.
    assert_allclose(model.predict(frame), TunedSVR().fit(X, y).predict(X), rtol=1e-8)


@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_sparse_samples(data, scale):
    X, y = np.where(data[0] > np.median(data[0], axis=0), 1.0, 0.0), data[1]
    dense = TunedSVR("rbf", scale=scale, **EXACT).fit(X, y)
    model = TunedSVR("rbf", scale=scale, **EXACT).fit(sparse.csr_array(X), y)
    if scale == "standard":  # sparse features are not centred, so that the folds are others
        assert model.best_score_ == pytest.approx(dense.best_score_, abs=0.1)
        return
    assert_allclose(model.predict(sparse.csr_array(X)), dense.predict(X), atol=PRECISION * y.std())


def test_a_precomputed_gram_matrix(data):
    X, y = data
    Z = StandardScaler().fit_transform(X)
    K, weight = RBF(0.02)(Z), (np.arange(len(y)) % 4 > 0).astype(float)
    model = TunedSVR("precomputed", **EXACT).fit(K, y, sample_weight=weight)
    machine = SVR(RBF(0.02), C=model.C_, epsilon=model.epsilon_, tol=1e-7)
    kept = weight > 0
    mean, deviation = y[kept].mean(), y[kept].std()
    expected = mean + deviation * machine.fit(Z[kept], (y[kept] - mean) / deviation).predict(Z)
    assert_allclose(model.predict(K), expected, atol=PRECISION * deviation)


def test_a_constant_target(data):
    model = TunedSVR().fit(data[0], np.full(150, 7.0))
    assert_array_equal(model.predict(data[0]), 7.0)
    assert TunedSVR("diagonal").fit(data[0], np.full(150, 7.0)).best_score_ == 1.0


def test_two_samples():
    model = TunedSVR("linear").fit([[0.0], [1.0]], [0.0, 1.0])
    assert model.n_splits_ == 2


def test_more_rows_than_a_search_looks_at(data, monkeypatch):
    monkeypatch.setattr(Regression, "max_rows", 60)
    model = TunedSVR().fit(*data)
    assert any(finding.name == "sampled" for finding in model.diagnostics_)
    assert len(model.best_estimator_.support_) > 60


def test_a_time_budget_says_what_it_skipped(data):
    with pytest.warns(KernelwiseWarning, match="budget of 1e-06 s was too short for"):
        model = TunedSVR(time_budget=1e-6).fit(*data)
    assert model.result_.stop_reason == "time budget"
    assert np.isfinite(model.predict(data[0])).all()


def test_early_stops_are_said(data):
    with pytest.warns(ConvergenceWarning) as caught:
        TunedSVR("linear", max_iter=3, Cs=[100.0]).fit(*data)
    assert any("models stopped before they converged" in str(warning.message) for warning in caught)


def test_a_line_for_every_path(data, capsys):
    model = TunedSVR("rbf", verbose=1).fit(*data)
    *lines, last = capsys.readouterr().err.splitlines()
    assert last == f"[TunedSVR] {model.result_.why[0]}"
    assert all(line.startswith("[TunedSVR] RBF, γ = ") for line in lines)
    assert all(" The search tried it because " in line for line in lines)
    assert len(lines) == model.result_.n_iterations


def test_pickles_and_scalers(data, fitted):
    X, y = data
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    model = TunedSVR(scale=(scaler := RobustScaler())).fit(X, y)
    assert_allclose(model.scaler_.center_, np.median(X, axis=0))
    assert not hasattr(scaler, "center_")


# -- what it refuses -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criterion": "dbtc"}, "must work for numbers as targets, but 'dbtc' needs classes"),
        ({"criterion": KernelTargetAlignment()}, "Use 'auto', 'cv-error', 'kta', 'centered-kta' or a Target"),
        ({"epsilons": -0.1}, "'epsilons' of TunedSVR must not be negative"),
        ({"epsilons": []}, "'epsilons' of TunedSVR is empty"),
        ({"Cs": [0.0]}, "'Cs' of TunedSVR must be a positive float"),
        ({"kernel": "spline"}, "kernel must be a Kernel or one of"),
        ({"cv": 1}, "'cv' of TunedSVR must be"),
        ({"cv": 151}, "cv=151 is more than the 150 samples. Use fewer folds."),
        ({"refit": "best"}, "'refit' of TunedSVR must be True"),
        ({"scale": "log"}, "'scale' of TunedSVR must be one of"),
        ({"time_budget": 0.0}, "'time_budget' parameter of TunedSVR must be None or a positive number"),
        ({"search": "fast"}, "'search' of TunedSVR must be an Optimizer"),
    ],
)
def test_bad_settings_get_one_sentence(data, settings, message):
    with pytest.raises(ValueError, match=message):
        TunedSVR(**settings).fit(*data)


def test_bad_data_get_one_sentence(data):
    X, y = data
    with pytest.raises(ValueError, match="All features are constant"):
        TunedSVR().fit(np.ones_like(X), y)
    with pytest.raises(ValueError, match=r"Input y contains NaN|y contains None in row 1"):
        TunedSVR().fit(X, np.where(y > 100, np.nan, y))
    with pytest.raises(ValueError, match="at least 2 samples of positive weight"):
        TunedSVR().fit(X, y, sample_weight=np.arange(150) == 3)
    with pytest.raises(ValueError, match=r"'epsilon' parameter of SVR must be .* not negative"):
        SVR(epsilon=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="y is constant"):
        TunedSVR(criterion="kta").fit(X, np.ones(150))


@pytest.mark.parametrize("model", [SVR(), NystroemSVR(n_components=10), TunedSVR(cv=2)])
@pytest.mark.parametrize("kind", [list, np.array, partial(np.array, dtype=object), pd.Categorical])
def test_words_are_no_targets(data, model, kind):
    with pytest.raises(ValueError, match=r"y has .* in row \d, which is not a number.* use TunedSVC"):
        model.fit(data[0][:60], kind(["ant", "bee"] * 30))


@pytest.mark.parametrize("model", [SVR(), NystroemSVR(n_components=10), TunedSVR(cv=2)])
@pytest.mark.parametrize("missing", [[1.0, None] * 30, pd.Series([1.0, None] * 30, dtype="Float64")])
def test_missing_targets_are_named(data, model, missing):
    with pytest.raises(ValueError, match=r"Input y contains NaN|y contains None in row 1"):
        model.fit(data[0][:60], missing)


@pytest.mark.parametrize("unit", [1e-170, 1e200])
@pytest.mark.parametrize("model", [SVR(), NystroemSVR(n_components=10)])
def test_targets_whose_squares_are_no_numbers_are_refused(data, model, unit):
    X, y = data[0][:60], data[1][:60] - data[1][:60].mean()
    with pytest.raises(ValueError, match=r"y has values from -.*Rescale the targets, or use TunedSVR"):
        model.fit(X, y * unit)
    model.fit(X, np.arange(60))  # whole numbers have no infinity
    spoilt = np.append(y, 1e200)
    left_out = np.append(np.ones(60), 0.0)
    model.fit(data[0][:61], spoilt, left_out)  # of weight zero
    settings = {"cv": 2, "Cs": [1.0], "epsilons": 0.1}
    same = TunedSVR(**settings).fit(X, y * unit).predict(X) / unit
    assert_allclose(same, TunedSVR(**settings).fit(X, y).predict(X), rtol=1e-6)


@pytest.mark.parametrize("unit", [1e20, 1e39, 1e100])
def test_svr_of_large_targets_is_scikit_learns(data, unit):
    X, y = data[0][:60], data[1][:60]
    ours, peer = SVR(RBF(0.5)).fit(X, y * unit), LibSVR(gamma=0.5).fit(X, y * unit)
    assert_allclose(ours.predict(X), peer.predict(X))
    same = SVR(RBF(0.5), C=unit, epsilon=0.1 * unit, tol=1e-3 * unit).fit(X, y * unit)
    assert_allclose(same.predict(X) / unit, SVR(RBF(0.5)).fit(X, y).predict(X), atol=5e-3)


def test_numpys_integers_are_numbers_of_folds(data):
    with pytest.raises(ValueError, match="cv=100 is more than the 80 samples"):
        TunedSVR(cv=np.int64(100)).fit(data[0][:80], data[1][:80])


def test_svr_with_a_name_takes_the_start_from_the_data(data):
    X, y = StandardScaler().fit_transform(data[0]), data[1]
    ours = SVR("rbf", C=100.0, epsilon=1.0, tol=1e-7).fit(X, y)
    theirs = LibSVR(C=100.0, epsilon=1.0, tol=1e-7).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    assert SVR(Linear()).fit(X, y).kernel_ == Linear()


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_mirrored_targets_have_the_mirrored_model(kernel):
    """The search is by machines of a coarse tolerance, which must err in the same way for both signs."""
    for seed in (3, 11, 17):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 3))
        y = np.sin(X[:, 0]) + X[:, -1] ** 2 + 0.3 * random.normal(size=60) + 5.0
        one, other = (TunedSVR(kernel).fit(X, target) for target in (y, -y))
        assert (one.C_, one.epsilon_, repr(one.kernel_)) == (other.C_, other.epsilon_, repr(other.kernel_))
        assert_array_equal(one.predict(X), -other.predict(X))


@pytest.mark.parametrize(
    ("scoring", "unit"),
    [
        (None, 1.0),
        ("r2", 1.0),
        ("neg_mean_absolute_error", 3.0),
        ("neg_root_mean_squared_error", 3.0),
        ("max_error", 3.0),
        ("neg_mean_squared_error", 9.0),
        ("neg_mean_absolute_percentage_error", 1.0),
        ("neg_mean_squared_log_error", 1.0),
        (max, 1.0),
    ],
    ids=str,
)
def test_scores_have_the_unit_of_the_target_or_none(scoring, unit):
    assert score_unit(scoring, 3.0) == unit


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_an_error_in_units_of_the_target_chooses_the_same_in_any_unit(kernel):
    """Of 25 such sets two to four changed, because C went on for a gain of a fixed size."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 3))
        y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=60)
        first, other = (
            TunedSVR(kernel, scoring="neg_mean_absolute_error").fit(X, unit * y) for unit in (1.0, 2.0**-30)
        )
        assert (str(first.kernel_), first.C_, first.epsilon_) == (
            str(other.kernel_),
            other.C_,
            other.epsilon_,
        )


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_score_of_targets_whose_squares_no_number_holds(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    expected = TunedSVR("rbf").fit(X, y).score(X, y)
    assert TunedSVR("rbf").fit(X, scale * y).score(X, scale * y) == pytest.approx(expected, abs=1e-6)
