"""The tables of claims: their numbers are those of the CSV files beside them."""

from __future__ import annotations

import pytest
from tests.studies.test_numbers import STUDIES, read

from kernelwise.studies import _glasmachers_claims, _laanaya_claims
from kernelwise.studies._laanaya_protocol import protocol_sentences
from kernelwise.studies._study import Study, Table

CLAIMS = {"glasmachers": _glasmachers_claims.claims, "laanaya": _laanaya_claims.claims}


def study_of(name):
    """A study with the tables that the documents have."""
    tables = {path.stem.removeprefix(f"{name}_"): read(path) for path in STUDIES.glob(f"{name}_*.csv")}
    tables.pop("claims")
    return Study(name, "", tables={key: Table("", rows) for key, rows in tables.items()})


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_of_the_page_follow_from_its_tables(name):
    assert list(CLAIMS[name](study_of(name))) == read(STUDIES / f"{name}_claims.csv")


@pytest.mark.parametrize("name", CLAIMS)
def test_without_tables_only_what_needs_none_is_said(name):
    found = list(CLAIMS[name](Study(name, "")))
    assert all(set(row) == {"claim", "where", "our result", "verdict"} for row in found)
    assert len(found) < len(read(STUDIES / f"{name}_claims.csv"))


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
    study = Study("glasmachers", "", tables={"theorems": Table("", rows)})
    verdicts = {row["where"]: row["verdict"] for row in _glasmachers_claims.claims(study)}
    assert verdicts["theorem 2"] == verdicts["theorem 3"] == "does not hold"
