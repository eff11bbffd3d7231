"""The manifest of the data: sources, conversions, and values that are refused if they are others."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.utils import Bunch

from kernelwise.datasets import load, loader
from kernelwise.datasets.loader import CODINGS, ChangedError
from kernelwise.datasets.manifest import FILES, SOURCES, Source, content_hash, read_raw, rows_hash


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that alone is looked at, with the hashes of the manifest."""
    monkeypatch.setenv(loader.ENVIRONMENT_VARIABLE, str(tmp_path))
    monkeypatch.setattr(loader, "__file__", str(tmp_path / "package" / "loader.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_digits(folder, X, y):
    """The file of UCI with the test part of optdigits."""
    lines = (",".join(str(int(value)) for value in (*row, label)) for row, label in zip(X, y, strict=True))
    (folder / "optdigits.tes").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_every_file_has_a_source_a_conversion_and_two_hashes():
    for name, source in SOURCES.items():
        assert list(FILES[name]) == [*source.size, source.origin]
        assert min(source.size) > 1
        assert source.url.startswith("https://")
        assert source.conversion
        for digest in (source.sha256, source.rows):
            assert re.fullmatch("[0-9a-f]{64}", digest)
    with_copies = [name for name, source in SOURCES.items() if source.openml]
    assert with_copies == [name for name, source in SOURCES.items() if source.openml_classes]
    assert len(with_copies) == 8


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_have_the_hashes_of_the_manifest(find_or_skip, name):
    find_or_skip(name)
    found = load(name)
    assert found.sha256 == SOURCES[name].sha256
    assert rows_hash(*found) == SOURCES[name].rows


def test_a_hash_is_that_of_the_bytes():
    X, y = np.array([[1.5, -0.0]]), np.array([3])
    assert content_hash(X, y) == hashlib.sha256(np.array([1.5, 0.0]).tobytes() + y.tobytes()).hexdigest()
    X, y = np.arange(12.0).reshape(6, 2) % 5, np.arange(6) % 2
    assert rows_hash(X[::-1], y[::-1]) == rows_hash(X, y) != content_hash(X, y)
    assert rows_hash(X, 1 - y) != rows_hash(X, y)


def test_scikit_learns_copies_have_the_hashes_of_the_manifest(folder):
    for name, bunch in (("iris", load_iris()), ("optdigits_test", load_digits())):
        assert load(name).sha256 == content_hash(bunch.data, bunch.target) == SOURCES[name].sha256


def test_a_file_as_its_source_publishes_it_is_read(folder):
    X, y = load_digits(return_X_y=True)
    write_digits(folder, X, y)
    found = load("optdigits_test")
    assert found.source.endswith("optdigits.tes")
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.y, y)


def test_rows_in_another_order_are_said(folder):
    X, y = load_digits(return_X_y=True)
    write_digits(folder, X[::-1], y[::-1])
    assert load("optdigits_test").source.endswith("optdigits.tes, rows in another order")


def test_a_changed_value_is_refused(folder):
    X, y = load_digits(return_X_y=True)
    X[7, 9] += 1
    write_digits(folder, X, y)
    with pytest.raises(ChangedError, match=r"optdigits.tes has other values .* not f6d9e39f37dc.*new copy"):
        load("optdigits_test")


def test_what_is_missing_is_said_with_its_address(folder):
    with pytest.raises(FileNotFoundError, match=r"Download column_2C_weka.arff from https://archive.*/212/"):
        load("vertebral_2c")
    with pytest.raises(FileNotFoundError, match=r"Make the file from https://.*\(features standardised"):
        load("ringnorm")


SPEC = {
    "origin": "a test",
    "size": (2, 2, 2),
    "url": "https://example.org",
    "conversion": "",
    "sha256": "",
    "rows": "",
}


@pytest.mark.parametrize(
    ("text", "fields", "X", "y"),
    [
        ("1,2,0\n3,4,1\n", {}, [[1, 2], [3, 4]], [0, 1]),
        ("  1   2\t0 \n\n3 4 1", {"separator": " "}, [[1, 2], [3, 4]], [0, 1]),
        ("A, 1,2\nB,3, 4", {"label": 0, "codes": {"A": 1, "B": 2}}, [[1, 2], [3, 4]], [1, 2]),
        ("7,1,?,2\n8,1,5,4\n9,,5,4", {"drop": (0,)}, [[1, 5]], [4]),
        ("9,9,9\n1,2,0\n3,4,1\n9,9,9", {"lines": (1, 3)}, [[1, 2], [3, 4]], [0, 1]),
        (
            "% words\n@data\nx,2,yes\no,4,no",
            {"codes": {"x": 1, "o": -1, "yes": 1, "no": 0}},
            [[1, 2], [-1, 4]],
            [1, 0],
        ),
        ("2 1:-1.5 3:4\n4 2:1\n", {"form": "libsvm"}, [[-1.5, 0, 4], [0, 1, 0]], [2, 4]),
    ],
)
def test_forms_of_files(tmp_path, text, fields, X, y):
    (tmp_path / "raw").write_text(text, encoding="utf-8")
    found = read_raw(tmp_path / "raw", Source(**SPEC, **fields))
    np.testing.assert_array_equal(found[0], X)
    np.testing.assert_array_equal(found[1], y)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1,2,0\n3,four,1\n", "row 2: 'four' is not a number"),
        ("", "no rows"),
        ("1,2\n1,2,3\n", "different lengths"),
    ],
)
def test_a_faulty_file_is_explained(tmp_path, text, says):
    (tmp_path / "raw").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        read_raw(tmp_path / "raw", Source(**SPEC))


