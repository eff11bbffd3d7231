"""Gradients of criteria that train machines, by every kernel parameter and C, where the active set stays."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.criteria import CrossValidationError, Margin, ValidationError, VCBound
from kernelwise.kernels import RBF, DiagonalGaussian
from kernelwise.testing import check_gradient, extrapolated_difference

from .machines import KERNELS, WatchedProblem, make_data

MAKES = {
    "validation-error": ValidationError,
    "validation-likelihood": lambda **parameters: ValidationError(loss="likelihood", **parameters),
    "cv-error": CrossValidationError,
    "cv-likelihood": lambda **parameters: CrossValidationError(loss="likelihood", **parameters),
    "margin": Margin,
    "vc": VCBound,
}
X, Y = make_data()


def check(problem):
    check_gradient(problem, step=1e-4, rtol=1e-5, difference=extrapolated_difference)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("name", MAKES)
def test_gradient_by_every_parameter_and_C_matches_differences(name, kernel):
    C = (0.5, 3.0)[(KERNELS.index(kernel) + list(MAKES).index(name)) % 2]
    problem = WatchedProblem(kernel, MAKES[name](C=C, tol=1e-10), X, Y)
    assert problem.theta_names[-1] == "C"
    check(problem)
    assert set(problem.first) == {0, 1, 2}


@pytest.mark.parametrize("name", MAKES)
def test_gradient_with_weights_matches_differences(name):
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    check(WatchedProblem(RBF(0.2), MAKES[name](C=3.0, tol=1e-10), X, Y, sample_weight=weights))


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("name", MAKES)
def test_gradient_of_three_classes_matches_differences(name, strategy):
    data = make_data(90, 3)
    check(WatchedProblem(RBF(0.2), MAKES[name](C=2.0, strategy=strategy, tol=1e-10), *data))


@pytest.mark.parametrize("name", MAKES)
def test_gradient_of_a_feature_without_influence_is_zero_not_skipped(name):
    # The origin of VCBound has this feature's own value, too: the constant is zero.
    more = np.column_stack([X, np.zeros(len(X))])
    problem = WatchedProblem(DiagonalGaussian(np.full(5, 0.3)), MAKES[name](C=3.0, tol=1e-10), more, Y)
    gradient = problem.value_and_gradient(problem.theta)[1]
    assert abs(gradient[4]) <= 1e-12 * np.abs(gradient).max()
    check(problem)
