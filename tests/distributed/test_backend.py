"""backend="dask": paths that dask runs give the model of paths that are run here."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.model_selection import RepeatedKFold, StratifiedKFold, TimeSeriesSplit

from kernelwise import TunedSVC, TunedSVR
from kernelwise.kernels import RBF
from kernelwise.search import Classification, FoldRows
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.runner import Here
from kernelwise.search.engine.scored_kernel import FoldKernels
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.c_range import c_range
from kernelwise.solvers import svm_path
from kernelwise.solvers.path import ClassPaths
from kernelwise.solvers.regression import RegressionPaths

dask = pytest.importorskip("dask", reason="dask (extra 'dask') is not installed")
from kernelwise.distributed.dask_runner import OnDask  # noqa: E402

N = 160
RNG = np.random.default_rng(0)
DATA = {
    n_classes: make_classification(
        N, n_features=4, n_informative=3, n_redundant=0, n_classes=n_classes, flip_y=0.05, random_state=1
    )
    for n_classes in (2, 3)
}
NUMBERS = make_friedman1(90, n_features=5, noise=0.5, random_state=0)
WEIGHT = RNG.integers(1, 4, size=N) * 0.5


def assert_same(found, expected, X):
    assert found.kernel_ == expected.kernel_
    assert found.C_ == expected.C_
    assert getattr(found, "epsilon_", None) == getattr(expected, "epsilon_", None)
    assert found.n_svm_fits_ == expected.n_svm_fits_
    assert found.cv_results_["params"] == expected.cv_results_["params"]
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    assert [str(finding) for finding in found.diagnostics_] == [
        str(finding) for finding in expected.diagnostics_
    ]
    np.testing.assert_allclose(found.predict(X), expected.predict(X), rtol=1e-10)
    for answer in ("decision_function", "predict_proba") if isinstance(expected, TunedSVC) else ():
        values = (getattr(model, answer)(X) for model in (found, expected))
        np.testing.assert_allclose(*values, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (TunedSVC(), DATA[2]),
        (TunedSVC(class_weight="balanced", multiclass="ovr", cv=2), DATA[3]),
        (TunedSVC("poly", criterion="kta", Cs=[0.1, 1.0], n_jobs=2), DATA[2]),
        (TunedSVR(cv=3), NUMBERS),
        (TunedSVR("diagonal", criterion="centered-kta", cv=2), NUMBERS),
        (TunedSVR("diagonal", cv=2, Cs=[1.0, 4.0], epsilons=[0.05, 0.2]), NUMBERS),
    ],
)
def test_the_model_is_that_of_paths_run_here(scheduler, model, data):
    X, y = data
    weight = WEIGHT[: len(y)]
    expected = clone(model).fit(X, y, weight)
    with dask.config.set(scheduler=scheduler):
        found = clone(model).set_params(backend="dask").fit(X, y, weight)
    assert_same(found, expected, X)


def test_a_metric_learned_without_each_fold():
    X, y = DATA[2][0][:60, :3], DATA[2][1][:60]
    settings = {"kernel": "diagonal", "criterion": "centered-kta", "cv": 2}
    expected = TunedSVC(**settings).fit(X, y)
    with dask.config.set(scheduler="threads"):
        found = TunedSVC(**settings, backend="dask").fit(X, y)
    assert_same(found, expected, X)


class GrowsWithC:
    """A score of the position of C in its path."""

    is_share = False

    def __init__(self, slope):
        self.slope = slope

    def __call__(self, decision, rows, weight):
        return self.slope * np.arange(len(decision))


@pytest.mark.parametrize("kernel", [RBF(0.3), FoldKernels(RBF(0.3), [RBF(0.2), RBF(0.4), RBF(0.3)])])
@pytest.mark.parametrize("slope", [1.0, -1.0])
def test_paths_go_on_from_solved_machines(kernel, slope, monkeypatch):
    """Scores that grow with C, or fall, lead to more values of C: from the machines at hand, or anew."""
    X, y = DATA[3]
    fold_of = np.empty(N, int)
    for k, (_, test) in enumerate(StratifiedKFold(3).split(X, y)):
        fold_of[test] = k
    fold_rows = FoldRows(np.arange(N), fold_of, WEIGHT, 3)
    samples = Samples(X, y, y, WEIGHT, WEIGHT)

    def validator(runner):
        return CrossValidator(
            samples, fold_rows, Classification(np.arange(3)), GrowsWithC(slope), runner=runner
        )

    goes_on = []

    solve = ClassPaths.solve

    def spy(*args, **options):
        goes_on.append(options["after"] is not None)
        return solve(*args, **options)

    expected = validator(Here).score(kernel, "given")
    monkeypatch.setattr(ClassPaths, "solve", spy)
    with dask.config.set(scheduler="synchronous"):
        found = validator(OnDask).score(kernel, "given")
    assert any(goes_on) == (slope > 0)
    assert len(found.Cs) > len(c_range(found.variance))
    for name in ("Cs", "scores", "stored", "variance", "n_machines", "is_finished"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    # A mean over folds, and then over their means.
    np.testing.assert_allclose(found.n_support, expected.n_support, rtol=1e-14)


def test_folds_that_are_no_partition():
    X, y = DATA[3]
    for cv in (TimeSeriesSplit(3), RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)):
        here = TunedSVC(RBF(0.3), Cs=[1.0, 4.0], cv=cv, refit=False)
        with dask.config.set(scheduler="synchronous"):
            there = clone(here).set_params(backend="dask").fit(X, y)
        scores = [model.cv_results_["mean_test_score"] for model in (here.fit(X, y), there)]
        np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize(
    ("model", "data", "paths", "n_tasks_of_kernel"),
    [
        (TunedSVC(), DATA[3], ClassPaths, 5),
        (TunedSVR(epsilons=[0.1, 0.2], cv=3), NUMBERS, RegressionPaths, 2 * 3),
    ],
)
def test_no_path_is_run_here_and_none_twice(model, data, paths, n_tasks_of_kernel, monkeypatch):
    n_tasks = []

    def refuse(*args, **options):
        raise AssertionError("A path was run here.")

    solve = paths.solve

    def spy(*args, **options):
        n_tasks.append(options["only"])
        return solve(*args, **options)

    monkeypatch.setattr(Here, "kernel", refuse)
    monkeypatch.setattr(paths, "solve", spy)
    with dask.config.set(scheduler="synchronous"):
        model = clone(model).set_params(
            kernel=["rbf", "laplacian"], Cs=[1.0, 4.0], refit=False, backend="dask"
        )
        model.fit(*data)
    assert None not in n_tasks
    kernels = {repr(params["kernel"]) for params in model.cv_results_["params"]}
    assert len(n_tasks) == n_tasks_of_kernel * len(kernels)


def test_early_stops_and_indefinite_kernels_are_counted():
    X, y = DATA[2]
    settings = {"kernel": "sigmoid", "max_iter": 3, "Cs": [1.0, 1000.0]}
    with pytest.warns(UserWarning, match="models stopped before they converged") as expected:
        TunedSVC(**settings, refit=False).fit(X, y)
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.warns(UserWarning, match="models stopped before they converged") as found,
    ):
        TunedSVC(**settings, refit=False, backend="dask").fit(X, y)
    assert [str(one.message) for one in found] == [str(one.message) for one in expected]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_fold_alone_has_the_machines_it_has_among_all(n_classes):
    X, y = DATA[n_classes]
    K, folds = RBF(0.3)(X), list(StratifiedKFold(4).split(X, y))
    paths = ClassPaths(*np.unique(y, return_inverse=True), folds, np.ones((4, len(y))))
    whole = svm_path(K, y, [4.0, 0.5], folds)
    further = svm_path(K, y, [64.0], folds, after=whole)
    for k, (_, test) in enumerate(folds):
        path, _ = paths.solve(K, np.array([4.0, 0.5]), tol=1e-3, only=k)
        more, _ = paths.solve(K, np.array([64.0]), tol=1e-3, only=k, after=path)
        for one, all_folds in ((path, whole), (more, further)):
            np.testing.assert_array_equal(one.decision[:, test], all_folds.decision[:, test])
            np.testing.assert_array_equal(one.n_iter[:, 0], all_folds.n_iter[:, k])
            assert np.isnan(np.delete(one.decision, test, axis=1)).all()


def test_a_time_budget_is_kept():
    X, y = DATA[2]
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.warns(UserWarning, match="was too short for"),
    ):
        model = TunedSVC(time_budget=1e-6, backend="dask").fit(X, y)
    assert len({repr(params["kernel"]) for params in model.cv_results_["params"]}) == 1


def test_bad_backends_get_one_sentence(monkeypatch):
    X, y = DATA[2]
    for backend in ("ray", 3, ["dask"]):
        with pytest.raises(ValueError, match="'backend' parameter of TunedSVC must be None or 'dask'"):
            TunedSVC(backend=backend).fit(X, y)
    with pytest.raises(ValueError, match="'backend' parameter of TunedSVR must be None or 'dask'"):
        TunedSVR(backend="ray").fit(*NUMBERS)
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r'pip install "kernelwise\[dask\]"'):
        TunedSVC(backend="dask").fit(X, y)


def test_it_is_a_parameter():
    model = clone(TunedSVC(backend="dask"))
    assert model.get_params()["backend"] == "dask"
    assert TunedSVC().backend is None
