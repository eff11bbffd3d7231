"""Parameters that cannot be are refused in one sentence that names them; score is what scoring asks for."""

from __future__ import annotations

import re
from inspect import signature

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mean_absolute_error, roc_auc_score
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import GroupKFold
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import check_param_validation

from kernelwise import (
    SVC,
    SVR,
    GridSearchSVC,
    MetricTransformer,
    NystroemOneClassSVM,
    NystroemSVC,
    NystroemSVR,
    OneClassSVM,
    TunedOneClassSVM,
    TunedSVC,
    TunedSVR,
    compare,
)
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.kernels import KMOD, RBF
from kernelwise.selection import PairwiseSVC

ESTIMATORS = (
    SVC,
    SVR,
    GridSearchSVC,
    MetricTransformer,
    NystroemSVC,
    NystroemSVR,
    TunedSVC,
    TunedSVR,
)


def no_score(*_):
    """A scorer that forgets to return its score."""


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (SVC(max_iter=1.5), "'max_iter' parameter of SVC must be -1 or a positive integer. Got 1.5"),
        (SVR(max_iter="a"), "'max_iter' parameter of SVR must be -1 or a positive integer. Got 'a'"),
        (
            TunedSVC(max_iter=np.nan),
            "'max_iter' parameter of TunedSVC must be -1 or a positive integer. Got nan",
        ),
        (
            GridSearchSVC(max_iter=0),
            "'max_iter' parameter of GridSearchSVC must be -1 or a positive integer. Got 0",
        ),
        (
            TunedSVC(n_jobs=0),
            "'n_jobs' parameter of TunedSVC must be None, a number of threads or -1 .* Got 0",
        ),
        (
            GridSearchSVC(n_jobs="x"),
            "'n_jobs' parameter of GridSearchSVC must be None, a number of .* Got 'x'",
        ),
        (SVC(n_jobs=1.5), "'n_jobs' parameter of SVC must be None, a number of threads or -1 .* Got 1.5"),
        (
            NystroemSVC(random_state=-1),
            "'random_state' parameter of NystroemSVC must be None, an integer from 0",
        ),
        (
            TunedSVR(random_state="a"),
            "'random_state' parameter of TunedSVR must be None, an integer .* Got 'a'",
        ),
        (
            TunedSVC(verbose=None),
            "'verbose' parameter of TunedSVC must be an integer or True or False. Got None",
        ),
        (
            TunedSVC("precomputd"),
            "'precomputed-distance', 'auto', got 'precomputd'. Did you mean 'precomputed'",
        ),
        (TunedSVC(RBF), r"Pass an object instead of the class: RBF\(\)"),
        (TunedSVC(["rbf", linear_kernel]), r"A function has no parameters .* SVC\(kernel=\.\.\.\)"),
        (TunedSVC(scoring="r2"), "'scoring' of TunedSVC is 'r2', a score of numbers, and TunedSVC learns cl"),
        (TunedSVR(scoring="f1"), "'scoring' of TunedSVR is 'f1', a score of classes, and TunedSVR learns nu"),
        (
            TunedSVC(scoring="acuracy"),
            "'acuracy', which is not a score of scikit-learn. Did you mean 'accuracy'",
        ),
        (TunedSVC(scale={}), "'scale' of TunedSVC must be None, 'standard', 'minmax', 'robust' or a tr"),
        (GridSearchSVC({"C": [1.0]}, cv=[]), "'cv' of GridSearchSVC gives no folds"),
        (GridSearchSVC({"C": [1.0]}, scaler=1.5), "'scaler' of GridSearchSVC must be None, 'standard'"),
        (
            GridSearchSVC({"C": [1.0]}, refit=[]),
            "'refit' of GridSearchSVC must be a bool, a name or callable",
        ),
        (SVC(degree="x"), "'degree' parameter of SVC must be an integer of at least 0. Got 'x'"),
        (
            SVC(kernel="linear", gamma="x"),
            "'gamma' parameter of SVC must be one of 'scale', 'auto' or a finite .* Got 'x'",
        ),
        (SVC(coef0=None), "'coef0' parameter of SVC must be a finite number. Got None"),
        (SVC(probability="yes"), "'probability' parameter of SVC must be True or False. Got 'yes'"),
        (SVC(warm_start=2), "'warm_start' parameter of SVC must be True or False. Got 2"),
        (SVC(class_weight="x"), "class_weight must be None, 'balanced' or a dict from classes to weights"),
        (GridSearchSVC([]), r"'param_grid' of GridSearchSVC must be a dict .* got \[\]"),
        (GridSearchSVC("nonsense"), "'param_grid' of GridSearchSVC must be a dict .* got 'nonsense'"),
        (GridSearchSVC({"degree": ["x"]}), "'degree' of GridSearchSVC must be an integer"),
        (GridSearchSVC({"C": [1.0]}, cv=-3), "'cv' of GridSearchSVC must be None, an integer of at least 2"),
        (GridSearchSVC({"C": [1.0]}, refit="x"), "'refit' of GridSearchSVC must be True, False or callable"),
        (
            GridSearchSVC({"C": [1.0]}, return_train_score="x"),
            "'return_train_score' parameter of GridSearchSVC must be",
        ),
        (SVC(class_weight={1: "a"}), r"'class_weight\[1\]' of the model must be a finite float, got 'a'"),
        (TunedSVC(Cs=[[1.0], [2.0, 3.0]]), r"'Cs' of TunedSVC must be a list of numbers, got \[\[1.0\]"),
        (TunedSVC(scoring=no_score, Cs=[1.0]), "The scorer 'score' must return a number, got None"),
        (
            TunedSVC(cv=GroupKFold(3)),
            "'cv' of TunedSVC is GroupKFold.*, which needs groups. Pass them to fit",
        ),
        (MetricTransformer(starts=1.0), "'starts' of metric learning must be a list of positive numbers"),
        (MetricTransformer(optimizer="grid"), "'optimizer' of metric learning must be an Optimizer or None"),
        (
            MetricTransformer(rank=0),
            "'rank' parameter of MetricTransformer must be an integer of at least 1. Got 0",
        ),
        (
            MetricTransformer(validation_fraction=2),
            "'validation_fraction' of metric learning must be below 1",
        ),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", str(value)),
)
def test_parameters_that_cannot_be_are_named(model, sentence, blobs):
    with pytest.raises(ValueError, match=sentence):
        model.fit(*blobs)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_constraints_are_those_that_scikit_learn_asks_for(kind):
    check_param_validation(kind.__name__, kind())


