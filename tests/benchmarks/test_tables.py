"""benchmarks.tables: small runs on tables that the test writes."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import tables


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one raw table of 90 rows, which is the only one of the benchmark."""
    random = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(random.permutation(700)[:90], unit="D")
    town = random.choice(["Ulm", "Bonn", None], 90)
    warm = np.where((days.month > 3) & (days.month < 10), "yes", "no").astype(object)
    warm[:2] = None
    frame = pd.DataFrame({"nr": np.arange(90), "day": days, "town": town, "warm": warm})
    frame.to_csv(tmp_path / "small.csv", index=False)
    small = tables.Raw(tables.of_folder, "small", "warm", ("nr",), ("day",), index=True)
    monkeypatch.setattr(tables, "TABLES", {"small": small, "gone": small._replace(called="gone")})
    monkeypatch.setattr(tables, "DATES_AND_TEXT", {"small": (("day",), ())})
    return tmp_path


def test_a_row_of_the_command_beside_the_table_made_by_hand(folder, capsys):
    tables.main(["--tables", str(folder), "--folds", "2"])
    head, _, row, missing, last = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert [cells[name] for name in ("exit", "left out", "rows left out")] == ["0", "2", "2"]
    assert float(cells["command"]) > 0.8
    assert float(cells["by hand"]) > 0.8
    assert missing == (
        f"Not there, so that its tables are left out: the folder of --tables ({folder}) (1 tables)."
    )
    assert last == "1 of 1 tables have a model."


def test_what_is_made_by_hand(folder):
    frame = tables.read("small", folder)
    made = tables.by_hand(frame, tables.TABLES["small"])
    assert set(made) == {"day year", "day month", "day day", "town=Bonn", "town=Ulm", "town missing"}
    assert made["day month"].tolist() == pd.to_datetime(frame["day"]).dt.month.tolist()
    assert not made.isna().any().any()


def test_dates_help_on_the_same_folds(folder, capsys):
    tables.main(["--tables", str(folder), "--dates-and-text"])
    head, _, row = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert float(cells["gain"]) > 0.2
