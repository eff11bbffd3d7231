"""diagnose: the closest pair by brute force, the theorems by the criteria, and data that end badly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import make_blobs

from kernelwise import Diagnosis, TunedSVC, diagnose
from kernelwise.criteria import KernelTargetAlignment, Polarization, as_criterion
from kernelwise.diagnostics import boundary_verdict, closest_pair, distinct_points
from kernelwise.diagnostics._theorems import BY_SUMS, pulls
from kernelwise.diagnostics.diagnosis import diagnose_pairs, most_serious_first
from kernelwise.findings import Finding
from kernelwise.kernels import KERNELS, RBF, LowRankGaussian
from kernelwise.solvers import minimum_enclosing_ball, solve_svm_dual
from tests.tables.conftest import LIBRARIES, as_library, columns

RANDOM = np.random.default_rng(0)


def find(diagnosis, name):
    """The one finding of that name."""
    (finding,) = [finding for finding in diagnosis if finding.name == name]
    return finding


def names(diagnosis):
    return [finding.name for finding in diagnosis]


# -- closest pair -----------------------------------------------------------------------------------------
def by_brute_force(X, index):
    """Smallest positive distance, and the pairs of samples at it with equal and with different labels."""
    pairs = [(np.linalg.norm(X[i] - X[j]), index[i] == index[j]) for i, j in combinations(range(len(X)), 2)]
    distance = min(d for d, _ in pairs if d > 0)
    at = [same for d, same in pairs if 0 < d <= distance * (1 + 1e-7)]
    return distance, sum(at), len(at) - sum(at)


def hard_cases():
    near = RANDOM.normal(size=(60, 3))
    near[7] = near[40] + [0.0, 1e-11, 0.0]
    far = np.vstack([near + 1e3, [[1e7, 0.0, 0.0]]])
    tenths = np.round(RANDOM.uniform(0, 1, (80, 2)), 1)
    return {
        "plain": RANDOM.normal(size=(70, 5)),
        "ties and duplicates": RANDOM.integers(0, 4, (60, 2)).astype(float),
        "decimal ties": 5.0 + tenths,
        "corners": np.eye(40),
        "nearly equal": near,
        "nearly equal, beside an outlier": far,
    }


HARD = hard_cases()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("block", [7, 1024])
@pytest.mark.parametrize("case", HARD)
def test_closest_pair_is_that_of_brute_force(monkeypatch, case, block, n_classes):
    monkeypatch.setattr("kernelwise.diagnostics._pairs.BLOCK", block)
    X = HARD[case]
    index = np.random.default_rng(1).integers(0, n_classes, len(X))
    distance, n_equal, n_different = by_brute_force(X, index)
    for samples in (X, sparse.csr_matrix(X), sparse.csr_array(X)):
        pair = closest_pair(distinct_points(samples, index, n_classes))
        assert_allclose(pair.distance, distance, rtol=1e-7)
        assert (pair.n_equal, pair.n_different) == (n_equal, n_different)
        i, j = pair.samples
        assert_allclose(np.linalg.norm(X[i] - X[j]), distance, rtol=1e-7)


def test_points_gather_equal_samples():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    for samples in (X, sparse.csr_matrix(X)):
        points = distinct_points(samples, np.array([0, 1, 1, 0]), 2)
        assert points.first.tolist() == [0, 2]
        assert points.counts.tolist() == [[2, 1], [0, 1]]


def test_points_that_a_kernel_maps_together_are_one():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0], [5.0, 0.0], [5.0, 1.0]])
    found = find(diagnose(X, [0, 0, 0, 1, 1], kernel=LowRankGaussian([[1.0, 0.0]])), "closest-pair")
    assert "samples 2 and 3, 2 apart" in found.message


# -- theorems ---------------------------------------------------------------------------------------------
def change_when_wider(X, y, pair, criterion=None):
    """∂P/∂σ up to a positive factor, at a width where the closest pair's kernel value is 1e-6."""
    kernel = RBF(np.log(1e6) / pair.distance**2)
    W = (criterion or Polarization()).adjoint(kernel(X), y)
    return float(kernel.gradient_dot(X, W)[0])  # the cost is −P, and σ falls with γ