@pytest.mark.parametrize("C", [True, np.inf, np.nan, 0.0, "1"])
def test_what_is_no_positive_number(C, blobs):
    with pytest.raises(InvalidParameterError, match="'C' parameter of SVC must be a positive number"):
        SVC(C=C).fit(*blobs)


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([1, 2], "Fold 0 of 'cv' must be a pair"),
        ([(np.arange(30, 60), np.arange(30)), (1, 2)], "Fold 1 of 'cv' must be a pair"),
        ({"a": 1}, "Fold 0 of 'cv' must be a pair"),
        ([(["a"], ["b"])], "Fold 0 of 'cv' must be a pair"),
        ([(np.arange(60) > 5, np.arange(59) < 6)], "Fold 0 of 'cv' must be a pair .* masks of the 60 rows"),
        ([(np.arange(30), np.arange(30, 61))], "Fold 0 of 'cv' names samples beyond the 60"),
    ],
)
def test_folds_that_cannot_be_are_named(cv, sentence, blobs):
    for model in (TunedSVC(cv=cv), GridSearchSVC({"C": [1.0]}, cv=cv)):
        with pytest.raises(ValueError, match=sentence):
            model.fit(*blobs)


def test_weights_that_leave_a_fold_empty_are_named_with_it(blobs):
    X, y = blobs
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(20), np.arange(20, 60))]
    weight = (np.arange(60) >= 20).astype(float)
    for model in (GridSearchSVC({"C": [1.0]}, cv=folds), TunedSVC(cv=folds)):
        with pytest.raises(ValueError, match="zero for all samples in the test part of fold 0 of 'cv'"):
            model.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("model", [SVC(kernel="poly", gamma=1.0), SVC(gamma=1.0), SVR(RBF(1.0))])
def test_a_kernel_that_underflows_is_said(model, blobs):
    X, y = blobs
    with pytest.warns(KernelwiseWarning, match=r"All values of the kernel .* are [01]: the model"):
        model.fit(X * 1e-150, y)


