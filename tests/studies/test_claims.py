"""The tables of claims: their numbers are those of the CSV files beside them."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files

import numpy as np
import pytest
from tests.studies.test_numbers import STUDIES, read

from kernelwise.studies.claims import VERDICTS, Claim, Range, counted, filled, found, judge
from kernelwise.studies.glasmachers.local_optima import of_halves
from kernelwise.studies.glasmachers.rules import quotient_of_derivatives
from kernelwise.studies.laanaya.plain_start import protocol_sentences
from kernelwise.studies.tables import NoRow, keyed

CLAIMS = {
    name: import_module(f"kernelwise.studies.{name}").CLAIMS
    for name in ("abe", "ayat", "glasmachers", "laanaya", "yin")
}


def tables_of(name):
    """The tables of the page of a study, but for the claims."""
    found = {path.stem.removeprefix(f"{name}_"): read(path) for path in STUDIES.glob(f"{name}_*.csv")}
    found.pop("claims")
    return found


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_of_the_page_follow_from_its_tables(name):
    expected = [{**row, "why": row["why"] or ""} for row in read(STUDIES / f"{name}_claims.csv")]
    assert judge(CLAIMS[name], tables_of(name)) == expected
    assert {row["verdict"] for row in expected} <= set(VERDICTS)


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_are_said_once_and_lines_are_short(name):
    assert len({claim.said for claim in CLAIMS[name]}) == len(CLAIMS[name])
    assert all(claim.where and claim.ours for claim in CLAIMS[name])
    text = files(f"kernelwise.studies.{name}").joinpath("claims.toml").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("name", CLAIMS)
def test_without_tables_hardly_anything_is_said(name):
    assert len(judge(CLAIMS[name], {})) <= 1


def test_sentences_on_the_protocol_have_its_numbers():
    page = (STUDIES / "laanaya.md").read_text(encoding="utf-8")
    sentences = list(protocol_sentences(read(STUDIES / "laanaya_protocol.csv")))
    assert len(sentences) == 5
    assert all(sentence in page for sentence in sentences)


def test_thirty_partitions_of_every_set_by_both_protocols():
    rows = read(STUDIES / "laanaya_protocol.csv")
    assert {row["trials"] for row in rows} == {30}
    for data in ("heart_statlog", "breast_cancer_wisconsin", "breast_cancer_libsvm_scaled", "weston"):
        for protocol in ("the paper's", "training points"):
            found = {row["method"] for row in rows if (row["data"], row["chosen by"]) == (data, protocol)}
            assert found >= {"SVM", "algorithm 1", "conjugate gradients"}


def test_a_claim_that_fails_is_said_to_fail():
    rows = [
        {"criterion": name, "as it says": 9, "sets": 10}
        for name in ("radius-margin", "polarization", "kta", "centered-kta", "dbtc", "esdr", "j4")
    ]
    verdicts = {row["where"]: row["verdict"] for row in judge(CLAIMS["glasmachers"], {"theorems": rows})}
    assert verdicts["theorem 2"] == verdicts["theorem 3"] == "does not hold"


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


# -- claims as data ---------------------------------------------------------------------------------------


def test_a_claim_has_one_of_four_verdicts():
    assert [found(*so).verdict for so in ((True,), (False, True), (False,), (None,))] == list(VERDICTS)


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [([True, True], "holds"), ([True, True, False], "holds in part"), ([True, False], "does not hold")],
)
def test_cases_are_counted(cases, verdict):
    judged = counted(cases, unit="sets")
    assert judged.verdict == verdict
    text = filled("{n_so} of {n_all} {unit}, not {n_not}", judged.values)
    assert text == f"{sum(cases)} of {len(cases)} sets, not {len(cases) - sum(cases)}"
    assert counted(cases, in_part=0.0).verdict != "does not hold"


def test_holes_are_filled_by_values_rows_and_ranges():
    rows = [{"data": "iris", "± s.e.": 0.5}, {"data": "wine", "± s.e.": 0.25}]
    values = {"worst": 1 / 3, "rows": rows, "none": [], "all": Range.of([3, 15, 7])}
    assert filled("{worst:.2f}: [rows, {data} ± {± s.e.:.1f}]", values) == "0.33: iris ± 0.5, wine ± 0.2"
    assert filled("[rows; {data}], [rows and {data}]", values) == "iris; wine, iris and wine"
    assert filled("[none, {data}|nowhere], {all:.0f} in [0, 1]", values) == "nowhere, 3 to 15 in [0, 1]"
    sentence = "It is{all}.[{rows}? On [{rows}, {{data}}], to {{worst:.1f}}]"
    assert filled(sentence.format(all=" so", rows="rows"), values) == "It is so.On iris, wine, to 0.3"
    assert filled(sentence.format(all=" so", rows="none"), values) == "It is so."


def test_a_rule_takes_tables_by_name_and_judges_nothing_without_them():
    def rule(main, other=()):
        return found(keyed(main, "data")["iris"]["rate"] > 90.0, n_other=len(other), rate=main[0]["rate"])

    claim = Claim("It works", "section 4", rule, "{rate:.1f} beside {n_other}", "Because of {rate}")
    main = [{"data": "iris", "rate": 95.0}]
    assert claim.judge({"main": main, "other": main, "third": []}) == {
        "claim": "It works",
        "where": "section 4",
        "our result": "95.0 beside 1",
        "verdict": "holds",
        "why": "Because of 95.0",
    }
    changed = claim.judge({"main": [{"data": "iris", "rate": 85.0}]})
    assert (changed["verdict"], changed["our result"]) == ("does not hold", "85.0 beside 0")
    assert judge([claim], {"other": main}) == judge([claim], {"main": [{"data": "wine", "rate": 9.0}]}) == []
    with pytest.raises(NoRow, match="There is no row for 'iris'"):
        rule([])
    with pytest.raises(NoRow, match="no cases"):
        counted([])
