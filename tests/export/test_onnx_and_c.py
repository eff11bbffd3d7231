"""Models as ONNX graphs and C source: the same labels, values and probabilities on new rows."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import PowerTransformer, RobustScaler

from kernelwise import SVC, NystroemSVC, NystroemSVR, TunedSVC, TunedSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.export import Term, c_source, onnx_model, plain_model
from kernelwise.export.onnx_model import _pulled_back
from kernelwise.kernels import (
    KERNELS,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Gaussian,
    KernelSum,
    Laplacian,
    Linear,
    Polynomial,
    Sigmoid,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*far from positive semi-definite")
WRITTEN = sorted(KERNELS.keys() - {"kmod"})
D = 13
Q = np.linspace(0.01, 0.2, D)


def the_four() -> KernelSum:
    """A sum as `TunedSVC()` often chooses it."""
    return KernelSum([RBF(0.05), Laplacian(0.1), DiagonalGaussian(Q), DiagonalLaplacian(Q)])


def everything() -> KernelSum:
    """Every form of kernel, nested and weighted."""
    inner = KernelSum([DiagonalLaplacian(Q), ExponentialRBF(0.1)], [2.0, 0.5])
    metric = Gaussian(0.1 * np.eye(D) + 0.01)
    others = [RBF(0.05), Linear(), Polynomial(2, 0.1), Sigmoid(0.01, -0.1), metric]
    return KernelSum([inner, *others], [1.5, 0.5, 0.1, 0.2, 0.3, 0.7])


@pytest.fixture(scope="module")
def wine():
    """Training rows, their classes, and rows to predict."""
    X, y = load_wine(return_X_y=True)
    new = np.arange(len(y)) % 2 == 1
    return X[~new], y[~new], X[new]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:150], y[:150], X[150:250]


def run_onnx(model, X, tmp_path, **asked):
    """Outputs of the graph in the file, by name."""
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    path = tmp_path / "model.onnx"
    onnx.checker.check_model(model.to_onnx(path, **asked), full_check=True)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.asarray(X, dtype=float)}), strict=True))


def run_c(model, X, tmp_path, **asked):
    """The same outputs of the compiled source."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    # A library of the same name would be the one that is loaded already.
    source, library = tmp_path / "model.c", tmp_path / f"model{len(list(tmp_path.iterdir()))}.so"
    model.to_c(source, **asked)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([compiler, *strict, "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    return of_library(ctypes.CDLL(str(library)), model, np.ascontiguousarray(X, dtype=float))


def of_library(library, model, X):
    number = ctypes.POINTER(ctypes.c_double)

    def rows_of(function, n_columns):
        values = np.empty((len(X), n_columns))
        for row, out in zip(X, values, strict=True):
            function(row.ctypes.data_as(number), out.ctypes.data_as(number))
        return values

    is_class = hasattr(model, "classes_")
    library.predict.restype = ctypes.c_int if is_class else ctypes.c_double
    answers = np.array([library.predict(row.ctypes.data_as(number)) for row in X])
    if not is_class:
        ends = rows_of(library.predict_interval, 2).T if hasattr(library, "predict_interval") else ()
        return {"prediction": answers, **dict(zip(("lower", "upper"), ends, strict=False))}
    texts = (ctypes.c_char_p * len(model.classes_)).in_dll(library, "CLASSES")
    assert [text.decode() for text in texts] == [str(label) for label in model.classes_.tolist()]
    n_machines = len(getattr(model, "best_estimator_", model).intercept_)
    found = {
        "label": model.classes_[answers],
        "decision_values": rows_of(library.decision_values, n_machines),
    }
    if hasattr(library, "probabilities"):
        found["probabilities"] = rows_of(library.probabilities, len(model.classes_))
    return found


@pytest.fixture(params=[run_onnx, run_c], ids=["onnx", "c"])
def outputs(request, tmp_path):
    """What a model answers elsewhere."""
    return lambda model, X, **asked: request.param(model, X, tmp_path, **asked)


def assert_same(found, model, X):
    if not hasattr(model, "classes_"):
        expected = model.predict(X)
        assert_allclose(found["prediction"], expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        return
    values = model.machine_values(X)
    assert_allclose(found["decision_values"], values, rtol=0, atol=1e-9 * max(1.0, np.abs(values).max()))
    labels = model.predict(X)
    assert_array_equal(found["label"], labels)
    assert len(set(labels.tolist())) > 1
    assert ("probabilities" in found) == (model.sigmoids_ is not None)
    if "probabilities" in found:
        assert_allclose(found["probabilities"], model.predict_proba(X), rtol=0, atol=1e-9)


# -- the same model -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", WRITTEN)
def test_every_kernel_is_written(name, outputs, wine):
    X, y, new = wine
    model = TunedSVC(kernel=name, Cs=[1.0], cv=2).fit(X, y)
    assert_same(outputs(model, new), model, new)


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", [the_four, everything])
def test_sums_are_written_with_their_probabilities(kernel, n_classes, strategy, outputs, wine):
    X, y, new = wine
    scale = X.std(axis=0)
    X, y, new = X / scale, np.minimum(y, n_classes - 1), new / scale
    model = SVC(kernel=kernel(), multiclass=strategy, probability=True, random_state=0, C=5.0).fit(X, y)
    assert_same(outputs(model, new), model, new)
    model.set_params(predict_by="decision")
    assert_same(outputs(model, new), model, new)


@pytest.mark.parametrize(("n_classes", "strategy"), [(2, "ovo"), (3, "ovo"), (3, "ovr")])
def test_blends_are_written(n_classes, strategy, outputs, wine):
    X, y, new = wine
    X, y, new = X[:, :6], np.minimum(y, n_classes - 1), new[:, :6]
    model = TunedSVC(blend=True, multiclass=strategy, cv=2).fit(X, y)
    assert len(model.best_estimator_.kernels_) > 1
    assert_same(outputs(model, new), model, new)


def test_blends_of_numbers_are_written(outputs, diabetes):
    X, y, new = diabetes
    model = TunedSVR(blend=True, cv=4).fit(X, y)
    assert len(model.best_estimator_.kernels_) > 1
    assert_same(outputs(model, new), model, new)


def test_coupled_probabilities_come_along_where_they_disagree_with_votes(outputs, overlapping):
    X, y, new = overlapping(4)
    model = TunedSVC(kernel=KernelSum([RBF(), Laplacian()]), Cs=[1.0], cv=2).fit(X, y)
    by_probability = model.predict(new)
    assert_same(outputs(model, new), model, new)
    model.set_params(predict_by="decision")
    assert (model.predict(new) != by_probability).any()
    assert_same(outputs(model, new), model, new)


@pytest.mark.filterwarnings("ignore:.*unlike the training rows")
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_models_of_all_losses_are_written(loss, outputs, wine):
    X, y, new = wine
    model = TunedSVC("rbf", Cs=[1.0, 16.0], cv=3, loss=loss).fit(X, y)
    assert_same(outputs(model, new), model, new)


def test_rows_far_from_all_others_have_the_same_label(outputs, wine):
    """Every kernel value is zero there, and all pairwise probabilities are what the offsets say."""
    X, y, _ = wine
    far = X[:6] * np.array([[1e3], [-1e3], [1e6], [-1e6], [0.0], [1.0]])
    for strategy in ("ovo", "ovr"):
        model = TunedSVC(the_four(), Cs=[1e3], cv=2, multiclass=strategy).fit(X, y)
        found = outputs(model, far)
        # One by one: among rows so far from it a row of the training set is known to fewer digits.
        assert_array_equal(found["label"], np.concatenate([model.predict(far[i : i + 1]) for i in range(6)]))
        expected = np.concatenate([model.predict_proba(far[i : i + 1]) for i in range(6)])
        assert_allclose(found["probabilities"], expected, rtol=0, atol=1e-9)


def test_ties_are_broken_as_the_model_does(outputs, overlapping):
    X, y, new = overlapping(4)
    by_order, by_value = (SVC(kernel="laplacian", break_ties=ties).fit(X, y) for ties in (False, True))
    assert (by_order.predict(new) != by_value.predict(new)).any()
    for model in (by_order, by_value):
        assert_same(outputs(model, new), model, new)


@pytest.mark.parametrize("kernel", ["laplacian", "diagonal-laplacian", "gaussian", "linear"])
def test_predictions_are_in_the_units_of_the_target(kernel, outputs, diabetes):
    X, y, new = diabetes
    model = TunedSVR(kernel, Cs=[1.0], epsilons=0.1, cv=2).fit(X, 1e4 + y)
    assert_same(outputs(model, new), model, new)
    constant = TunedSVR(kernel, Cs=[1.0]).fit(X, np.full(len(y), 7.0))
    assert_array_equal(outputs(constant, new)["prediction"], 7.0)


def test_one_feature_and_a_single_weighted_kernel(outputs, diabetes):
    """A runtime makes one operator of a product and a number, and rounds the number: there is none."""
    X, y, new = diabetes[0][:, 2:3], diabetes[1], diabetes[2][:, 2:3]
    for kernel in (KernelSum([RBF(1.0 / 3.0)], [0.3]), KernelSum([Linear()], [0.3]), Polynomial(3, 0.1)):
        model = TunedSVR(kernel, Cs=[1.0], epsilons=0.1, cv=2).fit(X, y)
        assert_same(outputs(model, new), model, new)


def test_nystroem_machines_are_written(outputs, wine, diabetes):
    X, y, new = wine
    tuned = TunedSVC(the_four(), Cs=[1.0], cv=2, solver="nystroem").fit(X, y)
    own = NystroemSVC(KernelSum([Laplacian(0.1), RBF(0.1)], [1.0, 3.0])).fit(X / X.std(axis=0), y)
    assert_same(outputs(tuned, new), tuned, new)
    assert_same(outputs(own, new / X.std(axis=0)), own, new / X.std(axis=0))
    X, y, new = diabetes
    for model in (
        TunedSVR("laplacian", Cs=[1.0], epsilons=0.1, cv=2, solver="nystroem").fit(X, y),
        NystroemSVR(KernelSum([Laplacian(1.0), RBF(1.0)])).fit(X, y),
    ):
        assert_same(outputs(model, new), model, new)


@pytest.mark.parametrize("scale", [None, "minmax", RobustScaler(), RobustScaler(with_centering=False)])
def test_scalers_are_written(scale, outputs, wine):
    X, y, new = wine
    model = TunedSVC("laplacian", scale=scale, Cs=[1.0], cv=2).fit(X, y)
    assert_same(outputs(model, new), model, new)


def test_machines_of_sparse_rows_take_dense_ones(outputs, wine):
    X, y, new = wine
    for scale in ("standard", "minmax"):
        model = TunedSVC("rbf", scale=scale, Cs=[1.0], cv=2).fit(sparse.csr_matrix(X), y)
        found = outputs(model, new)
        assert_array_equal(found["label"], model.predict(sparse.csr_matrix(new)))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 5, 9], dtype=np.int8),
        np.array([0.0, 1.0, 2.0]),
        np.array(['Löwe "x"', "a\\b???/", "*/ c\n"]),
        np.array(["a", "b", "c"], dtype=object),
    ],
    ids=["int8", "float", "text", "object"],
)
def test_labels_keep_their_kind(labels, outputs, wine):
    pd = pytest.importorskip("pandas")
    X, y, new = wine
    names = [f"column {k} */ /* é" for k in range(D)]
    model = TunedSVC("laplacian", Cs=[1.0], cv=2).fit(pd.DataFrame(X, columns=names), labels[y])
    found = outputs(model, new)["label"]
    assert_array_equal(found, model.predict(pd.DataFrame(new, columns=names)))


