"""Procedures that learn a metric: paper 003's, its rivals, and the choice among RBF, diagonal and full."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC

from kernelwise.criteria import RegularizedMargin
from kernelwise.datasets import make_weston
from kernelwise.kernels import DiagonalGaussian, Gaussian
from kernelwise.optimizers import ManifoldDescent
from kernelwise.problem import TuningProblem
from kernelwise.selection import (
    adaptive_scaling_select,
    constant_trace_select,
    laanaya_select,
    learn_metric,
    rbf_select,
)
from kernelwise.selection.laanaya import ALTERNATING, FromIsotropic
from kernelwise.selection.learned_metric import Score, _simplest
from kernelwise.solvers import solve_svm_dual

QUICK = ManifoldDescent(tol=1e-3, max_iter=8)
SETTINGS = {"Cs": (1.0, 10.0), "cv": 3}


@pytest.fixture(scope="module")
def weston():
    """The paper's toy data with fewer noise features, and points to test on."""
    return (*make_weston(100, n_noise=18, random_state=0), *make_weston(500, n_noise=18, random_state=1))


@pytest.mark.slow
def test_the_papers_method_finds_the_two_features(weston):
    X, y, X_test, y_test = weston
    result = laanaya_select(X, y, sigma0=(0.1, 0.25), **SETTINGS)
    assert set(np.argsort(result.relevance)[-2:]) == {0, 1}
    assert result.estimator.score(X_test, y_test) > 0.92
    assert result.method.startswith("C=10, rho=0.1, start=")
    assert len(result.cv_accuracies) == 2
    assert result.cv_accuracy == max(result.cv_accuracies.values())
    assert rbf_select(X, y, **SETTINGS).estimator.score(X_test, y_test) < 0.75


@pytest.mark.slow
def test_weston_in_a_small_form():
    """Table 1's data, all 52 features: two trials, the start chosen among three on training points."""
    for trial in range(2):
        X, y = make_weston(100, random_state=trial)
        X_test, y_test = make_weston(1000, random_state=1000 + trial)
        result = learn_metric(X, y, ("rbf", "diagonal"), starts=(2.0, 5.0), cv=3, Cs=(1.0,))
        assert result.method == "diagonal"
        assert result.estimator.score(X_test, y_test) > 0.94


def test_every_pair_of_C_and_rho_is_tried(weston):
    X, y = weston[:2]
    result = laanaya_select(X, y, C=(1.0, 10.0), rho=(0.01, 0.1), sigma0=0.1, max_iter=2, **SETTINGS)
    assert len(result.cv_accuracies) == 4
    assert any(name.startswith("C=1, rho=0.01") for name in result.cv_accuracies)


def test_full_metrics_and_the_other_steps(weston):
    X, y = weston[0][:, :4], weston[1]
    for method in ("paper", "riemannian", "conjugate-gradient"):
        result = laanaya_select(X, y, "gaussian", sigma0=0.5, method=method, max_iter=5, **SETTINGS)
        assert result.metric.shape == (4, 4)
        assert np.linalg.eigvalsh(result.metric)[0] > 0
        assert result.estimator.score(*weston_without_noise(weston)) > 0.9


def weston_without_noise(weston):
    return weston[2][:, :4], weston[3]


def test_adaptive_scaling_keeps_the_norm_of_the_scales(weston):
    X, y, X_test, y_test = weston
    result = adaptive_scaling_select(X, y, sigma0=0.25, **SETTINGS)
    assert np.trace(result.metric) == pytest.approx(0.25 * 20, rel=1e-9)
    assert set(np.argsort(result.relevance)[-2:]) == {0, 1}
    assert result.estimator.score(X_test, y_test) > 0.92


def test_constant_trace_takes_any_criterion(weston):
    X, y = weston[0][:, :4], weston[1]
    result = constant_trace_select(X, y, criterion="centered-kta", sigma0=0.5, max_iter=5, **SETTINGS)
    assert np.trace(result.metric) == pytest.approx(2.0, rel=1e-9)
    assert not np.allclose(result.metric, np.diag(np.diag(result.metric)))


