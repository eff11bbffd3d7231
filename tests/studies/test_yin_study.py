"""The study of paper 004."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from tests.studies.test_numbers import STUDIES, read

from kernelwise.datasets import make_two_gaussians
from kernelwise.selection import yin_curves, yin_grid_search
from kernelwise.studies import yin
from kernelwise.studies.claims import VERDICTS, judge
from kernelwise.studies.tables import NoRow, grouped
from kernelwise.studies.yin import over_sigma, repeated, rules


def test_yin_has_a_row_for_each_method(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", {"ilpd": (X[50:], y[50:])}.get)
    study = run("yin", "table2")
    found = rows(study, "table2")
    assert [row["method"] for row in found] == ["esdr", "dbtc", "j4", "grid search"] * 2
    assert [row["paper's"] for row in found[:4]] == [0.7219, 0.6649, 0.6079, 0.7237]
    assert all(found[3]["accuracy"] >= row["accuracy"] for row in found[:4])
    p = found[0]["accuracy"]
    assert found[0]["± s.e."] == pytest.approx(np.sqrt(p * (1 - p) / 100))
    assert {row["larger class"] for row in found} == {0.5}
    assert {row["folds"] for row in found} == {"the paper's", "copies together"}
    for row in found:
        n_right = row["right, larger class"] + row["right, smaller class"]
        assert n_right == round(row["accuracy"] * 100)
        assert row["copies among these"] <= row["copies among the right"] <= n_right
    assert {row["p against ESDR"] for row in found if row["method"] == "esdr"} == {1.0}
    assert study.sentences == []  # of a quick run


def test_the_best_of_the_curves_is_that_of_the_grid_search():
    X, y = make_two_gaussians(80, bayes_error=0.1, random_state=1)
    settings = {"sigmas": [0.1, 0.5, 1.0, 4.0], "Cs": [0.5, 4.0, 32.0], "cv": 5}
    curves = yin_curves(X, y, **settings)
    found = yin.best_of_grid(
        {**{name: getattr(curves, name) for name in ("sigmas", "Cs", "accuracies")}, "seconds": 1.0}
    )
    expected = yin_grid_search(X, y, **settings)
    assert 2.0 ** found["log2 sigma"] == pytest.approx(expected.sigma)
    assert 2.0 ** found["log2 C"] == pytest.approx(expected.C)
    assert (found["accuracy"], found["at smallest C"]) == (expected.cv_accuracy, expected.accuracies[0])


def test_an_end_of_C_is_no_end_of_sigma():
    X, y = make_two_gaussians(80, bayes_error=0.01, random_state=0)
    settings = {"sigmas": [0.1, 1.0, 30.0], "Cs": [1.0, 4.0], "cv": 5}
    inside, at_end = (yin.cell(method, X, y, settings) for method in ("dbtc", "esdr"))
    assert inside["log2 C"] == 0.0  # the smallest
    assert (inside["log2 sigma"], inside["σ is at"]) == (0.0, "a maximum")
    assert at_end["σ is at"] == "boundary"


def test_printed_accuracies_below_the_larger_class_are_said():
    row = {"data": "toy", "folds": "the paper's", "method": "j4", "accuracy": 0.71}
    row |= {"at smallest C": 0.7, "larger class": 0.7}
    (sentence,) = yin.below_sentences([{**row, "paper's": 0.6}, {**row, "paper's": 0.7}])
    assert "0.6000 is below the share of the larger class, 0.7000" in sentence


def test_tic_tac_toe_comes_in_two_codes(monkeypatch):
    board = np.array([[1.0, -1.0, 0.0]]), np.array([1])
    monkeypatch.setattr(yin, "load_or_say", {"tic_tac_toe": board}.get)
    assert yin.load_set("tic_tac_toe")[0].tolist() == [[1.0, -1.0, 0.0]]
    assert yin.load_set("tic_tac_toe_xob")[0].tolist() == [[1.0, 2.0, 3.0]]
    assert yin.load_set("ilpd") is None


@pytest.mark.slow
def test_yin_draws_figures_2_to_9_and_judges_the_claims(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", {"banknote": (X[50:], y[50:])}.get)
    monkeypatch.setattr(yin, "WIDE", ((1, 3), (2, 3)))
    study = run("yin")
    assert list(study.figures) == ["figures4to7", "figure8", "figure2", "figure3", "figure9"]
    assert len(study.figures["figure2"].panels) == len(study.figures["figure3"].panels) == 25
    assert [panel.title for panel in study.figures["figures4to7"].panels] == [
        f"banknote: figure {k}" for k in (4, 5, 6, 7)
    ]
    wide = [row for row in rows(study, "figure3") if row["row"] == row["column"] == 3][-1]
    # In input space: E‖x − y‖² = 2·2 + 2 between the classes, 2·2 within.
    assert wide["esdr"] == pytest.approx(6 / 4, rel=1e-4)
    first = study.figures["figure2"].panels[1].lines[1]
    # Image (1, 2): class 2 has the mean (1, 1) and the standard deviation exp(−1).
    assert np.hypot(first.x[0] - 1, first.y[0] - 1) == pytest.approx(np.exp(-1))
    assert "claims" not in study.tables  # of a quick run
    judged = judge(yin.CLAIMS, {name: table.rows for name, table in study.tables.items()})
    found = {row["claim"]: row["verdict"] for row in judged}
    assert set(found.values()) <= set(VERDICTS)
    assert next(found[said] for said in found if said.startswith("DBTC takes account")) == "does not hold"


def test_rank_correlations_are_spearmans():
    rows = [
        {"data": "toy", "folds": "the paper's", "esdr": float(k), "dbtc": -float(k), "j4": 1.0}
        | {"cv accuracy": 0.5 + k**2 / 100, "± s.e.": 0.05, "larger class": 0.5, "signal": True}
        for k in range(5)
    ]
    esdr, dbtc, j4 = over_sigma.follow_rows(rows)
    assert (esdr["rank correlation"], dbtc["rank correlation"]) == (pytest.approx(1), pytest.approx(-1))
    assert j4["rank correlation"] is None
    assert (esdr["opposite steps"], dbtc["opposite steps"], j4["opposite steps"]) == (0, 1, 0)
    assert (esdr["largest value"], esdr["best accuracy"]) == (4.0, pytest.approx(0.66))
    assert (esdr["signal"], esdr["widths"]) == (True, 5)


@pytest.mark.parametrize(("best", "signal"), [(0.5, False), (0.6, False), (0.69, False), (0.7, True)])
def test_a_set_has_a_signal_if_its_best_accuracy_is_significantly_above_the_larger_class(best, signal):
    # 60 of 100 rows are of the larger class; 69 are 1.95 standard errors above it, 70 are 2.18.
    curves = {"sigmas": [1.0, 2.0], "accuracies": [[0.5, 0.4], [best, 0.5]]}
    criteria = {name: [1.0, 2.0] for name in yin.CRITERIA}
    labels = {"toy": np.repeat([1, 2], [60, 40])}
    found = over_sigma.curve_rows({("toy", "the paper's"): curves | {"criteria": criteria}}, labels)
    assert [row["signal"] for row in found] == [signal] * 2


def follows_of(data, largest, best, *, signal=True):
    """A row of how ESDR follows the accuracy on a set."""
    return {"data": data, "folds": "the paper's", "criterion": "esdr", "signal": signal} | {
        "largest value": largest,
        "best accuracy": best,
        "± s.e.": 0.01,
    }


@pytest.mark.parametrize(
    ("accuracies", "n_blind", "verdict", "on_all"),
    [
        ((0.9, 0.8, 0.7, 0.6), 0, "holds", []),
        ((0.9, 0.8, 0.7, 0.69), 0, "holds in part", []),
        ((0.9, 0.8, 0.6, 0.7), 0, "does not hold", []),
        ((0.9, 0.8), 0, "cannot be judged", []),  # one of two orders
        ((0.8, 0.9), 0, "does not hold", []),
        ((0.9, 0.8, 0.7, 0.6), 2, "cannot be judged", ["holds"]),
        ((0.9, 0.8, 0.6, 0.7), 2, "cannot be judged", ["does not hold"]),
    ],
)
def test_an_order_of_few_sets_is_not_judged(accuracies, n_blind, verdict, on_all):
    n_seen = len(accuracies) - n_blind
    rows = [follows_of(f"set {k}", 9.0 - k, best, signal=k < n_seen) for k, best in enumerate(accuracies)]
    judged = rules.maxima(follows=rows)
    assert judged.verdict == verdict
    assert [one["verdict"] for one in judged.values["on_all"]] == on_all
    assert [row["data"] for row in judged.values["blind"]] == [f"set {k}" for k in range(n_seen, len(rows))]
    assert judged.values["orders"] == {2: 2, 4: 24}[n_seen]


def chosen_of(data, accuracies, *, signal=True):
    """The four methods on a set, with p = 0.01 for every difference from ESDR."""
    return [
        {"data": data, "folds": "the paper's", "method": method, "accuracy": accuracy, "signal": signal}
        | {"log2 sigma": 10.0 * accuracy, "CPU seconds": 10.0 if method == "grid search" else 1.0}
        | {"p against ESDR": 1.0 if accuracy == accuracies[0] else 0.01, "paper's": 0.5, "larger class": 0.5}
        for method, accuracy in zip(yin.METHODS, accuracies, strict=True)
    ]


def test_a_set_without_a_signal_makes_no_verdict_and_the_one_on_all_sets_is_beside_it():
    good = chosen_of("vertebral_2c", (0.9, 0.8, 0.7, 0.9)) + chosen_of("tic_tac_toe", (0.9, 0.8, 0.7, 0.9))
    blind = chosen_of("ilpd", (0.5, 0.6, 0.6, 0.8), signal=False)
    for rule in (rules.more_accurate, rules.against_grid):
        alone, beside = rule(table2=good), rule(table2=good + blind)
        assert alone.verdict == beside.verdict == "holds"
        assert alone.values["on_all"] == alone.values["blind"] == []
        assert beside.values["blind"] == [{"data": "ilpd"}]
        assert [one["verdict"] for one in beside.values["on_all"]] == ["holds in part"]
    rows = judge(yin.CLAIMS, {"table2": good + blind})
    told = next(row["our result"] for row in rows if "than DBTC-CV" in row["claim"])
    assert told.endswith("Without a signal: ilpd; on all sets it holds in part")
    # A claim that names a set without a signal cannot hold in whole, and holds nowhere by such a set alone.
    assert rules.numerators(table2=good).verdict == "holds"
    assert rules.numerators(table2=good + blind).verdict == "holds in part"
    with pytest.raises(NoRow, match="has a signal"):
        rules.more_accurate(table2=blind)


def test_signals_of_the_page_follow_from_its_accuracies():
    curves, follows = (read(STUDIES / f"yin_{name}.csv") for name in ("curves", "follows"))
    assert over_sigma.follow_rows(curves) == follows
    by_set = {(row["data"], row["folds"]): row["signal"] for row in follows}
    for (data, folds), rows in grouped(curves, "data", "folds").items():
        best = max(rows, key=lambda row: row["cv accuracy"])
        gain = best["cv accuracy"] - best["larger class"]
        assert by_set[data, folds] == (gain > 1.96 * best["± s.e."])
        assert {row["signal"] for row in rows} == {by_set[data, folds]}
    for row in read(STUDIES / "yin_table2.csv"):
        assert row["signal"] == by_set[row["data"], row["folds"]]
    without = {data for (data, folds), signal in by_set.items() if not signal}
    assert without == {"planning_relax", "ilpd"}


def test_the_power_of_C_is_the_slope_of_the_logarithms():
    Cs = 2.0 ** np.arange(20)
    found = {
        s: {"Cs": Cs, "accuracies": np.where(Cs >= 4.0**s, np.where(Cs >= 16.0**s, 1.0, 0.98), 0.5)}
        for s in (1, 2, 3)
    }
    rows = over_sigma.wide_rows(found)
    assert [row["C for 0.978"] for row in rows] == [2.0, 4.0, 6.0]
    assert over_sigma.slope(rows, "C for 0.978") == pytest.approx(2)
    assert over_sigma.slope(rows, "C for 0.999") == pytest.approx(4)
    assert over_sigma.slope([{"log2 sigma": 1, "C": None}], "C") is None


def test_limits_are_those_of_a_double_loop():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 3)), np.arange(30) % 3 == 0
    found = over_sigma.limit_rows("toy", X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    D = cdist(Z, Z) ** 2
    within = 1 / 3 * D[np.ix_(y, y)].mean() + 2 / 3 * D[np.ix_(~y, ~y)].mean()
    assert found["original space"] == pytest.approx(D[np.ix_(y, ~y)].mean() / within)
    assert found["relative difference at σ = 2^9"] < 1e-4
    assert found["at σ = 2^-12"] == pytest.approx(30 / 28) == found["n/(n − 2)"]
    assert found["repeated rows"] == 0


def test_mixed_classes_have_n_over_n_minus_two(monkeypatch):
    monkeypatch.setattr(over_sigma, "SIZES", (10, 30))
    for row in over_sigma.mixed_rows(60):
        assert row["ESDR"] == pytest.approx(row["n/(n − 2)"], abs=0.02)
        assert row["without self-pairs"] == pytest.approx(1, abs=0.02)
    (claimed,) = judge(yin.CLAIMS, {"mixed": over_sigma.mixed_rows(3)})
    assert claimed["verdict"] != "holds"


def copied_rows():
    """Noise with eleven copies, four of them in the smaller class: nothing else can be learned."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(60, 4)), np.repeat([1, 2], [42, 18])
    X[42:44], X[0:7] = X[44:46], X[7:14]
    return X, y


