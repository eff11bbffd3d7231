"""The score of one model is one number, and so is its ±, wherever they are shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import kernelwise

#: Where the page has the score and its ±: its heading, and its facts.
PAGE = (
    r"<h1>Predicting &#39;play&#39;: \D*([\d.]+)(?:\s%)?\s±\s([\d.]+)(?: correct)? on rows that the model",
    r", held out</dt><dd>([\d.]+)(?:\s%)?<small> ± ([\d.]+)</small>",
)
#: Where it has those of the search.
SEARCHED = r'<tr class="chosen"><td class="n">.*?</td><td class="n">([\d.]+)(?: %)? ± ([\d.]+)</td>'


@pytest.fixture
def files(tmp_path):
    """Two classes of which one number says something, and no more: errors are far from 0."""
    random = np.random.default_rng(2)
    for name, n in (("train.csv", 70), ("test.csv", 30)):
        y = np.arange(n) % 2
        X = random.normal(size=(n, 2)) + 0.9 * y[:, None]
        lines = [f"{a:.5f},{b:.5f},{'no' if k else 'yes'}" for (a, b), k in zip(X, y, strict=True)]
        (tmp_path / name).write_text("\n".join(["a,b,play", *lines]))
    return tmp_path


@pytest.fixture
def shown(run, files):
    """Run the command in all its forms: the fitted model, the printed table, the JSON object, the page."""

    def shown_by(*options):
        command = ("tune", "train.csv", "test.csv", "--log2c", "-1,3,2", "--cv", 4, *options)
        table = run(*command, "--report", "r.html", "--model", "m.kw")
        assert table.code == 0, table.err
        found = json.loads(run(*command, "--json").out)
        page = (files / "r.html").read_text(encoding="utf-8")
        return kernelwise.load("m.kw"), table.out, found, page

    return shown_by


def texts(score, error, allows, share):
    """A score and its error with the digits that an error allows."""
    factor = 100 if share else 1
    first = f"{factor * allows:e}"  # two digits of an error that begins below 3.55, else one
    digits = max(0, -int(first.partition("e")[2]) + (float(first.partition("e")[0]) < 3.55))
    return f"{factor * score:.{digits}f}", f"{factor * error:.{digits}f}"


def check_all_show(error, model, table, found, page, share):
    assert error > 0.005
    assert found["score"]["standard_error"] == model.result_.standard_error == error
    score = model.result_.score
    assert found["score"]["cross_validated"] == score
    line = r"\nscore +[^\d]*([\d.]+)(?: %)? ± ([\d.]+) "
    assert re.search(line, table).groups() == texts(score, error, error, share)
    assert model.best_score_ == score
    searched = -model.result_.value, model.cv_results_["standard_error"][model.best_index_]
    for pattern, numbers in (*((pattern, (score, error)) for pattern in PAGE), (SEARCHED, searched)):
        assert re.search(pattern, page).groups() == texts(*numbers, error, share)


def test_accuracy_has_one_score_and_standard_error_those_of_a_share_of_samples(shown):
    model, table, found, page = shown("--cv", 5, "--blend", "no")  # folds of equal size
    p, record = model.result_.score, model.fit_record_
    assert p != -model.result_.value  # labels by probability are others than those of the search
    assert p == pytest.approx((record.predicted == record.truth).mean())
    said = model.result_.how[-1]
    assert f"by its own answers {100 * p:.2f} %." in said
    assert f"the chosen model scores {-100 * model.result_.value:.2f} %, " in said
    assert f"{round(70 * (1 - p))} of 70 rows wrong" in page
    error = model.result_.standard_error
    assert 1.1 < error / np.sqrt(p * (1 - p) / 70) < 1.5  # with the errors of training rows and of the choice
    check_all_show(error, model, table, found, page, share=True)
    p = found["test"]["score"]
    centre = (
        30 * p + 2
    ) / 34  # as of Agresti and Coull: two rows more that are right, and two that are wrong
    expected = np.sqrt(centre * (1 - centre) / 34)
    assert found["test"]["standard_error"] == pytest.approx(expected)
    assert f"{100 * p:.0f} % ± {100 * expected:.0f} correct on 30 test rows" in table
    assert f"{100 * p:.0f} %<small> ± {100 * expected:.0f}</small>" in page


def delong(model, n_folds):
    """The standard error of the mean area of the folds, by the rows that each row is on the right side of."""
    record, variance = model.fit_record_, 0.0
    for k in range(n_folds):
        low, high = (record.probability[(record.fold == k) & (record.truth == one)] for one in (0, 1))
        below = low[:, None] < high
        variance += below.mean(axis=1).var(ddof=1) / len(low) + below.mean(axis=0).var(ddof=1) / len(high)
    return np.sqrt(variance) / n_folds


def test_roc_auc_has_one_standard_error_that_of_its_rows(shown):
    model, table, found, page = shown("--scoring", "roc_auc", "--blend", "no")
    folds = [model.cv_results_[f"split{k}_test_score"][model.best_index_] for k in range(4)]
    error = model.result_.standard_error
    assert error == pytest.approx(delong(model, 4) * np.sqrt(1.75), rel=0.2)  # and what folds share
    assert error != pytest.approx(np.sqrt(np.mean(folds) * (1 - np.mean(folds)) / 70), rel=0.05)
    check_all_show(error, model, table, found, page, share=False)
    assert found["test"]["standard_error"] is None
    assert re.search(r"\nexpect +ROC AUC 0\.\d+ on 30 test rows", table)


def test_the_table_needs_no_package_that_draws():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('jinja2', 'matplotlib')));"
        "import kernelwise.cli.results"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
