"""How to cite: the version of the package, wherever it is written."""

from __future__ import annotations

import re
from pathlib import Path

import kernelwise

ROOT = Path(__file__).parents[2]


def test_all_citations_have_the_version_of_the_package_and_its_address():
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    machine = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = kernelwise.__version__
    assert f"Software, version {version}, " in page
    assert f"  version = {{{version}}},\n" in page
    assert f"\nversion: {version}\n" in machine
    (address,) = re.findall(r'repository-code: "(.*?)"', machine)
    (year,) = re.findall(r"date-released: (\d{4})", machine)
    assert f"url     = {{{address}}}" in page
    assert f"year    = {{{year}}}" in page
