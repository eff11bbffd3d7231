"""Dates and words of many kinds stay if they help on held-out rows; and dates in turn are no row numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process.kernels import RBF

from kernelwise import TunedSVC
from kernelwise.tables import judge_columns, learn_encoding, read_table, to_table
from kernelwise.tables.judge import SHRINKAGES, _losses
from kernelwise.tables.settle import counts_rows

N = 150
RANDOM = np.random.default_rng(4)
DAYS = pd.Timestamp("2021-03-01") + pd.to_timedelta(RANDOM.permutation(2000)[:N], unit="D")
SIZE = RANDOM.normal(size=N).round(3)
CODES = [f"{'abcdefg'[k % 7]}{k}" for k in RANDOM.integers(0, 90, N)]
SEASON = np.cos(DAYS.month.to_numpy() / 6 * np.pi)
IS_LARGE = np.where(SIZE > 0.0, "yes", "no")


def raw(**columns):
    return to_table(pd.DataFrame({"size": SIZE, **columns}), "from_dtype", "TunedSVC")


@pytest.mark.parametrize("column", [{"day": DAYS}, {"code": CODES}])
def test_what_does_not_help_is_left_out_and_told(column):
    table = raw(**column)
    judged = judge_columns(table, IS_LARGE, True)
    assert list(judged.left_out) == [1]
    (name,) = column
    told = judged.done[-1]
    assert str(told).startswith(
        f"1 column was left out, because held-out rows are predicted better without it: '{name}'."
    )
    assert told.for_command_line().endswith(f"name it with --use, as in --use {name}.")
    assert judge_columns(table, IS_LARGE, True, kept=[1]).left_out == {}
    few = np.arange(60)
    assert judge_columns(table[few], IS_LARGE[few], True).left_out == {}


def test_what_helps_stays():
    is_warm = np.where((DAYS.month > 4) & (DAYS.month < 10), "warm", "cold")
    assert judge_columns(raw(day=DAYS), is_warm, True).left_out == {}
    assert judge_columns(raw(day=DAYS), SEASON + SIZE, False).left_out == {}


def test_of_two_columns_that_say_the_same_one_stays():
    table = raw(day=DAYS, later=DAYS + pd.Timedelta(days=3))
    judged = judge_columns(table, SEASON, False)
    assert len(judged.left_out) < 2


def test_a_file_leaves_out_what_a_frame_does_unless_it_is_used(tmp_path):
    frame = pd.DataFrame({"size": SIZE, "day": DAYS, "large": IS_LARGE})
    frame.to_csv(tmp_path / "raw.csv", index=False)
    table = read_table(tmp_path / "raw.csv")
    assert learn_encoding(table, target="large").encoding.feature_names == ["size"]
    used = learn_encoding(table, target="large", use=["day"])
    assert "day month" in used.encoding.feature_names


@pytest.mark.parametrize("is_classes", [True, False])
def test_losses_are_those_of_training_without_each_row(is_classes):
    """Brute force, a machine for each row, on numbers and words that weigh alike."""
    towns = RANDOM.choice(["Ulm", "Bonn", "Kiel"], 40)
    y = np.where(SIZE[:40] > 0.3, "a", "b") if is_classes else SIZE[:40] * 2.0 + 1.0
    table = to_table(pd.DataFrame({"size": SIZE[40:80], "town": towns}), "from_dtype", "TunedSVC")
    words = np.stack([towns == town for town in ("Bonn", "Kiel", "Ulm")], axis=1)
    Z = np.column_stack([SIZE[40:80] / SIZE[40:80].std(), words / np.sqrt(words.var(axis=0).sum())])
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=-1)
    K = RBF(np.sqrt(np.median(squared) / 8.0))(Z) + 1.0  # width 4
    truth = (
        2.0 * (y[:, None] == np.array(["a", "b"])) - 1.0
        if is_classes
        else ((y - y.mean()) / y.std())[:, None]
    )
    expected = []
    for shrinkage in SHRINKAGES:
        errors = []
        for k in range(40):
            rest = np.arange(40) != k
            weights = np.linalg.solve(K[np.ix_(rest, rest)] + shrinkage * np.eye(39), truth[rest])
            errors.append(np.mean((truth[k] - K[k, rest] @ weights) ** 2))
        expected.append(errors)
    best = min(expected, key=np.mean)
    assert_allclose(_losses(table, y, is_classes, 4.0), best, rtol=1e-6)


def test_a_rare_class_does_not_keep_text_from_being_judged():
    is_woman = RANDOM.random(200) < 0.5
    names = [f"{'Mrs.' if woman else 'Mr.'} Berg number {k}" for k, woman in enumerate(is_woman)]
    frame = pd.DataFrame({"name": names, "size": RANDOM.normal(size=200)})
    y = np.where(is_woman, "w", "m")
    y[0] = "other"
    judged = judge_columns(to_table(frame, "from_dtype", "TunedSVC"), y, True)
    assert judged.as_text == {0}


@pytest.mark.parametrize(
    ("name", "why"),
    [("rownames", "numbers the rows"), ("index", "numbers the rows"), ("price index", ""), ("id", "")],
)
def test_a_part_of_a_table_has_row_numbers_with_gaps(name, why):
    numbers = np.sort(RANDOM.permutation(10 * N)[:N]).astype(float)
    table = to_table(
        pd.DataFrame({name: numbers.astype(int), "town": ["Ulm", None] * (N // 2)}), "from_dtype", ""
    )
    assert counts_rows(table, 0) == why
    assert counts_rows(table[RANDOM.permutation(N)], 0) == ""


def test_dates_in_turn_are_no_row_numbers():
    days = pd.date_range("2021-01-01", periods=N)
    frame = pd.DataFrame({"day": days, "day_of_year": np.arange(N) + 1, "count": np.arange(N) * 2 + 1.5})
    y = np.where(days.month % 2 == 0, "even", "odd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, y)
    assert "row numbers" not in [finding.name for finding in model.diagnostics_]


def test_one_cell_is_no_time_of_the_day(tmp_path):
    times = [f"{k % 12 + 8}:{k % 50 + 10}" for k in range(N)]
    times[3] = "9.12"
    pd.DataFrame({"at": times, "size": SIZE, "large": IS_LARGE}).to_csv(tmp_path / "raw.csv", index=False)
    learned = learn_encoding(read_table(tmp_path / "raw.csv"), target="large", use=["at"])
    assert "Column 'at' has 1 cell that is no time of the day" in " ".join(learned.preparation)
