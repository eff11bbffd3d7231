"""The papers that docstrings call by number: who they are, and where their methods are."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from kernelwise import criteria, optimizers, selection

SOURCE = Path(__file__).parents[1] / "src" / "kernelwise"
AUTHORS = {"000": "Abe", "001": "Ayat", "002": "Glasmachers", "003": "Laanaya", "004": "Yin"}
MENTION = re.compile(r"\bpapers? (00\d(?:(?:, | and | to )00\d)*)", re.IGNORECASE)
ROW = re.compile(r"^(.+?)  +(.+?)  +(.+?)  +(.+)$", re.MULTILINE)


def unexplained(text: str) -> list[str]:
    """Numbers of papers in a module that neither names their author nor sends the reader to the list."""
    if ":mod:`kernelwise.selection`" in text:
        return []
    numbers = {number for group in MENTION.findall(text) for number in re.findall(r"00\d", group)}
    return sorted(number for number in numbers if not re.search(rf"\b{AUTHORS[number]}\b", text))


def test_a_module_that_mentions_a_paper_says_which_it_is():
    missing = {str(path.relative_to(SOURCE)): unexplained(path.read_text()) for path in SOURCE.rglob("*.py")}
    assert {name: numbers for name, numbers in missing.items() if numbers} == {}


def test_a_number_alone_is_seen():
    assert unexplained('"""The kernels of papers 001 and 004 (Yin and Yin 2016)."""') == ["001"]


@pytest.mark.parametrize(("number", "author"), AUTHORS.items())
def test_the_list_has_paper_module_criterion_optimizer_and_study(number, author):
    module = author.lower()
    (line,) = re.findall(rf"^{number}  .*$", selection.__doc__, re.MULTILINE)
    assert author in selection.__doc__.split("======")[0]
    assert hasattr(getattr(selection, module), f"{module}_select")
    assert author in import_module(f"kernelwise.studies.{module}").__doc__
    assert line.endswith(f"``kernelwise reproduce {module}``")
    names = re.findall(r"`(\w+)`", line.replace("``", "|"))
    assert names
    assert all(hasattr(criteria, name) or hasattr(optimizers, name) for name in names)
    assert author in getattr(selection, module).__doc__


def test_the_list_of_criteria_is_that_of_their_names():
    rows = [row for row in ROW.findall(criteria.__doc__) if row[0].startswith('"')]
    assert {row[0].strip('"') for row in rows} == set(criteria.CRITERIA)
    for name, kind, module, _ in rows:
        found = type(criteria.as_criterion(name.strip('"')))
        assert (found.__name__, found.__module__) == (
            kind.strip("`"),
            f"kernelwise.criteria.{module.strip('`')}",
        )
