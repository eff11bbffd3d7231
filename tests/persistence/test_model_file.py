"""Models in files: the same predictions to the last bit, or one clear sentence."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import re
import tracemalloc
import zipfile
from itertools import cycle, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal, assert_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

import kernelwise
from kernelwise import SVC, DistanceSketch, NystroemSVC, NystroemSVR, TunedSVC, TunedSVR, load, persistence
from kernelwise.criteria import KernelTargetAlignment, TargetAlignment
from kernelwise.estimators import SVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import (
    KERNELS,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    Gaussian,
    KernelSum,
    Laplacian,
    as_kernel,
)
from kernelwise.optimizers import QuasiNewton

# Sigmoid kernels are not positive semi-definite, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*far from positive semi-definite")
FORMS = {"dense": np.asarray, "csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
LABELS = {
    "int": np.array([3, 5, 9]),
    "int8": np.array([-1, 0, 1], dtype=np.int8),
    "float": np.array([0.0, 1.0, 2.0]),
    "str": np.array(["setosa", "versicolor", "virginica"]),
    "object": np.array(["setosa", "versicolor", "virginica"], dtype=object),
}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:80], y[:80]


@pytest.fixture(scope="module", params=[TunedSVC, TunedSVR])
def small(tmp_path_factory, request):
    """A model, its file, and samples."""
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2))
    y = X[:, 0] + 0.3 * random.normal(size=30)
    if request.param is TunedSVC:
        y = np.where(y > 0, "right", "left")
    model = request.param(kernel="mahalanobis", Cs=[1.0, 10.0]).fit(X, y)
    path = tmp_path_factory.mktemp("model") / "small.npz"
    model.save(path)
    return model, path, X


def assert_same_model(loaded, model, X):
    assert type(loaded) is type(model)
    if hasattr(model, "decision_function"):
        assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    labels = loaded.predict(X)
    assert_array_equal(labels, model.predict(X))
    assert labels.dtype == model.predict(X).dtype
    if hasattr(model, "predict_proba"):
        assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_same_values(vars(loaded), vars(model))


def assert_same_values(actual, expected):
    """All that an object is made of, with its types."""
    assert type(actual) is type(expected)
    if isinstance(expected, dict):
        assert list(actual) == list(expected) or set(actual) == set(expected)
        for key in expected:
            assert_same_values(actual[key], expected[key])
    elif isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected)
        for ours, theirs in zip(actual, expected, strict=True):
            assert_same_values(ours, theirs)
    elif sparse.issparse(expected):
        assert_array_equal(actual.toarray(), expected.toarray())
    elif isinstance(expected, np.ndarray):
        assert actual.dtype == expected.dtype
        assert_equal(actual, expected)
    elif hasattr(expected, "__dict__"):
        assert_same_values(vars(actual), vars(expected))
    else:
        assert_equal(actual, expected)


def saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "model.npz")
    return load(tmp_path / "model.npz")


# -- there and back -----------------------------------------------------------------------------------------
#: Kernels with the forms of samples that they take: some distances are of dense samples.
KERNELS_AND_FORMS = [
    (name, form)
    for name, form in product(sorted(KERNELS), FORMS)
    if form == "dense" or as_kernel(name).takes_sparse
]
STRATEGIES = ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"]


# A kernel and a strategy are packed apart: each strategy meets every form, and every fourth kernel in it.
@pytest.mark.parametrize(
    ("name", "form", "strategy"),
    [(*pair, strategy) for pair, strategy in zip(KERNELS_AND_FORMS, cycle(STRATEGIES), strict=False)],
)
def test_svc_comes_back(name, form, strategy, iris01, tmp_path):
    X, y = FORMS[form](iris01[0][::2]), iris01[1][::2]
    for labels in (y, np.where(y == 1, 1, 2)):
        model = SVC(kernel=name, multiclass=strategy).fit(X, labels)
        assert_same_model(saved_and_loaded(model, tmp_path), model, X)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_tuned_svc_comes_back(name, iris, tmp_path):
    model = TunedSVC(kernel=name, Cs=[1.0, 10.0]).fit(*iris)
    loaded = saved_and_loaded(model, tmp_path)
    assert_same_model(loaded, model, iris[0])
    assert loaded.score(*iris) == model.score(*iris)
    assert loaded.kernel_ == model.kernel_
    assert loaded.result_.why == model.result_.why


@pytest.mark.parametrize(("name", "form"), KERNELS_AND_FORMS)
def test_svr_comes_back(name, form, diabetes, tmp_path):
    X = FORMS[form](diabetes[0])
    model = SVR(kernel=name, C=10.0).fit(X, diabetes[1])
    assert_same_model(saved_and_loaded(model, tmp_path), model, X)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "scoring"), [*zip(sorted(KERNELS), cycle([None, "neg_mean_absolute_error"]), strict=False)]
)
def test_tuned_svr_comes_back(name, scoring, diabetes, tmp_path):
    model = TunedSVR(kernel=name, Cs=[1.0, 10.0], epsilons=0.1, scoring=scoring).fit(*diabetes)
    loaded = saved_and_loaded(model, tmp_path)
    assert_same_model(loaded, model, diabetes[0])
    assert loaded.scorer_(loaded, *diabetes) == model.scorer_(model, *diabetes)
    assert loaded.result_.why == model.result_.why


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"])
def test_tuned_svc_comes_back_with_strategy(strategy, form, iris, tmp_path):
    X, y = FORMS[form](iris[0]), iris[1]
    model = TunedSVC(multiclass=strategy, Cs=[1.0, 10.0]).fit(X, y)
    assert_same_model(saved_and_loaded(model, tmp_path), model, X)


@pytest.mark.parametrize("labels", LABELS)
def test_labels_come_back_with_their_type(labels, iris, tmp_path):
    X, y = iris
    model = TunedSVC(Cs=[1.0]).fit(X, LABELS[labels][y])
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.classes_.dtype == LABELS[labels].dtype
    assert_same_model(loaded, model, X)


def test_boolean_labels_come_back(iris, tmp_path):
    model = SVC(probability=True, random_state=3).fit(iris[0], iris[1] == 1)
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.predict(iris[0]).dtype == bool
    assert_same_model(loaded, model, iris[0])


@pytest.mark.parametrize(
    "scale", ["standard", "minmax", None, StandardScaler(with_std=False), MaxAbsScaler()]
)
@pytest.mark.parametrize("form", ["dense", "csr_matrix"])
def test_scalers_come_back(scale, form, iris, tmp_path):
    if form != "dense" and isinstance(scale, StandardScaler):
        scale = StandardScaler(with_mean=False)
    X = FORMS[form](iris[0])
    model = TunedSVC(scale=scale, Cs=[1.0]).fit(X, iris[1])
    assert_same_model(saved_and_loaded(model, tmp_path), model, X)


def test_parameters_that_are_objects_come_back(iris, tmp_path):
    model = TunedSVC(
        kernel=RBF(0.5),
        criterion=KernelTargetAlignment(centered=True),
        search=QuasiNewton(),
        scale=MinMaxScaler(feature_range=(-1, 1)),
        class_weight={0: 1.0, 1: np.float64(2.0)},
        scoring="balanced_accuracy",
        refit="one-standard-error",
        cv=StratifiedKFold(3, shuffle=True, random_state=1),
        Cs=np.array([0.1, 1.0, 10.0]),
    ).fit(*iris)
    loaded = saved_and_loaded(model, tmp_path)
    assert_same_model(loaded, model, iris[0])
    again = loaded.fit(*iris)
    assert_array_equal(again.decision_function(iris[0]), model.decision_function(iris[0]))


def test_repeated_folds_come_back(iris, tmp_path):
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    model = TunedSVC("rbf", cv=cv, Cs=[1.0]).fit(*iris)
    loaded = saved_and_loaded(model, tmp_path)
    assert repr(loaded.cv) == repr(cv)
    assert loaded.fit(*iris).best_score_ == model.best_score_


def test_parameters_of_a_regression_come_back(diabetes, tmp_path):
    model = TunedSVR(
        kernel=RBF(0.5),
        criterion=TargetAlignment(centered=True),
        search=QuasiNewton(),
        refit="one-standard-error",
        cv=KFold(3, shuffle=True, random_state=1),
        epsilons=np.array([0.1, 0.3]),
    ).fit(*diabetes)
    loaded = saved_and_loaded(model, tmp_path)
    assert_same_model(loaded, model, diabetes[0])
    again = loaded.fit(*diabetes)
    assert_array_equal(again.predict(diabetes[0]), model.predict(diabetes[0]))


def test_feature_names_come_back(iris, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(iris[0], columns=["länge", "b", "c", "d"])
    model = TunedSVC(Cs=[1.0]).fit(frame, iris[1])
    loaded = saved_and_loaded(model, tmp_path)
    assert_array_equal(loaded.feature_names_in_, frame.columns)
    assert_same_model(loaded, model, frame)


def test_gram_machines_come_back(iris, tmp_path):
    X, y = iris
    K = RBF(0.3)(X)
    for estimator in (SVC, SVR, TunedSVC, TunedSVR):
        model = estimator(kernel="precomputed")
        model.fit(K, y, sample_weight=np.arange(len(y)) % 4 > 0)
        assert_same_model(saved_and_loaded(model, tmp_path), model, K)


@pytest.mark.parametrize("estimator", [TunedSVC, TunedSVR])
def test_search_without_machine_comes_back(estimator, iris, tmp_path):
    model = estimator(refit=False, Cs=[1.0]).fit(*iris)
    assert_same_values(vars(saved_and_loaded(model, tmp_path)), vars(model))


class Watcher:
    """A callback of scikit-learn."""

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = on_fit_task_end = lambda self, *args, **kwargs: None


@pytest.mark.parametrize("estimator", [TunedSVC, TunedSVR])
def test_callbacks_are_left_out(estimator, iris, tmp_path):
    pytest.importorskip("sklearn.callback")
    model = estimator(Cs=[1.0]).set_callbacks(Watcher()).fit(*iris)
    loaded = saved_and_loaded(model, tmp_path)
    assert_same_model(loaded, model.set_callbacks(), iris[0])


def test_loaded_model_can_be_exported_and_saved_again(small, tmp_path):
    model, path, X = small
    loaded = load(path)
    assert_array_equal(loaded.to_sklearn().predict(X), model.to_sklearn().predict(X))
    loaded.save(tmp_path / "again.npz")
    assert_same_model(load(tmp_path / "again.npz"), model, X)


def test_same_model_gives_the_same_bytes(small, tmp_path):
    model, path, _ = small
    model.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("estimator", [SVC(probability=True, random_state=0), TunedSVC(Cs=[1.0, 10.0])])
def test_pickles_come_back(estimator, iris):
    model = estimator.fit(*iris)
    assert_same_model(pickle.loads(pickle.dumps(model)), model, iris[0])


def the_sum():
    """Kernels of both distances, nested and weighted."""
    q = np.array([1.0, 0.5, 0.25, 2.0])
    inner = KernelSum([RBF(0.3), Laplacian(0.2)], [2.0, 0.5])
    return KernelSum([inner, DiagonalGaussian(q), DiagonalLaplacian(q)], weights=[0.1, 1.0, 3.0])


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel=the_sum()),
        SVR(the_sum()),
        NystroemSVC(the_sum()),
        NystroemSVR(the_sum()),
        TunedSVC(the_sum(), Cs=[1.0, 10.0]),
        TunedSVC(the_sum(), Cs=[1.0], solver="nystroem"),
        TunedSVR(the_sum(), Cs=[1.0], epsilons=0.1),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_sums_of_kernels_come_back(estimator, iris, tmp_path):
    model = clone(estimator).fit(iris[0], iris[1].astype(float))
    for again in (saved_and_loaded(model, tmp_path), pickle.loads(pickle.dumps(model))):
        assert_array_equal(again.machine_values(iris[0]), model.machine_values(iris[0]))
        assert_array_equal(again.predict(iris[0]), model.predict(iris[0]))
        assert again.kernel_ == model.kernel_
        assert again.kernel_.parts() == model.kernel_.parts()
        assert again.to_c() == model.to_c()
        if hasattr(model, "cv_results_"):
            assert again.cv_results_["params"] == model.cv_results_["params"]
            assert again.best_params_ == model.best_params_


# -- what is refused on writing -----------------------------------------------------------------------------
class MyRBF(RBF):
    """A kernel of the user."""


class RBFOfOtherModule(RBF):
    """A kernel with the name of another."""


RBFOfOtherModule.__name__ = "RBF"


@pytest.mark.parametrize(
    ("model", "where"),
    [
        (SVC(kernel=MyRBF()), r"SVC\.kernel"),
        (SVC(kernel=RBFOfOtherModule()), r"SVC\.kernel"),
        (SVC(kernel=lambda X, Y: X @ Y.T), r"SVC\.kernel"),
        (SVC(random_state=np.random.RandomState(0)), r"SVC\.random_state"),
        (TunedSVC(scale=RobustScaler(), Cs=[1.0]), r"TunedSVC\.scale"),
        (TunedSVC(refit=lambda results: 0, Cs=[1.0]), r"TunedSVC\.refit"),
        (SVR(kernel=MyRBF()), r"SVR\.kernel"),
        (TunedSVR(scale=RobustScaler(), Cs=[1.0]), r"TunedSVR\.scale"),
    ],
)
def test_parts_of_the_user_are_refused(model, where, iris, tmp_path):
    model.fit(*iris)
    with pytest.raises(IncompatibleError, match=f"save cannot store {where}, which is .*use pickle"):
        model.save(tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_model_that_is_not_fitted_is_refused(tmp_path):
    for model in (SVC(), TunedSVC(), SVR(), TunedSVR()):
        with pytest.raises(NotFittedError):
            model.save(tmp_path / "model.npz")


# -- what is refused on reading -----------------------------------------------------------------------------
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_changed_byte_is_found(small, tmp_path, place, flip):
    data = bytearray(small[1].read_bytes())
    data[int(place * len(data))] ^= flip
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(data)
    with pytest.raises(ValueError, match=r"damaged\.npz is not a kernelwise model, or it was damaged"):
        load(damaged)


def test_every_cut_is_found(small, tmp_path):
    data = small[1].read_bytes()
    damaged = tmp_path / "damaged.npz"
    for length in [*range(0, 200), *range(200, len(data), 97), len(data) - 1]:
        damaged.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"damaged\.npz"):
            load(damaged)
    damaged.write_bytes(data + b"\0")
    with pytest.raises(ValueError, match=r"damaged\.npz"):
        load(damaged)


@pytest.mark.parametrize("what", ["sketch", "pickle", "npz", "text", "empty"])
def test_other_files_are_refused(what, small, blobs, tmp_path):
    path = tmp_path / "other.npz"
    if what == "sketch":
        DistanceSketch.from_data(*blobs).save(path)
    elif what == "npz":
        np.savez(path, a=np.arange(3))
    else:
        path.write_bytes({"pickle": pickle.dumps(small[0]), "text": b"hello", "empty": b""}[what])
    with pytest.raises(ValueError, match=r"other\.npz is not a kernelwise model"):
        load(path)


def test_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.npz"):
        load(tmp_path / "nothing.npz")


def rewritten(small, tmp_path, change):
    """A file with the right checksum and other contents."""
    with np.load(small[1]) as file:
        document = json.loads(file["model.json"])
        arrays = {name: file[name] for name in file.files if name != "model.json"}
    path = tmp_path / "changed.npz"
    change(document, arrays)
    path.write_bytes(persistence.archive(document, arrays))
    return path


def test_file_without_predict_by_knows_no_class_weights(blobs, tmp_path):
    model = TunedSVC("rbf", class_weight={-1: 4.0, 1: 1.0}, Cs=[1.0]).fit(*blobs)
    model.save(tmp_path / "model.kw")
    assert not hasattr(load(tmp_path / "model.kw"), "_knows_class_weights")

    def earlier(document, _arrays):
        del document["model"]["params"]["predict_by"]

    former = load(rewritten((model, tmp_path / "model.kw"), tmp_path, earlier))
    assert former._knows_class_weights is False
    former.save(tmp_path / "again.kw")
    again = load(tmp_path / "again.kw")
    assert again._knows_class_weights is False
    assert not hasattr(again.fit(*blobs), "_knows_class_weights")


def test_rewritten_file_without_change_is_the_model(small, tmp_path):
    model, _, X = small
    assert_same_model(load(rewritten(small, tmp_path, lambda document, arrays: None)), model, X)


@pytest.mark.parametrize("small", [TunedSVC], indirect=True)
def test_a_file_without_a_rule_for_labels_keeps_that_of_its_time(small, tmp_path):
    """Labels went by decision values before ``predict_by``."""

    def forget(document, arrays):
        state = document["model"]["state"]
        for node in (document["model"], state["best_estimator_"]):
            node["params"].pop("predict_by")
        state["_record"]["params"].pop("scored")

    model = load(rewritten(small, tmp_path, forget))
    assert (model.predict_by, model.best_estimator_.predict_by) == ("decision", "decision")
    expected = model.classes_[(model.machine_values(small[2]).ravel() >= 0).astype(int)]
    assert_array_equal(model.predict(small[2]), expected)
    assert model.fit_record_.n_relabelled == 0.0


def test_newer_format_is_refused(small, tmp_path):
    path = rewritten(small, tmp_path, lambda document, arrays: document.update(format=2))
    with pytest.raises(ValueError, match=r"changed\.npz was written by a newer version .*Upgrade"):
        load(path)


def state(document):
    return document["model"]["state"]


CHANGES = {
    "no model": (lambda d, a: d.pop("model"), "'model' is missing"),
    "no format": (lambda d, a: d.pop("format"), "'format' is missing"),
    "format is text": (lambda d, a: d.update(format="new"), "invalid literal"),
    "unknown model": (lambda d, a: d["model"].update({"class": "Model"}), "unknown class 'Model'"),
    "unknown kernel": (
        lambda d, a: state(d)["kernel_"].update({"class": "Wavelet"}),
        "unknown class 'Wavelet'",
    ),
    "python name": (
        lambda d, a: state(d)["kernel_"].update({"class": "os.system"}),
        "unknown class 'os.system'",
    ),
    "model is a kernel": (lambda d, a: d.update(model=state(d)["kernel_"]), "it holds a Mahalanobis"),
    "model is a list": (lambda d, a: d.update(model=[1, 2]), "it holds a list"),
    "bad kernel parameter": (lambda d, a: state(d)["kernel_"]["params"].update(delta=-1.0), "'delta'"),
    "bad kernel argument": (lambda d, a: state(d)["kernel_"]["params"].update(width=1.0), "width"),
    "unknown kind": (lambda d, a: state(d).update(C_={"$": "call"}), "unknown kind 'call'"),
    "method replaced": (lambda d, a: state(d).update(predict="x"), "no attribute 'predict'"),
    "class replaced": (lambda d, a: state(d).update(__class__="x"), "no attribute '__class__'"),
    "no coefficients": (
        lambda d, a: state(d)["best_estimator_"]["state"].pop("dual_coef_"),
        "has no attribute 'dual_coef_'",
    ),
    "machine is a number": (
        lambda d, a: state(d).update(best_estimator_=1.0),
        "'best_estimator_' is a float",
    ),
    "kernel is a number": (
        lambda d, a: state(d)["best_estimator_"]["state"].update(kernel_=1.0),
        "its kernel is a float",
    ),
    "wrong number of features": (lambda d, a: state(d).update(n_features_in_=3), "has 3 features"),
    "scalar of objects": (
        lambda d, a: state(d).update(C_={"$": "scalar", "dtype": "O", "value": 1}),
        "scalar of type object",
    ),
}
CHANGES_OF_CLASSES = {
    "no classes": (lambda d, a: state(d).pop("classes_"), "classes_"),
    "unknown strategy": (
        lambda d, a: state(d)["best_estimator_"]["state"].update(_strategy="all"),
        "unknown strategy 'all'",
    ),
    "coefficient that is no number": (
        lambda d, a: a["TunedSVC.best_estimator_._beta"].fill(np.nan),
        "'_beta' of SVC is not finite",
    ),
    "support vectors counted wrongly": (
        lambda d, a: np.add.at(a["TunedSVC.best_estimator_.n_support_"], 0, 1),
        "'n_support_' counts",
    ),
    "classes of another machine": (
        lambda d, a: a.update({"TunedSVC.classes_": a["TunedSVC.classes_"][::-1].copy()}),
        "'classes_' differs from that of 'best_estimator_'",
    ),
    "machine of a regression": (
        lambda d, a: state(d).update(best_estimator_={"$": "instance", "class": "SVR", "params": {}}),
        "'best_estimator_' is a SVR",
    ),
}
CHANGES_OF_REGRESSION = {
    "no mean": (lambda d, a: state(d).pop("target_mean_"), "has no attribute 'target_mean_'"),
    "mean that is no number": (
        lambda d, a: state(d).update(target_mean_={"$": "float", "value": "nan"}),
        "'target_mean_' of TunedSVR must be a finite float",
    ),
    "scale of zero": (lambda d, a: state(d).update(target_scale_=0.0), "'target_scale_' of TunedSVR must be"),
    "scale is text": (lambda d, a: state(d).update(target_scale_="1"), "'target_scale_' of TunedSVR must be"),
    "coefficient that is no number": (
        lambda d, a: a["TunedSVR.best_estimator_.dual_coef_"].fill(np.inf),
        "'dual_coef_' of SVR is not finite",
    ),
    "machine of classes": (
        lambda d, a: state(d).update(best_estimator_={"$": "instance", "class": "SVC", "params": {}}),
        "'best_estimator_' is a SVC",
    ),
}


ALL_CHANGES = {TunedSVC: CHANGES | CHANGES_OF_CLASSES, TunedSVR: CHANGES | CHANGES_OF_REGRESSION}


@pytest.mark.parametrize(
    ("small", "name"),
    [(kind, name) for kind in ALL_CHANGES for name in ALL_CHANGES[kind]],
    indirect=["small"],
)
def test_contents_that_make_no_model_are_refused(small, name, tmp_path):
    change, message = ALL_CHANGES[type(small[0])][name]
    path = rewritten(small, tmp_path, change)
    with pytest.raises(
        ValueError, match=f"changed\\.npz is not a model that this version can read: .*{message}"
    ):
        load(path)


def test_every_array_is_needed_and_has_one_shape(small, tmp_path):
    """Without an array, or with a row or an axis of it more or less, there is no model."""
    with np.load(small[1]) as file:
        names = [name for name in file.files if name != "model.json"]
    owner = type(small[0]).__name__
    needed = ["support_", "_beta", "intercept_", "support_vectors_", "n_support_", "dual_coef_", "classes_"]
    needed = [f"{owner}.best_estimator_.{name}" for name in (*needed, "_sigmoids")]
    needed = [name for name in [*needed, f"{owner}.scaler_.mean_"] if name in names]
    assert len(needed) >= (8 if owner == "TunedSVC" else 5)
    for name in names:
        with pytest.raises(ValueError, match=r"changed\.npz .* is missing"):
            load(rewritten(small, tmp_path, lambda document, arrays, name=name: arrays.pop(name)))
    for name in needed:
        for wrong in (lambda a: a[None], lambda a: np.concatenate([a, a[:1]]), lambda a: a[:-1]):
            changed = rewritten(
                small, tmp_path, lambda d, arrays, n=name, w=wrong: arrays.update({n: w(arrays[n])})
            )
            with pytest.raises(ValueError, match=r"changed\.npz is not a model"):
                load(changed)


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_nothing_is_unpickled(small, tmp_path, monkeypatch):
    trace = tmp_path / "trace"
    write = np.lib.format.write_array
    monkeypatch.setattr(np.lib.format, "write_array", lambda file, array, allow_pickle: write(file, array))
    bomb, name = (
        np.array([Bomb(trace)], dtype=object),
        f"{type(small[0]).__name__}.best_estimator_.intercept_",
    )
    path = rewritten(small, tmp_path, lambda d, arrays: arrays.update({name: bomb}))
    with np.load(path, allow_pickle=True) as file:
        file[name][0].close()
    trace.unlink()  # the bomb works
    with pytest.raises(ValueError, match=r"changed\.npz is not a model .*: its type is object"):
        load(path)
    assert not trace.exists()


def test_half_written_file_does_not_replace_a_whole_one(small, tmp_path, monkeypatch):
    model, path, X = small
    target = tmp_path / "model.npz"
    target.write_bytes(path.read_bytes())
    monkeypatch.setattr(persistence, "archive", lambda document, arrays: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(target)
    assert_same_model(load(target), model, X)


def test_load_is_public():
    assert "load" in kernelwise.__all__
    assert kernelwise.load is load


def test_wrong_number_of_features_in_kernel_is_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = SVC(kernel=Gaussian(np.eye(2))).fit(X, X[:, 0] > 0)
    model.kernel_ = Gaussian(np.eye(3))
    model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=r"model\.npz .*made for 3 features, got 2"):
        load(tmp_path / "model.npz")


@pytest.mark.parametrize("kernel", ["rbf", "diagonal", "precomputed"])
def test_a_regression_predicts_the_same_after_loading(tmp_path, kernel):
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 3))
    y = X[:, 0] ** 2 + 5.0
    X = X @ X.T if kernel == "precomputed" else X
    model = kernelwise.TunedSVR(kernel, Cs=[1.0, 10.0]).fit(X, y)
    for saved in (model, model.best_estimator_):
        saved.save(tmp_path / "model.npz")
        loaded = kernelwise.load(tmp_path / "model.npz")
        samples = X if saved is model else X[:, : saved.n_features_in_]
        np.testing.assert_array_equal(loaded.predict(samples), saved.predict(samples))
    model.save(tmp_path / "model.npz")
    loaded = kernelwise.load(tmp_path / "model.npz")
    assert loaded.score(X, y) == model.score(X, y)
    assert (loaded.C_, loaded.epsilon_, loaded.result_.why) == (model.C_, model.epsilon_, model.result_.why)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("dual_coef_", np.zeros((1, 1)), "'dual_coef_' of SVR has shape"),
        ("intercept_", np.array([np.nan]), "'intercept_' of SVR is not finite"),
        ("kernel_", "rbf", "its kernel is a str"),
    ],
)
def test_a_regression_whose_parts_do_not_fit_is_refused(tmp_path, name, value, says):
    model = kernelwise.TunedSVR(Cs=[1.0], blend=False).fit(np.arange(20.0)[:, None], np.arange(20.0))
    setattr(model.best_estimator_, name, value)
    model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=re.escape(says)):
        kernelwise.load(tmp_path / "model.npz")


def test_notes_are_kept_beside_a_model(tmp_path):
    model = kernelwise.SVC().fit([[0.0], [1.0]], [0, 1])
    persistence.save(model, tmp_path / "model.npz", {"columns": ["a"]})
    loaded, notes = persistence.load_with_notes(tmp_path / "model.npz")
    assert notes == {"columns": ["a"]}
    assert loaded.predict([[0.0]]) == [0]
    model.save(tmp_path / "model.npz")
    assert persistence.load_with_notes(tmp_path / "model.npz")[1] is None


# -- files of an adversary ----------------------------------------------------------------------------------


def signed(members, path, method=zipfile.ZIP_DEFLATED):
    """A file of these members, with a right checksum."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, contents in members.items():
            file.writestr(name, contents)
        file.comment = bytes(persistence.DIGEST)
    data = buffer.getvalue()[: -persistence.DIGEST]
    path.write_bytes(data + hashlib.sha256(data).hexdigest().encode())
    return path


