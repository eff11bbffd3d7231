"""What a search does to stay within a limit of memory, and that the limit decides how, not what."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
import weakref
from functools import partial

import numpy as np
import pytest
from benchmarks.harness import ROOT
from sklearn.datasets import make_classification

from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise._core.memory import MEMORY_LIMIT, MIB, matrices_within, rows_within
from kernelwise.kernels import RBF, DiagonalGaussian, DiagonalLaplacian, KernelSum, Laplacian
from kernelwise.search.data.folds import FEWEST_ROWS, LEAST_MATRICES
from kernelwise.search.engine.runner import Here
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.one_class import OneClass
from kernelwise.search.families.regression import Regression
from kernelwise.search.propose import forms

X, Y = make_classification(700, 5, n_informative=4, n_redundant=0, random_state=0)
TARGET = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * np.random.default_rng(0).normal(size=len(X))
#: Kernels that need distances of four kinds, and the sum of all.
KERNELS = [
    RBF(0.2),
    DiagonalGaussian([0.1, 0.2, 0.3, 0.2, 0.1]),
    Laplacian(0.2),
    DiagonalLaplacian([0.2] * 5),
]
KERNELS += [KernelSum(KERNELS[:]), RBF(0.4), Laplacian(0.1)]
MATRIX = 8 * len(X) ** 2


def limit_for(n_matrices):
    """MiB that allow so many Gram matrices of all rows."""
    return n_matrices / matrices_within(1.0, len(X))


def scored_with(make_validator, memory_limit, n_jobs=1):
    """Scores of all kernels, and the most bytes of arrays at one moment, in units of a Gram matrix."""
    settings = {"tol": 1e-3, "max_iter": -1, "n_jobs": n_jobs}
    runner = partial(Here, memory_limit=memory_limit)
    validator = make_validator(X, Y, runner=runner, Cs=np.array([1.0, 4.0]), settings=settings)
    validator.score(KERNELS[0], "warm")
    validator.release()
    tracemalloc.start()
    scores = [validator.score(kernel, "tried").stored for kernel in KERNELS]
    _, peak = tracemalloc.get_traced_memory()
    validator.release()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 0.2 * MATRIX
    return np.stack(scores), peak / MATRIX


def test_a_search_holds_as_many_gram_matrices_as_its_limit_allows(make_validator):
    most, used = scored_with(make_validator, limit_for(20))
    assert used > 6
    for n_matrices in (5.0, LEAST_MATRICES + Classification.path_matrices):
        fewer, used = scored_with(make_validator, limit_for(n_matrices))
        assert used < n_matrices
        np.testing.assert_array_equal(fewer, most)


def test_threads_are_fewer_where_there_is_no_room_for_what_each_needs(make_validator):
    share = Classification.path_matrices
    for room, expected in (
        (20.0, 8),
        (LEAST_MATRICES + 2.5 * share, 2),
        (LEAST_MATRICES + share, 1),
        (0.1, 1),
    ):
        settings = {"tol": 1e-3, "max_iter": -1, "n_jobs": 8}
        runner = partial(Here, memory_limit=limit_for(room))
        validator = make_validator(X, Y, runner=runner, settings=settings)
        assert validator._runner.problem.settings["n_jobs"] == expected


@pytest.mark.parametrize("family", [Classification, Regression, OneClass])
def test_the_default_limit_is_enough_for_all_rows_of_a_search(family):
    assert rows_within(MEMORY_LIMIT, LEAST_MATRICES + family.path_matrices) >= family.max_rows


@pytest.mark.parametrize("n_matrices", [1.0, 3.7, 9.0])
def test_rows_and_matrices_within_a_limit_belong_together(n_matrices):
    n = rows_within(100.0, n_matrices)
    assert matrices_within(100.0, n) >= n_matrices > matrices_within(100.0, n + 1)
    assert n_matrices * n**2 * 8 < 100.0 * MIB


@pytest.mark.parametrize(
    ("model", "y"), [(TunedSVC("rbf"), Y), (TunedSVR("rbf"), TARGET)], ids=["SVC", "SVR"]
)
def test_a_small_limit_lets_a_search_look_at_fewer_rows_and_says_so(model, y):
    named = {finding.name: finding for finding in model.set_params(memory_limit=10).fit(X, y).diagnostics_}
    family = Classification if isinstance(model, TunedSVC) else Regression
    n_rows = max(FEWEST_ROWS, rows_within(10, LEAST_MATRICES + family.path_matrices))
    assert n_rows < len(X)
    assert (
        f"memory_limit=10 (MiB) allows the search to look at {n_rows} rows"
        in named["search in memory"].message
    )
    assert f"{n_rows} of {len(X)} distinct rows" in named["sampled"].message
    assert model.best_estimator_.n_trained_ == len(X)
    assert {"search in memory", "sampled"}.isdisjoint(
        finding.name for finding in model.set_params(memory_limit=MEMORY_LIMIT).fit(X, y).diagnostics_
    )


@pytest.mark.parametrize("model", [TunedSVC(), TunedSVR("rbf"), TunedOneClassSVM()], ids=repr)
def test_the_choice_does_not_depend_on_the_memory_that_is_free(monkeypatch, model):
    y = {"TunedSVC": Y, "TunedSVR": TARGET}.get(type(model).__name__)
    values = []
    for free in (64 * MIB, 1000 * 2**30):
        monkeypatch.setattr("kernelwise._core.memory.available_memory", lambda free=free: float(free))
        fitted = model.fit(X[:300], None if y is None else y[:300])
        values.append((repr(fitted.result_.kernel), fitted.machine_values(X)))
    assert values[0][0] == values[1][0]
    np.testing.assert_array_equal(values[0][1], values[1][1])


@pytest.mark.parametrize(
    "model", [TunedSVC(), TunedSVC("rbf", refit=False), TunedSVR(), TunedOneClassSVM()], ids=repr
)
def test_a_fit_gives_its_matrices_back_without_the_garbage_collector(monkeypatch, model):
    """A cycle among them would keep the Gram matrices of several fits until Python looks for cycles."""
    monkeypatch.setattr(forms, "FIRST_ROWS", 100)  # some forms are scored by a validator of their own
    made, begin, prepare = [], CrossValidator.__post_init__, Here.__init__

    def begun(self):
        made.append(weakref.ref(self))
        begin(self)

    def prepared(self, problem, **how):
        prepare(self, problem, **how)
        made.extend(map(weakref.ref, (self, self.problem, self._shapes)))

    monkeypatch.setattr(CrossValidator, "__post_init__", begun)
    monkeypatch.setattr(Here, "__init__", prepared)
    y = {"TunedSVC": Y, "TunedSVR": TARGET}.get(type(model).__name__)
    gc.disable()
    try:
        model.fit(X[:300], None if y is None else y[:300])
        left = [one() for one in made if one() is not None]
    finally:
        gc.enable()
    assert made
    assert left == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("name", "limit"), [("TunedSVR", 60), ("TunedSVC", 60)])
def test_a_fit_takes_no_more_memory_than_a_small_limit_and_a_fifth(name, limit):
    command = [sys.executable, "-m", "benchmarks.memory", "--case", name, "2500", str(limit)]
    row = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert float(row.split("|")[5]) <= 1.2


def test_what_another_problem_needs_is_given_back_only_where_room_is_short(make_validator):
    kept = []
    for n_matrices in (20.0, LEAST_MATRICES + Classification.path_matrices):
        runner = partial(Here, memory_limit=limit_for(n_matrices))
        validator = make_validator(X, Y, runner=runner, Cs=np.array([1.0]))
        for kernel in (RBF(0.2), Laplacian(0.2)):
            validator.score(kernel, "tried")
        validator.make_room()
        kept.append(validator._runner._n_held)
    assert kept[0] >= 4.0
    assert kept[1] <= LEAST_MATRICES - 1.0
