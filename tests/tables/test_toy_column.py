"""A kind of column of thirty lines, dates, which files, data frames, estimators and model files then know."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kernelwise import TunedSVC, load
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.tables import COLUMN_KINDS, Column, TableError, learn_encoding, read_table
from kernelwise.tables.new_rows import EVERY_KIND


@dataclass(frozen=True)
class Dates(Column):
    """Days since 1970, and the day of the week as a word."""

    dtype = "M"
    noun = "date"

    @classmethod
    def read(cls, cells):
        days = [None if cell is None or cell != cell else str(cell)[:10] for cell in cells]
        try:
            return np.array([day and date.fromisoformat(day) for day in days], dtype="datetime64[D]")
        except ValueError:
            return None

    @classmethod
    def learn(cls, name, column, weight, is_text, fills_gaps):
        gaps = np.isnat(column)
        return cls(name, has_gaps=bool(gaps.any()), fill=float(np.median(column[~gaps].astype(float))))

    @property
    def features(self):
        gap = [("gap", f"{self.name} missing")] if self.has_gaps else []
        return (("number", f"{self.name} (days)"), *gap, ("word", f"{self.name} on a Sunday"))

    def transform(self, column):
        gaps, days = np.isnat(column), column.astype(float)
        is_sunday = ~gaps & (days % 7 == 3)  # 1970 began on a Thursday
        gap = [gaps] if self.has_gaps else []
        return np.stack([np.where(gaps, self.fill, days), *gap, is_sunday], axis=1).astype(float)


@pytest.fixture(autouse=True)
def entry(monkeypatch):
    """The one entry."""
    monkeypatch.setitem(COLUMN_KINDS, "M", Dates)


DAYS = [f"2024-0{1 + k // 28}-{k % 28 + 1:02}" for k in range(56)]
SUNDAY = [date.fromisoformat(day).isoweekday() == 7 for day in DAYS]
LABELS = ["out" if is_sunday or k > 40 else "in" for k, is_sunday in enumerate(SUNDAY)]


def frame(days):
    return pd.DataFrame({"town": ["Ulm", "Bonn"] * 28, "day": days})


def test_a_file_has_the_new_kind_of_column(tmp_path):
    lines = [f"{day},{k % 5},{label}" for k, (day, label) in enumerate(zip(DAYS, LABELS, strict=True))]
    lines[3] = f",1,{LABELS[3]}"
    (tmp_path / "train.csv").write_text("\n".join(["day,size,play", *lines]))
    table = read_table(tmp_path / "train.csv")
    encoding = learn_encoding(table).encoding
    assert encoding.feature_names == ["day (days)", "size", "day missing", "day on a Sunday"]
    X = encoding.samples(table)
    assert_array_equal(X[:4, 0], [19723, 19724, 19725, encoding.columns[0].fill])
    assert_array_equal(X[:, 2], np.arange(56) == 3)
    assert_array_equal(X[:, 3], SUNDAY)
    (tmp_path / "new.csv").write_text("size,day\n1,2024-03-01\n2,\n")
    assert_array_equal(encoding.samples(read_table(tmp_path / "new.csv"))[:, 0], [19783, X[3, 0]])
    (tmp_path / "odd.csv").write_text("size,day\n1,2024-03-01\n2,someday\n")
    notes = []
    assert encoding.samples(read_table(tmp_path / "odd.csv"), notes=notes)[1, 0] == X[3, 0]
    assert notes == ["Column 'day': 1 cell has no date (first 'someday' in line 3) and counts as missing."]
    (tmp_path / "full.csv").write_text("\n".join(["day,size,play", *lines[:3], *lines[4:]]))
    encoding = learn_encoding(read_table(tmp_path / "full.csv")).encoding
    with pytest.raises(TableError, match=r"line 3, column 'day': expected a date, found 'someday'\. Correct"):
        encoding.samples(read_table(tmp_path / "odd.csv"), EVERY_KIND)


@pytest.mark.parametrize("kind", [str, date.fromisoformat, datetime.fromisoformat])
def test_an_estimator_learns_from_the_new_kind_of_column_and_is_saved(tmp_path, kind):
    X = frame([kind(day) for day in DAYS])
    model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(X, LABELS)
    assert model.encoder_.feature_names == ["day (days)", "town=Bonn", "town=Ulm", "day on a Sunday"]
    assert model.score(X, LABELS) > 0.9
    model.save(tmp_path / "model.kw")
    again = load(tmp_path / "model.kw")
    assert again.encoder_ == model.encoder_
    assert_array_equal(again.predict_proba(frame(DAYS)), model.predict_proba(X))
    with pytest.warns(
        KernelwiseWarning, match="1 cell has no date .first 'someday' in row 1. and counts as the"
    ):
        model.predict(frame([DAYS[0], "someday", *DAYS[2:]]))
    with pytest.raises(IncompatibleError, match="no step for dates, but column 'day' holds some"):
        model.to_sklearn()


def test_the_toy_is_small():
    lines = Path(__file__).read_text().partition("@dataclass")[2].partition("@pytest.fixture")[0]
    assert lines.count("\n") <= 40
