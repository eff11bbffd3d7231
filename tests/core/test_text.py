"""Values as text and as HTML for notebooks: no text of a user is markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelwise import TunedSVC, compare, diagnose
from kernelwise._core.text import aligned, count, html_block, html_list, html_table, in_shell, jsonable


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


class Checked(HTMLParser):
    """Collects the text, and sees that every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.text, self.tags = [], [], set()
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_texts_are_escaped():
    html = html_block("<b>", html_list(["<script>alert(1)</script>"]), html_table(["<i>"], [["a & b"]]))
    page = Checked(html)
    assert {"script", "b", "i"}.isdisjoint(page.tags)
    assert ["<b>", "<script>alert(1)</script>", "<i>", "a & b"] == page.text
    assert html_list([]) == ""


def test_what_notebooks_show():
    X, y = load_iris(return_X_y=True)
    y = np.array(["<script>", "b", "c"])[y]
    model = TunedSVC("rbf").fit(X, y)
    shown = {
        "result": (model.result_, model.result_.why[0]),
        "diagnosis": (diagnose(X, y), diagnose(X, y)[0].message),
        "comparison": (compare(X, y, ["SVC defaults"], n_splits=2), "most frequent class"),
    }
    for thing, expected in shown.values():
        page = Checked(thing._repr_html_())
        assert "script" not in page.tags
        assert expected in page.text


def test_the_best_of_several_class_weights_is_taken():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2)) + 1.2 * (np.arange(200) % 10 == 0)[:, None]
    y = (np.arange(200) % 10 == 0).astype(int)
    alone = {
        weight: TunedSVC("rbf", class_weight=weight, scoring="balanced_accuracy").fit(X, y)
        for weight in (None, "balanced")
    }
    model = TunedSVC("rbf", class_weight=[None, "balanced"], scoring="balanced_accuracy").fit(X, y)
    assert model.best_class_weight_ == "balanced"
    assert model.best_score_ == max(one.best_score_ for one in alone.values())
    assert np.array_equal(model.predict(X), alone["balanced"].predict(X))
    assert model.class_weight == [None, "balanced"]
    assert model.diagnostics_[-1].name == "class weights"
    assert "None: 0." in model.diagnostics_[-1].message
    with pytest.raises(ValueError, match="'class_weight' of TunedSVC is an empty list"):
        TunedSVC("rbf", class_weight=[]).fit(X, y)
