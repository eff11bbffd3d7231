"""A search that goes on from a journal ends as one that was not interrupted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_diabetes, load_iris

from kernelwise import TunedSVC, TunedSVR
from kernelwise._core.journal import Journal
from kernelwise.estimators.tuned import fit_in_context
from kernelwise.kernels import RBF, DiagonalGaussian, Linear
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.kernel_journal import name_of
from kernelwise.search.engine.scored_kernel import FoldKernels


class Stopped(BaseException):
    """What a kill is to a test."""


class Breaking(dict):
    """A journal that is killed after so many entries."""

    def __init__(self, n_entries):
        super().__init__()
        self.n_entries = n_entries

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) == self.n_entries:
            raise Stopped


MODELS = {
    "rbf": (TunedSVC(), load_iris),
    "diagonal": (TunedSVC("diagonal"), load_iris),
    "regression": (TunedSVR(), lambda **options: [part[:150] for part in load_diabetes(**options)]),
}


@pytest.mark.parametrize("n_before", [1, 3])
@pytest.mark.parametrize("name", MODELS)
def test_an_interrupted_search_ends_the_same(name, n_before):
    model, data = MODELS[name]
    X, y = data(return_X_y=True)
    expected = model.fit(X, y)
    values, table, why = expected.predict(X), expected.cv_results_, expected.result_.why
    sigmoids = getattr(expected, "_sigmoids", None)
    journal = Breaking(n_before)
    with pytest.raises(Stopped):
        fit_in_context(model, X, y, FitContext(journal=journal))
    resumed = dict(journal)
    fit_in_context(model, X, y, FitContext(journal=resumed))
    assert set(journal) < set(resumed)
    assert_array_equal(model.predict(X), values)
    assert model.result_.why == why
    for column in ("mean_test_score", "param_C", "n_support"):
        assert_array_equal(np.asarray(model.cv_results_[column]), np.asarray(table[column]))
    if sigmoids is not None:
        assert_array_equal(model._sigmoids, sigmoids)


def test_nothing_is_scored_twice(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(refit=False)
    with Journal(tmp_path / "j", {}) as journal:
        fit_in_context(model, X, y, FitContext(journal=journal))
    monkeypatch.setattr("kernelwise.search.engine.runner.ClassPaths", None)  # training anything would fail
    with Journal(tmp_path / "j", {}) as journal:
        assert fit_in_context(model, X, y, FitContext(journal=journal)).best_score_ > 0.9


def test_names_tell_kernels_apart():
    kernels = [
        RBF(0.5),
        RBF(np.nextafter(0.5, 1.0)),
        Linear(),
        DiagonalGaussian([1.0, 2.0]),
        DiagonalGaussian([2.0, 1.0]),
        FoldKernels(RBF(0.5), [RBF(0.4), RBF(0.5)]),
        FoldKernels(RBF(0.5), [RBF(0.5), RBF(0.4)]),
        "precomputed",
    ]
    names = [name_of(kernel, None, None) for kernel in kernels]
    names += [name_of(kernels[0], np.array([1.0, 2.0]), None), name_of(kernels[0], None, 0.1)]
    assert len(set(names)) == len(names)
    assert name_of(RBF(0.5), None, None) == names[0]
