"""Mistakes of users: one sentence and exit code 2; ours: exit code 1 and how to report them."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernelwise
from kernelwise.cli import files, output
from kernelwise.cli.app import COMMANDS, main
from kernelwise.comparison import nested_cell
from kernelwise.tables import TableError

from .conftest import SHORT


@pytest.fixture
def train(tmp_path, rows):
    (tmp_path / "train.csv").write_text("\n".join(["a,b,colour,play", *rows]) + "\n")
    return "train.csv"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tune",), "Missing argument 'FILE'. `kernelwise tune --help` lists"),
        (("tune", "train.csv", "--frob"), "No such option: --frob"),
        (("frob",), "No such command 'frob'. `kernelwise --help` lists"),
        (
            ("tune", "train.csv", "--time-budget", "1s"),
            "'--time-budget': give a number. `kernelwise tune --help`",
        ),
        (("tune", "nowhere.csv"), "There is no file nowhere.csv. Check the name, and the folder"),
        (("tune", "train.csv", "nowhere.csv"), "There is no file nowhere.csv"),
        (("tune", "train.csv", "--target", "z"), "no column 'z'"),
        (("tune", "train.csv", "--kernel", "z"), "--kernel must be one of auto, linear, .*, got 'z'"),
        (("tune", "train.csv", "--kernel", "rbff"), "Did you mean rbf"),
        (("tune", "train.csv", "--kernel", "precomputed"), "needs a Gram matrix"),
        (("tune", "train.csv", "--kernel", "rbf,precomputed-distance"), "needs a matrix of distances"),
        (("tune", "train.csv", "--kernel", "rbf,laplacain"), "got 'laplacain'. Did you mean laplacian"),
        (("tune", "train.csv", "--kernel", "rbf,"), "--kernel rbf, has an empty name"),
        (("tune", "train.csv", "--kernel", "auto,rbf"), "--kernel auto tries several kernels by itself"),
        (
            ("tune", "train.csv", "--criterion", "z"),
            r"of auto, dbtc, .* \d+ others \(the page .*\), got 'z'",
        ),
        (
            ("tune", "train.csv", "--task", "regression", "--criterion", "dbtc"),
            "--criterion dbtc works only for classes",
        ),
        (("tune", "train.csv", "--search", "grid"), "--search works only with a criterion"),
        (("tune", "train.csv", "--task", "regression"), "a regression needs numbers, found 'no'"),
        (("tune", "train.csv", "--task", "z"), "'z' is not one of"),
        (
            ("tune", "train.csv", "--criterion", "kta", "--search", "z"),
            "--search must be one of quasi-newton",
        ),
        (
            ("tune", "train.csv", "--scoring", "z"),
            "--scoring z is unknown. For a classification, use accuracy, ",
        ),
        (("tune", "train.csv", "--scoring", "acc"), "Did you mean accuracy"),
        (("tune", "train.csv", "--scoring", "f1"), "which one: 'no' or 'yes'. Set it with --positive"),
        (("tune", "train.csv", "--scoring", "f1", "--positive", "ye"), "Did you mean yes"),
        (("tune", "train.csv", "--threshold", "2"), "auto, or a probability between 0 and 1, got '2'"),
        (("tune", "train.csv", "--threshold", "auto", "--scoring", "roc_auc"), "needs a score of labels"),
        (("tune", "train.csv", "--threshold", "0.2", "--cost", "yes=2"), "Leave out one of them"),
        (("tune", "train.csv", "--cost", "yes"), "such as no=1,yes=5, got 'yes'"),
        (("tune", "train.csv", "--cost", "ye=2"), "Did you mean yes"),
        (("tune", "train.csv", "--cost", "yes=2,no=1,yes=3"), "--cost names the class 'yes' twice"),
        (
            ("tune", "train.csv", "--task", "regression", "--cost", "yes=2"),
            "--cost does not work with --task regression",
        ),
        (("tune", "train.csv", "--positive", "yes"), "--positive works only with --scoring f1, precision"),
        (("tune", "train.csv", "--solver", "z"), "--solver must be one of auto, exact, nystroem"),
        (("tune", "train.csv", "--scoring", "r2"), "--scoring r2 does not work for a classification"),
        (
            ("tune", "train.csv", "--task", "regression", "--scoring", "f1"),
            "f1 does not work for a regression",
        ),
        (("tune", "train.csv", "--cv", "1"), "--cv must be a number of folds"),
        (("tune", "train.csv", "--cv", "x"), "--cv must be a number of folds"),
        (("tune", "train.csv", "--cv", "99"), "99"),
        (("tune", "train.csv", "--log2c", "1,2"), "is not begin,end,step"),
        (("tune", "train.csv", "--log2c", "1,2,0"), "is not begin,end,step"),
        (("tune", "train.csv", "--log2c", "1,2,-1"), "must lead from begin to end"),
        (("tune", "train.csv", "--log2c", "nan,2,1"), "must lead from begin to end"),
        (("tune", "train.csv", "--log2c", "0,9999,1"), "must lead from begin to end"),
        (
            ("tune", "train.csv", "--time-budget", "-1"),
            "--time-budget must be a positive number of seconds, got -1",
        ),
        (("tune", "train.csv", "--n-jobs", "0"), "--n-jobs must be a number of threads"),
        (("tune", "train.csv", "--scale", "z"), "--scale must be one of standard, minmax, none"),
        (("tune", "train.csv", "--class-weight", "z"), "--class-weight must be one of balanced"),
        (
            ("tune", "train.csv", "--task", "regression", "--class-weight", "balanced"),
            "does not work with --task",
        ),
        (("tune", "train.csv", "--model", "no/m.kw"), "--model no/m.kw: there is no folder no"),
        (("tune", "train.csv", "--model", "."), "--model . is a folder"),
        (("tune", "train.csv", "--report", "no/r.html"), "--report no/r.html: there is no folder no"),
        (
            ("compare", "train.csv", "--methods", "z"),
            "--methods: 'z' is not supported. You can compare kernelwise, ",
        ),
        (
            ("compare", "train.csv", "--methods", "perceptron"),
            "'perceptron' is not supported. You can compare kernelwise, ",
        ),
        (
            ("compare", "train.csv", "--methods", "catbost"),
            "is not supported. Did you mean catboost",
        ),
        (
            ("tune", "train.csv", "--criterion", "dbct"),
            r"criterion dbct is unknown. Did you mean dbtc\? The",
        ),
        (
            ("tune", "train.csv", "--scoring", "acc"),
            "Did you mean accuracy.*average_precision, neg_log_loss",
        ),
        (("compare", "train.csv", "--task", "z"), "^Invalid value for '--task': 'z' is not one of"),
        (("compare", "train.csv", "--folds", "1"), "--folds"),
        (("compare", "train.csv", "--folds", "21"), "at least 21"),
        (("compare", "train.csv", "--journal", "no/j"), "--journal no/j: there is no folder no"),
        (("compare", "train.csv", "--journal", "train.csv"), "train.csv is not a journal"),
        (
            ("predict", "train.csv", "train.csv"),
            "^train.csv is not a kernelwise model.*Give the model first",
        ),
        (("diagnose", "train.csv", "--kernel", "z"), "--kernel must be one of linear, "),
        (("diagnose", "train.csv", "--scale", "z"), "--scale must be one of standard"),
        (("predict", "nowhere.kw", "train.csv"), "There is no file nowhere.kw"),
        (("diagnose", "nowhere.csv"), "There is no file nowhere.csv"),
        (("reproduce", "z"), "'z' is not one of"),
        (("reproduce", "all", "--only", "table2"), "Name that study instead of all"),
    ],
)
def test_a_mistake_gets_one_sentence(refused, train, arguments, says):
    assert re.search(says, refused(*arguments))


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        ("", "f.csv is empty"),
        ("a,b,class\n1,,x\n", "f.csv has only one row of data. Add rows"),
        ("a,b,class\n1,2,x\n3,4,x\n", "f.csv: the target 'class' has only one class (x)"),
        ("a,b,class\n1,2,x\n3,4,y\n", "Every class has 1 row"),
        ("b,class\n,x\n,y\n", "f.csv, column 'b': it has no values"),
    ],
)
def test_a_file_that_cannot_be_learned_from(refused, tmp_path, contents, says):
    (tmp_path / "f.csv").write_text(contents)
    assert says in refused("tune", "f.csv")


def test_a_quantity_is_no_class_if_classes_are_asked_for(refused, tmp_path):
    (tmp_path / "f.csv").write_text("a,class\n1,1.5\n3,2.5\n")
    for options in (("--task", "classification"), ("--class-weight", "balanced"), ("--strict",)):
        assert "looks continuous" in refused("tune", "f.csv", *options)


def test_an_unwritable_folder_is_found_before_the_file_is_read(refused, train, monkeypatch, tmp_path):
    def no_place(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", no_place)
    for option in ("--model", "--report"):
        assert (
            refused("tune", "nowhere.csv", option, "x") == f"{option} x cannot be written: Permission denied."
        )


def test_a_report_without_its_packages_is_refused_before_anything(refused, train, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    assert refused("tune", "nowhere.csv", "--report", "r.html").startswith(
        "--report needs the package jinja2. Install"
    )


def test_a_failed_command_leaves_no_file(refused, train, tmp_path):
    refused("tune", train, "--cv", "99", "--model", "m.kw")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.csv"]


def test_a_model_of_another_origin_or_another_file_is_refused(refused, run, train, tmp_path):
    run("tune", train, *SHORT, "--model", "m.kw")
    (tmp_path / "new.csv").write_text("a,colour\n1,red\n")
    assert "new.csv has no column 'b', which the model needs" in refused("predict", "m.kw", "new.csv")
    kernelwise.SVC().fit([[0.0], [1.0]], [0, 1]).save("own.kw")
    assert "was not saved by `kernelwise tune`" in refused("predict", "own.kw", "new.csv")
    assert refused("predict", train, "m.kw") == f"The model comes first: kernelwise predict m.kw {train}"
    np.savetxt("d.csv", np.arange(40).reshape(20, 2) + 0.5, delimiter=",")
    run("tune", "d.csv", "--task", "regression", *SHORT, "--model", "r.kw")
    assert "has no probabilities" in refused("predict", "r.kw", "d.csv", "--proba")


def test_an_error_of_ours_says_how_to_report_it(run, train, monkeypatch):
    def broken(*_args, **_options):
        return {}["nothing"]

    monkeypatch.setattr("kernelwise.diagnostics.diagnosis.Data.read", broken)
    code, out, err = run("diagnose", train)
    assert (code, out) == (1, "")
    assert "an error in kernelwise, not in your command or file (KeyError: 'nothing')" in err
    assert "KERNELWISE_DEBUG=1" in err
    assert "Traceback" not in err
    monkeypatch.setenv("KERNELWISE_DEBUG", "1")
    assert "Traceback" in run("diagnose", train).err


def test_a_value_error_that_nobody_meant_for_the_user_is_ours(run, train, monkeypatch):
    monkeypatch.setattr("kernelwise.diagnostics.diagnosis.Data.read", lambda *a: np.zeros(2) + np.zeros(3))
    code, _, err = run("diagnose", train)
    assert code == 1
    assert "could not be broadcast" in err


def test_an_error_of_our_own_classes_is_a_sentence_whatever_its_line_says(run, train, monkeypatch):
    def throw(*_args, **_options):
        return (_ for _ in ()).throw(TableError("the file is wrong."))

    monkeypatch.setattr("kernelwise.tables.read_table", throw)
    assert run("diagnose", train)[0::2] == (2, "kernelwise: the file is wrong.\n")


def test_an_interrupt_is_said(run, train, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelwise.diagnostics.diagnosis.Data.read", interrupted)
    code, out, err = run("diagnose", train)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "Stopped. Nothing was saved."


def test_after_an_interrupt_it_is_said_what_is_kept(run, train, monkeypatch):
    cell, done = nested_cell, []

    def interrupted(*arguments, **settings):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return cell(*arguments, **settings)

    monkeypatch.setattr("kernelwise.comparison.nested.nested_cell", interrupted)
    command = ("compare", train, "--methods", "SVC defaults", "--journal", "j.journal")
    code, out, err = run(*command)
    assert code == 130
    assert out.splitlines()[1].split()[:3] == ["SVC", "defaults", "1.0000"]  # the fold that is done
    assert "Stopped: this is 1 outer fold of 5." in err
    last = err.splitlines()[-1]
    assert last == "Stopped. 2 finished parts are kept in j.journal; run the same command to continue."
    monkeypatch.setattr("kernelwise.comparison.nested.nested_cell", cell)
    code, _, err = run(*command)
    assert code == 0
    assert "j.journal has 2 finished parts." in err


def test_an_interrupt_after_the_model_was_written_says_so(run, train, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "write_report", interrupted)
    monkeypatch.setattr(files, "check_report", lambda path: None)
    code, _, err = run("tune", train, *SHORT, "--model", "m.kw", "--report", "r.html")
    assert code == 130
    assert err.splitlines()[-1] == "Stopped. These files were already written: m.kw."


def test_help_and_version_need_neither_the_native_core_nor_scikit_learn():
    code = (
        "import sys; from kernelwise.cli.app import main; codes = [main(['--version']), main(['--help'])]; "
        "names = 'kernelwise._native', 'sklearn', 'numpy', 'rich'; "
        "print(codes, [name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == f"kernelwise {kernelwise.__version__}"
    assert done.stdout.splitlines()[-1] == "[0, 0] []"


@pytest.mark.parametrize("command", [*(command.__name__ for command in COMMANDS), "app", None])
def test_help_fits_a_screen_and_has_an_example(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "100")
    code, out, err = run(*(() if command is None else (command,)), "--help")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= {"tune": 52, "detect": 48}.get(command, 41)  # these have an option for every step
    assert "\\" not in out
    assert max(map(len, lines)) <= 100
    assert any("kernelwise " in line for line in lines if "Usage" not in line)


def test_the_help_cuts_no_command_short(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    commands = run("--help")[1].split("Commands:")[1].strip().splitlines()
    assert len(commands) == 12
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


def test_without_arguments_help_is_shown(capsys):
    assert main([]) in (0, 2)
    out, err = capsys.readouterr()
    assert "Usage: kernelwise" in out + err


def test_commands_can_be_completed():
    asked = {"_KERNELWISE_COMPLETE": "complete_bash", "COMP_WORDS": "kernelwise tu", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "kernelwise"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["tune"]


def test_reproduce_writes_a_page_and_goes_on_from_its_journal(run, monkeypatch, tmp_path):
    import kernelwise.studies.yin as study

    calls = []
    monkeypatch.setattr(
        study, "PARTS", {"toy": lambda found: found.cell("toy", calls.append, found.is_quick)}
    )
    for n_found in (0, 1):
        code, _, err = run("reproduce", "yin", "--quick", "--out", "results", "--journal", "yin.journal")
        assert code == 0
        assert f"yin.journal has {n_found} finished cell{'' if n_found == 1 else 's'}." in err
        assert "Wrote the page results" in err
    assert calls == [True]
    assert (tmp_path / "results" / "yin.md").exists()
    code, _, err = run("reproduce", "yin", "--journal", "yin.journal")
    assert code == 2
    assert "quick" in err


def test_demo_runs(run, monkeypatch):
    monkeypatch.setattr("kernelwise.demo.main", lambda: print("demo"))
    assert run("demo").out == "demo\n"


@pytest.mark.parametrize(
    ("chosen", "expected"), [("", "γ ≥ 1\n".encode()), ("cp1252", b"\\u03b3 \\u2265 1\n")]
)
def test_letters_that_the_code_page_lacks(monkeypatch, chosen, expected):
    """As on Windows, where a file or a pipe has the letters of one alphabet unless somebody chose others."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="cp1252", newline="\n"))
    monkeypatch.setenv("PYTHONIOENCODING", chosen)
    assert output.run(lambda: print("γ ≥ 1", flush=True)) == 0
    assert written.getvalue() == expected