def test_without_a_gram_matrix_a_kernel_that_sees_no_difference_is_said(blobs):
    X = np.tile(blobs[0], (20, 1))  # from 1000 rows on a Gaussian machine has no Gram matrix
    y = np.tile(blobs[1], 20)
    with pytest.warns(KernelwiseWarning, match=r"All values of the kernel RBF\(gamma=1\) .* are 1"):
        SVC(gamma=1.0).fit(X * 1e-150, y)
    SVC(kernel="linear").fit(
        np.vstack([np.zeros((1, X.shape[1])), blobs[0]]), np.append(blobs[1][0], blobs[1])
    )
    X = X * 1e-150
    X[-1] = 1.0  # the last of 1000 samples is enough of a difference, and no warning is an error here
    SVC(gamma=1.0).fit(X, y)


def test_the_advice_to_name_a_class_shows_the_label(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"which one: 2 or 3\. Pass .*pos_label=3\)"):
        TunedSVC(scoring="f1").fit(X, np.where(y == y[0], 2, 3))
    with pytest.raises(ValueError, match=r"which one: 'a' or 'b'\. Pass .*pos_label='b'\)"):
        TunedSVC(scoring="f1").fit(X, np.where(y == y[0], "a", "b"))


def test_a_kernel_that_is_zero_everywhere_is_refused():
    with pytest.raises(ValueError, match=r"'gamma' of KMOD is .* the kernel is zero everywhere"):
        KMOD(1e300, 1e-3)


def test_compare_names_what_it_cannot_split(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        compare(X[:0], y, ["SVC defaults"])
    with pytest.raises(ValueError, match="'n_splits' of compare must be an integer of at least 2, got 1"):
        compare(X, y, ["SVC defaults"], n_splits=1)


class DenseRBF(RBF):
    """A kernel whose code knows no sparse samples."""

    takes_sparse = False


@pytest.mark.parametrize("model", [TunedSVC(DenseRBF()), SVC(kernel=DenseRBF()), NystroemSVC(DenseRBF())])
def test_a_kernel_without_sparse_samples_says_so(model, blobs):
    X, y = blobs
    model.fit(X, y)
    with pytest.raises(IncompatibleError, match=r"X is sparse, and DenseRBF takes dense samples only"):
        model.fit(sparse.csr_matrix(X), y)


def test_score_is_the_score_asked_for(blobs):
    X, y = blobs
    model = TunedSVC(scoring="roc_auc", Cs=[1.0]).fit(X, y)
    assert model.score(X, y) == roc_auc_score(y, model.decision_function(X))
    plain = TunedSVC(Cs=[1.0]).fit(X, y)
    assert plain.score(X, y) == (plain.predict(X) == y).mean()
    line = TunedSVR(scoring="neg_mean_absolute_error", Cs=[1.0]).fit(X[:, 1:], X[:, 0])
    assert line.score(X[:, 1:], X[:, 0]) == -mean_absolute_error(X[:, 0], line.predict(X[:, 1:]))


def test_a_missing_folder_is_named_and_no_temporary_file(blobs, tmp_path):
    model = SVC().fit(*blobs)
    with pytest.raises(FileNotFoundError, match=r"There is no folder for 'x\.kw'") as caught:
        model.save(tmp_path / "nofolder" / "x.kw")
    assert caught.value.filename == str(tmp_path / "nofolder")


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (
            TunedSVC,
            {"C": 10.0},
            r"'C': it chooses C \(C_ after fit\) .* use SVC\(C=10.0\), or Cs=\[...\]",
        ),
        (
            TunedSVR,
            {"gamma": 0.5},
            r"'gamma': it chooses .* use SVR\(kernel=kernelwise\.kernels\.RBF\(gamma=0\.5\)\)",
        ),
        (TunedSVC, {"cache_size": 500}, "TunedSVC has no parameter 'cache_size'. Use memory_limit"),
        (TunedSVC, {"gamma": "scale"}, r"'gamma': it chooses .* the kernel .* use SVC\(gamma='scale'\)\.$"),
        (TunedSVC, {"probability": True}, "'probability': it has probabilities always"),
        (TunedSVR, {"epsilon": 0.1}, r"'epsilon': .* use SVR\(epsilon=0.1\), or epsilons=\[...\]"),
        (
            TunedSVC,
            {"nosuch": 1},
            "^TunedSVC has no parameter 'nosuch'. Its parameters are kernel, criterion, ",
        ),
        (TunedSVC, {"kernal": "rbf"}, r"^TunedSVC has no parameter 'kernal'. Did you mean 'kernel'\?$"),
    ],
)
def test_what_is_chosen_is_no_parameter_and_the_error_says_what_to_do(kind, settings, message):
    with pytest.raises(TypeError, match=message):
        kind(**settings)
    with pytest.raises(TypeError):
        kind("rbf", "dbtc")
    assert list(signature(kind).parameters)[:4] == ["kernel", "criterion", "search", "Cs"]
    assert set(kind().get_params()) == set(signature(kind).parameters)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (SVC, {"cache_size": 500}, "SVC has no parameter 'cache_size'. Use memory_limit"),
        (SVR, {"cache_size": 500}, "SVR has no parameter 'cache_size'. Use memory_limit"),
        (
            SVR,
            {"gamma": 0.5},
            r"'gamma'\. Pass a kernel object: SVR\(kernel=kernelwise\.kernels\.RBF\(gamma=0\.5\)\)",
        ),
        (SVR, {"degree": 2}, r"'degree'\. .* SVR\(kernel=kernelwise\.kernels\.Polynomial\(degree=2\)\)"),
        (SVC, {"epsilon": 0.1}, "^SVC has no parameter 'epsilon'. Its parameters are C, kernel, degree, "),
        (NystroemSVC, {"gamma": 2.0}, r"'gamma'\. .*: NystroemSVC\(kernel=kernelwise\.kernels\.RBF\(gamma=2"),
        (NystroemSVR, {"epsilom": 2}, r"^NystroemSVR has no parameter 'epsilom'. Did you mean 'epsilon'\?$"),
        (NystroemOneClassSVM, {"C": 1.0}, r"^NystroemOneClassSVM has no parameter 'C'. Use nu \("),
        (OneClassSVM, {"C": 1.0}, r"^OneClassSVM has no parameter 'C'. Use nu \("),
        (TunedOneClassSVM, {"C": 1.0}, r"^TunedOneClassSVM has no parameter 'C'. Use nu \("),
        (
            TunedOneClassSVM,
            {"gamma": 0.1},
            r"'gamma': it chooses the parameters of the kernel .* use OneClassSVM\(gamma=0\.1\)\.$",
        ),
        (
            TunedOneClassSVM,
            {"probability": True},
            "'probability'. Its parameters are kernel, contamination, ",
        ),
        (GridSearchSVC, {"gamma": 0.1}, r"Give its values in the grid: GridSearchSVC\({'gamma': \[0\.1\]}\)"),
        (
            MetricTransformer,
            {"gamma": 0.1},
            "^MetricTransformer has no parameter 'gamma'. Its parameters are",
        ),
        (
            PairwiseSVC,
            {"combines": "vote"},
            r"^PairwiseSVC has no parameter 'combines'. Did you mean 'combine'",
        ),
    ],
)
def test_parameters_that_only_scikit_learn_has(kind, settings, message):
    with pytest.raises(TypeError, match=message):
        kind(**settings)
    assert set(kind().get_params()) == set(signature(kind).parameters)


