"""benchmarks.all: runs are kept with a head, not made twice, and failures are told."""

import os
from importlib.util import find_spec

import pytest
from benchmarks.all import ROOT, Run, read_runs

from benchmarks import all as measuring

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs processes of POSIX")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two short runs in a folder of their own; code counts as unchanged."""
    table = {
        "good": Run("good", "python -c 'import os; print(os.getcwd(), 0.25)'", 1),
        "bad": Run("bad", "python -c 'import nowhere'", 1, alone=True),
    }
    monkeypatch.setattr(measuring, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(measuring, "read_runs", lambda: table)
    monkeypatch.setattr(measuring, "commit", lambda: "0123abcd")
    monkeypatch.setattr(measuring, "content", lambda: "4567cdef")
    monkeypatch.setattr(measuring, "is_unchanged", lambda since, paths: since == "0123abcd")
    return table


def test_a_run_is_kept_with_its_head_and_a_failure_told(runs, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        measuring.main(["--out", str(tmp_path)])
    assert ended.value.code == 1
    assert "bad ended with 1, see " in capsys.readouterr().out
    assert not (tmp_path / "bad.txt").exists()
    head, said = (tmp_path / "good.txt").read_text().split("\n\n")
    assert said == ". 0.25\n"  # not the folder of this computer
    names = [line.partition(":")[0] for line in head.splitlines()]
    assert names == ["# command", "# commit", "# date", "# versions", "# machine", "# CPU seconds"]
    assert "# commit: 0123abcd" in head


def test_a_sentence_changes_no_figure_but_of_benchmarks_that_read_it():
    sources = {name: run.sources() for name, run in read_runs().items()}
    assert sources["tests-coverage"] == ["src"]
    rooms = [f":!src/kernelwise/{room}" for room in measuring.SAY]
    assert sources["forests"] == ["src", *rooms, "benchmarks/forests.py", "benchmarks/forests"]
    assert ":!src/kernelwise/cli" not in sources["tables"]


def test_what_is_done_is_not_done_again(runs, tmp_path, monkeypatch, capsys):
    path, command = tmp_path / "good.txt", ["--out", str(tmp_path), "--only", "good"]
    with pytest.raises(SystemExit) as ended:
        measuring.main(command)
    assert ended.value.code == 0
    path.write_text(path.read_text().replace(" 0.25\n", " 0.75\n"))
    for again, expected in (([], "0.75"), (["--again"], "0.25")):
        with pytest.raises(SystemExit):
            measuring.main([*command, *again])
        assert path.read_text().endswith(f"{expected}\n")
    measuring.main([*command, "--list"])
    assert "good                   1 min  done" in capsys.readouterr().out
    runs["good"] = Run("good", "python -c 'print(0.5)'", 1)
    assert not runs["good"].is_done(tmp_path)
    monkeypatch.setattr(measuring, "is_unchanged", lambda since, paths: False)
    assert not Run("good", "python -c 'print(0.25)'", 1).is_done(tmp_path)


def test_a_missing_package_is_told_before_anything_runs(runs, tmp_path, capsys):
    runs["good"] = Run("good", "python -c 'print(1)'", 1, needs=("no-such-package",))
    with pytest.raises(SystemExit):
        measuring.main(["--out", str(tmp_path), "--only", "good"])
    assert "good needs no-such-package" in capsys.readouterr().out
    assert not (tmp_path / "good.txt").exists()
    measuring.main(["--out", str(tmp_path), "--list"])
    assert capsys.readouterr().out.endswith("Install first: no-such-package\n")


def test_an_interrupted_run_leaves_no_process_and_no_output(runs, tmp_path, monkeypatch):
    started = []

    def interrupted(pid, options):
        raise KeyboardInterrupt

    def popen(*arguments, **settings):
        started.append(measuring_popen(*arguments, **settings))
        return started[-1]

    measuring_popen = measuring.subprocess.Popen
    monkeypatch.setattr(measuring.subprocess, "Popen", popen)
    wait4 = os.wait4
    monkeypatch.setattr(measuring.os, "wait4", interrupted)
    sleeps = Run("good", "python -c 'import time; time.sleep(60)'", 1)
    with pytest.raises(KeyboardInterrupt):
        measuring.make([sleeps], tmp_path, 2)
    _, status, _ = wait4(started[0].pid, 0)
    started[0].returncode = os.waitstatus_to_exitcode(status)
    assert started[0].returncode != 0
    assert not (tmp_path / "good.txt").exists()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the history of git")
def test_files_are_compared_with_a_commit():
    assert measuring.is_unchanged("HEAD", ["no_such_file.py"])
    assert not measuring.is_unchanged("no-such-commit", ["src"])
    assert len(measuring.content()) >= 12


@pytest.mark.parametrize("run", read_runs().values(), ids=lambda run: run.name)
def test_every_run_of_the_table_is_a_command_that_is_there(run):
    first, second, *rest = run.command.split()
    if first == "make":
        assert f"\n{second}:" in (ROOT / "Makefile").read_text()
    else:
        assert (first, second) == ("python", "-m")
        assert find_spec(rest[0]) is not None
