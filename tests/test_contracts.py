"""Every kernel, criterion and optimizer keeps its contract, and every pair has the right gradient."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from kernelwise import TunedSVC
from kernelwise.criteria import CRITERIA, Criterion, KernelTargetAlignment, MachineCriterion, as_criterion
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import KERNELS, RBF, as_kernel
from kernelwise.optimizers import (
    GradientDescent,
    GridSearch,
    LineSearch,
    Optimizer,
    QuasiNewton,
    SecondOrder,
)
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_criterion, check_gradient, check_kernel, check_optimizer

MACHINE_CRITERIA = [name for name in CRITERIA if isinstance(as_criterion(name), MachineCriterion)]
GRAM_CRITERIA = [name for name in CRITERIA if name not in MACHINE_CRITERIA]


class SteepRBF(RBF):
    """A kernel whose gradient is a thousandth too large."""

    def _gradient_dot(self, X, Y, W, K):
        return 1.001 * super()._gradient_dot(X, Y, W, K)


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_keeps_its_contract(name):
    check_kernel(as_kernel(name))


@pytest.mark.parametrize(("strategy", "n_classes"), [("pooled", 2), ("pooled", 3), ("ovr", 3), ("ovo", 5)])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("name", GRAM_CRITERIA)
def test_criterion_keeps_its_contract(name, class_weight, strategy, n_classes):
    criterion = as_criterion(name)
    parameters = {**criterion.get_params(), "strategy": strategy, "class_weight": class_weight}
    check_criterion(type(criterion)(**parameters), n_classes=n_classes)


@pytest.mark.parametrize(("strategy", "n_classes"), [("ovo", 2), ("ovr", 3), ("ovo", 4)])
@pytest.mark.parametrize("name", MACHINE_CRITERIA)
def test_machine_criterion_keeps_its_contract(name, strategy, n_classes):
    criterion = as_criterion(name)
    parameters = {**criterion.get_params(), "strategy": strategy, "tol": 1e-12}
    check_criterion(type(criterion)(**parameters), n_classes=n_classes)


@pytest.mark.parametrize(
    ("optimizer", "rtol"),
    [
        (SecondOrder(), 1e-3),
        (GradientDescent(), 1e-3),
        (QuasiNewton(), 1e-3),
        (QuasiNewton(engine="golden"), 1e-3),
        (QuasiNewton(n_restarts=3), 1e-3),
        (LineSearch(), 1e-3),
        (GridSearch(n_points=501), 0.06),
    ],
    ids=repr,
)
def test_optimizer_keeps_its_contract(optimizer, rtol):
    check_optimizer(optimizer, rtol=rtol)


# The sigmoid kernel is indefinite, and criteria that train machines say so.
@pytest.mark.filterwarnings("ignore:The Gram matrix K is far from positive semi-definite")
@pytest.mark.parametrize("criterion", GRAM_CRITERIA)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_of_every_pair_matches_central_difference(kernel, criterion, blobs):
    X, y = blobs
    # Every kernel and every criterion meets weights in half of its pairs.
    is_weighted = (list(KERNELS).index(kernel) + GRAM_CRITERIA.index(criterion)) % 2 == 1
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if is_weighted else None
    problem = TuningProblem(kernel, criterion, X, y, sample_weight=weights)
    check_gradient(problem)


@pytest.mark.parametrize("criterion", GRAM_CRITERIA)
def test_gradient_of_a_feature_without_influence_is_zero_not_skipped(criterion, blobs):
    X, y = blobs
    X = np.column_stack([X, np.full(len(X), 3.0)])
    problem = TuningProblem("diagonal", criterion, X, y)
    gradient = problem.value_and_gradient(problem.kernel.theta)[1]
    assert abs(gradient[-1]) <= 1e-12 * np.abs(gradient).max()
    check_gradient(problem)


def test_check_gradient_notices_a_gradient_wrongly_zero(blobs):
    X, y = blobs
    problem = TuningProblem("rbf", "dbtc", X, y)
    right = problem.value_and_gradient
    problem.value_and_gradient = lambda theta: (right(theta)[0], 0.0 * right(theta)[1])
    with pytest.raises(AssertionError, match="central difference"):
        check_gradient(problem)


def test_check_kernel_notices_a_wrong_gradient():
    with pytest.raises(AssertionError, match="central difference"):
        check_kernel(SteepRBF())


def test_check_criterion_notices_a_wrong_adjoint():
    class Wrong(type(as_criterion("esdr"))):
        def value_and_adjoint(self, K, y, sample_weight=None):
            value, W = super().value_and_adjoint(K, y, sample_weight)
            return value, 0.999 * W

    with pytest.raises(AssertionError, match="central difference"):
        check_criterion(Wrong())


class ShareOfPairs(Criterion):
    """The share of K that is within classes: without a derivative, though it has one."""

    name = "share"
    is_differentiable = False

    def __init__(self):
        pass

    def score(self, K, y, sample_weight=None):
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        pairs = np.outer(w, w) * K
        return float(pairs[np.equal.outer(y, y)].sum() / pairs.sum())


def test_a_criterion_may_have_no_derivative(blobs):
    check_criterion(ShareOfPairs(), n_classes=3)
    problem = TuningProblem("rbf", ShareOfPairs(), *blobs)
    with pytest.raises(IncompatibleError, match="QuasiNewton needs a gradient, but ShareOfPairs has none"):
        QuasiNewton().minimize(problem)
    best = GridSearch(n_points=21).minimize(problem)
    assert best.value == min(row["value"] for row in best.history)
    with pytest.raises(
        IncompatibleError, match="ShareOfPairs has no derivative with respect to the Gram matrix"
    ):
        ShareOfPairs().adjoint(np.eye(4), np.array([0, 0, 1, 1]))


def test_check_criterion_asks_for_a_derivative_that_is_promised():
    class Forgotten(ShareOfPairs):
        is_differentiable = True

    with pytest.raises(AssertionError, match="Forgotten has is_differentiable = True but no value_and_adj"):
        check_criterion(Forgotten())


class DenseRBF(RBF):
    """A kernel whose code knows no sparse samples."""

    def _gram(self, X, Y):
        return np.exp(-self.gamma * ((X[:, None] - Y) ** 2).sum(axis=2)).astype(X.dtype)

    def _gradient_dot(self, X, Y, W, K):
        D = ((X[:, None] - Y) ** 2).sum(axis=2)
        return np.array([-self.gamma * np.vdot(W * np.exp(-self.gamma * D), D)])


class DenseOnlyRBF(DenseRBF):
    """The same kernel, which says so."""

    takes_sparse = False


def test_sparse_samples_are_part_of_the_contract_unless_a_kernel_says_otherwise():
    with pytest.raises(AssertionError, match=r"DenseRBF fails on a CSR matrix .* says takes_sparse = False"):
        check_kernel(DenseRBF())
    check_kernel(DenseOnlyRBF())


def test_broken_contracts_are_sentences_with_numbers():
    class Halved(RBF):
        def _diagonal(self, X):
            return 0.5 * super()._diagonal(X)

    with pytest.raises(
        AssertionError, match=r"diagonal\(X\) is not the diagonal .*: 0.5 at \[0\], expected 1"
    ):
        check_kernel(Halved())
    with pytest.raises(
        AssertionError, match=r"the width found is not that of the peak, 'gamma': 1, expected 0.11"
    ):
        check_optimizer(GridSearch(n_points=5))


@pytest.mark.parametrize("kind", [KernelTargetAlignment, QuasiNewton, RBF])
def test_parts_can_be_cloned_and_set_by_name(kind):
    part = kind()
    name, value = next(iter(part.get_params().items()))
    again = clone(part)
    assert type(again) is type(part)
    assert again.get_params() == part.get_params()
    other = not value if isinstance(value, bool) else "golden" if isinstance(value, str) else 0.25
    assert again.set_params(**{name: other}).get_params()[name] == other
    assert part.get_params()[name] == value
    with pytest.raises(ValueError, match="has no parameter 'nothing'"):
        again.set_params(nothing=1)


def test_parameters_of_parts_are_searched_by_name():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(criterion=KernelTargetAlignment(), search=QuasiNewton(), Cs=[1.0])
    grid = {"criterion__centered": [False, True], "search__max_iter": [5]}
    assert set(GridSearchCV(model, grid, cv=2).fit(X, y).best_params_) == set(grid)


def test_an_optimizer_that_returns_something_else_is_told_what_to_return():
    class Pair(Optimizer):
        requires_gradient = False

        def __init__(self):
            pass

        def _run(self, space, start):
            return start, space.value(start)

    with pytest.raises(TypeError, match=r"_run of Pair must return a kernelwise\.optimizers\.Run, got tuple"):
        check_optimizer(Pair())