#: The five sets of paper 004 and thyroid, and other forms of files.
FROM_SOURCES = ("banknote", "planning_relax", "vertebral_2c", "ilpd", "tic_tac_toe")
FROM_SOURCES += ("thyroid_train", "thyroid_test", "breast_cancer_wisconsin", "waveform", "waveform_ida")
#: The words of features, by their places, and of labels, as the sources write them.
SQUARES = {place: {1: "x", -1: "o", 0: "b"} for place in range(9)}
WORDS = {
    "tic_tac_toe": SQUARES | {-1: {1: "positive", 0: "negative"}},
    "vertebral_2c": {-1: {1: "Abnormal", 0: "Normal"}},
    "ilpd": {1: {0: "Female", 1: "Male"}},
}


@pytest.mark.parametrize("name", FROM_SOURCES)
def test_sets_of_the_papers_come_from_the_files_of_their_sources(find_or_skip, folder, monkeypatch, name):
    monkeypatch.undo()
    find_or_skip(name)
    X, y = load("waveform" if name == "waveform_ida" else name)
    source, words = SOURCES[name], WORDS.get(name, {})
    rows = []
    for features, label in zip(X.tolist(), y.tolist(), strict=True):
        fields = [words[k][value] if k in words else repr(value) for k, value in enumerate(features)]
        fields.append(words[-1][label] if -1 in words else str(label))
        rows.append(["1000025"] * len(source.drop) + fields)
    ours = load(name).y
    first, second = rows[0], rows[int((ours != ours[0]).argmax())]
    if source.drop:
        rows.insert(3, ["1000025", *"11111?111", "2"])
    if name == "ilpd":
        rows.insert(209, ["45", "Female", "0.9", "0.3", "189", "23", "33", "6.6", "3.9", "", "1"])

    def write():
        text = "\n".join(source.separator.join(row) for row in rows)
        (folder / source.raw).write_text(text, encoding="utf-8")

    write()
    monkeypatch.setattr(loader, "_folders", lambda: [folder])
    found = load(name)
    assert found.sha256 == source.sha256
    assert found.source.endswith(source.raw)
    first[-1], second[-1] = second[-1], first[-1]
    write()
    with pytest.raises(ChangedError, match="has other values than the data set"):
        load(name)


def test_splice_comes_from_the_letters_of_its_source(find_or_skip, folder, monkeypatch):
    monkeypatch.undo()
    find_or_skip("splice")
    X, y = load("splice")
    lines = [
        f"{'IE' if label == 1 else 'N'},   NAME-{k},     {''.join(' AGCT'[int(base)] for base in row)}"
        for k, (row, label) in enumerate(zip(X, y, strict=True))
    ]
    lines.insert(5, f"EI, NAME, {'N' * 60}")  # a row of unknown bases is left out
    (folder / "splice.data").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(loader, "_folders", lambda: [folder])
    assert load("splice").sha256 == SOURCES["splice"].sha256


def test_openml_gives_words_and_gaps(find_or_skip, monkeypatch, folder):
    monkeypatch.undo()
    find_or_skip("tic_tac_toe")
    X, y = load("tic_tac_toe")
    monkeypatch.setattr(loader, "_folders", list)
    names, words = [f"V{k}" for k in range(9)], ["b", "o", "x"]
    data = np.select([X == 0, X == -1, X == 1], [0, 1, 2]).astype(float)
    bunch = Bunch(
        data=data,
        target=np.where(y == 1, "positive", "negative"),
        feature_names=names,
        categories=dict.fromkeys(names, words),
    )
    monkeypatch.setattr(loader, "fetch_openml", lambda **_: bunch)
    assert load("tic_tac_toe").sha256 == SOURCES["tic_tac_toe"].sha256
    bunch.data[3, 4] = (bunch.data[3, 4] + 1) % 3
    with pytest.raises(FileNotFoundError, match=r"OpenML data set 50 has other values.*tic-tac-toe.data"):
        load("tic_tac_toe")


def test_ljubljana_comes_from_its_source(find_or_skip, folder, monkeypatch):
    monkeypatch.undo()
    path = find_or_skip("breast_cancer_ljubljana")
    _, *lines = path.read_text(encoding="utf-8").splitlines()
    expected = load("breast_cancer_ljubljana").sha256
    moved = [
        ",".join([(fields := line.split(","))[-1], *(word or "?" for word in fields[:-1])]) for line in lines
    ]
    (folder / "breast-cancer.data").write_text("\n".join(moved), encoding="utf-8")
    monkeypatch.setattr(loader, "_folders", lambda: [folder])
    assert load("breast_cancer_ljubljana").sha256 == expected
    assert "breast_cancer_ljubljana" in CODINGS
