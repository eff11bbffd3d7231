"""The whole command on tiny data, processes included, and every job within this process."""

import json
from importlib.util import find_spec

import pytest
from benchmarks.__main__ import main
from benchmarks.harness import Run, agreement
from benchmarks.jobs import make_task
from benchmarks.systems import DEFAULT, SYSTEMS
from benchmarks.worker import INSTALL, run
from sklearn.datasets import load_iris

from benchmarks import beside_rbf, cost, data, labels, noisy, quasi_newton, regression, worker
from kernelwise import SVC

PEERS = {"intelex": "sklearnex", "libsvm_official": "libsvm", "liquidsvm": "liquidSVM"}


@pytest.mark.slow
def test_the_command_prints_and_writes_a_row_for_each_system(tmp_path, capsys):
    out = tmp_path / "rows.json"
    main(["cpath", "--data", "tiny", "--quick", "--repeat", "1", "--json", str(out)])
    rows = {row["system"]: row for row in json.loads(out.read_text())}
    assert tuple(rows) == DEFAULT
    assert rows["scikit_learn"]["ratio"] == 1
    assert rows["scikit_learn"]["data"] == "tiny (80 x 20, 2)"
    for system, module in PEERS.items():
        if find_spec(module):  # looks without importing: liquidSVM needs help with that
            assert rows[system]["CPU s"] > 0
            assert "worst fold" in rows[system]["agreement"]
        else:
            assert rows[system]["agreement"] == INSTALL
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(DEFAULT)


@pytest.mark.slow
def test_an_interrupted_run_goes_on_with_the_sets_that_its_file_lacks(tmp_path, capsys):
    out = tmp_path / "rows.json"
    command = [
        "select",
        "--quick",
        "--repeat",
        "1",
        "--systems",
        "scikit_learn,kernelwise",
        "--json",
        str(out),
    ]
    main([*command, "--data", "tiny"])
    first = json.loads(out.read_text())
    assert "geometric mean" not in capsys.readouterr().out  # of one set there is none
    main([*command, "--data", "tiny", "tiny_wide", "--resume"])
    rows = json.loads(out.read_text())
    assert rows[:2] == first
    assert [row["data"].split()[0] for row in rows] == ["tiny"] * 2 + ["tiny_wide"] * 2
    *_, mean = capsys.readouterr().out.splitlines()
    expected = (rows[1]["ratio"] * rows[3]["ratio"]) ** 0.5
    assert mean == f"kernelwise: {expected:.1f}x in the geometric mean of 2 rows"
    with pytest.raises(SystemExit):
        main(["select", "--resume"])


def test_noisy_sets_have_a_row_for_each_width_that_is_asked_for(capsys, monkeypatch):
    assert len(set(noisy.MORE) - set(noisy.SETS)) == 20
    assert set(noisy.MORE) <= set(data.TABLES)
    seconds = iter([0.2, 0.5] * 4)
    monkeypatch.setattr(noisy, "timed", lambda job, task: (job(task), 0.0, next(seconds)))
    quickly = ["--quick", "--repeat", "1", "--systems"]
    noisy.main([*quickly, "kernelwise,scikit_learn", "--sets", "tiny", "tiny_plain"])
    head, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["set", "kernelwise", "scikit_learn", "ratio"]
    assert [row[0] for row in rows] == ["tiny_wide", "tiny", "tiny_narrow", "tiny"]
    assert [row[1:] for row in rows] == [["0.200", "0.500", "2.50"]] * 4
    noisy.main([*quickly, "kernelwise", "--gaps", "--sets", "tiny_wide"])
    _, (name, *gaps) = (line.split() for line in capsys.readouterr().out.splitlines())
    assert name == "tiny_wide"
    assert len(gaps) == len(noisy.GAP_CS)
    assert all(0 <= float(gap) < 0.1 for gap in gaps)


@pytest.mark.parametrize("job", ["cpath", "grid", "fit", "predict"])
def test_kernelwise_does_the_job_as_scikit_learn_does(job):
    task = make_task(job, "tiny", quick=True)
    reference, ours = (run(system, task, repeat=2) for system in ("scikit_learn", "kernelwise"))
    assert reference["runs"] == 2
    if "skipped" in ours:
        pytest.skip(ours["skipped"])
    words = agreement(task, Run("scikit_learn", **reference), Run("kernelwise", **ours))
    assert "100.00% equal" in words or words.startswith("worst fold 0 ")


def test_a_job_that_a_system_does_not_do_is_said():
    assert run("grid_search_cv", make_task("fit", "tiny", quick=True), 1) == {"skipped": "has no fit"}


def test_the_seconds_of_two_folds_of_ten_count_five_times(monkeypatch):
    monkeypatch.setattr(worker, "timed", lambda job, *arguments: (job(*arguments), 3.0, 2.0))
    task = make_task("select", "tiny", quick=True)
    assert run("grid_search_part", task, 1) == {"wall": 15.0, "cpu": 10.0, "runs": 1}
    assert run("scikit_learn", task, 1) == {"wall": 3.0, "cpu": 2.0, "runs": 1}


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


def test_the_parts_of_a_quasi_newton_step_are_printed(capsys):
    quasi_newton.main(["--quick"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(quasi_newton.STARTS) * (1 + len(quasi_newton.TOLS))
    assert all(part in lines[1] for part in ("SV", "free", "gram", "cold", "warm", "solve", "contraction"))


def test_regression_prints_a_line_for_each_set_and_method(capsys):
    regression.main(["--folds", "2", "--sets", "diabetes", "--no-grid"])
    lines = capsys.readouterr().out.splitlines()
    assert [line[:42].split()[1] for line in lines] == ["TunedSVR()", 'TunedSVR("diagonal")']
    assert all("R² 0.4" in line for line in lines)


def test_a_kernel_beside_itself_has_no_difference(monkeypatch, capsys):
    monkeypatch.setattr(beside_rbf, "samples", lambda name: load_iris(return_X_y=True))
    beside_rbf.main(["--kernels", "rbf", "laplacian", "--sets", "iris", "--train", "60", "--splits", "2"])
    head, line, mean, worst = capsys.readouterr().out.splitlines()
    assert head.split() == ["set", "rbf", "rbf", "laplacian"]
    assert line.split()[2:5] == ["+0.00", "±", "0.00"]
    assert mean.split()[:2] == ["mean", "+0.00"]
    assert worst.split()[2] == line.split()[7]


def test_the_page_on_cost_has_its_figures(capsys):
    pytest.importorskip("dask", reason="dask (extra 'dask') is not installed")
    cost.main(["--quick", "--only", "sketch", "paths"])
    printed = capsys.readouterr().out
    for part in ("exact sketch, d = 20, by n", "sampled sketch", "10⁸ rows", "path of one kernel, 16 C"):
        assert part in printed


def test_labels_that_contradict_probabilities_are_counted():
    X, y = load_iris(return_X_y=True)
    model = SVC(probability=True, random_state=0).fit(X, y)
    assert labels.differing(model, X, 5000) == 0
    assert labels.differing(model.set_params(predict_by="decision"), X, 5000) > 0
