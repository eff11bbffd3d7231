"""What the commands say to a person: options in advice, rows and lines, one answer on one screen."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kernelwise.cli import results
from kernelwise.cli.compare import Watcher
from kernelwise.cli.output import session
from kernelwise.cli.progress import Progress

from .conftest import SHORT


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a table to a file of the current folder."""
    monkeypatch.chdir(tmp_path)

    def write_rows(name, header, rows):
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return name

    return write_rows


@pytest.fixture
def rare(write):
    """100 rows, nine of them rare, with an identifier of letters and a note."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 12 == 0
    X = rng.normal(size=(100, 2)) + 1.7 * y[:, None]
    rows = [
        (f"P{k:03d}", f"{a:.4f}", f"{b:.4f}", f"note {k}", "rare disease" if one else "healthy")
        for k, ((a, b), one) in enumerate(zip(X, y, strict=True))
    ]
    return write("rare.csv", "id,a,b,note,class", rows)


IGNORE = ("--ignore", "id,note")


def test_quiet_is_quiet_but_for_errors(run, rare):
    for command in (
        ("tune", rare, *IGNORE, *SHORT, "--model", "m.kw"),
        ("predict", "m.kw", rare),
        ("diagnose", rare, *IGNORE),
        ("compare", rare, *IGNORE, "--methods", "SVC defaults", "--folds", "2"),
    ):
        code, out, err = run(*command, "--quiet")
        assert (code, err) == (0, "")
        assert out
        assert run(*command).err != ""
    code, _, err = run("tune", "nowhere.csv", "--quiet")
    assert code == 2
    assert err.startswith("kernelwise: There is no file nowhere.csv")


def test_kept_columns_stand_before_the_prediction(run, refused, rare):
    run("tune", rare, *IGNORE, *SHORT, "--model", "m.kw")
    code, out, _ = run("predict", "m.kw", rare, "--keep", "id,note", "--proba")
    assert code == 0
    table = list(csv.DictReader(io.StringIO(out)))
    assert list(table[0]) == ["id", "note", "prediction", "p(healthy)", "p(rare disease)"]
    assert [row["id"] for row in table] == [f"P{k:03d}" for k in range(100)]
    assert table[7]["note"] == "note 7"
    assert all(re.fullmatch(r"[01]\.\d{4}", row["p(healthy)"]) for row in table)
    header = Path(rare).read_text().splitlines()[0]
    assert run("predict", "m.kw", rare, "--keep", "*").out.splitlines()[0] == f"{header},prediction"
    assert "no column 'ident' (--keep)" in refused("predict", "m.kw", rare, "--keep", "ident")


def test_predict_gives_the_score_that_the_model_was_tuned_for(run, rare):
    options = ("--scoring", "recall", "--positive", "rare disease", "--class-weight", "balanced")
    first = json.loads(run("tune", rare, rare, *IGNORE, *SHORT, *options, "--model", "m.kw", "--json").out)
    assert first["score"]["name"] == "recall of 'rare disease'"
    code, out, err = run("predict", "m.kw", rare)
    assert code == 0
    predicted = np.array([row["prediction"] for row in csv.DictReader(io.StringIO(out))])
    truth = np.where(np.arange(100) % 12 == 0, "rare disease", "healthy")
    recall = np.mean(predicted[truth == "rare disease"] == "rare disease")
    accuracy = np.mean(predicted == truth)
    assert f"recall of 'rare disease' {recall:.4f}, accuracy {accuracy:.4f} on 100 rows." in err
    assert first["test"]["score"] == pytest.approx(recall)


RBF = ("--kernel", "rbf")


def test_the_other_positive_class_is_another_score(run, rare):
    scores = [
        json.loads(
            run("tune", rare, *IGNORE, *SHORT, *RBF, "--scoring", "f1", "--positive", label, "--json").out
        )
        for label in ("healthy", "rare disease")
    ]
    assert scores[0]["score"]["cross_validated"] > scores[1]["score"]["cross_validated"]
    assert scores[1]["settings"]["positive"] == "rare disease"


def test_thresholds_and_costs_are_in_the_model(run, rare):
    common = ("tune", rare, *IGNORE, *SHORT, *RBF, "--model", "m.kw")
    answered = {}
    for name, options in {
        "plain": (),
        "low": ("--threshold", "0.01"),
        "of the other": ("--threshold", "0.99", "--positive", "healthy", "--scoring", "f1"),
        "dear": ("--cost", "rare disease=99"),
    }.items():
        code, out, _ = run(*common, *options, "--verbose")
        assert code == 0
        assert ("\npredicts  " in out) == (name != "plain")
        assert ("a cost of " in out) == (name == "dear")
        _, predictions, _ = run("predict", "m.kw", rare)
        answered[name] = predictions.count("rare disease")
    assert answered["plain"] < answered["low"] == answered["dear"] == answered["of the other"]


def test_a_threshold_is_chosen_by_the_score(run, rare):
    options = ("--scoring", "balanced_accuracy", "--threshold", "auto", "--json")
    result = json.loads(run("tune", rare, *IGNORE, *SHORT, *RBF, *options).out)
    assert result["settings"]["threshold"] == "auto"
    assert any(finding["name"] == "threshold" for finding in result["findings"])


def test_a_class_that_is_never_answered_is_no_warning(run, rare):
    """scikit-learn would have a user of Python set zero_division."""
    code, _, err = run("tune", rare, *IGNORE, "--scoring", "precision", "--positive", "rare disease")
    assert code == 0
    assert "zero_division" not in err


def test_findings_of_the_data_are_in_the_answer_unless_the_advice_was_followed(run, rare):
    code, out, _ = run("tune", rare, *IGNORE, *SHORT)
    assert code == 0
    assert "--class-weight balanced --scoring balanced_accuracy" in out.partition("\nlook first ")[2]
    more = run("tune", rare, *IGNORE, *SHORT, "--verbose").out
    assert (
        "--class-weight balanced --scoring balanced_accuracy" in more.partition("\nLook at this first:\n")[2]
    )
    assert "class_weight=" not in more
    assert "closest" not in more  # about criteria, which nobody asked for
    heeded = run(
        *("tune", rare, *IGNORE, *SHORT),
        *("--class-weight", "balanced", "--scoring", "balanced_accuracy", "--json"),
    )
    names = [finding["name"] for finding in json.loads(heeded.out)["findings"]]
    assert "imbalance" not in names


def test_diagnose_sees_what_tune_sees_and_names_lines(run, write):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) * [1.0, 1e6]
    X[20] = X[10] + [1e-9, 0.0]
    rows = [(*x, "ab"[k % 2]) for k, x in enumerate(X.tolist())]
    write("f.csv", "a,b,class", rows)
    code, out, _ = run("diagnose", "f.csv")
    assert code == 0
    assert out.startswith(
        "30 rows, 2 features; 'class': 2 classes, a (15), b (15).\nThese checks found no problem in "
    )
    assert "\nerrors: 0, warnings: 0, notes: " in out
    assert "scaling" not in out
    assert "lines 12 and 22" in out  # rows 10 and 20 from 0, below a line of names
    assert "sample" not in out
    code, out, _ = run("diagnose", "f.csv", "--scale", "none")
    assert "[warning] scaling" in out
    assert "--scale standard" in out
    assert "sklearn" not in out


def test_diagnose_of_a_regression(run, write):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2)).round(3)
    y = X[:, 0].round(3)
    X[31], y[31] = X[30], y[30] + 2.0
    y[7] = 1e6
    write("r.csv", "a,b,y", np.column_stack([X, y]).tolist())
    result = json.loads(run("diagnose", "r.csv", "--task", "regression", "--json").out)
    found = {finding["name"]: finding for finding in result["findings"]}
    assert "1e+06 (line 9)" in found["outliers"]["message"]
    assert found["outliers"]["severity"] == "warning"
    assert found["duplicates"]["message"].startswith("2 rows have the same features as another")
    bound = np.sqrt(2 * 1.0**2 / 40)  # the two lie one from their mean
    assert f"below {bound:.4g}" in found["duplicates"]["message"]
    assert result["data"]["class_counts"] is None
    write("c.csv", "a,b,y", [(*x, 3.5) for x in X.tolist()])
    assert "The target is 3.5 in all rows" in run("diagnose", "c.csv", "--task", "regression").out


def test_compare_of_a_regression(run, write):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    write("r.csv", "a,b,y", np.column_stack([X, 100 + 20 * X[:, 0]]).tolist())
    command = ("compare", "r.csv", "--task", "regression", "--folds", "2", "--methods")
    code, out, _ = run(*command, "kernelwise,SVR defaults")
    assert code == 0
    head, *lines = out.splitlines()
    assert head.split()[:2] == ["method", "R²"]
    assert {"RMSE", "MAE"} <= set(head.split())
    assert lines[0].startswith("kernelwise")
    assert lines[2].startswith("mean ")


def test_a_test_far_below_cross_validation_is_said(run, write):
    rng = np.random.default_rng(4)

    def rows(sign):
        y = np.arange(60) % 2
        return [(*(rng.normal(size=2) + 3 * sign * k), "ab"[k]) for k in y]

    write("train.csv", "a,b,class", rows(1))
    write("test.csv", "a,b,class", rows(-1))
    found = json.loads(run("tune", "train.csv", "test.csv", *SHORT, "--json").out)["findings"]
    (gap,) = [finding for finding in found if finding["name"] == "test below cross-validation"]
    assert "Trust the test." in gap["message"]
    assert "person" in gap["advice"]
    out = run("tune", "train.csv", "train.csv", *SHORT).out
    assert "All 60 test rows are also in the training data" in out.partition("\nlook first ")[2]


def test_a_baseline_stands_beside_the_score(run, rare):
    out = run("tune", rare, *IGNORE, *SHORT, *RBF).out
    score = r"\nscore +9\d(\.\d)? % ± \d\.\d correct on rows .*always answering 'healthy'(: | \()91.0 %"
    assert re.search(score, out)


@pytest.mark.parametrize(
    ("n", "n_distinct", "n_trained", "words"),
    [
        (75, 75, 75, "all 75 rows"),
        (1030, 1005, 1005, "all 1030 rows, 1005 of them different"),
        (19020, 19000, 4000, "4000 of 19000 different rows"),
    ],
)
def test_rows_trained_on_are_said(n, n_distinct, n_trained, words):
    data = {"n_samples": n, "n_distinct": n_distinct}
    assert results.trained_on({"data": data, "n_trained": n_trained}) == words


def test_equal_rows_are_counted_once(run, write):
    rng = np.random.default_rng(5)
    rows = [(*rng.normal(size=2).round(3), "ab"[k % 2]) for k in range(30)]
    write("f.csv", "a,b,class", [*rows, *rows[:6]])
    result = json.loads(run("tune", "f.csv", *SHORT, "--json").out)
    assert result["data"]["n_samples"] == 36
    assert result["data"]["n_distinct"] == result["n_trained"] == 30
    assert f"{result['n_support']} of the 30 training rows" in run("tune", "f.csv", *SHORT, "--verbose").out


def test_the_final_solver_can_be_chosen(run, rare):
    out = run("tune", rare, *IGNORE, *SHORT, "--solver", "nystroem", "--verbose").out
    assert "The final model is an approximation by" in out
    assert "--solver exact" in out


def test_the_line_of_progress_has_the_share_and_no_score_in_80_columns(monkeypatch):
    from rich.console import Console

    monkeypatch.setattr(session, "is_verbose", False)
    progress = Progress(expected=10)
    progress.started = 0.0
    now = [100.0]
    monkeypatch.setattr("kernelwise.cli.progress.time.monotonic", lambda: now[0])
    scores = np.array([[0.8, 0.9], [0.7, 0.7]])
    path = SimpleNamespace(
        kernel="DiagonalGaussian(" + "0.123456, " * 10 + ")",
        scores=scores,
        best=0,
        best_score=0.9,
        n_machines=100000,
        seconds=20.0,
        Cs=[1.0, 2.0],
        symbol="C",
    )
    progress.live = object()
    progress.scored(path)
    now[0] = 120.0
    progress.scored(path)
    progress.spinner, progress.live_width = SimpleNamespace(update=lambda text: shown.append(text)), 76
    shown = []
    progress._line()
    text = str(shown[0])
    assert len(text) == 76
    assert text.startswith("120.0 s, about 20 % done, 160 s left, 200000 models; ")
    monkeypatch.setattr(session, "is_verbose", True)
    progress._line()
    assert str(shown[1]) == text
    assert Console().width  # rich is there


def test_the_time_left_is_without_that_of_the_first_part(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("kernelwise.cli.progress.time.monotonic", lambda: now[0])
    progress = Progress(expected=10)
    progress.live = object()
    for seconds in (9.0, 2.0, 4.0):
        now[0] += seconds
        progress.done()
    assert progress._left(now[0]) == pytest.approx(7 * 3.0)  # parts that are left, of 2 and 4 seconds
    progress.started = 0.0
    assert ", 21 s left" in progress._counts()
    progress.n_done = 9
    assert ", a few seconds left" in progress._counts()


def test_a_method_takes_as_long_on_the_next_fold(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("kernelwise.cli.compare.time.monotonic", lambda: now[0])
    progress = Progress()
    progress.live, progress.started = object(), 0.0
    watcher = Watcher(progress, n_splits=4, n_methods=1)
    for split, seconds in enumerate((30.0, 2.0)):
        watcher.begin("kernelwise", split)
        now[0] += seconds
        watcher.scored("kernelwise", split, 0.9)
        assert progress.seconds_left == seconds * (3 - split)


def test_warnings_of_the_library_are_said(capsys):
    with Progress():
        logging.getLogger("kernelwise").warning("kernelwise found no folder.")
    assert "kernelwise found no folder." in capsys.readouterr().err


def test_learning_a_metric_is_a_phase_and_its_length_no_finding(run, rare):
    code, out, err = run("tune", rare, *IGNORE, *SHORT, "--kernel", "diagonal", "--verbose")
    assert code == 0
    assert "learning a diagonal metric by centered-kta" in err
    assert "ManifoldDescent" not in out
    assert "max_iter" not in out
    code, _, err = run("tune", rare, *IGNORE, *SHORT, *BY_ERROR, "--verbose")
    assert code == 0
    assert "searching a RBF kernel by" in err


BY_ERROR = ("--criterion", "cv-error", "--search", "quasi-newton")


def spelled(write, n_other):
    rng = np.random.default_rng(0)
    labels = ["mild case", "severe case"] * 20 + ["Mild case"] * n_other
    rows = [(*np.round(rng.normal(size=2) + (word[0] == "s"), 3), word) for word in labels]
    return write("labels.csv", "a,b,class", rows)


def test_labels_written_in_two_ways_are_the_first_thing_to_look_at(run, refused, write):
    sentence = (
        "'mild case' (20 rows) and 'Mild case' (3 rows) differ only in capitals or spaces, but count as "
        "different classes. If they are the same class, write them in the same way in the file and "
        "run this again."
    )
    name = spelled(write, 3)
    strict = ("--strict",)
    assert (
        f"\n- [labels written in two ways] {sentence}\n"
        in run("tune", name, *SHORT, *strict, "--verbose").out
    )
    assert sentence in run("tune", name, *SHORT, *strict).out.partition("\nlook first ")[2]
    assert (
        f"\n[warning] labels written in two ways: {sentence}"
        in run("diagnose", name, *strict).out.partition("[note")[0]
    )
    assert sentence in run("compare", name, "--methods", "SVC defaults", "--folds", "2", *strict).err
    told = refused("tune", spelled(write, 1), *SHORT, *strict)
    assert told == f"labels.csv: {sentence.replace('3 rows', '1 row')}"


def test_labels_written_in_two_ways_are_one_class(run, write):
    told = run("tune", spelled(write, 1), *SHORT)
    assert "Labels that differ only in capitals or spaces are one class, 'mild case': " in told.err
    assert "columns; mild case (21)" in told.out


def test_advice_in_json_is_an_option_of_the_command_line(run, rare):
    for command in ("tune", "diagnose"):
        found = json.loads(run(command, rare, *IGNORE, "--json").out)["findings"]
        (imbalance,) = [finding for finding in found if finding["name"] == "imbalance"]
        assert "--class-weight balanced" in imbalance["advice"]
        assert "class_weight=" not in imbalance["advice"]


def test_every_word_of_the_table_is_explained(run, rare):
    out = run("tune", rare, *IGNORE, *SHORT, "--kernel", "diagonal", "--verbose", "--report", "r.html").out
    kernel = r"\nkernel +SVM with RBF kernel with weights for (1 of )?2 features, C = .*: rows count as alike"
    assert re.search(kernel, out)
    assert re.search(r"\nC +[\d.e+-]+: a larger C makes the model try harder", out)
    assert re.search(r"\nsupport vectors +\d+ of the 100 training rows; only these", out)
    assert "DiagonalGaussian(" not in out
    page = Path("r.html").read_text(encoding="utf-8")  # which has the definitions
    assert "“Held out” means that each row was predicted by a model that was not trained on it" in page
    assert "± is one standard error" in page
    assert "A kernel measures how alike two rows are." in page


def test_a_regression_has_its_error_in_units_of_the_target(run, write):
    rng = np.random.default_rng(0)
    rows = [(round(x, 3), round(1000 * x + 20 * rng.normal(), 2)) for x in rng.normal(size=60).tolist()]
    name = write("reg.csv", "a,price", rows)
    result = json.loads(run("tune", name, "--task", "regression", *SHORT, "--json").out)
    assert 15 < result["errors"]["rmse"] < 400 < result["errors"]["rmse_of_mean"]
    out = run("tune", name, "--task", "regression", *SHORT).out
    assert re.search(r"\nscore +R² \d", out)
    assert f"typical error (RMSE) {result['errors']['rmse']:.3g}; that of always answering the mean: " in out
    assert " r2 " not in out


def test_the_logarithm_of_a_target_is_found_used_and_undone(run, refused, write):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1.0, 1.0, size=(150, 3)).round(3)
    prices = np.exp(1.5 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=150)).round(3)
    name = write("prices.csv", "a,b,c,price", np.column_stack([X, prices]).tolist())
    plain = json.loads(run("tune", name, *RBF, "--json").out)
    (found,) = [one for one in plain["findings"] if one["name"] == "logarithm of the target"]
    assert found["advice"] == "Use --log-target."
    told = run("tune", name, *RBF, "--log-target", "--model", "m.kw", "--json")
    result = json.loads(told.out)
    assert result["settings"]["log_target"]
    assert result["score"]["cross_validated"] > plain["score"]["cross_validated"]
    assert "logarithm of the target" not in {one["name"] for one in result["findings"]}
    rows = csv.DictReader(io.StringIO(run("predict", "m.kw", name).out))
    predicted = [float(row["prediction"]) for row in rows]
    assert np.corrcoef(np.log(predicted), np.log(prices))[0, 1] > 0.9
    assert "the logarithm of the prediction" in run("explain", "m.kw", name).out
    assert "was trained with --log-target" in refused("export", "m.kw", "m.c")
    assert "--log-target works for numbers only" in refused(
        *("tune", name, "--task", "classification", "--log-target")
    )


def test_quantiles_are_chosen_predicted_and_told(run, refused, write):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1.0, 1.0, size=(150, 2)).round(3)
    y = (10.0 * X[:, 0] + (1.0 + X[:, 1]) * rng.normal(size=150)).round(0)
    name = write("sizes.csv", "a,b,size", np.column_stack([X, y]).tolist())
    told = run("tune", name, *RBF, "--quantile", "0.1,0.5,0.9", "--model", "m.kw", "--json")
    result = json.loads(told.out)
    assert result["score"]["name"] == "d2_pinball_score"
    assert [one["quantile"] for one in result["quantiles"]] == [0.1, 0.5, 0.9]
    np.testing.assert_allclose([one["share_below"] for one in result["quantiles"]], [0.1, 0.5, 0.9], atol=0.1)
    predicted = run("predict", "m.kw", name)
    rows = [[float(cell) for cell in row.values()] for row in csv.DictReader(io.StringIO(predicted.out))]
    assert predicted.out.startswith("q0.1,q0.5,q0.9\n")
    assert (np.diff(rows, axis=1) >= 0.0).all()
    assert "of the rows lie below the predicted 0.1, 0.5 and 0.9 quantiles" in predicted.err
    assert "mean |value|, quantile 0.9" in run("explain", "m.kw", name).out
    run("export", "m.kw", "m.c")
    one = run("tune", name, *RBF, "--quantile", "0.9").out
    assert re.search(
        r"\nscore +D² of the pinball loss \d.*% of the rows lie below the predicted 0.9 quantile", one
    )
    for wrong in ("1.5", "0.9,0.1", "half", ""):
        assert "--quantile must be a number between 0 and 1" in refused("tune", name, "--quantile", wrong)
    assert "--quantile works for numbers only" in refused(
        *("tune", name, "--task", "classification", "--quantile", "0.9")
    )


OWN_KERNEL = """
import numpy as np
from kernelwise.kernels import RBF

