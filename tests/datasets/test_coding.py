"""Words of a benchmark file as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernelwise.datasets import load, loader
from kernelwise.datasets.loader import CODINGS, coded

NAME = "breast_cancer_ljubljana"
HEADER = [*CODINGS[NAME].features, "class"]
FIRST = ["30-39", "premeno", "30-34", "0-2", "no", "3", "left", "left_low", "no", "no-recurrence-events"]
LAST = ["60-69", "ge40", "0-4", "36-39", "yes", "1", "right", "central", "yes", "recurrence-events"]
GAP = ["60-69", "ge40", "0-4", "36-39", "?", "1", "right", "central", "yes", "recurrence-events"]


def rows_with_gaps():
    """As many rows as the file has, of both classes, nine of them with a gap."""
    return [FIRST] * 196 + [LAST] * 81 + [GAP] * 9


def test_words_are_numbers_and_rows_with_gaps_are_left_out():
    X, y, names = coded(NAME, HEADER, rows_with_gaps(), "toy")
    assert X.shape == (277, 9)
    assert X[0].tolist() == [2, 0, 6, 0, 0, 3, 0, 1, 0]
    assert X[-1].tolist() == [5, 2, 0, 12, 1, 1, 1, 0, 1]
    assert np.bincount(y).tolist() == [196, 81]
    assert names == tuple(HEADER[:-1])


def test_an_unknown_word_and_another_table_are_named():
    rows = rows_with_gaps()
    rows[3] = ["30-40", *FIRST[1:]]
    with pytest.raises(ValueError, match="toy, row 4: '30-40' is none of the values of 'age'"):
        coded(NAME, HEADER, rows, "toy")
    with pytest.raises(ValueError, match="should hold 'breast_cancer_ljubljana' with 286 rows"):
        coded(NAME, HEADER, rows[:5], "toy")
    with pytest.raises(ValueError, match="but has 286 rows of class, age"):
        coded(NAME, ["class", *HEADER[:-1]], rows, "toy")


def test_a_file_is_read_by_its_coding(nowhere):
    folder = nowhere / "shared" / "data2"
    folder.mkdir(parents=True)
    lines = [",".join(row).replace("?", "") for row in (HEADER, *rows_with_gaps())]
    (folder / f"{NAME}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    X, y = load(NAME)
    expected = coded(NAME, HEADER, rows_with_gaps(), "toy")
    np.testing.assert_array_equal(X, expected[0])
    np.testing.assert_array_equal(y, expected[1])


def test_openml_has_numbers_of_words(nowhere, monkeypatch):
    rows = [FIRST] * 201 + [LAST] * 76 + [GAP] * 9
    # OpenML numbers the words in an order of its own, with quotes around some.
    words = {c: sorted({row[k] for row in rows} - {"?"}, reverse=True) for k, c in enumerate(HEADER[:-1])}
    data = [
        [words[c].index(v) if v != "?" else np.nan for c, v in zip(HEADER, row[:-1], strict=False)]
        for row in rows
    ]
    categories = {column: [f"'{word}'" for word in values] for column, values in words.items()}
    bunch = Bunch(
        data=np.array(data),
        target=np.array([row[-1] for row in rows]),
        feature_names=HEADER[:-1],
        categories=categories,
    )
    monkeypatch.setattr(loader, "fetch_openml", lambda **_: bunch)
    found = load(NAME)
    assert found.X[0].tolist() == [2, 0, 6, 0, 0, 3, 0, 1, 0]
    assert found.X[-1].tolist() == [5, 2, 0, 12, 1, 1, 1, 0, 1]
    assert "OpenML data set 13" in found.source


def test_the_file_has_the_rows_of_the_benchmark(find_or_skip):
    find_or_skip(NAME)
    X, y = load(NAME)
    assert np.bincount(y).tolist() == [196, 81]
    # Rätsch's benchmark is said to have 263 patterns: as many are distinct.
    assert len(np.unique(np.column_stack([X, y]), axis=0)) == 263
