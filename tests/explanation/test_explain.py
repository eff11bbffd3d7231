"""Shapley values against sums over all subsets of the columns, and their axioms."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from kernelwise import SVC, GridSearchSVC, NystroemSVC, TunedSVC, TunedSVR, explain
from kernelwise.datasets import make_weston
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.explanation import explain_pairs
from kernelwise.explanation.compiled import add_values
from kernelwise.kernels import RBF, KernelSum, Laplacian, Polynomial

pytestmark = pytest.mark.filterwarnings("ignore:Columns .* have a correlation")
PRODUCTS = ["rbf", "laplacian", "diagonal", "diagonal-laplacian", "auto"]


def by_subsets(value, d):
    """Shapley values from the value of every subset of d columns."""
    known = {S: value(list(S)) for r in range(d + 1) for S in combinations(range(d), r)}
    found = []
    for j in range(d):
        others = [k for k in range(d) if k != j]
        total = 0.0
        for r in range(d):
            for S in combinations(others, r):
                weight = factorial(r) * factorial(d - r - 1) / factorial(d)
                total = total + weight * (known[tuple(sorted((*S, j)))] - known[S])
        found.append(total)
    return np.array(found)


def pairs_by_subsets(value, d):
    """Shapley interaction indices of pairs, by their definition."""
    known = {S: value(list(S)) for r in range(d + 1) for S in combinations(range(d), r)}
    found = np.zeros((d, d))
    for j, k in combinations(range(d), 2):
        others = [m for m in range(d) if m not in (j, k)]
        for r in range(d - 1):
            for S in combinations(others, r):
                weight = factorial(r) * factorial(d - r - 2) / factorial(d - 1)
                with_both, with_j, with_k = (tuple(sorted((*S, *more))) for more in ((j, k), (j,), (k,)))
                found[j, k] += weight * (known[with_both] - known[with_j] - known[with_k] + known[S])
    return found + found.T


def own_value(model, x):
    """The kernel's own value function: the factor of an absent column is one."""
    machine = model.best_estimator_
    z, support = model.scaler_.transform([x])[0], machine.support_vectors_

    def value(columns):
        near = support.copy()  # a column that agrees with every support vector has the factor one
        rows = np.repeat(near[:, None, :], len(near), axis=1)[:, 0]
        rows[:, columns] = z[columns]
        K = np.array(
            [machine.kernel_(rows[i : i + 1], support[i : i + 1])[0, 0] for i in range(len(support))]
        )
        return machine.beta_ @ K + machine.intercept_

    return value


def background_value(model, x, background, output):
    def value(columns):
        rows = background.copy()
        rows[:, columns] = x[columns]
        return output(model, rows).mean(axis=0)

    return value


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:120, :6], y[:120]


@pytest.fixture(scope="module", params=PRODUCTS)
def two(request, cancer):
    return TunedSVC(request.param).fit(*cancer)


def test_values_are_the_sums_over_all_subsets(two, cancer):
    x, background = cancer[0][3], cancer[0][100:107]
    own = explain(two, x[None])
    assert own.is_exact
    assert own.value_function == "kernel"
    assert_allclose(own.values[0], by_subsets(own_value(two, x), 6)[:, 0], atol=1e-9)
    over = explain(two, x[None], background=background)
    assert over.value_function == "interventional"

    def machine_values(model, rows):
        return model.machine_values(rows)[:, 0]

    expected = by_subsets(background_value(two, x, background, machine_values), 6)
    assert_allclose(over.values[0], expected, atol=1e-9)
    assert_allclose(over.base_values, machine_values(two, background).mean(), atol=1e-9)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_every_class_of_several_has_values(multiclass):
    X, y = load_wine(return_X_y=True)
    X, y = X[:, :5], np.where(np.arange(len(y)) % 7 == 0, 3 + y % 2, y)  # five classes
    model = TunedSVC("rbf", multiclass=multiclass).fit(X, y)
    background = X[10:15]
    found = explain(model, X[:2], background=background)
    assert found.values.shape == (2, 5, 5)
    assert found.output_names == ["0", "1", "2", "3", "4"]

    def per_class(model, rows):
        f, total = model.machine_values(rows), np.zeros((len(rows), 5))
        if multiclass == "ovr":
            return f
        for m, (i, j) in enumerate(combinations(range(5), 2)):
            total[:, i] += f[:, m] / 4
            total[:, j] -= f[:, m] / 4
        return total

    expected = by_subsets(background_value(model, X[0], background, per_class), 5)
    assert_allclose(found.values[0], expected, atol=1e-9)
    assert_allclose(found.values.sum(axis=1) + found.base_values, per_class(model, X[:2]), atol=1e-9)


def test_log_odds_and_predictions(cancer):
    X, y = cancer
    model = TunedSVC("rbf").fit(X, y)
    found = explain(model, X[:4], output="probability-log-odds")
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.decision_function(X[:4]), atol=1e-9)
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:120, :5], y[:120]
    regression = TunedSVR().fit(X, y)
    found = explain(regression, X[:3], background=X[5:9])
    assert found.output == "prediction"
    assert_allclose(found.values.sum(axis=1) + found.base_values, regression.predict(X[:3]), rtol=1e-9)
    expected = by_subsets(background_value(regression, X[0], X[5:9], lambda m, rows: m.predict(rows)), 5)
    assert_allclose(found.values[0], expected, atol=1e-9 * np.abs(y).max())


