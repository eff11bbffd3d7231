"""The seven steps of a search have the same words in the code, in its page and in the contributors' map."""

from __future__ import annotations

import re
from pathlib import Path

import kernelwise.search

ROOT = Path(__file__).parents[2]
#: Number, name, file and what the step is about, from the docstring of the package.
STEPS = re.findall(
    r"^    (\d)  (\w[\w -]*?)  +\(?([\w/]+\.py)[,)]?(.*)$", kernelwise.search.__doc__, flags=re.M
)


def test_there_are_seven_and_each_has_its_file():
    assert [int(number) for number, *_ in STEPS] == list(range(1, 8))
    for _, _, file, _ in STEPS:
        room = ROOT / "src" / "kernelwise"
        assert (room / file).exists() or (room / "search" / file).exists()


def test_the_map_has_the_same_words():
    text = (ROOT / "docs" / "architecture.md").read_text()
    for number, name, file, about in STEPS[:6]:
        assert f"{number}. **{name}** (`{file}`): {about.strip()}." in text
    assert f"7. **{STEPS[6][1]}** (`{STEPS[6][2]}`)" in text


def test_the_page_tells_them_in_the_same_order():
    text = (ROOT / "docs" / "how-it-chooses.md").read_text()
    assert re.findall(r"^(\d)\. \*\*([\w -]+)\.\*\*", text, flags=re.M) == [step[:2] for step in STEPS]
