"""ξα, GACV and the evidence: against scikit-learn's machines, loops, integrals and leaving rows out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC as ReferenceSVC

from kernelwise import TunedSVC
from kernelwise.criteria import GACV, Evidence, XiAlpha, as_criterion
from kernelwise.exceptions import DegenerateGramError, IncompatibleError
from kernelwise.kernels import RBF, DiagonalGaussian
from kernelwise.optimizers import QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.solvers import solve_svm_dual
from kernelwise.testing import check_gradient, extrapolated_difference

from .machines import KERNELS, WatchedProblem, make_data

X, Y = make_data()
SIGNS = np.where(Y == 1, 1.0, -1.0)
MAKES = {
    "xi-alpha-smooth": lambda **parameters: XiAlpha(slope=5.0, **parameters),
    "gacv": GACV,
    "evidence": Evidence,
}


def reference(K, signs, C):
    """α, ξ and y f of scikit-learn's machine."""
    machine = ReferenceSVC(C=C, kernel="precomputed", tol=1e-9).fit(K, signs)
    alpha = np.zeros(len(signs))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    signed = signs * machine.decision_function(K)
    return alpha, np.maximum(0.0, 1.0 - signed), signed


def naive_xi_alpha(K, signs, C, rho):
    alpha, slack, _ = reference(K, signs, C)
    radius2 = max(K[i, j] for i in range(len(K)) for j in range(len(K))) - K.min()
    return np.mean([rho * alpha[i] * radius2 + slack[i] >= 1.0 for i in range(len(K))])


def naive_gacv(K, signs, C):
    alpha, slack, signed = reference(K, signs, C)
    total = 0.0
    for i in range(len(K)):
        total += slack[i]
        if signed[i] < -1.0:
            total += 2.0 * alpha[i] * K[i, i]
        elif signed[i] <= 1.0 + 1e-3:  # rows beyond the margin have no α
            total += alpha[i] * K[i, i]
    return total / len(K)


def naive_evidence(K, signs, C):
    """The formula with a determinant that is not made symmetric, in scikit-learn's terms."""
    alpha, slack, _ = reference(K, signs, C)
    c = alpha * signs
    free = np.flatnonzero((alpha > 1e-7 * C) & (alpha < C * (1.0 - 1e-7)))
    L = np.diag(2.0 * np.pi * (alpha[free] * (C - alpha[free]) / C) ** 2)
    determinant = np.linalg.det(np.eye(len(free)) + L @ K[np.ix_(free, free)])
    likelihoods = len(K) * np.log(1.0 + np.exp(-2.0 * C))
    return (-0.5 * c @ K @ c - C * slack.sum() - likelihoods - 0.5 * np.log(determinant)) / len(K)


@pytest.mark.parametrize("C", [0.3, 3.0, 100.0])
@pytest.mark.parametrize("gamma", [0.05, 0.3, 2.0])
def test_each_is_its_definition_on_another_machine(gamma, C):
    K = 1.5 * RBF(gamma)(X)
    for rho in (1.0, 2.0):
        assert XiAlpha(C, rho).score(K, Y) == pytest.approx(naive_xi_alpha(K, SIGNS, C, rho))
    assert GACV(C).score(K, Y) == pytest.approx(naive_gacv(K, SIGNS, C), rel=1e-5)
    assert Evidence(C).score(K, Y) == pytest.approx(naive_evidence(K, SIGNS, C), rel=1e-5)


def leave_one_out(K, y, C):
    """The true leave-one-out error."""
    wrong = []
    for p in range(len(y)):
        others = np.arange(len(y)) != p
        found = solve_svm_dual(K[np.ix_(others, others)], y[others], C, tol=1e-10)
        wrong.append(y[p] * (K[p, others] @ found.beta + found.intercept) < 0)
    return np.mean(wrong)


@pytest.mark.parametrize("C", [0.3, 3.0, 100.0])
@pytest.mark.parametrize("gamma", [0.05, 0.3, 2.0])
def test_xi_alpha_is_never_below_the_leave_one_out_error(gamma, C):
    K = RBF(gamma)(X)
    assert XiAlpha(C).score(K, Y) >= leave_one_out(K, SIGNS, C)


def products(X):
    return X @ X.T


@pytest.mark.parametrize("kernel", [RBF(0.3), products, lambda X: (1.0 + products(X)) ** 2])
def test_a_row_is_no_farther_from_means_of_others_than_the_radius_of_xi_alpha_allows(kernel):
    # What the proof of the bound needs, for max K − min K and for the largest K(x, x) − K(x, x′).
    K = kernel(X)
    of_rows = np.max(K.diagonal()[:, None] - K)
    assert of_rows <= np.ptp(K)
    random = np.random.default_rng(0)
    for p in range(len(K)):
        shares = np.insert(random.dirichlet(np.full(len(K) - 1, random.choice([0.01, 1.0]))), p, 0.0)
        shares[p] = -1.0
        assert shares @ K @ shares <= 2.0 * of_rows


def test_xi_alpha_of_kernels_without_bounds_is_never_below_the_leave_one_out_error():
    for K in (products(X), (1.0 + products(X)) ** 2):
        for C in (0.01, 0.3):
            assert XiAlpha(C).score(K, Y) >= leave_one_out(K, SIGNS, C)


def test_the_steep_sigmoid_is_the_step():
    K = RBF(0.2)(X)
    step, steep = XiAlpha(3.0), XiAlpha(3.0, slope=1e7)
    assert steep.score(K, Y) == pytest.approx(step.score(K, Y), abs=1e-6)
    problem = TuningProblem(RBF(0.2), XiAlpha(3.0, slope=5.0), X, Y)
    problem.value(problem.theta)
    assert problem.history[-1]["xi_alpha_error"] == step.score(K, Y)


