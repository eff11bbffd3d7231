"""The benchmark of losses on sets of scikit-learn."""

from __future__ import annotations

import pytest

from benchmarks import losses


def test_paths_have_a_line_for_each_method(capsys, monkeypatch):
    monkeypatch.setattr(losses, "N_CS", 3)
    losses.main(["paths", "--sets", "breast_cancer", "--rows", "80"])
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[3:]]
    assert len(rows) == 7
    errors = {row[2]: float(row[4].rstrip(" |")) for row in rows}
    assert errors["kernelwise, tol 1e-3"] < 1e-3
    assert errors["kernelwise, tol 1e-7"] < 1e-6


@pytest.mark.slow
def test_models_have_a_line_for_each_set_their_mean_and_the_gains(capsys):
    losses.main(["models", "--sets", "wine", "breast_cancer", "--rows", "60"])
    _, _, wine, cancer, mean, *gains = capsys.readouterr().out.splitlines()
    accuracies = [float(line.split()[5]) for line in (wine, cancer)]
    assert abs(float(mean.split()[4]) - sum(accuracies) / 2) < 0.11  # all are rounded
    assert [line.split(":")[0] for line in gains] == ["squared_hinge less hinge", "logistic less hinge"]
