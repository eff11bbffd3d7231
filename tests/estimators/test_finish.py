"""The final model and what is computed beside it, in threads."""

from __future__ import annotations

import warnings
from threading import Event

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelwise import TunedSVC, _native
from kernelwise.estimators import _svc_training
from kernelwise.search.final import machine as final_machine
from kernelwise.solvers import probability


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_warning_of_sigmoids_is_given_while_the_model_is_trained(monkeypatch, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    has_sigmoids, train, newton = Event(), _svc_training._train, probability._newton

    def train_late(*arguments):
        has_sigmoids.wait(5.0 if n_jobs > 1 else 0.0)
        return train(*arguments)

    def fit_sigmoids(*arguments):
        try:
            return newton(*arguments)
        finally:
            has_sigmoids.set()

    monkeypatch.setattr(final_machine, "MANY_VALUES", 0)
    monkeypatch.setattr(_svc_training, "fit_many", lambda K, machines, *_: [None] * len(machines))
    monkeypatch.setattr(_svc_training, "_train", train_late)
    monkeypatch.setattr(probability, "_newton", fit_sigmoids)
    monkeypatch.setattr(_native, "fit_sigmoids", lambda *arrays: 1)  # one of them did not converge
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TunedSVC("rbf", cv=3, n_jobs=n_jobs).fit(X, y)
    own = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    assert own
    assert all("sigmoid" in str(one.message) for one in own)