@pytest.mark.parametrize(
    "settings",
    [{"args": (SVC(), {"C": [1.0]})}, {"kwargs": {"estimator": SVC(), "param_grid": {"C": [1.0]}}}],
)
def test_a_grid_search_needs_no_estimator(settings):
    with pytest.raises(TypeError, match="GridSearchSVC needs no estimator: it always trains an SVM"):
        GridSearchSVC(*settings.get("args", ()), **settings.get("kwargs", {}))


def test_one_method_needs_no_list(blobs):
    assert compare(*blobs, "SVC defaults", n_splits=2, baseline=False).methods == ("SVC defaults",)
    with pytest.raises(ValueError, match="compare does not support the method 'svm'"):
        compare(*blobs, "svm")


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        SVR(),
        NystroemSVC(),
        NystroemSVR(),
        OneClassSVM(),
        NystroemOneClassSVM(),
        GridSearchSVC({"C": [1.0]}),
        MetricTransformer(),
        TunedSVC("rbf", Cs=[1.0]),
        TunedSVR("rbf", Cs=[1.0]),
        TunedOneClassSVM(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_fitted_attribute_is_documented(blobs, model):
    X, y = blobs
    model.fit(X, None if "OneClass" in type(model).__name__ else y)
    fitted = [name for name in dir(model) if name.endswith("_") and not name.startswith("_")]
    text = type(model).__doc__.split("    Attributes\n")[1]
    assert [name for name in fitted if not re.search(rf"\b{name}(?!\w)", text)] == []