def test_a_reader_that_has_gone(monkeypatch):
    """Windows has no name of its own for it."""
    gone = OSError(errno.EINVAL, "Invalid argument")
    assert output._has_reader_gone(BrokenPipeError())
    assert not output._has_reader_gone(gone)
    monkeypatch.setattr(output.os, "name", "nt")
    assert output._has_reader_gone(gone)
    assert not output._has_reader_gone(OSError(errno.EINVAL, "Invalid argument", "train.csv"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--task", "detection", "--report", "r.html"), "`kernelwise detect --report` writes a report."),
        (("--task", "detection"), "--task detection needs --target, the column that labels unusual rows."),
        (("--outlier", "yes"), "--outlier works only with --task detection. Leave it out."),
        (("--time", "a", "--repeats", "2"), "With --time there is only one way to make folds."),
    ],
)
def test_options_of_compare_that_do_not_go_together(arguments, says, train, refused):
    assert says in refused("compare", train, *arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--target", "play", "--threshold", "high"), "--threshold must be auto, or a probability between"),
        (("--target", "play", "--threshold", "1"), "a probability between 0 and 1, got '1'."),
        (("--target", "size", "--threshold", "0.5"), "but the target has 3. Use --cost."),
        (("--target", "play", "--group", "same"), "so there is only one group. Leave out --group."),
    ],
)
def test_columns_that_an_option_cannot_use(arguments, says, tmp_path, rows, refused):
    lines = [f"{line},{'SML'[k % 3]},x" for k, line in enumerate(rows)]
    (tmp_path / "more.csv").write_text("\n".join(["a,b,colour,play,size,same", *lines]) + "\n")
    assert says in refused("tune", "more.csv", *arguments, *SHORT)