def test_glasmachers_and_igel_is_the_radius_margin_at_constant_trace(weston):
    X, y = weston[0][:, :4], weston[1]
    result = constant_trace_select(X, y, sigma0=0.5, max_iter=3, **SETTINGS)
    assert result.method == "radius-margin, start=2"
    assert np.trace(result.metric) == pytest.approx(2.0, rel=1e-9)
    assert not np.allclose(result.metric, 0.5 * np.eye(4))


def test_rbf_is_scikit_learns_grid_search(weston):
    X, y = weston[0][:, :4], weston[1]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    ours = rbf_select(X, y, gammas=(0.25, 1.0), Cs=(1.0, 10.0), cv=folds)
    theirs = {
        (gamma, C): cross_val_score(
            make_pipeline(StandardScaler(), SklearnSVC(C=C, gamma=gamma / 4)), X, y, cv=folds
        )
        for gamma in (0.25, 1.0)
        for C in (1.0, 10.0)
    }
    best = max(theirs.values(), key=np.mean)
    assert ours.cv_accuracy == pytest.approx(best.mean())
    found = theirs[ours.kernel.gamma * 4, ours.C]
    assert found.mean() == pytest.approx(best.mean())
    share = found.mean()
    assert ours.standard_errors["rbf"] == pytest.approx(np.sqrt(share * (1 - share) / len(y)))


def test_the_simplest_within_one_standard_error_is_kept():
    def score(accuracy, error):
        return Score(accuracy, error, 0, 1.0)

    close = {"rbf": score(0.90, 0.02), "diagonal": score(0.91, 0.015), "gaussian": score(0.92, 0.02)}
    assert _simplest(close) == "rbf"
    assert _simplest({**close, "rbf": score(0.899, 0.05)}) == "diagonal"
    assert _simplest({**close, "gaussian": score(0.92, 0.001)}) == "gaussian"


def test_where_a_metric_does_not_help_the_choice_is_rbf():
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = random.normal(size=(120, 6)) + y[:, None] * 0.8
    result = learn_metric(X, y, optimizer=QUICK, starts=(2.0,), **SETTINGS)
    assert result.method == "rbf"
    assert list(result.cv_accuracies) == ["rbf", "diagonal", "gaussian"]
    np.testing.assert_allclose(result.relevance, 1 / 6)
    assert result.start is None
    assert "metric" in [finding.name for finding in result.findings]


@pytest.mark.slow
def test_constant_and_collinear_features_and_more_features_than_samples():
    X, y = make_weston(40, n_noise=50, random_state=0)
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.ones(40)])
    result = learn_metric(X, y, ("diagonal", "gaussian"), optimizer=QUICK, starts=(2.0,), **SETTINGS)
    assert result.relevance[-1] == 0.0
    assert np.isfinite(result.relevance).all()
    assert np.isfinite(result.estimator.decision_function(X)).all()


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    result = learn_metric(X, y, ("rbf", "low-rank"), RegularizedMargin(10.0), optimizer=QUICK, **SETTINGS)
    assert result.cv_accuracy > 0.93
    assert result.to_dict()["method"] == result.method


def test_bad_settings_are_refused(weston):
    X, y = weston[:2]
    with pytest.raises(ValueError, match="'kernels' of learn_metric is empty"):
        learn_metric(X, y, ())
    with pytest.raises(ValueError, match="'kernels' of learn_metric must be one of 'rbf', 'diagonal'"):
        learn_metric(X, y, ("poly",))
    with pytest.raises(ValueError, match="'kernel' of laanaya_select must be one of 'diagonal', 'gaussian'"):
        laanaya_select(X, y, "rbf")
    with pytest.raises(ValueError, match="'sigma0' of laanaya_select must be a positive float"):
        laanaya_select(X, y, sigma0=-1.0)


# -- algorithm 1 of paper 003, and its protocol -----------------------------------------------------------


