"""The Python on every page of the documentation runs and prints what the page says."""

from __future__ import annotations

import doctest
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MADE = ("_build", "api", "gallery")
#: Python that readers see; or Python in a comment, and the output below it, which is all that they see.
BLOCK = re.compile(
    r"^```python\n(.*?)^```|^<!--\n(>>> .*?)^-->\n(?:\n*```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).parts[0] not in MADE and BLOCK.search(path.read_text(encoding="utf-8"))
]


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """The Python of a page with what it prints, each block with its line."""
    for block in BLOCK.finditer(text):
        yield text[: block.start()].count("\n") + 1, "".join(filter(None, block.groups()))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Pages may write files, and draw. The files of the tutorial are there."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    for name in ("wine.csv", "new.csv"):
        shutil.copy(DOCS / "_static" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    yield
    pyplot.close("all")


# skl2onnx still looks for probabilities of SVC.
@pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_` was deprecated:FutureWarning")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_python_of_the_page(path):
    text, names = path.read_text(encoding="utf-8"), {}
    runner, said = doctest.DocTestRunner(optionflags=OPTIONS), []
    for line, source in blocks(text):
        if ">>> " in source:
            test = doctest.DocTestParser().get_doctest(source, names, path.name, str(path), line)
            runner.run(test, out=said.append, clear_globs=False)
            names = test.globs
        else:
            exec(compile("\n" * line + source, str(path), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_there_are_pages_with_python():
    assert len(PAGES) >= 8
