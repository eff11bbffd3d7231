"""Every example of the gallery runs, draws, and says what you learn."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.fixture
def pyplot(monkeypatch):
    """matplotlib without a screen; figures are closed in the end."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.setattr(pyplot, "show", lambda: None)
    yield pyplot
    pyplot.close("all")


def test_there_are_at_least_ten():
    assert len(EXAMPLES) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path, pyplot, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert pyplot.get_fignums()
    for number in pyplot.get_fignums():
        pyplot.figure(number).draw_without_rendering()
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_says_what_you_learn(path):
    assert "\n**What you learn:** " in ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
