"""The parts of studies that are about single claims, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelwise.datasets import make_two_gaussians
from kernelwise.kernels import RBF
from kernelwise.solvers.dual import solve_svm_dual
from kernelwise.studies import ayat, laanaya, yin
from kernelwise.studies.ayat import real_sets, searches
from kernelwise.studies.claims import judge
from kernelwise.studies.laanaya import plain_start
from kernelwise.studies.study import Study
from kernelwise.studies.yin import theory

# -- paper 001 --------------------------------------------------------------------------------------------


def test_the_condition_number_is_that_of_the_bordered_matrix():
    X, y = make_two_gaussians(40, std=0.42, random_state=0)
    signs = np.where(y == y.max(), 1.0, -1.0)
    K = RBF(1.0)(X)
    rows = [i for i in range(40) if solve_svm_dual(K, signs, 1000.0).beta[i] != 0]
    H = [[signs[i] * signs[j] * K[i, j] for j in rows] + [signs[i]] for i in rows]
    H.append([signs[i] for i in rows] + [0.0])
    values = np.abs(np.linalg.eigvalsh(H))
    assert searches.condition_number(K, signs) == pytest.approx(values.max() / values.min(), rel=1e-4)


def test_a_search_diverges_by_its_objective_or_by_its_machine():
    first = [0.2, 0.1]
    assert not searches.has_diverged(first, [0.21, 0.15])
    assert searches.has_diverged(first, [0.23, 0.1])
    assert searches.has_diverged(first, [0.1, 0.25])


@pytest.mark.parametrize(("share", "verdict"), [(0.0, "holds"), (20.0, "holds in part")])
def test_quasi_newton_is_judged_by_its_worst_start(share, verdict):
    searches = [f"{search}, {how}" for search in ("quasi-Newton", "descent") for how in ("paper", "exact")]
    shares = zip(searches, (share, 0.0, 50.0, 40.0), strict=True)
    row = {"start": "RBF, a = 1", "draws": 5, "condition of H": 1e9}
    row |= {f"{search} gradient: diverged %": value for search, value in shares}
    found = {one["where"]: one for one in judge(ayat.CLAIMS, {"conditioning": [row]})}
    assert found["summary"]["verdict"] == verdict
    assert "descent, paper gradient 50 %" in found["summary"]["our result"]


def test_rivals_have_the_standard_error_of_splits_that_share_rows():
    kmod, network = [30.0, 20.0, 25.0], [33.0, 20.0, 31.0]
    known, _, unknown = real_sets.rival_rows({"RBF network": network}, kmod, 200, 50)
    assert known["less KMOD"] == pytest.approx(3.0)
    assert known["± s.e."] == pytest.approx(np.sqrt(9.0 * (1 / 3 + 50 / 200)))
    assert unknown["error %"] is None
    assert unknown["paper's"] == "26.5 ± 4.5"


def test_the_network_has_radial_functions_around_its_centres():
    X = np.array([[0.0], [0.1], [4.0], [4.2]])
    centres = real_sets.Centres(2).fit(X)
    near, far = sorted(centres.centres_.ravel())
    assert (near, far) == (pytest.approx(0.05), pytest.approx(4.1))
    values = centres.transform(np.array([[near]]))
    assert sorted(values[0]) == pytest.approx([np.exp(-0.5), 1.0])


# -- paper 003 --------------------------------------------------------------------------------------------


def test_half_of_the_points_lie_in_the_band():
    for direction in plain_start.BANDS.values():
        X, y, X_test, y_test = plain_start.band_parts(direction, 3)
        assert (X.shape, X_test.shape) == ((100, 6), (1000, 6))
        assert np.mean(y_test == 1) == pytest.approx(0.5, abs=0.05)
        assert np.array_equal(y == 1, np.abs(X @ direction) < 0.6744897501960817)


def test_w_is_above_some_chords_and_below_others():
    found = [plain_start.above_chord(seed, 100.0) for seed in range(25)]
    assert 0 < sum(found) < 25


def test_a_convex_objective_is_above_no_chord(monkeypatch):
    """The sum of the kernel values is convex in every entry of Q."""

    class Convex:
        def __init__(self, *settings):
            pass

        def value(self, K, y):
            return K.sum()

    monkeypatch.setattr(plain_start, "RegularizedMargin", Convex)
    assert not any(plain_start.above_chord(seed, 0.0) for seed in range(25))


def test_a_full_metric_is_compared_with_a_diagonal_one(monkeypatch):
    monkeypatch.setattr(plain_start, "METHODS", {"conjugate gradients": "conjugate-gradient"})
    monkeypatch.setattr(plain_start, "paper_choice", lambda study, data, draw: (0.125, 100.0))
    study = Study("laanaya", "", is_quick=True, say=lambda text: None)
    rows = plain_start.correlation_rows(study, {})
    oblique = [row for row in rows if row["data"] == next(iter(plain_start.BANDS))]
    found = {row["method"]: row for row in oblique}
    full, diagonal = (found[f"conjugate gradients, {freedom} Q"] for freedom in ("full", "diagonal"))
    assert full["less diagonal"] == pytest.approx(full["rate %"] - diagonal["rate %"])
    assert diagonal["share of the direction"] == pytest.approx(1 / 6)
    assert full["share of the direction"] > 0.5
    assert diagonal["less diagonal"] is None
    (claimed,) = judge(laanaya.CLAIMS, {"correlation": rows})
    assert "which leads to better rates" in claimed["claim"]


# -- paper 004 --------------------------------------------------------------------------------------------


def test_limits_are_those_of_a_double_loop():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 3)), np.arange(30) % 3 == 0
    found = theory.limit_rows("toy", X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    D = cdist(Z, Z) ** 2
    within = 1 / 3 * D[np.ix_(y, y)].mean() + 2 / 3 * D[np.ix_(~y, ~y)].mean()
    assert found["original space"] == pytest.approx(D[np.ix_(y, ~y)].mean() / within)
    assert found["relative difference at σ = 2^9"] < 1e-4
    assert found["at σ = 2^-12"] == pytest.approx(30 / 28) == found["n/(n − 2)"]
    assert found["repeated rows"] == 0


def test_mixed_classes_have_n_over_n_minus_two(monkeypatch):
    monkeypatch.setattr(theory, "SIZES", (10, 30))
    for row in theory.mixed_rows(60):
        assert row["ESDR"] == pytest.approx(row["n/(n − 2)"], abs=0.02)
        assert row["without self-pairs"] == pytest.approx(1, abs=0.02)
    (claimed,) = judge(yin.CLAIMS, {"mixed": theory.mixed_rows(3)})
    assert claimed["verdict"] != "holds"
