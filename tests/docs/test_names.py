"""The names that pages link to exist, and every paper has a page with an example."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    [
        *DOCS.glob("*.md"),
        *(page for kind in ("extend", "guide", "papers") for page in (DOCS / kind).glob("*.md")),
    ]
)
ROLE = re.compile(r"\{(?:class|func|mod|meth)\}`~?([\w.]+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_names_exist(page):
    for name in ROLE.findall(page.read_text(encoding="utf-8")):
        resolve_name(name)


def test_every_paper_has_a_page_with_an_example():
    for name in ("abe", "ayat", "glasmachers", "laanaya", "yin"):
        assert "```python\n>>>" in (DOCS / "papers" / f"{name}.md").read_text(encoding="utf-8")
