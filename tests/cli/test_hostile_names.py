"""Names from outside: a terminal takes them for text, and a spreadsheet for no formula."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from kernelwise.cli.files import without_formulas
from kernelwise.cli.output import printable
from kernelwise.persistence import load, save

from .conftest import SHORT

ESCAPE = "x\x1b[31m\x9b1m\u202e\n.csv"


@pytest.fixture
def hostile(run):
    """A table under a hostile name, with hostile names and words inside."""
    rows = [f"{k}.5,=1+{k},{('no', '=HYPERLINK(0)')[k % 2]}" for k in range(24)]
    Path(ESCAPE).write_text("size,=cmd|' /C calc'!A0,kind\n" + "\n".join(rows) + "\n")
    return ESCAPE


def is_plain(text: str) -> bool:
    return all(printable(line) == line for line in text.split("\n"))


def test_names_of_files_reach_no_terminal_as_commands(run, hostile):
    names = {"--model": "m\x1b[0m.kw", "--report": "r\x1b[0m.html", "--journal": "j\x1b[0m"}
    options = [part for pair in names.items() for part in pair]
    told = run("tune", hostile, "--target", "kind", *SHORT, *options, "--verbose")
    assert told.code == 0, told.err
    assert all(Path(name).exists() for name in names.values())
    commands = [
        ("predict", "m\x1b[0m.kw", hostile, "--out", "p\x1b[0m.csv"),
        ("predict", "m\x1b[0m.kw", "nowhere\x1b[0m.csv"),
        ("predict", hostile, hostile),
        ("explain", "m\x1b[0m.kw", hostile, "--rows", "2"),
        ("export", "m\x1b[0m.kw", "--c", "c\x1b[0m.c"),
        ("diagnose", hostile, "--target", "kind"),
        ("tune", hostile, "--target", "\x1b[0m"),
        ("tune", hostile, "--model", "nowhere\x1b[0m/m.kw"),
        ("tune", "m\x1b[0m.kw"),
        ("\x1b[0m",),
    ]
    for arguments in commands:
        found = run(*arguments)
        assert found.code in (0, 2), found.err
        assert is_plain(found.err), (arguments, found.err)
        assert is_plain(found.out), (arguments, found.out)
    assert is_plain(told.out + told.err)


def test_json_escapes_what_a_terminal_would_obey_and_means_the_same(run, hostile):
    code, out, err = run("tune", hostile, "--target", "kind", *SHORT, "--json")
    assert code == 0, err
    assert is_plain(out)
    assert json.loads(out)["data"]["file"] == hostile


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("a;=1,=2\n=3", "a;'=1,'=2\n'=3"),
        ("-1.5", "-1.5"),
        ("+1e-3", "+1e-3"),
        (".5", ".5"),
        ("a=b-c", "a=b-c"),
        ("Köln", "Köln"),
        (-3, "-3"),
        ("", ""),
    ],
)
def test_cells_that_begin_a_formula_get_an_apostrophe(cell, expected):
    assert list(without_formulas([[cell]])) == [[expected]]


def test_predictions_and_scores_for_a_spreadsheet(run, hostile):
    kept = "=cmd|' /C calc'!A0"
    assert run("tune", hostile, "--target", "kind", *SHORT, "--use", kept, "--model", "m.kw").code == 0
    commands = {
        "exact.csv": ("predict", "m.kw", hostile, "--keep", kept),
        "safe.csv": ("predict", "m.kw", hostile, "--keep", kept, "--safe-csv"),
        "scores.csv": ("detect", hostile, "--keep", kept, "--kernel", "rbf", "--safe-csv"),
    }
    for out, command in commands.items():
        told = run(*command, "--out", out)
        assert told.code == 0, told.err
    texts = [Path(out).read_text(encoding="utf-8") for out in commands]
    exact, safe, scores = ([*csv.reader(text.splitlines())] for text in texts)
    assert exact[0][0] == kept
    assert exact[1][0] == "=1+0"
    assert "=HYPERLINK(0)" in {row[1] for row in exact}
    for rows in (safe, scores):
        assert not [cell for row in rows for cell in row if cell.startswith("=")]
        assert rows[1][0] == "'=1+0"
    shown = run("predict", "m.kw", hostile, "--safe-csv")
    assert "\n'=HYPERLINK(0)\n" in shown.out


@pytest.mark.parametrize("notes", [{"encoding": {}}, {"encoding": [1]}, {"encoding": None}, {}, None])
def test_a_model_whose_notes_are_damaged_is_refused_in_a_sentence(run, refused, hostile, notes):
    assert run("tune", hostile, "--target", "kind", *SHORT, "--model", "m.kw").code == 0
    save(load("m.kw"), "m.kw", notes)
    assert refused("predict", "m.kw", hostile).startswith("m.kw ")
