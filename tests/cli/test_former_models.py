"""Models that older versions saved: `predict` reads files for them as these versions did."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from kernelwise import load
from kernelwise.tables import Column

#: Models of `tune`, written when the notes of a model file had their own encoder beside that of the model.
FORMER = Path(__file__).parent / "former"
#: Rows, and what the version that wrote the model said of them.
ANSWERS = {
    "words": (
        "code,town,size\n1,a,0.5\n2.0,,\n3,d,-1.25\n",
        "prediction,p(no),p(yes)\nno,0.9518,0.0482\nyes,0.0426,0.9574\nyes,0.3950,0.6050\n",
    ),
    "filled": (
        "width,size\n0.5,1\n0.25,\n,-1.25\n",
        "prediction,p(no),p(yes)\nyes,0.0063,0.9937\nyes,0.4968,0.5032\nno,0.9966,0.0034\n",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_older_model_predicts_as_it_did(run, name):
    rows, answers = ANSWERS[name]
    Path("new.csv").write_text(rows)
    told = run("predict", FORMER / f"{name}.kw", "new.csv", "--proba", "--unknown", "ignore")
    assert told.code == 0, told.err
    assert told.out == answers


def test_an_older_model_refuses_what_it_refused_if_it_is_asked_to(refused):
    Path("word.csv").write_text("code,town,size\n1,d,0.5\n")
    sentence = refused("predict", FORMER / "words.kw", "word.csv", "--strict")
    assert "'d' is not in the training file, which has 'a', 'b' and 'c'" in sentence
    Path("gap.csv").write_text("code,town,size\n,a,0.5\n")
    sentence = refused("predict", FORMER / "words.kw", "gap.csv", "--strict")
    assert (
        "column 'code': a value is missing, but the training file has none missing in this column" in sentence
    )


def test_the_encoder_of_a_model_is_learned_once_and_is_in_its_file_once(run, monkeypatch):
    learned, learn = [], Column.learn
    monkeypatch.setattr(Column, "learn", lambda name, *cells: learned.append(name) or learn(name, *cells))
    lines = [f"{'ab'[k % 2]},{k % 7},{['no', 'yes'][k % 2]}" for k in range(40)]
    Path("train.csv").write_text("\n".join(["town,size,play", *lines]))
    assert run("tune", "train.csv", "--log2c", "0,2,2", "--cv", "2", "--model", "model.kw").code == 0
    assert learned == ["town", "size"]
    with zipfile.ZipFile("model.kw") as file:
        notes = json.loads(file.read("model.json"))["notes"]
    assert notes["encoding"]["encoder"] == []
    assert load("model.kw").encoder_.feature_names == ["size", "town=a", "town=b"]
    assert run("predict", "model.kw", "train.csv").code == 0


def test_an_older_model_says_that_it_has_no_sets(refused):
    Path("new.csv").write_text(ANSWERS["words"][0])
    sentence = refused("predict", FORMER / "words.kw", "new.csv", "--unknown", "ignore", "--sets", 0.8)
    assert "This TunedSVC has no intervals and no sets of classes: version 0.1 has trained it." in sentence
