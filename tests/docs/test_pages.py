"""The Python on every page of the documentation runs and prints what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MADE = ("_build", "api", "gallery")
FENCE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).parts[0] not in MADE and FENCE.search(path.read_text(encoding="utf-8"))
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Pages may write files, and draw."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    yield
    pyplot.close("all")


# skl2onnx still looks for probabilities of SVC.
@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_python_of_the_page(path):
    text, names = path.read_text(encoding="utf-8"), {}
    runner, said = doctest.DocTestRunner(optionflags=OPTIONS), []
    for block in FENCE.finditer(text):
        source, line = block.group(1), text[: block.start()].count("\n") + 1
        if ">>> " in source:
            test = doctest.DocTestParser().get_doctest(source, names, path.name, str(path), line)
            runner.run(test, out=said.append, clear_globs=False)
            names = test.globs
        else:
            exec(compile("\n" * line + source, str(path), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_there_are_pages_with_python():
    assert len(PAGES) >= 8
