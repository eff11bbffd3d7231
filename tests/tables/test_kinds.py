"""Files of other kinds, and lines that are no rows: comments, empty cells at their end, another width."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec

import numpy as np
import pytest

from kernelwise.tables import read as reading
from kernelwise.tables import read_table

# -- kinds of files ------------------------------------------------------------------------------------------


def archive(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "x")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["Index/Document.iwa"], "is a Numbers document. Save the sheet as CSV (in Excel: File, S"),
        (["model.json"], "is a model of kernelwise."),
        (["train.csv"], "is a zip archive. Unpack it"),
    ],
)
def test_archives_are_called_what_they_are(faults, tmp_path, names, says):
    archive(tmp_path / "a.zip", *names)
    assert says in faults((tmp_path / "a.zip").read_bytes())[0]


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (b"%PDF-1.4\n%\xc7", "is a PDF document."),
        (b"\x89PNG\r\n\x1a\n\x00", "is a picture."),
        (b'\n{"a": [1, 2]}', "is a JSON file."),
        (b"<!DOCTYPE html>\n<table>", "is a web page, whatever its name says."),
        (b"@RELATION iris\n@data\n1,2\n", "is an ARFF file."),
        (b"BZh91AY&SY\x00", "is packed with bzip2."),
    ],
)
def test_other_files_are_called_what_they_are(faults, contents, says):
    assert says in faults(contents)[0]


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)


@pytest.mark.parametrize("names", [["[Content_Types].xml", "xl/workbook.xml"], ["content.xml"], None])
def test_a_broken_workbook_and_one_without_a_reader(faults, tmp_path, monkeypatch, names):
    if names is not None:
        archive(tmp_path / "a.zip", *names)
    contents = OLD if names is None else (tmp_path / "a.zip").read_bytes()
    if find_spec("python_calamine") is not None:
        assert "f.csv cannot be read as a workbook (" in faults(contents)[0]
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    assert (
        "is a workbook, which needs the package python-calamine. Install it with pip" in faults(contents)[0]
    )


def test_letters_that_begin_a_text_file_are_letters(tmp_path):
    (tmp_path / "f.csv").write_text("BZh,ORC\n1,2\n3,4\n")
    assert read_table(tmp_path / "f.csv").names == ("BZh", "ORC")


# -- lines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contents",
    [
        "a,b,class,\n1,2,x,\n3,4,y,\n",
        "a,b,class,,\n1,2,x,,\n3,4,y,,\n",
        "a,b,class\n1,2,x,\n3,4,y,\n",
        "a,b,class,\n1,2,x\n3,4,y\n",
        "a;b;class;\n1;2;x;\n3;4;y;\n",
    ],
)
def test_empty_cells_at_the_end_of_lines_are_no_column(tmp_path, contents):
    (tmp_path / "f.csv").write_text(contents)
    table = read_table(tmp_path / "f.csv")
    assert table.names == ("a", "b", "class")
    assert any("empty cells at the end of the lines were left out" in note for note in table.notes)


def test_a_column_with_a_name_or_a_place_is_kept_though_it_is_empty(tmp_path):
    (tmp_path / "f.csv").write_text("a,b,class\n1,2,\n3,4,\n")
    assert read_table(tmp_path / "f.csv").names == ("a", "b", "class")
    (tmp_path / "f.csv").write_text("x,1,,\ny,3,,\n")
    assert len(read_table(tmp_path / "f.csv", False).names) == 2
    assert len(read_table(tmp_path / "f.csv", False, keep=3).names) == 3


def test_lines_of_another_width_are_all_named(faults):
    rows = ["1,2", "1,2,3", "1,2", "1", "1,2,3"]
    assert faults("a,b\n" + "\n".join(rows)) == [
        "f.csv, line 3: expected 2 cells as in line 1, found 3. 2 more lines have another number of cells, "
        "too: 5 and 6. Correct the file; a cell that holds a separator needs quotation marks."
    ]


@pytest.mark.parametrize(
    ("contents", "n_comments"),
    [
        ("# made, on, a, day\n# by X\na,class\n1,x\n3,y\n", 2),
        ("# two, cells\na,class\n1,x\n3,y\n", 1),
        ("a,class\n1,x\n# so, far, so, good\n3,y\n#\n", 2),
        ("#a,class\n1,x\n3,y\n", 0),
        ('a,class\n1,"x\n# is, in, a, cell"\n3,y\n', 0),
    ],
)
def test_comments_are_left_out_and_names_are_not(tmp_path, contents, n_comments):
    (tmp_path / "f.csv").write_text(contents)
    table = read_table(tmp_path / "f.csv")
    assert [name.lstrip("#") for name in table.names] == ["a", "class"]
    np.testing.assert_array_equal(table.columns[0], [1, 3])
    said = [note for note in table.notes if "# at the start" in note]
    assert len(said) == bool(n_comments)
    assert all(f"{n_comments} line" in note for note in said)


def test_a_first_column_of_colours_is_no_comment(tmp_path):
    (tmp_path / "f.csv").write_text("colour,n\n#ff0000,1\n#00ff00,2\n")
    assert read_table(tmp_path / "f.csv").columns[0].tolist() == ["#ff0000", "#00ff00"]
