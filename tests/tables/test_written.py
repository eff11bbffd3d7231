"""Numbers and dates as people write them."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import numpy as np
import pytest

from kernelwise.tables.dates import DAY_FIRST, MONTH_FIRST, TIME_OF_DAY, Dates, find_order, read_moment
from kernelwise.tables.written import find_writing

NAN = float("nan")


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["3,504", "1,200", "900"], [3504, 1200, 900]),
        (["3.504,00", "12,5"], [3504, 12.5]),
        (["1.234.567", "2.000"], [1234567, 2000]),
        (["1 234,5", "2\u00a0000,0", "3\u202f000"], [1234.5, 2000, 3000]),
        (["1'234.50", "3’000"], [1234.5, 3000]),
        (["1,00,000", "2,50,000"], [100000, 250000]),
        (["$11,808.48", "($5.00)", "7", "-$3"], [11808.48, -5, 7, -3]),
        (["€ 1.234,56", "10,5€"], [1234.56, 10.5]),
        (["43.3%", "5 %", "7"], [0.433, 0.05, NAN]),
        (["5 mg", "7.5 mg"], [5, 7.5]),
        (["12-", "−5", "+3", "1e5"], [-12, -5, 3, 100000]),
        (["2", "3", "5more", "<5", "n/a"], [2, 3, NAN, NAN, NAN]),
        (["$5", "$6", "€7", "8"], [5, 6, 7, 8]),
        (["50 m2", "7,5 m2"], [50, 7.5]),
        (["2 kg/m^3", "3 kg/m^3"], [2, 3]),
        (["True", "false", "TRUE"], [1, 0, 1]),
    ],
)
def test_numbers(cells, numbers):
    way = find_writing(Counter(cells))
    np.testing.assert_array_equal([way.number(cell) for cell in cells], numbers)


@pytest.mark.parametrize(
    "cells", [["Q1", "Q2"], ["5-7", "8-9"], ["12:30"], ["007", "010"], ["C85"], ["2024-01-05"]]
)
def test_what_is_no_number(cells):
    assert find_writing(Counter(cells)) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-31", (2024, 1, 31)),
        ("2024/1/3", (2024, 1, 3)),
        ("2024-01", (2024, 1, 1)),
        ("2024-01-31T12:30:05Z", (2024, 1, 31, 12, 30, 5)),
        ("2024-01-31 12:30:05.25+02:00", (2024, 1, 31, 10, 30, 5)),
        ("2024-01-31 23:30 -0130", (2024, 2, 1, 1, 0)),
        ("31.01.2024", (2024, 1, 31)),
        ("31-01-99", (1999, 1, 31)),
        ("31 Jan 2024", (2024, 1, 31)),
        ("31-Jan-24", (2024, 1, 31)),
        ("3rd March 2024", (2024, 3, 3)),
        ("Jan 31, 2024 4:05 PM", (2024, 1, 31, 16, 5)),
        ("Wednesday, 31 January 2024", (2024, 1, 31)),
        ("5. März 2024", (2024, 3, 5)),
        ("Okt 2024", (2024, 10, 1)),
        ("12/25/2024", None),
        ("31.02.2024", None),
        ("31 Foo 2024", None),
        ("7", None),
        ("2024-01-31 13:05 PM", None),
    ],
)
def test_dates(text, moment):
    assert read_moment(text, DAY_FIRST) == (None if moment is None else datetime(*moment))


def test_the_order_of_day_and_month():
    assert find_order(["1/2/2024", "13/2/2024"]) == DAY_FIRST
    assert find_order(["1/2/2024", "1/13/2024"]) == MONTH_FIRST
    assert find_order(["1.2.2024", "2.2.2024"]) == DAY_FIRST
    assert find_order(["01/02/2024", "02/02/2024", "03/02/2024", "01/03/2024"]) == DAY_FIRST  # they rise
    assert find_order(["01/02/2024", "02/01/2024", "02/03/2024", "03/01/2024"]) == MONTH_FIRST
    assert find_order(["7:30", "12:45"]) == TIME_OF_DAY
    assert find_order(["a", "b"]) is None


def test_the_features_of_dates():
    days = np.array(["2023-12-31", "2024-01-01T06:00", "2024-07-01T12:00", "NaT"], dtype="datetime64[s]")
    column = Dates.learn("d", days, np.ones(4), True, False)
    names = [name for _, name in column.features]
    X = dict(zip(names, column.transform(days).T, strict=True))
    assert X["d year"][:3].tolist() == [2023, 2024, 2024]
    assert X["d month"][:3].tolist() == [12, 1, 7]
    assert X["d weekday"][:3].tolist() == [7, 1, 1]
    assert X["d hour"][:3].tolist() == [0, 6, 12]
    assert X["d days"][:3].tolist() == [0, 1.25, 183.5]
    angle = 2.0 * np.pi * np.array([364, 0, 182]) / 365.2425
    np.testing.assert_allclose(X["d season (sin)"][:3], np.sin(angle))
    np.testing.assert_allclose(X["d season (cos)"][:3], np.cos(angle))
    assert X["d missing"].tolist() == [0, 0, 0, 1]
    assert [X[name][3] for name in names[:-1]] == [X[name][1] for name in names[:-1]]  # the median
