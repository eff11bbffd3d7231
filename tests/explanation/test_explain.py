"""Shapley values against sums over all subsets of the columns, and their axioms."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise import (
    SVC,
    SVR,
    GridSearchSVC,
    NystroemSVC,
    NystroemSVR,
    TunedSVC,
    TunedSVR,
    explain,
    explanation,
)
from kernelwise.datasets import make_weston
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.explanation import column_correlations, explain_pairs, product_machines, reader
from kernelwise.explanation.product_machines import Products, add_values, nodes_for
from kernelwise.export import PlainModel, Term
from kernelwise.kernels import RBF, KernelSum, Laplacian, Linear, Polynomial

pytestmark = pytest.mark.filterwarnings("ignore:Columns .* have a correlation")
PRODUCTS = ["rbf", "laplacian", "diagonal", "diagonal-laplacian", "auto"]
BLENDS = [["rbf", "laplacian"], "auto"]


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
        total = machine.intercept_
        for kernel, beta in machine.kernel_columns():
            K = [kernel(rows[i : i + 1], support[i : i + 1])[0, 0] for i in range(len(support))]
            total = total + beta @ K
        return total

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


@pytest.fixture(scope="module", params=[*((name, False) for name in PRODUCTS), *((k, True) for k in BLENDS)])
def two(request, cancer):
    kernel, blend = request.param
    model = TunedSVC(kernel, blend=blend).fit(*cancer)
    assert (len(model.best_estimator_.kernel_columns()) > 1) == blend
    return model


def test_values_are_the_sums_over_all_subsets(two, cancer):
    x, background = cancer[0][3], cancer[0][100:107]
    own = explain(two, x[None], output="machine-values")
    assert own.is_exact
    assert own.value_function == "kernel"
    assert_allclose(own.values[0], by_subsets(own_value(two, x), 6)[:, 0], atol=1e-9)
    over = explain(two, x[None], background=background)
    assert over.value_function == "interventional"

    def decision(model, rows):
        return model.decision_function(rows)

    expected = by_subsets(background_value(two, x, background, decision), 6)
    assert_allclose(over.values[0], expected, atol=1e-9)
    assert_allclose(over.base_values, decision(two, background).mean(), atol=1e-9)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_every_class_of_several_has_values(multiclass):
    X, y = load_wine(return_X_y=True)
    X, y = X[:, :5], np.where(np.arange(len(y)) % 7 == 0, 3 + y % 2, y)  # five classes
    model = TunedSVC("rbf", multiclass=multiclass).fit(X, y)
    background = X[10:15]
    found = explain(model, X[:2], background=background, output="machine-values")
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
            found.values.sum(axis=1) + found.base_values, model.decision_function(Z[:3]), atol=1e-9
        )
        over = explain(model, Z[:1], background=Z[50:53])
        expected = by_subsets(
            background_value(model, Z[0], Z[50:53], lambda m, rows: m.decision_function(rows)), 6
        )
        assert_allclose(over.values[0], expected, atol=1e-9)


def test_interactions_are_the_sums_over_all_subsets(cancer):
    X, y = cancer
    model = TunedSVC("diagonal").fit(X, y)
    found = explain_pairs(model, X[:1], background=X[60:63], output="machine-values")

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
    with pytest.warns(KernelwiseWarning, match="not a product over columns"):
        found = explain(model, Z[:2], background=background, n_orders=400)
    assert not found.is_exact
    expected = by_subsets(
        background_value(model, Z[0], background, lambda m, rows: m.machine_values(rows)[:, 0]), 4
    )
    assert (np.abs(found.values[0] - expected) < 5 * found.standard_errors[0] + 1e-12).all()
    assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.machine_values(Z[:2])[:, 0], atol=1e-9
    )
    with pytest.raises(IncompatibleError, match="a kernel that is a product over columns"):
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


def test_correlations_are_those_of_columns_not_of_their_words_and_gaps():
    rng = np.random.default_rng(0)
    X, column = rng.normal(size=(60, 5)), np.array([0, 0, 2, 3, 3])
    X[:, 4] = X[:, 1]  # a feature of two columns is the same, as gaps in the same rows are
    found = column_correlations(X, column)
    R = np.corrcoef(X, rowvar=False)
    for a, first in enumerate((0, 2, 3)):
        for b, second in enumerate((0, 2, 3)):
            A, B = np.flatnonzero(column == first), np.flatnonzero(column == second)
            S, SA, SB = R[np.ix_(A, B)], R[np.ix_(A, A)], R[np.ix_(B, B)]
            RV = np.trace(S @ S.T) / np.sqrt(np.trace(SA @ SA) * np.trace(SB @ SB))
            assert found[a, b] == pytest.approx(np.sqrt(RV))
    assert found[0, 2] < 0.9 < R[1, 4]
    assert_allclose(column_correlations(X[:, :3], np.arange(3)), np.abs(R[:3, :3]))


def test_columns_of_any_size_are_compared(cancer):
    X = np.column_stack([cancer[0][:, :2] * 1e140, cancer[0][:, 2:4] * 1e-140])
    model = TunedSVC("rbf").fit(X, cancer[1])
    with pytest.warns(KernelwiseWarning, match=r"'column 0' and 'column 2' have a correlation of 1\.00"):
        explain(model, X)


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("'output' of explain must be one of", {"output": "probability"}),
        ("minimum of 1 is required", {"X": np.empty((0, 6))}),
        ("'n_jobs' of explain must be None", {"n_jobs": 0}),
        ("'random_state' of explain must be None", {"random_state": -1}),
        ("features", {"X": np.zeros((2, 3))}),
        ("X contains infinity", {"X": np.full((1, 6), np.inf)}),
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


def test_the_linear_kernel_is_exact(cancer):
    X, y = cancer
    model = TunedSVC("linear").fit(X, y)
    Z, background = model.scaler_.transform(X), X[30:40]
    weights = model.best_estimator_.coef_[0]
    own = explain(model, X[:5], output="machine-values")
    assert own.is_exact
    assert_allclose(own.values, weights * Z[:5], atol=1e-9)
    assert_allclose(own.base_values, model.best_estimator_.intercept_[0], atol=1e-9)
    over = explain(model, X[:5], background=background, output="machine-values")
    assert_allclose(over.values, weights * (Z[:5] - Z[30:40].mean(axis=0)), atol=1e-9)
    assert_allclose(explain_pairs(model, X[:2]), 0.0)


def test_sums_with_a_linear_part_are_exact(cancer):
    X, y = cancer
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = SVC(kernel=KernelSum([RBF(0.2), Linear()], [0.7, 0.2])).fit(Z, y)
    over = explain(model, Z[:1], background=Z[50:53])
    assert over.is_exact

    def machine_values(model, rows):
        return model.machine_values(rows)[:, 0]

    expected = by_subsets(background_value(model, Z[0], Z[50:53], machine_values), 6)
    assert_allclose(over.values[0], expected, atol=1e-9)
    own = explain(model, Z[:4])
    assert_allclose(own.values.sum(axis=1) + own.base_values, machine_values(model, Z[:4]), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("degree", [0, 1, 7, 40, 99, 499, 5000])
def test_fewer_nodes_integrate_as_well(degree):
    nodes, weights = nodes_for(degree)
    assert len(nodes) <= max(1, degree // 2 + 1)
    assert len(nodes) < 8 * np.sqrt(degree + 1)
    for factor in (0.0, 1e-3, 0.5, 0.99, 1.0):  # ∫ (1 − t(1 − u))^degree dt has a closed form
        found = weights @ (1.0 - nodes * (1.0 - factor)) ** degree
        n, away = degree + 1, 1.0 - factor
        expected = 1.0 if away == 0 else -np.expm1(n * np.log(factor)) / (n * away) if factor else 1.0 / n
        assert_allclose(found, expected, atol=2e-15)
    random = np.random.default_rng(degree)  # and of random factors, against the exact rule
    exact, exact_weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    a, b = random.uniform(0.9, 1.0, (2, degree, 1))
    values = [np.prod(a + t * (b - a), axis=0) for t in (nodes, (exact + 1.0) / 2.0)]
    assert_allclose(weights @ values[0], exact_weights @ values[1] / 2.0, atol=2e-15)


@pytest.mark.parametrize("form", ["sqeuclidean", "cityblock"])
def test_twelve_columns_and_five_machines(form):
    random = np.random.default_rng(12)
    support, beta = random.normal(size=(9, 12)), random.normal(size=(5, 9))
    other = random.normal(size=(5, 9))
    terms = [Term("", 0.6, form, beta, 0.2), Term("", 0.4, form, beta, 0.05, L=random.uniform(0.0, 2.0, 12))]
    terms.append(Term("", 1.0, form, other, 0.1))
    plain = PlainModel("", [], np.zeros(12), np.ones(12), terms, support, np.ones(5))
    machine, x = Products(plain, np.arange(12), 12), random.normal(size=12)
    background = random.normal(size=(3, 12))

    def over(columns):
        rows = background.copy()
        rows[:, columns] = x[columns]
        return plain.machine_values(rows).mean(axis=0)

    def own(columns):
        rows = support.copy()
        rows[:, columns] = x[columns]
        return sum(term.beta @ np.diag(term.values(rows, support)) for term in terms)

    for value, rows in ((over, background), (own, None)):
        assert_allclose(machine.values(x[None], rows, None)[0], by_subsets(value, 12), atol=1e-9)


def test_features_of_one_column_are_present_together():
    random = np.random.default_rng(3)
    support, beta = random.normal(size=(7, 6)), random.normal(size=(2, 7))
    group = np.array([2, 0, 2, 4, 0, 1])  # column 3 has no feature at all
    terms = [Term("", 0.7, "sqeuclidean", beta, 0.3), Term("", 0.2, "cityblock", beta, 0.4, L=np.arange(6.0))]
    terms += [Term("", 0.1, "linear", beta), Term("", 1.0, "linear", beta[::-1])]
    plain = PlainModel("", [], np.ones(6), np.full(6, 0.5), terms, support, np.zeros(2))
    machine = Products(plain, group, 5)
    x, background = random.normal(size=6), random.normal(size=(3, 6))

    def value(columns):
        rows = background.copy()
        of = np.isin(group, columns)
        rows[:, of] = x[of]
        return plain.machine_values(rows).mean(axis=0)

    found = machine.values(x[None], background, None)
    assert_allclose(found[0], by_subsets(value, 5), atol=1e-12)
    assert_allclose(found[0, 3], 0.0)
    pairs = machine.interactions(x[None], background, None)
    for m in range(2):
        assert_allclose(pairs[0, :, :, m], pairs_by_subsets(lambda S, m=m: value(S)[m], 5), atol=1e-12)


@pytest.mark.filterwarnings("ignore:The kernel Polynomial")
def test_blocks_change_nothing(cancer, monkeypatch):
    X, y = cancer
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    models = [SVC(kernel=kernel).fit(Z, y) for kernel in (RBF(0.2), Polynomial(degree=2))]

    def values():
        return [explain(model, Z[:7], background=B).values for model in models for B in (None, Z[20:60])]

    whole = values()
    for module in (product_machines, reader, explanation):
        monkeypatch.setattr(module, "MOST_NUMBERS", 100)
    assert_allclose(values(), whole, atol=1e-12)


@pytest.mark.parametrize("multiclass", ["ovr-fuzzy", "ovo-reject"])
def test_other_strategies_have_values(multiclass):
    X, y = load_wine(return_X_y=True)
    model = TunedSVC("rbf", multiclass=multiclass, Cs=[0.1, 1.0, 10.0]).fit(X[:, :4], y)
    found = explain(model, X[:3, :4], output="machine-values")
    f = model.machine_values(X[:3, :4])
    if multiclass == "ovo-reject":  # machines of the classes 0-1, 0-2 and 1-2
        f = np.column_stack([f[:, 0] + f[:, 1], f[:, 2] - f[:, 0], -f[:, 1] - f[:, 2]]) / 2.0
    assert_allclose(found.values.sum(axis=1) + found.base_values, f, atol=1e-9)


def test_odd_rows_and_models(cancer):
    X, y = cancer
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = SVC(kernel=RBF(0.2)).fit(Z, y)
    dense = explain(model, Z[:3], background=Z[5:9]).values
    as_sparse = explain(model, csr_matrix(Z[:3]), background=csr_matrix(Z[5:9])).values
    assert np.array_equal(dense, as_sparse)
    trained = SVC(kernel=RBF(0.2)).fit(csr_matrix(Z), y)
    assert_allclose(explain(trained, Z[:3], background=Z[5:9]).values, dense, atol=1e-9)
    one = SVC(kernel=RBF(0.2)).fit(Z[:, :1], y)
    found = explain(one, Z[:3, :1])
    assert_allclose(found.values[:, 0] + found.base_values, one.machine_values(Z[:3, :1])[:, 0], atol=1e-9)
    assert explain_pairs(one, Z[:3, :1]).shape == (3, 1, 1)
    with_constant = np.column_stack([Z, np.ones(len(Z))])
    found = explain(SVC(kernel=RBF(0.2)).fit(with_constant, y), with_constant[:30])
    assert_allclose(found.values[:, -1], 0.0, atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(1.0), Linear(), Polynomial(degree=2)])
@pytest.mark.filterwarnings("ignore:The kernel Polynomial")
def test_a_constant_has_no_reasons(kernel):
    X, y = load_diabetes(return_X_y=True)
    model = SVR(kernel=kernel, epsilon=1e4).fit(X[:50], y[:50])  # no support vector
    assert len(model.support_) == 0
    found = explain(model, X[:2])
    assert_allclose(found.values, 0.0)
    assert_allclose(found.base_values, model.predict(X[:2]))


def test_regression_on_landmarks():
    X, y = load_diabetes(return_X_y=True)
    model = NystroemSVR(kernel=RBF(1.0)).fit(X, y)
    found = explain(model, X[:3])
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(X[:3]), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The kernel Polynomial")
def test_estimates_take_frames_and_every_part_of_a_background(cancer):
    X, y = cancer
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    frame = pd.DataFrame(Z, columns=list("abcd"))
    model = SVC(kernel=Polynomial(degree=2, gamma=0.3, coef0=1.0)).fit(frame, y)
    found = explain(model, frame.head(2), background=frame, n_orders=20)  # sorted rows, fewer orders
    assert found.feature_names == list("abcd")
    mean, spread = model.machine_values(frame).mean(), model.machine_values(frame).std()
    assert abs(found.base_values[0] - mean) < 3 * spread / np.sqrt(20)
    assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.machine_values(frame.head(2))[:, 0], atol=1e-9
    )


def test_scaling_that_may_mix_columns_is_estimated(cancer):
    model = TunedSVC("rbf", scale=PCA(6), Cs=[0.1, 1.0, 10.0, 100.0, 1000.0]).fit(*cancer)
    with pytest.warns(KernelwiseWarning, match="The scaling by PCA may mix columns"):
        found = explain(model, cancer[0][:1])
    assert not found.is_exact
    assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.decision_function(cancer[0][:1]), atol=1e-9
    )


def test_what_is_no_model_is_named(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), SVC(kernel=RBF(0.1))).fit(X, y)
    with pytest.raises(TypeError, match=r"got Pipeline of sklearn\. Pass the last step"):
        explain(pipeline, X)
    search = GridSearchSVC({"kernel": ["rbf"], "C": [1.0, 2.0]}).fit(X, y)
    with pytest.raises(TypeError, match=r"got GridSearchSVC of kernelwise\. Pass its best_estimator_"):
        explain(search, X)
    with pytest.raises(ValueError, match="refit=False"):
        explain(TunedSVC("rbf", refit=False).fit(X, y), X[:2])
    with pytest.raises(NotFittedError):
        explain(SVC(), X)


def test_mistakes_in_the_background_are_said_to_be_there(cancer):
    model = TunedSVC("rbf").fit(*cancer)
    for background in (np.full((2, 6), np.inf), np.empty((0, 6)), np.zeros((2, 3))):
        with pytest.raises(ValueError, match="In the background of explain"):
            explain(model, cancer[0][:2], background=background)


def test_support_vectors_are_a_background_that_ranks_as_the_training_rows_do():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 6, 9, 11]]
    model = TunedSVC("rbf").fit(X, y)
    support = model.scaler_.inverse_transform(model.best_estimator_.support_vectors_)
    exact = {"output": "machine-values"}
    found = explain(model, X, background="support", **exact)
    assert_allclose(found.values, explain(model, X, background=support, **exact).values, atol=1e-9)
    both = [explain(model, X, background=rows, **exact) for rows in ("support", X)]
    ranks = [np.argsort(one.importance().mean(axis=1)) for one in both]
    assert ranks[0].tolist() == ranks[1].tolist()


def test_many_rows_are_compared_with_fewer_support_vectors():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 3)), np.arange(150) % 2
    model = SVC().fit(X, y)
    assert len(model.support_vectors_) > 100
    own = reader.Reader(model)
    assert [len(own.read_background("support", n)) for n in (1, 10**9)] == [100, 10]
    assert_allclose(own.read_background("support", 1), own.read_background("support", 2))
    with pytest.raises(ValueError, match="must be rows, None or 'support', got 'all'"):
        explain(model, X[:3], background="all")


COSTS = (1.0 + np.arange(16.0).reshape(4, 4)) * (1 - np.eye(4))
FOUR = np.where(np.arange(178) % 5 == 0, 3, load_wine().target)  # four classes
WHAT_IS_SHOWN = [
    TunedSVC("rbf", Cs=[1.0, 10.0]),
    TunedSVC("rbf", Cs=[1.0, 10.0], decision_function_shape="ovo"),
    TunedSVC("rbf", Cs=[1.0, 10.0], multiclass="ovr"),
    TunedSVC("rbf", Cs=[1.0, 10.0], multiclass="ovr-fuzzy"),
    TunedSVC("rbf", Cs=[1.0, 10.0], predict_by="decision"),
    TunedSVC("rbf", Cs=[1.0, 10.0], costs=COSTS),
    SVC(),
    SVC(decision_function_shape="ovo"),
    SVC(multiclass="ovr"),
    NystroemSVC(n_components=20),
]


@pytest.mark.parametrize("model", WHAT_IS_SHOWN, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_default_adds_up_to_what_decision_function_returns(model, n_classes):
    X = StandardScaler().fit_transform(load_wine().data[:, :4])
    rows = n_classes > FOUR
    if getattr(model, "costs", None) is not None:
        model = clone(model).set_params(costs=np.array([[0.0, 3.0], [1.0, 0.0]]) if n_classes == 2 else COSTS)
    model = clone(model).fit(X[rows], FOUR[rows])
    shown = model.decision_function(X[:5])
    is_sum = n_classes == 2 or model.machines_ == "ovr" or model.decision_function_shape == "ovo"
    is_sum = is_sum and (n_classes == 2 or getattr(model, "costs", None) is None)
    for background in (None, X[50:60]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = explain(model, X[:5], background=background)
        assert found.is_exact == is_sum
        assert is_sum or "decision values are no sums" in str(caught[-1].message)
        assert found.output == "decision"
        assert_allclose(found.values.sum(axis=1) + found.base_values, shown, atol=1e-9)
        assert len(found.output_names) == (0 if n_classes == 2 else shown.shape[1])
    if not is_sum:
        with pytest.raises(IncompatibleError, match="Use output='probability-log-odds' or"):
            explain_pairs(model, X[:5])


def test_estimates_of_decision_values_are_those_over_all_subsets():
    X = StandardScaler().fit_transform(load_wine().data[:, :3])
    model = TunedSVC("rbf", Cs=[1.0]).fit(X, FOUR)
    with pytest.warns(KernelwiseWarning, match="no sums over machines"):
        found = explain(model, X[:1], background=X[40:50], n_orders=2000)
    expected = by_subsets(
        background_value(model, X[0], X[40:50], lambda one, rows: one.decision_function(rows)), 3
    )
    assert (np.abs(found.values[0] - expected) <= 5.0 * found.standard_errors[0] + 1e-9).all()


# -- widths of intervals ------------------------------------------------------------------------------------


def uneven(n=200):
    """Numbers whose noise depends on the second column and on what is predicted."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(n, 3))
    mean = 30.0 * (2.0 + X[:, 0])
    return X, mean + (0.02 * mean + 4.0 * (X[:, 1] > 0.3)) * rng.normal(size=n)


