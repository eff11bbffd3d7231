"""Files of many kinds as tables, and tables as X and y."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from kernelwise.tables import Encoding, TableError, learn_encoding, read_table
from kernelwise.tables import read as reading
from kernelwise.tables.new_rows import EVERY_KIND
from kernelwise.tables.read import csv as csv_module

NAMED = "a,b,class\n1.5,2,x\n3,-4e-3,y\n5,6,x\n"
X = [[1.5, 2], [3, -4e-3], [5, 6]]


@pytest.fixture
def read(tmp_path):
    """Write a file, read it, and return X, y, names of features and everything that was noted."""

    def read_contents(contents, name="some.csv", has_header=None, **options):
        path = tmp_path / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        table = read_table(path, has_header)
        learned = learn_encoding(table, **options)
        encoder = learned.encoding.encoder if learned.encoding.is_coded else None  # which a model has
        again = Encoding.from_json(json.loads(json.dumps(learned.encoding.to_json())), encoder)
        assert again == learned.encoding
        notes = [*table.notes, *learned.notes, *learned.preparation]
        used = learned.table
        return again.samples(used), again.labels(used), again.feature_names, notes

    return read_contents


@pytest.mark.parametrize(
    ("contents", "name"),
    [
        (NAMED, "plain.csv"),
        (NAMED, "plain"),
        (gzip.compress(NAMED.encode(), mtime=0), "packed.csv.gz"),
        (gzip.compress(NAMED.encode(), mtime=0), "packed_without_saying.csv"),
        (NAMED.replace("\n", "\r\n"), "windows.csv"),
        (NAMED.replace("\n", "\r"), "old_macintosh.csv"),
        (NAMED + "\n \n", "blank_lines.csv"),
        (NAMED.replace(",", "\t"), "tabs.tsv"),
        (NAMED.replace(",", ";"), "semicolons.csv"),
        (NAMED.replace(",", " | "), "bars.txt"),
        (NAMED.replace(",", "   "), "blanks.txt"),
        ("a;b;class\n1,5;2;x\n3;-4e-3;y\n5;6;x\n", "decimal_commas.csv"),
        (b"\xef\xbb\xbf" + NAMED.encode(), "byte_order_mark.csv"),
        (NAMED.encode("utf-16"), "utf16.csv"),
        (NAMED.replace("x", '"x"').replace("a,b", '"a","b"'), "quoted.csv"),
    ],
)
def test_features_labels_and_names(read, contents, name):
    samples, labels, names, notes = read(contents, name)
    np.testing.assert_array_equal(samples, X)
    assert labels.tolist() == ["x", "y", "x"]
    assert names == ["a", "b"]
    assert any("decimal points" in note for note in notes) == (name == "decimal_commas.csv")


def test_without_a_header_columns_have_numbers(read):
    samples, labels, names, _ = read("1,5,0\n2,6,1\n3,7,0\n")
    np.testing.assert_array_equal(samples, [[1, 5], [2, 6], [3, 7]])
    assert labels.tolist() == [0, 1, 0]
    assert labels.dtype == np.int64
    assert names == ["column 1", "column 2"]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n3,4\n", ","),
        ("a, b \n\n 1 ,2e3\n  \n-3,+.4\n\n", ","),
        ("1,2\n3,4", ","),
        ("nan,?\n3,nan\nnan,-inf\n", ","),
        ("x\ty\n1\t2\n3\t4\n", "\t"),
        ("x  y\n 1   2 \n3 4\n", " "),
        ("x;x\n10;2.50\n", ";"),
    ],
)
@pytest.mark.parametrize("has_header", [None, True])
def test_plain_numbers_are_read_as_cell_by_cell(text, separator, has_header):
    fast, slow = (
        read(text, separator, Path("some.csv"), has_header, 2, *more)
        for read, more in (
            (csv_module._parse_numbers, (None, None)),
            (csv_module._parse_cells, (0, None, None, None)),
        )
    )
    assert (fast.names, fast.has_names, fast.notes) == (slow.names, slow.has_names, slow.notes)
    assert fast.lines.tolist() == slow.lines.tolist()
    for k in range(2):
        np.testing.assert_array_equal(fast.columns[k], slow.columns[k])
        assert fast.texts(k).tolist() == slow.texts(k).tolist()


@pytest.mark.parametrize(
    ("contents", "has_header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("5.1,setosa\n4.9,setosa\n", False),
        ("sunny,hot,no\nsunny,mild,no\nrainy,hot,yes\n", False),
        ("sky,heat,play\nsunny,mild,no\nrainy,hot,yes\n", True),
        (",a,b\n0,1,2\n1,3,4\n", True),
        ("?,na\nnan,nan\nNaN,nan\n", True),
        ("?,1,2\n0,1,2\n1,3,4\n", False),
        ("a,2020,y\n1,2,0\n3,4,1\n", True),
        ("2019,2020,class\n1,2,u\n3,4,v\n", True),
        ("5,-,1\n6,4,2\n7,5,3\n", False),
    ],
)
def test_whether_there_is_a_header_is_found_out(tmp_path, contents, has_header):
    (tmp_path / "f.csv").write_text(contents)
    assert read_table(tmp_path / "f.csv").has_names is has_header


def test_a_header_of_numbers_has_to_be_announced(read):
    contents = "2019,2020,y\n1,2,0\n3,4,1\n"
    samples, _, names, _ = read(contents, has_header=True)
    assert names == ["2019", "2020"]
    assert samples.shape == (2, 2)


@pytest.mark.parametrize(
    ("target", "names"),
    [("a", ["b", "class"]), ("1", ["b", "class"]), ("-1", ["a", "b"]), ("2", ["a", "class"])],
)
def test_the_target_by_name_or_number(read, target, names):
    contents = "a,b,class\n1,0,1\n0,1,0\n"
    assert read(contents, target=target)[2] == names


@pytest.mark.parametrize(
    ("header", "expected"),
    [("a,b,c", "c"), ("Label,b,c", "Label"), ("y,class,c", "c"), ("a,TARGET,c", "TARGET")],
)
def test_the_usual_target_is_found_and_said(read, header, expected):
    notes = read(f"{header}\n1,0,1\n0,1,0\n")[3]
    assert any(f"The target is '{expected}'" in note for note in notes)


def test_text_becomes_zeros_and_ones(read):
    contents = "colour,sex,n,class\nred,f,1,0\ngreen,m,2,1\nblue,m,3,0\nred,f,4,1\n"
    samples, _, names, notes = read(contents)
    assert names == ["n", "colour=blue", "colour=green", "colour=red", "sex=f", "sex=m"]
    expected = [[1, 0, 0, 1, 1, 0], [2, 0, 1, 0, 0, 1], [3, 1, 0, 0, 0, 1], [4, 0, 0, 1, 1, 0]]
    np.testing.assert_array_equal(samples, expected)
    assert any("'colour' (3 words) and 'sex' (2 words)" in note for note in notes)


def test_missing_values_are_gaps_or_replaced_on_request(read):
    contents = "a,c,class\n1,u,0\n,u,1\n4,NA,0\n10,v,1\nn/a,v,0\n7,u,1\n"
    samples, _, names, notes = read(contents)
    assert names == ["a", "a missing", "c=u", "c=v", "c missing"]
    np.testing.assert_array_equal(samples[:3], [[1, 0, 1, 0, 0], [5.5, 1, 1, 0, 0], [4, 0, 0, 0, 1]])
    assert any("Some values are missing" in note and "'a' (2) and 'c' (1)" in note for note in notes)
    samples, _, names, notes = read(contents, impute=True)
    assert names == ["a", "c=u", "c=v"]
    np.testing.assert_array_equal(samples[:, :2], [[1, 1], [5.5, 1], [4, 1], [10, 0], [5.5, 0], [7, 1]])
    assert any(
        "2 in 'a' by the median 5.5 and 1 in 'c' by the most frequent word 'u'" in note for note in notes
    )


def test_columns_can_be_left_out(read):
    contents = "id,a,b,class\nq1,1,2,0\nq2,3,4,1\n"
    assert read(contents, ignore=["id", "3"])[2] == ["a"]


def test_a_column_that_is_not_there_brings_the_nearest_name_and_the_last(read):
    many = ",".join(f"x{k}" for k in range(12)) + ",target\n" + ",".join("1" * 13) + "\n"
    with pytest.raises(
        TableError, match=r"no column 'targt'.* Did you mean 'target'\? .* 5 more and 'target'"
    ):
        read(many, target="targt")


def test_windows_text_is_read_and_said(read):
    _, labels, names, notes = read("größe,class\n1,für\n2,straße\n".encode("cp1252"))
    assert names == ["größe"]
    assert labels.tolist() == ["für", "straße"]
    assert any("read as Windows-1252" in note for note in notes)


def test_twice_the_same_name(read):
    assert read("a,a,,class\n1,2,3,0\n3,4,5,1\n")[2] == ["a", "a (2)", "column 3"]


def test_underscores_are_no_numbers(read):
    assert read("a,b,class\n1_0,1,0\n2_0,2,1\n")[2] == ["b", "a=1_0", "a=2_0"]


def test_a_cell_may_hold_separators_and_lines(read):
    _, labels, _, _ = read('a,class\n1,"x, or\nso"\n2,"x, or\nso"\n3,"y\u2028"\n')
    assert labels.tolist() == ["x, or\nso", "x, or\nso", "y"]


@pytest.mark.slow
def test_a_large_file_has_the_same_numbers(tmp_path):
    values = np.random.default_rng(0).normal(size=(50_000, 30))
    np.savetxt(tmp_path / "large.csv", values, delimiter=",", fmt="%.17g")
    table = read_table(tmp_path / "large.csv")
    np.testing.assert_array_equal(np.column_stack(table.columns), values)


def test_regression_targets(read):
    assert read("a,y\n1,1.5\n2,3\n", task="regression")[1].tolist() == [1.5, 3.0]


@pytest.mark.parametrize(
    ("contents", "options", "says"),
    [
        ("", {}, "is empty"),
        (" \n\n", {}, "is empty"),
        ("a,b,class\n", {"has_header": True}, "has a header and no rows"),
        ("1\n2\n", {}, "only one column"),
        ("a,b\n1,2\n1,2,3\n", {}, "line 3: expected 2 cells as in line 1, found 3"),
        (NAMED, {"target": "z"}, "no column 'z' \\(--target\\). It has 'a', 'b', 'class'"),
        (NAMED, {"target": "4"}, "no column '4'"),
        (NAMED, {"target": "0"}, "no column '0'"),
        (NAMED, {"ignore": ["z"]}, "no column 'z' \\(--ignore\\)"),
        (NAMED, {"ignore": ["class"], "target": "class"}, "both --target and in --ignore"),
        (NAMED, {"ignore": ["a", "b"]}, "no column left beside the target"),
        (NAMED, {"ignore": ["1", "2", "3"]}, "--ignore leaves no column"),
        ("a,y\n1,1.5\n2,3\n", {}, "the target 'y' looks continuous"),
        ("a,y\n1,x\n2,z\n", {"task": "regression"}, "line 2, column 'y': a regression needs numbers"),
        ("a,y\n1,1\n2,inf\n", {"task": "regression"}, "line 3, column 'y': inf is not a finite number"),
        ("a,y\n1,0\n2,\n", {}, "line 3, column 'y': the target is missing"),
        ("a,y\n1,0\n-inf,1\n", {}, "line 3, column 'a': -inf is not a finite number"),
        ("a,b,y\n,1,0\n,2,1\n", {"impute": True}, "column 'a': it has no values"),
        (
            "a,y\n" + "".join(f"w{k},0\n" for k in range(21)),
            {},
            "'a': it has 21 different words in 21 rows, such as 'w0'",
        ),
        (
            "a,y\n" + "".join(f"{k},0\n" for k in range(21)) + "x,1\n",
            {},
            "1 of 22 cells is not a number \\('x', first in line 23\\)",
        ),
        (b"a,y\n1,\x81\n", {}, "neither UTF-8 nor Windows-1252"),
        (b"\xff\xfea,y\n1", {}, "is not the UTF-16 text"),
        (b"PK\x03\x04\x00\x00", {}, "is a zip archive that is not complete"),
        (b"a,b\x00\x01\n", {}, "not a text file"),
        ('a,y\n"1,2\n' + "x" * 140_000, {}, "quotation mark"),
        ("x" * 140_000 + ",y\n1,2\n3,4\n", {}, "line 1: field larger than field limit"),
        (b"PAR1 and nothing more", {}, "not a complete Parquet file"),
        (b"\x1f\x8b\x08 broken", {}, "not a complete gzip file"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(read, contents, options, says):
    with pytest.raises(TableError, match=says):
        read(contents, strict=True, **options)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    with pytest.raises(TableError, match=r"There is no file .*nowhere.csv. Check the name"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)
    (tmp_path / "a.csv.gz").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="is not a gzip file, despite its name"):
        read_table(tmp_path / "a.csv.gz")


# -- a second file -------------------------------------------------------------------------------------------


@pytest.fixture
def learned(tmp_path):
    """Write two files; the encoding of the first, and the table of the second."""

    def learn(first, second, name="some.csv", **options):
        for number, contents in enumerate((first, second)):
            (tmp_path / f"{number}{name}").write_text(contents)
        encoding = learn_encoding(read_table(tmp_path / f"0{name}"), **options).encoding
        return encoding, read_table(tmp_path / f"1{name}", encoding.has_header)

    return learn


MIXED = "a,colour,class\n1,red,0\n3,green,1\n5,blue,0\n"


def test_columns_of_another_file_are_found_by_name_whatever_their_order(learned):
    encoding, table = learned(MIXED, "extra,colour,a\n7,blue,2\n")
    np.testing.assert_array_equal(encoding.samples(table), [[2, 1, 0, 0]])
    assert not encoding.has_labels(table)


def test_without_names_columns_are_found_by_place_with_or_without_the_target(learned):
    for first, second in (("0,1,2\n1,3,4\n", "5,6\n"), ("0,1,2\n1,3,4\n", "1,5,6\n")):
        encoding, table = learned(first, second, target="1")
        np.testing.assert_array_equal(encoding.samples(table), [[5, 6]])
        assert encoding.has_labels(table) == (len(table.names) == 3)


def test_missing_values_of_another_file_get_the_medians_of_the_first(learned):
    encoding, table = learned(MIXED, "a,colour\n,red\n100,\n", impute=True)
    np.testing.assert_array_equal(encoding.samples(table), [[3, 0, 0, 1], [100, 1, 0, 0]])


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ("a,class\n1,0\n", "has no column 'colour', which the model needs. It has 'a', 'class'"),
        ("b,class\n1,0\n", "has no columns 'a', 'colour', which the model needs. It has 'b', 'class'"),
        ("a,colour\n1,pink\n", "line 2, column 'colour': 'pink' is not in the training file"),
        ("a,colour\nx,red\n", "line 2, column 'a': expected a number, found 'x'"),
        ("a,colour\n,red\n", "line 2, column 'a': a value is missing"),
    ],
)
def test_another_file_that_does_not_fit_is_refused(learned, second, says):
    encoding, table = learned(MIXED, second)
    with pytest.raises(TableError, match=says):
        encoding.samples(table, EVERY_KIND)


def test_a_column_of_which_no_word_is_known_may_name_groups(learned):
    said = []
    for words in (["pink"] * 10, ["pink"] * 9 + ["red"], ["pink"] * 9):
        encoding, table = learned(MIXED, "\n".join(["a,colour", *(f"1,{word}" for word in words)]) + "\n")
        with pytest.raises(TableError) as caught:
            encoding.samples(table, EVERY_KIND)
        said.append("train a model with --group colour, which leaves it out" in str(caught.value))
    assert said == [True, False, False]


def test_another_number_of_nameless_columns_is_refused(learned):
    encoding, table = learned("1,2,0\n3,4,1\n", "1,2,3,4\n")
    with pytest.raises(TableError, match="has 4 columns, but the training file had 3"):
        encoding.samples(table)


# -- LIBSVM --------------------------------------------------------------------------------------------------

LIBSVM = "+1 1:0.5 3:2 # note\n-1 2:1\n+1 1:1 2:2 3:3\n"
DENSE = [[0.5, 0, 2], [0, 1, 0], [1, 2, 3]]


@pytest.mark.parametrize("name", ["some.svm", "some.libsvm", "some.txt", "some"])
def test_libsvm_files(read, name):
    samples, labels, names, _ = read(LIBSVM, name)
    np.testing.assert_array_equal(samples, DENSE)
    assert labels.tolist() == [1, -1, 1]
    assert names == ["feature 1", "feature 2", "feature 3"]


def test_libsvm_files_from_zero_packed_and_sparse(read):
    assert read("1 0:5 1:2\n-1 1:3\n", "some.svm")[2] == ["feature 0", "feature 1"]
    np.testing.assert_array_equal(read(gzip.compress(LIBSVM.encode()), "some.svm.gz")[0], DENSE)
    wide = read("1 1:5\n-1 200:3\n", "some.svm")[0]
    assert sparse.issparse(wide)
    assert wide.shape == (2, 200)


def test_a_narrower_libsvm_file_fits(learned):
    encoding, table = learned(LIBSVM, "+1 2:7\n", name="some.svm")
    np.testing.assert_array_equal(encoding.samples(table), [[0, 7, 0]])
    encoding, table = learned("1 0:5 1:2\n-1 1:3\n", "1 1:4\n", name="some.svm")
    np.testing.assert_array_equal(encoding.samples(table), [[0, 4]])


@pytest.mark.parametrize(
    ("second", "says"),
    [("1 4:1\n", "has 4 features, but the training file has 3"), ("1 0:1\n", "has a feature 0")],
)
def test_a_wider_libsvm_file_is_refused(learned, second, says):
    encoding, table = learned(LIBSVM, second, name="some.svm")
    with pytest.raises(TableError, match=says):
        encoding.samples(table)


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        ("1 a:b\n", "cannot be read as a LIBSVM file"),
        ("1,2 1:3\n", "cannot be read as a LIBSVM file"),
        ("1 2:1 1:1\n", "cannot be read as a LIBSVM file"),
        ("1 99999999:1\n", "features numbered up to 99999999"),
        ("1\n2\n", "has no values"),
        ("1 1:nan\n2 1:1\n", "line 1: a value is not a finite number"),
    ],
)
def test_broken_libsvm_files_are_refused(read, contents, says):
    with pytest.raises(TableError, match=says):
        read(contents, "some.svm")


# -- Parquet -------------------------------------------------------------------------------------------------


@pytest.fixture
def parquet(tmp_path):
    """Write columns to a Parquet file, and return its path."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    def write(columns):
        write_table(pyarrow.table(columns), tmp_path / "some.parquet")
        return tmp_path / "some.parquet"

    return write


