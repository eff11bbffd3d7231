"""The README only shows what works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Examples may write files."""
    monkeypatch.chdir(tmp_path)


def test_first_example_runs_and_prints_what_it_says(capsys):
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL).group(1)
    namespace = {}
    exec(compile(example, "README.md", "exec"), namespace)
    promised = re.search(r"# (RBF cross-validated .*)", example).group(1)
    assert capsys.readouterr().out.splitlines()[0] == promised
    assert namespace["model"].score(namespace["X"], namespace["y"]) > 0.97


def test_every_other_example_runs():
    namespace = {}
    for example in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(example, "README.md", "exec"), namespace)
        namespace.setdefault("K", namespace["X"] @ namespace["X"].T)
