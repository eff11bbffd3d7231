"""The report in a browser: drawn, quiet, asking nobody, and no wider than its window."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import Comparison, TunedSVC

from .browsing import Visit, needs_browser
from .conftest import SCRIPT, Fitted

pytestmark = needs_browser


@pytest.fixture(scope="module")
def twelve():
    """Twelve classes with names of two words, one of them long."""
    random = np.random.default_rng(0)
    names = np.array([f"Observationsmonat {k}" for k in range(12)])
    y = np.arange(144) % 12
    X = random.normal(size=(144, 4)) + 3 * random.normal(size=(12, 4))[y]
    return Fitted(TunedSVC("rbf", Cs=[1.0, 10.0], cv=3).fit(X, names[y]), X, names[y])


@pytest.fixture(scope="module")
def rare():
    """A class of one row in twenty, with the weights and the score for it."""
    random = np.random.default_rng(0)
    y = np.where(np.arange(200) < 10, "rare disease", "healthy")
    X = random.normal(size=(200, 3)) + (y == "rare disease")[:, None]
    options = {"class_weight": "balanced", "scoring": "balanced_accuracy", "cv": 3}
    return Fitted(TunedSVC("rbf", Cs=[1.0, 10.0], **options).fit(X, y), X, y)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
@pytest.mark.parametrize("name", ["hostile", "three", "regression", "twelve", "rare"])
def test_report_is_drawn_and_asks_nobody(name, width, height, browser, request, tmp_path):
    fitted = request.getfixturevalue(name)
    path = tmp_path / "report.html"
    fitted.model.report(path, fitted.X, fitted.y, source=SCRIPT)
    visit = Visit(browser, path, width, height)
    page = visit.page
    assert visit.messages == []
    assert visit.dialogs == []
    # Pictures that are in the page leave nothing.
    assert [url for url in visit.requests if not url.startswith("data:")] == [path.as_uri()]
    charts = page.locator(".chart .plot")
    assert charts.count() >= 3
    for k in range(charts.count()):
        box = charts.nth(k).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 100
        # Letters keep their size on a phone.
        assert page.locator(".chart .plot").nth(k).locator(".ticks text").first.bounding_box()["height"] > 11
    assert visit.is_no_wider_than_its_window
    assert SCRIPT in page.locator("header .label").inner_text()
    visit.context.close()


def test_names_of_classes_break_between_words_only(browser, twelve, tmp_path):
    twelve.model.report(tmp_path / "report.html", twelve.X, twelve.y)
    visit = Visit(browser, tmp_path / "report.html", 390, 844)
    heads = visit.page.locator(".confusion tbody th").all()
    heights = [head.bounding_box()["height"] for head in heads]
    assert len(heights) == 14
    assert max(heights) < 60  # a number, a word and a number: two lines, three at most
    visit.context.close()


def test_points_are_where_the_axes_say(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html")
    visit = Visit(browser, tmp_path / "report.html", 1280, 900)
    plot = visit.page.locator("#figure-paths .plot")
    star = plot.locator(".dots.star path").bounding_box()
    ticks = {t.text_content(): t.bounding_box() for t in plot.locator(".ticks text").all()}
    across = {
        float(t): b["x"] + b["width"] / 2 for t, b in ticks.items() if t in ("0.1", "1", "10", "100", "1000")
    }
    first, last = min(across), max(across)
    share = np.log(hostile.model.C_ / first) / np.log(last / first)
    expected = across[first] + share * (across[last] - across[first])
    assert star["x"] + star["width"] / 2 == pytest.approx(expected, abs=1.5)
    visit.context.close()


def test_names_are_shown_as_text_in_the_page_and_in_figures(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html", hostile.X, hostile.y)
    visit = Visit(browser, tmp_path / "report.html", 1280, 900)
    assert SCRIPT in visit.page.locator("#figure-regions .keys").inner_text()
    assert SCRIPT in "".join(visit.page.locator("#figure-regions .title").all_text_contents())
    assert SCRIPT in visit.page.locator(".confusion").inner_text()
    assert visit.page.evaluate("document.querySelectorAll('script').length") == 2
    visit.context.close()


def test_names_of_methods_fit_a_phone(browser, hostile, tmp_path):
    ones = np.ones((2, 3))
    names = ("kernelwise", "HalvingGridSearchCV")
    comparison = Comparison(names, 0.8 * ones, ones, ones, ones, {})
    hostile.model.report(tmp_path / "report.html", comparison=comparison)
    visit = Visit(browser, tmp_path / "report.html", 390, 844)
    heights = [visit.page.get_by_role("rowheader", name=name).bounding_box()["height"] for name in names]
    assert max(heights) < 50  # a line or two, not a letter a line
    assert visit.is_no_wider_than_its_window
    visit.context.close()


def test_all_of_it_is_printed(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html", hostile.X, hostile.y)
    visit = Visit(browser, tmp_path / "report.html", 700, 900)
    history = visit.page.locator(".history")
    assert visit.page.evaluate("document.querySelector('.history').checkVisibility()") is False
    visit.page.emulate_media(media="print")
    assert history.bounding_box()["height"] > 200
    assert visit.page.locator("summary").first.is_hidden()
    visit.context.close()


def test_dark_scheme_has_light_letters_but_on_paper(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html")
    visit = Visit(browser, tmp_path / "report.html", 700, 900)
    colour = "parseInt(getComputedStyle(document.querySelector('.ticks text')).fill.match(/\\d+/)[0])"
    assert visit.page.evaluate(colour) < 128
    visit.page.emulate_media(color_scheme="dark")
    assert visit.page.evaluate(colour) > 128
    visit.page.emulate_media(color_scheme="dark", media="print")
    assert visit.page.evaluate(colour) < 128
    visit.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_what_it_looks_at_is_drawn(browser, hostile, tmp_path, width):
    hostile.model.report(tmp_path / "report.html", hostile.X, hostile.y)
    visit = Visit(browser, tmp_path / "report.html", width, 900)
    section = visit.page.locator("#looks-at")
    assert SCRIPT in section.locator(".bars .name").first.inner_text()
    assert SCRIPT in "".join(section.locator(".title").all_text_contents())
    assert section.locator(".specks").count() == 3
    for specks in section.locator(".specks").all():
        box = specks.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 30
    bars = section.locator(".signed span").all()
    assert len(bars) == 9
    for bar in bars:
        box, track = bar.bounding_box(), bar.locator("..").bounding_box()
        assert track["width"] > 60
        assert track["x"] - 1 <= box["x"]
        assert box["x"] + box["width"] <= track["x"] + track["width"] + 1
    assert visit.is_no_wider_than_its_window
    visit.context.close()
