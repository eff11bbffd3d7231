"""Rows that are near copies of each other are found, kept in one fold, and told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from kernelwise import TunedSVC, TunedSVR, diagnose
from kernelwise._core.equal_points import row_hashes
from kernelwise.exceptions import TrustWarning
from kernelwise.search.data.together import NEIGHBOUR, canonical_groups, chance_of, near_copies

NAME = "near copies"
TRIPLE = np.repeat(np.arange(50), 3)


def triples(noise, n_columns=5, seed=0):
    """50 random rows, each three times with noise."""
    random = np.random.default_rng(seed)
    return random.normal(size=(50, n_columns))[TRIPLE] + noise * random.normal(size=(150, n_columns))


def groups_of(X):
    """The groups of rows of a table without scale."""
    return near_copies(StandardScaler().fit_transform(X), row_hashes(X)[0])


def quiet(model, *args, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrustWarning)
        return model.fit(*args, **more)


def told(model):
    return [finding for finding in model.diagnostics_ if finding.name == NAME]


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_chance_of_a_near_neighbour_is_that_of_random_points_in_a_ball(dimension):
    random = np.random.default_rng(0)
    n_draws = 200_000
    # The distance of a uniform point of a ball from its centre is U^(1/m).
    nearest = random.random((n_draws, NEIGHBOUR - 1)).min(axis=1) ** (1.0 / dimension)
    for closeness in (0.05, 0.2, 0.5, 0.8):
        expected = float(chance_of(np.array(closeness), dimension))
        error = np.sqrt(expected * (1 - expected) / n_draws)
        assert abs((nearest <= closeness).mean() - expected) < 4 * error + 1e-12
    assert chance_of(np.array([0.0, 1.0]), dimension) == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("n_columns", [2, 5, 20])
@pytest.mark.parametrize("noise", [1e-9, 1e-6, 1e-3])
def test_copies_with_noise_are_found(noise, n_columns):
    found = groups_of(triples(noise, n_columns))
    assert found is not None
    assert np.array_equal(canonical_groups(found, np.arange(150)), TRIPLE)


def test_copies_with_much_noise_are_found_in_many_columns():
    assert np.array_equal(canonical_groups(groups_of(triples(0.1, 20)), np.arange(150)), TRIPLE)
    few = groups_of(triples(0.1, 5))
    together = few[:, None] == few
    assert not (together & (TRIPLE[:, None] != TRIPLE)).any()
    assert together.sum() > 0.8 * (TRIPLE[:, None] == TRIPLE).sum()


def test_some_copies_among_many_rows_are_found():
    X = np.random.default_rng(0).normal(size=(500, 4))
    copies = X[:20] + 1e-4
    found = groups_of(np.concatenate([X, copies]))
    assert np.array_equal(found[:20], found[500:])
    assert len(np.unique(found)) == 500
    assert groups_of(np.concatenate([X, copies[:3]])) is None  # too few to matter


def test_rows_that_differ_in_words_alone_do_not_hide_the_copies_of_others():
    X = np.random.default_rng(0).normal(size=(500, 4))
    in_one_place = np.repeat(X[-1:], NEIGHBOUR + 2, axis=0)
    word = np.append(np.zeros(520), np.arange(NEIGHBOUR + 2) + 1.0)
    found = groups_of(np.column_stack([np.concatenate([X, X[:20] + 1e-4, in_one_place]), word]))
    assert np.array_equal(found[:20], found[500:520])
    assert len(np.unique(found)) == len(word) - 20


def test_words_of_copies_are_the_same():
    X = np.column_stack([triples(1e-3), TRIPLE % 3, TRIPLE % 2])
    assert np.array_equal(canonical_groups(groups_of(X), np.arange(150)), TRIPLE)
    X[:, -1] = np.arange(150) % 3
    assert groups_of(X) is None


def test_the_order_of_rows_and_columns_and_their_units_do_not_matter():
    X = triples(0.1)
    found = groups_of(X)
    order = np.random.default_rng(1).permutation(150)
    other = groups_of(X[order][:, ::-1] * np.array([1e-3, 7.0, 1.0, 1e6, 30.0]) + 5.0)
    assert np.array_equal(
        canonical_groups(other, np.arange(150)), canonical_groups(found[order], np.arange(150))
    )


def draws():
    """Tables without near copies."""
    random = np.random.default_rng(0)
    for n in (60, 200, 1000):
        for d in (2, 5, 20):
            yield random.normal(size=(n, d))
            yield random.random((n, d))
            yield np.exp(random.normal(size=(n, d)))
            yield random.standard_t(3, size=(n, d))
            yield np.cumsum(random.normal(size=(n, d)), axis=0)  # a way through space
            yield np.round(random.normal(size=(n, d)), 2)
            yield np.round(random.normal(size=(n, d)), 1)
            yield random.integers(0, 5, size=(n, d))
            yield np.column_stack([random.normal(size=n), random.integers(0, 3, size=(n, d))])
            yield np.tanh(random.normal(size=(n, 2)) @ random.normal(size=(2, d)))  # a surface


def test_nothing_is_found_by_chance():
    assert [k for k, X in enumerate(draws()) if groups_of(X) is not None] == []


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_nothing_is_found_in_real_tables(load):
    assert groups_of(load(return_X_y=True)[0]) is None
    assert groups_of(make_moons(300, noise=0.1, random_state=0)[0]) is None


def test_nothing_is_said_of_sparse_or_few_rows_and_of_one_column():
    X = triples(1e-3)
    assert near_copies(sparse.csr_array(X), np.arange(150)) is None
    assert groups_of(X[:39]) is None
    assert groups_of(X[:, :1]) is None


def test_many_rows_in_one_place_are_no_copies_of_one():
    random = np.random.default_rng(0)
    X = random.normal(size=(8, 3))[np.repeat(np.arange(8), 30)] + 1e-3 * random.normal(size=(240, 3))
    assert groups_of(X) is None


@pytest.mark.parametrize("cv", ["auto", 3])
def test_a_fit_keeps_them_in_one_fold_as_groups_are(cv):
    X, y = triples(1e-3), np.random.default_rng(3).integers(0, 2, 50)[TRIPLE]
    model = TunedSVC("rbf", cv=cv)
    with pytest.warns(TrustWarning, match="150 rows are near copies of each other, in 50 groups"):
        model.fit(X, y)
    assert model.best_score_ < 0.7  # 0.96 if folds part them
    (finding,) = told(model)
    assert finding.severity == "warning"
    assert "as groups" in finding.advice
    assert "--group" in finding.option
    grouped = quiet(TunedSVC("rbf", cv=cv), X, y, groups=TRIPLE)
    assert grouped.best_score_ == model.best_score_
    assert not told(grouped)
    assert not told(quiet(TunedSVC("rbf", cv=KFold(3, shuffle=True)), X, y))


def test_a_fit_depends_neither_on_order_nor_on_names_nor_on_units():
    X, y = triples(0.05), np.random.default_rng(3).integers(0, 2, 50)[TRIPLE]
    model = quiet(TunedSVC("rbf"), X, y)
    order = np.random.default_rng(1).permutation(150)
    units = np.array([1e-3, 7.0, 1.0, 1e6, 30.0])
    other = quiet(TunedSVC("rbf"), X[order] * units, np.array(["z", "a"])[y[order]])
    assert [one.message for one in told(model)] == [one.message for one in told(other)] != []
    assert (model.best_score_, model.C_) == (other.best_score_, other.C_)
    assert other.kernel_.gamma == pytest.approx(model.kernel_.gamma, rel=1e-6)


def test_a_regression_keeps_them_in_one_fold():
    X, y = triples(1e-3), np.random.default_rng(3).normal(size=50)[TRIPLE]
    model = quiet(TunedSVR("rbf"), X, y)
    assert model.best_score_ < 0.3
    assert told(model)


def test_a_class_that_is_one_group_of_copies():
    X, y = triples(1e-3), np.random.default_rng(3).integers(0, 2, 50)[TRIPLE]
    for labels in (np.where(TRIPLE == 4, 2, y), np.where(TRIPLE == 4, 1, 0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = TunedSVC("rbf").fit(X, labels)
        assert told(model)
        assert len(model.predict(X)) == 150


def test_weights_are_as_repeated_rows():
    X, y = triples(1e-3), np.random.default_rng(3).integers(0, 2, 50)[TRIPLE]
    twice = np.concatenate([X, X[:30]]), np.concatenate([y, y[:30]])
    weighted = quiet(TunedSVC("rbf"), X, y, sample_weight=1.0 + (np.arange(150) < 30))
    assert quiet(TunedSVC("rbf"), *twice).best_score_ == weighted.best_score_


def test_more_folds_than_groups():
    X, y = triples(1e-3), (np.arange(50) % 2)[TRIPLE]
    assert quiet(TunedSVC("rbf", cv=60), X, y).n_splits_ == 50


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_diagnose_tells_of_them(task):
    X, y = triples(1e-3), np.random.default_rng(3).integers(0, 2, 50)[TRIPLE]
    found = [one for one in diagnose(X * 1e6, y, task=task) if one.name == NAME]
    assert len(found) == 1
    assert not [one for one in diagnose(X[::3], y[::3], task=task) if one.name == NAME]