def test_c_source_says_what_it_is(wine):
    X, y, _ = wine
    model = TunedSVC(the_four(), Cs=[1.0], cv=2).fit(X, np.array(["red", "rosé", "white"])[y])
    comment = model.to_c().partition("*/")[0]
    assert "TunedSVC with KernelSum(" in comment
    assert "x[12]  feature 12\n" in comment
    assert "CLASSES[1]  ros<U+00E9>\n" in comment


def test_comments_of_c_are_plain_ascii(wine):
    """No sign turns the order of a line around, moves the cursor, or ends the comment."""
    X, y, _ = wine
    names = np.array(["\u202e*/ evil", "\x1b[31mred", "a\u2028b ??/"])
    model = TunedSVC("rbf", Cs=[1.0], cv=2).fit(X, names[y])
    source = model.to_c()
    assert source.isascii()
    assert [one for one in source if not (one.isprintable() or one == "\n")] == []
    assert "CLASSES[0]  <U+001B>[31mred\n" in source
    assert "<U+202E>* / evil\n" in source


def test_a_class_with_a_nul_is_no_text_of_c(wine):
    X, y, _ = wine
    model = TunedSVC("rbf", Cs=[1.0], cv=2).fit(X, np.array(["a\0b", "a\0c", "d"])[y])
    with pytest.raises(IncompatibleError, match=r"The class 'a\\x00b' has a NUL character"):
        model.to_c()