def members_of(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_what_a_mask_hides_is_not_written(small, tmp_path):
    """Arrays of `numpy.empty` hold what was in memory before."""
    model = clone(small[0]).fit(small[2], small[0].predict(small[2]))
    secret = np.frombuffer(b"a secret", dtype=float)[0]
    hidden = np.ma.MaskedArray([1.0, secret], mask=[False, True])
    model.cv_results_["param_delta"] = np.ma.concatenate([hidden] * (len(model.cv_results_["params"]) // 2))
    model.save(tmp_path / "model.kw")
    members = members_of(tmp_path / "model.kw")
    assert not [name for name, contents in members.items() if b"a secret" in contents]
    assert_array_equal(load(tmp_path / "model.kw").cv_results_["param_delta"].compressed().max(), 1.0)


def test_equal_fits_are_equal_files_but_for_their_times(tmp_path, iris):
    def saved(name):
        TunedSVC(Cs=[1.0, 10.0]).fit(*iris).save(tmp_path / name)
        members = members_of(tmp_path / name)
        lines = members.pop("model.json").decode().splitlines()
        return {**members, **{f"line {k}: {line.split(':')[0]}": line for k, line in enumerate(lines)}}

    one, two = saved("one"), saved("two")
    assert one.keys() == two.keys()
    differ = [name for name in one if one[name] != two[name]]
    assert [name for name in differ if not re.search("_time|second", name)] == []


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_stored_and_deflated_members_are_unpacked(small, method, tmp_path):
    path = signed(members_of(small[1]), tmp_path / "other.kw", method)
    with pytest.raises(
        ValueError, match=r"other\.kw is not a kernelwise model: 'model\.json' is encrypted, or"
    ):
        load(path)


def test_members_that_no_model_has_are_not_unpacked(small, tmp_path, monkeypatch):
    members = {**members_of(small[1]), "more.npy": bytes(1 << 26), "x.py": b"x"}
    path = signed(members, tmp_path / "more.kw")
    opened, usual = [], zipfile.ZipFile.open

    def spy(self, member, *options, **named):
        opened.append(getattr(member, "filename", member))
        return usual(self, member, *options, **named)

    monkeypatch.setattr(zipfile.ZipFile, "open", spy)
    assert_same_model(load(path), small[0], small[2])
    assert "model.json" in opened
    assert not {"more.npy", "x.py"} & set(opened)


@pytest.mark.parametrize("name", ["model.json", "intercept_.npy"])
def test_a_small_file_cannot_take_much_memory(small, name, tmp_path):
    members = members_of(small[1])
    name = next(one for one in members if one.endswith(name))
    members[name] = members[name] + b" " * (1 << 27)
    path = signed(members, tmp_path / "bomb.kw")
    assert path.stat().st_size < 1 << 18
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"bomb\.kw is not .*more than 100 times its size"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


def test_a_member_is_unpacked_no_further_than_it_says(small, tmp_path):
    """The directory of the archive says 256 bytes, and there are many more."""
    members = members_of(small[1])
    name = next(one for one in members if one.endswith("intercept_.npy"))
    path = signed({**members, name: members[name] + bytes(1 << 27)}, tmp_path / "bomb.kw")
    data = path.read_bytes()[: -persistence.DIGEST]
    lie = data.replace((len(members[name]) + (1 << 27)).to_bytes(4, "little"), (256).to_bytes(4, "little"))
    path.write_bytes(lie + hashlib.sha256(lie).hexdigest().encode())
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"bomb\.kw is not a model"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (b"'<f8', 'fortran_order': False, 'shape': (1000000000000000,), ", "asks for 8000000000000000 bytes"),
        (b"'<f8', 'fortran_order': False, 'shape': (-1,), ", "no header"),
        (b"'|O', 'fortran_order': False, 'shape': (1,), ", "its type is object"),
        (b"'f8,f8', 'fortran_order': False, 'shape': (1,), ", "its type is"),
        (b"'(2,)f8', 'fortran_order': False, 'shape': (1,), ", "its type is"),
        (b"__import__('os').abort(), 'fortran_order': False, 'shape': (1,), ", "no header"),
    ],
)
def test_headers_of_arrays_are_checked_before_they_are_believed(small, header, says, tmp_path):
    members = members_of(small[1])
    name = next(one for one in members if one.endswith("intercept_.npy"))
    text = b"{'descr': " + header + b"}"
    members[name] = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + text.ljust(117) + b"\n" + bytes(8)
    with pytest.raises(ValueError, match=rf"lie\.kw is not a model .*intercept_' is no array .*: .*{says}"):
        load(signed(members, tmp_path / "lie.kw"))


@pytest.mark.parametrize(("dtype", "raw"), [("?", b"\x02"), ("<U1", b"\xff\xff\xff\xff")])
def test_bytes_that_are_no_value_of_their_type_are_refused(small, dtype, raw, tmp_path):
    name = f"{type(small[0]).__name__}.best_estimator_.intercept_"
    wrong = np.frombuffer(raw, dtype=dtype)
    with pytest.raises(ValueError, match=r"changed\.npz .*intercept_' holds what is no"):
        load(rewritten(small, tmp_path, lambda d, arrays: arrays.update({name: wrong})))


@pytest.mark.parametrize("dtype", ["?", "<c16", "<U3", "<M8[D]"])
def test_coefficients_of_another_type_are_refused(small, dtype, tmp_path):
    name = f"{type(small[0]).__name__}.best_estimator_.intercept_"
    path = rewritten(small, tmp_path, lambda d, a: a.update({name: np.zeros(a[name].shape, dtype)}))
    with pytest.raises(ValueError, match=r"changed\.npz .*'intercept_' of \w+ is of type"):
        load(path)


def test_a_model_that_cannot_answer_is_refused(small, tmp_path):
    path = rewritten(small, tmp_path, lambda d, a: state(d).update(training_range_=[1, 2]))
    with pytest.raises(ValueError, match=r"changed\.npz is not a model that this version can read: "):
        load(path)


def test_a_model_that_packs_too_well_is_stored(tmp_path):
    """Nobody could tell it from a bomb."""
    X = np.zeros((400, 20_000))
    X[::2, 0] = 1.0
    model = SVC(kernel="linear", C=1e-3).fit(X, np.arange(400) % 2)
    model.save(tmp_path / "model.kw")
    assert (tmp_path / "model.kw").stat().st_size > model.support_vectors_.nbytes
    assert_array_equal(load(tmp_path / "model.kw").predict(X), model.predict(X))
