"""The average gradient outer product of machines, the way from the plain metric to it, and a second round."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.conftest import SMOOTH_KERNELS

from kernelwise import SVC, SVR
from kernelwise.kernels import (
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Gaussian,
    KernelSum,
    Laplacian,
)
from kernelwise.search.data.folds import FoldRows
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.regression import Regression
from kernelwise.search.propose.gradient_metric import (
    FLOOR,
    gradient_outer_product,
    metric_at,
    outer_products,
    summed,
    weighted,
)

#: A search starts from these.
KERNELS = [
    kernel for kernel in SMOOTH_KERNELS if isinstance(kernel, RBF | ExponentialRBF | Laplacian | KernelSum)
]
C, EPSILON = 2.0, 0.1


def targets(n_classes, n=36):
    random = np.random.default_rng(3)
    Z = random.normal(size=(n, 3))
    f = Z[:, 0] + np.sin(2.0 * Z[:, 1])
    y = f if n_classes == 0 else np.digitize(f, np.quantile(f, np.arange(1, n_classes) / n_classes))
    return Z, y


def validator_of(Z, y, n_classes, *, n_folds=3, tol=1e-10):
    """A validator whose folds hold out every third row, with one C."""
    n = len(y)
    weight = 1.0 + np.arange(n) % 2
    is_numbers = n_classes == 0
    family = Regression(epsilons=(EPSILON,)) if is_numbers else Classification(np.arange(n_classes))
    samples = Samples(Z, y, np.zeros(n, int) if is_numbers else y, weight, weight)
    folds = FoldRows(np.arange(n), np.arange(n) % n_folds, weight, n_folds)

    def score(decision, rows, weight):
        return np.zeros(len(decision))

    score.is_share = False
    settings = {"tol": tol, "max_iter": -1, "n_jobs": None}
    return CrossValidator(samples, folds, family, score, settings=settings, Cs=np.array([C]))


def by_differences(values, Z, weight, step=1e-4):
    """M by central differences of functions of shape (n_rows, n_machines), each of trace one."""
    shifts = step * np.eye(Z.shape[1])
    # Of shape (n_features, n_rows, n_machines).
    G = np.array([(values(Z + shift) - values(Z - shift)) / (2.0 * step) for shift in shifts])
    M = np.einsum("i,kim,lim->mkl", weight / weight.sum(), G, G)
    return (M / np.trace(M, axis1=1, axis2=2)[:, None, None]).mean(axis=0)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_it_is_the_outer_product_of_central_differences(kernel, n_classes):
    Z, y = targets(n_classes)
    validator = validator_of(Z, y, n_classes)
    scored = validator.score(kernel, "test")
    found = outer_products(validator, scored, kernel, full=True)
    assert len(found) == 4
    train = [*(rows for rows, _ in validator.folds), np.arange(len(y))]
    for rows, M in [(train[1], found[1]), (train[-1], found[-1])]:
        settings = {"kernel": kernel, "C": C, "tol": 1e-10}
        weight = validator.held_out.weight
        model = SVR(epsilon=EPSILON, **settings) if n_classes == 0 else SVC(**settings)
        if n_classes == 3:
            model.set_params(decision_function_shape="ovo")
        model.fit(Z[rows], y[rows], sample_weight=weight[rows])
        answers = model.predict if n_classes == 0 else model.decision_function
        expected = by_differences(lambda X, f=answers: f(X).reshape(len(X), -1), Z[rows], weight[rows])
        assert_allclose(M, expected, rtol=1e-4, atol=1e-5)
        assert np.trace(M) == pytest.approx(1.0)
    diagonals = outer_products(validator, scored, kernel, full=False)
    assert_allclose(diagonals, [np.diag(M) for M in found], rtol=1e-9, atol=1e-12)


def test_of_constant_machines_no_direction_matters_more():
    Z, rows = np.random.default_rng(0).normal(size=(5, 2)), np.arange(5)
    machines = [(rows, np.zeros(5))]
    found = gradient_outer_product(RBF(1.0), Z, rows, machines, np.ones(5), full=True)
    assert_array_equal(found, np.eye(2) / 2.0)
    assert_array_equal(
        gradient_outer_product(RBF(1.0), Z, rows, machines, np.ones(5), full=False), [0.5, 0.5]
    )


def test_the_way_from_the_plain_metric():
    """Q(0) = I, Q(1) = M and Q(½)² ∝ M, all of trace n_features, with a floor under every direction."""
    random = np.random.default_rng(0)
    A = random.normal(size=(4, 4))
    M = A @ A.T
    M *= 4.0 / np.trace(M)
    with_floor = M + FLOOR * np.eye(4)
    with_floor *= 4.0 / np.trace(with_floor)
    assert_allclose(metric_at(M, 0.0), np.eye(4), atol=1e-9)
    assert_allclose(metric_at(M, 1.0), with_floor, atol=1e-9)
    half = metric_at(M, 0.5)
    assert np.trace(half) == pytest.approx(4.0)
    assert_allclose(half @ half / np.trace(half @ half), with_floor / 4.0, atol=1e-8)
    w = np.array([1.0, 4.0, 0.1])
    for t in (0.0, 0.5, 1.0):
        q = (w / w.mean() + FLOOR) ** t
        assert_allclose(metric_at(w, t), q / q.mean(), atol=1e-9)
        assert_allclose(metric_at(np.diag(w), t), np.diag(q / q.mean()), atol=1e-9)
        # A feature without a gradient, which does not vary, changes nothing for the others.
        assert_allclose(metric_at(np.append(w, 0.0), t)[:3], q / q.mean(), atol=1e-9)


def test_a_metric_without_influence_in_most_directions_is_still_definite():
    v = np.random.default_rng(0).normal(size=60)
    Gaussian(metric_at(np.outer(v, v), 1.0))  # it refuses what is not


def test_the_order_of_the_features_does_not_show_in_the_last_digits():
    random = np.random.default_rng(0)
    A, order = random.normal(size=(8, 8)), random.permutation(8)
    M = A @ A.T
    for t in (0.5, 1.0):
        permuted = metric_at(M[np.ix_(order, order)], t)
        assert_array_equal(permuted, metric_at(M, t)[np.ix_(order, order)])


def test_weights_keep_the_mean_of_the_plain_kernel():
    products = [np.array([0.9, 0.1, 0.0]), np.array([0.2, 0.2, 0.6])]
    gaussian, laplacian = (weighted(kernel, products) for kernel in (RBF(0.3), Laplacian(0.3)))
    assert isinstance(gaussian.final, DiagonalGaussian)
    assert len(gaussian.by_fold) == 1
    assert np.mean(gaussian.final.q) == pytest.approx(0.6, rel=1e-5)
    assert_allclose(gaussian.by_fold[0].q, 0.6 * metric_at(products[0], 1.0), rtol=2e-6)
    assert isinstance(laplacian.final, DiagonalLaplacian)
    assert np.mean(laplacian.final.q) == pytest.approx(0.3, rel=1e-5)
    roots = np.sqrt(metric_at(products[1], 1.0))
    assert_allclose(laplacian.final.q, 0.3 * roots / roots.mean(), rtol=2e-6)
    full = weighted(RBF(0.3), [np.diag(one) for one in products], 0.5)
    assert_allclose(full.final.Q, np.diag(0.6 * metric_at(products[1], 0.5)), atol=1e-9)
    assert_allclose(weighted(RBF(0.3), products, 0.0).final.q, 0.6, rtol=2e-6)


def test_a_sum_has_the_kernels_of_each_fold():
    kernels = weighted(RBF(0.3), [np.array([0.9, 0.1]), np.array([0.5, 0.5]), np.array([0.2, 0.8])])
    found = summed([Laplacian(0.2), kernels], 2)
    assert found.final == KernelSum([Laplacian(0.2), kernels.final])
    assert list(found.by_fold) == [KernelSum([Laplacian(0.2), own]) for own in kernels.by_fold]


@pytest.mark.parametrize("full", [False, True])
def test_no_round_sees_the_labels_of_held_out_rows(full):
    """Other labels in one fold leave the kernel of that fold as it is, to the bit, and change the others."""
    Z, y = targets(2, n=60)
    held = 1
    other = np.where(np.arange(60) % 3 == held, 1 - y, y)

    def rounds(labels):
        validator = validator_of(Z, labels, 2, tol=1e-3)
        first = weighted(
            RBF(0.3), outer_products(validator, validator.score(RBF(0.3), "plain"), RBF(0.3), full=full)
        )
        second = outer_products(validator, validator.score(first, "first"), first, full=full)
        return first, weighted(RBF(0.3), second)

    for ours, theirs in zip(rounds(y), rounds(other), strict=True):
        assert_array_equal(ours.by_fold[held].theta, theirs.by_fold[held].theta)
        for a, b in ((ours.final, theirs.final), (ours.by_fold[0], theirs.by_fold[0])):
            assert np.abs(a.theta - b.theta).max() > 1e-3
