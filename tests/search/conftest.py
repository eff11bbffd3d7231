"""Validators of kernels on small samples of two classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelwise.search.data.folds import FoldRows, assign_folds
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import Deadline, FitContext
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification


class Accuracy:
    """A score of held-out decision values of two classes."""

    is_share = True

    def __init__(self, index):
        self.index = index

    def __call__(self, decision, rows, weight):
        return ((decision > 0) == (self.index[rows] == 1)) @ weight / weight.sum()


class Score:
    """A score that is a function of decision values and rows."""

    is_share = False

    def __init__(self, function):
        self.function = function

    def __call__(self, decision, rows, weight):
        return self.function(decision, rows)


@pytest.fixture
def make_validator():
    """Make the validator of two classes, with weights of one unless told otherwise."""

    def make(Z, index, *, cv="auto", weight=None, deadline=None, Cs=None, score=None, is_gram=False, **more):
        weight = np.ones(len(index)) if weight is None else weight
        index = np.unique(index, return_inverse=True)[1]
        samples = Samples(Z, index, index, weight, weight, is_gram)
        family = Classification(np.arange(2))
        context = FitContext(Deadline() if deadline is None else deadline)
        folds = assign_folds(samples, cv, family, context)
        if isinstance(cv, FoldRows):
            folds = replace(cv, weight=weight)
        scorer = Accuracy(index) if score is None else Score(score)
        return CrossValidator(samples, folds, family, scorer, context, Cs=Cs, **more)

    return make


@pytest.fixture
def in_turn():
    """Three folds that hold out every third row."""

    def make(n):
        return FoldRows(np.arange(n), np.arange(n) % 3, np.ones(n), 3)

    return make


@pytest.fixture(scope="session")
def rings():
    """Two rings of radius 1 and 2 with noise: a width near the gap separates them, a wide one does not."""
    random = np.random.default_rng(0)
    angle = random.uniform(0.0, 2.0 * np.pi, 120)
    index = np.arange(120) % 2
    Z = (1.0 + index + 0.15 * random.normal(size=120))[:, None] * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    Z.setflags(write=False)
    return Z, index
