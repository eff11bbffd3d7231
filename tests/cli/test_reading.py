"""Files as people have them: a first result after one list of faults."""

from __future__ import annotations

import html
import io
import json
import shlex
from datetime import date, timedelta

import numpy as np
import pytest

from kernelwise.cli.options import Reading
from kernelwise.cli.output import printable
from kernelwise.cli.samples import first_line, read_samples

from .conftest import SHORT

TOWNS = ("Köln", "Düsseldorf", "Münster", "Zürich", "Ulm", "Bonn")
CLASSES = ("mild case", "severe case", "no finding")


@pytest.fixture
def messy(tmp_path):
    """300 rows with identifiers, dates, '-' and '<5' among numbers, towns, gaps, and three classes."""
    random = np.random.default_rng(0)
    lines = ["sample_id,date,conc,lod,town,age,outcome"]
    for k in range(300):
        label = 0 if k < 150 else 1 + k % 2
        conc = "-" if k in (84, 120, 133, 200, 277) else f"{20 + 3 * label + random.normal():.2f}"
        lod = "<5" if k % 40 == 3 else f"{5 + random.exponential(1 + label):.2f}"
        age = "" if k % 25 == 7 else random.integers(18, 90)
        day = date(2024, 1, 1) + timedelta(k)
        lines.append(f"P-{k:05d},{day},{conc},{lod},{TOWNS[k % 6]},{age},{CLASSES[label]}")
    (tmp_path / "messy.csv").write_text("\n".join(lines), encoding="utf-8")
    return "messy.csv"


def test_a_messy_file_gives_a_result_in_the_first_run(run, messy):
    code, out, err = run("tune", messy, *SHORT, "--model", "m.kw")
    assert code == 0
    left_out = (
        "1 column was left out, which cannot help: 'sample_id' (has a different word in nearly every row). "
        "To use it nevertheless, name it with --use, as in --use sample_id."
    )
    assert f"\nlook first  {left_out}" in out
    assert left_out not in err  # it is told once
    assert err.splitlines()[1:4] == [
        "Column 'conc' has 5 cells that are no numbers and now count as missing ('-'; lines 86, 122, 135, "
        "202 and 279).",
        "Column 'lod' has 8 cells that are no numbers and now count as missing ('<5'; lines 5, 45, 85, 125 "
        "and 4 more). A number instead, such as half the limit, would tell the model more.",
        "Read as dates: 'date' (such as '2024-01-01').",
    ]
    assert "300 rows, 5 of 6 columns; " in out
    assert run("predict", "m.kw", messy).code == 0


def test_a_messy_file_is_refused_if_that_is_wanted(run, refused, messy):
    first, *faults, last = refused("tune", messy, "--strict").splitlines()
    assert first == "messy.csv has 4 faults:"
    assert faults[2] == (
        "- column 'conc': 5 of 300 cells are not numbers ('-', first in line 86). Tell kernelwise that '-' "
        "means missing with --missing -, or leave the column out with --ignore conc."
    )
    command = 'To continue: kernelwise tune messy.csv --strict --ignore sample_id,date --missing "-,<5"'
    assert last == command
    options = shlex.split(last.removeprefix("To continue: kernelwise tune messy.csv"))
    code, out, _ = run("tune", messy, *options, *SHORT, "--model", "m.kw")
    assert code == 0
    assert "300 rows, 4 of 6 columns; mild case (150), no finding (75), severe case" in out
    assert run("predict", "m.kw", messy).code == 0
    assert run("diagnose", messy, *options).code == 0


def test_options_with_names_may_be_repeated_instead_of_joined_by_commas(run, messy):
    joined = ("--ignore", "sample_id,date", "--missing", "-,<5")
    apart = ("--ignore", "sample_id", "--ignore", "date", "--missing", "-", "--missing", "<5")
    costs = ("--cost", "mild case=1,severe case=5"), ("--cost", "mild case=1", "--cost", "severe case=5")
    ways = ((*joined, *costs[0]), (*apart, *costs[1]))
    first, second = (json.loads(run("tune", messy, *way, *SHORT, "--json").out) for way in ways)
    assert first["settings"] == second["settings"]
    assert first["data"] == second["data"]
    assert first["score"] == second["score"]


def test_words_that_are_new_are_refused_or_ignored(run, refused, messy, tmp_path):
    options = ("--ignore", "sample_id,date", "--missing", "-,<5", "--impute")
    assert run("tune", messy, *options, *SHORT, "--model", "m.kw").code == 0
    new = (tmp_path / messy).read_text(encoding="utf-8").replace("Ulm", "Wien")
    (tmp_path / "new.csv").write_text(new, encoding="utf-8")
    sentence = refused("predict", "m.kw", "new.csv", "--unknown", "error")
    assert sentence == refused("predict", "m.kw", "new.csv", "--strict")
    assert sentence.startswith("new.csv, line 6, column 'town': 'Wien' is not in the training file")
    outcome = run("predict", "m.kw", "new.csv")
    assert len(outcome.out.splitlines()) == 301
    assert (
        "Column 'town': 50 cells have a word that is not in the training rows (first 'Wien' in line 6)"
        in outcome.err
    )