# -- what cannot be -----------------------------------------------------------------------------------------
class Wider(Laplacian):
    """Says that it is a Laplacian kernel, and is another function."""

    def _gram(self, X, Y):
        return super()._gram(X, Y) ** 0.5


def refused(model):
    for write in (model.to_onnx, model.to_c):
        with pytest.raises(IncompatibleError) as told:
            write()
    return str(told.value)


def test_what_cannot_be_written_is_refused_in_a_sentence(wine, tmp_path):
    X, y, _ = wine
    told = refused(SVC(kernel="kmod").fit(X, y))
    assert "this model has KMOD. Keep the model with pickle, or with save(path) if the kernel is" in told
    assert "this model has kernel='precomputed'" in refused(SVC(kernel="precomputed").fit(X @ X.T, y))
    assert "a function of your own" in refused(SVC(kernel=lambda X, Y: X @ Y.T).fit(X, y))
    assert "multiclass='ovo-reject'" in refused(SVC(multiclass="ovo-reject").fit(X, y))
    scaled = TunedSVC("rbf", scale=PowerTransformer(), Cs=[1.0], cv=2).fit(X, y)
    assert "this model has PowerTransformer()" in refused(scaled)
    assert "Wider does not agree with its 'distance'" in refused(SVC(kernel=Wider(1e-3)).fit(X, y))
    path = tmp_path / "model.c"
    with pytest.raises(IncompatibleError):
        SVC(kernel="kmod").fit(X, y).to_c(path)
    assert not path.exists()
    for write in ("to_onnx", "to_c"):
        with pytest.raises(NotFittedError):
            getattr(SVC(), write)()
        with pytest.raises(NotFittedError, match="refit=False"):
            getattr(TunedSVC("rbf", refit=False, Cs=[1.0], cv=2).fit(X, y), write)()


