"""The page that answers, in a browser: what is typed is answered as by Python, and nothing else runs."""

from __future__ import annotations

import copy
import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import KMOD
from kernelwise.reports import askable as module
from kernelwise.reports import asking, model_page, predictions_page
from kernelwise.reports.askable import askable, cells_of

from .asked_models import asked, mixed_rows
from .browsing import Visit, needs_browser
from .conftest import END, SCRIPT

IS_SHOWN = "document.getElementById('try').dataset.shown === document.getElementById('try-said').textContent"
RTL = "\u202eטעסט\u202c"
HOSTILE = [SCRIPT, END, "\"'><img src=x onerror=alert(2)>", RTL, "x" * 10_000, "{label}$&", "__proto__"]
quiet = pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning")


def visit(browser, model, tmp_path, width=1000, text=None, **options):
    path = tmp_path / "model.html"
    path.write_text(model_page(model) if text is None else text, encoding="utf-8")
    found = Visit(browser, path, width, 900, **options)
    said(found.page)
    return found


def said(page):
    """The answer, when all that depends on it is shown."""
    for _ in range(1000):  # the page's policy forbids Playwright's own waiting
        if page.evaluate(IS_SHOWN):
            break
        page.wait_for_timeout(10)
    return page.locator("#try-said").inner_text()


def in_words(model, row):
    """What the page is to say of a row of a data frame."""
    p = 100.0 * model.predict_proba(row).max()
    return f"“{model.predict(row)[0]}”, with a probability of {'> 99' if p > 99.0 else f'{p:.0f}'} %"


# -- what is written -----------------------------------------------------------------------------------------


