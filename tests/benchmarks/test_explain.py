"""The benchmark of explanations runs, and its machines are what it says."""

from __future__ import annotations

from benchmarks.explain import machine, main, rows
from numpy.testing import assert_allclose


def test_every_part_prints(capsys):
    main(["--quick"])
    out = capsys.readouterr().out
    assert "50 rows, 20 columns, 500 support vectors: " in out
    assert "| `explain`, exact |" in out
    assert "| 10 | 500 |" in out


def test_values_of_its_machines_add_up():
    model, X = machine(30, 7), rows(4, 7)
    total = model.values(X, None, 1).sum(axis=1) + model.absent(None)
    assert_allclose(total, model.plain.machine_values(X), atol=1e-9)
