"""The report on unusual rows: plain values, one page, and nothing that a name can break."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR, load
from kernelwise.findings import Finding
from kernelwise.reports import report_data
from kernelwise.reports.outliers import strangest_rows

from .conftest import SCRIPT, Elements

pd = pytest.importorskip("pandas")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(70, 3)), columns=["a", SCRIPT, "c"])
    X.iloc[7, 1] = 12.0
    return TunedOneClassSVM("rbf", random_state=0).fit(X), X


def written(model, path, *rows, **options):
    model.report(path, *rows, **options)
    return path.read_text(encoding="utf-8")


def test_values_of_the_strangest_row_add_up_and_name_the_column(fitted):
    model, X = fitted
    first = strangest_rows(model, X, 3)[0]
    assert first.row == 7
    assert first.name == "row 7"
    assert first.reasons()[0][0] == SCRIPT
    assert first.score == model.training_scores_[7]
    assert first.probability == model.training_probabilities_[7]
    assert first.stranger_than == 69 / 70
    shares = [share for _, share in first.reasons()]
    assert shares == sorted(shares, reverse=True)
    assert 0.9 < sum(shares) <= 1 + 1e-12


def test_the_page_has_all_parts_and_escapes_names(fitted, tmp_path):
    model, X = fitted
    page = written(model, tmp_path / "report.html", X)
    n_unusual = report_data(model, X).outliers.n_unusual
    assert f"The {n_unusual} strangest of 70 rows" in page
    assert all(f'id="{name}"' in page for name in ("strangest", "scores", "plane", "why", "repeat"))
    assert SCRIPT not in page
    assert SCRIPT in "".join(Elements(page).text)


@pytest.mark.parametrize("kind", [TunedSVC, TunedSVR, TunedOneClassSVM])
def test_every_tuned_estimator_writes_its_report(kind, blobs, tmp_path):
    X, y = blobs
    model = kind().fit(X) if kind is TunedOneClassSVM else kind(Cs=[1.0]).fit(X, y.astype(float))
    page = written(model, tmp_path / "report.html")
    elements = Elements(page)
    assert report_data(model).heading in elements.text  # the title of the page
    assert not {tag for tag, _ in elements.tags} & {"link", "iframe", "img", "object", "embed"}
    assert all(a.get("href", "#").startswith(("#", "data:")) for _, a in elements.tags)
    assert elements.sections[-1] == "repeat"
    assert f"import {kind.__name__}" in page
    assert list(tmp_path.iterdir()) == [tmp_path / "report.html"]


def test_the_path_alone_is_enough_for_scores_but_not_for_columns(fitted, tmp_path):
    model, X = fitted
    page = written(model, tmp_path / "report.html")
    n_unusual = (model.training_scores_ < model.threshold_).sum()
    assert (
        f"<h1>The {n_unusual} strangest of 70 rows ({100 * n_unusual / 70:.1f}\N{NO-BREAK SPACE}%, the "
        in page
    )
    assert Elements(page).sections == ["strangest", "scores", "try", "why", "repeat"]
    assert "Give the report the training rows" in page
    assert "Give the report the training rows" not in written(model, tmp_path / "report.html", X)
    assert "fingerprint" not in page
    assert "TunedOneClassSVM(kernel=&#39;rbf&#39;).fit(X)" in page


def test_the_data_are_those_of_the_model(fitted):
    model, X = fitted
    data = report_data(model, X, lines=np.arange(70) + 2)
    assert (data.answer.nu, data.answer.C, data.answer.score) == (model.nu_, None, model.criterion_)
    assert (data.n_rows, data.n_columns, data.paths, data.confusions) == (70, 3, [], [])
    assert_array_equal(data.outliers.scores, model.training_scores_)
    assert data.outliers.strangest[0].name == "line 9"
    assert data.why == model.result_.why
    assert data.provenance.fingerprint is not None
    assert data.regions.truth.sum() == data.outliers.n_unusual
    assert not data.regions.is_wrong.any()
    assert data.regions.agreement > 0.8


def test_labels_are_shown_and_make_the_run_repeatable(tmp_path):
    random = np.random.default_rng(1)
    X = np.vstack([random.normal(size=(60, 2)), random.normal(size=(12, 2)) + 5.0])
    y = np.repeat([0, 1, -1], [20, 40, 12])
    model = TunedOneClassSVM(contamination=0.2).fit(X, y)
    page = written(model, tmp_path / "report.html", X, y)
    assert "rows labelled unusual" in page
    assert ".fit(X, y)" in page
    assert "You set the share of unusual rows." in page


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: X.tolist()])
def test_rows_of_any_kind(form, tmp_path):
    X = np.random.default_rng(2).exponential(size=(40, 3))
    X[:, 2] = np.arange(40) % 2
    model = TunedOneClassSVM().fit(form(X))
    assert "strangest of 40 rows" in written(model, tmp_path / "report.html", form(X))


def test_words_and_weights(tmp_path):
    random = np.random.default_rng(3)
    X = pd.DataFrame({"size": random.normal(size=60), "town": random.choice(["Bern", "Oslo", "Rome"], 60)})
    weight = np.ones(60)
    weight[:5] = 0.0
    model = TunedOneClassSVM().fit(X, sample_weight=weight)
    data = report_data(model, X, n_columns=2)
    assert data.n_rows == 55
    assert {one.row for one in data.outliers.strangest}.isdisjoint(range(5))
    page = written(model, tmp_path / "report.html", X, n_columns=2)
    assert "55 rows, 2 columns, coded as 4 features" in page
    assert "town = " in page


def test_a_model_from_a_file_has_the_same_report(fitted, tmp_path):
    model, X = fitted
    model.save(tmp_path / "model.npz")
    ours, theirs = report_data(load(tmp_path / "model.npz"), X), report_data(model, X)
    assert ours.answer == theirs.answer
    assert ours.heading == theirs.heading
    assert ours.outliers.strangest[0].bars()[0] == theirs.outliers.strangest[0].bars()[0]


def test_findings_advise_options_beside_a_command(fitted):
    model, X = fitted
    found = Finding("words", "warning", "A message.", "Python's advice.", "Use --this.")
    advice = {
        command: [one.advice for one in report_data(model, X, command=command, findings=[found]).findings]
        for command in (None, "kernelwise detect a.csv")
    }
    assert "Python's advice." in advice[None]
    assert "Use --this." in advice["kernelwise detect a.csv"]


def test_other_rows_than_those_of_the_training_are_refused(fitted):
    model, X = fitted
    with pytest.raises(ValueError, match="needs the 70 rows that the model was trained on, got 5"):
        report_data(model, X[:5])
    with pytest.raises(ValueError, match="needs the 70 rows that the model was trained on, got 3"):
        report_data(model, X, [1, 0, -1])


def test_what_one_class_does_not_have_is_refused(fitted, tmp_path):
    model, X = fitted
    with pytest.raises(ValueError, match="no test and no comparison"):
        report_data(model, X, test=(X, np.ones(70)))
    with pytest.raises(NotFittedError):
        TunedOneClassSVM().report(tmp_path / "report.html")