def test_too_many_numbers_are_refused(wine):
    X, y, _ = wine
    model = SVC(kernel="laplacian").fit(X, y)
    plain = plain_model(model, model)
    many = np.broadcast_to(plain.support[:1], (10**8, D))  # without the memory
    term = replace(plain.terms[0], beta=np.broadcast_to(plain.terms[0].beta[:, :1], (3, 10**8)))
    huge = replace(plain, support=many, terms=[term])
    with pytest.raises(IncompatibleError, match=r"1600000000 numbers, but to_c writes at most 5000000"):
        c_source.c_source(huge)
    with pytest.raises(IncompatibleError, match="smaller than 2 GiB, but the 100000000 support vectors"):
        onnx_model.onnx_model(huge)


def test_onnx_that_is_not_installed_is_said(wine, monkeypatch):
    model = SVC().fit(*wine[:2])
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'pip install "kernelwise\[onnx\]"'):
        model.to_onnx()
    assert "int predict(" in model.to_c()


def test_scikit_learn_refuses_a_sum_and_says_where_it_can_go(wine):
    X, y, _ = wine
    for kernel, name in ((the_four(), "KernelSum"), ("laplacian", "Laplacian")):
        model = TunedSVC(kernel, Cs=[1.0], cv=2).fit(X, y)
        with pytest.raises(IncompatibleError) as told:  # and no warning before it
            model.to_sklearn()
        assert str(told.value).endswith(
            f"this model has {name}. Export the model with to_onnx(path) or to_c(path), keep it with "
            "save(path), or fit with kernel='rbf' or kernel='diagonal', which scikit-learn has."
        )


