"""kernelwise tune and predict, from a file to a file."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections import Counter
from importlib import import_module, resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import kernelwise
from kernelwise.cli import files
from kernelwise.cli import progress as progress_module

from .conftest import SHORT


def validated(outcome, command):
    """The one JSON object of a command, which must fit its schema."""
    assert outcome.code == 0, outcome.err
    assert outcome.out.count("\n") == 1
    schema = json.loads(resources.files("kernelwise.cli").joinpath(f"schema/{command}.json").read_text())
    value = json.loads(outcome.out)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


@pytest.fixture
def train(tmp_path, rows):
    path = tmp_path / "train.csv"
    path.write_text("\n".join(["a,b,colour,play", *rows]) + "\n")
    return path


@pytest.mark.parametrize("has_header", [True, False])
@pytest.mark.parametrize("is_first", [True, False])
def test_headers_or_none_and_labels_first_or_last(run, tmp_path, rows, has_header, is_first):
    lines = ["a,b,colour,play", *rows] if has_header else rows
    if is_first:
        lines = [",".join([line.split(",")[-1], *line.split(",")[:-1]]) for line in lines]
    (tmp_path / "f.csv").write_text("\n".join(lines))
    target = () if not is_first else ("--target", "play" if has_header else 1)
    result = validated(run("tune", "f.csv", *target, *SHORT, "--json"), "tune")
    assert result["data"]["n_samples"] == 40
    assert result["data"]["n_features"] == 5
    assert result["data"]["target"] == ("play" if has_header else f"column {1 if is_first else 4}")
    assert result["classes"] == ["no", "yes"]
    assert result["score"]["cross_validated"] > 0.9


def test_the_answer_is_that_of_the_library(run, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.savetxt("iris.csv", np.column_stack([X, y]), delimiter=",")
    result = validated(run("tune", tmp_path / "iris.csv", "--log2c", "-1,3,2", "--json"), "tune")
    model = kernelwise.TunedSVC(Cs=[0.5, 2.0, 8.0]).fit(X, y.astype(int))
    assert result["C"] == model.C_
    assert result["kernel"] == {"name": "RBF", "parameters": {"gamma": model.kernel_.gamma}}
    assert result["score"]["cross_validated"] == model.best_score_
    assert result["why"] == list(model.result_.why)
    assert result["n_machines"] == model.n_svm_fits_
    assert result["score"]["standard_error"] == model.result_.standard_error
    assert result["score"]["corrected"] == model.result_.corrected_score


@pytest.fixture(autouse=True)
def _in_the_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_standard_output_has_the_result_and_standard_error_the_rest(run, train):
    code, out, err = run("tune", train, *SHORT)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Predicting 'play' (2 classes) from train.csv"
    assert [line.split("  ")[0] for line in lines[1:]] == [
        *("rows", "score", "expect", "look first", "columns", "kernel", "written"),
    ]
    assert lines[1].endswith("40 rows, 3 columns; no (20), yes (20)")
    assert re.search(
        r" \d+(\.\d+)? % ± \d(\.\d)? correct on rows that the model was not trained on; ", lines[2]
    )
    assert "The target is 'play'" in err
    assert "The target is" not in out
    progress = [line for line in err.splitlines() if line.startswith("  ")]
    assert len(progress) <= 5
    assert re.search(r"about \d+ % done, .*\d+ models; ", progress[1])
    assert "about 95 % done, " in progress[-1]
    assert progress[-1].endswith("; training the final model")


def test_all_is_said_if_somebody_wants_it(run, train):
    code, out, err = run("tune", train, *SHORT, "--verbose", "--blend", "no")
    assert code == 0
    assert re.search(r"\nC +[\d.e+-]+: a larger C .*\n", out)
    assert re.search(r"\nWhy this answer:\n- .*\n", out)
    assert "\nHow the search went:\n- " in out
    assert "Columns of words were coded as features of 0 and 1: 'colour' (3 words)." in err
    assert re.search(r"about \d+ % done, .*\d+ models; RBF", err)
    assert "score" not in err
    assert len([line for line in err.splitlines() if line.startswith("  ")]) > 5


def test_a_model_predicts_from_another_file_what_it_did_in_training(run, train, tmp_path, rows):
    outcome = run("tune", train, train, *SHORT, "--model", "m.kw", "--json")
    accuracy = validated(outcome, "tune")["test"]["score"]
    shuffled = ["colour,play,b,a"]
    shuffled += [",".join(np.array(line.split(","))[[2, 3, 1, 0]]) for line in rows]
    (tmp_path / "new.csv").write_text("\n".join(shuffled))
    code, out, err = run("predict", "m.kw", "new.csv", "--proba")
    assert code == 0
    table = list(csv.DictReader(io.StringIO(out)))
    assert list(table[0]) == ["prediction", "p(no)", "p(yes)"]
    found = np.mean([row["prediction"] == line.split(",")[-1] for row, line in zip(table, rows, strict=True)])
    assert found == pytest.approx(accuracy)
    assert f"Score on the target in the file: accuracy {accuracy:.4f} on 40 rows." in err
    assert all(float(row["p(no)"]) + float(row["p(yes)"]) == pytest.approx(1.0, abs=1e-9) for row in table)
    assert all(len(row["p(no)"]) == len("0.1234") for row in table)
    loaded = kernelwise.load("m.kw")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "colour"]
    assert loaded.encoder_.feature_names == ["a", "b", "colour=blue", "colour=green", "colour=red"]
    code, out, _ = run("predict", "m.kw", "new.csv", "--out", "p.csv")
    assert (code, out) == (0, "")
    with open("p.csv", newline="") as file:
        assert [row["prediction"] for row in csv.DictReader(file)] == [row["prediction"] for row in table]
    assert run("predict", "m.kw", "new.csv", "--out", "-").out == Path("p.csv").read_text()
    assert not Path("-").exists()


def test_a_regression_from_file_to_file(run):
    X, y = load_diabetes(return_X_y=True)
    np.savetxt("d.csv", np.column_stack([X, y])[:120], delimiter=";")
    outcome = run("tune", "d.csv", "d.csv", "--task", "regression", *SHORT, "--model", "m.kw", "--json")
    result = validated(outcome, "tune")
    assert result["classes"] is None
    assert result["epsilon"] > 0
    assert result["test"]["name"] == "r2"
    code, out, err = run("predict", "m.kw", "d.csv")
    assert code == 0
    assert len(out.splitlines()) == 121
    assert f"R² {result['test']['score']:.4f}, RMSE " in err
    predicted = np.loadtxt(io.StringIO(out), skiprows=1)
    assert f"MAE {np.abs(predicted - y[:120]).mean():.4g} on 120 rows" in err


BY_KTA = ("--criterion", "centered-kta")


def test_libsvm_files_and_learned_metrics(run):
    random = np.random.default_rng(1)
    for name in ("train.svm", "test.svm"):
        with open(name, "w") as file:
            for k in range(30):
                values = random.normal([3 * (k % 2), 0, 0])
                pairs = " ".join(f"{place}:{value:.4f}" for place, value in enumerate(values, 1))
                file.write(f"{2 * (k % 2) - 1} {pairs}\n")
    outcome = run("tune", "train.svm", "test.svm", "--kernel", "diagonal", *BY_KTA, *SHORT, "--json")
    result = validated(outcome, "tune")
    assert max(result["relevance"], key=result["relevance"].get) == "feature 1"
    assert sum(result["relevance"].values()) == pytest.approx(1.0)
    assert result["test"]["score"] > 0.8


def test_several_kernels_are_tried_and_said(run, train):
    result = validated(run("tune", train, "--kernel", "rbf, laplacian,poly", *SHORT, "--json"), "tune")
    assert list(result["forms"]) == ["rbf", "laplacian", "poly", "sum"]
    assert result["settings"]["kernel"] == "rbf, laplacian,poly"
    assert any("compared 4 forms of kernel" in one for one in result["why"])
    sentence = next(one for one in result["how"] if one.startswith("The scores that the search compared"))
    assert all(f"{form} {100 * score:.1f} %" in sentence for form, score in result["forms"].items())
    assert progress_module.expected(["rbf", "linear"]) == 9
    plain = validated(run("tune", train, "--kernel", "rbf", *SHORT, "--json"), "tune")
    assert plain["forms"] == {}


def test_sparse_files_and_kernels_of_dense_rows(run):
    with open("train.svm", "w") as file:
        file.writelines(f"{k % 2} {1 + 7 * k}:1 {2000 + k}:2\n" for k in range(40))
    code, _, err = run("tune", "train.svm", "--kernel", "rbf,laplacian")
    assert code == 2
    assert "The file has sparse rows, but the kernel Laplacian needs dense ones. Write" in err


def test_options_reach_the_machine(run, train):
    options = ("--kernel", "poly", "--criterion", "kta", "--search", "quasi-newton", "--scoring", "roc_auc")
    more = ("--scale", "minmax", "--class-weight", "balanced", "--seed", "3", "--n-jobs", "1")
    result = validated(run("tune", train, *options, *more, *SHORT, "--json"), "tune")
    assert result["kernel"]["name"] == "Polynomial"
    assert result["score"]["name"] == "roc_auc"
    assert result["C"] in (1.0, 4.0)
    assert result["settings"]["search"] == "quasi-newton"


def test_a_short_budget_is_said(run, train):
    code, out, err = run("tune", train, "--time-budget", "0.000001", "--verbose")
    assert code == 0
    assert "warning" not in err  # what it says is in the answer
    assert out.count("The time budget of 1e-06 s was too short for") == 1
    assert "Raise --time-budget for a better model." in out


@pytest.mark.parametrize("criterion", ["auto", "dbtc"])
def test_the_answer_and_the_diagnosis_are_made_once(run, train, monkeypatch, criterion):
    made = Counter()

    def counted(path):
        module, _, name = path.rpartition(".")
        function = getattr(import_module(module), name)

        def count(*arguments, **more):
            made[name] += 1
            return function(*arguments, **more)

        monkeypatch.setattr(path, count)

    for path in ("cli.results.diagnose", "reports.findings.diagnose", "cli.results.diagnose_pairs"):
        counted(f"kernelwise.{path}")
    for path in ("reports.answer.answer_of", "reports.data.answer_of"):
        counted(f"kernelwise.{path}")
    options = ("--kernel", "rbf", "--criterion", criterion, "--report", "r.html")
    assert run("tune", train, train, *SHORT, *options).code == 0
    pairs = {"diagnose_pairs": 1} if criterion == "auto" else {}  # of a criterion, pairs are in the other
    assert made == {"diagnose": 1, "answer_of": 1, **pairs}
    assert "closest pair" in Path("r.html").read_text(encoding="utf-8").lower()


def test_a_report_is_drawn_from_the_same_data(run, train, monkeypatch, tmp_path):
    told = {}

    def collect(model, X, y, **more):
        told.update(model=model, X=X, y=y, **more)
        return "data"

    monkeypatch.setattr(kernelwise.reports, "report_data", collect)
    monkeypatch.setattr(kernelwise.reports, "write_report", lambda data, path: path.write_text(data))
    monkeypatch.setattr(files, "find_spec", lambda name: name)
    code, out, _ = run("tune", "train.csv", "train.csv", *SHORT, "--report", "r.html")
    assert code == 0
    assert re.search(r"\nwritten +r.html \(", out)
    assert (tmp_path / "r.html").read_text() == "data"
    assert told["command"] == f"kernelwise tune train.csv train.csv {' '.join(SHORT)} --report r.html"
    assert told["source"] == "train.csv"
    assert told["seed"] == 0
    assert told["test"][0].shape == told["X"].shape == (40, 3)
    assert told["model"].feature_names_in_[0] == "a"
    methods = ("--methods", "SVC defaults", "--folds", 2)
    code, _, _ = run("compare", "train.csv", *methods, "--report", "c.html")
    assert code == 0
    assert told["comparison"].methods == ("SVC defaults", "most frequent class")


def test_a_terminal_gets_one_live_line_and_lines_that_fit(run, train, monkeypatch):
    monkeypatch.setattr(progress_module.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, out, err = run("tune", train, *SHORT, "--kernel", "rbf")
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= 80
    assert "\nkernel      SVM with RBF kernel, γ = " in out
    assert re.search(r"\n {12}\w", out)  # a long line goes on below its beginning
    assert "  0." not in err


def test_diagnose_names_the_features(run, train, tmp_path, rows):
    lines = ["a,b,unit,play", *(",".join([*r.split(",")[:2], "7", r.split(",")[-1]]) for r in rows)]
    (tmp_path / "c.csv").write_text("\n".join(lines))
    findings = validated(run("diagnose", "c.csv", "--json"), "diagnose")["findings"]
    constant = next(finding for finding in findings if finding["name"] == "columns left out")
    assert "'unit' (has one value only)" in constant["message"]
    code, out, _ = run("diagnose", "c.csv")
    assert code == 0
    assert constant["message"] in out


def test_compare_prints_a_table(run, train):
    options = ("--methods", "kernelwise,SVC defaults", "--folds", "2")
    result = validated(run("compare", train, *options, "--json"), "compare")
    assert [row["method"] for row in result["methods"]][:2] == ["kernelwise", "SVC defaults"]
    assert result["methods"][2]["method"] == result["baseline"] == "most frequent class"
    assert result["methods"][2]["accuracy"] == 0.5
    code, out, err = run("compare", train, *options, "--verbose")
    assert code == 0
    assert out.splitlines()[0].split()[:3] == ["method", "accuracy", "s.e."]
    assert f"{result['methods'][1]['accuracy']:.4f}" in out.splitlines()[2]
    assert "SVC defaults, fold 2 of 2: running" in err
    assert re.search(r"about 83 % done, (\d+ s|a few seconds) left; SVC defaults, fold 2 of 2: ", err)


@pytest.mark.slow
def test_compare_says_whether_a_forest_wins(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 12))
    lines = [",".join(f"x{k}" for k in range(12)) + ",class"]
    lines += [",".join(map(str, x)) + f",{'ab'[int(x[4] < 0.3)]}" for x in X.tolist()]
    (tmp_path / "steps.csv").write_text("\n".join(lines) + "\n")
    options = ("compare", "steps.csv", "--methods", "SVC defaults,random forest", "--folds", "4")
    result = validated(run(*options, "--json"), "compare")
    code, out, _ = run(*options, "--n-jobs", "2")
    assert code == 0
    assert result["verdict"].startswith("A support vector machine is not the best model here: random forest")
    assert result["forests"][-1].startswith("The probabilities of random forest are better")
    assert result["verdict"].split(", at ")[0] in out  # the time is another one in every run
    assert result["forests"][-1] in out
    assert result["methods"][1]["log_loss"] < result["methods"][0]["log_loss"]
    code, _, err = run(*options, "--n-jobs", "0")
    assert (code, "--n-jobs must be" in err) == (2, True)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are of Unix")
def test_written_files_can_be_read_by_whom_others_can(run, train, tmp_path):
    (tmp_path / "usual").touch()
    run("tune", train, *SHORT, "--model", "m.kw")
    assert (tmp_path / "m.kw").stat().st_mode == (tmp_path / "usual").stat().st_mode