def test_likelihoods_of_the_evidence_sum_to_one_at_most():
    f, C = np.linspace(-4.0, 4.0, 801), 1.7
    of_both = sum(np.exp(-C * np.maximum(0.0, 1.0 - sign * f)) for sign in (-1, 1)) / (1.0 + np.exp(-2.0 * C))
    assert of_both.max() == pytest.approx(1.0)
    assert_allclose(np.abs(f[np.isclose(of_both, 1.0)]), 1.0)


def test_a_wide_prior_of_the_offset_adds_one_term_to_the_evidence():
    K, C = RBF(0.3)(X), 3.0
    alpha, _, _ = reference(K, SIGNS, C)
    free = np.flatnonzero((alpha > 1e-7 * C) & (alpha < C * (1.0 - 1e-7)))
    inverse_L = np.diag((C / (alpha[free] * (C - alpha[free]))) ** 2 / (2.0 * np.pi))
    s = np.linalg.inv(inverse_L + K[np.ix_(free, free)]).sum()
    for B in (1.0, 100.0, 1e4):
        with_prior = Evidence(C, tol=1e-10).score(K + B, Y) - Evidence(C, tol=1e-10).score(K, Y)
        assert len(K) * with_prior == pytest.approx(-0.5 * np.log1p(B * s), rel=1e-5)


def test_the_curvature_of_the_evidence_has_the_area_of_the_peak():
    # exp(−C ξ) times the slope α of all else, along one value of f around its kink: 1/α + 1/(C − α).
    C, alpha = 3.0, 1.2
    area = (
        integrate.quad(lambda d: np.exp(-alpha * d), 0.0, np.inf)[0]
        + integrate.quad(lambda d: np.exp((C - alpha) * d), -np.inf, 0.0)[0]
    )
    L = 2.0 * np.pi * (alpha * (C - alpha) / C) ** 2
    assert np.sqrt(2.0 * np.pi / L) == pytest.approx(area)


def test_the_evidence_of_two_labels_is_near_the_integral_over_two_values():
    """One Gaussian process of two points, far apart: the integral by quadrature, without an offset's."""
    C, scale = 1.0, 0.02
    K = scale * np.eye(4)  # so narrow a prior that the likelihood is nearly linear: the approximation is good

    def factor(sign):
        f, w = np.polynomial.hermite_e.hermegauss(60)
        likelihood = np.exp(-C * np.maximum(0.0, 1.0 - sign * np.sqrt(scale) * f)) / (1.0 + np.exp(-2.0 * C))
        return np.log(w @ likelihood / np.sqrt(2.0 * np.pi))

    expected = (2 * factor(1) + 2 * factor(-1)) / 4
    assert Evidence(C).score(K, [0, 0, 1, 1]) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("C", [0.5, 3.0])
@pytest.mark.parametrize("name", MAKES)
def test_gradient_by_every_parameter_and_C_matches_differences(name, C, kernel):
    problem = WatchedProblem(kernel, MAKES[name](C=C, tol=1e-11), X, Y)
    assert problem.theta_names[-1] == "C"
    check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)
    assert set(problem.first) == {0, 1, 2}


@pytest.mark.parametrize("name", MAKES)
def test_gradient_with_weights_matches_differences(name):
    weights = np.random.default_rng(1).uniform(0.5, 2.5, len(Y))
    problem = WatchedProblem(RBF(0.2), MAKES[name](C=3.0, tol=1e-11), X, Y, sample_weight=weights)
    check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("name", MAKES)
def test_gradient_of_three_classes_matches_differences(name, strategy):
    data = make_data(90, 3)
    problem = WatchedProblem(RBF(0.2), MAKES[name](C=2.0, strategy=strategy, tol=1e-11), *data)
    check_gradient(problem, step=1e-4, rtol=1e-6, difference=extrapolated_difference)


@pytest.mark.parametrize("name", MAKES)
def test_copies_are_weights(name):
    rows = np.repeat(np.arange(len(Y)), np.arange(len(Y)) % 3 + 1)
    criterion = MAKES[name](C=3.0, tol=1e-11)
    weighted = TuningProblem(RBF(0.2), criterion, X, Y, sample_weight=np.bincount(rows).astype(float))
    copied = TuningProblem(RBF(0.2), criterion, X[rows], Y[rows])
    for one, other in zip(*(p.value_and_gradient(p.theta) for p in (weighted, copied)), strict=True):
        assert_allclose(other, one, rtol=1e-6)


@pytest.mark.parametrize("name", [*MAKES, "xi-alpha"])
def test_a_search_finds_a_useful_machine(name):
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC("rbf", criterion=as_criterion(name), cv=3).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.9


def test_the_count_has_no_gradient():
    with pytest.raises(IncompatibleError, match="QuasiNewton needs a gradient, but XiAlpha has none"):
        QuasiNewton().minimize(TuningProblem("rbf", "xi-alpha", X, Y))
    with pytest.raises(IncompatibleError, match="XiAlpha has no derivative"):
        TunedSVC(DiagonalGaussian(np.ones(4)), criterion="xi-alpha").fit(X, Y)


@pytest.mark.parametrize("parameters", [{"rho": 0.0}, {"slope": -1.0}, {"C": 0.0}])
def test_bad_parameters_are_refused(parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"'{name}' of XiAlpha must be"):
        XiAlpha(**parameters)


def test_the_evidence_of_a_kernel_that_is_no_covariance_is_refused():
    K = RBF(0.2)(X) - 10.0  # the machine is the same: its offset takes up a constant
    with pytest.raises(DegenerateGramError, match="not positive definite"):
        Evidence(C=3.0).score(K, Y)
