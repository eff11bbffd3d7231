"""Findings of a report: none repeats what the user has done already."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelwise import TunedSVC, TunedSVR
from kernelwise.findings import Finding
from kernelwise.reports import report_data, write_report
from kernelwise.reports.findings import settled


@pytest.fixture(scope="module")
def rare():
    """One class in twelve, and the two closest rows are of different classes."""
    random = np.random.default_rng(0)
    y = np.where(np.arange(120) < 10, "rare", "usual")
    X = random.normal(size=(120, 3)) + 1.5 * (y == "rare")[:, None]
    X[0] = X[50] + 1e-4
    return X, y


def imbalance(rare, command=None, **options):
    model = TunedSVC("rbf", Cs=[1.0], cv=3, **options).fit(*rare)
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


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
def test_a_class_of_one_row_is_found_once(rare):
    X, y = rare
    y = np.where(np.arange(120) == 60, "alone", y)
    model = TunedSVC("rbf", Cs=[1.0], cv=3).fit(X, y)
    found = [finding for finding in report_data(model, X, y).findings if finding.name == "class of one row"]
    assert found == [finding for finding in model.diagnostics_ if finding.name == "class of one row"]
    assert len(found) == 1


def test_findings_about_criteria_are_notes_unless_one_decides(rare):
    def severities(**options):
        found = report_data(TunedSVC("rbf", Cs=[1.0], cv=3, **options).fit(*rare), *rare).findings
        return {finding.name: finding.severity for finding in found}

    assert severities()["closest-pair"] == "info"
    assert severities(criterion="kta")["closest-pair"] == "warning"


def test_the_most_serious_are_first(rare):
    found = [
        finding.severity
        for finding in report_data(TunedSVC("rbf", Cs=[1.0], cv=3).fit(*rare), *rare).findings
    ]
    assert found == sorted(found, key=["error", "warning", "info"].index)
    assert len(set(found)) > 1


def test_a_choice_that_other_rows_would_not_make_is_a_warning_near_guessing(rare):
    model = TunedSVC("rbf", Cs=[1.0], cv=3).fit(*rare)
    finding = Finding("unstable choice", "info", "Another split would choose differently.")
    answer = replace(report_data(model).answer, baseline_score=0.54, cv_error=0.03)
    for score, severity in ((0.60, "warning"), (0.70, "info")):
        (told,) = settled(model, [finding], replace(answer, cv_score=score))
        assert told.severity == severity
    (told,) = settled(model, [finding], replace(answer, baseline_score=None))
    assert told.severity == "info"


@pytest.mark.parametrize(
    ("options", "advised", "done"),
    [
        ({}, ("--class-weight balanced", "--scoring balanced_accuracy"), ()),
        ({"class_weight": "balanced"}, ("--scoring balanced_accuracy",), ("--class-weight",)),
        ({"scoring": "balanced_accuracy"}, ("--class-weight balanced",), ("--scoring",)),
        ({"class_weight": "balanced", "scoring": "balanced_accuracy"}, (), ("--class-weight", "--scoring")),
    ],
)
def test_advice_for_classes_never_predicted_is_what_was_not_done(rare, options, advised, done):
    model = TunedSVC("rbf", Cs=[1.0], cv=3, **options).fit(*rare)
    both = "To weight the classes equally, use --class-weight balanced --scoring balanced_accuracy."
    finding = Finding("classes never predicted", "warning", "Never 'rare'.", "", both)
    (told,) = settled(model, [finding], report_data(model).answer)
    assert all(option in told.option for option in advised)
    assert not any(option in told.option for option in done)


def test_a_regression_has_findings_about_its_rows(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = 10.0 * X[:, 0] + random.normal(size=60)
    X[1], y[1] = X[0], y[0] + 5.0
    y[7] = 10_000.0
    found = report_data(TunedSVR("rbf", Cs=[1.0], cv=3).fit(X, y), X, y, lines=np.arange(60) + 2).findings
    told = {finding.name: finding.message for finding in found}
    assert "10000 (line 9)" in told["outliers"]
    assert told["duplicates"].startswith("2 rows have the same features as another")


def test_labels_written_in_two_ways_come_before_everything_else():
    random = np.random.default_rng(0)
    y = np.array(["mild case", "severe"] * 30 + ["Mild case"] * 3)
    X = random.normal(size=(63, 2)) + (y == "severe")[:, None]
    first, *others = report_data(TunedSVC("rbf", Cs=[1.0], cv=3).fit(X, y), X, y).findings
    assert (first.name, first.severity) == ("labels written in two ways", "warning")
    assert first.message.startswith("'mild case' (30 rows) and 'Mild case' (3 rows) differ only in")
    assert first.name not in {one.name for one in others}


def test_the_head_tells_a_leak_in_a_full_sentence_and_counts_the_columns_of_the_file(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 50)
    X = np.column_stack([np.arange(100.0), random.normal(size=(100, 2))])
    model = TunedSVC("rbf", Cs=[1.0], cv=3).fit(X, y)
    path = tmp_path / "r.html"
    write_report(report_data(model, X, y, command="kernelwise tune a.csv", n_columns=2), path)
    head = path.read_text(encoding="utf-8").partition("</header>")[0]
    assert "Column 0 numbers the rows. New rows will have other numbers, so leave the column out (" in head
    assert (
        '(<span class="option">--ignore</span> &#34;column 0&#34;).' in head
    )  # no line ends inside --ignore
    assert head.count("determines the target") == 0
    assert "100 rows, 2 columns, coded as 3 features" in head
    assert "best of" not in head
