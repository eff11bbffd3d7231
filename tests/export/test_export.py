"""The model as a Pipeline of scikit-learn's own classes, and what skops and ONNX make of it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from kernelwise import SVC, TunedSVC, TunedSVR
from kernelwise.estimators import SVR
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.export import pipeline as _to_libsvm
from kernelwise.kernels import KERNELS, DiagonalGaussian, Mahalanobis, Polynomial

WITHOUT_COUNTERPART = {"exponential", "kmod", "laplacian", "diagonal-laplacian"}
EXPORTED = sorted(KERNELS.keys() - WITHOUT_COUNTERPART)
# Sigmoid kernels are not positive semi-definite, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*far from positive semi-definite")


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:100], y[:100]


@pytest.fixture(scope="module")
def tuned(iris):
    return TunedSVC("rbf", predict_by="decision").fit(*iris)


def assert_same(pipeline, model, X, tolerance=1e-10):
    """Values to the tolerance, those that labels go by; and the labels."""
    values_of = "predict" if is_regressor(model) else "decision_function"
    if getattr(model, "goes_by_probability_", False):
        values_of = "predict_proba"
    expected = getattr(model, values_of)(X)
    values = getattr(pipeline, values_of)(X)
    assert values.shape == expected.shape
    largest = np.abs(expected).max()
    if is_regressor(model):
        assert_allclose(values, expected, atol=tolerance * largest, rtol=0)
        return
    assert_allclose(values, expected, atol=tolerance * max(1.0, largest), rtol=0)
    labels = pipeline.predict(X)
    assert_array_equal(labels, model.predict(X))
    assert labels.dtype == model.classes_.dtype


def all_parts(value):
    """Every object that an estimator is made of."""
    yield value
    if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
        for part in vars(value).values():
            yield from all_parts(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from all_parts(part)


# -- the same machine ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("strategy", ["ovo", "ovr", "ovr-fuzzy"])
@pytest.mark.parametrize("name", EXPORTED)
def test_pipeline_is_the_same_machine(name, strategy, iris01):
    X, y = iris01
    form = (np.asarray, sparse.csr_matrix)[(EXPORTED.index(name) + (strategy == "ovr")) % 2]
    X = form(X)
    for labels in (y, y == 1, np.array(["setosa", "versicolor", "virginica"])[y]):
        model = SVC(kernel=name, multiclass=strategy, C=10.0).fit(X, labels)
        assert_same(model.to_sklearn(), model, X)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTED)
def test_tuned_pipeline_is_the_same_machine(name, iris):
    X, y = iris
    model = TunedSVC(kernel=name, Cs=[1.0, 10.0], predict_by="decision").fit(X, y)
    pipeline = model.to_sklearn()
    assert isinstance(pipeline, Pipeline)
    assert_same(pipeline, model, X)
    assert_same(pipeline, model, X + 0.3)
    modules = {type(part).__module__.partition(".")[0] for part in all_parts(pipeline)}
    assert modules <= {"builtins", "numpy", "sklearn"}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", EXPORTED)
def test_regression_is_the_same_machine(name, form, diabetes):
    X, y = form(diabetes[0]), diabetes[1]
    # Units and origin of y are in the coefficients.
    for target in (y, 1e-6 * y, 1e4 + 1e-2 * y):
        unit = target.std()
        model = SVR(name, C=10.0 * unit, epsilon=0.1 * unit, tol=1e-3 * unit).fit(X, target)
        assert_same(model.to_sklearn(), model, X)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTED)
def test_tuned_regression_is_the_same_machine(name, diabetes):
    X, y = diabetes
    model = TunedSVR(name, Cs=[1.0, 10.0], epsilons=0.1, cv=2).fit(X, y)
    pipeline = model.to_sklearn()
    assert_same(pipeline, model, X)
    assert_same(pipeline, model, X + 0.02)
    assert pipeline.score(X, y) == pytest.approx(model.score(X, y), abs=1e-9)
    svr = pipeline["svr"]
    assert (svr.C, svr.epsilon) == pytest.approx(
        (model.C_ * model.target_scale_, model.epsilon_ * model.target_scale_)
    )
    modules = {type(part).__module__.partition(".")[0] for part in all_parts(pipeline)}
    assert modules <= {"builtins", "numpy", "sklearn"}


@pytest.mark.parametrize("name", ["rbf", "diagonal", "low-rank"])
def test_a_constant_regression_is_exported(name, diabetes):
    model = TunedSVR(name, Cs=[1.0]).fit(diabetes[0], np.full(100, 7.0))
    assert_array_equal(model.to_sklearn().predict(diabetes[0]), 7.0)


def test_exported_regression_can_be_fitted_again(diabetes):
    """C, ε and tol of the Pipeline are those of the same machine in the units of y.

    scikit-learn's SVR has kernel values in single precision, whose error grows with C.
    """
    X, y = diabetes
    model = TunedSVR("rbf", Cs=[16.0, 64.0], tol=1e-6).fit(X, y)
    again = clone(model.to_sklearn()).fit(X, y)
    assert_allclose(again.predict(X), model.predict(X), atol=1e-4 * y.std())


def test_ovo_values_and_ties_come_along(iris):
    X, y = iris
    pairwise = SVC(decision_function_shape="ovo").fit(X, y)
    assert_same(pairwise.to_sklearn(), pairwise, X)
    by_value = SVC(break_ties=True).fit(X, y)
    assert_same(by_value.to_sklearn(), by_value, X)


def test_steps_that_change_nothing_are_left_out(iris, tuned):
    assert list(tuned.to_sklearn().named_steps) == ["scaler", "svc"]
    assert list(TunedSVC("rbf", scale=None, multiclass="ovr").fit(*iris).to_sklearn().named_steps) == ["svc"]
    steps = SVC(kernel="gaussian").fit(*iris).to_sklearn().named_steps
    assert list(steps) == ["map", "svc"]
    assert type(steps["map"]) is TruncatedSVD
    assert type(SVC(kernel="diagonal").fit(*iris).to_sklearn()["map"]) is StandardScaler


def test_feature_without_variance_has_no_weight(iris):
    X = np.column_stack([iris[0], np.full(150, 7.0)])
    kernel = Mahalanobis(covariance=np.append(iris[0].var(axis=0), 0.0))
    model = SVC(kernel=kernel).fit(X, iris[1])
    X[:, 4] = np.arange(150)
    assert_same(model.to_sklearn(), model, X)


def test_wide_sparse_samples_need_no_square_matrix():
    X = sparse.random(60, 50_000, density=1e-3, format="csr", random_state=0)
    y = np.arange(60) % 3
    model = SVC(kernel=DiagonalGaussian(np.linspace(0.5, 2.0, 50_000)), C=10.0).fit(X, y)
    assert_same(model.to_sklearn(), model, X)


def test_pipeline_owns_its_parts(iris):
    X, y = iris
    model = TunedSVC(kernel="diagonal", Cs=[1.0]).fit(X, y == 1)
    before = model.decision_function(X)
    pipeline = model.to_sklearn()
    svc = pipeline["svc"].calibrated_classifiers_[0].estimator
    for array in (pipeline["scaler"].mean_, svc.dual_coef_, svc.support_vectors_, svc.intercept_):
        array[:] = 0.0
    assert_array_equal(model.decision_function(X), before)


def test_pipeline_can_be_fitted_again(iris):
    X, y = iris
    model = SVC(kernel=Polynomial(degree=2, gamma=0.5, coef0=1.0), C=3.0).fit(X, y)
    again = clone(model.to_sklearn()).fit(X, y)
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-2)


def test_feature_names_come_along(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    votes = {"Cs": [1.0], "predict_by": "decision"}
    for model in (TunedSVC("rbf", **votes), TunedSVC("rbf", **votes, scale=None), SVC(kernel="gaussian")):
        pipeline = model.fit(frame, y).to_sklearn()
        assert_array_equal(pipeline.feature_names_in_, ["a", "b", "c", "d"])
        assert_same(pipeline, model, frame)
        with pytest.raises(ValueError, match="feature names should match"):
            pipeline.predict(frame[["b", "a", "c", "d"]])


def test_scaler_of_the_user_comes_along(iris):
    X, y = iris
    model = TunedSVC("rbf", scale=RobustScaler(), Cs=[1.0], multiclass="ovr").fit(X, y)
    pipeline = model.to_sklearn()
    assert type(pipeline["scaler"]) is RobustScaler
    assert_same(pipeline, model, X)


# -- labels by probabilities --------------------------------------------------------------------------------
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize(("multiclass", "n_classes"), [("ovo", 2), ("ovr", 2), ("ovr", 4), ("ovr-fuzzy", 4)])
def test_labels_and_probabilities_come_along(multiclass, n_classes, class_weight, overlapping):
    X, y, X_new = overlapping(n_classes)
    settings = {"multiclass": multiclass, "class_weight": class_weight}
    for model in (
        TunedSVC("rbf", Cs=[1.0], cv=2, **settings),
        SVC(probability=True, random_state=0, **settings),
    ):
        pipeline = model.fit(X, y).to_sklearn()
        assert_same(pipeline, model, X_new)
        assert_array_equal(pipeline.classes_, model.classes_)
        by_decision = model.set_params(predict_by="decision")
        if class_weight is None:
            assert (pipeline.predict(X_new) != by_decision.predict(X_new)).any()
        assert_same(by_decision.to_sklearn(), by_decision, X_new)


def test_probabilities_can_be_fitted_again(overlapping):
    X, y, X_new = overlapping(2)
    model = TunedSVC("rbf", Cs=[1.0], cv=2).fit(X, y)
    again = clone(model.to_sklearn()).fit(X, y)
    # Its sigmoids come from other folds.
    assert_allclose(again.predict_proba(X_new), model.predict_proba(X_new), atol=0.1)


def test_votes_come_along_instead_of_coupled_probabilities(overlapping):
    X, y, X_new = overlapping(3)
    model = TunedSVC("rbf", Cs=[1.0], cv=2).fit(X, y)
    with pytest.warns(KernelwiseWarning, match="no predict_proba, and its SVC lets the pairs vote"):
        pipeline = model.to_sklearn()
    assert not hasattr(pipeline, "predict_proba")
    by_votes = model.set_params(predict_by="decision")
    assert_same(pipeline, by_votes, X_new)
    assert_same(by_votes.to_sklearn(), by_votes, X_new)


# -- what cannot be -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(WITHOUT_COUNTERPART))
def test_kernel_without_counterpart_is_refused(name, iris):
    model = SVC(kernel=name).fit(*iris)
    with pytest.raises(IncompatibleError, match=type(model.kernel_).__name__):
        model.to_sklearn()


def test_kernel_that_is_no_object_is_refused(iris):
    X, y = iris
    with pytest.raises(IncompatibleError, match=r"scikit-learn's SVR .* has kernel='precomputed'"):
        TunedSVR("precomputed", Cs=[1.0]).fit(X @ X.T, y).to_sklearn()
    with pytest.raises(IncompatibleError, match="this model has kernel='precomputed'"):
        SVC(kernel="precomputed").fit(X @ X.T, y).to_sklearn()
    with pytest.raises(IncompatibleError, match="this model has a function of your own"):
        SVC(kernel=lambda X, Y: X @ Y.T).fit(X, y).to_sklearn()


def test_rejection_is_refused(iris):
    with pytest.raises(IncompatibleError, match="does not reject samples as multiclass='ovo-reject' does"):
        SVC(multiclass="ovo-reject").fit(*iris).to_sklearn()


def test_model_without_machine_is_refused(iris):
    with pytest.raises(NotFittedError):
        SVC().to_sklearn()
    with pytest.raises(NotFittedError, match="refit=False"):
        TunedSVC(refit=False, Cs=[1.0]).fit(*iris).to_sklearn()
    with pytest.raises(NotFittedError, match="refit=False"):
        TunedSVR(refit=False, Cs=[1.0]).fit(*iris).to_sklearn()


@pytest.mark.parametrize("estimator", [SVC(), SVR(), TunedSVR("rbf", Cs=[1.0])])
def test_disagreement_is_an_error(estimator, iris, monkeypatch):
    model = estimator.fit(*iris)
    right = _to_libsvm.replace_machine

    def without_offset(svc, *parts):
        right(svc, *parts[:-1], np.zeros_like(parts[-1]))

    monkeypatch.setattr(_to_libsvm, "replace_machine", without_offset)
    with pytest.raises(RuntimeError, match="the Pipeline would be a different model"):
        model.to_sklearn()


def test_rounding_of_enormous_kernel_values_is_said(iris01):
    X, y = iris01
    model = SVC(kernel=Polynomial(degree=3, gamma=1e-4, coef0=1e4), C=10.0, tol=0.1).fit(X, y)
    with pytest.warns(KernelwiseWarning, match=r"differ by up to .*, by rounding"):
        pipeline = model.to_sklearn()
    assert_array_equal(pipeline.predict(X), model.predict(X))


# -- pickle, skops, ONNX ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EXPORTED)
def test_pipeline_can_be_pickled(name, iris01):
    X, y = iris01
    model = SVC(kernel=name).fit(X, y)
    assert_same(pickle.loads(pickle.dumps(model.to_sklearn())), model, X)


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["rbf", "diagonal", "gaussian", "poly"])
def test_skops_trusts_the_pipeline(name, form, strategy, iris):
    skops = pytest.importorskip("skops.io")
    X, y = form(iris[0]), iris[1]
    rule = "decision" if strategy == "ovo" else "probability"
    model = TunedSVC(kernel=name, multiclass=strategy, Cs=[1.0, 10.0], cv=2, predict_by=rule)
    if name == "poly":  # a search may end at kernel values of 1e10, where all is rounding
        model = SVC(kernel=name, multiclass=strategy)
    data = skops.dumps(model.fit(X, y).to_sklearn())
    # A matrix map makes dense samples of sparse ones.
    trusted = ["scipy.sparse._csr.csr_matrix"] if sparse.issparse(X) and name != "gaussian" else []
    if getattr(model, "goes_by_probability_", False):
        parts = ("_CalibratedClassifier", "_SigmoidCalibration")
        trusted += [f"sklearn.calibration.{part}" for part in parts]
    assert skops.get_untrusted_types(data=data) == trusted
    assert_same(skops.loads(data, trusted=trusted), model, X)


@pytest.mark.parametrize("name", ["rbf", "diagonal", "gaussian", "poly"])
def test_skops_trusts_the_regression(name, diabetes):
    skops = pytest.importorskip("skops.io")
    model = SVR(name) if name == "poly" else TunedSVR(name, Cs=[1.0, 10.0], epsilons=0.1, cv=2)
    data = skops.dumps(model.fit(*diabetes).to_sklearn())
    assert skops.get_untrusted_types(data=data) == []
    assert_same(skops.loads(data), model, diabetes[0])


def run_onnx(pipeline, X):
    """Labels and probabilities, or decision values, of the pipeline's ONNX form."""
    skl2onnx, runtime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    X = X.astype(np.float32)
    option = {"zipmap": False} | ({} if hasattr(pipeline, "predict_proba") else {"raw_scores": True})
    options = None if is_regressor(pipeline) else {type(pipeline[-1]): option}
    onnx = skl2onnx.to_onnx(pipeline, X[:1], options=options)
    session = runtime.InferenceSession(onnx.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: X})


