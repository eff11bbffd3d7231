"""Files that look like something else: words like numbers, labels of two kinds, links, devices."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from .conftest import SHORT

RANDOM = np.random.default_rng(0)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_rows(name, header, *columns):
        rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
        (tmp_path / name).write_text("\n".join([header, *rows]) + "\n")

    return write_rows


def predicted(outcome):
    assert outcome.code == 0, outcome.err
    return outcome.out.split()[1:]


def test_words_that_look_like_numbers_are_those_of_the_file(write, run):
    words = np.array(["1", "01", "A"] * 20)
    write(
        "train.csv", "a,k,class", RANDOM.normal(size=60).round(3), words, np.where(words == "01", "yes", "no")
    )
    assert run("tune", "train.csv", "--model", "m.kw", *SHORT).code == 0
    write("one.csv", "a,k", [0.5], ["01"])
    write("two.csv", "a,k", [0.5, 0.5], ["01", "A"])
    assert predicted(run("predict", "m.kw", "one.csv")) == ["yes"]
    assert predicted(run("predict", "m.kw", "two.csv")) == ["yes", "no"]


def test_labels_of_another_kind_do_not_keep_predictions_back(write, run, refused):
    a = RANDOM.normal(size=60).round(3)
    labels = np.array(["1", "2", "3a"] * 20)
    write("train.csv", "a,b,class", a + (labels == "2"), a, labels)
    write("test.csv", "a,b,class", [0.5, 1.5], [0.5, 0.5], ["1", "2"])
    assert run("tune", "train.csv", "test.csv", "--model", "m.kw", *SHORT).code == 0
    outcome = run("predict", "m.kw", "test.csv")
    assert len(predicted(outcome)) == 2
    assert "accuracy" in outcome.err
    write("whole.csv", "a,b,class", a, -a, np.arange(60) % 2)
    write("stray.csv", "a,b,class", [0.5, 1.5], [0.5, 0.5], ["x", "1"])
    assert run("tune", "whole.csv", "--model", "w.kw", *SHORT).code == 0
    assert len(predicted(run("predict", "w.kw", "stray.csv"))) == 2
    assert "has the class '1', which the training file" in refused("tune", "whole.csv", "stray.csv", *SHORT)


def test_a_regression_predicts_beside_a_target_of_words(write, run):
    a = RANDOM.normal(size=40).round(3)
    write("train.csv", "a,b,y", a, -a, 2 * a)
    assert run("tune", "train.csv", "--task", "regression", "--model", "m.kw", *SHORT).code == 0
    write("new.csv", "a,b,y", [1], [2], ["unknown"])
    outcome = run("predict", "m.kw", "new.csv")
    assert len(predicted(outcome)) == 1
    assert "found 'unknown'" in outcome.err


def test_one_feature_needs_no_separator(write, run):
    a = RANDOM.normal(size=40).round(3)
    write("train.csv", "a,class", a, np.where(a > 0, "p", "n"))
    assert run("tune", "train.csv", "--model", "m.kw", *SHORT).code == 0
    write("new.csv", "a", [-2.0, 2.0])
    assert predicted(run("predict", "m.kw", "new.csv")) == ["n", "p"]


def test_the_cell_that_is_no_number_is_named(write, run, refused):
    a = RANDOM.normal(size=40).round(3)
    write("train.csv", "a,b,class", a, -a, np.where(a > 0, "p", "n"))
    assert run("tune", "train.csv", "--model", "m.kw", *SHORT).code == 0
    write("new.csv", "a,b", [0.5, 0.3, 0.3], [1.5, 2.5, "oops"])
    told = refused("predict", "m.kw", "new.csv", "--strict")
    assert "line 4, column 'b': expected a number, found 'oops'" in told
    outcome = run("predict", "m.kw", "new.csv")
    assert len(predicted(outcome)) == 3
    assert "Column 'b': 1 cell has no number (first 'oops' in line 4) and counts as the median" in outcome.err
    write("reg.csv", "a,y", [1, 2, 3], [1, 2, "oops"])
    assert "line 4, column 'y'" in refused("tune", "reg.csv", "--task", "regression")


@pytest.fixture
def model(write, run):
    a = RANDOM.normal(size=40).round(3)
    write("train.csv", "a,b,class", a, -a, np.where(a > 0, "p", "n"))
    assert run("tune", "train.csv", "--model", "m.kw", *SHORT).code == 0


@pytest.mark.skipif(os.name != "posix", reason="Windows has other links and modes")
def test_links_modes_and_pipes_stay_what_they_are(model, run, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert run("predict", "m.kw", "train.csv", "--out", "link.csv").code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("prediction")
    (tmp_path / "real.csv").chmod(0o600)
    assert run("predict", "m.kw", "train.csv", "--out", "real.csv").code == 0
    assert (tmp_path / "real.csv").stat().st_mode & 0o777 == 0o600
    assert b"\r" not in (tmp_path / "real.csv").read_bytes()
    assert run("predict", "m.kw", "train.csv", "--out", "/dev/null").code == 0
    assert not os.path.isfile("/dev/null")


def test_one_file_for_two_purposes(model, refused):
    for more in (
        ["--model", "train.csv"],
        ["--model", "a", "--report", "a"],
        ["--model", "j", "--journal", "j"],
    ):
        assert "is given twice" in refused("tune", "train.csv", *more)


def test_the_answer_comes_before_a_file_that_cannot_be_written(model, run, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kernelwise.persistence.save", full)
    outcome = run("tune", "train.csv", "--model", "n.kw", *SHORT)
    assert outcome.code == 2
    assert "kernel" in outcome.out
    assert "n.kw was not written: No space left on device." in outcome.err


def test_a_journal_of_too_little_time_is_no_answer_with_enough(model, run, tmp_path):
    plain = json.loads(run("tune", "train.csv", "--json").out)
    run("tune", "train.csv", "--journal", "j", "--time-budget", "1e-9")
    again = json.loads(run("tune", "train.csv", "--journal", "j", "--json").out)
    for key in ("kernel", "C", "n_candidates"):
        assert plain[key] == again[key]
    assert (tmp_path / "j").stat().st_mode & 0o111 == 0


def test_no_command_is_the_help(run):
    outcome = run()
    assert outcome.code == 2
    assert "\n" in outcome.err.strip()
    assert "tune" in outcome.err


def test_a_column_of_two_signs(model, refused):
    assert "has no column '--1'" in refused("tune", "train.csv", "--target=--1")


def test_whole_numbers_with_a_point_are_whole_numbers(write, run):
    a = RANDOM.normal(size=40).round(3)
    write("train.csv", "a,b,class", a, -a, np.where(a > 0, 1, 1000000))
    assert run("tune", "train.csv", "--model", "m.kw", *SHORT).code == 0
    write("new.csv", "a,b,class", [-2.0, 2.0], [2.0, -2.0], ["1000000.0", "1.0"])
    outcome = run("predict", "m.kw", "new.csv")
    assert predicted(outcome) == ["1000000", "1"]
    assert "accuracy 1.0000" in outcome.err