class Mine(RBF):
    pass

class Needy(RBF):
    def __init__(self, gamma):
        super().__init__(gamma)

nothing = dict
"""


def test_a_kernel_of_the_user_is_named_by_its_module(run, refused, rare, tmp_path, monkeypatch):
    (tmp_path / "my_kernels.py").write_text(OWN_KERNEL)
    monkeypatch.setattr("sys.path", [*sys.path])
    told = run("tune", rare, *IGNORE, *SHORT, "--kernel", "my_kernels:Mine", "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["kernel"]["name"] == "Mine"
    for kernel, words in {
        "no_such_module:Mine": "there is no module no_such_module",
        "my_kernels:Yours": "the module my_kernels has no Yours",
        "my_kernels:Needy": "Needy() needs arguments",
        "my_kernels:nothing": "nothing is no kernel",
    }.items():
        assert words in refused("tune", rare, *IGNORE, "--kernel", kernel)
    wrong = refused("tune", rare, *IGNORE, "--kernel", "my_kernels:Mine", "--model", "m.kw")
    assert "--model cannot keep a kernel of your own" in wrong


def test_a_threshold_may_be_that_of_the_positive_class(run, rare):
    common = ("tune", rare, *IGNORE, *SHORT, *RBF, "--threshold", "0.3", "--json")
    first, second = (json.loads(run(*common, *more).out) for more in (("--positive", "rare disease"), ()))
    assert first["score"] == second["score"]
    auto = ("--threshold", "auto", "--positive", "rare disease", "--scoring", "balanced_accuracy")
    assert run("tune", rare, *IGNORE, *SHORT, *RBF, *auto).code == 0


def test_the_default_share_of_unusual_rows_is_no_finding(run, rare):
    found = run("detect", rare, *IGNORE, "--ignore", "class", "--kernel", "rbf", "--report", "d.html")
    assert re.search(r"\nstrangest +5 of 100 rows \(5.0 %, the default share\)\n", found.out)
    assert "<h1>The 5 strangest of 100 rows (5.0" in Path("d.html").read_text(encoding="utf-8")
    named = run("detect", rare, *IGNORE, "--ignore", "class", "--kernel", "rbf", "--contamination", "0.1")
    assert re.search(r"\nunusual rows +10 of 100 rows \(10.0 %\)\n", named.out)


def test_predictions_of_numbers_have_digits_that_matter(run, write):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)).round(3)
    name = write("n.csv", "a,b,size", np.column_stack([X, 100 + 20 * X[:, 0] + rng.normal(size=60)]).tolist())
    run("tune", name, *SHORT, *RBF, "--model", "m.kw")
    cells = [row["prediction"] for row in csv.DictReader(io.StringIO(run("predict", "m.kw", name).out))]
    assert max(len(cell.partition(".")[2]) for cell in cells) <= 4


def test_the_verdict_of_a_comparison_is_the_headline_of_its_report(run, rare, tmp_path):
    options = ("--methods", "SVC defaults,kernelwise", "--folds", "2")
    out = run("compare", rare, *IGNORE, *options, "--report", "c.html").out
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    (headline,) = re.findall("<h1>(.*)</h1>", page)
    headline = headline.replace("\N{NO-BREAK SPACE}", " ")
    assert f"\n{headline}." in out
    assert "\nWith 2 outer folds, a difference below 14.0 times its s.e. may be chance.\n" in out


def test_predictions_for_the_training_rows_come_with_a_caution(run, write, rare, tmp_path):
    assert run("tune", rare, *IGNORE, *SHORT, "--model", "m.kw").code == 0
    assert "This looks like the file that the model was trained on. " in run("predict", "m.kw", rare).err
    lines = (tmp_path / rare).read_text().splitlines()
    some = [line.split(",") for line in lines[1:]]
    new = [(a, f"{float(b) + 0.5:.4f}", *rest) for a, b, *rest in some]
    write("new.csv", lines[0], new)
    assert "trained on" not in run("predict", "m.kw", "new.csv").err
    write("part.csv", lines[0], [*some[:50], *new[50:]])
    assert re.search(
        r"At least \d+ of these 100 rows are equal to rows that the model was trained on, in all columns",
        run("predict", "m.kw", "part.csv").err,
    )


def test_a_class_of_one_row_is_said_once_and_stops_nothing(run, refused, write):
    random = np.random.default_rng(0)
    rows = [
        (f"{a:.3f}", f"{b:.3f}", "mild" if k < 20 else "bad")
        for k, (a, b) in enumerate(random.normal(size=(40, 2)))
    ]
    lone = write("lone.csv", "a,b,grade", [*rows, (3.0, 3.0, "rare")])
    code, out, _ = run("tune", lone, *SHORT, "--verbose")
    assert code == 0
    assert (
        "- [class of one row] Class 'rare' has one row, so no score can measure how well the model recognises"
        " it. Add rows" in out
    )
    assert out.partition("Look at this first")[2].count("one row, so") == 1
    assert "[warning] class of one row: 1 class has only one row ('rare': 1)." in run("diagnose", lone).out
    message = refused("tune", write("two.csv", "a,b,grade", [rows[0], rows[-1]]))
    assert "Every class has 1 row, so none can be held out to score a model. Add rows" in message


def test_columns_that_may_be_wrong_are_looked_at_first(run, write):
    rng = np.random.default_rng(0)
    rows = [
        ("OK" if k % 3 else "ok", "" if k % 4 else k / 7, *np.round(rng.normal(size=2) + k % 2, 3), k % 2)
        for k in range(60)
    ]
    name = write("doubtful.csv", "state,cabin,a,b,class", rows)
    state = "Column 'state': 'OK' (40 rows) and 'ok' (20 rows) differ only in capitals or spaces"
    cabin = "Column 'cabin': 45 of 60 values are missing, and the median 4 replaces all of them."
    out = run("tune", name, "--impute", *SHORT, "--report", "r.html", "--verbose").out
    first = out.partition("\nLook at this first:")[2].partition("\nWhy")[0]
    assert state in first
    assert cabin in first
    page = (Path(name).parent / "r.html").read_text().replace("&#39;", "'")
    assert page.index(state) < page.index('<dl class="facts">')
    found = json.loads(run("diagnose", name, "--impute", "--json").out)["findings"]
    assert {"words written in two ways", "mostly empty"} <= {finding["name"] for finding in found}
    assert state in run("compare", name, "--impute", "--methods", "SVC defaults", "--folds", "2").err


def test_rows_of_a_class_are_told_from_its_name(run, write):
    name = write("numbers.csv", "a,b,class", [(k * k, k % 3, 2 - k % 2) for k in range(30)])
    assert run("diagnose", name).out.startswith("30 rows, 2 features; 'class': 2 classes, 1 (15), 2 (15).")


def test_probabilities_under_class_weights_are_said_to_be_such(run, rare):
    run("tune", rare, *IGNORE, *SHORT, "--class-weight", "balanced", "--model", "m.kw", "--report", "r.html")
    told = "a rare class is less frequent than its probability suggests"
    assert told in run("predict", "m.kw", rare, "--proba").err
    assert told not in run("predict", "m.kw", rare).err
    assert told in Path("r.html").read_text()
    run("tune", rare, *IGNORE, *SHORT, "--model", "m.kw")
    assert told not in run("predict", "m.kw", rare, "--proba").err


@pytest.fixture
def two_classes(write):
    random = np.random.default_rng(4)
    rows = [
        (f"{x + 2 * (k % 2):.3f}", f"{y:.3f}", "yn"[k % 2])
        for k, (x, y) in enumerate(random.normal(size=(60, 2)))
    ]
    return write("two_classes.csv", "a,b,kind", rows)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "roc_auc"])
def test_one_row_with_a_target_is_predicted_whatever_the_score(run, write, two_classes, scoring):
    one = write("one.csv", "a,b,kind", [("2.0", "0.1", "n")])
    tuned = run("tune", two_classes, one, *SHORT, "--scoring", scoring, "--model", "m.kw")
    assert tuned.code == 0
    undefined = "ROC AUC is not defined on the 1 test row" in tuned.out
    assert undefined == (scoring == "roc_auc")
    code, out, err = run("predict", "m.kw", one)
    assert (code, out) == (0, "prediction\nn\n")
    assert ("roc_auc undefined, accuracy 1.0000 on 1 row." in err) == undefined
    assert "warning" not in err


def test_labels_of_a_test_file_that_no_class_has_are_told(run, write, two_classes):
    strange = write("strange.csv", "a,b,kind", [("2.0", "0.1", "q"), ("0.0", "0.1", "y")])
    told = (
        "strange.csv: 1 row has a label that the training file does not have, such as 'q': no answer can be"
    )
    assert told in run("tune", two_classes, strange, *SHORT).err


def test_a_strict_test_file_has_every_target(refused, write, two_classes):
    gappy = write("gappy.csv", "a,b,kind", [("2.0", "0.1", "n"), ("0.0", "0.1", "")])
    told = refused("tune", two_classes, gappy, *SHORT, "--strict")
    assert told == "gappy.csv: the target is missing in 1 of 2 rows. Remove these rows."


def test_what_was_left_to_an_answer_is_said_if_there_is_none(run, write):
    rows = [(k + 1, f"{k % 7}.5", "yn"[k % 2]) for k in range(60)]
    outcome = run("tune", write("numbered.csv", "id,a,kind", rows), *SHORT, "--cost", "zzz=3")
    assert outcome.code == 2
    assert outcome.err.count("1 column was left out, which cannot help: 'id'") == 1


def test_a_verbose_answer_tells_findings_once(run, write):
    rows = [(k + 1, f"{k % 7}.5", "yn"[k % 2]) for k in range(60)]
    code, out, err = run("tune", write("numbered.csv", "id,a,kind", rows), *SHORT, "--verbose")
    assert code == 0
    assert "left out" not in err
    assert "- [columns left out] 1 column was left out" in out.partition("Look at this first")[2]


@pytest.mark.parametrize("verbose", [(), ("--verbose",), ("--quiet", "--verbose")])
def test_what_is_done_to_columns_is_told_once(run, write, verbose):
    random = np.random.default_rng(0)
    rows = [
        (f"B{k}", f"{k % 28 + 1}.{k % 12 + 1}.2024", k % 2 + random.random(), "uv"[k % 2]) for k in range(120)
    ]
    name = write("dated.csv", "id,day,a,kind", rows)
    code, out, err = run("tune", name, *SHORT, *verbose)
    assert code == 0, err
    for sentence in ("Read as dates: 'day'", "which cannot help: 'id'"):
        assert (out + err).count(sentence) == 1, sentence
    found = json.loads(run("tune", name, *SHORT, "--json").out)["findings"]
    assert any("'day'" in one["message"] for one in found if one["severity"] == "info")


def test_the_answer_is_in_one_piece(run, write):
    """What a more serious finding keeps out of `look first` is said before the answer."""
    rows = [(f"B{k}", np.round(np.cos(k), 3), "b" if k < 2 else "a") for k in range(80)]
    code, out, err = run("tune", write("rare.csv", "id,a,kind", rows), *SHORT)
    assert code == 0, err
    assert "which cannot help: 'id'" in err
    assert "which cannot help" not in out
    assert "Predicting 'kind'" in out
