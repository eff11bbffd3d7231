"""Tuned machines that the tests of reports share."""

from __future__ import annotations

import copy
from html.parser import HTMLParser
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from kernelwise import TunedSVC, TunedSVR

SCRIPT, END = "<script>alert(1)</script>", "a</script><!-- & ${7*7} %{x}"


class Fitted(NamedTuple):
    """A model with its samples."""

    model: Any
    X: Any
    y: Any


class Elements(HTMLParser):
    """Tags with their attributes, the text of all, and that of those with an id or of a kind."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)

    @property
    def sections(self):
        return [a["id"] for tag, a in self.tags if tag == "section"]


class Guess(NamedTuple):
    """A stand-in for what the search knows of the best answer that ignores X."""

    score: float
    answer: str


def with_baseline(model, score, answer):
    """A copy of a model whose search had this baseline; None is that of a model file without one."""
    model = copy.copy(model)
    model.result_ = copy.copy(model.result_)
    object.__setattr__(model.result_, "baseline", None if score is None else Guess(score, answer))
    return model


@pytest.fixture(scope="module")
def browser():
    """A browser; tests that ask for it are skipped where there is none."""
    from .browsing import launched

    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def hostile():
    """Two classes and three features whose names are markup; folds of equal size; a conflict."""
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 3))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * random.normal(size=120) > 0.3, SCRIPT, END)
    X[0] = X[1]
    y[:2] = SCRIPT, END
    frame = pd.DataFrame(X, columns=[SCRIPT, END, "plain"])
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    return Fitted(TunedSVC("rbf", cv=folds).fit(frame, y), frame, y)


@pytest.fixture(scope="session")
def three():
    """Three classes, a full metric."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    return Fitted(TunedSVC("gaussian", Cs=[1.0, 10.0, 100.0]).fit(X, y), X, y)


@pytest.fixture(scope="session")
def diagonal():
    """Two of six features matter."""
    random = np.random.default_rng(5)
    X = random.normal(size=(70, 6))
    y = (X[:, 1] * X[:, 4] > 0).astype(int)
    return Fitted(TunedSVC("diagonal", criterion="centered-kta", Cs=[1.0, 10.0]).fit(X, y), X, y)


@pytest.fixture(scope="session")
def regression():
    random = np.random.default_rng(1)
    X = random.uniform(-2, 2, size=(80, 2))
    y = 50.0 + 10.0 * np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * random.normal(size=80)
    return Fitted(TunedSVR("rbf").fit(X, y), X, y)