def rounding(model, X):
    """What single precision may change in a decision value: 5e-7 of the largest sum of |β_i k(x_i, x)|."""
    machine = model.best_estimator_
    K = model.kernel_(machine.support_vectors_, model.scaler_.transform(X))
    beta = machine.dual_coef_ if is_regressor(model) else machine._beta
    return 5e-7 * (np.abs(beta) @ np.abs(K)).max()


def is_beyond(values, error, strategy):
    """Samples whose label an error of the decision values cannot change."""
    if values.ndim == 1 or strategy == "ovo":
        return (np.abs(values).reshape(len(values), -1) > error).all(axis=1)
    return np.diff(np.sort(values, axis=1)[:, -2:], axis=1).ravel() > 2 * error


# skl2onnx reads attributes of SVC that scikit-learn has deprecated.
@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", EXPORTED)
def test_onnx_agrees_to_single_precision(n_classes, name, iris):
    strategy = ("ovo", "ovr")[(EXPORTED.index(name) + n_classes) % 2]
    X, y = iris[0].astype(np.float32).astype(float), iris[1]
    X, y = X[y >= 3 - n_classes], y[y >= 3 - n_classes]
    settings = {"multiclass": strategy, "decision_function_shape": strategy, "Cs": [1.0, 10.0], "cv": 2}
    model = TunedSVC(kernel=name, predict_by="decision", **settings).fit(X, y)
    labels, values = run_onnx(model.to_sklearn(), X)
    expected, error = model.decision_function(X), rounding(model, X)
    if expected.ndim == 1:
        assert_array_equal(values[:, 0], -values[:, 1])
        values = values[:, 1]
    assert_allclose(values, expected, atol=error, rtol=0)
    beyond = is_beyond(expected, error, strategy)
    assert beyond.mean() > (0.25 if name == "poly" else 0.95)  # the cubic's values are enormous
    assert_array_equal(labels[beyond], model.predict(X)[beyond])


