"""The whole procedure of paper 001: a kernel and C of its own for every pair of classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.svm import SVC

from kernelwise.criteria import ValidationError
from kernelwise.datasets import make_two_gaussians
from kernelwise.exceptions import IncompatibleError, TrustWarning
from kernelwise.kernels import KMOD, RBF, ExponentialRBF, Linear, Polynomial, Sigmoid
from kernelwise.optimizers import GradientDescent, QuasiNewton, SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.selection import AyatResult, PairMachine, PairTuning, ayat_select, mcnemar_test, z_test
from kernelwise.selection.ayat import FACTORS, choose_row, scan_and_search

SHORT = QuasiNewton("golden", max_iter=10, min_decrease=0.05)


@pytest.fixture(scope="module")
def gaussians():
    X, y = make_two_gaussians(300, random_state=0)
    return X[:200], y[:200], X[200:], y[200:]


@pytest.fixture(scope="module")
def four():
    X, y = make_blobs(320, centers=4, cluster_std=[0.5, 1.0, 2.0, 3.0], random_state=3)
    return X[:240], y[:240], X[240:], y[240:]


@pytest.fixture(scope="module")
def tuned(four):
    return ayat_select(four[0], four[1], kernel="rbf", optimizer=SHORT)


def naive_labels(result, X, is_tuned, rejects, reject_label):
    """Labels by a loop over samples and pairs."""
    labels = []
    for x in X:
        wins = dict.fromkeys(result.classes, 0)
        for pair in result.pairs:
            machine = pair.tuned if is_tuned else pair.start
            value = machine.intercept + sum(machine.beta * machine.kernel(machine.support_vectors, [x])[:, 0])
            wins[pair.classes[0] if value > 0 else pair.classes[1]] += 1
        best = max(wins.values())
        unanimous = best == len(result.classes) - 1
        labels.append(next(c for c in wins if wins[c] == best) if unanimous or not rejects else reject_label)
    return np.array(labels)


@pytest.mark.parametrize("is_tuned", [True, False])
def test_labels_are_those_of_a_naive_loop(is_tuned):
    random = np.random.default_rng(0)

    def machine():
        return PairMachine(RBF(0.1), 1.0, random.normal(size=(3, 2)), random.normal(size=3), 0.1)

    pairs = [PairTuning(pair, machine(), machine(), None, {}) for pair in combinations(range(4), 2)]
    result = AyatResult(np.arange(4), pairs)
    X = random.normal(scale=3.0, size=(100, 2))
    rejected = result.predict(X, tuned=is_tuned)
    assert rejected.tolist() == naive_labels(result, X, is_tuned, True, -1).tolist()
    assert 0.05 < np.mean(rejected == -1) < 0.95
    # Ties of votes go to the first class in both.
    voted = result.predict(X, combine="vote", tuned=is_tuned)
    assert voted.tolist() == naive_labels(result, X, is_tuned, False, -1).tolist()


def test_every_pair_has_its_own_kernel_and_c(tuned):
    assert [pair.classes for pair in tuned.pairs] == list(combinations(range(4), 2))
    assert len({pair.tuned.kernel.gamma for pair in tuned.pairs}) == 6
    assert len({pair.tuned.C for pair in tuned.pairs}) > 1
    assert {pair.start.C for pair in tuned.pairs} == {1000.0}
    for pair in tuned.pairs:
        assert pair.chosen in pair.search.history
        assert pair.chosen["gamma"] == pytest.approx(pair.tuned.kernel.gamma)


def test_machines_are_those_of_an_independent_solver(tuned, four):
    X, y = four[:2]
    held = ValidationError(validation=1 / 3).held_out_rows(y)
    rest = np.setdiff1d(np.arange(len(y)), held)
    rest = rest[np.isin(y[rest], (1, 3))]
    machine = tuned.pairs[4].tuned
    other = SVC(C=machine.C, gamma=machine.kernel.gamma, tol=1e-8).fit(X[rest], y[rest] == 1)
    assert tuned.pairs[4].classes == (1, 3)
    expected = other.decision_function(four[2])
    # That solver keeps its Gram matrix in single precision.
    np.testing.assert_allclose(machine.decision_function(four[2]), expected, atol=1e-3)


def test_the_summary_counts_what_predict_says(tuned, four):
    X, y = four[2:]
    table = tuned.summary(X, y)
    for name, is_tuned in (("before", False), ("after", True)):
        decided = tuned.predict(X, tuned=is_tuned)
        row = table[name]
        assert row["accuracy"] == np.mean(tuned.predict(X, combine="vote", tuned=is_tuned) == y)
        assert row["recognition"] == np.mean(decided == y)
        assert row["rejection"] == np.mean(decided == -1)
        assert row["support_vectors"] == np.mean(tuned.n_support(tuned=is_tuned))


def test_two_classes(gaussians):
    X, y, X_test, y_test = gaussians
    result = ayat_select(X, y, kernel=KMOD(1 / 2.72, 1 / 2.72), optimizer=SHORT)
    (pair,) = result.pairs
    assert pair.classes == (-1, 1)
    assert pair.start.kernel.gamma == 1 / 2.72
    values = result.decision_function(X_test)[:, 0]
    assert result.predict(X_test, reject_label=7).tolist() == np.where(values > 0, -1, 1).tolist()
    assert np.mean(result.predict(X_test, combine="vote") == y_test) > 0.9
    with pytest.raises(ValueError, match="would get the label -1, which is a class"):
        result.predict(X_test)


@pytest.mark.slow
def test_labels_of_words(four):
    X, y = four[:2]
    numbers = ayat_select(X, y, kernel="rbf", optimizer=SHORT)
    names = np.array(["ash", "beech", "cedar", "dogwood"])
    words = ayat_select(X, names[y], kernel="rbf", optimizer=SHORT)
    labels = numbers.predict(four[2])
    expected = np.where(labels < 0, "none", names[labels])
    assert words.predict(four[2], reject_label="none").tolist() == expected.tolist()
    assert words.summary(four[2], names[four[3]]) == numbers.summary(*four[2:])
    with pytest.raises(ValueError, match=r"Set 'reject_label' of AyatResult.predict"):
        words.predict(four[2])


@pytest.mark.parametrize(
    "kernel",
    [
        KMOD(),
        RBF(),
        ExponentialRBF(),
        Polynomial(3, 0.1),
        Polynomial(4, 0.1),
        Sigmoid(0.01, -0.5),
        "kmod",
        "poly",
    ],
    ids=repr,
)
def test_every_kernel_of_the_paper(kernel, gaussians):
    X, y = gaussians[:2]
    (pair,) = ayat_select(X, y, kernel=kernel, C=10.0, optimizer=SHORT, choose="lowest").pairs
    assert pair.chosen["value"] < pair.search.history[0]["value"]
    assert pair.search.n_iterations == max(row["iteration"] for row in pair.search.history)


def test_of_a_linear_kernel_only_c_is_searched(gaussians):
    X, y = gaussians[:2]
    (pair,) = ayat_select(X, y, kernel="linear", C=0.002, optimizer=SHORT, choose="lowest").pairs
    assert pair.search.theta.shape == (1,)
    assert isinstance(pair.tuned.kernel, Linear)
    assert pair.tuned.C > 1.2 * pair.start.C
    assert pair.search.value < pair.search.history[0]["value"]


def test_a_validation_set_is_the_share_it_stands_for(gaussians):
    X, y = gaussians[:2]
    held = ValidationError(validation=0.3, random_state=5).held_out_rows((y > 0).astype(int))
    rest = np.setdiff1d(np.arange(len(y)), held)
    by_share = ayat_select(X, y, kernel="rbf", validation=0.3, random_state=5, optimizer=SHORT)
    by_rows = ayat_select(X, y, kernel="rbf", validation=held, optimizer=SHORT)
    by_set = ayat_select(X[rest], y[rest], kernel="rbf", validation=(X[held], y[held]), optimizer=SHORT)
    for other in (by_rows, by_set):
        assert other.pairs[0].chosen["value"] == pytest.approx(by_share.pairs[0].chosen["value"], rel=1e-9)


def test_threads_change_nothing(tuned, four):
    threaded = ayat_select(four[0], four[1], kernel="rbf", optimizer=SHORT, n_jobs=2)
    np.testing.assert_array_equal(threaded.decision_function(four[2]), tuned.decision_function(four[2]))


def test_the_scan_finds_what_the_gradient_walks_away_from():
    # At the paper's start on unit Gaussians most samples are support vectors, and E falls towards narrower
    # kernels.
    X, y = make_two_gaussians(600, random_state=0)
    start = KMOD(1 / 2.72, 1 / 2.72)
    with_scan, without = (
        ayat_select(X, y, kernel=start, scan=scan, choose="fewest", optimizer=SHORT).pairs[0]
        for scan in (True, False)
    )
    assert with_scan.tuned.kernel.sigma > 5 * start.sigma
    assert len(with_scan.tuned.beta) < 0.2 * len(without.tuned.beta)
    assert with_scan.search.value < without.search.value


def test_the_scan_is_the_first_iteration(gaussians):
    X, y, X_test, y_test = gaussians
    problem = TuningProblem(
        KMOD(), ValidationError(10.0, tol=1e-8), X, y, bounds={"sigma": (0.1, 10.0)}, test=(X_test, y_test)
    )
    result = scan_and_search(problem, SHORT, "lowest")
    history = result.history
    assert [row["evaluation"] for row in history] == list(range(1, result.n_evaluations + 1))
    assert np.all(np.diff([row["seconds"] for row in history]) >= 0)
    assert np.all(np.diff([row["iteration"] for row in history]) >= 0)
    assert [row["sigma"] for row in history if row["iteration"] == 0] == [1.0]
    inside = [(width, C) for width in FACTORS**-0.5 if 0.1 <= width <= 10.0 for C in (10.0, 100.0)]
    first = [(row["sigma"], row["C"]) for row in history[: len(inside)]]
    np.testing.assert_allclose(sorted(first), sorted(inside))
    values = [row["value"] for row in history.by_iteration()]
    assert len(values) == result.n_iterations + 1
    assert np.all(np.diff(values) <= 0)
    assert result.value == pytest.approx(values[-1])


def test_one_standard_error_for_fewer_support_vectors():
    rows = [
        {"value": 1.0, "standard_error": 0.2, "n_support": 30},
        {"value": 1.1, "standard_error": 0.5, "n_support": 20},
        {"value": 1.2, "standard_error": 0.5, "n_support": 20},
        {"value": 1.3, "standard_error": 0.5, "n_support": 10},
    ]
    assert choose_row(rows, "lowest") is rows[0]
    assert choose_row(rows, "fewest") is rows[1]


def test_a_machine_below_the_larger_class_is_passed_over():
    rows = [
        {"value": value, "standard_error": 0.0, "n_support": 1, "validation_error": error}
        for value, error in ((0.1, 0.5), (0.2, 0.3), (0.3, 0.1))
    ]
    assert choose_row(rows, "lowest", 0.7) is rows[1]
    assert choose_row(rows, "lowest", 0.9) is rows[2]
    # Where all are, the lowest remains.
    assert choose_row(rows, "lowest", 0.95) is rows[0]


def test_a_pair_without_a_machine_above_the_larger_class_is_said():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 2)), np.repeat([0, 1], [45, 15])
    with pytest.warns(TrustWarning, match="classes 0 and 1 is right on .* larger class is 75.0 %"):
        result = ayat_select(X, y, kernel=RBF(50.0), C=1e4, scan=False, optimizer=GradientDescent(tol=1.0))
    (finding,), (pair,) = result.findings, result.pairs
    assert (finding.name, pair.majority) == ("below majority", 0.75)
    assert 1 - pair.chosen["validation_error"] < 0.75
    assert ayat_select(*make_two_gaussians(60, random_state=0), kernel="rbf", optimizer=SHORT).findings == ()


def test_refitted_machines_are_those_of_all_rows(gaussians):
    X, y, X_test, _ = gaussians
    plain, refitted = (
        ayat_select(X, y, kernel="rbf", C=10.0, optimizer=SHORT, refit=refit).pairs[0]
        for refit in (False, True)
    )
    assert refitted.chosen["value"] == plain.chosen["value"]
    for machine in ("start", "tuned"):
        ours = getattr(refitted, machine)
        reference = SVC(C=ours.C, gamma=ours.kernel.gamma, tol=1e-9).fit(X, y)
        # Positive values are for the first class, −1.
        np.testing.assert_allclose(
            ours.decision_function(X_test), -reference.decision_function(X_test), atol=1e-5
        )
    assert len(refitted.tuned.beta) > len(plain.tuned.beta)


def test_recognised_is_what_the_summary_counts(tuned, four):
    for name, is_tuned in (("before", False), ("after", True)):
        found = tuned.recognised(*four[2:], tuned=is_tuned)
        expected = tuned.predict(four[2], tuned=is_tuned) == four[3]
        np.testing.assert_array_equal(found, expected)
        assert tuned.summary(*four[2:])[name]["recognition"] == found.mean()


def test_mcnemar_by_hand():
    # 5 samples that only the first recognises, 1 that only the second does: 2 (1 + 6) / 2⁶.
    first = np.array([1] * 5 + [0] + [1] * 10 + [0] * 4, dtype=bool)
    second = np.array([0] * 5 + [1] + [1] * 10 + [0] * 4, dtype=bool)
    assert mcnemar_test(first, second) == (5, 1, pytest.approx(14 / 64))
    assert mcnemar_test(second, first) == (1, 5, pytest.approx(14 / 64))
    assert mcnemar_test(first, first) == (0, 0, 1.0)


def test_mcnemar_refuses_what_is_not_outcomes():
    with pytest.raises(ValueError, match="for shares use z_test"):
        mcnemar_test(0.9, 0.8)
    with pytest.raises(ValueError, match="takes booleans"):
        mcnemar_test([0.5, 1.0], [True, False])
    with pytest.raises(ValueError, match="2 and 3 outcomes"):
        mcnemar_test([True, False], [True, False, True])


def test_bad_input(gaussians):
    X, y = gaussians[:2]
    with pytest.raises(ValueError, match="'choose' of ayat_select must be one of 'lowest', 'fewest'"):
        ayat_select(X, y, choose="best")
    with pytest.raises(ValueError, match="'C' of ValidationError must be a positive float"):
        ayat_select(X, y, C=0.0)
    with pytest.raises(ValueError, match="'validation' of ValidationError must be a share"):
        ayat_select(X, y, validation=1.5)
    with pytest.raises(ValueError, match="has the label 5, which the samples do not have"):
        ayat_select(X, y, validation=(X[:2], [1, 5]))
    with pytest.raises(ValueError, match="The validation part has samples of one class only"):
        ayat_select(X, y, validation=(X[:2], [1, 1]))
    with pytest.raises(ValueError, match="X has 2 features, and the further samples have 1"):
        ayat_select(X, y, validation=(X[:2, :1], [1, -1]))
    with pytest.raises(IncompatibleError, match="SecondOrder searches 1 parameter"):
        ayat_select(X, y, optimizer=SecondOrder())
    result = ayat_select(X, y, kernel="rbf", optimizer=GradientDescent(tol=1.0))
    with pytest.raises(ValueError, match=r"'combine' of AyatResult.predict must be one of 'reject', 'vote'"):
        result.predict(X, combine="mean")
    with pytest.raises(ValueError, match="y has 3 labels for 200 samples"):
        result.summary(X, y[:3])


def test_z_by_hand():
    # 90 and 80 of 100: p̄ = 0.85, standard error √(2 · 0.85 · 0.15 / 100) = 0.050498.
    z, p_value = z_test(0.9, 0.8, 100)
    assert z == pytest.approx(0.1 / 0.0504975, rel=1e-5)
    assert p_value == pytest.approx(0.04767, abs=1e-5)
    first, second = np.arange(100) < 90, np.arange(100) < 80
    assert z_test(first, second) == (pytest.approx(z), pytest.approx(p_value))
    assert z_test(second, first)[0] == pytest.approx(-z)
    assert z_test(1.0, 1.0, 10) == (0.0, 1.0)


def test_z_refuses_what_is_no_share():
    with pytest.raises(ValueError, match="needs n_samples"):
        z_test(0.9, 0.8)
    with pytest.raises(ValueError, match="shares between 0 and 1"):
        z_test(98.9, 98.2, 100)
    with pytest.raises(ValueError, match="3 outcomes for a test set of 4"):
        z_test([True, False, True], 0.5, 4)


def test_iris_is_recognised():
    X, y = load_iris(return_X_y=True)
    table = ayat_select(X[::2], y[::2], kernel="rbf", optimizer=SHORT).summary(X[1::2], y[1::2])
    assert table["after"]["accuracy"] > 0.9
