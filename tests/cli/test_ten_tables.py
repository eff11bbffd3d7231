"""Raw tables as people have them: a model at the first command, and predictions of a new file at the next."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import SHORT
from tests.tables.test_raw_tables import people, workbook

N = 80
RANDOM = np.random.default_rng(3)
SIZE = RANDOM.normal(10.0, 3.0, N).round(2)
PEOPLE = RANDOM.permutation(9000)[:N] + 500
IS_LARGE = SIZE + RANDOM.normal(0.0, 0.5, N) > 10.0
TOWN = RANDOM.choice(["Ulm", "Bonn", "Kiel"], N)
DAYS = np.datetime64("2023-11-20") + np.arange(N)


def comma(number):
    return f"{number:.2f}".replace(".", ",")


def german():
    rows = []
    for k in range(N):
        people_there = f"{PEOPLE[k]:,}".replace(",", ".")
        answer = "ja" if IS_LARGE[k] else "nein"
        rows.append(f"{people_there};{comma(SIZE[k])};{DAYS[k].item():%d.%m.%Y};{answer}")
    return "Einwohner;Größe;Tag;groß\n" + "\n".join(rows)


def plain(header, *columns):
    """A CSV file of these columns, as a spreadsheet would write it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *zip(*columns, strict=True)])
    return text.getvalue()


ANSWER = np.where(IS_LARGE, "yes", "no")
#: Contents of a file, its target, what is told of it, and further options.
TABLES = {
    "german": (german, "groß", "points in 'Einwohner' were read as separators of thousands.", ()),
    "title": (
        lambda: "Sizes of towns\n\n" + plain(["town", "size", "large"], TOWN, SIZE, ANSWER),
        "large",
        "line 1 above the names of the columns was skipped ('Sizes of towns')",
        (),
    ),
    "totals": (
        lambda: plain(["town", "size", "large"], TOWN, SIZE, ANSWER) + f"Total,{SIZE.sum():.2f},\n",
        "large",
        "line 82 below the rows was skipped",
        (),
    ),
    "pandas index": (
        lambda: plain(["", "size", "town", "large"], range(N), SIZE, TOWN, ANSWER),
        "large",
        "'column 1' (numbers the rows, without a name)",
        (),
    ),
    "yes and Yes": (
        lambda: plain(["size", "town", "large"], SIZE, TOWN, [*ANSWER[:-1], "Yes"]),
        "large",
        "Labels that differ only in capitals or spaces are one class, 'yes'",
        (),
    ),
    "per cent": (
        lambda: plain(["share", "town", "large"], [f"{size} %" for size in SIZE], TOWN, ANSWER),
        "large",
        f"Read as numbers: 'share' (such as '{SIZE[0]} %', which is {SIZE[0] / 100:g}).",
        (),
    ),
    "currency": (
        lambda: plain(
            ["town", "floor", "price"],
            TOWN,
            [f"{size} m2" for size in SIZE],
            [f"${100 * size:,.2f}" for size in SIZE],
        ),
        "price",
        f"Read as numbers: 'floor' (such as '{SIZE[0]} m2').",
        ("--task", "regression"),
    ),
    "dates": (
        lambda: plain(
            ["day", "size", "cold"],
            [f"{day.item():%b %d, %Y}" for day in DAYS],
            SIZE,
            np.where(DAYS > DAYS[40], "yes", "no"),
        ),
        "cold",
        "Read as dates: 'day' (such as 'Nov 20, 2023').",
        (),
    ),
    "text": (
        lambda: plain([*people(N)[0], "sex"], *people(N)[0].to_numpy().T, people(N)[1]),
        "sex",
        "Groups of letters of the text in 'name'",
        (),
    ),
    "missing targets": (
        lambda: plain(["size", "town", "large"], SIZE, TOWN, ["", "NA", *ANSWER[2:]]),
        "large",
        "2 rows were left out, because the target 'large' is missing (lines 2 and 3).",
        (),
    ),
    "sheet": (None, "large", "the sheet 'Our sizes' was read.", ()),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_raw_table_has_a_model_at_the_first_command(run, kind):
    contents, target, told, options = TABLES[kind]
    name = "raw.csv"
    if contents is None:
        pytest.importorskip("python_calamine")
        name = "raw.xlsx"
        rows = [[float(a), str(b), str(c)] for a, b, c in zip(SIZE, TOWN, ANSWER, strict=True)]
        workbook(Path(name), [["Sizes"], ["size", "town", "large"], *rows])
    else:
        Path(name).write_text(contents(), encoding="utf-8")
    outcome = run("tune", name, "--target", target, "--kernel", "rbf", *SHORT, *options, "--model", "m.kw")
    assert outcome.code == 0, outcome.err
    assert told in outcome.err
    assert "no better than guessing" not in outcome.out + outcome.err
    again = run("predict", "m.kw", name)
    assert again.code == 0, again.err
    assert "Score on the target in the file" in again.err or kind == "missing targets"


def test_a_new_file_of_another_form_is_predicted_and_what_is_unknown_is_listed_last(run):
    Path("raw.csv").write_text(plain(["town", "size", "large"], TOWN, SIZE, ANSWER))
    assert run("tune", "raw.csv", "--kernel", "rbf", *SHORT, "--model", "m.kw").code == 0
    Path("new.csv").write_text("Size;extra;TOWN\n9,5;x;ulm\n;x;Rom\n2200,25;x;Kiel\noops;x;Bonn\n")
    outcome = run("predict", "m.kw", "new.csv", "--out", "answers.csv")
    assert outcome.code == 0, outcome.err
    assert len(Path("answers.csv").read_text().splitlines()) == 5
    *_, names, gone, gap, capitals, unknown, far = lines = outcome.err.splitlines()
    assert lines[-7] == "Wrote 4 predictions to answers.csv."
    assert names == (
        "Names of columns in other capitals or blanks were taken: 'TOWN' for 'town' and 'Size' for 'size'."
    )
    sentences = {capitals, unknown, gone, gap}
    for told in (
        "Column 'town': 1 cell has a word of the training rows in other capitals or blanks (first 'ulm' in",
        "Column 'town': 1 cell has a word that is not in the training rows (first 'Rom' in line 3)",
        "Column 'size': 1 cell has no number (first 'oops' in line 5) and counts as the median",
        "Column 'size': 1 cell has no value (first in line 3) and counts as the median",
    ):
        assert any(sentence.startswith(told) for sentence in sentences)
    assert far.startswith(
        "1 of 4 rows is unlike the training rows; farthest outside is size 2200.25 in line 4"
    )
