"""The whole command on tiny data: every job, every system, processes included."""

import json
from importlib.util import find_spec

import pytest
from benchmarks.__main__ import main
from benchmarks.harness import run_system
from benchmarks.systems import SYSTEMS
from benchmarks.worker import INSTALL

from benchmarks import data

MODULES = {"intelex": "sklearnex", "libsvm_official": "libsvm", "liquidsvm": "liquidSVM"}


@pytest.mark.parametrize("job", ["cpath", "grid", "fit", "predict"])
def test_the_command_prints_and_writes_a_row_for_each_system(job, tmp_path, capsys):
    out = tmp_path / "rows.json"
    systems = "kernelwise,scikit_learn"
    main([job, "--data", "tiny", "--quick", "--repeat", "1", "--systems", systems, "--json", str(out)])
    first, second = json.loads(out.read_text())
    assert (first["system"], second["system"]) == ("scikit_learn", "kernelwise")
    assert first["ratio"] == 1
    assert first["CPU s"] > 0
    assert first["data"] == "tiny (80 x 20, 2)"
    if second["ratio"] is None:  # the part of kernelwise that does this job is missing
        assert "kernelwise" in second["agreement"]
    else:
        assert "100.00% equal" in second["agreement"] or "worst fold 0" in second["agreement"]
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize("system", MODULES)
def test_a_peer_agrees_or_is_skipped_with_a_word(system):
    run = run_system("cpath", "tiny", system, quick=True)
    if find_spec(MODULES[system]):  # looks without importing: liquidSVM needs help with that
        assert run.note == ""
        assert run.answer.shape[0] == 5
    else:
        assert run.note == INSTALL


def test_a_job_that_a_system_does_not_do_is_said():
    run = run_system("grid", "tiny", "libsvm_official", quick=True)
    assert run.note in ("has no grid", INSTALL)


def test_an_unknown_system_is_refused_with_the_choices(capsys):
    with pytest.raises(SystemExit):
        main(["fit", "--systems", "svmlight"])
    assert f"unknown system 'svmlight'; choose from {', '.join(SYSTEMS)}" in capsys.readouterr().err


def test_a_missing_file_skips_the_data_set(monkeypatch, capsys):
    def missing():
        raise FileNotFoundError("no such file")

    monkeypatch.setitem(data.TABLES, "banknote", missing)
    main(["cpath", "--data", "banknote"])
    assert "banknote: skipped, no such file" in capsys.readouterr().out
