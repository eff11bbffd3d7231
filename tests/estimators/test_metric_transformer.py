"""The learned metric as a transformer: the kernel after the map, what it says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as SklearnSVC

from kernelwise import SVC, MetricTransformer
from kernelwise.datasets import make_weston
from kernelwise.optimizers import ManifoldDescent

QUICK = ManifoldDescent(tol=1e-3, max_iter=5)
KERNELS = ("diagonal", "gaussian", "low-rank")


@pytest.fixture(scope="module")
def weston():
    X, y = make_weston(100, n_noise=6, random_state=0)
    return X * [1.0, 100.0, 1.0, 1e-3, 1.0, 1.0, 1.0, 1.0] + 5.0, y


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_an_rbf_kernel_after_the_map_has_the_learned_kernels_values(kernel, standardize, blobs):
    X, y = blobs
    new = np.random.default_rng(0).normal(size=(20, 4))
    metric = MetricTransformer(kernel, standardize=standardize, optimizer=QUICK).fit(X, y)
    mapped = rbf_kernel(metric.transform(new), metric.transform(X), gamma=0.5)
    differences = new[:, None, :] - X[None, :, :]
    exact = np.exp(-0.5 * np.einsum("ijk,kl,ijl->ij", differences, metric.metric_, differences))
    np.testing.assert_allclose(mapped, exact, atol=1e-12)
    Z, Z_new = (X - metric.mean_) / metric.scale_, (new - metric.mean_) / metric.scale_
    np.testing.assert_allclose(mapped, metric.kernel_(Z_new, Z), atol=1e-12)


def test_a_plain_machine_on_the_mapped_inputs_gives_the_same_answers(weston):
    X, y = weston
    metric = MetricTransformer(starts=(2.0,)).fit(X, y)
    plain = make_pipeline(metric, SklearnSVC(gamma=0.5, C=10.0, tol=1e-8)).fit(X, y)
    ours = SVC(kernel=metric.kernel_, C=10.0, tol=1e-8).fit((X - metric.mean_) / metric.scale_, y)
    X_new = make_weston(200, n_noise=6, random_state=1)[0] * [1, 100, 1, 1e-3, 1, 1, 1, 1] + 5.0
    np.testing.assert_allclose(
        plain.decision_function(X_new),
        ours.decision_function((X_new - metric.mean_) / metric.scale_),
        atol=1e-5,
    )


@pytest.mark.parametrize("criterion", ["centered-kta", "regularized-margin"])
def test_relevant_features_are_found_whatever_their_units(criterion, weston):
    X, y = weston
    metric = MetricTransformer(criterion=criterion).fit(X, y)
    assert metric.relevance_.sum() == pytest.approx(1.0)
    assert metric.relevance_[:2].min() > 5 * metric.relevance_[2:].max()


def test_a_constant_feature_has_no_relevance_and_is_said(weston):
    X, y = weston
    X = np.column_stack([X, np.full(len(X), 7.0)])
    metric = MetricTransformer(starts=(2.0,)).fit(X, y)
    assert metric.relevance_[-1] == 0.0
    assert "constant features" in [finding.name for finding in metric.diagnostics_]
    assert np.isfinite(metric.transform(X)).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_collinear_features_and_more_features_than_samples(kernel):
    random = np.random.default_rng(0)
    X, y = make_weston(30, n_noise=40, random_state=0)
    X = np.column_stack([X, X[:, 0], X[:, 0] + X[:, 1], 1e-9 * random.normal(size=30)])
    metric = MetricTransformer(kernel, starts=(2.0, 5.0), optimizer=QUICK).fit(X, y)
    assert np.isfinite(metric.transform(X)).all()
    assert np.isfinite(metric.relevance_).all()
    values = np.linalg.eigvalsh(metric.metric_ * np.outer(metric.scale_, metric.scale_))
    assert values[0] > -1e-12 * values[-1]


def test_directions_and_correlations_are_named_by_feature():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3))
    y = (X[:, 0] - X[:, 2] > 0).astype(int)  # the difference of a and c alone matters
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    metric = MetricTransformer("gaussian").fit(frame, y)
    leading = metric.directions_[0]
    assert list(leading.loadings)[-1] == "b"
    assert leading.loadings["a"] == pytest.approx(-leading.loadings["c"], rel=0.3)
    assert leading.share > 0.9
    assert metric.correlations_[0, 2] < -0.8
    np.testing.assert_allclose(np.diag(metric.correlations_), 1.0)


def test_output_as_a_frame_keeps_the_names_of_a_diagonal_metric(weston):
    X, y = weston
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(8)])
    diagonal = MetricTransformer(optimizer=QUICK).set_output(transform="pandas").fit(frame, y)
    assert list(diagonal.transform(frame).columns) == list(frame.columns)
    low = MetricTransformer("low-rank", optimizer=QUICK).set_output(transform="pandas").fit(frame, y)
    assert list(low.transform(frame).columns) == ["metrictransformer0", "metrictransformer1"]
    assert metric_rank(low) == 2


def metric_rank(transformer):
    return np.linalg.matrix_rank(transformer.metric_ * np.outer(transformer.scale_, transformer.scale_))


def test_early_stopping_is_chosen_on_held_out_samples_and_said(weston):
    X, y = weston
    metric = MetricTransformer(starts=(2.0,), validation_fraction=0.3).fit(X, y)
    said = [finding for finding in metric.diagnostics_ if finding.name == "early stopping"]
    assert len(said) == 1
    assert metric.result_.n_iterations <= 60
    assert f"after {metric.result_.n_iterations} iterations" in said[0].message


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kernel": "rbf"}, "'kernel' parameter of MetricTransformer must be one of 'diagonal', 'gaussian'"),
        ({"starts": ()}, "'starts' of metric learning must be a list of positive numbers"),
        ({"starts": (0.0,)}, "'starts' of metric learning must be a positive float, got 0.0"),
        ({"criterion": "best"}, "criterion must be a Criterion or one of"),
        (
            {"method": "best"},
            "'method' parameter of MetricTransformer must be one of 'criterion', 'gradient'",
        ),
        ({"method": "gradient", "rounds": 0}, "'rounds' parameter of MetricTransformer must be"),
        ({"kernel": "low-rank", "method": "gradient"}, "use method='criterion' for kernel='low-rank'"),
        ({"kernel": "gaussian", "method": "alignment"}, "use another method for kernel='gaussian'"),
    ],
)
def test_bad_settings_are_refused(settings, sentence, blobs):
    with pytest.raises(ValueError, match=sentence):
        MetricTransformer(**settings).fit(*blobs)


def test_gradients_find_the_features_of_numbers_in_every_round():
    X = np.random.default_rng(0).normal(size=(120, 6)) * [1.0, 100.0, 1.0, 1e-3, 1.0, 1.0]
    y = np.sin(2.0 * X[:, 0]) + (X[:, 1] / 100.0) ** 2
    first, second = (MetricTransformer(method="gradient", rounds=k).fit(X, y) for k in (1, 2))
    for metric in (first, second):
        assert set(np.argsort(metric.relevance_)[-2:]) == {0, 1}
        assert metric.relevance_[2:].sum() < 0.1
        assert not hasattr(metric, "start_")
    assert first.kernel_ != second.kernel_


def test_gradients_find_the_direction_that_separates_classes():
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = np.array(["no", "yes"])[(np.abs(X[:, 0] - X[:, 2]) > 1.0).astype(int)]
    metric = MetricTransformer("gaussian", method="gradient", rounds=2).fit(X, y)
    assert metric.correlations_[0, 2] < -0.8
    assert metric.directions_[0].share > 0.8
    mapped = rbf_kernel(metric.transform(X), gamma=0.5)
    np.testing.assert_allclose(mapped, metric.kernel_((X - metric.mean_) / metric.scale_), atol=1e-12)


def whole_numbers(n=120):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, np.rint(20.0 * X[:, 0])


@pytest.mark.parametrize("kind", [float, int])
def test_many_whole_numbers_are_a_quantity(kind):
    X, y = whole_numbers()
    metric = MetricTransformer(method="gradient").fit(X, y.astype(kind))
    assert metric.task_ == "regression"
    assert metric.relevance_[0] > 0.9
    (finding,) = [one for one in metric.diagnostics_ if one.name == "whole-number targets"]
    assert "different whole numbers, treated as numbers" in finding.message
    assert "task='classification'" in finding.advice


def test_a_few_whole_numbers_are_classes_unless_the_user_says_otherwise():
    X, y = whole_numbers()
    y = np.clip(np.rint(y / 20.0), -1, 1)
    guessed = MetricTransformer(method="gradient").fit(X, y)
    assert guessed.task_ == "classification"
    assert "treated as classes" in next(
        one.message for one in guessed.diagnostics_ if one.name == "whole-number targets"
    )
    said = MetricTransformer(method="gradient", task="classification").fit(X, y)
    assert not any(one.name == "whole-number targets" for one in said.diagnostics_)
    assert_allclose(said.relevance_, guessed.relevance_)
    numbers = MetricTransformer(method="gradient", task="regression").fit(X, y)
    assert numbers.task_ == "regression"
    # Targets differ by so little that the weights, which are rounded to 20 bits, are rounded alike.
    nearly = MetricTransformer(method="gradient").fit(X, y + 1e-12 * X[:, 0])
    assert_allclose(numbers.metric_, nearly.metric_)
    assert MetricTransformer(method="gradient").fit(X, np.where(y > 0, "a", "b")).task_ == "classification"


def test_tasks_that_cannot_be_are_refused():
    X, y = whole_numbers()
    with pytest.raises(ValueError, match="'task' parameter of MetricTransformer must be one of"):
        MetricTransformer(task="numbers").fit(X, y)
    with pytest.raises(ValueError, match="use method='gradient' for task='regression'"):
        MetricTransformer(task="regression").fit(X, y)
    with pytest.raises(ValueError, match="number"):
        MetricTransformer(method="gradient", task="regression").fit(X, np.where(y > 0, "a", "b"))


@pytest.mark.parametrize("standardize", [True, False])
def test_alignment_finds_two_of_sixty_features_whatever_their_units(standardize):
    X, y = make_weston(200, n_noise=58, random_state=0)
    units = np.where(np.arange(60) % 2, 100.0, 1e-3)
    metric = MetricTransformer(method="alignment", standardize=standardize).fit(X * units + 5.0, y)
    assert set(np.argsort(-metric.relevance_)[:2]) == {0, 1}
    assert metric.relevance_[2:].sum() < 0.1
    (finding,) = (one for one in metric.diagnostics_ if one.name == "screened columns")
    assert "of 60 columns have to do with the target" in finding.message
    plain = MetricTransformer(method="alignment").fit(X, y)
    assert_allclose(metric.relevance_, plain.relevance_, atol=1e-9)
    # Weights of standardised features add up to two, whatever they are called and measured in.
    assert_allclose(metric.transform(X * units + 5.0).var(axis=0).sum(), 2.0, rtol=1e-6)
    mapped = metric.transform(X * units + 5.0)
    differences = (X[:5, None] - X[None, :5]) * units
    exact = np.exp(-0.5 * np.einsum("ijk,kl,ijl->ij", differences, metric.metric_, differences))
    assert_allclose(np.exp(-0.5 * cdist(mapped[:5], mapped[:5], "sqeuclidean")), exact, rtol=1e-9)


def test_alignment_of_numbers_and_of_more_rows_than_it_uses():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 10))
    y = np.sin(2.0 * X[:, 3]) + 0.1 * random.normal(size=900)
    metric = MetricTransformer(method="alignment").fit(X, y)
    assert metric.task_ == "regression"
    assert metric.relevance_[3] > 0.9
    order = random.permutation(900)
    assert_allclose(
        MetricTransformer(method="alignment").fit(X[order], y[order]).relevance_, metric.relevance_, atol=1e-9
    )


def test_features_weigh_the_same_if_none_is_aligned():
    """Parity: both features matter, and neither shows."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    metric = MetricTransformer(method="alignment").fit(X, X[:, 0] * X[:, 1] > 0)
    assert_allclose(metric.relevance_, 1 / 3, rtol=1e-9)
    assert metric.diagnostics_[0].message.startswith("0 of 3 columns have")
