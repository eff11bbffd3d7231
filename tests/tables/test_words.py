"""Words: written in two ways, standing for missing values, unknown to the training file."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.tables import TableError, learn_encoding, read_table
from kernelwise.tables.cells import is_missing_cell
from kernelwise.tables.new_rows import WORD

# -- what is only doubtful -----------------------------------------------------------------------------------


def notes_of(tmp_path, contents, **options):
    (tmp_path / "f.csv").write_text(contents)
    return learn_encoding(read_table(tmp_path / "f.csv"), target="class", **options).notes


def test_words_that_differ_in_capitals_only_are_named_with_their_rows(tmp_path):
    rows = [
        ("red", "Mild case"),
        ("Red", "mild case"),
        ("blue", "mild  Case"),
        ("red ", "mild case"),
        ("blue", "no"),
    ]
    (note,) = notes_of(tmp_path, "c,class\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert note == (
        "Labels that differ only in capitals or spaces are one class, 'mild case': 'mild case' (2 rows), "
        "'Mild case' (1 row) and 'mild  Case' (1 row). Use --strict if they are different classes."
    )
    learned = learn_encoding(read_table(tmp_path / "f.csv"), target="class")
    assert learned.encoding.labels(learned.table).tolist() == ["mild case"] * 4 + ["no"]
    assert learned.encoding.labels(read_table(tmp_path / "f.csv")).tolist() == ["mild case"] * 4 + ["no"]
    (finding,) = learn_encoding(read_table(tmp_path / "f.csv"), target="class").findings
    assert finding.message.split(" differ")[0] == "Column 'c': 'red' (2 rows) and 'Red' (1 row)"


def test_a_few_numbers_and_a_text_are_words_and_that_is_said(tmp_path):
    contents = "g,class\n1,x\n2,y\nmore,x\n3,y\n1,x\n"
    (said,) = notes_of(tmp_path, contents)
    assert "'g' counts as words, though most of its cells are numbers (but 'more', first in line 4)" in said
    assert notes_of(tmp_path, contents, missing=["more"], impute=True) == []


def test_missing_is_about_features(tmp_path):
    (said,) = notes_of(tmp_path, "a,class\n-1,1\n2,-1\n3,-1\n", missing=["-1"], impute=True)
    assert said == "The target has '-1' in 2 rows; --missing does not apply to the target."
    table = read_table(tmp_path / "f.csv")
    encoding = learn_encoding(table, target="class", missing=["-1"], impute=True).encoding
    assert encoding.samples(table).tolist() == [[2.5], [2.0], [3.0]]
    assert encoding.labels(table).tolist() == [1, -1, -1]


# -- another file --------------------------------------------------------------------------------------------


TRAIN = "n,sex,town,class\n" + "".join(
    f"{'-' if k == 3 else k},{'fm'[k % 2]},T{k % 3},{k % 2}\n" for k in range(30)
)


@pytest.fixture
def learned(tmp_path):
    """The encoding of a training file in which - is missing, and a reader of further files."""
    (tmp_path / "f.csv").write_text(TRAIN)
    table = read_table(tmp_path / "f.csv")
    encoding = learn_encoding(table, missing=["-"], impute=True).encoding

    def read(contents):
        (tmp_path / "new.csv").write_text(contents)
        return read_table(tmp_path / "new.csv")

    return encoding, read


def test_texts_that_are_missing_are_so_in_another_file(learned):
    encoding, read = learned
    X = encoding.samples(read("n,sex,town\n-,f,T1\n4,-,T1\n"))
    assert X.tolist() == [[15.0, 1, 0, 0, 1, 0], [4, 1, 0, 0, 1, 0]]


def test_unknown_words_are_all_named_or_count_as_none(learned, tmp_path):
    encoding, read = learned
    table = read("n,sex,town\n1,f,Rome\n2,x,T1\nz,f,Rome\n")
    with pytest.raises(TableError) as caught:
        encoding.samples(table, frozenset({WORD}))
    first, sex, town = str(caught.value).splitlines()
    assert first.endswith("new.csv has 2 faults:")
    assert sex.startswith(
        "- line 3, column 'sex': 'x' is not in the training file, which has 'f' and 'm'. Correct"
    )
    assert town.startswith("- line 2, column 'town': 'Rome' is not in the training file")
    assert "(2 such cells)" in town
    assert town.endswith("or leave out --strict and --unknown, and it counts as none of them.")
    notes = []
    assert encoding.samples(table, notes=notes)[2, 0] == 15.0
    assert notes[0] == "Column 'n': 1 cell has no number (first 'z' in line 4) and counts as the median, 15."
    table, notes = read("n,sex,town\n1,f,Rome\n2,x,T1\n3,m,Rome\n"), []
    X = encoding.samples(table, notes=notes)
    assert X.tolist() == [[1, 1, 0, 0, 0, 0], [2, 0, 0, 0, 1, 0], [3, 0, 1, 0, 0, 0]]
    assert notes == [
        "Column 'sex': 1 cell has a word that is not in the training rows (first 'x' in line 3) and counts "
        "as none of the known words.",
        "Column 'town': 2 cells have a word that is not in the training rows (first 'Rome' in line 2) and "
        "count as none of the known words.",
    ]


def test_lumped_words_of_another_file_are_others(tmp_path):
    often = [word for k in range(25) for word in [f"T{k:02}"] * (2 if k < 20 else 1)] + ["other"]
    (tmp_path / "f.csv").write_text(
        "town,class\n" + "".join(f"{w},{'xy'[k % 2]}\n" for k, w in enumerate(often))
    )
    table = read_table(tmp_path / "f.csv")
    encoding = learn_encoding(table).encoding
    assert encoding.feature_names == [f"town=T{k:02}" for k in range(20)] + ["town: other"]
    X = encoding.samples(table)
    np.testing.assert_array_equal(X.sum(axis=1), 1)
    assert X[:, -1].sum() == 6
    (tmp_path / "new.csv").write_text("town\nT03\nRome\n")
    X = encoding.samples(read_table(tmp_path / "new.csv", True, min_columns=1))
    assert np.argmax(X, axis=1).tolist() == [3, 20]


def test_an_encoding_of_an_older_model_file_can_be_read_if_it_has_no_words(learned):
    encoding, _ = learned
    node = encoding.to_json()
    del node["missing"], node["encoder"], node["fills_gaps"]
    node["columns"] = [
        {"name": column.name, "categories": list(column.words), "fill": column.fill}
        for column in encoding.columns
    ]
    with pytest.raises(TableError, match="older version of kernelwise, which coded words in another way"):
        type(encoding).from_json(node)
    node["columns"] = [one for one in node["columns"] if not one["categories"]]
    old = type(encoding).from_json(node)
    assert old.feature_names == ["n"]
    assert old.missing == ()
    assert old.fills_gaps


def test_none_is_a_word_and_pythons_none_is_missing():
    assert [is_missing_cell(cell) for cell in ("none", "NONE", "None", " None ", "NA", "?")] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]