def test_parquet(parquet, monkeypatch):
    import pyarrow

    columns = {"n": [1, None, 3], "x": [0.5, 1.5, 2.5], "ok": [True, False, None], "class": ["u", "v", "u"]}
    table = read_table(parquet(columns))
    assert table.names == tuple(columns)
    np.testing.assert_array_equal(table.columns[0], [1, np.nan, 3])
    assert table.columns[2].tolist() == ["True", "False", None]
    assert learn_encoding(table).encoding.feature_names == [
        *("n", "x", "ok", "n missing", "ok missing"),
    ]
    dates = pyarrow.array([1, 2], pyarrow.timestamp("s"))
    table = read_table(parquet({"when": dates, "x": [1, 2], "y": [0, 1]}))
    assert learn_encoding(table).encoding.feature_names == ["when hour", "x"]
    assert learn_encoding(table, ignore=["when"]).encoding.feature_names == ["x"]
    lists = pyarrow.array([[1], [2, 3]])
    table = read_table(parquet({"many": lists, "x": [1, 2], "y": [0, 1]}))
    with pytest.raises(TableError, match=r"column 'many': it holds values of the type list.*--ignore many"):
        learn_encoding(table, strict=True)
    learned = learn_encoding(table)
    assert learned.encoding.feature_names == ["x"]
    assert "'many' (holds values of the type list" in learned.preparation[0]
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(TableError, match=r'pip install "kernelwise\[files\]"'):
        read_table(parquet(columns))


