"""The tables of claims: their numbers are those of the CSV files beside them."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files

import pytest
from tests.studies.test_numbers import STUDIES, read

from kernelwise.studies import study as shared
from kernelwise.studies.claims import VERDICTS, Claim, Range, add_claims, counted, filled, found, judge
from kernelwise.studies.study import Study
from kernelwise.studies.tables import NoRow, keyed
from kernelwise.studies.writing import write

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


def test_a_claim_that_fails_is_said_to_fail():
    rows = [
        {"criterion": name, "as it says": 9, "sets": 10}
        for name in ("radius-margin", "polarization", "kta", "centered-kta", "dbtc", "esdr", "j4")
    ]
    verdicts = {row["where"]: row["verdict"] for row in judge(CLAIMS["glasmachers"], {"theorems": rows})}
    assert verdicts["theorem 2"] == verdicts["theorem 3"] == "does not hold"


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


def test_claims_come_first_on_the_page_and_read_as_lines(tmp_path):
    said = []
    study = Study("toy", "A toy", say=said.append)
    study.table("numbers", "Numbers", [{"data": "iris", "rate": 1.0}])
    claim = Claim("It works", "section 4", lambda numbers: found(True, rows=numbers), "[rows, {data} {rate}]")
    add_claims([claim], study)
    page = write(study, tmp_path)[0].read_text(encoding="utf-8")
    assert page.index("It works") < page.index("Numbers")
    assert "| claim | where | our result | verdict | why |\n| --- | --- | --- | --- | --- |" in page
    assert "- It works; section 4; iris 1.0; holds." in said[-1]
    add_claims([claim], Study("toy", "A toy", say=said.append))
    assert "none of these was made" in said[-1]


@pytest.mark.parametrize("name", ["abe", "glasmachers", "yin", "beyond"])
def test_missing_files_are_said_and_left_out(run, monkeypatch, capsys, name):
    def missing(name, part=None):
        raise FileNotFoundError(f"Data set {name!r} needs a file.")

    monkeypatch.setattr(shared, "load", missing)
    parts = {"glasmachers": ["optima"], "yin": ["table1", "table2", "curves", "wide", "claims"]}.get(name, [])
    study = run(name, *parts)
    assert (study.tables, study.figures, study.sentences) == ({}, {}, [])
    first, *others = capsys.readouterr().err.splitlines()
    assert "is left out. Data set" in first
    assert all(line.endswith(" is left out, too: its file was not found either.") for line in others)
    assert len({line.partition(" ")[0] for line in (first, *others)}) == len(others) + 1