def test_errors_of_the_system_are_sentences():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert output._sentence(full) == "No space left on device."
    full.filename = "out.csv"
    assert output._sentence(full) == "out.csv: No space left on device."
    assert output._sentence(MemoryError()).startswith("the computer has not enough memory")


@pytest.mark.parametrize("out", ["m.kw", "data.csv", "./data.csv"])
def test_predictions_do_not_take_the_place_of_what_they_are_made_from(out, run, refused, rows, tmp_path):
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    assert run("tune", "data.csv", "--target", "y", "--kernel", "linear", "--model", "m.kw", *SHORT).code == 0
    before = (tmp_path / out).read_bytes()
    assert "is given twice" in refused("predict", "m.kw", "data.csv", "--out", out)
    assert (tmp_path / out).read_bytes() == before


def test_a_task_that_does_not_fit_is_replaced_in_the_command_to_continue(refused, tmp_path):
    name = "prices.csv"
    (tmp_path / name).write_text("\n".join(["a,price", *(f"{k % 5},{k + 0.5}" for k in range(60))]))
    classes = ("--task", "classification")
    for task in (
        classes,
        ("--task=classification",),
        (*classes, "--scoring", "f1"),
        ("--scoring=f1", *classes),
    ):
        told = refused("tune", name, *task, "--target", "price").splitlines()[-1]
        assert told == f"To continue: kernelwise tune {name} --target price --task regression"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_keeps_no_answer_back(refused, run, rows, tmp_path):
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    assert run("tune", "data.csv", "--target", "y", "--kernel", "linear", "--model", "m.kw", *SHORT).code == 0
    code, out, err = run("predict", "m.kw", "data.csv", "--out", "/dev/full", "--report", "/dev/full")
    assert (code, out) == (2, "")
    assert "Score on the target in the file" in err
    assert err.count("/dev/full was not written: No space left on device.") == 2
    assert refused("page", "m.kw", "--out", "/dev/full") == "/dev/full: No space left on device."


def test_a_name_may_be_as_long_as_the_disk_takes(run, rows, tmp_path):
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    name = f"{'m' * 250}.kw"
    assert run("tune", "data.csv", "--target", "y", "--kernel", "linear", "--model", name, *SHORT).code == 0
    assert (tmp_path / name).exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names on this system")
def test_a_pipe_is_no_place_for_a_model(refused, train, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    told = refused("tune", train, "--model", str(tmp_path / "pipe"))
    assert told.endswith("pipe is a pipe. Give the name of a file.")
    assert "--keep reads FILE twice" in refused(
        "detect", str(tmp_path / "pipe"), "--keep", "a", "--out", "s.csv"
    )
