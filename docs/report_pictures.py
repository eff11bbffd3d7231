"""Pictures of a report for the tutorial: ``python docs/report_pictures.py`` (needs chromium and playwright).

The report is that of the tutorial's file; the pictures are docs/_static/report-*.png.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from kernelwise.cli.app import main

DOCS = Path(__file__).parent
OPTIONS = ["--target", "grape", "--ignore", "bottle", "--report", "wine.html", "--quiet"]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Pictures and what they show, by the selector of the first element and how high they are, in pixels.
PICTURES = {"report-top": ("header", 490), "report-columns": ("#looks-at", 438)}
WIDTH = 900


def make_file() -> None:
    """Run the block of the tutorial that writes its files."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(>>> import numpy.*?)```", page, re.DOTALL)
    assert block is not None
    exec("\n".join(line[4:] for line in block.group(1).splitlines()), {})


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
    import os

    with TemporaryDirectory() as folder:
        os.chdir(folder)
        make_file()
        if main(["tune", "wine.csv", *OPTIONS]):
            sys.exit("The report could not be made.")
        draw(Path(folder, "wine.html"))
        os.chdir(DOCS)
