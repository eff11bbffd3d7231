"""The study of paper 001."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from kernelwise.datasets import make_two_gaussians
from kernelwise.kernels import RBF
from kernelwise.optimizers import GradientDescent, QuasiNewton
from kernelwise.solvers import solve_svm_dual
from kernelwise.studies import ayat
from kernelwise.studies.ayat import real_sets, rules, searches
from kernelwise.studies.ayat.searches import Method, end_row, first_at, lowest, make_problem
from kernelwise.studies.claims import judge


class Samples(NamedTuple):
    """What the command takes of a data set."""

    X: np.ndarray
    y: np.ndarray


@pytest.fixture
def small(monkeypatch):
    """The task with a tenth of the samples."""
    monkeypatch.setattr(searches, "SIZES", (100, 50, 50))


def test_the_synthetic_task_has_figures_3_to_6(small, run, rows):
    study = run("ayat", "synthetic")
    names = [method.name for method in searches.methods()]
    assert [row["method"] for row in rows(study, "synthetic")] == names
    assert list(study.figures) == ["figure3", "figure4", "figure5", "figure6"]
    for name in names:
        curve = [row for row in rows(study, "curves") if row["method"] == name and row["draw"] == 1]
        assert [row["iteration"] for row in curve] == list(range(len(curve)))
        starts = [curve[0][parameter] for parameter in ("gamma", "sigma", "C")]
        np.testing.assert_allclose(starts, [1 / 2.72, 1 / 2.72, 1000.0])
        assert all(row["test_error"] <= 1 and row["n_support"] > 0 for row in curve)
    support = study.figures["figure4"].panels[1]
    assert (support.title, support.marks[0].value) == ("support vectors", 40.0)


def test_kernels_of_figure_1(run, rows):
    study = run("ayat", "kernels")
    found = rows(study, "figure1")
    assert {row["value"] for row in found if row["distance"] == 0.0} == {1.0}
    far = {row["kernel"]: row["value"] for row in found if row["distance"] == 8.0}
    assert far["KMOD, γ = 1, σ = 1"] == pytest.approx(np.expm1(1 / 65) / np.expm1(1))
    assert min(far, key=far.get) == "RBF, γ = 1"


def test_the_sigmoid_of_figure_2(run):
    frontier, curve = run("ayat", "posterior").figures["figure2"].panels
    assert [line.name for line in frontier.lines] == ["the others", "virginica", "frontier"]
    sigmoid = curve.lines[-1].y
    assert np.all(np.diff(sigmoid) > 0)
    assert sigmoid[0] < 0.05
    assert sigmoid[-1] > 0.95


def test_the_problem_is_the_papers():
    problem = make_problem(searches.START, "exact", 0.42, 0, searches.SIZES)
    assert (problem.X.shape, problem.criterion.validation[0].shape) == ((1000, 2), (500, 2))
    problem.value(problem.theta)
    assert problem.history[0]["n_support"] == 140
    assert problem.history[0]["test_error"] == 0.026


def test_the_scan_and_the_search_lower_error_and_support_vectors(small):
    method = Method("ours", "exact", QuasiNewton("golden", max_iter=10, min_decrease=0.01), True, 0.0, 0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = [searches.cell(method, 1.0, draw) for draw in range(3)]
    row = end_row(1.0, method, cells, [lowest(cell) for cell in cells])
    assert row["objective to"] < row["objective"]
    assert row["support to"] < 0.3 * row["support"]
    assert (row["reached"], row["rises"], row["few"], row["draws"]) == (1.0, 0.0, 1.0, 3)
    for cell in cells:
        assert np.all(np.diff([point["objective"] for point in cell["curve"]]) <= 0)


def test_a_bound_falls(small, monkeypatch):
    monkeypatch.setattr(searches, "SIZES", (200, 50, 50))
    for criterion in ("margin", "vc"):
        method = Method("bound", criterion, GradientDescent(max_iter=5), False, 0.0, 0, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cell = searches.cell(method, 0.42, 0)
        row = end_row(0.42, method, [cell], [0.0])
        assert row["objective to"] < 0.9 * row["objective"]
        assert row["reached"] is None


def test_medians_and_shares_of_the_draws():
    def curve(*points):
        return {
            "curve": [
                {
                    "iteration": k,
                    "objective": cost,
                    "n_support": n,
                    "test_error": 0.01 * n,
                    "validation_error": 0.6 if cost == 3.0 else 0.1,
                }
                for k, (cost, n) in enumerate(points)
            ]
        }

    cells = [
        curve((4.0, 200), (2.0, 100), (1.005, 50)),
        curve((4.0, 180), (5.0, 60)),
        curve((4.0, 220), (3.0, 900)),
    ]
    assert first_at(cells[0]["curve"], 1.0) == 2
    assert first_at(cells[0]["curve"], 0.5) is None
    assert lowest(cells[1]) == 4.0
    row = end_row(0.42, searches.methods()[0], cells, [1.0, 1.0, 3.0])
    assert (row["support"], row["support to"], row["fewest"], row["most"]) == (200, 60, 50, 900)
    assert [row[name] for name in ("few", "reached", "rises")] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert (row["iterations"], row["test error to"]) == (1, pytest.approx(0.6))
    # The lowest of the first; the start of the second; that of the third, whose end is worse than guessing.
    assert row["test error chosen"] == pytest.approx(np.median([0.5, 1.8, 2.2]))


def test_digits_before_and_after(monkeypatch, run, rows):
    X, y = load_digits(return_X_y=True)
    parts = {"train": Samples(X[:900], y[:900]), "test": Samples(X[900:], y[900:])}
    monkeypatch.setattr(real_sets, "load_or_say", lambda name, part=None: parts[part])
    monkeypatch.setattr(real_sets, "QUICK_DIGITS", (3, 8))
    study = run("ayat", "digits", "claims")
    assert (study.sentences, list(study.tables)) == ([], ["digits"])  # a quick run judges nothing
    found = rows(study, "digits")
    assert [row["tuned"] for row in found] == ["before", "E, lowest", "likelihood"] * 2
    assert [row["z against KMOD"] for row in found[:3]] == [0, 0, 0]
    assert [row["p against KMOD"] for row in found[:3]] == [1, 1, 1]
    assert (found[0]["p of tuning"], found[0]["iterations"]) == (1, None)
    assert all(0 <= row["p of tuning"] <= 1 for row in found)
    assert len(list(real_sets.digit_sentences(found))) == 4
    assert len(judge(ayat.CLAIMS, {"digits": found})) == 4


def test_digits_compare_sample_by_sample():
    def cell(before, after):
        def part(right):
            return {
                "recognition": np.mean(right),
                "rejection": 0.0,
                "accuracy": np.mean(right),
                "support_vectors": 10.0,
                "recognised": right,
            }

        return {"iterations": [2, 3], "before": part(before), "after": part(after)}

    most, all_right = [0] * 6 + [1] * 14, [1] * 20
    found = {("KMOD", "E, lowest"): cell(most, all_right), ("RBF", "E, lowest"): cell(most, most)}
    kmod_before, kmod, rbf_before, rbf = real_sets.digit_rows("toy", found)
    # Six samples of the one kind: 2 / 2⁶.
    assert kmod["p of tuning"] == rbf["p against KMOD"] == pytest.approx(2 / 64)
    assert (kmod_before["p against KMOD"], rbf_before["p against KMOD"], rbf["p of tuning"]) == (1, 1, 1)
    assert rbf["z against KMOD"] < -1.96
    first, _ = real_sets.digit_sentences([kmod_before, kmod, rbf_before, rbf])
    assert (
        "KMOD, E, lowest: tuning changes the recognition rate by +30.00 points (McNemar's p 0.031)" in first
    )


@pytest.mark.slow
def test_cancer_over_random_splits(monkeypatch, run, rows):
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr(real_sets, "load_or_say", lambda name: Samples(X[:277], y[:277]))
    found = rows(run("ayat", "cancer"), "cancer")
    assert [(row["kernel"], row["tuned"]) for row in found] == list(real_sets.CANCER)
    assert all(row["error % after"] < 12 for row in found)
    assert [row["paper's"] for row in found[2:4]] == ["25.4 ± 4.4", "26.0 ± 4.7"]
    assert found[-1]["error % before"] is None


def test_the_plus_signs_of_the_paper_are_right():
    signs = {row["against KMOD"]: row for row in real_sets.sign_rows()}
    z = {name: round(row["z"], 2) for name, row in signs.items()}
    assert z == {
        "polynomial 4, optimized": 1.15,
        "polynomial 3, optimized": 4.42,
        "RBF, optimized": 2.99,
        "polynomial 4, not optimized": 0.92,
        "polynomial 3, not optimized": 3.64,
        "RBF, not optimized": 2.89,
        "RBF": 0.93,
        "RBF network": 3.42,
        "AdaBoost": 7.77,
        "AdaBoost, regularised": 1.75,
    }
    assert all(row["significant"] == row["paper's plus"] for row in signs.values())
    (judged,) = judge(ayat.CLAIMS, {"signs": list(signs.values())})
    assert (judged["verdict"], judged["our result"][:21]) == ("holds", "10 of 10 signs are ri")
    signs["RBF"]["paper's plus"] = True
    assert judge(ayat.CLAIMS, {"signs": list(signs.values())})[0]["verdict"] == "holds in part"


def test_the_gains_of_the_paper_are_significant_but_for_one():
    gains = {row["kernel"]: row for row in real_sets.gain_rows()}
    assert {kernel: round(row["z"], 2) for kernel, row in gains.items()} == {
        "KMOD": 2.69,
        "polynomial 4": 2.47,
        "polynomial 3": 1.90,
        "RBF": 2.60,
    }
    # By hand: √(2 p̄ (1 − p̄) / n) with p̄ = .9877.
    assert gains["KMOD"]["z"] == pytest.approx(0.0042 / np.sqrt(2 * 0.9877 * 0.0123 / 10_000))
    assert [kernel for kernel, row in gains.items() if not row["significant"]] == ["polynomial 3"]
    digits = [
        {"data": "toy", "kernel": "RBF", "tuned": tuned, "recognised %": rate, "p of tuning": 0.5}
        for tuned, rate in (("before", 98.0), ("E, lowest", 98.1))
    ]
    judged = rules.recognition(digits=digits, gains=list(gains.values()))
    assert judged.verdict == "does not hold"
    assert [row["kernel"] for row in judged.values["unsure"]] == ["polynomial 3"]


def test_kmod_is_not_better_where_it_is_worse_once():
    def row(tuned, z, p):
        return {
            "data": "toy",
            "kernel": "RBF",
            "tuned": tuned,
            "recognised %": 98.0,
            "support": 10.0,
            "iterations": "2 to 9",
            "z against KMOD": z,
            "p against KMOD": p,
            "p of tuning": 1.0,
        }

    def judged(z):
        rows = [row("before", 0.0, 1.0), row("E, lowest", -3.0, 0.01), row("likelihood", z, 0.03)]
        found = judge(ayat.CLAIMS, {"digits": rows})
        return next(one for one in found if one["claim"].startswith("KMOD is significantly better than RBF"))

    assert judged(-3.0)["verdict"] == "holds"
    assert judged(3.0)["verdict"] == "does not hold"
    told = "RBF: KMOD better by z in 1 of 2 rows, by McNemar's test in 1, worse in 1"
    assert judged(3.0)["our result"] == told
    assert "Significantly ahead of KMOD: toy RBF, likelihood 98.00 (p = 0.03)" in judged(3.0)["why"]


def test_missing_files_are_left_out(monkeypatch, run):
    for module in (ayat, real_sets):
        monkeypatch.setattr(module, "load_or_say", lambda name, part=None: None)
    study = run("ayat", "posterior", "digits", "cancer", "claims")
    assert (study.tables, study.figures) == ({}, {})


def test_the_condition_of_h_is_that_of_its_support_vectors():
    """Of four points, of which KKT leaves out none: H is written down by hand."""
    signs = np.array([1.0, 1.0, -1.0, -1.0])
    K = np.array([[1.0, 0.2, 0.1, 0.0], [0.2, 1.0, 0.3, 0.1], [0.1, 0.3, 1.0, 0.2], [0.0, 0.1, 0.2, 1.0]])
    H = np.block([[K * np.outer(signs, signs), signs[:, None]], [signs[None], np.zeros((1, 1))]])
    assert searches.condition_number(K, signs) == pytest.approx(np.linalg.cond(H))


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ([1.0, 0.2], [1.05, 0.2], False),
        ([1.0, 0.2], [1.15, 0.2], True),
        ([1.0, 0.2], [0.5, 0.29], False),
        ([1.0, 0.2], [0.5, 0.31], True),
    ],
)
def test_a_search_diverges_if_e_rises_or_the_machine_is_lost(first, last, expected):
    assert searches.has_diverged(first, last) is expected


def test_starts_with_spread_kernels_have_the_worse_condition(monkeypatch, run, rows):
    monkeypatch.setattr(searches, "CONDITION_SIZES", (60, 30, 30))
    short = {"descent": GradientDescent(is_adaptive=False, max_iter=2)}
    monkeypatch.setattr(searches, "SEARCHES", short)
    spread, paper = rows(run("ayat", "conditioning"), "conditioning")
    assert (spread["start"], paper["start"]) == ("RBF, a = 0.01", "KMOD, σ = 1/2.72")
    assert spread["condition of H"] > 100 * paper["condition of H"] > 100
    shares = [
        row[f"descent, {kind} gradient: diverged %"] for row in (spread, paper) for kind in ("paper", "exact")
    ]
    assert set(shares) <= {0.0, 50.0, 100.0}  # of two draws


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
