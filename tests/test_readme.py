"""The README only shows what works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Examples may write files."""
    monkeypatch.chdir(tmp_path)


def test_first_example_is_ten_lines_and_prints_what_it_says(capsys):
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", README, re.DOTALL)
    example, promised = found.groups()
    assert len([line for line in example.splitlines() if line.strip()]) == 10
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out == promised
    assert Path("model.kw").exists()


def test_every_other_example_runs():
    namespace = {}
    for example in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(example, "README.md", "exec"), namespace)
        namespace.setdefault("K", namespace["X"] @ namespace["X"].T)