def test_a_test_file_with_new_words_is_used_or_refused(run, refused, messy, tmp_path):
    options = ("--ignore", "sample_id,date", "--missing", "-,<5", "--impute")
    new = (tmp_path / messy).read_text(encoding="utf-8").replace("Ulm", "Wien")
    (tmp_path / "new.csv").write_text(new, encoding="utf-8")
    told = refused("tune", messy, "new.csv", *options, *SHORT, "--unknown", "error")
    assert "'Wien' is not in the training file" in told
    outcome = run("tune", messy, "new.csv", *options, *SHORT)
    assert outcome.code == 0
    assert "50 cells have a word that is not in the training rows (first 'Wien' in line 6)" in outcome.err


def test_preparation_is_in_the_notes_of_json(run, messy):
    options = ("--ignore", "sample_id,date", "--missing", "-,<5", "--impute", "--json")
    notes = json.loads(run("tune", messy, *options, *SHORT).out)["data"]["notes"]
    assert "Left out: 'sample_id' and 'date'." in notes
    assert any(note.startswith("Missing values were filled: 5 in 'conc' by the median ") for note in notes)


def samples_of(tmp_path, contents, task="classification"):
    (tmp_path / "f.csv").write_text(contents)
    return read_samples(tmp_path / "f.csv", None, Reading(), task)


def test_the_first_line_has_rows_features_and_classes(tmp_path):
    labels = [f"c{k % 11}" for k in range(44)] + ["\x1b[31mred"] * 5
    data = samples_of(tmp_path, "a,class\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels)))
    shown = "\\x1b[31mred (5), c0 (4), c1 (4), c10 (4), c2 (4), c3 (4), c4 (4), c5 (4) and 4 more."
    assert printable(first_line(data)) == f"49 rows, 1 feature; 'class': 12 classes, {shown}"
    data = samples_of(tmp_path, "a,b,y\n1,2,-1.5\n3,4,2.5\n5,7,2\n", "regression")
    assert first_line(data) == "3 rows, 2 features; 'y': a number, between -1.5 and 2.5, on average 1."


def test_rows_of_standard_input(run, rows, monkeypatch):
    text = "\n".join(["a,b,colour,play", *rows])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    outcome = run("tune", "-", *SHORT)
    assert outcome.code == 0
    assert "Predicting 'play' (2 classes) from standard input\n" in outcome.out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "standard input is empty" in run("tune", "-").err


def test_whole_numbers_of_a_quantity_start_a_regression(run, refused, tmp_path):
    random = np.random.default_rng(0)
    counts = random.normal(30, 25, size=300).astype(int)
    (tmp_path / "counts.csv").write_text("a,count\n" + "".join(f"{n * 2},{n}\n" for n in counts))
    told = run("tune", "counts.csv", *SHORT)
    assert told.code == 0
    assert (
        "The target 'count' looks like a quantity, so this is a regression; --task classification" in told.err
    )
    assert told.out.startswith("Predicting 'count' (a number) from counts.csv\n")
    sentence = refused("tune", "counts.csv", "--task", "classification")
    assert sentence.startswith(
        f"counts.csv: the target 'count' has {len(set(counts))} different whole numbers in 300"
    )
    assert "it looks like a quantity. Add --task regression" in sentence
    assert run("tune", "counts.csv", "--task", "regression", *SHORT).code == 0


def test_the_sign_of_decimals_of_new_rows_can_be_named(run, refused, tmp_path):
    lines = [f"{k % 7}.{k % 10}25,{k % 11}.5,{'ab'[k % 7 > 3]}" for k in range(40)]
    (tmp_path / "train.csv").write_text("\n".join(["dose,size,class", *lines]))
    assert run("tune", "train.csv", *SHORT, "--kernel", "rbf", "--model", "m.kw").code == 0
    german = ["dose;size", *(line[:-2].replace(",", ";").replace(".", ",") for line in lines)]
    (tmp_path / "new.csv").write_text("\n".join(german))
    for command in ("predict", "explain"):
        said = refused(command, "m.kw", "new.csv")
        assert "'1,125' (line 3, column 'dose') is doubtful. Say with --decimal . or --decimal ," in said
        assert run(command, "m.kw", "new.csv", "--decimal", ",").code == 0
    named = run("predict", "m.kw", "new.csv", "--decimal", ",").out
    assert named == run("predict", "m.kw", "train.csv").out


def test_the_report_tells_what_was_done_to_rows_in_the_words_of_the_terminal(run, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yes' if a + b > 1 else 'no'}" for a, b in rng.uniform(size=(60, 2))]
    lines[5] = lines[5].rsplit(",", 1)[0] + ","
    lines[7] = "broken," + lines[7].split(",", 1)[1]
    lines[9] = lines[9].replace("yes", "Yes").replace("no", "No")
    (tmp_path / "f.csv").write_text("A title\na,b,class\n" + "\n".join(lines) + "\nTotal,30,\n")
    told = run("tune", "f.csv", "--report", "report.html", *SHORT)
    assert told.code == 0, told.err
    page = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    said = [line.strip() for line in told.err.splitlines() if line.strip()]
    about_rows = [one for one in said if "left out, because" in one or "skipped" in one or "one class" in one]
    about_cells = [one for one in said if "now counts as missing" in one]
    assert len(about_rows) >= 3
    assert about_cells
    for sentence in (*about_rows, *about_cells):
        assert sentence in page