def test_parquet_of_coded_words_and_without_rows(parquet):
    import pyarrow

    words = pyarrow.array(["u", None, "v", "u"]).dictionary_encode()
    numbers = pyarrow.array([2.5, 1.5, None, 2.5]).dictionary_encode()
    table = read_table(parquet({"w": words, "n": numbers}))
    assert table.columns[0].tolist() == ["u", None, "v", "u"]
    np.testing.assert_array_equal(table.columns[1], [2.5, 1.5, np.nan, 2.5])
    path = parquet({"w": pyarrow.array([], pyarrow.string())})
    with pytest.raises(TableError, match=r"is empty\. Give a file that has rows"):
        read_table(path)


def test_codes_with_zeros_in_front_are_told_once(tmp_path):
    lines = [f"0{1000 + k % 7},{k},{'uv'[k % 3 == 0]}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["plz,a,y", *lines]))
    learned = learn_encoding(read_table(tmp_path / "t.csv"), target="y")
    assert [one.name for one in learned.findings if "plz" in one.message] == ["codes as words"]


def test_numbers_that_parquet_stores_as_text_are_words(parquet):
    digits = {"few": [str(k % 3) for k in range(30)], "y": [k % 2 for k in range(30)]}
    path = parquet(digits)
    learned = learn_encoding(read_table(path), target="y")
    assert learned.encoding.feature_names == ["few=0", "few=1", "few=2"]
    assert learned.notes == [
        "Column 'few' counts as words, because the file stores its numbers as text. If they are quantities, "
        "store them as numbers."
    ]
    path = parquet({**digits, "all": [str(k * k) for k in range(30)]})
    with pytest.raises(TableError, match=r"column 'all': it has 30 different words in 30 rows, such as '0'"):
        learn_encoding(read_table(path), target="y", strict=True)
    assert learn_encoding(read_table(path), target="y").encoding.feature_names[0] == "all"
    with pytest.raises(TableError, match=r"column 'few': a regression .* stores those of the target as text"):
        learn_encoding(read_table(path), target="few", task="regression", ignore=["all"])


def test_a_file_of_another_kind_than_that_of_the_training_is_refused(tmp_path):
    (tmp_path / "named.csv").write_text(NAMED)
    (tmp_path / "some.svm").write_text(LIBSVM)
    named, numbered = read_table(tmp_path / "named.csv"), read_table(tmp_path / "some.svm")
    with pytest.raises(TableError, match=r"some\.svm is a LIBSVM file, but the training file has named"):
        learn_encoding(named).encoding.samples(numbered)
    with pytest.raises(TableError, match=r"named\.csv is not a LIBSVM file, but the training file was one"):
        learn_encoding(numbered).encoding.samples(named)


def test_labels_of_a_file_without_the_target_are_refused(tmp_path):
    (tmp_path / "train.csv").write_text("a,b,y\n1,2,u\n3,4,v\n")
    (tmp_path / "new.csv").write_text("a,b\n1,2\n3,5\n")
    encoding, table = (
        learn_encoding(read_table(tmp_path / "train.csv")).encoding,
        read_table(tmp_path / "new.csv"),
    )
    assert not encoding.has_labels(table)
    with pytest.raises(TableError, match=r"new\.csv has no column 'y', which is the target"):
        encoding.labels(table)
