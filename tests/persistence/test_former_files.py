"""Files that version 0.1.0 wrote: each kind of model, and a sketch, answers as it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kernelwise

#: Trained on every fifth row of iris. `answers.npz` has what 0.1.0 said of these rows.
FORMER = Path(__file__).parent / "former"
ANSWERS = dict(np.load(FORMER / "answers.npz"))
X = load_iris().data[::5]


@pytest.mark.parametrize("path", sorted(FORMER.glob("*.kw")), ids=lambda path: path.stem)
def test_a_former_model_answers_as_it_did(path):
    model = kernelwise.load(path)
    if path.stem.endswith("svr"):  # the last column from the others
        answers = model.predict(X[:, :3])
    else:
        answers = (model.decision_function if path.stem.endswith("one_class") else model.predict_proba)(X)
    np.testing.assert_allclose(answers, ANSWERS[path.stem], rtol=1e-9)


def test_every_answer_has_its_file():
    assert {path.stem for path in FORMER.iterdir()} == {*ANSWERS, "answers"}


def test_a_former_sketch_answers_as_it_did():
    sketch = kernelwise.DistanceSketch.load(FORMER / "sketch.npz")
    np.testing.assert_allclose(sketch.curve("dbtc", [0.1, 1.0, 10.0]), ANSWERS["sketch"], rtol=1e-9)