def test_labels_beyond_int64_are_refused():
    pytest.importorskip("onnx")
    X, y = np.arange(8.0)[:, None], np.repeat(np.array([3, 2**63 + 5], dtype=np.uint64), 4)
    with pytest.raises(IncompatibleError, match=r"up to 2\*\*63 - 1, but there is a class 9223372"):
        SVC().fit(X, y).to_onnx()
    assert SVC().fit(X, np.minimum(y, 2**63 - 1)).to_onnx() is not None


@pytest.mark.parametrize("L", [None, np.array([2.0, 0.5, 1.0]), np.arange(6.0).reshape(3, 2)])
def test_products_after_a_linear_map_are_products_with_other_samples(L):
    random = np.random.default_rng(0)
    S, z = random.normal(size=(4, 3)), random.normal(size=3)
    matrix = np.eye(3) if L is None else np.diag(L) if L.ndim == 1 else L
    found = _pulled_back(Term("linear", 1.0, "linear", np.eye(4), L=L), S) @ z
    np.testing.assert_allclose(found, (S @ matrix) @ (z @ matrix), atol=1e-12)


# -- intervals ----------------------------------------------------------------------------------------------


def uneven(n=240):
    """Numbers of a large unit, whose noise grows with the second column."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 3.0, size=(n, 3))
    return X, 1e6 * (5.0 + np.sin(X[:, 0]) + (0.05 + 0.3 * (X[:, 1] > 1.0)) * rng.normal(size=n))


INTERVALS = {
    "one kernel": {"kernel": "rbf"},
    "a sum": {"kernel": KernelSum([RBF(0.3), Laplacian(0.2)])},
    "a blend": {"kernel": ["rbf", "laplacian"], "blend": True},
    "Nyström": {"kernel": "rbf", "solver": "nystroem"},
    "not scaled": {"kernel": "rbf", "scale": None},
}


@pytest.mark.parametrize("how", INTERVALS.values(), ids=INTERVALS)
def test_intervals_are_the_same(how, outputs):
    X, y = uneven()
    model, X = TunedSVR(**how).fit(X, y), 1.1 * X
    found, expected = outputs(model, X, interval=0.8), model.predict_interval(X, 0.8)
    assert np.ptp(expected[:, 1] - expected[:, 0]) > 0.1 * y.std()  # they are wide where the noise is
    assert_same(found, model, X)
    ends = np.column_stack([found["lower"], found["upper"]])
    assert_allclose(ends, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_intervals_of_one_width_and_of_none(outputs):
    X, _ = uneven(60)
    rng = np.random.default_rng(1)
    for targets in (X[:, 0] + 0.1 * rng.normal(size=60), np.full(60, 3.0)):
        model = TunedSVR("rbf").fit(X, targets)
        assert not len(model._spread.coefficients)
        found = outputs(model, X, interval=0.9)
        ends = np.column_stack([found["lower"], found["upper"]])
        assert_allclose(ends, model.predict_interval(X, 0.9), rtol=0, atol=1e-9)


def test_a_sparse_model_has_intervals(outputs):
    X, y = uneven()
    model = TunedSVR("rbf").fit(sparse.csr_matrix(X), y)
    assert len(model._spread.coefficients)
    found, expected = outputs(model, X, interval=0.8), model.predict_interval(sparse.csr_matrix(X), 0.8)
    assert_allclose(found["upper"], expected[:, 1], rtol=0, atol=1e-9 * np.abs(expected).max())


def test_intervals_that_no_file_can_hold_are_refused(wine, diabetes):
    X, y, _ = diabetes
    quantile = TunedSVR("rbf", quantile=0.9, Cs=[1.0]).fit(X, y)
    for write in (quantile.to_c, quantile.to_onnx):
        with pytest.raises(IncompatibleError, match="Intervals need a model of the typical target"):
            write(interval=0.9)
    for machine in (TunedSVC("rbf", Cs=[1.0]).fit(*wine[:2]), SVC().fit(*wine[:2])):
        with pytest.raises(IncompatibleError, match="Intervals need the held-out rows of a TunedSVR"):
            machine.to_c(interval=0.9)
    with pytest.raises(ValueError, match=r"A coverage of 0\.999 needs 999 held-out rows"):
        TunedSVR("rbf", Cs=[1.0]).fit(X, y).to_c(interval=0.999)
