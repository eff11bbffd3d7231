"""The pages on papers and on extending show what is so: examples run, and the names they link to exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted([*(DOCS / "papers").glob("*.md"), *(DOCS / "extend").glob("*.md")])
#: Pages that ``kernelwise reproduce`` writes.
WRITTEN = re.compile(r"\.\./(studies/\w+|which-criterion)\.md")


def texts(pattern: str, page: Path) -> list[str]:
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_examples_names_and_links(page):
    for block in texts(r"```python\n(>>>.*?)```", page):
        example = doctest.DocTestParser().get_doctest(block, {}, page.name, page.name, 0)
        assert doctest.DocTestRunner().run(example).failed == 0
    for name in texts(r"\{(?:class|func|mod)\}`([\w.]+)`", page):
        resolve_name(name)
    for link in texts(r"\]\(([^)#:]+\.md)\)", page):
        assert (page.parent / link).exists() or WRITTEN.fullmatch(link), f"{page.name} links to {link}"


def test_every_paper_has_a_page_with_an_example():
    pages = [page for page in PAGES if page.parent.name == "papers" and page.stem != "index"]
    assert [page.stem for page in pages] == ["abe", "ayat", "glasmachers", "laanaya", "yin"]
    assert all(texts(r"```python\n(>>>.*?)```", page) for page in pages)
