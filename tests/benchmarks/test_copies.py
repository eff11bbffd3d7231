"""The tables of the benchmark of copies."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.copies import MOST_ROWS, TABLES, print_small, small_tables


def write(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    number, word = rng.normal(size=40).round(3), np.array(["red", "blue"])[np.arange(40) % 2]
    write(tmp_path / "words.csv", "a,b,class", zip(number, word, np.arange(40) // 20, strict=True))
    write(tmp_path / "target.csv", "a,b", zip(number, rng.normal(size=40), strict=True))
    many = range(MOST_ROWS + 1)
    write(tmp_path / "many.csv", "a,class", ((k % 7, k % 2) for k in many))
    return tmp_path


def test_small_tables_have_classes_and_few_rows(folder, capsys):
    [(name, (X, y))] = small_tables([folder])
    assert name == "words"
    assert X.shape[0] == 40
    assert X.shape[1] >= 2
    assert np.unique(y).size == 2
    assert "target is left out" in capsys.readouterr().out


def test_what_a_journal_has_is_not_run_again(folder, capsys):
    done = {}
    print_small([folder], np.array([0.1]), np.array([1.0]), done)
    n, _, spent = done["words"]
    assert n == 40
    assert spent > 0.0
    done["words"][2] = 123.0
    print_small([folder], np.array([0.1]), np.array([1.0]), done)
    assert done["words"][2] == 123.0
    assert "123.00 CPU s" in capsys.readouterr().out


def test_car_without_its_file_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("KERNELWISE_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"has car_evaluation\.csv"):
        TABLES["car"]()
