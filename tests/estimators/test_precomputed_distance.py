"""kernel="precomputed-distance": X is a matrix of distances D, and γ of exp(−γD) is chosen."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

import kernelwise
from kernelwise import SVC, SVR, GridSearchSVC, TunedSVC, TunedSVR
from kernelwise.exceptions import DegenerateGramError, IncompatibleError, KernelwiseWarning
from kernelwise.kernels import RBF, KernelSum, PrecomputedDistance
from kernelwise.testing import central_difference

WORD = "precomputed-distance"


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    X = X[::2] + 0.3 * np.random.default_rng(0).normal(size=(75, 4))
    return X, y[::2], cdist(X, X, "cityblock")


@pytest.fixture(scope="module")
def folds(flowers):
    X, y, _ = flowers
    return list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))


@pytest.fixture(scope="module")
def model(flowers, folds):
    _, y, D = flowers
    return TunedSVC(WORD, cv=folds).fit(D, y)


def test_every_width_has_the_score_of_its_gram_matrix(flowers, folds, model):
    _, y, D = flowers
    table = model.cv_results_
    gammas = sorted({params["gamma"] for params in table["params"]})
    assert len(gammas) >= 3
    for gamma in gammas:
        own = np.array([params["gamma"] == gamma for params in table["params"]])
        Cs = [params["C"] for params in np.array(table["params"])[own]]
        given = TunedSVC("precomputed", cv=folds, Cs=Cs).fit(np.exp(-gamma * D), y)
        np.testing.assert_array_equal(table["mean_test_score"][own], given.cv_results_["mean_test_score"])


def test_city_block_distances_are_the_laplacian_kernel(flowers, folds, model):
    X, y, _ = flowers
    laplacian = TunedSVC("laplacian", scale=None, cv=folds).fit(X, y)
    assert model.kernel_.gamma == pytest.approx(laplacian.kernel_.gamma, rel=1e-9)
    assert (model.C_, model.best_score_) == (laplacian.C_, laplacian.best_score_)
    new = X[:9] + 0.1
    D_new = cdist(new, X, "cityblock")
    np.testing.assert_array_equal(model.predict(D_new), laplacian.predict(new))
    np.testing.assert_allclose(model.predict_proba(D_new), laplacian.predict_proba(new), atol=1e-3)


def test_a_regression_chooses_gamma_too(flowers):
    X, _, D = flowers
    y = np.sin(2.0 * X[:, 2]) + X[:, 0]
    rows = np.arange(75)
    splits = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    model = TunedSVR(WORD, cv=splits, tol=1e-8).fit(D, y)
    settings = {"cv": splits, "tol": 1e-8, "Cs": [model.C_], "epsilons": [model.best_params_["epsilon"]]}
    given = TunedSVR("precomputed", **settings).fit(np.exp(-model.kernel_.gamma * D), y)
    assert model.best_score_ == pytest.approx(given.best_score_, rel=1e-6)
    np.testing.assert_allclose(
        model.predict(D[:5]), given.predict(np.exp(-model.kernel_.gamma * D[:5])), rtol=1e-6
    )


def test_cross_validation_takes_rows_and_columns(flowers, folds):
    _, y, D = flowers
    by_matrix = cross_val_score(SVC(kernel=WORD, gamma=0.3), D, y, cv=folds)
    by_gram = cross_val_score(SVC(kernel="precomputed"), np.exp(-0.3 * D), y, cv=folds)
    np.testing.assert_array_equal(by_matrix, by_gram)
    assert cross_val_score(TunedSVC(WORD), D, y, cv=folds).min() > 0.8


def test_rows_without_weight_are_left_out(flowers):
    _, y, D = flowers
    weight = np.where(np.arange(75) % 5 == 0, 0.0, np.where(np.arange(75) % 7 == 0, 2.0, 1.0))
    rows = np.flatnonzero(weight)
    weighted = TunedSVC(WORD, cv=2).fit(D, y, sample_weight=weight)
    left_out = TunedSVC(WORD, cv=2).fit(D[np.ix_(rows, rows)], y[rows], sample_weight=weight[rows])
    assert (weighted.kernel_, weighted.C_) == (left_out.kernel_, left_out.C_)
    np.testing.assert_array_equal(weighted.decision_function(D), left_out.decision_function(D[:, rows]))


def test_copies_keep_the_model(flowers, model, tmp_path):
    _, y, D = flowers
    model.save(tmp_path / "model.npz")
    expected = model.predict_proba(D)
    for other in (kernelwise.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(D), expected)
        assert other.kernel_ == model.kernel_
    assert clone(model).kernel == WORD
    model.report(tmp_path / "report.html", D, y)
    assert "Kernel of given distances" in (tmp_path / "report.html").read_text()


def test_what_is_no_matrix_of_distances_is_refused_in_one_sentence(flowers, model):
    X, y, D = flowers
    lopsided = D.copy()
    lopsided[0, 1] += 1.0
    for sentence, wrong in {
        r"X has the shape \(75, 4\), but a matrix .* must be square": X,
        "from itself must be 0, but X has 1 in row 0, column 0. Pass distances; for": np.exp(-D),
        "not symmetric": lopsided,
        "Negative values in data: X has -": D - D.max() * (1 - np.eye(75)),
    }.items():
        for estimator in (TunedSVC(WORD), SVC(kernel=WORD), TunedSVR(WORD), SVR(WORD)):
            with pytest.raises(ValueError, match=sentence):
                estimator.fit(wrong, y)
    with pytest.raises(ValueError, match="X has -1 in row 0, column 0, but distances cannot be"):
        model.predict(D - 1.0)
    with pytest.raises(ValueError, match=r"solver='nystroem' of TunedSVC .* a precomputed matrix"):
        TunedSVC(WORD, solver="nystroem").fit(D, y)
    with pytest.raises(
        ValueError, match="list with 'precomputed-distance', which is not a kernel of samples"
    ):
        TunedSVC(["rbf", WORD]).fit(D, y)
    with pytest.raises(ValueError, match="gamma='auto' needs the number of features"):
        SVC(kernel=WORD, gamma="auto").fit(D, y)
    two = SVC(kernel=WORD).fit(D[:50, :50], y[:50])
    with pytest.raises(IncompatibleError, match="this model has PrecomputedDistance"):
        two.to_sklearn()


def test_an_indefinite_kernel_is_a_finding():
    rng = np.random.default_rng(0)
    D = np.where(rng.uniform(size=(60, 60)) < 0.5, 0.01, 5.0)  # far from the triangle inequality
    D = np.triu(D, 1) + np.triu(D, 1).T
    model = TunedSVC(WORD, Cs=[1.0, 10.0]).fit(D, np.arange(60) % 2)
    assert "indefinite" in [finding.name for finding in model.diagnostics_]


def test_a_grid_of_gammas_is_scikit_learns(flowers, folds):
    _, y, D = flowers
    grid = {"gamma": ["scale", 0.1, 1.0], "C": [1.0, 10.0]}
    ours = GridSearchSVC(grid, kernel=WORD, scaler=None, cv=folds).fit(D, y)
    theirs = GridSearchCV(SVC(kernel=WORD), grid, cv=folds).fit(D, y)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    with pytest.raises(ValueError, match="'precomputed' cannot be searched together with distances"):
        GridSearchSVC(kernels=["precomputed", WORD], Cs=[1.0], scaler=None).fit(D, y)


def test_the_kernel_object(flowers):
    _, _, D = flowers
    kernel = PrecomputedDistance(0.4)
    np.testing.assert_array_max_ulp(kernel(D[:3]), np.exp(-0.4 * D[:3]), 2)
    W = np.random.default_rng(1).normal(size=D.shape)
    numeric = central_difference(lambda t: float(np.vdot(W, kernel.with_theta(t)(D))), kernel.theta)
    np.testing.assert_allclose(kernel.gradient_dot(D, W), numeric, rtol=1e-6)
    assert kernel.initialize(D).gamma == 1.0 / np.median(D[D > 0])
    assert kernel.initialize(np.zeros((2, 2))).gamma == 1.0
    with pytest.raises(IncompatibleError, match="needs one matrix"):
        kernel(D, D[:3])
    with pytest.raises(ValueError, match="is a kernel of a matrix of distances"):
        KernelSum([RBF(), kernel])


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e-160, 1e150])
@pytest.mark.parametrize("model", [TunedSVC("precomputed-distance"), TunedSVR("precomputed-distance")])
def test_distances_whose_squares_no_number_holds_are_refused(model, scale):
    D = cdist(np.arange(20.0)[:, None], np.arange(20.0)[:, None])
    with pytest.raises(ValueError, match="whose squares are out of the range of numbers"):
        model.fit(scale * D, np.arange(20) % 2)


@pytest.mark.parametrize("model", [TunedSVC("precomputed-distance"), TunedSVR("precomputed-distance")])
def test_samples_that_coincide_are_refused(model):
    with pytest.raises(DegenerateGramError, match="every distance is zero"):
        model.fit(np.zeros((20, 20)), np.arange(20) % 2)


@pytest.mark.parametrize("kernel", ["precomputed", "precomputed-distance"])
def test_a_regression_that_sees_no_difference_warns(kernel):
    with pytest.warns(KernelwiseWarning, match="cannot distinguish samples"):
        SVR(kernel=kernel).fit(np.zeros((10, 10)), np.arange(10.0))


def test_exports_that_refuse_a_model_of_distances_are_not_advised():
    D = cdist(np.arange(20.0)[:, None], np.arange(20.0)[:, None])
    model = SVC(kernel="precomputed-distance").fit(D, np.arange(20) > 9)
    with pytest.raises(IncompatibleError, match="Keep the model with save") as refused:
        model.to_sklearn()
    assert "to_onnx" not in str(refused.value)
    with pytest.raises(IncompatibleError, match="this model uses distances"):
        model.to_c()
