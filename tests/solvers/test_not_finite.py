"""Kernel values that are infinite or no numbers end a fit with a sentence, and never keep it for ever."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np
import pytest

from kernelwise import SVC
from kernelwise.kernels import RBF
from kernelwise.multiclass import Machine
from kernelwise.solvers import solve_svm_dual, svm_path
from kernelwise.solvers.one_class_rows import solve_one_class_by_rows
from kernelwise.solvers.path_problem import PathProblem, Places
from kernelwise.solvers.working_sets import solve_svm_by_rows
from tests.native.conftest import clouds, gram, kfold

X, INDEX = clouds(300)
K = gram(X, 0.5)
SIGNS = 2.0 * INDEX - 1.0
FOLDS = kfold(300, 4)
VALUES = [np.inf, -np.inf, np.nan]
SENTENCE = "The kernel has values that are infinite or NaN"


def within(seconds, call):
    """What ``call`` returns or raises, in a thread that nobody waits for any longer."""
    found = []

    def run():
        try:
            found.append((call(), None))
        except BaseException as error:
            found.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, f"It has not ended within {seconds} seconds."
    result, error = found[0]
    if error is not None:
        raise error
    return result


def wrong(value, where):
    changed = K.copy()
    changed[where] = changed.T[where] = value
    return changed


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("where", [(7, slice(None)), (7, 7), (7, slice(0, 300, 2)), slice(None)], ids=str)
def test_a_cross_validation_ends_with_a_sentence(where, value):
    machine = Machine(np.arange(300), SIGNS)
    problem = PathProblem([machine], FOLDS, Places([test for _, test in FOLDS], 300), np.ones((4, 300)))
    how = {"Cs": np.array([1.0]), "tol": 1e-3}
    for given in (wrong(value, where), wrong(value, where).astype(np.float32)):
        with pytest.raises(ValueError, match=SENTENCE):
            within(30, lambda given=given: problem.solve(given, **how))
    assert np.isfinite(problem.solve(K, **how).decision).all()


@pytest.mark.parametrize("value", VALUES)
def test_a_given_matrix_is_refused_before_anything_is_trained(value):
    for call in (
        lambda: svm_path(wrong(value, (3, 4)), INDEX, [1.0], FOLDS),
        lambda: solve_svm_dual(wrong(value, (3, 4)), INDEX, 1.0),
        lambda: SVC(kernel="precomputed").fit(wrong(value, (3, 4)), INDEX),
    ):
        with pytest.raises(ValueError, match=r"infinity|NaN|finite"):
            within(30, call)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("value", [*VALUES, 1e300])
def test_a_matrix_that_changes_during_a_path_ends_it(value, n_jobs):
    """As another thread could change it: here the callback does, behind the first fold."""
    given, Cs = K.copy(), np.geomspace(0.1, 10.0, 40)

    def change(done, total):
        given[:] = value

    # Two threads may have begun with all folds before it changes, and 1e300 is a number.
    may_end_well = n_jobs == 2 or value == 1e300
    with suppress(ValueError) if may_end_well else pytest.raises(ValueError, match=SENTENCE):
        within(60, lambda: svm_path(given, INDEX, Cs, FOLDS, callback=change, n_jobs=n_jobs))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("n_before", [1, 2, 5])
def test_a_function_that_returns_other_values_later_ends_a_fit(value, n_before):
    """Without memory for a Gram matrix rows are asked for again and again."""
    n_calls = []

    def kernel(A, B=None):
        n_calls.append(1)
        values = np.exp(-0.5 * ((A[:, None] - (A if B is None else B)[None]) ** 2).sum(axis=2))
        return values if len(n_calls) <= n_before else np.full_like(values, value)

    Z, labels = clouds(800, n_features=2)
    with pytest.raises(ValueError, match=r"infinite|NaN|finite|infinity"):
        within(60, lambda: SVC(kernel=kernel, C=10.0, memory_limit=1, max_iter=20_000).fit(Z, labels))
    assert len(n_calls) > n_before


@pytest.mark.parametrize("solve", [solve_svm_by_rows, solve_one_class_by_rows])
@pytest.mark.parametrize("n_calls", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("value", VALUES)
def test_rows_that_are_not_finite_end_a_fit_without_a_gram_matrix(solve, n_calls, value):
    """The first values may be finite: those of later rows are looked at, too."""
    calls = []

    def kernel(A, B=None):
        values = RBF(2.0)(A, B)
        calls.append(values.shape)
        if len(calls) > n_calls:
            values[-1, -1] = value
        return values

    data = (INDEX, 10.0) if solve is solve_svm_by_rows else (0.3,)
    with pytest.raises(ValueError, match=SENTENCE):
        within(30, lambda: solve(kernel, X, *data, memory_limit=40_000, tol=1e-5, max_iter=20_000))
    assert len(calls) <= n_calls + 2  # the first is of the diagonal alone