def test_what_a_page_cannot_compute_is_said(hostile, tmp_path, monkeypatch):
    X, y = hostile.X.to_numpy(), hostile.y
    kmod = TunedSVC(KMOD(), Cs=[1.0], cv=3).fit(X, y)
    with pytest.raises(IncompatibleError, match=r"cannot compute the kernel of this model \(KMOD\)"):
        kmod.to_page(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
    assert "This section cannot be asked here. A page cannot compute the kernel" in kmod.report()
    assert "<script" not in kmod.report()
    gram = TunedSVR("precomputed", Cs=[1.0], cv=3).fit(X @ X.T, X[:, 0])
    with pytest.raises(IncompatibleError, match=r"kernel of this model \(a precomputed or own kernel\)"):
        gram.to_page()
    scarce = TunedSVC("rbf", Cs=[1.0], cv=3).fit(sparse.csr_matrix(X), y)
    with pytest.raises(IncompatibleError, match="these were sparse"):
        scarce.to_page()
    unfinished = TunedSVC("rbf", Cs=[1.0], cv=3, refit=False).fit(X, y)
    with pytest.raises(IncompatibleError, match="refit=False"):
        unfinished.to_page()
    told = r"takes .* MB or more, and a page holds at most 2 MB. Train it with solver='nystroem'"
    many = copy.copy(hostile.model)  # known before it is written
    many.best_estimator_ = copy.copy(many.best_estimator_)
    many.best_estimator_.support_vectors_ = np.empty((600_000, 3))
    with pytest.raises(IncompatibleError, match=told):
        askable(many)
    monkeypatch.setattr(asking, "MOST_LETTERS", 1000)  # known when it is
    with pytest.raises(IncompatibleError, match=told):
        hostile.model.to_page()


def test_the_page_says_that_training_rows_are_in_it(hostile):
    n = len(hostile.model.best_estimator_.support_vectors_)
    for text in (hostile.model.to_page(), hostile.model.report()):
        assert f"Rows of the training data are in this file: the {n} rows that the model keeps" in text
    assert "Rows of the training data" not in hostile.model.report(interactive=False)


def test_support_vectors_are_in_single_precision_only_where_answers_stay(hostile, monkeypatch):
    data = askable(hostile.model)
    assert all("f4" in column for column in data["support"])
    monkeypatch.setattr(module, "SAME_PROBABILITY", 0.0)
    assert all("f8" in column for column in askable(hostile.model)["support"])


def test_few_values_are_listed_once():
    values = np.repeat([0.1, -3.0], 50)
    assert set(module.packed(values, "f4")) == {"u1", "of"}
    assert set(module.packed(np.arange(100.0), "f4")) == {"f4"}


def test_data_cannot_end_their_element():
    text = asking.in_page(["</script><!--", "a & b", "\u2028"])
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == ["</script><!--", "a & b", "\u2028"]


@quiet
def test_a_typical_row_has_medians_and_frequent_words():
    model, _ = asked("words")
    columns = {column["name"]: column for column in askable(model)["columns"]}
    frame = mixed_rows(200, 1)
    assert columns["size"]["typical"] == pytest.approx(frame["size"].median(), abs=0.05)
    assert columns["children"]["typical"] == frame["children"].median()
    assert columns["children"]["is_whole"]
    assert not columns["size"]["is_whole"]
    assert columns["town"]["typical"] in {"Ulm", "Bonn", "Köln", "Gera"}
    assert columns["day"]["low"] == frame["day"].min().timestamp() / 86400
    assert columns["remark"]["kind"] == "left out"


# -- the form ------------------------------------------------------------------------------------------------


@needs_browser
@quiet
def test_what_is_typed_is_answered(browser, tmp_path):
    model, _ = asked("words")
    page = visit(browser, model, tmp_path).page
    row = pd.DataFrame(
        {
            "size": [31.5],
            "children": [4.0],
            "town": ["Ulm"],
            "kind": ["kind 3"],
            "day": [pd.Timestamp("2020-06-10")],
            "moment": [pd.Timestamp("2021-05-05 22:30")],
            "remark": [None],
        }
    )
    page.get_by_label("size", exact=True).fill("31.5")
    page.get_by_label("children", exact=True).fill("4")
    page.get_by_label("town").select_option(label="Ulm")
    page.get_by_label("kind").select_option(label="kind 3")
    page.get_by_label("day").fill("2020-06-10")
    page.get_by_label("moment").fill("2021-05-05T22:30")
    assert said(page) == in_words(model, row)
    page.get_by_label("size", exact=True).fill("")
    row["size"] = np.nan
    assert said(page) == in_words(model, row)
    assert "size = missing" in page.locator("#try-bars").inner_text()
    page.get_by_role("button", name="Typical row").click()
    assert page.get_by_label("size", exact=True).input_value() != ""


@needs_browser
def test_numbers_are_answered_by_slider_and_keyboard(browser, tmp_path):
    model, _ = asked("regression")
    found = visit(browser, model, tmp_path)
    page = found.page
    before = said(page)
    page.get_by_label("column 0", exact=True).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "range"
    page.keyboard.press("End")
    assert said(page) != before
    assert page.get_by_label("column 0", exact=True).input_value() != ""
    typical = model.training_range_[1].copy()
    shown = [float(page.get_by_label(f"column {k}", exact=True).input_value()) for k in range(5)]
    np.testing.assert_allclose(shown[1:], typical[1:], atol=0.2)
    value = float(said(page).split(" (")[0].replace("−", "-"))
    assert value == pytest.approx(model.predict([shown])[0], rel=1e-3)
    assert page.locator("#try-changes").count() == 0
    assert found.messages == []


@needs_browser
def test_a_row_outside_the_data_is_told(browser, tmp_path):
    model, _ = asked("two classes")
    page = visit(browser, model, tmp_path).page
    assert page.locator("#try-unlike").is_hidden()
    page.get_by_label("column 0", exact=True).fill("1000")
    said(page)
    assert (
        page.locator("#try-unlike")
        .inner_text()
        .startswith("This row is unlike the training rows: column 0 is far")
    )
    assert "outside the training rows" in page.locator("#try-0-hint").inner_text()


@needs_browser
def test_what_has_no_exact_values_says_so(browser, tmp_path):
    page = visit(browser, asked("metric").model, tmp_path).page
    assert "not a product over columns" in page.locator("#try-bars-note").inner_text()
    assert page.locator("#try-bars > *").count() == 0


@needs_browser
@quiet
@pytest.mark.parametrize("name", ["two classes", "five classes", "one class", "words", "linear", "metric"])
def test_changes_are_the_smallest_that_change_the_answer(browser, tmp_path, name):
    model, rows = asked(name)
    rows = rows[:12] if isinstance(rows, np.ndarray) else rows.head(12)
    page = visit(browser, model, tmp_path).page
    cells = cells_of(model, rows)
    script = """(rows) => {
      const machine = Machine(JSON.parse(document.getElementById("try-data").textContent));
      return rows.map((cells) => {
        const row = machine.begin(cells), now = machine.answer(row).place;
        const at = (c, to) => {
          const other = cells.map((one, k) => (k === c ? to : one));
          return machine.answer(machine.begin(other)).place;
        };
        return machine.changes(row, now).map((change) => {
          const column = machine.columns[change.column], start = cells[change.column] ?? column.fill;
          const flips = at(change.column, change.cell) === change.place && change.place !== now;
          if (column.words) return {flips, share: 0};
          let nearest = change.change;
          for (let g = 1; g < 400; g++) {
            const by = change.change * g / 400;
            for (const cell of [start - by, start + by]) {
              const is_inside = cell >= column.low && cell <= column.high;
              if (is_inside && at(change.column, cell) !== now) nearest = Math.min(nearest, by);
            }
          }
          return {flips, share: (change.change - nearest) / (column.high - column.low)};
        });
      });
    }"""
    found = [change for row in page.evaluate(script, cells) for change in row]
    assert len(found) >= 5
    assert all(change["flips"] for change in found)
    # Rounded to a thousandth of the range, or to whole numbers of the few that a column has.
    most = 0.3 if name == "words" else 0.0021
    assert max(change["share"] for change in found) < most


@needs_browser
def test_the_nearest_rows_are_those_of_the_kernel(browser, tmp_path):
    model, rows = asked("two classes")
    page = visit(browser, model, tmp_path).page
    script = """(rows) => {
      const machine = Machine(JSON.parse(document.getElementById("try-data").textContent));
      return rows.map((cells) => machine.nearest(machine.begin(cells), 3).map((one) => one.cells));
    }"""
    found = np.array(page.evaluate(script, cells_of(model, rows[:50])))
    machine = model.best_estimator_
    K = machine.kernel_(model.scaler_.transform(rows[:50]), machine.support_vectors_)
    nearest = np.argsort(-K, axis=1, kind="stable")[:, :3]
    expected = model.scaler_.inverse_transform(machine.support_vectors_)[nearest]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    page.locator("#try-near button").nth(1).click()
    said(page)
    first = page.locator("#try-near tbody tr").first.locator("td").all_inner_texts()
    assert first[0] == first[1]


# -- names and values of others ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def adverse():
    """Columns, words and classes that are markup, scripts, very long, or written from right to left."""
    random = np.random.default_rng(0)
    n = 140
    frame = pd.DataFrame({name: random.normal(size=n) for name in HOSTILE})
    frame["words"] = np.array(HOSTILE, dtype=object)[random.integers(0, len(HOSTILE), n)]
    frame.loc[::9, "words"] = None
    y = np.array(HOSTILE, dtype=object)[(frame[SCRIPT] > 0).astype(int) + 2 * (frame[END] > 0.5)]
    return TunedSVC("rbf", Cs=[1.0, 10.0], cv=3).fit(frame, y.astype(str)), frame


@needs_browser
@quiet
def test_pages_have_every_quantile(browser, tmp_path):
    """The answer names each, and a page on predictions lists all of a row; the middle one is explained."""
    model, rows = asked("quantiles")
    expected = [f"{value:.4g}" for value in model.predict(rows[:1])[0]]
    text = predictions_page(model, rows[:1])
    listed = [f"q{q}\u00a0=\u00a0{value}" for q, value in zip((0.1, 0.6, 0.9), expected, strict=True)]
    assert ", ".join(listed).replace("-", "−") in text
    page = visit(browser, model, tmp_path, text=text).page
    page.locator("[data-row]").first.click()
    told = re.findall(r"(\S+) \((\S+) quantile\)", said(page))
    assert [q for _, q in told] == ["0.1", "0.6", "0.9"]
    found = [float(value.replace("−", "-")) for value, _ in told]
    np.testing.assert_allclose(found, model.predict(rows[:1])[0], rtol=1e-2)
    assert "raise the 0.6 quantile" in page.locator("#try-bars-note").inner_text()


@needs_browser
@quiet
@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_and_values_are_text(browser, tmp_path, adverse, width):
    model, frame = adverse
    for text in (model_page(model), predictions_page(model, frame, source=SCRIPT)):
        found = visit(browser, model, tmp_path, width, text)
        page = found.page
        labels = page.locator("#try-fields label")
        assert labels.count() == len(HOSTILE) + 1
        assert labels.all_inner_texts()[:2] == [SCRIPT, END]
        for k in range(len(HOSTILE)):
            page.locator(f"#try-{len(HOSTILE)}").select_option(index=k)
            page.locator(f"#try-{k}").fill(str(3.0 - k))
            said(page)
        for button in page.locator("[data-row]").all()[:3]:
            button.click()
            said(page)
        assert page.locator("#try-near button").count() == 3
        assert found.messages == []
        assert found.dialogs == []
        assert [url for url in found.requests if not url.startswith("data:")] == [
            (tmp_path / "model.html").as_uri()
        ]
        assert page.evaluate("document.querySelectorAll('script').length") == 2
        assert page.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
        assert found.is_no_wider_than_its_window
        found.context.close()


@needs_browser
def test_no_other_script_may_run(browser, tmp_path, hostile):
    text = model_page(hostile.model).replace("<main", "<script>window.ran = 1</script><main")
    found = visit(browser, hostile.model, tmp_path, text=text)
    assert found.page.evaluate("window.ran") is None
    assert re.search("Content Security Policy", "".join(found.messages))


# -- predictions ---------------------------------------------------------------------------------------------


@needs_browser
@quiet
@pytest.mark.parametrize(
    "name", ["words", "five classes", "five classes by votes", "regression", "one class"]
)
def test_a_click_on_a_prediction_fills_the_form(browser, tmp_path, name):
    model, rows = asked(name)
    found = visit(browser, model, tmp_path, text=predictions_page(model, rows, source="new.csv"))
    page = found.page
    counts = [int(text) for text in page.locator("#spread .n").all_inner_texts()]
    assert sum(counts) == 500
    assert page.locator("h1").inner_text() == "The predictions for 500 rows"
    assert (
        page.locator("#rows-most [data-row]").count() == page.locator("#rows-least [data-row]").count() == 10
    )
    for listed in ("most", "least"):
        first = page.locator(f"#rows-{listed} li").first
        button, answer = first.locator("button"), first.locator("span").inner_text()
        k = int(button.inner_text().removeprefix("row "))
        button.click()
        shown = said(page).split(" (")[0]
        (predicted,) = model.predict(rows[k : k + 1] if isinstance(rows, np.ndarray) else rows.iloc[[k]])
        if name == "one class":
            assert shown.startswith("“unusual”" if predicted < 0 else "“usual”")
        elif name == "regression":
            assert float(shown.replace("−", "-")) == pytest.approx(predicted, rel=1e-3)
        else:
            assert shown.startswith(f"“{predicted}”")
            assert answer.startswith(f"“{predicted}”")
    assert found.messages == []


def test_rows_unlike_the_training_rows_are_listed():
    model, rows = asked("two classes")
    strange = rows.copy()
    strange[[3, 8]] += 1e4
    text = predictions_page(model, strange[:20], name="line {}".format)
    section = text[text.index('id="rows-unlike"') : text.index('id="try"')]
    expected = model.unlike(strange[:20]).rows
    assert {3, 8} <= set(expected) < set(range(20))
    assert re.findall(r"line (\d+)", section) == [str(row) for row in expected[:10]]
    assert (f"And {len(expected) - 10} more." in section) == (len(expected) > 10)
    kmod = TunedSVC(KMOD(), Cs=[1.0], cv=3).fit(rows[:60], np.arange(60) % 2)
    text = predictions_page(kmod, rows[:20])
    assert "<button" not in text
    assert "This section cannot be asked here." in text


def test_predictions_of_one_value_have_one_bar():
    model = TunedSVR("rbf", Cs=[1.0], cv=3).fit(np.arange(30.0)[:, None], np.sin(np.arange(30.0)))
    text = predictions_page(model, np.zeros((1, 1)))
    assert text.count('<span class="share">') == 1


def test_a_page_says_what_its_model_is():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] == 2
    careful = TunedSVC("rbf", Cs=[1.0, 10.0], threshold=0.3).fit(X, y).to_page()
    assert ">A model that answers<" in careful
    blend = TunedSVC(["rbf", "laplacian"], Cs=[0.1, 1.0, 10.0], blend=True).fit(X, y)
    assert f"TunedSVC: {blend.result_.blend}. The model keeps" in blend.to_page()


def test_predictions_have_their_intervals_and_sets():
    model, rows = asked("regression")
    text = predictions_page(model, rows[:30], coverage=0.8)
    covers = "Intervals of 80 %, in brackets, contain the truth for about 80 % of"
    assert f"{covers} {model.fit_record_.holds_for}." in text
    highest = int(np.argmax(model.predict(rows[:30])))
    low, high = (f"{end:.4g}" for end in model.predict_interval(rows[:30], 0.8)[highest])
    assert f"{model.predict(rows[:30])[highest]:.4g} ({low} to {high})" in text
    assert f"({low} to {high})" not in predictions_page(model, rows[:30])
    model, rows = asked("two classes")
    text = predictions_page(model, rows[:30], coverage=0.8)
    assert "Sets of 80 %, in brackets, contain the truth" in text
    sets = model.predict_set(rows[:30], 0.8)
    labels = [str(label) for label in model.classes_]
    surest = int(np.argmax(model.predict_proba(rows[:30]).max(axis=1)))
    assert f"(set: {', '.join(np.array(labels)[sets[surest]])})" in text
