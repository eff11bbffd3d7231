"""What must not change an answer, promised of every machine: hypothesis draws the data and the change.

The data are small and lie on a coarse grid, so that rows repeat and distances tie: what is not meant to
matter shows there first. Whole searches are compared to the bit, single machines at a small tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise import (
    SVC,
    SVR,
    DistanceSketch,
    NystroemOneClassSVM,
    NystroemSVC,
    NystroemSVR,
    OneClassSVM,
    TunedOneClassSVM,
    TunedSVC,
    TunedSVR,
    load,
)
from kernelwise.kernels import RBF
from kernelwise.solvers import one_class_path, solve_one_class, solve_svm_dual, svm_path

pytestmark = [
    # A few rows of noise: what the search has to say about them is tested elsewhere.
    pytest.mark.filterwarnings("ignore::kernelwise.exceptions.BoundaryWarning"),
    pytest.mark.filterwarnings("ignore:.*models stopped before they converged"),
    pytest.mark.filterwarnings("ignore:Platt's sigmoid did not converge"),
]
few = settings(max_examples=4, deadline=None, derandomize=True, database=None)
many = settings(max_examples=20, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)
CS = [0.5, 8.0]
CLASSIFIERS = (
    SVC(C=4.0, tol=1e-10),
    SVC(C=4.0, tol=1e-10, multiclass="ovr"),
    SVC(C=4.0, tol=1e-10, loss="logistic"),
    NystroemSVC(C=4.0, n_components=8),
    NystroemSVC(n_components=12),  # which chooses C
)
REGRESSORS = (
    SVR(C=4.0, tol=1e-10),
    NystroemSVR(C=4.0, n_components=8),
    NystroemSVR(n_components=12),  # which chooses C
)
DETECTORS = (OneClassSVM(nu=0.3, tol=1e-10), NystroemOneClassSVM(nu=0.3, n_components=8, tol=1e-10))
#: Chosen by cross-validation; everything about the choice must be the same.
OF_CLASSES = tuple(TunedSVC("rbf", Cs=CS, cv=3, loss=loss) for loss in ("hinge", "squared_hinge", "logistic"))
SEARCHES = (*OF_CLASSES, TunedSVR("rbf", Cs=CS, epsilons=0.1, cv=3), TunedOneClassSVM(cv=3))


def drawn(seed, n=30, n_classes=3):
    """Random rows on a coarse grid, labels of classes that all occur, targets, and weights from 1 to 3."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = np.round(2 * (random.normal(size=(n, 3)) + y[:, None])) / 2
    return random, X, y, X.sum(axis=1) + np.round(random.normal(size=n), 1), random.integers(1, 4, n)


def fit(model, X, y, weight=None):
    """A fitted copy of the model."""
    return type(model)(**model.get_params(deep=False)).fit(X, y, sample_weight=weight)


