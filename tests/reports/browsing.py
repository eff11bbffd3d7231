"""A browser for tests: pages that are opened in it, with all that they said and asked for."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed to open pages in")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched():
    """A browser that is closed in the end."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """A page, with all that it said and asked for."""

    def __init__(self, browser, path, width, height, **options):
        self.messages, self.requests, self.dialogs = [], [], []
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    @property
    def is_no_wider_than_its_window(self):
        width = self.page.viewport_size["width"]
        return self.page.evaluate("document.documentElement.scrollWidth") <= width
