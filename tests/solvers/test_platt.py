"""Platt's sigmoid against a general minimiser, scikit-learn's own, and cases known beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration

from kernelwise.multiclass import Machine
from kernelwise.solvers.probability import (
    FLAT,
    POOLED,
    class_probabilities,
    couple,
    doubt_of,
    fit_platt,
    fit_platt_of,
    increasing_sigmoids,
    platt_probability,
    sigmoids_along,
    smoothed_targets,
)


def platt_along(decision, is_positive, bound, counts, doubt=1.0):
    """Increasing sigmoids of shape (n_Cs, n_parts, 2)."""
    (found,) = increasing_sigmoids([sigmoids_along(decision, is_positive, bound, counts, doubt)])
    return found.reshape(len(decision), len(bound), 2)


@pytest.fixture(params=[0, 1, 2])
def problem(request):
    """Overlapping decision values of classes of unequal size, with weights."""
    random = np.random.default_rng(request.param)
    y = random.permutation(np.repeat([0, 1], [70, 30]))
    decision = random.normal(size=100) + 1.5 * y - 0.4
    return decision, y, random.uniform(0.1, 3.0, 100)


def cost(point, decision, y, weight):
    """Negative log-likelihood of the smoothed targets, written from probabilities."""
    positive, negative = weight[y == 1].sum(), weight[y == 0].sum()
    target = np.where(y == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    p = 1.0 / (1.0 + np.exp(point[0] * decision + point[1]))
    return -weight @ (target * np.log(p) + (1 - target) * np.log(1 - p))


@pytest.mark.parametrize("is_weighted", [False, True])
def test_fit_is_the_minimum_of_the_likelihood(problem, is_weighted):
    decision, y, weight = problem
    weight = weight if is_weighted else np.ones(100)
    exact = {"xatol": 1e-9, "fatol": 1e-11}
    best = minimize(cost, [-1.0, 0.5], (decision, y, weight), method="Nelder-Mead", options=exact)
    assert best.success
    assert_allclose(fit_platt(decision, y, weight), best.x, rtol=1e-6)


def test_fit_is_scikit_learns(problem):
    decision, y, weight = problem
    theirs = _SigmoidCalibration().fit(decision, y, weight)
    assert_allclose(fit_platt(decision, y, weight), (theirs.a_, theirs.b_), rtol=1e-4)


def test_labels_may_be_any_two(problem):
    decision, y, _ = problem
    assert fit_platt(decision, np.array(["no", "yes"])[y]) == fit_platt(decision, y)


def test_weights_are_repetitions(problem):
    decision, y, _ = problem
    weight = np.random.default_rng(3).integers(0, 4, 100)
    repeated = fit_platt(np.repeat(decision, weight), np.repeat(y, weight))
    assert_allclose(fit_platt(decision, y, weight), repeated, rtol=1e-8)


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e6, 1e150])
def test_unit_of_the_decision_values_does_not_matter(problem, unit):
    decision, y, _ = problem
    A, B = fit_platt(decision, y)
    assert_allclose(np.multiply(fit_platt(unit * decision, y), [unit, 1.0]), (A, B), rtol=1e-7)


def test_separable_classes_meet_their_smoothed_targets():
    """Two distinct values leave the sigmoid free to take both targets exactly."""
    decision, y = np.repeat([-1.0, 1.0], [3, 5]), np.repeat([0, 1], [3, 5])
    assert_allclose(platt_probability([-1.0, 1.0], *fit_platt(decision, y)), [1 / 5, 6 / 7])


def test_equal_decision_values_give_the_smoothed_share():
    A, B = fit_platt(np.zeros(8), np.repeat([0, 1], [3, 5]))
    assert A == 0.0
    assert_allclose(platt_probability(0.0, A, B), (3 * (1 / 5) + 5 * (6 / 7)) / 8)


def test_no_overflow():
    p = platt_probability([-1e8, 0.0, 1e8], -5.0, 0.0)
    assert_allclose(p, [0.0, 0.5, 1.0])
    far = np.array([-1e5, -1.0, 1.0, 1e5])
    assert np.isfinite(fit_platt(far, [1, 0, 1, 0])).all()


@pytest.mark.parametrize(
    ("message", "decision", "y"),
    [
        (r"one finite value per sample, got an array of shape \(2, 1\)", [[0.0], [1.0]], [0, 1]),
        ("one finite value per sample", [0.0, np.nan], [0, 1]),
        ("needs two classes, got 3", [0.0, 1.0, 2.0], [0, 1, 2]),
        ("one class only", [0.0, 1.0], [1, 1]),
        ("y has 3 labels for 2 samples", [0.0, 1.0], [0, 1, 1]),
    ],
)
def test_bad_input_is_named(message, decision, y):
    with pytest.raises(ValueError, match=message):
        fit_platt(decision, y)


def test_many_sigmoids_at_once_are_those_of_one_at_a_time(problem):
    decision, y, weight = problem
    along = np.stack([decision, 3.0 * decision - 1.0, np.sign(decision), -decision])
    parts = np.random.default_rng(7).integers(0, 3, (5, 100)) * weight
    counts = np.ceil(parts)
    found = platt_along(along, y == 1, parts, counts)
    assert found.shape == (4, 5, 2)
    for c, values in enumerate(along):
        for k, part in enumerate(parts):
            seen = part > 0
            alone = fit_platt(values[seen], y[seen], part[seen], counts=counts[k][seen], is_increasing=True)
            assert_allclose(found[c, k], alone, rtol=1e-6)


def test_a_part_without_one_of_the_classes_has_a_flat_sigmoid(problem):
    decision, y, _ = problem
    only = (y == 0).astype(float)
    ((A, B),) = platt_along(decision[None], y == 1, only[None], only[None])[0]
    assert_allclose(platt_probability(decision, A, B), 1.0 / 72.0, rtol=1e-3)


def test_pairs_of_many_classes_share_the_doubt_of_one_row():
    """Perfectly separated classes: the coupled probability of the truth doubts one row, as with two."""
    assert (doubt_of(2, "ovo"), doubt_of(10, "ovr"), doubt_of(10, "ovo")) == (1.0, 1.0, 1.0 / 9.0)
    n, k = 30, 10
    target = smoothed_targets(np.arange(2 * n) < n, np.ones(2 * n), doubt_of(k, "ovo"))
    assert_allclose(target[[0, -1]], [(n + 1 / 9) / (n + 2 / 9), (1 / 9) / (n + 2 / 9)])
    pairwise = np.full((1, k * (k - 1) // 2), 0.5)
    pairwise[0, : k - 1] = target[0]  # class 0 against each other one
    assert couple(pairwise, k)[0, 0] > 0.96
    pairwise[0, : k - 1] = smoothed_targets(np.arange(2 * n) < n, np.ones(2 * n))[0]
    assert couple(pairwise, k)[0, 0] < 0.8


def test_coupled_probabilities_are_those_that_agree_best_with_the_pairs():
    """Against a general minimiser of the definition, and pairs that agree give their probabilities back."""
    random = np.random.default_rng(0)
    first, second = np.triu_indices(4, 1)
    p = random.dirichlet(np.ones(4), 5)
    assert_allclose(couple(p[:, first] / (p[:, first] + p[:, second]), 4), p, atol=1e-9)
    r = random.uniform(0.05, 0.95, 6)

    def disagreement(q):
        return ((1.0 - r) * q[first] - r * q[second]) @ ((1.0 - r) * q[first] - r * q[second])

    sums_to_one = {"type": "eq", "fun": lambda q: q.sum() - 1.0}
    options = {"bounds": [(0.0, 1.0)] * 4, "constraints": sums_to_one, "options": {"ftol": 1e-15}}
    expected = minimize(disagreement, np.full(4, 0.25), method="SLSQP", **options).x
    assert_allclose(couple(r[None], 4)[0], expected, atol=1e-6)


def test_no_rows_have_no_probabilities():
    assert class_probabilities(np.empty((0, 3)), 3, "ovo").shape == (0, 3)


def test_a_few_rows_of_the_common_sigmoid_are_beside_those_of_each_machine(problem):
    """Against a general minimiser: of the common slope first, then of each likelihood with both targets."""
    decision, y, weight = problem
    columns = np.column_stack([decision, 2.0 * decision + 1.0, np.tanh(decision), 0.1 * decision])
    parts = [np.arange(100), np.arange(0, 100, 2), np.arange(30, 90), np.arange(60)]
    machines = [Machine(members, 2.0 * y[members] - 1.0) for members in parts]
    targets = [smoothed_targets(y[members] == 1, np.ones(len(members)), 0.5) for members in parts]

    def loss(a, b, m, target):
        z = a * columns[parts[m], m] + b
        return weight[parts[m]] @ (np.logaddexp(0.0, z) - target * z)

    common = minimize(
        lambda a: sum(loss(a[0], 0.0, m, target) for m, target in enumerate(targets)), [1.0], tol=1e-12
    )
    found = fit_platt_of(machines, columns, weight, np.ones(100), 0.5)
    for m, (members, target) in enumerate(zip(parts, targets, strict=True)):
        other = 1.0 / (1.0 + np.exp(-common.x[0] * columns[members, m]))
        best = minimize(
            lambda point, m=m, target=target, other=other: (
                loss(*point, m, target) + POOLED / len(parts[m]) * loss(*point, m, other)
            ),
            [1.0, 0.0],
            tol=1e-12,
        )
        assert_allclose(found[m], -best.x, rtol=1e-4, atol=1e-4)


def test_a_machine_alone_has_its_own_sigmoid(problem):
    decision, y, weight = problem
    machine = Machine(np.arange(100), 2.0 * y - 1.0)
    found = fit_platt_of([machine], decision[:, None], weight, np.ones(100), 0.5)
    alone = fit_platt(decision, y, weight, counts=np.ones(100), is_increasing=True, doubt=0.5)
    assert_allclose(found[0], alone, rtol=1e-9)


def test_pooling_does_not_depend_on_the_unit_and_the_names_of_classes(problem):
    decision, y, weight = problem
    columns = np.column_stack([decision, decision[::-1] + y, decision - 0.3])
    machines = [Machine(np.arange(100), 2.0 * y - 1.0)] * 3
    found = fit_platt_of(machines, columns, weight, np.ones(100))
    larger = fit_platt_of(machines, 1e6 * columns, weight, np.ones(100))
    assert_allclose(larger * [1e6, 1.0], found, rtol=1e-6)
    turned = [Machine(np.arange(100), 1.0 - 2.0 * y), *machines[1:]]
    other = fit_platt_of(turned, columns * [-1.0, 1.0, 1.0], weight, np.ones(100))
    assert_allclose(other * [[1.0, -1.0], [1.0, 1.0], [1.0, 1.0]], found, rtol=1e-6)


def test_sigmoids_of_machines_need_finite_values(problem):
    decision, y, weight = problem
    machines = [Machine(np.arange(100), 2.0 * y - 1.0)]
    with pytest.raises(ValueError, match="finite decision values"):
        fit_platt_of(machines, np.where(decision > 1.0, np.nan, decision)[:, None], weight, weight)


@pytest.mark.parametrize("seed", range(20))
def test_a_part_of_one_class_keeps_the_order_of_values(seed):
    rng = np.random.default_rng(seed)
    decision, weight = rng.normal(size=(2, 40)), rng.uniform(0.1, 3.0, (3, 40))
    own = sigmoids_along(decision, np.full(40, seed % 2 == 0), weight, np.ones_like(weight))
    (alone,) = increasing_sigmoids([own])
    assert (alone[:, 0] * np.abs(own.f).max(axis=1) <= -0.999 * FLAT).all()
