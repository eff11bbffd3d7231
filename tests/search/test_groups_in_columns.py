"""Columns that name groups of rows, each with one target."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from kernelwise import TunedSVC, TunedSVR, diagnose
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.search.verdict.leaks import column_findings, group_columns

NAME = "groups in several folds"
rng = np.random.default_rng(0)
N_PATIENTS, N_ROWS = 15, 10
PATIENT = np.repeat(np.arange(N_PATIENTS), N_ROWS)
Y = np.random.default_rng(1).permutation(np.arange(N_PATIENTS) % 2)[PATIENT]
X = rng.normal(size=(N_PATIENTS, 4))[PATIENT] + 0.05 * rng.normal(size=(150, 4))
WORDS = np.array([f"p{k:02d}" for k in PATIENT], dtype=object)
NOISE = rng.normal(size=150)


def names_of(findings):
    return [finding.name for finding in findings]


@pytest.mark.parametrize(
    ("column", "is_group"),
    [
        (PATIENT, True),
        (PATIENT[rng.permutation(150)], False),  # does not determine the target
        (1000.0 - 7 * PATIENT, True),
        (np.arange(150) // 2, True),  # 75 of two rows each: by chance, half of them would be mixed
        (np.arange(150), False),  # nothing repeats
        (Y, False),  # a copy of the target
        (2.0 * Y - 1.0, False),
        (NOISE + 50.0 * Y, False),
        (PATIENT + 0.5, False),  # no codes
        (PATIENT % 2 + 2 * Y, False),  # four values, two of each class
    ],
)
def test_values_that_repeat_and_determine_the_classes(column, is_group):
    assert group_columns(np.column_stack([NOISE, column]), Y, is_classes=True) == [1] * is_group


def test_one_row_in_a_hundred_may_be_wrong():
    y = Y.copy()
    y[0] = 1 - y[0]
    assert group_columns(PATIENT[:, None] * 1.0, y, is_classes=True) == [0]
    y[[10, 20]] = 1 - y[[10, 20]]
    assert group_columns(PATIENT[:, None] * 1.0, y, is_classes=True) == []


def test_pairs_that_agree_by_chance_are_no_groups():
    """With 3 % of the rows in one class, most pairs of rows are of the same one."""
    y = (np.arange(200) < 6).astype(int)
    assert group_columns(np.arange(200)[:, None] // 2.0, y, is_classes=True) == []


def test_groups_with_one_number_each():
    y = rng.normal(size=N_PATIENTS)[PATIENT]
    columns = np.column_stack([PATIENT, NOISE])
    assert group_columns(columns, y, is_classes=False) == [0]
    assert group_columns(columns, y + 0.01 * NOISE, is_classes=False) == []
    # A number that rises with the target is the target in other words.
    found = column_findings(columns, np.exp(PATIENT / 5.0), ["a", "b"], is_classes=False)
    assert names_of(found) == ["target in a column"]


def test_only_repeated_values_in_more_rows_than_the_first_look():
    y = np.random.default_rng(2).integers(0, 2, 2000)
    column = np.random.default_rng(3).permutation(np.repeat(np.arange(2000), 3))
    assert group_columns(column[:, None] * 1.0, y[column], is_classes=True) == [0]
    assert group_columns(column[:, None] * 1.0, np.arange(6000) % 2, is_classes=True) == []


@pytest.mark.parametrize("column", [WORDS, PATIENT])
def test_the_advice_is_to_keep_groups_together(column):
    frame = pd.DataFrame(X).assign(patient=column).rename(columns=str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)
        model = TunedSVC("rbf").fit(frame, Y)
        grouped = TunedSVC("rbf").fit(frame, Y, groups=PATIENT)
        crossed = TunedSVC("rbf").fit(frame, Y, groups=np.arange(150) % 5)
    for findings in (model.diagnostics_, diagnose(frame, Y), crossed.diagnostics_):
        (finding,) = (one for one in findings if one.name == NAME)
        assert finding.severity == "warning"
        assert finding.message.startswith("'patient' has values that repeat and determine the target")
        assert "pass it to fit as groups" in finding.advice
        assert "--group patient" in finding.option
    names = [names_of(one.diagnostics_) for one in (model, grouped, crossed)]
    assert all("target in a column" not in found for found in names)
    assert NAME not in names[1]


def test_a_regression_is_told_as_well():
    frame = pd.DataFrame(X).assign(patient=WORDS).rename(columns=str)
    y = rng.normal(size=N_PATIENTS)[PATIENT]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)
        assert NAME in names_of(TunedSVR("rbf").fit(frame, y).diagnostics_)
        assert NAME in names_of(diagnose(frame, y, task="regression"))


def test_a_copy_of_the_target_in_words_is_a_leak():
    frame = pd.DataFrame(X).assign(answer=np.array(["no", "yes"], dtype=object)[Y]).rename(columns=str)
    names = names_of(diagnose(frame, Y))
    assert "target in a column" in names
    assert NAME not in names
