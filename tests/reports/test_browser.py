"""The report in a browser: drawn, quiet, asking nobody, and no wider than its window."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from kernelwise import Comparison

from .conftest import SCRIPT

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed to open the report in")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """A page, with all that it said and asked for."""

    def __init__(self, browser, path, width, height):
        self.messages, self.requests, self.dialogs = [], [], []
        self.context = browser.new_context(viewport={"width": width, "height": height})
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())
        # Figures are drawn as soon as the script has run; the next frame has them in place.
        self.page.wait_for_function("document.querySelectorAll('.chart .main-svg').length > 0")

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
@pytest.mark.parametrize("name", ["hostile", "three", "regression"])
def test_report_is_drawn_and_asks_nobody(name, width, height, browser, request, tmp_path):
    fitted = request.getfixturevalue(name)
    path = tmp_path / "report.html"
    fitted.model.report(path, fitted.X, fitted.y, source=SCRIPT)
    visit = Visit(browser, path, width, height)
    page = visit.page
    assert visit.messages == []
    assert visit.dialogs == []
    # What is made on the spot (blob and data addresses) leaves nothing.
    assert [url for url in visit.requests if not url.startswith(("blob:", "data:"))] == [path.as_uri()]
    n_charts = page.locator(".chart").count()
    assert n_charts >= 3
    for k in range(n_charts):
        chart = page.locator(".chart").nth(k)
        assert chart.locator(".main-svg").count() > 0
        assert chart.locator(".scatterlayer .trace, .bars .point, .hm image, .heatmaplayer image").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert SCRIPT in page.locator("header .label").inner_text()
    visit.context.close()


def test_names_are_shown_as_text_in_the_page_and_in_figures(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html", hostile.X, hostile.y)
    visit = Visit(browser, tmp_path / "report.html", 1280, 900)
    legend = visit.page.locator("#figure-regions .legendtext").all_text_contents()
    assert SCRIPT in legend
    assert SCRIPT in visit.page.locator(".confusion").inner_text()
    assert visit.page.evaluate("document.querySelectorAll('main script').length") == 0
    visit.context.close()


def test_names_of_methods_fit_a_phone(browser, hostile, tmp_path):
    ones = np.ones((2, 3))
    names = ("kernelwise", "HalvingGridSearchCV")
    comparison = Comparison(names, 0.8 * ones, ones, ones, ones, {})
    hostile.model.report(tmp_path / "report.html", comparison=comparison)
    visit = Visit(browser, tmp_path / "report.html", 390, 844)
    heights = [visit.page.get_by_role("rowheader", name=name).bounding_box()["height"] for name in names]
    assert max(heights) < 50  # a line or two, not a letter a line
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    visit.context.close()


def test_no_button_sends_data_away(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html")
    visit = Visit(browser, tmp_path / "report.html", 1280, 900)
    buttons = visit.page.locator("#figure-paths .modebar-btn")
    names = [buttons.nth(k).get_attribute("data-title") for k in range(buttons.count())]
    assert names == ["Zoom", "Pan", "Reset axes", "Download plot as a PNG"]
    visit.context.close()


def test_all_of_it_is_printed(browser, hostile, tmp_path):
    hostile.model.report(tmp_path / "report.html", hostile.X, hostile.y)
    visit = Visit(browser, tmp_path / "report.html", 1280, 900)
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert visit.page.locator("details[open]").count() == 1
    assert visit.page.locator("#figure-paths .main-svg").first.bounding_box()["width"] == 660
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert visit.page.locator("details[open]").count() == 0
    visit.context.close()
