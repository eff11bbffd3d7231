"""Criteria against naive double loops, the papers' identities, and each other."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.criteria import KernelTargetAlignment, as_criterion
from kernelwise.kernels import RBF, Linear, Polynomial, Sigmoid
from kernelwise.metrics import esdr, inter_class_distance, j4, kernel_target_alignment, polarization


def mean_square_distance(K, rows, columns):
    return np.mean([K[i, i] - 2 * K[i, j] + K[j, j] for i in rows for j in columns])


def naive_dbtc(K, y):
    one, two = (np.flatnonzero(y == c) for c in np.unique(y))
    return (
        np.mean([K[i, j] for i in one for j in one])
        - 2 * np.mean([K[i, j] for i in one for j in two])
        + np.mean([K[i, j] for i in two for j in two])
    )


def naive_esdr(K, y):
    one, two = (np.flatnonzero(y == c) for c in np.unique(y))
    n = len(y)
    within = len(one) / n * mean_square_distance(K, one, one) + len(two) / n * mean_square_distance(
        K, two, two
    )
    return mean_square_distance(K, one, two) / within


def naive_j4(K, y):
    # tr S_w is half the mean squared distance within a class; tr S_b completes the total scatter.
    n, everyone = len(y), np.arange(len(y))
    within = sum(
        np.mean(y == c) * mean_square_distance(K, np.flatnonzero(y == c), np.flatnonzero(y == c)) / 2
        for c in np.unique(y)
    )
    total = sum(K[i, i] for i in everyone) / n - K.sum() / n**2
    return (total - within) / within


def naive_polarization(K, y):
    sign = np.where(y == y.max(), 1, -1)
    return sum(sign[i] * sign[j] * K[i, j] for i in range(len(y)) for j in range(len(y)))


def naive_alignment(K, y):
    norm = np.sqrt(sum(K[i, j] ** 2 for i in range(len(y)) for j in range(len(y))))
    return naive_polarization(K, y) / (len(y) * norm)


@pytest.mark.parametrize("kernel", [RBF(0.3), RBF(5.0), Linear()], ids=repr)
@pytest.mark.parametrize(
    ("metric", "naive"),
    [
        (inter_class_distance, naive_dbtc),
        (esdr, naive_esdr),
        (j4, naive_j4),
        (polarization, naive_polarization),
        (kernel_target_alignment, naive_alignment),
    ],
    ids=lambda f: f.__name__,
)
def test_metric_equals_the_naive_double_loop(metric, naive, kernel, blobs):
    X, y = blobs
    K = kernel(X)
    assert metric(K, y) == pytest.approx(naive(K, y), rel=1e-12)


def test_inter_class_distance_is_the_scatter_between_classes_up_to_a_factor(blobs):
    # Paper 004, eq. 15: DBTC = n²/(n₁n₂) tr S_b, in input space, where S_b can be written down.
    X, y = blobs
    n, n1, n2 = len(y), np.sum(y == -1), np.sum(y == 1)
    m1, m2, m = X[y == -1].mean(axis=0), X[y == 1].mean(axis=0), X.mean(axis=0)
    trace_between = (n1 * np.sum((m1 - m) ** 2) + n2 * np.sum((m2 - m) ** 2)) / n
    trace_within = (np.sum((X[y == -1] - m1) ** 2) + np.sum((X[y == 1] - m2) ** 2)) / n
    K = Linear()(X)
    assert inter_class_distance(K, y) == pytest.approx(n**2 / (n1 * n2) * trace_between, rel=1e-11)
    assert inter_class_distance(K, y) == pytest.approx(np.sum((m1 - m2) ** 2), rel=1e-11)
    assert j4(K, y) == pytest.approx(trace_between / trace_within, rel=1e-11)


def test_esdr_goes_to_one_when_narrow_and_to_its_input_space_value_when_wide(blobs):
    X, y = blobs
    assert esdr(RBF(1e6)(X), y) == pytest.approx(
        # i = j counts, so the limit is the ratio of shares of distinct pairs: 1 up to O(1/n).
        1 / (25 / 60 * (1 - 1 / 25) + 35 / 60 * (1 - 1 / 35)),
        rel=1e-12,
    )
    assert esdr(RBF(1e-7)(X), y) == pytest.approx(esdr(Linear()(X), y), rel=1e-5)


def test_dbtc_goes_to_its_plateau_when_narrow(blobs):
    X, y = blobs
    assert inter_class_distance(RBF(1e6)(X), y) == pytest.approx(1 / 25 + 1 / 35, rel=1e-12)


def test_ratios_do_not_see_the_scale_of_the_kernel(blobs):
    X, y = blobs
    K = RBF(0.3)(X)
    for metric in (esdr, j4, kernel_target_alignment):
        assert metric(7.5 * K, y) == pytest.approx(metric(K, y), rel=1e-12)
    assert kernel_target_alignment(7.5 * K, y, centered=True) == pytest.approx(
        kernel_target_alignment(K, y, centered=True), rel=1e-12
    )


def test_alignment_of_the_target_itself_is_one():
    y = np.array([1] * 5 + [-1] * 9)
    T = np.outer(y, y).astype(float)
    assert kernel_target_alignment(T, y) == pytest.approx(1.0)
    assert kernel_target_alignment(T, y, centered=True) == pytest.approx(1.0)
    assert kernel_target_alignment(-T, y) == pytest.approx(-1.0)


def test_centered_alignment_equals_centring_by_hand(blobs):
    X, y = blobs
    n = len(y)
    H = np.eye(n) - 1 / n
    K, T = H @ RBF(0.3)(X) @ H, H @ np.outer(y, y) @ H
    expected = np.sum(K * T) / (np.linalg.norm(K) * np.linalg.norm(T))
    assert kernel_target_alignment(RBF(0.3)(X), y, centered=True) == pytest.approx(expected, rel=1e-11)


def test_multi_class_forms_are_averages_of_two_class_problems(iris01):
    X, y = iris01
    y = y.copy()
    y[:20] = 1  # unequal classes
    K = RBF(2.0)(X)
    for metric in (inter_class_distance, esdr, j4, polarization, kernel_target_alignment):
        one_vs_rest = [metric(K, y == c) for c in range(3)]
        pairs = [np.flatnonzero(np.isin(y, pair)) for pair in ([0, 1], [0, 2], [1, 2])]
        one_vs_one = [metric(K[np.ix_(rows, rows)], y[rows]) for rows in pairs]
        assert metric(K, y, strategy="ovr") == pytest.approx(np.mean(one_vs_rest), rel=1e-12)
        assert metric(K, y, strategy="ovo") == pytest.approx(np.mean(one_vs_one), rel=1e-12)


def test_pooled_forms_over_three_classes_equal_their_definitions(iris01):
    X, y = iris01
    y = y.copy()
    y[:20] = 1
    K = RBF(2.0)(X)
    n = np.bincount(y)
    pairs = [(0, 1), (0, 2), (1, 2)]
    weights = np.array([n[a] * n[b] for a, b in pairs])
    rows = [np.flatnonzero(np.isin(y, pair)) for pair in pairs]
    distances = [naive_dbtc(K[np.ix_(r, r)], y[r]) for r in rows]
    assert inter_class_distance(K, y) == pytest.approx(np.average(distances, weights=weights), rel=1e-11)
    assert j4(K, y) == pytest.approx(naive_j4(K, y), rel=1e-11)
    classes = [np.flatnonzero(y == c) for c in range(3)]
    between = np.average([mean_square_distance(K, classes[a], classes[b]) for a, b in pairs], weights=weights)
    within = np.average([mean_square_distance(K, c, c) for c in classes], weights=n)
    assert esdr(K, y) == pytest.approx(between / within, rel=1e-11)
    target = np.where(y[:, None] == y[None, :], 1.0, -0.5)
    assert polarization(K, y) == pytest.approx(np.sum(target * K), rel=1e-11)
    expected = np.sum(target * K) / (np.linalg.norm(target) * np.linalg.norm(K))
    assert kernel_target_alignment(K, y) == pytest.approx(expected, rel=1e-11)


def test_balanced_classes_equal_repeating_the_smaller_one(blobs):
    X, y = blobs
    X, y = X[:50], np.where(np.arange(50) < 10, 0, 1)  # 10 and 40
    rows = np.concatenate([np.repeat(np.arange(10), 4), np.arange(10, 50)])
    K = RBF(0.3)(X)
    for metric in (inter_class_distance, esdr, j4, kernel_target_alignment):
        assert metric(K, y, class_weight="balanced") == pytest.approx(
            metric(K[np.ix_(rows, rows)], y[rows]), rel=1e-11
        )


def test_string_labels_and_their_order_do_not_matter(blobs):
    X, y = blobs
    K = RBF(0.3)(X)
    names = np.where(y == -1, "zebra", "ape")
    for metric in (inter_class_distance, esdr, j4, polarization, kernel_target_alignment):
        assert metric(K, names) == pytest.approx(metric(K, y), rel=1e-13)


def test_single_precision_gram_matrices_are_taken(blobs):
    X, y = blobs
    K = RBF(0.3)(X)
    assert esdr(K.astype(np.float32), y) == pytest.approx(esdr(K, y), rel=1e-5)
    criterion = KernelTargetAlignment(centered=True)
    assert criterion.score(K.astype(np.float32), y) == pytest.approx(criterion.score(K, y), rel=1e-4)


@pytest.mark.parametrize("kernel", [RBF(0.5), Linear(), Polynomial(3), Sigmoid(0.1, 0.5)], ids=repr)
def test_equation_16_of_paper_004_needs_no_normalised_kernel(kernel):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(30, 3)), np.repeat([-1, 1], [12, 18])
    K = kernel(X)
    one, two = np.flatnonzero(y == -1), np.flatnonzero(y == 1)
    a = mean_square_distance(K, one, two)
    b, c = mean_square_distance(K, one, one), mean_square_distance(K, two, two)
    assert inter_class_distance(K, y) == pytest.approx(a - b / 2 - c / 2, rel=1e-10)


@pytest.mark.parametrize("name", ["dbtc", "esdr", "j4", "esdr-unbiased", "kta", "fisher"])
def test_a_class_without_weight_is_refused(name):
    K, y = np.exp(-np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))), np.repeat(["a", "b"], 3)
    with pytest.raises(ValueError, match="All samples of class 'b' have weight zero"):
        as_criterion(name).value_and_adjoint(K, y, sample_weight=[1.0, 2.0, 0.0, 0.0, 0.0, 0.0])
