"""The study of paper 002."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelwise.kernels import RBF
from kernelwise.metrics import kernel_target_alignment, polarization
from kernelwise.selection import glasmachers_curves
from kernelwise.studies import glasmachers
from kernelwise.studies.glasmachers import PATTERNS, draw_points, limits, local_optima, rules
from kernelwise.studies.glasmachers.local_optima import (
    Valleys,
    of_halves,
    optima_rows,
    set_curves,
    summary_rows,
)
from kernelwise.studies.glasmachers.rules import quotient_of_derivatives


def test_both_patterns_have_as_many_labels():
    points = draw_points(3)
    p, q = points.pair
    D = ((points.X[:, None] - points.X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    assert D[p, q] == pytest.approx(D.min())
    for pattern in PATTERNS:
        y = points.labelled(pattern)
        assert (y[p] == y[q]) == (pattern == "equal")
        assert y.sum() == 0


def test_limits_are_those_of_the_criteria():
    points = draw_points(0)
    narrow = glasmachers_curves(points.X, points.y, [1e-3 * np.sqrt(points.closest2)])
    for name, limit in limits().items():
        found = 1 / narrow.margin**2 if name == "inverse_margin2" else getattr(narrow, name)
        assert found[0] == pytest.approx(limit, rel=1e-5)


def test_the_theorems_hold_on_random_points(run, rows):
    study = run("glasmachers", "theorems")
    for row in rows(study, "theorems"):
        assert row["as it says"] == row["sets"] == 30
        assert row["optimum at σ → 0"] == row["the theorem says"]
    for name in ("of kernel values", "of slopes"):
        sums = [row[name] for row in rows(study, "lemma")]
        assert sums[0] < 1e-3
        assert sums == sorted(sums, reverse=True)


def test_sets_that_floating_point_cannot_tell_are_left_out(run, rows, monkeypatch):
    lost = {"closeness": 0.0, "lemma": [(0.0, 0.0)] * 3}
    lost |= {f"{p}/{name}": 0 for p in PATTERNS for name in glasmachers.CRITERIA}
    slopes = glasmachers.slopes
    monkeypatch.setattr(glasmachers, "slopes", lambda seed: lost if seed % 10 else slopes(seed))
    study = run("glasmachers", "theorems", is_quick=False)
    assert {row["sets"] for row in rows(study, "theorems")} == {20}
    told = "In 320 of 320 cases (20 sets of points, two labellings each, 8 criteria)"
    assert study.sentences[0].startswith(told)
    assert "190 of 210 sets are left out" in study.sentences[0]


def test_the_sums_of_lemma_1_are_those_of_the_kernel():
    points = draw_points(5)
    gamma = 1.5 / points.closest2
    K = RBF(gamma)(points.X)
    D = ((points.X[:, None] - points.X) ** 2).sum(axis=2)
    upper = np.triu_indices(len(K), 1)
    for weights, found in zip((K, K * D), glasmachers.others_over_closest(points, gamma), strict=True):
        values = weights[upper]
        closest = values[D[upper].argmin()]
        assert found == pytest.approx((values.sum() - closest) / closest)


@pytest.mark.parametrize("n_pairs", local_optima.N_PAIRS)
def test_one_width_has_many_optima(n_pairs):
    """Pairs on a line whose labels are equal and different in turn, by a plain double loop."""
    X, y = local_optima.made_pairs(n_pairs)
    assert (len(y), y.sum()) == (2 * n_pairs, 0)
    found = local_optima.pair_curves(n_pairs)
    x = X.ravel()
    for sigma, cost in list(zip(found["sigmas"], found["polarization"], strict=True))[::20]:
        loop = sum(
            a * b * np.exp(-((u - v) ** 2) / (2 * sigma**2))
            for a, u in zip(y, x, strict=True)
            for b, v in zip(y, x, strict=True)
        )
        assert -cost == pytest.approx(loop)
    assert Valleys.of(np.array(found["polarization"])).n_inside == n_pairs // 2


def test_machines_by_criteria_are_compared_on_the_same_splits(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(local_optima, "load_or_say", lambda name: SimpleNamespace(X=X[50:], y=y[50:]))
    monkeypatch.setattr(local_optima, "QUICK_SETS", ("iris",))
    found = rows(run("glasmachers", "practice"), "practice")
    assert [row["method"] for row in found] == list(local_optima.PRACTICE)
    assert (found[0]["less cross-validation"], found[0]["± s.e."]) == (0, 0)
    for row in found:
        assert row["less cross-validation"] == pytest.approx(row["rate %"] - found[0]["rate %"])
        assert row["signal"]
        assert row["larger class %"] == 53.75  # of the 80 rows that a quick run takes


def test_a_set_without_a_signal_is_no_success_of_a_criterion():
    rows = [
        {
            "data": data,
            "method": method,
            "less cross-validation": gap,
            "± s.e.": 1.0,
            "signal": data == "seen",
        }
        for data in ("seen", "blind")
        for method, gap in (("cross-validation", 0.0), ("polarization", -5.0 if data == "seen" else 0.0))
    ]
    judged = rules.works_well(practice=rows)
    assert (judged.verdict, judged.values["n_all"]) == ("does not hold", 1)
    assert judged.values["blind"] == [{"data": "blind"}]
    rows[1]["less cross-validation"] = 0.0
    assert rules.works_well(practice=rows).verdict == "holds"
    rows[3]["less cross-validation"] = -5.0
    judged = rules.works_well(practice=rows)
    assert (judged.verdict, [one["verdict"] for one in judged.values["on_all"]]) == (
        "holds",
        ["does not hold"],
    )


def test_signs_are_those_of_differences():
    """Where the closest pair dominates but is not yet tiny, the criteria themselves show the sign."""
    points = next(points for points in map(draw_points, range(100)) if points.second2 > 4 * points.closest2)
    gammas = [np.log(1e3) / points.closest2, np.log(1e4) / points.closest2]
    for pattern, sign in (("equal", 1), ("different", -1)):
        y = points.labelled(pattern)
        wide, narrow = (RBF(gamma)(points.X) for gamma in gammas)
        for score in (polarization, kernel_target_alignment):
            assert np.sign(score(wide, y) - score(narrow, y)) == sign


def test_the_figure_has_both_patterns_and_the_limits(run, rows):
    study = run("glasmachers", "patterns")
    panels = study.figures["patterns"].panels
    assert len(panels) == 6
    assert [line.name for line in panels[0].lines] == ["equal labels", "different labels"]
    assert panels[0].marks[0].value == glasmachers.N_POINTS - 1
    narrow = {
        row["labels"]: row for row in rows(study, "patterns") if row["sigma over closest distance"] < 0.4
    }
    assert narrow["different"]["radius_margin, change from its limit"] > 0
    assert narrow["equal"]["radius_margin, change from its limit"] < 0


def test_optima_of_a_set_with_a_known_curve():
    sigmas = 2.0 ** np.arange(7)
    found = {
        "sigmas": sigmas,
        "costs": {"toy": [1.0, 2.0, 3.0, 0.0, 3.0, 4.0, 5.0]},
        "starts": {"jaakkola": 9.0, "median": 1.0, "scale": 64.0},
        "pairs": [0, 1],
        "copies": 0,
    }
    (row,) = optima_rows("made up", found)
    assert (row["optima inside"], row["at σ → 0"], row["at σ → ∞"], row["global at"]) == (
        1,
        True,
        False,
        "inside",
    )
    assert [row[f"{start}: global"] for start in ("jaakkola", "median", "scale")] == [True, False, True]
    assert row["median: at σ → 0"]
    assert row["any start: global"] == pytest.approx(4 / 7)
    (summary,) = summary_rows([row, {**row, "at σ → 0": False}])
    assert (summary["several optima %"], summary["most"], summary["at σ → 0 %"]) == (50.0, 2, 50.0)


def test_curves_of_a_set_are_costs_over_one_range():
    random = np.random.default_rng(0)
    X = random.normal(size=(24, 3))
    y = np.arange(24) % 2
    found = set_curves(np.vstack([X, X[:1]]), np.append(y, y[0]), 2)
    assert found["copies"] == 1
    assert sum(found["pairs"]) >= 1
    assert {len(costs) for costs in found["costs"].values()} == {len(found["sigmas"])}
    K = RBF(0.5 / found["sigmas"][4] ** 2)
    Z = np.vstack([X, X[:1]])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    assert found["costs"]["kta"][4] == pytest.approx(-kernel_target_alignment(K(Z), np.append(y, y[0])))
    assert set(local_optima.STARTS) == set(found["starts"])


def test_the_quotient_of_derivatives_is_that_of_differences():
    def derivative(square, sigma, h=1e-6):
        return (np.exp(-square / (2 * (sigma + h) ** 2)) - np.exp(-square / (2 * (sigma - h) ** 2))) / (2 * h)

    for sigma in (0.5, 1.0, 2.0):
        expected = derivative(3.0, sigma) / derivative(2.0, sigma)
        assert quotient_of_derivatives(2.0, 3.0, sigma) == pytest.approx(expected, rel=1e-6)


def test_labels_of_the_closest_pair_in_halves_by_hand():
    # Rows 0 and 1 are the closest, and of two classes; rows 2 and 3 come next, and are of one.
    X = np.array([[0.0], [0.1], [5.0], [5.2], [9.0], [14.0]])
    y = np.array([0, 1, 1, 1, 0, 0])
    found = of_halves(X, y, 400)
    rng, expected = np.random.default_rng(0), []
    for _ in range(400):
        half = sorted(rng.permutation(6)[:3])
        pairs = [(abs(X[i, 0] - X[j, 0]), y[i] != y[j]) for i in half for j in half if i < j]
        expected.append(min(pairs)[1])
    assert found["different labels %"] == pytest.approx(100 * np.mean(expected))
    assert found["neighbour error %"] == pytest.approx(100 * 3 / 6)


def test_minima_inside_and_at_both_ends():
    valleys = Valleys.of(np.array([1.0, 2.0, 0.5, 3.0, 3.5, 2.0]))
    assert valleys.indices.tolist() == [0, 2, 5]
    assert valleys.at_first.tolist() == [True, False, False]
    assert valleys.at_last.tolist() == [False, False, True]
    assert valleys.is_lowest.tolist() == [False, True, False]
    assert [valleys.reached_from(k) for k in range(6)] == [0, 0, 1, 1, 1, 2]
    assert valleys.n_inside == 1


def test_a_level_part_at_an_end_is_a_minimum_only_if_the_curve_rises_from_it():
    rising = Valleys.of(np.array([1.0, 1.0, 1.0, 2.0, 3.0]))
    assert (rising.at_first.tolist(), rising.n_inside) == ([True], 0)
    falling = Valleys.of(np.array([1.0, 1.0, 1.0, 0.5, 3.0]))
    assert falling.indices.tolist() == [3]
    assert not falling.at_first.any()


def test_rounding_makes_no_minimum():
    x = np.linspace(-1, 1, 41)
    noise = 1e-7 * np.random.default_rng(0).normal(size=41)
    assert Valleys.of(1 + x**2 + noise).n_inside == 1
    level = Valleys.of(1 + noise)
    assert level.at_first.tolist() == level.at_last.tolist() == [True]


@pytest.mark.parametrize("seed", range(20))
def test_descents_by_brute_force(seed):
    costs = np.random.default_rng(seed).normal(size=30)
    valleys = Valleys.of(costs)
    padded = np.concatenate([[np.inf], costs, [np.inf]])
    expected = [k for k in range(30) if padded[k + 1] < min(padded[k], padded[k + 2])]
    assert valleys.indices.tolist() == expected
    for start in range(30):
        k = start
        steps = [j for j in (k - 1, k + 1) if 0 <= j < 30 and costs[j] < costs[k]]
        if len(steps) == 2:
            continue  # a peak, from which both ways lead down
        while steps:
            k = min(steps, key=lambda j: costs[j])
            steps = [j for j in (k - 1, k + 1) if 0 <= j < 30 and costs[j] < costs[k]]
        assert valleys.indices[valleys.reached_from(start)] == k
