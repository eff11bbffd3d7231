"""Tasks to choose a kernel for."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.search.task import Task


def accuracy(index):
    """A score of held-out decision values of two classes."""

    def score(decision, rows, weight):
        return ((decision > 0) == (index[rows] == 1)) @ weight / weight.sum()

    return score


@pytest.fixture
def make_task():
    """Make the task of two classes, with weights of one unless told otherwise."""

    def make(Z, index, **settings):
        weight = settings.pop("weight", np.ones(len(index)))
        solver = {"strategy": "ovo", "tol": 1e-3, "max_iter": -1, "n_jobs": None}
        return Task(Z, index, weight, weight, accuracy(index), solver, **settings)

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