def log_width(model, rows, predictions):
    """Of rows whose predictions may be those of other rows."""
    Z = model.scaler_.transform(rows)
    spread = model._spread(Z, (predictions - model.target_mean_) / model.target_scale_)
    return np.log(2.0 * model._spreads_within(0.9) * model.target_scale_ * spread)


@pytest.mark.parametrize("kernel", ["rbf", "auto", "poly"])
def test_widths_are_explained_by_columns_and_the_prediction(kernel):
    X, y = uneven()
    model = TunedSVR(kernel).fit(X, y)
    rows, background = X[:3], X[100:107]
    found = explain(model, rows, background=background, output="log-width")
    assert found.is_exact  # whatever the kernel of the machine is
    assert found.feature_names == ["column 0", "column 1", "column 2", "the prediction"]
    low, high = model.predict_interval(rows, 0.9).T
    assert_allclose(found.values.sum(axis=1) + found.base_values, np.log(high - low), atol=1e-9)
    assert_allclose(found.data[:, -1], model.predict(rows), rtol=1e-12)
    absent = model.predict(background)

    def value(columns):
        mixed = background.copy()
        own = [k for k in columns if k < 3]
        mixed[:, own] = rows[0, own]
        predictions = np.full(7, model.predict(rows[:1])[0]) if 3 in columns else absent
        return log_width(model, mixed, predictions).mean()

    assert np.ptp(found.values[0]) > 0.01
    assert_allclose(found.values[0], by_subsets(value, 4), atol=1e-9)
    own = explain(model, rows, output="log-width")
    assert own.value_function == "kernel"
    assert_allclose(own.values.sum(axis=1) + own.base_values, np.log(high - low), atol=1e-9)


