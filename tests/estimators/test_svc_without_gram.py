"""An SVC that has no Gram matrix of all samples: its machines are trained on what they need of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from kernelwise import SVC, OneClassSVM
from kernelwise.estimators import _svc_training
from kernelwise.estimators.kernel_argument import Rows, gram_or_rows
from kernelwise.kernels import RBF, Polynomial
from kernelwise.multiclass import two_class_machines

X, Y = (part[:400] for part in load_digits(return_X_y=True))
TOL = 1e-4


@pytest.mark.parametrize("why", ["too many samples", "too little memory", "a function"])
def test_without_a_gram_matrix_of_all_samples_the_model_is_the_same(monkeypatch, why):
    expected = SVC(C=5.0, gamma=1e-3, tol=TOL).fit(X, Y)
    settings = {"gamma": 1e-3}
    if why == "too many samples":
        monkeypatch.setattr(_svc_training, "LARGEST", 100)
    elif why == "too little memory":
        settings["memory_limit"] = 1
    else:
        settings = {"kernel": lambda A, B: rbf_kernel(A, B, gamma=1e-3)}
    found = SVC(C=5.0, tol=TOL, **settings).fit(X, Y)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-2)


def test_a_machine_is_trained_by_rows_where_memory_is_short(monkeypatch):
    # 100 MiB, of which 90 may be used
    monkeypatch.setattr("kernelwise._core.memory.available_memory", lambda: 100.0 * 2**20)
    many = np.random.default_rng(0).normal(size=(3500, 2))  # a Gram matrix of 93 MiB, and the solver's own
    rows = gram_or_rows(Polynomial(), many, 3500, memory_limit=4096)
    assert isinstance(rows, Rows)
    assert rows.memory_limit == 45 * 2**20
    assert isinstance(gram_or_rows(Polynomial(), many[:1300], 1300, memory_limit=4096), np.ndarray)


def words(n):
    random = np.random.default_rng(0)
    return ["".join(random.choice(list("abcd"), 5)) for _ in range(n)]


def common_letters(A, B):
    """A kernel function of two lists of words."""
    return np.array([[sum(a == b for a, b in zip(x, z, strict=True)) for z in B] for x in A], dtype=float)


def gaussian(A, B):
    """A kernel function of two sets of rows, with two arguments only."""
    return rbf_kernel(A, B, gamma=1e-3)


@pytest.mark.parametrize(
    ("function", "samples"),
    [(gaussian, X), (gaussian, X.tolist()), (common_letters, words(60))],
    ids=["array", "list", "words"],
)
@pytest.mark.parametrize(
    "make",
    [
        lambda **how: SVC(C=0.5, tol=1e-6, probability=True, random_state=0, **how),
        lambda **how: OneClassSVM(nu=0.3, tol=1e-6, **how),
    ],
    ids=["SVC", "OneClassSVM"],
)
def test_a_function_is_a_kernel_beyond_the_limit_of_memory(make, function, samples):
    labels = [len(set(sample)) % 2 for sample in samples] if function is common_letters else Y % 2
    whole = make(kernel=function).fit(samples, labels)
    by_rows = make(kernel=function, memory_limit=1e-3).fit(samples, labels)
    expected, found = (one.machine_values(samples) - one.intercept_ for one in (whole, by_rows))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-5 * np.abs(expected).max())


def test_a_function_that_returns_too_few_columns_is_named_beyond_the_limit_too():
    with pytest.raises(ValueError, match=r"kernel\(X, Y\) must return one row per sample"):
        SVC(kernel=lambda A, B: rbf_kernel(A, B)[:, 1:], memory_limit=1e-3).fit(X, Y)


@pytest.mark.parametrize(("limit", "expected"), [(2**20, 1), (2**22, 4), (2**30, 8)])
def test_machines_of_pairs_are_trained_on_as_many_threads_as_the_memory_is_for(limit, expected):
    machines = two_class_machines(np.repeat(np.arange(3), 250), 3, "ovo")
    assert machines[0].members.size == 500  # 4 · 500² bytes of a working set
    rows = Rows(RBF(0.1), np.zeros((750, 2)), limit)
    assert _svc_training._threads_in_memory(rows, machines, 8) == expected


def test_the_number_of_threads_changes_nothing_where_memory_is_short():
    one, two = (SVC(gamma=1e-3, memory_limit=0.5, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.machine_values(X), two.machine_values(X))
