"""One score is quoted for a model: in the terminal, JSON, the report, ``verbose`` and all attributes."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import kernelwise

NUMBERS = ("--task", "regression")
#: What is asked for, by what it is called here.
ASKED = {
    "accuracy": (),
    "area": ("--scoring", "roc_auc"),
    "log loss": ("--scoring", "neg_log_loss"),
    "class weights": ("--scoring", "balanced_accuracy", "--class-weight", "balanced"),
    "costs": ("--cost", "yes=4"),
    "threshold": ("--threshold", "auto", "--scoring", "f1_macro"),
    "numbers": NUMBERS,
    "errors of numbers": ("--scoring", "neg_mean_absolute_error", *NUMBERS),
}
#: Scores that are shares of rows, shown in per cent.
SHARES = ("accuracy", "costs")


@pytest.fixture
def files(tmp_path):
    """Two classes and a number of which two columns tell a part: labels by probability are others."""
    random = np.random.default_rng(2)
    y = (np.arange(90) % 3 == 0).astype(int)
    X = (random.normal(size=(90, 2)) + 0.9 * y[:, None]).round(5)
    number = (X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.5 * random.normal(size=90)).round(5)
    targets = {"classes": np.where(y, "yes", "no"), "numbers": number}
    for name, target in targets.items():
        lines = [f"{a},{b},{c}" for (a, b), c in zip(X, target, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,target", *lines]))
    return X, targets


def score_and_error(text):
    """A score with its error as they are shown: of "R² 0.87 ± 0.02 on rows" this is ("0.87", "0.02")."""
    return re.search(r"(\d+(?:\.\d+)?)(?:\s%)? ± (\d+(?:\.\d+)?)", text).groups()


@pytest.mark.parametrize("case", ASKED)
def test_every_score_that_is_quoted_for_a_model_is_the_same(case, run, files, capsys):
    X, targets = files
    kind = "numbers" if "numbers" in case else "classes"
    command = ("tune", f"{kind}.csv", "--target", "target", "--kernel", "rbf", *ASKED[case])
    told = run(*command, "--verbose", "--report", "r.html", "--model", "m.kw")
    assert told.code == 0, told.err
    found = json.loads(run(*command, "--json").out)
    page = html.unescape(Path("r.html").read_text(encoding="utf-8")).replace("\xa0", " ")
    model = kernelwise.load("m.kw")
    result, score = model.result_, found["score"]

    assert score["value"] == score["cross_validated"] == result.score == model.best_score_
    assert score["error"] == score["standard_error"] == result.standard_error > 0.0
    assert score["expected"] == score["corrected"] == result.corrected_score <= result.score
    assert score["guess"] == found["baseline"]["score"] == result.baseline.score
    assert "score" not in told.err  # progress has none

    capsys.readouterr()
    again = clone(model).set_params(verbose=1).fit(X, targets[kind])
    *lines, last = capsys.readouterr().err.splitlines()
    assert again.best_score_ == again.result_.score == model.best_score_
    for line in lines:
        shown = float(re.search(r"score in the search (-?[\d.]+) with C = ", line)[1])
        assert np.abs(again.cv_results_["mean_test_score"] - shown).min() <= 5e-5

    # What people read: the sign is that of a score which is the negative of an error.
    of_terminal, of_page = re.search(r"\nscore +(.*)", told.out)[1], re.search(r"<h1>(.*?)</h1>", page)[1]
    of_facts = re.findall(r", held out</dt><dd>(.*?)<small>(.*?)</small>", page)
    shown, error = score_and_error(result.why[0])
    factor = 100.0 if case in SHARES else 1.0
    for text, number in ((shown, abs(result.score)), (error, result.standard_error)):
        decimals = len(text.partition(".")[2])
        assert float(text) == pytest.approx(factor * number, abs=0.5001 * 10.0**-decimals)
    assert score_and_error(last) == (shown, error)
    assert (shown, error) in [score_and_error(f"{value}{spread}") for value, spread in of_facts]
    assert of_page.removeprefix("Predicting 'target': ") == of_terminal
    if case == "costs":  # judged by cost, with the score beside it
        assert of_terminal.endswith(f"; {shown} % are correct")
    else:
        assert score_and_error(of_terminal) == (shown, error)
    if case in ("class weights", "costs", "threshold"):  # where the search compared something else
        compared = again.cv_results_["mean_test_score"][again.best_index_]
        assert compared == -again.result_.value != result.score
        assert "cv_results_" in result.how[-1]
    # The first sentence has the score, one may have what to expect; of other kernels there are differences.
    others = [sentence for sentence in result.why[1:] if "expect about " not in sentence]
    assert not any(re.search(r"\d %|score(s| of) [\d.−]", sentence) for sentence in others)


def test_one_class_has_one_score_too(run, files, capsys):
    X, _ = files
    lines = [f"{a},{b}" for a, b in X]
    Path("rows.csv").write_text("\n".join(["a,b", *lines]))
    told = run("detect", "rows.csv", "--verbose", "--model", "m.kw")
    found = json.loads(run("detect", "rows.csv", "--json").out)["score"]
    model = kernelwise.load("m.kw")
    assert "score" not in told.err
    assert found["value"] == model.best_score_ == model.result_.score
    assert found["value"] == model.cv_results_["mean_test_score"][model.best_index_]
    assert found["standard_error"] == model.result_.standard_error
    assert f" in {100 * found['value']:.1f} % of all pairs" in " ".join(model.result_.why)
    capsys.readouterr()
    clone(model).set_params(verbose=1).fit(X)
    *_, last = capsys.readouterr().err.splitlines()
    assert last.endswith(f": score {found['value']:.4f} ± {found['standard_error']:.4f}.")


def test_without_a_final_model_the_score_is_what_the_search_compared(files):
    X, targets = files
    asked = {"class_weight": "balanced", "scoring": "balanced_accuracy"}
    search = kernelwise.TunedSVC("rbf", refit=False, **asked).fit(X, targets["classes"])
    assert search.best_score_ == search.result_.score
    assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]
