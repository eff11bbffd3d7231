"""From tables to features: words, gaps, weights, rare words, and new rows."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.tables import Table, findings_of_table, learn_encoder, to_table
from kernelwise.tables.column import MAX_WORDS
from tests.tables.conftest import as_library, columns


def words(*cells):
    return np.array(cells, dtype=object)


def frame_of(**by_name):
    return Table(tuple(by_name), tuple(by_name.values()), whole=(False,) * len(by_name))


def encoded(X, encoder):
    return dict(zip(encoder.feature_names, encoder.read(X).T.tolist(), strict=True))


def test_a_gap_of_numbers_is_the_median_and_a_feature():
    frame = frame_of(a=np.array([1.0, np.nan, 3.0, 8.0]))
    encoder = learn_encoder(frame)
    assert encoder.feature_names == ["a", "a missing"]
    assert_array_equal(encoder.transform(frame), [[1, 0], [3, 1], [3, 0], [8, 0]])


def test_a_gap_of_words_is_a_word():
    frame = frame_of(a=words("u", None, "v"))
    encoder = learn_encoder(frame)
    assert encoder.feature_names == ["a=u", "a=v", "a missing"]
    assert_array_equal(encoder.transform(frame), np.eye(3)[[0, 2, 1]])


def test_weights_are_repetitions():
    random = np.random.default_rng(0)
    a = np.where(random.random(40) < 0.2, np.nan, random.normal(size=40))
    b = words(*random.choice([f"w{k:02}" for k in range(30)], 40))
    frame, weight = frame_of(a=a, b=b), random.integers(0, 4, 40)
    repeated = frame[np.repeat(np.arange(40), weight)]
    assert learn_encoder(frame, weight.astype(float)) == learn_encoder(repeated)


def test_the_order_of_the_rows_does_not_matter():
    random = np.random.default_rng(1)
    frame = frame_of(a=random.normal(size=50), b=words(*random.choice(list("abcdefgh"), 50)))
    assert learn_encoder(frame) == learn_encoder(frame[random.permutation(50)])


def test_the_median_is_numpys():
    for n in (1, 2, 5, 8):
        values = np.random.default_rng(n).normal(size=n)
        assert learn_encoder(frame_of(a=values)).columns[0].fill == np.median(values)


def test_rare_words_are_pooled_and_new_ones_are_with_them():
    cells = [f"w{k:02}" for k in range(MAX_WORDS + 5) for _ in range(MAX_WORDS + 5 - k)]
    encoder = learn_encoder(frame_of(a=words(*cells)))
    (column,) = encoder.columns
    assert column.words == tuple(f"w{k:02}" for k in range(MAX_WORDS))
    assert encoder.feature_names[-1] == "a: other"
    new = encoder.transform(frame_of(a=words("w24", "never", "w00")))
    assert_array_equal(new[:, -1], [1, 1, 0])
    assert_array_equal(new.sum(axis=1), 1)


def test_words_that_occur_once_are_all_pooled():
    encoder = learn_encoder(frame_of(a=words(*[f"name {k}" for k in range(50)])))
    assert encoder.feature_names == ["a: other"]


def test_a_new_word_of_few_is_none_of_them():
    encoder = learn_encoder(frame_of(a=words("u", "v", "w")))
    assert_array_equal(encoder.transform(frame_of(a=words("x", "u"))), [[0, 0, 0], [1, 0, 0]])


def test_columns_in_another_order_and_more_columns(library):
    lists, _ = columns()
    encoder = learn_encoder(to_table(as_library(lists, library), "from_dtype", "TunedSVC"))
    turned = as_library({"extra": lists["size"], **dict(reversed(lists.items()))}, library)
    assert_array_equal(encoder.read(turned), encoder.read(as_library(lists, library)))


def test_what_new_rows_can_be():
    table = pd.DataFrame({"a": ["1", "2", "2"], "b": [1.0, 2.0, 3.0]})
    encoder = learn_encoder(to_table(table, "from_dtype", "TunedSVC"))
    retyped = pd.DataFrame({"a": [2, 1], "b": pd.array([3, 1], dtype="Int64")})
    assert encoded(retyped, encoder) == {"b": [3.0, 1.0], "a=1": [0.0, 1.0], "a=2": [1.0, 0.0]}
    assert encoded([["2", 5.0]], encoder) == {"b": [5.0], "a=1": [0.0], "a=2": [1.0]}
    with pytest.warns(
        KernelwiseWarning, match=r"Column 'a': 1 cell has no value .* none of the known words;"
    ):
        assert encoded(pd.DataFrame({"a": [None], "b": [1]}), encoder)["a=1"] == [0.0]
    with pytest.warns(
        KernelwiseWarning, match=r"Column 'b': 1 cell has no value .* the median, 2; no training"
    ):
        assert encoded(pd.DataFrame({"a": ["1"], "b": [None]}), encoder)["b"] == [2.0]
    with pytest.warns(
        KernelwiseWarning, match=r"Column 'a': 2 cells have a word that is not in the training"
    ):
        assert encoded(pd.DataFrame({"a": ["x"] * 2, "b": 1.0}), encoder)["a=1"] == [0.0, 0.0]
    with pytest.warns(
        KernelwiseWarning, match=r"'b': 1 cell has no number \(first 'old' in row 1\) and counts"
    ):
        assert encoded(pd.DataFrame({"a": ["1", "2"], "b": ["7", "old"]}), encoder)["b"] == [7.0, 2.0]
    with pytest.warns(KernelwiseWarning, match=r"other capitals or blanks were taken: 'A ' for 'a'"):
        assert encoded(pd.DataFrame({"A ": ["1"], "b": [3.0]}), encoder)["a=1"] == [1.0]


def test_a_word_in_other_capitals_is_the_known_one():
    table = pd.DataFrame({"a": ["Ulm", "Bonn", "Ulm"], "b": [1.0, 2.0, 3.0]})
    encoder = learn_encoder(to_table(table, "from_dtype", "TunedSVC"))
    with pytest.warns(
        KernelwiseWarning, match=r"1 cell has a word of the training rows in other capitals or"
    ):
        assert encoded(pd.DataFrame({"a": ["ULM"], "b": [1.0]}), encoder)["a=Ulm"] == [1.0]
    both = table.assign(a=["ULM", "Ulm", "Bonn"])  # which are different words, as training had them
    encoder = learn_encoder(to_table(both, "from_dtype", "TunedSVC"))
    with pytest.warns(KernelwiseWarning, match="1 cell has a word that is not in the training rows"):
        assert encoded(pd.DataFrame({"a": ["ulm"], "b": [1.0]}), encoder)["a=Ulm"] == [0.0]


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        (
            pd.DataFrame({"A2": ["u"], "b": [1.0]}),
            "X has no column 'a', which the model was trained on. X has",
        ),
        (pd.DataFrame({"c": [1.0]}), r"X has no column 'a' \(and 1 more\)"),
        (
            pd.DataFrame({"a": ["u", "u"], "b": ["old", "new"]}),
            "X, row 0, column 'b': expected a number, found 'old' .2 such cells.",
        ),
        (pd.DataFrame({"a": ["u"], "b": [np.inf]}), "X has inf in row 0, column 'b'"),
        (
            pd.DataFrame({"a": ["u", "u"], "b": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
            "row 0, column 'b': expected a number, found '2020-01-01'",
        ),
        (pd.DataFrame({"a": [["u"]], "b": [1.0]}), "Column 'a' of X has a list in row 0"),
        ([["u"]], "X has 1 column, but the model was trained on 2"),
        ([["u", "old"]], "X has 'old' in row 0, column 1, which is not a number"),
        (["u", 1.0], "X must be a table of rows and columns"),
        (None, "X must be an array, a list of rows or a data frame, got None"),
        (pd.DataFrame({"a": [], "b": []}), "X has no rows"),
    ],
)
def test_new_rows_that_are_refused(new, sentence):
    table = pd.DataFrame({"a": ["u", "v"], "b": [1.0, 2.0]})
    encoder = learn_encoder(to_table(table, "from_dtype", "TunedSVC"))
    with pytest.raises(ValueError, match=sentence):
        encoder.read(new)


def test_findings_ask_about_whole_numbers_and_names():
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "grade": random.integers(1, 5, 60),
            "count": random.integers(0, 50, 60),
            "flag": random.integers(0, 2, 60),
            "share": random.choice([1.0, 2.0, 3.0], 60),
            "name": [f"n{k}" for k in range(60)],
            "town": random.choice(["u", "v"], 60),
            "none": np.nan,
            "half": np.where(np.arange(60) < 30, np.nan, 1.5),
            "rare": np.where(np.arange(60) < 31, None, "yes"),
        }
    )
    frame = to_table(table, "from_dtype", "TunedSVC")
    found = {one.name: one for one in findings_of_table(frame, learn_encoder(frame))}
    assert all(isinstance(one, Finding) for one in found.values())
    assert set(found) == {
        *("whole numbers that may be words", "columns left out", "mostly empty"),
    }
    assert found["mostly empty"].message.startswith("Column 'rare' (31 gaps) is empty in most of the 60 rows")
    assert (
        found["mostly empty"]
        .for_command_line()
        .endswith(
            "Leave it out with --ignore rare, unless values will be missing in new rows for the same reasons."
        )
    )
    assert "--words grade." in found["whole numbers that may be words"].for_command_line()
    assert str(found["whole numbers that may be words"]).startswith(
        "Column 'grade' (1 to 4, 4 values) holds few whole numbers, which count as numbers"
    )
    assert "['grade']" in found["whole numbers that may be words"].advice
    left_out = [str(one) for one in frame.done]
    assert left_out == [
        "1 column was left out, which cannot help: 'name' (has a different word in nearly every row). To use "
        "it nevertheless, declare what it holds, as in X.astype({'name': 'category'}).",
        "1 column was left out, which cannot help: 'none' (has no values).",
    ]
    named = to_table(table, ["grade", "name", "town", "rare"], "TunedSVC")
    assert "whole numbers that may be words" not in {
        one.name for one in findings_of_table(named, learn_encoder(named))
    }


@pytest.mark.parametrize("cells", [[True, False, True], [2**60, 2**60 + 1, 5]])
def test_booleans_and_long_integers_that_count_as_words_are_the_same_words_again(library, cells):
    table = as_library({"a": cells, "b": [1.0, 2.0, 4.0]}, library)
    frame = to_table(table, ["a"], "TunedSVC")
    encoder = learn_encoder(frame)
    assert_array_equal(encoder.read(table), encoder.transform(frame))
    assert encoder.read(table)[:, 1:].sum() == 3


@pytest.mark.parametrize("typed", [[True, False, True], [True, None, False], [10**17 + 1, 10**17, 2]])
def test_booleans_and_integers_are_the_words_that_a_text_file_has_for_them(library, typed):
    cells = [None if cell is None else str(cell) for cell in typed]
    text = {"a": cells, "b": [1.0, 2.0, 4.0]}
    encoder = learn_encoder(to_table(as_library(text, library), "from_dtype", "TunedSVC"))
    again = as_library({**text, "a": typed}, library)
    assert_array_equal(encoder.read(again), encoder.read(as_library(text, library)))


def test_columns_that_the_model_does_not_have_may_hold_anything(library):
    lists = {"a": ["x", "y", "x"], "b": [1.0, 2.0, 4.0]}
    encoder = learn_encoder(to_table(as_library(lists, library), "from_dtype", "TunedSVC"))
    more = {"day": [datetime(2026, 1, 1)] * 3, **lists, "c": [np.inf] * 3, "l": [[1], [2], [3]]}
    assert_array_equal(encoder.read(as_library(more, library)), encoder.read(as_library(lists, library)))
