"""Values as text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kernelwise._core.text import aligned, count, in_shell, jsonable


def test_a_number_has_its_noun():
    assert count(1, "feature") == "1 feature"
    assert count(1.0, "sample") == "1 sample"
    assert count(0, "feature is", "features are") == "0 features are"
    assert count(2.5, "sample") == "2.5 samples"
    assert count(1234567, "pair") == count(1234567.0, "pair") == "1234567 pairs"
    assert count(1234567.8, "pair") == "1.23e+06 pairs"


def test_values_are_json():
    value = {
        1: (np.int64(2), np.bool_(True), np.inf, "text"),
        "a": np.array([[0.5, np.nan]]),
        "n": None,
        "p": Path("a"),
    }
    assert json.loads(json.dumps(jsonable(value), allow_nan=False)) == {
        "1": [2, True, None, "text"],
        "a": [[0.5, None]],
        "n": None,
        "p": "a",
    }


def test_columns_are_aligned():
    lines = [("name", "n"), ("a", "10"), ("bcdefg", "2")]
    assert aligned(lines, [False, True]) == ["name     n", "a       10", "bcdefg   2"]
    assert aligned([("a", "b")], [True, False]) == ["a  b"]


@pytest.mark.parametrize(
    ("text", "typed"),
    [("-", "-"), ("n.a.", "n.a."), ("a b", '"a b"'), ("#DIV/0!", "'#DIV/0!'"), ("it's", '"it\'s"')],
)
def test_values_of_options_are_quoted_where_they_need_it(text, typed):
    assert in_shell(text) == typed
