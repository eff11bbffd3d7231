"""Time, memory and quality by the number of rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import sizes


@pytest.mark.parametrize("task", list(sizes.METHODS))
def test_every_task_has_seconds_memory_and_a_score(task, monkeypatch):
    monkeypatch.setattr(sizes, "N_NEW", 200)
    found = sizes.one(task, next(iter(sizes.METHODS[task])), 120, n_jobs=1)
    assert found["cpu"] > 0.0
    assert found["mb"] > 0.0
    assert found["score"] <= 1.0
    assert ("log_loss" in found) == (task == "classes")


def test_finished_cells_are_kept_and_growth_is_told(monkeypatch, tmp_path, capsys):
    asked = []

    def measured(task, name, n_rows, n_jobs=1):
        asked.append(n_rows)
        return {
            "cpu": (n_rows / 100) ** 2,
            "wall": 1.0,
            "fit_mb": 1.0,
            "mb": 2.0,
            "score": 0.5,
            "predict": 0.1,
        }

    monkeypatch.setattr(sizes, "in_process", measured)
    kept = tmp_path / "sizes.json"
    sizes.table("numbers", [100, 200], kept)
    assert "| 200 | TunedSVR() | 4.00 (n^2.0) | 1.00 | 1 | 2 | 0.5000 |  | 0.10 |" in capsys.readouterr().out
    assert len(json.loads(kept.read_text())) == 4
    n_asked = len(asked)
    sizes.table("numbers", [100, 200], kept)
    assert len(asked) == n_asked


def test_the_default_stands_beside_boosting_in_a_row_for_each_size(capsys):
    found = {"cpu": 0.5, "mb": 240.0, "score": 0.625, "log_loss": 0.25, "predict": 0.1}
    names = ("TunedSVC()", 'TunedSVC("rbf")', "boosting")
    sizes.beside_boosting([{"method": name, "rows": n, **found} for n in (200, 1000) for name in names])
    *_, first, last = capsys.readouterr().out.splitlines()
    assert first == "| 200 | 0.50 s | 0.24 GB | 62.5 %, 0.250 | 0.10 s | 0.50 s | 62.5 %, 0.250 |"
    assert last.startswith("| 1000 |")


def test_real_tables_have_an_official_test_part_or_a_quarter_of_the_rows(monkeypatch, capsys):
    tables = {name: (np.arange(n)[:, None], np.arange(n) % 2) for name, n in (("a", 40), ("b", 12))}
    monkeypatch.setattr(sizes, "coded_tables", lambda *names: [tables[name] for name in names])
    monkeypatch.setattr(sizes, "REAL", {"with": ("a", "b"), "without": ("a",)})
    assert [len(part) for part in sizes.parts("classes", "with")] == [40, 12, 40, 12]
    assert [len(part) for part in sizes.parts("classes", "without")] == [30, 10, 30, 10]
    found = {"cpu": 1.0, "fit_mb": 2.0, "score": 0.5, "log_loss": 0.25, "predict": 0.1}
    monkeypatch.setattr(sizes, "in_process", lambda *asked: found)
    sizes.real_tables(["with"])
    assert "| with | 1.0 | 2 | 50.00 % | 0.2500 | 0.10 |" in capsys.readouterr().out
