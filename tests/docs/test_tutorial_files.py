"""The files of the tutorial are those that the Python in its first comment makes."""

from __future__ import annotations

import re

import pytest

from .test_pages import DOCS


@pytest.mark.parametrize("name", ["wine.csv", "new.csv"])
def test_the_file_is_what_the_tutorial_makes(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    block = re.search(r"<!--\n(>>> import numpy.*?)-->", page, re.DOTALL)
    exec("\n".join(line[4:] for line in block.group(1).splitlines()), {})
    assert (tmp_path / name).read_text() == (DOCS / "_static" / name).read_text()
