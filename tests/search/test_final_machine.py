"""The final machine: how many rows it gets in the time that is left, and when it is an approximation."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels import KMOD, RBF, KernelSum, Laplacian
from kernelwise.search.data.folds import FoldRows
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import Deadline, FitContext
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.final.approximate import most_exact, why_nystroem
from kernelwise.search.final.machine import (
    FinalStep,
    affordable_rows,
    exact_seconds,
    train_in_time,
)
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


@pytest.mark.parametrize(("left", "n_rows"), [(None, 200), (12.0, 100), (1e3, 200), (1e-6, 50)])
def test_the_final_machine_gets_as_many_rows_as_the_time_left_allows(left, n_rows, finished):
    """Ten seconds for two folds, three up to the third C: four times as long is enough for 100 rows."""
    validator, choice = finished(200, 100, 10.0, left)
    assert affordable_rows(validator, 200, exact_seconds(validator, choice)) == n_rows


class Growing:
    """A trainer whose machines take one second for 100 rows, and the square of that for more."""

    def __init__(self, validator, choice):
        self.now, self.sizes = 0.0, []
        validator.context.deadline.clock = lambda: self.now
        validator.family = self
        self.step = FinalStep(self, None, validator, choice)

    def _machine(self, *_):
        return self

    def train(self, machine, samples):
        self.sizes.append(len(samples))
        self.now += (len(samples) / 100.0) ** 2
        return machine


@pytest.mark.parametrize(
    ("left", "sizes"),
    [
        (None, [1000]),
        (1e6, [1000]),
        # By the search 2400 s for all rows; training on some shows that there is time for more.
        (20.0, [92, 436]),
        (3.0, [50, 164]),
        (0.4, [50]),
    ],
)
def test_a_machine_is_trained_again_where_the_search_was_too_careful(left, sizes, finished):
    validator, choice = finished(1000, 100, 20.0, left)
    trainer = Growing(validator, choice)
    machine, rows = train_in_time(trainer.step)
    assert machine is trainer
    assert trainer.sizes == sizes
    assert len(rows) == sizes[-1]
    skipped = [] if sizes[-1] == 1000 else [f"training on {1000 - sizes[-1]} of 1000 distinct rows"]
    assert validator.context.deadline.skipped == skipped


@pytest.mark.parametrize(
    ("kernel", "n_columns", "most"),
    [
        (RBF(), 20, 100_000),
        (RBF(), 2, 160_000),
        (KernelSum([RBF(), Laplacian()]), 2, 110_000),  # which computes both
        (RBF(), 500, 50_000),
        (KMOD(), 20, 50_000),
        ("precomputed", 20, 50_000),
    ],
)
def test_exact_machines_are_for_rows_that_take_half_a_minute(kernel, n_columns, most):
    index, ones = np.zeros(10, int), np.ones(10)
    assert most_exact(Samples(np.empty((10, n_columns)), index, index, ones, ones), kernel) == most


def test_a_time_budget_takes_fewer_rows_and_no_approximation(finished):
    assert why_nystroem("auto", *finished(10_000, 1000, 1.0, 1e-3)) is None
