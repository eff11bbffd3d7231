"""The app in a browser: from an empty start to saved predictions, with hostile names, and narrow."""

from __future__ import annotations

import csv

import pytest

from ..reports.browsing import needs_browser
from ..reports.conftest import browser  # noqa: F401
from .conftest import table

pytestmark = [needs_browser, pytest.mark.slow]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page(browser, fresh):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 800}, accept_downloads=True)
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.accept()))
    page.goto(fresh.address)
    yield page
    context.close()


def give(page, field, name, data):
    page.set_input_files(field, files=[{"name": name, "mimeType": "text/csv", "buffer": data}])


def test_from_an_empty_start_to_saved_predictions(page):
    assert page.is_hidden("#choose")
    give(page, "#table", "my table.csv", table(80, **{HOSTILE: ["=1+1", "b"] * 40}))
    page.wait_for_selector("#choose")
    assert page.inner_text("#about").startswith("my_table.csv: 80 rows, 4 columns.")
    assert HOSTILE in page.inner_text("#columns")
    assert page.locator("#target option:checked").inner_text() == "kind"
    page.uncheck(f'#columns input[aria-label="{HOSTILE}"]')
    page.click("#start")
    page.wait_for_selector("#take", timeout=120_000)
    answer = page.inner_text("#answer")
    assert "Predicting 'kind' (2 classes) from my_table.csv" in answer
    assert "2 of 3 columns" in answer
    assert "written" not in answer
    frame = page.frame_locator("#frame iframe")
    assert "kernelwise report" in frame.locator("header").inner_text()
    # What is in the frame has no origin, and reaches nothing of the page.
    assert frame.locator("body").evaluate("() => origin") == "null"
    give(page, "#rows", "new.csv", table(30, seed=1, **{HOSTILE: ["b", "c", "b"] * 10}))
    page.wait_for_selector("#take-rows")
    assert page.locator("#predicted tbody tr").count() == 20
    assert page.locator("#predicted thead th").all_inner_texts()[:2] == ["prediction", "p(large)"]
    with page.expect_download() as saved:
        page.click("#take-rows a")
    with open(saved.value.path()) as handle:
        rows = list(csv.reader(handle))
    assert rows[0] == ["size", "noise", HOSTILE, "kind", "prediction", "p(large)", "p(small)"]
    assert len(rows) == 31
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#start")
    page.wait_for_selector("#take", timeout=120_000)
    assert page.is_hidden("#take-rows")  # another model has not predicted these rows
    assert page.is_hidden("#predicted")
    assert page.said == []
    page.click("#end")
    page.get_by_text("kernelwise has ended").wait_for()
    assert page.said == ["Close kernelwise? A model, report or predictions that you have not saved are lost."]


def start_a_long_run(page):
    give(page, "#table", "t.csv", table(3000))
    page.wait_for_selector("#choose")
    page.click("summary")
    page.select_option("#effort", "best")
    page.click("#start")
    page.wait_for_selector("#stop")


def test_mistakes_are_told_where_they_are_made(page):
    give(page, "#table", "empty.csv", b"")
    page.wait_for_selector("#table-error:not(:empty)")
    assert page.inner_text("#table-error") == "empty.csv is empty. Give a file that has rows."
    give(page, "#table", "one.csv", b"a,kind\n1,x\n2,x\n3,x\n")
    page.wait_for_selector("#choose")
    page.click("#start")
    page.wait_for_selector("#run-error:not(:empty)", timeout=60_000)
    assert "has only one class (x)" in page.inner_text("#run-error")
    start_a_long_run(page)
    page.click("#stop")
    page.get_by_text("Stopped. Start goes on").wait_for(timeout=60_000)
    assert page.is_enabled("#start")


def test_a_page_that_is_loaded_again_can_stop_what_runs(page):
    start_a_long_run(page)
    # A file that is dropped now is not taken, and hides nothing.
    page.evaluate("""() => {
      const event = new Event("drop", { cancelable: true });
      event.dataTransfer = { files: [new File(["a,b"], "u.csv")] };
      document.getElementById("drop-table").dispatchEvent(event);
    }""")
    assert page.is_visible("#choose")
    page.reload()
    page.wait_for_selector("#stop")
    page.click("#stop")
    page.get_by_text("Stopped.").first.wait_for(timeout=60_000)


def test_a_mark_of_direction_turns_only_its_own_value(page):
    turned = "\u202eabc"
    give(page, "#table", "t.csv", f"word,kind\n{turned},x\nb,y\nc,x\n".encode())
    page.wait_for_selector("#choose")
    assert page.locator("#columns tbody tr:first-child bdi").all_inner_texts() == [turned, "b", "c"]
