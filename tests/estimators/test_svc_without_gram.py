"""An SVC that has no Gram matrix of all samples: its machines are trained on what they need of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from kernelwise import SVC
from kernelwise.estimators import _svc_training
from kernelwise.estimators.kernel_argument import Rows, gram_or_rows
from kernelwise.kernels import Polynomial

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
    many = np.random.default_rng(0).normal(size=(3500, 2))  # a Gram matrix of 93 MiB
    rows = gram_or_rows(Polynomial(), many, 3500, memory_limit=4096)
    assert isinstance(rows, Rows)
    assert rows.memory_limit == 45 * 2**20
    assert isinstance(gram_or_rows(Polynomial(), many[:2000], 2000, memory_limit=4096), np.ndarray)
