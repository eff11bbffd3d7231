"""Findings of a report: none repeats what the user has done already."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import TunedSVC
from kernelwise.reports import report_data


@pytest.fixture(scope="module")
def rare():
    """One class in twelve, and the two closest rows are of different classes."""
    random = np.random.default_rng(0)
    y = np.where(np.arange(120) < 10, "rare", "usual")
    X = random.normal(size=(120, 3)) + 1.5 * (y == "rare")[:, None]
    X[0] = X[50] + 1e-4
    return X, y


def imbalance(rare, command=None, **options):
    model = TunedSVC(Cs=[1.0], cv=3, **options).fit(*rare)
    return next(f for f in report_data(model, *rare, command=command).findings if f.name == "imbalance")


def test_advice_that_was_followed_is_not_repeated(rare):
    plain = imbalance(rare)
    assert plain.severity == "warning"
    assert "class_weight='balanced'" in plain.advice
    done = imbalance(rare, class_weight="balanced", scoring="balanced_accuracy")
    assert done.severity == "info"
    assert "class_weight=" not in done.advice
    assert "scoring=" not in done.advice


def test_half_of_the_advice_leaves_the_other_half(rare):
    weighted = imbalance(rare, class_weight="balanced")
    assert weighted.severity == "warning"
    assert "scoring='balanced_accuracy'" in weighted.advice
    assert "class_weight=" not in weighted.advice
    scored = imbalance(rare, scoring="balanced_accuracy")
    assert "class_weight='balanced'" in scored.advice
    assert "scoring=" not in scored.advice


def test_advice_for_a_command_is_an_option_of_it(rare):
    assert (
        "--scoring balanced_accuracy"
        in imbalance(rare, "kernelwise tune a.csv", class_weight="balanced").advice
    )


def test_findings_about_criteria_are_notes_unless_one_decides(rare):
    def severities(**options):
        found = report_data(TunedSVC(Cs=[1.0], cv=3, **options).fit(*rare), *rare).findings
        return {finding.name: finding.severity for finding in found}

    assert severities()["closest-pair"] == "info"
    assert severities(criterion="kta")["closest-pair"] == "warning"


def test_the_most_serious_are_first(rare):
    found = [finding.severity for finding in report_data(TunedSVC(Cs=[1.0], cv=3).fit(*rare), *rare).findings]
    assert found == sorted(found, key=["error", "warning", "info"].index)
    assert len(set(found)) > 1
