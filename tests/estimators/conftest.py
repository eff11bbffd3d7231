"""A finished search whose numbers are known, for the rules of the final machine."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.search.data.folds import FoldRows
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import Deadline, FitContext
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice


@pytest.fixture
def finished():
    """A validator of some rows, part of them searched with two folds, and the third of five C as choice."""

    def make(n_rows, n_searched, seconds, left):
        index, ones = np.arange(n_rows) % 2, np.ones(n_rows)
        samples = Samples(np.empty((n_rows, 1)), index, index, ones, ones)
        folds = FoldRows(np.arange(n_searched), np.arange(n_searched) % 2, np.ones(n_searched), 2)
        context = FitContext(Deadline(left, clock=lambda: 0.0))
        validator = CrossValidator(samples, folds, Classification(np.arange(2)), None, context)
        Cs, scores = np.arange(5), np.zeros((5, 2))
        scored = ScoredKernel("k", "", Cs, scores, None, np.zeros(5), True, 1.0, seconds, n_machines=10)
        return validator, Choice(scored, 2)

    return make