@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
@pytest.mark.parametrize("name", EXPORTED)
def test_onnx_predicts_the_same_to_single_precision(name, diabetes):
    X, y = diabetes[0].astype(np.float32).astype(float), diabetes[1]
    model = TunedSVR(name, Cs=[1.0, 10.0], epsilons=0.1, cv=2).fit(X, y)
    (values,) = run_onnx(model.to_sklearn(), X)
    error = model.target_scale_ * rounding(model, X) + 5e-7 * np.abs(model.predict(X)).max()
    assert_allclose(values[:, 0], model.predict(X), atol=error, rtol=0)


@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
@pytest.mark.parametrize(("multiclass", "n_classes"), [("ovo", 2), ("ovr", 4)])
def test_onnx_has_the_probabilities(multiclass, n_classes, overlapping):
    X, y, X_new = overlapping(n_classes)
    model = TunedSVC("rbf", Cs=[1.0], cv=2, multiclass=multiclass).fit(X, y)
    labels, p = run_onnx(model.to_sklearn(), X_new)
    assert_allclose(p, model.predict_proba(X_new), atol=1e-5)
    assert np.mean(labels == model.predict(X_new)) > 0.99


@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
def test_onnx_knows_names_of_classes(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    model = TunedSVC("rbf", predict_by="decision").fit(X, names[y])
    assert_array_equal(run_onnx(model.to_sklearn(), X)[0], model.predict(X))


def test_every_gaussian_is_exported():
    family = {name for name in KERNELS if KERNELS[name]().is_gaussian}
    assert family <= set(EXPORTED)


def test_one_vs_rest_is_scikit_learns(iris):
    assert type(SVC(multiclass="ovr").fit(*iris).to_sklearn()["svc"]) is OneVsRestClassifier


@pytest.mark.filterwarnings("ignore:X (has|does not have)")
def test_frames_as_the_configured_output_change_nothing(iris):
    X, y = iris
    model = TunedSVC("mahalanobis", Cs=[1.0], multiclass="ovr").fit(X, y)
    with config_context(transform_output="pandas"):
        assert_same(model.to_sklearn(), model, X)