def test_sums_and_machines_of_their_own(cancer):
    X, y = cancer
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel = KernelSum([RBF(0.2), Laplacian(0.3)], [0.7, 0.2])
    for model in (SVC(kernel=kernel, C=2.0), NystroemSVC(kernel=RBF(0.2))):
        model.fit(Z, y)
        found = explain(model, Z[:3])
        assert_allclose(
            found.values.sum(axis=1) + found.base_values, model.machine_values(Z[:3])[:, 0], atol=1e-9
        )
        over = explain(model, Z[:1], background=Z[50:53])
        expected = by_subsets(
            background_value(model, Z[0], Z[50:53], lambda m, rows: m.machine_values(rows)[:, 0]), 6
        )
        assert_allclose(over.values[0], expected, atol=1e-9)


def test_interactions_are_the_sums_over_all_subsets(cancer):
    X, y = cancer
    model = TunedSVC("diagonal").fit(X, y)
    found = explain_pairs(model, X[:1], background=X[60:63])

    def machine_values(model, rows):
        return model.machine_values(rows)[:, 0]

    expected = pairs_by_subsets(background_value(model, X[0], X[60:63], machine_values), 6)
    assert_allclose(found[0], expected, atol=1e-9)
    assert_allclose(found, found.transpose(0, 2, 1))


def test_many_columns_add_up_and_nothing_overflows():
    random = np.random.default_rng(0)
    for width in (1e-4, 1.0, 30.0):  # wide to so narrow that products vanish
        U = np.exp(-width * random.exponential(size=(2, 30, 500)))
        V = np.exp(-width * random.exponential(size=(2, 30, 500)))
        beta = random.normal(size=(3, 30))
        out = np.zeros((2, 500, 3))
        add_values(U, V, beta, out)
        expected = (U.prod(axis=2)[:, None] - V.prod(axis=2)[None]).mean(axis=1) @ beta.T
        assert_allclose(out.sum(axis=1), expected, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7))
def test_null_players_and_symmetry(seed, d):
    random = np.random.default_rng(seed)
    U = random.uniform(0.01, 1.0, (1, 4, d))
    V = random.uniform(0.01, 1.0, (2, 4, d))
    U[:, :, 0] = V[:, :, 0] = V[:1, :, 0]  # a column that makes no difference
    U[:, :, -1], V[:, :, -1] = U[:, :, d // 2], V[:, :, d // 2]  # and two that are the same
    out = np.zeros((1, d, 1))
    add_values(U, V, random.normal(size=(1, 4)), out)
    assert abs(out[0, 0, 0]) < 1e-12
    if d // 2 > 0:
        assert_allclose(out[0, -1], out[0, d // 2], atol=1e-12)


def test_the_true_features_of_weston_carry_the_value():
    X, y = make_weston(150, random_state=0)
    model = TunedSVC("diagonal").fit(X, y)
    share = explain(model, X).importance()
    assert share[:2].sum() > 0.9 * share.sum()


def test_other_kernels_are_estimated_and_say_so(cancer):
    X, y = cancer
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    model = SVC(kernel=Polynomial(degree=2, gamma=0.3, coef0=1.0)).fit(Z, y)
    background = Z[40:60]
    with pytest.warns(KernelwiseWarning, match="no product over columns"):
        found = explain(model, Z[:2], background=background, n_orders=400)
    assert not found.is_exact
    expected = by_subsets(
        background_value(model, Z[0], background, lambda m, rows: m.machine_values(rows)[:, 0]), 4
    )
    assert (np.abs(found.values[0] - expected) < 5 * found.standard_errors[0] + 1e-12).all()
    assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.machine_values(Z[:2])[:, 0], atol=1e-9
    )
    with pytest.raises(IncompatibleError, match="products over columns"):
        explain_pairs(model, Z[:2])


def test_threads_change_nothing(cancer):
    model = TunedSVC("rbf").fit(*cancer)
    one, two = (explain(model, cancer[0], n_jobs=n).values for n in (1, 2))
    assert np.array_equal(one, two)


def test_correlated_columns_are_a_warning(cancer):
    X = np.column_stack([cancer[0], 2.0 * cancer[0][:, 0]])
    model = TunedSVC("rbf").fit(X, cancer[1])
    with pytest.warns(KernelwiseWarning, match="have a correlation of 1.00"):
        found = explain(model, X)
    assert_allclose(found.values[:, 0], found.values[:, -1], atol=1e-9)  # copies share equally


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("'output' of explain must be one of", {"output": "probability"}),
        ("minimum of 1 is required", {"X": np.empty((0, 6))}),
        ("features", {"X": np.zeros((2, 3))}),
        ("NaN", {"X": np.full((1, 6), np.nan)}),
        ("'n_jobs' of explain must be None", {"n_jobs": 0}),
        ("'random_state' of explain must be None", {"random_state": -1}),
    ],
)
def test_bad_input_is_named(cancer, message, settings):
    model = TunedSVC("rbf").fit(*cancer)
    with pytest.raises(ValueError, match=message):
        explain(model, **{"X": cancer[0][:2], **settings})


def test_models_without_columns_are_refused(cancer):
    X, y = cancer
    K = RBF(1e-4)(X)
    model = SVC(kernel="precomputed").fit(K, y)
    with pytest.raises(IncompatibleError, match="kernel of samples with columns"):
        explain(model, K)
    with pytest.raises(ValueError, match="needs a model with probabilities"):
        explain(SVC(kernel=RBF(0.01)).fit(X, y), X[:2], output="probability-log-odds")
    with pytest.raises(IncompatibleError, match="was fitted with refit=False"):
        explain(TunedSVC("rbf", refit=False).fit(X, y), X[:2])
    with pytest.raises(IncompatibleError, match="and not a GridSearchSVC"):
        explain(GridSearchSVC(Cs=[1.0]).fit(X, y), X[:2])