def test_folds_keep_copies_together():
    X, y = copied_rows()
    group = repeated.groups_of(X)
    assert repeated.n_repeated(X) == 9
    seen = []
    for train, test in repeated.CopiesTogether(5).split(X, y):
        assert not set(group[train]) & set(group[test])
        seen += test.tolist()
    assert sorted(seen) == list(range(60))
    assert not repeated.seen_before(X, y, repeated.CopiesTogether(5)).any()


def test_a_narrow_machine_knows_the_larger_class_and_copies():
    X, y = copied_rows()
    right = repeated.right_rows(X, y, 2.0**-8, 1.0, yin.CS, 10)
    counts = repeated.right_counts(right, X, y, 10)
    assert counts["right, larger class"] == 42
    assert counts["right, smaller class"] == counts["copies among these"] > 0
    curves = yin_curves(X, y, sigmas=[2.0**-8], Cs=yin.CS)
    assert right.mean() == curves.accuracies[0][list(yin.CS).index(1.0)]
    together = repeated.right_rows(X, y, 2.0**-8, 1.0, yin.CS, repeated.CopiesTogether(10))
    assert together.sum() == 42


def test_a_memory_of_copies_is_that_of_a_loop():
    X, y = copied_rows()
    X[3] = X[50]  # a copy of the other class
    expected = []
    for draw in range(5):
        n_right = 0
        for train, test in StratifiedKFold(10, shuffle=True, random_state=draw).split(X, y):
            for i in test:
                known = {int(y[j]) for j in train if (X[j] == X[i]).all()}
                n_right += (known.pop() if len(known) == 1 else 1) == y[i]
        expected.append(n_right)
    found = repeated.remembered(X, y, 5)
    assert found == expected
    (row,) = repeated.memory_rows("toy", X, y, {"esdr": 44 / 60, "j4": 44 / 60}, found)
    assert (row["printed for"], row["right answers"], row["beyond it"]) == ("esdr, j4", 44, 2)
    assert row["as many %"] == 100 * np.mean(np.array(expected) == 44)


def test_the_printed_accuracies_of_two_sets_are_what_a_memory_of_copies_has():
    found = {(row["data"], row["printed"]): row for row in read(STUDIES / "yin_copies.csv")}
    planning = found["planning_relax", 0.7363]
    assert (planning["right answers"], planning["larger class"], planning["most"]) == (134, 130, 134)
    assert planning["as many %"] > 80
    for printed, n_right in ((0.7219, 418), (0.7237, 419)):
        ilpd = found["ilpd", printed]
        assert (ilpd["right answers"], ilpd["larger class"], ilpd["most"]) == (n_right, 414, 420)
