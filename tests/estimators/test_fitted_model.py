"""What a fitted model says of itself: its repr, its coefficients, and rows that conflict."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE

from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.criteria import Criterion
from kernelwise.diagnostics import diagnose

X, Y = load_iris(return_X_y=True)


def test_the_repr_of_a_fitted_model_has_what_was_chosen():
    model = TunedSVC("rbf", Cs=[1.0])
    before = repr(model)
    assert before == "TunedSVC(Cs=[1.0], kernel='rbf')"
    told = repr(model.fit(X, Y))
    score, error = model.result_.score, model.result_.standard_error
    assert told.startswith(f"{before}  # fitted: RBF, γ = ")
    assert told.endswith(f", C = 1; held-out score {score:.3g} ± {error:.2g}")
    assert repr(clone(model)) == before
    pd = pytest.importorskip("pandas")
    model.fit(pd.DataFrame(X, columns=list("abcd")), pd.Series(Y, name="species"))
    assert "  # fitted to predict 'species': " in repr(model)
    assert repr(TunedOneClassSVM(kernel="rbf").fit(X)).startswith(
        "TunedOneClassSVM(kernel='rbf')  # fitted: RBF"
    )


def test_a_linear_model_has_coefficients_and_others_have_none():
    two = Y > 0
    model = TunedSVC("linear", Cs=[1.0], predict_by="decision").fit(X, two)
    Z = model.scaler_.transform(X)
    values = Z @ model.coef_.ravel() + model.best_estimator_.intercept_
    np.testing.assert_allclose(model.decision_function(X), values)
    regression = TunedSVR("linear", Cs=[1.0]).fit(X[:, :3], X[:, 3])
    assert regression.coef_.shape == (1, 3)
    assert not hasattr(TunedSVC("rbf", Cs=[1.0]).fit(X, two), "coef_")
    chosen = RFE(TunedSVC("linear", Cs=[1.0]), n_features_to_select=2).fit(X, two)
    assert chosen.support_[2:].all()


def test_rows_that_conflict_are_found_in_python_too():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(40, 2)), 2, axis=0)
    y = np.arange(80) // 2 % 2
    y[[1, 5, 9]] = 1 - y[[1, 5, 9]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = TunedSVC("rbf", Cs=[1.0]).fit(x, y).diagnostics_
        (same,) = [one for one in diagnose(x, y) if one.name == "conflicts"]
    (conflicts,) = [one for one in found if one.name == "conflicts"]
    assert conflicts.message.startswith("6 rows in 3 groups of equal features have different labels, so any")
    assert conflicts.message == same.message.replace("samples", "rows")
    assert "conflicts" not in {one.name for one in TunedSVC("rbf", Cs=[1.0]).fit(X, Y).diagnostics_}


class Indifferent(Criterion):
    """The same value for all kernels."""

    name = "indifferent"
    reference = "nobody"
    is_differentiable = False

    def __init__(self):
        pass

    def score(self, K, y, sample_weight=None):
        return 0.25


def test_a_criterion_that_is_constant_has_chosen_nothing():
    model = TunedSVC("rbf", Cs=[1.0], criterion=Indifferent())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, Y)
    (constant,) = [one for one in model.diagnostics_ if one.name == "constant criterion"]
    assert constant.message.startswith("The criterion indifferent has the same value at all ")
    assert any("chose nothing" in sentence for sentence in model.result_.how)
    assert not any("interior peak" in sentence for sentence in model.result_.how)
