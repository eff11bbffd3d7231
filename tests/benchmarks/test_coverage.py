"""The benchmark of intervals and sets, on the smallest of its sets and on its own arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import coverage


def test_there_are_twenty_sets_of_each_kind():
    assert len(coverage.REGRESSIONS) == len(coverage.CLASSIFICATIONS) == 20


def test_tenths_are_in_the_order_of_a_number():
    hit = np.arange(100) < 30
    assert coverage.by_tenth(hit, -np.arange(100)).tolist() == [0.0] * 7 + [1.0] * 3


def test_chance_allows_less_where_there_are_few_rows():
    assert coverage.allowed(0.9, 100, 100) < coverage.allowed(0.9, 1000, 100) < 0.9


def test_the_same_machine_predicts_what_the_tuned_one_does():
    X, y, new, _ = coverage.split(coverage.REGRESSIONS["even noise, 100 rows"], 0)
    model = coverage.TunedSVR("rbf", tol=1e-6).fit(X, y)
    again = coverage.same_machine(model).fit(X, y)
    np.testing.assert_allclose(again.predict(new), model.predict(new), atol=2e-3)


@pytest.mark.slow
def test_it_prints_a_line_for_every_split(capsys, monkeypatch):
    monkeypatch.setattr(coverage, "RIVALS", {"MAPIE": coverage.mapie_intervals})
    coverage.main(["--sets", "even noise, 100 rows", "overlap", "--repeats", "2", "--only-sets"])
    out = capsys.readouterr().out
    assert out.count("even noise, 100 rows") == 2
    assert out.count("overlap") == 2
    assert out.count("less than chance allows") == 2
    assert "MAPIE: width over ours" in out
