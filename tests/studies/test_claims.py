"""The tables of claims: their numbers are those of the CSV files beside them."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from tests.studies.test_numbers import STUDIES, read

from kernelwise.studies import glasmachers
from kernelwise.studies.claims import VERDICTS
from kernelwise.studies.glasmachers.claims import quotient_of_derivatives
from kernelwise.studies.glasmachers.local_optima import of_halves
from kernelwise.studies.laanaya.plain_start import protocol_sentences

CLAIMS = {
    name: import_module(f"kernelwise.studies.{name}.claims").claims
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
    assert list(CLAIMS[name](tables_of(name))) == expected
    assert {row["verdict"] for row in expected} <= set(VERDICTS)


@pytest.mark.parametrize("name", CLAIMS)
def test_without_tables_hardly_anything_is_said(name):
    assert len(list(CLAIMS[name]({}))) <= 1


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
    verdicts = {row["where"]: row["verdict"] for row in glasmachers.claims.claims({"theorems": rows})}
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