@pytest.mark.slow
def test_the_inner_loop_lowers_the_bound_while_w_may_rise():
    X, y = make_weston(60, n_noise=1, random_state=0)
    Z = StandardScaler().fit_transform(X)
    learned = FromIsotropic("gaussian", 5.0, 0.1, 1.5, ALTERNATING, max_iter=60, n_trainings=1).learn(Z, y)
    first = Gaussian(0.5 * np.eye(3))
    signs = np.where(y == y.max(), 1.0, -1.0)
    beta = solve_svm_dual(first(Z), signs, 5.0, tol=1e-10).beta
    w = RegularizedMargin(5.0, 0.1, first(Z))

    def bound(kernel):
        K = kernel(Z)
        return 2.0 * signs @ beta - beta @ K @ beta + 0.1 * ((K - first(Z)) ** 2).sum()

    assert bound(first) == pytest.approx(w.value(first(Z), y), rel=1e-6)
    assert bound(learned.kernel) == pytest.approx(learned.result.value, rel=1e-6)
    assert bound(learned.kernel) < bound(first) - 100
    assert learned.values[1.5] == pytest.approx(w.value(learned.kernel(Z), y))
    assert bound(learned.kernel) < learned.values[1.5]
    further = FromIsotropic("gaussian", 5.0, 0.1, 1.5, ALTERNATING, max_iter=300).learn(Z, y)
    assert further.values[1.5] > w.value(first(Z), y) + 1


def test_where_algorithm_1_rests_w_is_stationary():
    X, y = make_weston(60, n_noise=0, random_state=0)
    Z = StandardScaler().fit_transform(X)
    learned = FromIsotropic("gaussian", 0.5, 5.0, 1.0, ALTERNATING, max_iter=2000, n_trainings=40).learn(Z, y)
    assert learned.findings == ()
    Q = learned.kernel.metric(2)
    w = RegularizedMargin(0.5, 5.0, Gaussian(0.5 * np.eye(2))(Z), tol=1e-10)
    slope = TuningProblem(learned.kernel, w, Z, y).value_and_gradient(Q)[1]
    assert np.abs(Q @ slope).max() < 0.01 * learned.values[1.0]


def test_one_inner_step_and_one_training_is_one_printed_step():
    X, y = make_weston(60, n_noise=2, random_state=1)
    Z = StandardScaler().fit_transform(X)
    learned = FromIsotropic("diagonal", 5.0, 0.1, 2.0, ALTERNATING, max_iter=1, n_trainings=1).learn(Z, y)
    start = DiagonalGaussian(np.full(4, 0.5))
    problem = TuningProblem(start, RegularizedMargin(5.0, 0.1), Z, y)
    by_q = problem.value_and_gradient(start.theta)[1] / 0.5  # the gradient is by log q
    change = np.log(np.asarray(learned.kernel.q)) - np.log(0.5)
    np.testing.assert_allclose(change / change[0], by_q / by_q[0], rtol=1e-6)  # q ← q exp(−η ∂w/∂q / q)
    assert [finding.name for finding in learned.findings] == ["alternation"]


@pytest.mark.parametrize("method", ["alternating", "conjugate-gradient"])
def test_the_papers_protocol_takes_width_and_C_of_the_plain_machine(method, weston):
    X, y = weston[0][:, :4], weston[1]
    plain = rbf_select(X, y, **SETTINGS)
    result = laanaya_select(
        X, y, "gaussian", start="rbf", method=method, rho=(0.1, 1.0), max_iter=5, **SETTINGS
    )
    assert result.C == plain.C
    assert result.start == pytest.approx(2 * 4 * plain.kernel.gamma)
    assert list(result.cv_accuracies) == [
        f"C={plain.C:g}, rho={rho:g}, start={result.start:g}" for rho in (0.1, 1.0)
    ]
    assert result.estimator.score(*weston_without_noise(weston)) > 0.85


def test_the_protocol_chooses_C_and_the_start_itself(weston):
    X, y = weston[:2]
    with pytest.raises(ValueError, match="chooses C and sigma0 itself"):
        laanaya_select(X, y, start="rbf", C=1.0)
    with pytest.raises(ValueError, match="'start' of laanaya_select must be"):
        laanaya_select(X, y, start="best")


def test_adaptive_scaling_keeps_the_norm_that_p_says(weston):
    X, y, X_test, y_test = weston
    for p in (0.5, 1.0):
        result = adaptive_scaling_select(X, y, p=p, sigma0=0.25, **SETTINGS)
        q = np.diag(result.metric)
        assert np.sum(q ** (p / 2)) == pytest.approx(20 * 0.25 ** (p / 2), rel=1e-9)
        assert set(np.argsort(q)[-2:]) == {0, 1}
        assert result.estimator.score(X_test, y_test) > 0.85
