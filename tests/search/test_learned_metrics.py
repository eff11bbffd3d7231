"""Learned metrics inside TunedSVC: honest scores, the simplest variant, the simplest kernel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from kernelwise import TunedSVC
from kernelwise.criteria import CrossValidationError
from kernelwise.datasets import make_weston
from kernelwise.kernels import RBF, DiagonalGaussian, DiagonalLaplacian
from kernelwise.search.engine.scored_kernel import THETA_STEP, FoldKernels, ScoredKernel, final_kernel
from kernelwise.search.propose.climb import Climb
from kernelwise.search.propose.metric_forms import _complexity, _kept, _variants, most_regularised
from kernelwise.search.propose.metric_learner import MetricLearner
from kernelwise.solvers import svm_path


@pytest.fixture(scope="module")
def weston():
    X, y = make_weston(300, n_noise=8, random_state=3)
    return X[:100], y[:100], X[100:], y[100:]


@pytest.fixture(scope="module")
def diagonal(weston):
    X, y, _, _ = weston
    return TunedSVC("diagonal").fit(X, y)


def test_a_diagonal_metric_finds_the_two_features(diagonal, weston):
    _, _, X_test, y_test = weston
    assert set(np.argsort(diagonal.relevance_)[-2:]) == {0, 1}
    assert diagonal.relevance_[:2].sum() > 0.9
    assert diagonal.relevance_.sum() == pytest.approx(1.0)
    assert diagonal.score(X_test, y_test) > 0.9
    assert "learned each metric without the rows that it was scored on" in " ".join(diagonal.result_.how)
    assert "chose centered-kta: " in diagonal.result_.why[-1]


def test_the_metric_is_in_the_units_of_x(diagonal, weston):
    X = weston[0]
    difference = X[0] - X[1]
    Z = diagonal.scaler_.transform(X[:2])
    expected = diagonal.kernel_(Z)[0, 1]
    assert np.exp(-0.5 * difference @ diagonal.metric_ @ difference) == pytest.approx(expected)


def test_the_plain_metric_stays_where_another_is_no_better_beyond_the_error():
    X, y = load_wine(return_X_y=True)
    model, plain = TunedSVC("diagonal").fit(X, y), TunedSVC("rbf").fit(X, y)
    assert_allclose(model.kernel_.q, 2.0 * plain.kernel_.gamma, rtol=1e-5)
    assert (
        "chose plain: all of them score the same within one standard error, and it is the simplest"
        in model.result_.why[-1]
    )
    assert model.C_ == plain.C_


def test_a_full_metric_is_found_by_a_second_round_of_gradients():
    """Three oblique stripes, the middle one another class: no round kernel is near along them only."""
    random = np.random.default_rng(0)
    across, along = random.integers(0, 3, 300), 4 * random.normal(size=300)
    X = np.column_stack([across + 0.2 * random.normal(size=300) + along, along])
    model = TunedSVC("gaussian").fit(X[:70], across[:70] % 2)
    assert "chose full gradients (second round): " in model.result_.why[-1]
    assert model.score(X[70:], across[70:] % 2) > 0.95


def test_a_laplacian_kernel_gets_weights_of_features(weston):
    X, y, X_test, y_test = weston
    model = TunedSVC("diagonal-laplacian").fit(X, y)
    assert isinstance(model.kernel_, DiagonalLaplacian)
    assert set(np.argsort(model.relevance_)[-2:]) == {0, 1}
    assert model.score(X_test, y_test) > 0.9


def test_a_criterion_by_name_learns_the_metric_alone(weston):
    X, y, _, _ = weston
    model = TunedSVC("diagonal", criterion="centered-kta", cv=2).fit(X, y)
    reasons = " ".join(model.cv_results_["reason"])
    assert "diagonal metric by centered-kta" in reasons
    assert "gradients" not in reasons


def test_each_fold_is_scored_with_its_own_kernel(make_validator):
    X, y = load_iris(return_X_y=True)
    validator = make_validator(X[50:], (y[50:] == 2).astype(int), cv=2)
    kernels = FoldKernels(RBF(1.0), [RBF(0.1), RBF(3.0)])
    path = validator.score(kernels, "test")
    assert path.kernel == RBF(1.0)
    for fold, own in zip(validator.folds, kernels.by_fold, strict=True):
        alone = svm_path(own(validator.held_out.Z), validator.held_out.y, path.Cs, [fold])
        assert_allclose(path.stored[:, fold[1], 0], alone.decision[:, fold[1]], rtol=1e-5, atol=1e-6)
    assert kernels.rescaled(4.0).by_fold[1] == RBF(12.0)
    assert final_kernel(kernels) == RBF(1.0)
    assert final_kernel("precomputed") == "precomputed"


def test_variants_of_a_diagonal_metric():
    kernel = DiagonalGaussian([1.0, 0.5, 0.01, 0.04])
    variants = _variants(FoldKernels(kernel, [kernel]))
    assert [_complexity(variant.final) for _, variant in variants] == [1, 2, 4]
    assert_allclose(_kept(kernel).q, [1.0, 0.5, 1e-9, 1e-9])
    assert_allclose(_kept(kernel, equal=True).q, [0.75, 0.75, 1e-9, 1e-9])


def test_of_equals_the_stronger_regularisation_is_taken(make_validator):
    """The third C is the best, the second within half a standard error of it, the first not."""
    validator = make_validator(np.zeros((50, 1)), np.arange(50) % 2, cv=2)
    validator.scorer.is_share = False

    def path(variance, rows):
        scores = np.add.outer(rows, [-0.02, 0.02, -0.02, 0.02])
        empty = np.zeros((len(rows), 1, 1))
        Cs = np.arange(1.0, len(rows) + 1)
        return ScoredKernel("k", "", Cs, scores, empty, np.zeros(len(rows)), True, variance, 0.0, 1)

    # Averages over three neighbours: 0.9, 0.93, 0.935, ...; half a standard error is 0.00577.
    best = path(1.0, [0.9, 0.9, 0.99, 0.915, 0.9])
    assert best.best == 2
    wider, worse = path(0.1, [0.9, 0.9, 0.99, 0.915, 0.9]), path(0.1, [0.5] * 5)
    for others, expected in (([], best), ([wider], wider), ([worse], best)):
        climb = Climb(RBF(1.0), validator, tried=dict(enumerate([best, *others], start=1)))
        found, index, why = most_regularised(validator, climb)
        assert found is expected
        assert index == 1
        assert "half a standard error" in why[0]


def test_starts_cost_little_where_every_step_trains_machines(monkeypatch):
    """A few steps from each start, and all steps from the best of them."""
    X, y = load_iris(return_X_y=True)
    Z = (X[::6] - X.mean(axis=0)) / X.std(axis=0)
    steps = []
    judged = CrossValidationError._two_class

    def counted(self, problem):
        steps.append(1)
        return judged(self, problem)

    monkeypatch.setattr(CrossValidationError, "_two_class", counted)
    learned = MetricLearner(criterion="cv-error").learn(Z, y[::6])
    n_steps = len(steps)
    steps.clear()
    alone = MetricLearner(criterion="cv-error", starts=(learned.start,)).learn(Z, y[::6])
    assert n_steps < 3 * len(steps)
    assert set(learned.values) == {1.0, 2.0, 5.0, 10.0}
    assert learned.values[learned.start] == alone.values[learned.start] == min(learned.values.values())


def test_a_plain_metric_that_stays_is_the_plain_kernel():
    """Two classes around two centres: no direction matters more, and no metric is better by an error."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 4)) + 1.2 * y[:, None]
    plain, full = TunedSVC("rbf").fit(X, y), TunedSVC("gaussian").fit(X, y)
    assert any("metrics and chose plain: " in sentence for sentence in full.result_.why)
    assert_allclose(full.kernel_.Q, 2.0 * plain.kernel_.gamma * np.eye(4), rtol=THETA_STEP, atol=1e-12)
    assert full.C_ == plain.C_
    assert_array_equal(full.predict(X), plain.predict(X))


def test_the_start_of_lowest_cost_is_kept(weston):
    Z = StandardScaler().fit_transform(weston[0])
    found = MetricLearner("diagonal", starts=(0.1, 2.0, 5.0)).learn(Z, weston[1])
    assert found.start == min(found.values, key=found.values.get)
    assert found.result.value == min(found.values.values())
