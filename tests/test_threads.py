"""Every public function and estimator answers many threads at once as it answers one alone."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from inspect import isclass, isfunction
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator

import kernelwise
from kernelwise import comparison, criteria, datasets, explanation, kernels, metrics, optimizers, solvers
from kernelwise.kernels import RBF, Laplacian
from kernelwise.problem import TuningProblem

pytestmark = [
    # A few rows of noise: what the search has to say about them is tested elsewhere.
    pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*models stopped before they converged"),
    pytest.mark.filterwarnings("ignore:Platt's sigmoid did not converge"),
]
CS = [0.5, 8.0]
OF_ONE_WIDTH = ["quasi-newton", "second-order", "gradient-descent", "line-search", "grid"]


def drawn(seed, n=30):
    """Random rows of three classes on a coarse grid, so that rows repeat and distances tie."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return np.round(2 * (random.normal(size=(n, 3)) + y[:, None])) / 2, y


def two(y):
    return np.where(y == 1, 1, -1)


def folds(y):
    rows = np.arange(y.size)
    return [(rows[rows % 2 != k], rows[rows % 2 == k]) for k in range(2)]


def loaded(X, y):
    """Every call writes a file of its own and reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        kernelwise.SVC().fit(X, y).save(path)
        return kernelwise.load(path).decision_function(X)


def compared(X, y):
    methods = {"wide": kernelwise.SVC(gamma=0.01), "usual": kernelwise.SVC()}
    return kernelwise.compare(X, y, methods, n_splits=2).scores


def explained(function):
    return lambda X, y: function(kernelwise.SVC(tol=1e-6).fit(X, y == 1), X[:3])


def cost(criterion, X, y):
    problem = TuningProblem(RBF(0.3), criterion, X, y)
    return problem.value(problem.theta)


def found_by(optimizer, X, y):
    problem = TuningProblem(RBF(0.3), "dbtc", X, y)
    return optimizers.as_optimizer(optimizer).minimize(problem).kernel.gamma


def grid(X, y):
    return comparison.full_grid(2).set_params(param_grid={"C": CS}).fit(X, y).cv_results_["mean_test_score"]


def nested(X, y):
    return comparison.nested_cell(kernelwise.SVC(), X, y, *folds(y)[0])[0]


ESTIMATORS = {
    kernelwise.SVC: lambda X, y: kernelwise.SVC(probability=True, random_state=0).fit(X, y).predict_proba(X),
    kernelwise.SVR: lambda X, y: kernelwise.SVR().fit(X, y).predict(X),
    kernelwise.OneClassSVM: lambda X, y: kernelwise.OneClassSVM().fit(X).decision_function(X),
    kernelwise.NystroemSVC: lambda X, y: (
        kernelwise.NystroemSVC(n_components=8).fit(X, y).decision_function(X)
    ),
    kernelwise.NystroemSVR: lambda X, y: kernelwise.NystroemSVR(n_components=8).fit(X, y).predict(X),
    kernelwise.NystroemOneClassSVM: lambda X, y: (
        kernelwise.NystroemOneClassSVM(n_components=8).fit(X).score_samples(X)
    ),
    kernelwise.GridSearchSVC: lambda X, y: (
        kernelwise.GridSearchSVC({"C": CS}, cv=2, n_jobs=2).fit(X, y).cv_results_["mean_test_score"]
    ),
    kernelwise.MetricTransformer: lambda X, y: (
        kernelwise.MetricTransformer("diagonal", starts=(2.0,)).fit(X, y).metric_
    ),
    kernelwise.TunedSVC: lambda X, y: (
        kernelwise.TunedSVC("rbf", Cs=CS, cv=2, n_jobs=2).fit(X, y).predict_proba(X)
    ),
    kernelwise.TunedSVR: lambda X, y: (
        kernelwise.TunedSVR("rbf", Cs=CS, epsilons=0.1, cv=2, n_jobs=2).fit(X, y).predict(X)
    ),
    kernelwise.TunedOneClassSVM: lambda X, y: kernelwise.TunedOneClassSVM(cv=2).fit(X).score_samples(X),
}
FUNCTIONS = {
    kernelwise.tune: lambda X, y: kernelwise.tune(X, y, kernel="rbf", criterion="kta").theta,
    kernelwise.diagnose: lambda X, y: np.array(str(kernelwise.diagnose(X, y))),
    kernelwise.compare: compared,
    kernelwise.criterion_curves: lambda X, y: (
        kernelwise.criterion_curves(X, y, ["dbtc", "margin"], Cs=CS, cv=2, n_jobs=2).accuracies
    ),
    kernelwise.load: loaded,
    kernelwise.explain: lambda X, y: explained(kernelwise.explain)(X, y).values,
    explanation.explain_pairs: explained(explanation.explain_pairs),
    explanation.explains_exactly: explained(lambda model, _: explanation.explains_exactly(model)),
    comparison.full_grid: grid,
    comparison.nested_cell: nested,
    criteria.aligned_sum: lambda X, y: criteria.aligned_sum([RBF(0.1), Laplacian(0.1)], X, y).weights,
    criteria.as_criterion: lambda X, y: np.array([cost(name, X, two(y)) for name in criteria.CRITERIA]),
    solvers.minimum_enclosing_ball: lambda X, y: solvers.minimum_enclosing_ball(RBF(0.3)(X)).beta,
    solvers.solve_svm_dual: lambda X, y: solvers.solve_svm_dual(RBF(0.3)(X), two(y), 2.0).beta,
    solvers.solve_one_class: lambda X, y: solvers.solve_one_class(RBF(0.3)(X), 0.3).beta,
    solvers.solve_soft_ball: lambda X, y: solvers.solve_soft_ball(RBF(0.3)(X), 0.3).beta,
    solvers.svm_path: lambda X, y: solvers.svm_path(RBF(0.3)(X), y, CS, folds(y), n_jobs=2).decision,
    solvers.one_class_path: lambda X, y: (
        solvers.one_class_path(RBF(0.3)(X), [0.2, 0.4], folds(y), n_jobs=2).held_out
    ),
    solvers.path_predictions: lambda X, y: solvers.path_predictions(
        solvers.svm_path(RBF(0.3)(X), y, CS, folds(y))
    ),
    solvers.vote: lambda X, y: solvers.vote(X, np.arange(3)),
    kernels.as_kernel: lambda X, y: kernels.as_kernel("laplacian")(X),
    kernels.kernel_as_dict: lambda X, y: kernels.as_kernel(kernels.kernel_as_dict(kernels.RBF(0.5)))(X),
    optimizers.as_optimizer: lambda X, y: np.array([found_by(name, X, y) for name in OF_ONE_WIDTH]),
    datasets.available: lambda X, y: np.array(list(datasets.available())),
    datasets.load: lambda X, y: datasets.load("iris").X,
    datasets.gaussian_esdr: lambda X, y: datasets.gaussian_esdr([0.5, 1.0], 0.0, 1.0, 1.0, 2.0),
    datasets.gaussian_grid_parameters: lambda X, y: np.array(datasets.gaussian_grid_parameters(1, 2)),
    datasets.make_gaussian_grid: lambda X, y: datasets.make_gaussian_grid(1, 2, random_state=0)[0],
    datasets.make_two_gaussians: lambda X, y: datasets.make_two_gaussians(random_state=0)[0],
    datasets.make_weston: lambda X, y: datasets.make_weston(20, random_state=0)[0],
    **{f: lambda X, y, f=f: f(RBF(0.3)(X), y) for f in (getattr(metrics, name) for name in metrics.__all__)},
}
OTHERS = {
    kernelwise.DistanceSketch: lambda X, y: kernelwise.DistanceSketch.from_data(X, y, n_jobs=2).curve(
        "kta", [0.1, 1.0]
    ),
}
JOBS = {**ESTIMATORS, **FUNCTIONS, **OTHERS}
ROOMS = kernelwise, comparison, criteria, datasets, explanation, kernels, metrics, optimizers, solvers


def test_no_public_function_or_estimator_is_left_out():
    public = {getattr(room, name) for room in ROOMS for name in room.__all__ if callable(getattr(room, name))}
    assert set(FUNCTIONS) == {value for value in public if isfunction(value)}
    estimators = {value for value in public if isclass(value) and issubclass(value, BaseEstimator)}
    assert set(ESTIMATORS) == {value for value in estimators if hasattr(value, "fit")}


@pytest.mark.slow
def test_public_functions_in_many_threads_at_once():
    """Eight threads in one another's way answer what one alone answers, to the bit."""
    data = [drawn(seed) for seed in (1, 2)]
    jobs = [(name, X, y) for name in JOBS for X, y in data]
    alone = [JOBS[name](X, y) for name, X, y in jobs]
    order = np.random.default_rng(0).permutation(2 * len(jobs)) % len(jobs)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda k: JOBS[jobs[k][0]](*jobs[k][1:]), order))
    for k, values_found in zip(order, found, strict=True):
        assert_array_equal(values_found, alone[k], err_msg=str(jobs[k][0]))
