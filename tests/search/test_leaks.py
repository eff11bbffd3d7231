"""Columns that leak the target, and test rows that are training rows."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from kernelwise import TunedSVC
from kernelwise.exceptions import TrustWarning
from kernelwise.search.verdict.leaks import (
    column_findings,
    copies_finding,
    fewest_wrong,
    identifiers,
    tell_tales,
)

N = 200
rng = np.random.default_rng(0)
ROWS = np.arange(N)
Y = (ROWS >= N // 2).astype(int)
NOISE = rng.normal(size=N)


def wrong_side(n):
    """Added to 50 Y, it takes n rows of the first class to the second."""
    return np.where(n > ROWS, 50.0, 0.0)


@pytest.mark.parametrize(
    ("column", "numbers", "identifies"),
    [
        (ROWS, True, False),
        (1000.0 + ROWS[::-1], True, False),
        (rng.permutation(N) + 5, True, False),
        (np.cumsum(rng.integers(1, 9, N)), True, False),  # a time
        (np.sort(NOISE), False, False),  # a table that is sorted by a measurement
        (1e19 * NOISE, False, False),  # all large floats are whole
        (rng.permutation(10**6)[:N] * 1.0, False, True),
        (np.random.default_rng(1).integers(10**15, 10**16, N) * 1.0, False, True),  # barcodes
        (np.random.default_rng(1).integers(10**18, 10**19, N, np.uint64) * 1.0, False, True),
        (1.7e18 + np.random.default_rng(1).integers(0, 10**4, N) * 1e14, False, False),  # 1.7xxxe18 per litre
        (1e17 * NOISE, False, False),
        (NOISE, False, False),
        (ROWS % 100, False, False),
        (np.where(ROWS == 3, 4, ROWS), False, False),
        (np.full(N, 7.0), False, False),
    ],
)
def test_row_numbers_and_identifiers(column, numbers, identifies):
    assert identifiers(np.column_stack([NOISE, column])) == ([1] * numbers, [1] * identifies)


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        (NOISE + 100.0 * Y, 0),  # an interval for each class
        (np.array([3.0, -1.0])[Y], 0),
        (rng.integers(0, 10, N) * 2.0 + Y, 0),  # 20 values, each of one class
        (1e30 * NOISE + 1e40 * Y, 0),  # beyond single precision
        (NOISE + 3.0 * Y, None),  # they overlap
        (wrong_side(2) + NOISE + 50.0 * Y, 2),  # two of 200 rows are on the wrong side
        (np.round(wrong_side(2) + NOISE + 50.0 * Y), 2),  # and have one of a few values
        (wrong_side(3) + NOISE + 50.0 * Y, None),
        (np.round(wrong_side(3) + NOISE + 50.0 * Y), None),
        (rng.permutation(N) * 1.0, None),  # every value belongs to one class, as any identifier's does
        (np.zeros(N), None),
    ],
)
def test_a_column_that_tells_the_classes(column, wrong):
    found = tell_tales(np.column_stack([NOISE, column]), Y, is_classes=True)
    assert found == ({} if wrong is None else {1: wrong})


def test_the_rows_of_a_rare_class_must_not_all_be_wrong():
    """A constant column is right in 99 of 100 rows, too, if one class has as many."""
    y = (np.arange(3000) < 30).astype(int)
    column = rng.normal(size=3000) + 100.0 * y
    assert tell_tales(column[:, None], y, is_classes=True) == {0: 0}
    column[:2] = 0.0
    assert tell_tales(column[:, None], y, is_classes=True) == {}


@pytest.mark.parametrize("seed", range(30))
def test_intervals_that_get_fewest_rows_wrong_are_found_by_trying_all(seed):
    rng = np.random.default_rng(seed)
    n_values, n_labels, n_intervals = rng.integers(1, 7), rng.integers(2, 4), int(rng.integers(1, 4))
    table = rng.integers(0, 3, size=(n_values, n_labels)) * (rng.random((n_values, n_labels)) < 0.6)
    table[:, 0] += table.sum(axis=1) == 0
    cuts = chain.from_iterable(combinations(range(1, n_values), k) for k in range(n_intervals))
    parts = (np.split(table, list(cut)) for cut in cuts)
    wrong = [sum(int(part.sum() - part.sum(axis=0).max()) for part in one) for one in parts]
    assert fewest_wrong(table, n_intervals) == min(wrong)


def test_what_is_nearly_told_is_said():
    column = wrong_side(2) + NOISE + 50.0 * Y
    (finding,) = column_findings(np.column_stack([NOISE, column]), Y, ["a", "'code'"], is_classes=True)
    assert finding.message == "'code' determines the target of 99 in 100 rows without any other column."
    assert finding.severity == "warning"
    assert finding.for_command_line().endswith("leave the column out (--ignore code).")


def test_a_few_rows_of_a_class_are_no_evidence():
    y = (ROWS < 5).astype(int)
    assert tell_tales((NOISE + 100.0 * y)[:, None], y, is_classes=True) == {}


def test_a_column_that_tells_a_number():
    y = rng.normal(size=N)
    X = np.column_stack([np.exp(y), y + 0.2 * NOISE, NOISE])
    assert tell_tales(X, y, is_classes=False) == {0: 0}


def test_more_rows_than_the_first_look():
    """What is true of the first thousand rows only is not said."""
    y = np.arange(5000) % 2
    column = 100.0 * y + rng.normal(size=5000)
    assert tell_tales(column[:, None], y, is_classes=True) == {0: 0}
    column[4201:4300] = 100.0 * (1 - y[4201:4300])
    assert tell_tales(column[:, None], y, is_classes=True) == {}
    numbers = np.arange(5000.0)
    numbers[4001:] = numbers[4001]
    assert identifiers(numbers[:, None]) == ([], [])


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_wine, load_digits])
def test_nothing_is_found_in_real_tables(load):
    X, y = load(return_X_y=True)
    assert column_findings(X, y, list(range(X.shape[1])), is_classes=True) == []


def test_nothing_is_found_in_a_real_regression():
    X, y = load_diabetes(return_X_y=True)
    assert column_findings(X, y, list(range(X.shape[1])), is_classes=False) == []


def test_few_rows_and_sparse_matrices_are_not_looked_at():
    X = np.column_stack([ROWS, NOISE])
    assert column_findings(X[:20], Y[:20], ["a", "b"], is_classes=True) == []
    assert column_findings(sparse.csr_array(X), Y, ["a", "b"], is_classes=True) == []


def test_the_model_names_the_column_and_the_option():
    frame = pd.DataFrame({"visit": ROWS * ROWS, "size": NOISE, "barcode": rng.permutation(10**6)[:N]})
    with pytest.warns(TrustWarning, match="'visit' numbers the rows"):
        model = TunedSVC().fit(frame, Y)
    found = {finding.name: finding for finding in model.diagnostics_}
    assert found["row numbers"].for_command_line().endswith("leave the column out (--ignore visit).")
    assert "'barcode' has a different whole number in every row" in found["identifiers"].message
    assert found["identifiers"].severity == "info"  # votes and prices differ as well
    assert "--ignore" not in found["identifiers"].for_command_line()
    with pytest.warns(TrustWarning, match="Column 0 numbers the rows"):
        TunedSVC().fit(frame.to_numpy(), Y)


def test_several_columns_are_one_subject():
    table = np.column_stack([Y, Y, Y]).astype(float)
    (two,) = column_findings(table[:, :2], Y, ["column 0", "column 1"], is_classes=True)
    assert two.message == "Column 0 and column 1 each determine the target without any other column."
    (three,) = column_findings(table, Y, ["a", "b", "c"], is_classes=True)
    assert three.message.startswith("A, b and c each determine")


def test_copies():
    assert copies_finding(0, 10) == []
    assert copies_finding(1, 10)[0].message.startswith("1 of the 10 test rows is also in the training data")
    assert copies_finding(10, 10)[0].message.startswith("All 10 test rows are")