@pytest.mark.parametrize("case", ["plain", "ties and duplicates", "corners"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sign_of_the_change_of_criteria_of_sums(case, n_classes):
    """Theorem 3, and what is left of it with ties, duplicates and more classes."""
    signs = set()
    X = HARD[case]
    for seed in range(12):
        index = np.random.default_rng(seed).integers(0, n_classes, len(X))
        points = distinct_points(X, index, n_classes)
        pair = closest_pair(points)
        found = pulls(pair, points)
        assert ("centered-kta" in found) == (case != "ties and duplicates")
        for name in set(BY_SUMS) & set(found):
            if found[name]:
                assert np.sign(change_when_wider(X, index, pair, as_criterion(name))) == found[name], name
        signs.add(found["polarization"])
    assert {-1, 1} <= signs or (case == "corners" and n_classes == 3)


def with_closest_pair(are_different):
    """20 points, all at least 1 apart but the first two."""
    X = np.array([[3.0 * a, 4.0 * b] for a in range(5) for b in range(4)]) + RANDOM.uniform(0, 0.5, (20, 2))
    X[1] = X[0] + 0.05
    y = np.where(np.arange(20) % 3 == 0, 1, -1)
    y[1] = -y[0] if are_different else y[0]
    return X, y


@pytest.mark.parametrize("are_different", [True, False])
def test_verdict_of_both_theorems(are_different):
    X, y = with_closest_pair(are_different)
    found = find(diagnose(X, y), "closest-pair")
    assert found.severity == ("warning" if are_different else "info")
    assert "samples 0 and 1, 0.07071 apart" in found.message
    assert "theorems 2 and 3" in found.message
    assert ("polarization have an optimum at a kernel width of zero" in found.message) == are_different
    assert ("different labels" in found.message) == are_different
    assert ("Jaakkola" in found.advice) == are_different
    others = "alignment, DBTC, ESDR, J4, centred alignment and the regularised margin w"
    assert f"The same holds for {others}" in found.message
    every = ("polarization", "kta", "dbtc", "esdr", "j4", "centered-kta", "regularized-margin")
    assert boundary_verdict(X, y).affected == ((*every, "radius-margin") if are_different else ())
    assert set(boundary_verdict(X, y).signs.values()) == {-1 if are_different else 1}
    assert boundary_verdict(X, y).finding == found

    pair = closest_pair(distinct_points(X, (y > 0).astype(int), 2))
    assert np.sign(change_when_wider(X, y, pair)) == (-1 if are_different else 1)
    # Theorem 2: with the pair's kernel value at 0.05, R²/γ² has left its limit, upwards if that is a minimum.
    C, n = 10.0, len(y)
    K = RBF(np.log(20.0) / pair.distance**2)(X) + np.eye(n) / C
    w2 = 2.0 * abs(solve_svm_dual(K, y, 1e6, tol=1e-10).objective)
    limit = 4.0 * (1.0 - 1.0 / n) * (y > 0).sum() * (y < 0).sum() / n
    radius_margin = minimum_enclosing_ball(K).radius2 * w2
    assert np.sign(radius_margin - limit) == (1 if are_different else -1)
    assert_allclose(radius_margin, limit, rtol=0.05)


def test_duplicates_leave_theorem_two():
    X, y = with_closest_pair(True)
    X, y = np.vstack([X, X[5]]), np.append(y, y[5])
    found = find(diagnose(X, y), "closest-pair")
    assert found.severity == "warning"
    assert "samples 0 and 1" in found.message
    assert "repeated points stay equal at every width" in found.message
    assert boundary_verdict(X, y).affected == ("polarization", "kta", "dbtc", "esdr", "j4")


def test_cancelling_labels_are_left_to_the_next_distance():
    X = np.repeat([[0.0], [1.0], [5.0]], 2, axis=0)
    found = find(diagnose(X, [0, 1, 0, 1, 0, 1]), "closest-pair")
    assert "of 4 pairs of samples at this distance, 2 have equal and 2 different labels" in found.message
    assert "These pairs cancel each other" in found.message
    assert found.severity == "info"


def test_three_classes_name_the_problems_concerned():
    X, y = with_closest_pair(True)
    y = np.where(np.arange(20) > 14, 0, y)
    found = find(diagnose(X, np.array(["b", "a", "c"])[y]), "closest-pair")
    assert "theorem 2 gives the same for only the one-vs-rest problems of 'a' and 'c'" in found.message


@pytest.mark.parametrize("n_minus", [2, 5, 10])
@pytest.mark.parametrize("are_different", [True, False])
def test_centred_alignment_has_the_sign_of_the_pair_too(are_different, n_minus):
    X, _ = with_closest_pair(are_different)
    y = np.where(np.arange(20) < n_minus, -1, 1)
    y[:3] = (1, -1, -1) if are_different else (-1, -1, 1)
    pair = closest_pair(distinct_points(X, (y > 0).astype(int), 2))
    slope = change_when_wider(X, y, pair, KernelTargetAlignment(centered=True))
    assert np.sign(slope) == (-1 if are_different else 1)


def test_verdict_needs_a_gaussian_kernel_and_two_classes():
    X, y = with_closest_pair(True)
    with pytest.raises(ValueError, match="hold for Gaussian kernels, not for Polynomial"):
        boundary_verdict(X, y, "poly")
    with pytest.raises(ValueError, match="one class only"):
        boundary_verdict(X, np.ones(20))
    with pytest.raises(ValueError, match="All samples are the same point"):
        boundary_verdict(np.ones((20, 2)), y)


# -- the other findings -----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def clean():
    return make_blobs(90, centers=3, n_features=4, random_state=0)


def test_clean_data_have_no_warning(clean):
    diagnosis = diagnose(*clean)
    assert isinstance(diagnosis, Diagnosis)
    assert names(diagnosis) == ["closest-pair", "curve", "cost"]
    assert {finding.severity for finding in diagnosis} == {"info"}


def test_duplicates_and_conflicts_are_counted():
    X = RANDOM.integers(0, 3, (40, 2)).astype(float)
    y = RANDOM.integers(0, 3, 40)
    labels = {}
    for row, label in zip(map(tuple, X), y.tolist(), strict=True):
        labels.setdefault(row, []).append(label)
    copies = sum(len(at) - len(set(at)) for at in labels.values())
    floor = sum(len(at) - max(map(at.count, at)) for at in labels.values())
    mixed = [at for at in labels.values() if len(set(at)) > 1]
    diagnosis = diagnose(X, y)
    assert find(diagnosis, "duplicates").message.startswith(f"{copies} samples repeat another")
    conflicts = find(diagnosis, "conflicts")
    assert conflicts.message.startswith(f"{sum(map(len, mixed))} samples in {len(mixed)} groups")
    assert f"at least {floor} training errors ({100 * floor / 40:.1f} %)" in conflicts.message
    assert conflicts.severity == "warning"


@pytest.mark.parametrize("frame", [lambda X, names: pd.DataFrame(X, columns=names), pl.DataFrame])
def test_features_are_called_by_their_names(clean, frame):
    X, y = clean
    X = np.column_stack([X, np.full(90, 0.1), 1e4 * X[:, 0]])
    table = frame(X, ["a", "b", "c", "d", "flat", "large"])
    diagnosis = diagnose(table, pd.Series(np.array(["x", "y", "z"])[y]))
    constant = find(diagnosis, "constant")
    assert constant.message == "1 feature is constant: 'flat'."
    assert constant.option == "Leave it out with --ignore: no kernel can use it."
    two = find(diagnose(np.column_stack([X, X[:, :2] * 0.0]), y), "constant")
    assert two.option == "Leave them out with --ignore: no kernel can use them."
    scaling = find(diagnosis, "scaling")
    assert scaling.message.startswith("The standard deviation of 'large'")
    assert "4 features more than 100 times smaller hardly count" in scaling.message
    assert "StandardScaler" in scaling.advice
    bare = find(diagnose(sparse.csr_matrix(X), y), "scaling")
    assert bare.message.startswith("The standard deviation of column 5")
    assert "MaxAbsScaler" in bare.advice
    by_itself = diagnose(table, y, kernel="mahalanobis")
    assert "scaling" not in names(by_itself)
    assert "weight zero to 1 constant feature." in find(by_itself, "kernel").message


def test_small_classes(clean):
    X, y = clean
    kept = np.flatnonzero(
        (y == 0) | (np.cumsum(y == 1) <= 4) & (y == 1) | (np.cumsum(y == 2) <= 1) & (y == 2)
    )
    diagnosis = diagnose(X[kept], y[kept])
    lone, warning = find(diagnosis, "class of one row"), find(diagnosis, "tiny-class")
    assert (lone.severity, warning.severity) == ("warning", "warning")
    assert "1 class has only one sample (2: 1)" in lone.message
    assert "(1: 4)" in warning.message
    assert "at most 4 stratified folds" in warning.advice
    imbalance = find(diagnosis, "imbalance")
    assert imbalance.severity == "warning"
    assert f"(2) has {100 / 35:.3g} % of the samples, the largest (0) 30 times as many" in imbalance.message
    assert "not examined, because class 2 has only one sample" in find(diagnosis, "curve").message


def test_curve_with_and_without_a_peak(clean):
    board = np.argwhere(np.ones((8, 8)))
    flat = find(diagnose(board, board.sum(axis=1) % 2), "curve")  # all neighbours are of the other class
    assert flat.severity == "warning"
    assert "the two classes: plateau)" in flat.message
    assert find(diagnose(*clean), "curve").severity == "info"


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_pairs_can_be_looked_at_apart(clean, kernel):
    whole = diagnose(*clean, kernel=kernel)
    rest, pairs = diagnose(*clean, kernel=kernel, pairs=False), diagnose_pairs(*clean, KERNELS[kernel]())
    assert names(pairs) == (["closest-pair", "curve"] if kernel == "rbf" else [])
    assert sorted(most_serious_first([*rest, *pairs]), key=str) == sorted(whole, key=str)


@pytest.mark.parametrize(
    ("n", "kernel", "by_rows"), [(300, "rbf", False), (1200, "rbf", True), (1200, "poly", False)]
)
def test_cost_says_what_the_machine_does(n, kernel, by_rows):
    X = RANDOM.normal(size=(n, 2))
    found = find(diagnose(X, np.arange(n) % 2, kernel=kernel), "cost")
    assert ("rows of the kernel" in found.message) == by_rows
    assert f"Gram matrix of {8 * n * n / 2**20:.3g} MiB" in found.message


# -- data that end badly ----------------------------------------------------------------------------------
NAN = np.array([[0.0, 1.0], [np.nan, 2.0], [1.0, -np.inf]])
DEGENERATE = {
    "all points equal": (
        np.ones((6, 2)),
        [0, 0, 0, 1, 1, 1],
        "identical",
        "All 6 samples are the same point",
    ),
    "one sample": ([[1.0, 2.0]], ["a"], "one-class", "y has only one class ('a', 1 sample)"),
    "one class": (NAN[:1].repeat(3, axis=0), [1, 1, 1], "one-class", "y has only one class (1, 3 samples)"),
    "two points": ([[0.0], [1.0]], [0, 1], "tiny-class", "2 classes have only one sample (0: 1, 1: 1)"),
    "infinite": (NAN, [0, 1, 1], "values", "(1 infinite) in column 1,"),
    "gap": (NAN[:2], [0, 1], "gaps", "1 column has gaps: column 0 (50 %)."),
    "sparse NaN": (
        sparse.csr_matrix(NAN),
        [0, 1, 1],
        "values",
        "(1 NaN, 1 infinite) in column 0, column 1,",
    ),
    "overflow": ([[0.0], [1e200], [2.0]], [0, 1, 1], "values", "(1 above 1e+150) in column 0,"),
    "mixed labels": (
        np.arange(8.0).repeat(2)[:, None],
        [0, 1] * 8,
        "conflicts",
        "at least 8 training errors",
    ),
    "underflow": (
        1e-170 * RANDOM.normal(size=(9, 2)),
        [0, 1, 1] * 3,
        "closest-pair",
        "zero in double precision",
    ),
    "empty sparse": (sparse.csr_matrix((6, 3)), [0, 1] * 3, "identical", "All 6 samples"),
    "no width": (1e-170 * np.arange(9.0)[:, None], [0, 1, 1] * 3, "curve", "all squared distances are zero"),
    "labels of their own": (np.eye(9), np.arange(9), "tiny-class", "9 classes have only one sample"),
}


@pytest.mark.parametrize("kernel", [None, "poly", "mahalanobis-full", "low-rank"])
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_data_end_with_a_finding(case, kernel):
    X, y, name, sentence = DEGENERATE[case]
    diagnosis = diagnose(X, y, kernel=kernel)
    if kernel is None or name not in ("closest-pair", "curve"):
        assert sentence in find(diagnosis, name).message


BAD_INPUT = {
    "y contains None in row 2": (np.eye(3), np.array(["a", "b", None], dtype=object)),
    "y contains <NA> in row 1": (np.eye(3), pd.Series(["a", pd.NA, "b"], dtype="string")),
    "y contains nan in row 0": (np.eye(3), [np.nan, 0.0, 1.0]),
    "y mixes labels of the types int, str": (np.eye(3), np.array(["a", 1, "b"], dtype=object)),
    "y has 2 labels for 3 samples": (np.eye(3), [0, 1]),
    "0 sample": (np.empty((0, 2)), []),
    "Column 'a' of X mixes words": (pd.DataFrame({"a": ["u", 1.0]}, dtype=object), [0, 1]),
}


@pytest.mark.parametrize("message", BAD_INPUT)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises(ValueError, match=message):
        diagnose(*BAD_INPUT[message])


def test_unknown_kernel_is_refused():
    with pytest.raises(ValueError, match="kernel must be a Kernel or one of"):
        diagnose(np.eye(3), [0, 1, 1], kernel="cubic")


def test_a_diagnosis_can_be_read_and_tabulated():
    diagnosis = diagnose(NAN, [0, 1, 1])
    assert str(diagnosis).splitlines()[0] == "error: 1, warning: 2, info: 1"
    assert "[error] values: X has 1 unusable value" in str(diagnosis)
    table = diagnosis.to_frame()
    assert list(table.columns) == ["name", "severity", "message", "advice", "option"]
    assert [Finding(**row) for row in table.to_dict("records")] == diagnosis
    assert Diagnosis().to_frame().shape == (0, 5)


def test_features_are_called_by_the_names_that_are_given():
    X = np.column_stack([np.arange(20.0), np.full(20, 3.0)])
    y = np.arange(20) % 2
    named = next(f for f in diagnose(X, y, feature_names=["age", "unit"]) if f.name == "constant")
    assert "'unit'" in named.message
    with pytest.raises(ValueError, match="1 names for 2 features"):
        diagnose(X, y, feature_names=["age"])


# -- tables with words and gaps -----------------------------------------------------------------------------
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_diagnosed_as_it_is_trained_on(library):
    lists, y = columns()
    table = as_library(lists, library)
    coded = TunedSVC("rbf", Cs=[1.0], cv=2).fit(table, y)
    found = diagnose(table, y, scale="standard")
    same = diagnose(coded.machine_samples(table), y)
    for name in ("closest-pair", "curve", "cost"):
        # The unit of distances is the one difference: nobody knows of it where the samples come scaled.
        texts = {
            key: str(text).replace(" standard deviations", "")
            for key, text in vars(find(found, name)).items()
        }
        assert texts == {key: str(text) for key, text in vars(find(same, name)).items()}
    assert "2 columns have gaps: 'town' (9 %), 'size' (8 %)" in find(found, "gaps").message
    assert "'rooms'" in find(found, "whole numbers that may be words").message


def test_columns_of_words_have_findings_of_their_own():
    lists, y = columns()
    table = as_library(lists, "pandas").assign(answer=np.where(y == "yes", "u", "v"), same="w")
    found = diagnose(table, y, categorical_features=["town", "answer", "same", "rooms"])
    assert "'answer' determines the target" in find(found, "target in a column").message
    assert "'same=w'" in find(found, "constant").message
    assert "whole numbers that may be words" not in names(found)
    numbers = diagnose(table, np.arange(len(y)) / 7.0, task="regression", feature_names=list("abcdef"))
    assert "'a' (9 %), 'b' (8 %)" in find(numbers, "gaps").message


def test_distances_have_their_unit():
    X = np.array([[0.0], [1.0], [4.0], [7.0], [11.0], [16.0]])
    y = [0, 1, 0, 1, 0, 1]
    found = {one.name: one.message for one in diagnose(X, y, scale="standard")}
    assert f"samples 0 and 1, {1.0 / X.std():.4g} standard deviations apart" in found["closest-pair"]
    found = {one.name: one.message for one in diagnose(X, y, kernel="mahalanobis", scale="standard")}
    assert "standard deviations" not in found["closest-pair"]  # the kernel has a scale of its own
    found = {one.name: one.message for one in diagnose(X, y)}
    assert "samples 0 and 1, 1 apart" in found["closest-pair"]
