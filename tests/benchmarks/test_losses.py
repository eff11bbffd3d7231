"""The benchmark of losses on sets of scikit-learn."""

from __future__ import annotations

from benchmarks import losses


def test_paths_have_a_line_for_each_method(capsys, monkeypatch):
    monkeypatch.setattr(losses, "N_CS", 3)
    losses.main(["paths", "--sets", "breast_cancer", "--rows", "80"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    errors = {line[20:54].strip(): float(line.split()[-1]) for line in lines[1:]}
    assert errors["kernelwise, tol 1e-3"] < 1e-3
    assert errors["kernelwise, tol 1e-7"] < 1e-6


def test_models_have_a_line_for_each_set_and_their_mean(capsys):
    losses.main(["models", "--sets", "wine", "--rows", "60"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("wine")
    assert [float(number) for number in lines[1].split()[3:5]] == [float(x) for x in lines[2].split()[1:3]]
    assert [line.split(":")[0] for line in lines[3:]] == ["squared_hinge less hinge", "logistic less hinge"]