def values(model, X):
    """What a machine answers, before it is rounded to a label."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def assert_same_answers(one, other, X, X_other=None):
    """The same choice and the same bits for a search, the same values within a tolerance for a machine."""
    ours, theirs = values(one, X), values(other, X if X_other is None else X_other)
    if hasattr(one, "best_score_"):
        assert one.best_params_ == other.best_params_
        assert_array_equal(ours, theirs)
    else:
        assert_allclose(ours, theirs, atol=1e-7)


def each(data):
    """Every model with the targets that it learns."""
    _, _, y, targets, _ = data
    yield from ((model, y) for model in (*CLASSIFIERS, *OF_CLASSES))
    yield from ((model, targets) for model in (*REGRESSORS, SEARCHES[-2]))
    yield from ((model, None) for model in (*DETECTORS, SEARCHES[-1]))


def some(y, rows):
    """The targets of some rows; detectors have none."""
    return None if y is None else y[rows]


@few
@given(seeds)
def test_the_order_of_rows(seed):
    data = random, X, *_ = drawn(seed)
    order = random.permutation(len(X))
    for model, y in each(data):
        assert_same_answers(fit(model, X, y), fit(model, X[order], some(y, order)), X)


@few
@given(seeds)
def test_a_weight_is_a_number_of_copies(seed):
    data = random, X, *_ = drawn(seed)
    weight = random.integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    for model, y in each(data):
        assert_same_answers(fit(model, X, y, weight), fit(model, X[rows], some(y, rows)), X)


@few
@given(seeds, st.permutations(["a", "B", "z z"]))
def test_the_names_of_classes(seed, names):
    _, X, y, *_ = drawn(seed)
    names = np.array(names)
    for model in (*CLASSIFIERS, *OF_CLASSES):
        plain, named = fit(model, X, y), fit(model, X, names[y])
        assert_array_equal(named.predict(X), names[plain.predict(X)])


@few
@given(seeds, st.integers(-40, 40), st.integers(-8, 8))
def test_the_unit_of_the_features(seed, exponent, shift):
    """A power of two changes no digit, and what the machines compare are distances: nothing may change."""
    data = _, X, *_ = drawn(seed)
    X_other = np.ldexp(X + shift, exponent)
    for model, y in each(data):
        if isinstance(model, (TunedSVC, TunedSVR, TunedOneClassSVM)):
            one, other = fit(model, X, y), fit(model, X_other, y)
            assert one.best_index_ == other.best_index_
            assert_allclose(values(one, X), values(other, X_other), atol=1e-6)
        elif isinstance(model, (SVC, SVR, OneClassSVM)):  # gamma="scale"
            assert_same_answers(fit(model, X, y), fit(model, X_other, y), X, X_other)


@few
@given(seeds)
def test_a_saved_model_is_the_model(tmp_path_factory, seed):
    data = _, X, *_ = drawn(seed)
    path = tmp_path_factory.mktemp("models") / "model.npz"
    for model, y in each(data):
        fitted = fit(model, X, y)
        fitted.save(path)
        assert_array_equal(values(load(path), X), values(fitted, X))


@many
@given(seeds, st.lists(st.floats(0.01, 1e4), min_size=1, max_size=4, unique=True))
def test_a_path_is_its_single_machines(seed, Cs):
    """Warm starts, shortcuts and the exact end of the path lead where every machine alone is led."""
    _, X, y, _, weight = drawn(seed, n=24, n_classes=2)
    K, test = RBF(0.3)(X), np.arange(24) % 4 == 0
    train = np.flatnonzero(~test)
    path = svm_path(K, y, Cs, [(train, np.flatnonzero(test))], sample_weight=weight, tol=1e-9)
    for k, C in enumerate(Cs):
        alone = solve_svm_dual(K[np.ix_(train, train)], y[train], C, sample_weight=weight[train], tol=1e-9)
        expected = K[np.ix_(test, train)] @ alone.beta + alone.intercept
        assert path.objective[k, 0, 0] == pytest.approx(alone.objective, rel=1e-6)
        # Equal rows of both classes leave an interval of intercepts: compare differences, which have none.
        found = path.decision[k, test]
        assert_allclose(found - found[0], expected - expected[0], atol=1e-5)


@many
@given(seeds, st.lists(st.floats(0.05, 1.0), min_size=1, max_size=4, unique=True))
def test_a_path_of_detectors_is_its_single_machines(seed, nus):
    _, X, *_, weight = drawn(seed, n=24)
    K, test = RBF(0.3)(X), np.arange(24) % 4 == 0
    train = np.flatnonzero(~test)
    options = {"tol": 1e-10}
    path = one_class_path(K, nus, [(train, np.flatnonzero(test))], sample_weight=weight, **options)
    for k, nu in enumerate(nus):
        whole = solve_one_class(K, nu, sample_weight=weight, **options)
        assert_allclose(path.scores[k], K @ whole.beta, atol=1e-6)
        alone = solve_one_class(K[np.ix_(train, train)], nu, sample_weight=weight[train], **options)
        # Where a share is a whole number of rows, an interval of offsets is as good: compare differences.
        found, expected = path.held_out[k, test], K[np.ix_(test, train)] @ alone.beta
        assert_allclose(found - found[0], expected - expected[0], atol=1e-6)


@many
@given(seeds, st.integers(2, 5), st.sampled_from([None, 4]))
def test_merged_shares_are_the_sketch(seed, n_parts, n_groups):
    random, X, y, _, weight = drawn(seed)
    options = {"sample_weight": weight, "n_groups": n_groups}
    whole = DistanceSketch.from_data(X, y, **options)
    shares = [DistanceSketch.from_data(X, y, part=(k, n_parts), **options) for k in range(n_parts)]
    random.shuffle(shares)
    merged = shares[0]
    for share in shares[1:]:
        merged = merged.merge(share)
    gammas = np.geomspace(1e-3, 1e2, 7)
    for name in ("S", "n"):
        assert_allclose(getattr(merged.sums(gammas), name), getattr(whole.sums(gammas), name), rtol=1e-12)


@few
@given(seeds, st.sampled_from([None, 4]))
def test_a_saved_sketch_is_the_sketch(tmp_path_factory, seed, n_groups):
    _, X, y, _, weight = drawn(seed)
    path = tmp_path_factory.mktemp("sketches") / "sketch.npz"
    sketch = DistanceSketch.from_data(X, y, sample_weight=weight, n_groups=n_groups)
    sketch.save(path)
    gammas = np.geomspace(1e-3, 1e2, 7)
    for name in ("dbtc", "esdr", "kta"):
        assert_array_equal(DistanceSketch.load(path).curve(name, gammas), sketch.curve(name, gammas))
