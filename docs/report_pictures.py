"""Pictures of a report for the tutorial: ``python docs/report_pictures.py`` (needs chromium and playwright).

The report is that of the tutorial's command; the pictures are docs/_static/report-*.png.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from kernelwise.cli.app import main

DOCS = Path(__file__).parent
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Pictures and what they show, by the selector of the first element and how high they are, in pixels.
PICTURES = {"report-top": ("header", 553), "report-columns": ("#looks-at", 438)}
WIDTH = 900


def draw(path: Path) -> None:
    """Photograph the parts of a report."""
    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=ARGUMENTS)
        page = browser.new_context(viewport={"width": WIDTH, "height": 800}).new_page()
        page.goto(path.as_uri())
        for name, (selector, height) in PICTURES.items():
            box = page.locator(selector).first.bounding_box()
            assert box is not None, selector
            clip = {"x": 0, "y": box["y"], "width": WIDTH, "height": min(height, box["height"] + 16)}
            page.screenshot(path=DOCS / "_static" / f"{name}.png", clip=clip, full_page=True)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        report = Path(folder, "wine.html")
        os.chdir(DOCS / "_static")
        if main(["tune", "wine.csv", "--target", "grape", "--report", str(report), "--quiet"]):
            sys.exit("The report could not be made.")
        draw(report)