def test_the_column_of_the_noise_makes_intervals_wide():
    X, y = uneven(600)
    found = explain(TunedSVR("rbf").fit(X, y), X[:100], background="support", output="log-width")
    assert found.feature_names[found.importance().argmax()] == "column 1"
    assert np.mean(found.values[X[:100, 1] > 0.5, 1]) > 0.1
    assert np.mean(found.values[X[:100, 1] < 0.0, 1]) < -0.1


def test_widths_of_words_and_of_a_scaler_that_mixes_columns():
    X, y = uneven()
    frame = pd.DataFrame({"a": X[:, 0], "noisy": np.where(X[:, 1] > 0.3, "yes", "no")})
    model = TunedSVR("rbf").fit(frame, y)
    found = explain(model, frame[:2], background=frame[50:60], output="log-width")
    assert found.feature_names == ["a", "noisy", "the prediction"]
    widths = np.log(np.diff(model.predict_interval(frame[:2], 0.9), axis=1)[:, 0])
    assert_allclose(found.values.sum(axis=1) + found.base_values, widths, atol=1e-9)
    model = TunedSVR("rbf", scale=make_pipeline(StandardScaler(), PCA(2))).fit(X, y)
    with pytest.warns(KernelwiseWarning, match="may mix columns"):
        found = explain(model, X[:2], background=X[50:60], output="log-width")
    assert found.standard_errors.shape == (2, 4)
    widths = np.log(np.diff(model.predict_interval(X[:2], 0.9), axis=1)[:, 0])
    assert_allclose(found.values.sum(axis=1) + found.base_values, widths, atol=1e-9)


def test_models_without_intervals_have_no_width(cancer):
    X, y = uneven(60)
    for model in (SVR().fit(X, y), SVC().fit(*cancer)):
        with pytest.raises(ValueError, match="'output' of explain must be one of"):
            explain(model, X if len(model.support_vectors_[0]) == 3 else cancer[0], output="log-width")
    with pytest.raises(IncompatibleError, match="this TunedSVR predicts quantiles"):
        explain(TunedSVR("rbf", quantile=0.5, Cs=[1.0]).fit(X, y), X, output="log-width")


def test_widths_of_a_model_of_logarithms_are_no_sums():
    X, y = uneven()
    model = TunedSVR("rbf", target_transform="log").fit(X, np.exp(y / np.abs(y).max()))
    with pytest.raises(IncompatibleError, match="has learned the logarithm of the target"):
        explain(model, X[:2], output="log-width")
