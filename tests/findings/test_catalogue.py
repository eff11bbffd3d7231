"""The catalogue of findings: every finding is an entry, every entry is used, and its sentences are whole."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from pathlib import Path

import pytest

from kernelwise import diagnose
from kernelwise.findings import Entry, catalogue

SOURCE = Path(__file__).parents[2] / "src" / "kernelwise"
CATALOGUE = SOURCE / "findings" / "catalogue.py"
#: Every entry by its constant, or by the constant of a dictionary and its key there.
ENTRIES = {
    **{name: value for name, value in vars(catalogue).items() if isinstance(value, Entry)},
    **{
        f"{name}[{key!r}]": entry
        for name, value in vars(catalogue).items()
        if isinstance(value, dict)
        for key, entry in value.items()
        if isinstance(entry, Entry) and entry not in vars(catalogue).values()
    },
}
TREES = {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py")) if path != CATALOGUE}
NAMES = {entry.name for entry in ENTRIES.values()}


def fields(entry: Entry) -> set[str]:
    """The values that the sentences of an entry need."""
    found: set[str] = set()
    texts = [entry.message, entry.advice, entry.option]
    for text in texts:
        for _, field, spec, _ in string.Formatter().parse(text):
            if field is not None:
                found.add(field)
                texts.append(spec or "")
    return found


def of_catalogue(node: ast.AST) -> str | None:
    """The name that an expression takes from the catalogue; None if it takes none."""
    if isinstance(node, ast.Subscript):
        node = node.value
    is_there = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_there and node.value.id == "catalogue" else None


def uses(tree: ast.AST) -> set[str]:
    """The names that a module takes from the catalogue."""
    return {name for node in ast.walk(tree) if (name := of_catalogue(node)) is not None}


def made_otherwise(tree: ast.AST) -> list[int]:
    """Lines that make a finding without an entry."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node.lineno for node in calls if ast.unparse(node.func).split(".")[-1] == "Finding"]


def compared_by_word(tree: ast.AST) -> list[int]:
    """Lines that ask for the name of a finding by writing it out."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and getattr(node.left, "attr", "") == "name":
            words = [
                part.value for one in node.comparators for part in ast.walk(one) if hasattr(part, "value")
            ]
            found += [node.lineno] if NAMES & {word for word in words if isinstance(word, str)} else []
    return found


@pytest.mark.parametrize("code", ENTRIES)
def test_sentences_of_an_entry_are_whole(code):
    entry = ENTRIES[code]
    assert entry.severity in ("info", "warning", "error")
    for value in (1, 3):
        finding = entry(**dict.fromkeys(fields(entry), value))
        assert finding.name == entry.name
        for text in (finding.message, finding.advice, finding.option):
            assert not re.search(r"[{}|#]|  ", text.replace(f"{{{value}: (low, high)}}", ""))
            assert text == text.strip()
            assert not text or text[-1] in ".13"


def test_a_code_stands_for_one_entry():
    tree = ast.parse(CATALOGUE.read_text())
    written = Counter(node.targets[0].id for node in ast.walk(tree) if isinstance(node, ast.Assign))
    assert [code for code, n in written.items() if n > 1] == []
    assert [entry for entry, n in Counter(ENTRIES.values()).items() if n > 1] == []


def test_every_entry_is_used():
    used = set().union(*map(uses, TREES.values()))
    assert {code for code in ENTRIES if code.split("[")[0] not in used} == set()
    public = {code for code in vars(catalogue) if code.isupper() and not code.startswith("_")}
    assert used == public


def test_every_finding_is_an_entry():
    elsewhere = {str(path): made_otherwise(tree) for path, tree in TREES.items() if made_otherwise(tree)}
    assert set(elsewhere) == {str(SOURCE / "findings" / "__init__.py")}


def test_every_call_gives_the_values_of_its_entry():
    seen = 0
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            code = of_catalogue(node.func) if isinstance(node, ast.Call) else None
            if code is None or not isinstance(vars(catalogue)[code], Entry | dict):
                continue
            entry = vars(catalogue)[code]
            one_of = [entry] if isinstance(entry, Entry) else entry.values()
            given = {keyword.arg for keyword in node.keywords} - {"severity"}
            needed = set().union(*map(fields, one_of))
            seen += 1
            if None in given:  # some are in a dictionary
                assert given - {None} <= needed, f"{path}:{node.lineno}"
            else:
                assert given == needed, f"{path}:{node.lineno}"
    assert seen > 70


def test_findings_are_told_apart_by_the_catalogue_and_not_by_words():
    assert {str(path): lines for path, tree in TREES.items() if (lines := compared_by_word(tree))} == {}


def test_diagnose_names_what_it_may_find():
    section = " ".join(diagnose.__doc__.split("Names of findings:")[1].split("Notes")[0].split())
    rooms = [tree for path, tree in TREES.items() if path.parent.name == "diagnostics"]
    asked = {"column_findings", "group_findings", "near_copies_finding", "findings_of_table", "missing_codes"}
    functions = [node for tree in TREES.values() for node in tree.body if getattr(node, "name", "") in asked]
    assert len(functions) == len(asked)
    used = set().union(*map(uses, [*rooms, *functions]))
    assert set(re.findall(r'"([^"]+)"', section)) == {ENTRIES[code].name for code in used}


def test_the_guide_lists_every_name():
    guide = (SOURCE.parents[1] / "docs" / "guide" / "trust.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in guide.split("## All findings")[1].splitlines() if line[:1] == "|"]
    listed = re.findall("`([^`]+)`", " ".join(rows))
    assert len(listed) == len(set(listed))
    assert set(listed) == NAMES


def test_planted_faults_are_seen():
    assert made_otherwise(ast.parse('Finding("a", "info", "b")\nfindings.Finding("a", "info", "b")')) == [
        1,
        2,
    ]
    assert compared_by_word(ast.parse('one.name == "curve"\none.name in ("cost", other)')) == [1, 2]
    assert uses(ast.parse("catalogue.COST(n=1)\ncatalogue.STOPPED[reason](n=1)")) == {"COST", "STOPPED"}


def test_a_value_chooses_words():
    entry = Entry("a", "{n:# row has|# rows have} {is_low:few|many} {noun:>3}.", severity="info")
    assert entry(n=1, is_low=True, noun="a").message == "1 row has few   a."
    assert entry(n=2.5, is_low=False, noun="b").message == "2.5 rows have many   b."
    assert entry(n=0, is_low=True, noun="c", severity="error").severity == "error"
