"""How to cite: the version of the package, wherever it is written, and a paper for every criterion."""

from __future__ import annotations

import re
from pathlib import Path

import kernelwise
from kernelwise.criteria import CRITERIA

ROOT = Path(__file__).parents[2]


def test_all_citations_have_the_version_of_the_package_and_its_address():
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    machine = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = kernelwise.__version__
    (year,) = re.findall(r"year    = {(\d{4})}", page)
    assert f"Software, version {version}, {year}. " in page
    assert f"  version = {{{version}}},\n" in page
    assert f"\nversion: {version}\n" in machine
    (address,) = re.findall(r'repository-code: "(.*?)"', machine)
    assert f"url     = {{{address}}}" in page
    # The date is there as soon as there is a release.
    assert re.findall(r"date-released: (\d{4})", machine) in ([], [year])


def test_every_criterion_has_its_paper():
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    classes = {type(make()).__name__ for make in CRITERIA.values()}
    assert len(classes) > 15
    assert [name for name in sorted(classes) if f"`{name}`" not in page] == []
