"""A comparison that is killed goes on where it was, and ends with the same table."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from contextlib import chdir, closing
from multiprocessing import forkserver
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

if os.name != "posix":
    pytest.skip("needs kill -9 and forks", allow_module_level=True)

N_CELLS = 3 * 5 * 3  # the baseline is a method, too


@pytest.fixture
def iris(tmp_path):
    X, y = load_iris(return_X_y=True)
    lines = [",".join(map(str, row)) + f",{label}" for row, label in zip(X, y, strict=True)]
    (tmp_path / "iris.csv").write_text("\n".join(lines))
    return tmp_path / "iris.csv"


def start(arguments, output):
    """The command in a process of its own, forked from one where all is loaded."""
    from .warm import run_quietly

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.cli.warm"])
    with chdir(Path(__file__).parents[2]):  # where the server, if there is none yet, finds this package
        forkserver.ensure_running()
    process = context.Process(target=run_quietly, args=(list(map(str, arguments)), str(output)))
    process.start()
    return process


def cells(path):
    """Names of the cells in a journal as it lies there, also while somebody else has it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
            return [name for (name,) in database.execute("SELECT name FROM cells")]
    except sqlite3.Error:  # not there, or just being written
        return []


@pytest.mark.slow
def test_killed_at_ten_moments_it_ends_with_the_same_table(iris, tmp_path):
    options = ["compare", iris, "--methods", "kernelwise,SVC defaults", "--folds", "5", "--repeats", "3"]
    journal, draw = tmp_path / "journal", random.Random(0)
    command = [*options, "--journal", journal]
    for _ in range(10):
        process = start(command, tmp_path / "killed")
        # Three cells at most before each kill, then a moment of computing, writing or neither.
        goal = len(cells(journal)) + draw.randint(0, 3)
        while len(cells(journal)) < goal and process.is_alive():
            time.sleep(0.001)
        time.sleep(draw.random() * 0.03)
        assert process.is_alive(), (tmp_path / "killed.err").read_text()
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert process.exitcode == -signal.SIGKILL
    assert 0 < len(cells(journal)) < N_CELLS
    outputs = []
    for arguments in ([*command, "--json"], [*options, "--json"], command, command):
        process = start(arguments, tmp_path / "out")
        process.join()
        assert process.exitcode == 0, (tmp_path / "out.err").read_text()
        outputs.append((tmp_path / "out").read_text())
    resumed, at_once = (json.loads(output) for output in outputs[:2])
    assert resumed["scores"] == at_once["scores"]
    for ours, theirs in zip(resumed["methods"], at_once["methods"], strict=True):
        for name in ("method", "accuracy", "standard_error", "difference", "difference_error", "machines"):
            assert ours[name] == theirs[name]
    assert outputs[2] == outputs[3]  # times, too, are those of the journal
    keys = cells(journal)
    assert len(keys) == len(set(keys)) == N_CELLS  # rows are only added: nothing was computed twice


def test_a_search_for_unusual_rows_goes_on_after_a_kill(run, refused, tmp_path):
    draw = np.random.default_rng(0)
    X = np.vstack([draw.normal(size=(790, 4)), 3.0 * draw.normal(size=(10, 4))])
    labels = ["fine"] * 20 + [""] * 770 + ["odd"] * 10
    lines = [",".join(map(str, row)) + f",{label}" for row, label in zip(X, labels, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,d,kind", *lines]))
    command = ["detect", "rows.csv", "--labels", "kind", "--outlier", "odd", "--json"]
    process = start([*command, "--journal", "j"], tmp_path / "killed")
    while len(cells(tmp_path / "j")) < 2 and process.is_alive():
        time.sleep(0.001)
    assert process.is_alive(), (tmp_path / "killed.err").read_text()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    resumed, at_once = run(*command, "--journal", "j", "--n-jobs", 2), run(*command)
    assert 1 <= int(resumed.err.split("j has ")[1].split()[0]) < 12  # the last may have been half written
    one, other = (json.loads(outcome.out) for outcome in (resumed, at_once))
    for name in ("kernel", "nu", "score", "threshold", "n_machines", "strangest", "why", "how"):
        assert one[name] == other[name]
    keys = cells(tmp_path / "j")
    assert len(keys) == len(set(keys)) == 12
    assert "its criterion is auto, not median" in refused(*command, "--journal", "j", "--criterion", "median")


def test_a_journal_of_other_data_or_options_is_refused_by_name(run, refused, iris, tmp_path):
    options = ("--methods", "SVC defaults", "--journal", "j")
    assert run("compare", iris, *options, "--folds", 2).code == 0
    assert "its folds is 2, not 3" in refused("compare", iris, *options, "--folds", 3)
    assert "its seed is 0, not 1" in refused("compare", iris, *options, "--folds", 2, "--seed", 1)
    iris.write_text(iris.read_text().replace("5.1", "5.2", 1))
    assert "its data is" in refused("compare", iris, *options, "--folds", 2)


def test_another_method_is_added_to_the_journal(run, iris, tmp_path):
    options = ("--folds", 2, "--journal", "j")
    run("compare", iris, "--methods", "SVC defaults", *options)
    code, out, err = run("compare", iris, "--methods", "kernelwise,SVC defaults", *options)
    assert code == 0
    assert "j has 4 finished parts" in err
    assert len(cells(tmp_path / "j")) == 6
    assert len(out.splitlines()) >= 3


def test_a_tuning_goes_on_from_its_journal(run, refused, iris):
    first = run("tune", iris, "--journal", "j", "--json")
    again = run("tune", iris, "--journal", "j", "--json", "--n-jobs", 2)
    assert "finished parts" not in first.err
    n_kernels = int(again.err.split("j has ")[1].split()[0])
    assert n_kernels > 2
    one, other = (json.loads(outcome.out) for outcome in (first, again))
    for name in ("kernel", "C", "why"):
        assert one[name] == other[name]
    assert "its seed is 0, not 1" in refused("tune", iris, "--journal", "j", "--seed", 1)
    assert "its command is tune, not compare" in refused("compare", iris, "--journal", "j")
