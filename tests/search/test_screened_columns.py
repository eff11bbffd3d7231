"""Columns that have nothing to do with the target: who is screened, without a leak, and what it gains."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer

from kernelwise import TunedSVC, TunedSVR
from kernelwise.criteria.columns import screened_weights
from kernelwise.datasets import make_weston
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose import forms, gradient_metric
from kernelwise.search.propose.gradient_metric import screened_products, weighted


def weston(n, n_noise=198, seed=0):
    X, y = make_weston(n, n_noise=n_noise, random_state=seed)
    return X / X.std(axis=0), (y > 0).astype(int)


def numbers(n, d=32, seed=0):
    """Three columns matter; the mean of the target shows one of them only."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1.0, 1.0, size=(n, d))
    y = X[:, 3] * np.cos(2.0 * X[:, 4]) + 0.5 * X[:, 3] * X[:, 7]
    return X, y / y.std() + 0.2 * random.normal(size=n)


def test_weights_are_those_of_each_training_part_and_of_all_rows(make_validator, in_turn):
    Z, y = weston(90, 58)
    validator = make_validator(Z, y, cv=in_turn(90))
    products = screened_products(validator)
    assert len(products) == len(validator.folds) + 1
    parts = [*(train for train, _ in validator.folds), np.arange(90)]
    for found, rows in zip(products, parts, strict=True):
        expected = screened_weights(Z[rows], y[rows], np.ones(len(rows)), are_classes=True)
        assert_array_equal(found, expected)
        assert found[0] > 0.0


def test_a_fold_knows_nothing_of_what_it_holds_out(make_validator, in_turn):
    """Other values and classes of the rows that a fold holds out leave its weights as they are."""
    Z, y = weston(90, 58)
    first = make_validator(Z, y, cv=in_turn(90))
    _, test = first.folds[0]
    changed, labels = Z.copy(), y.copy()
    changed[test], labels[test] = changed[test][::-1] * 3.0, 1 - labels[test]
    second = make_validator(changed, labels, cv=in_turn(90))
    before, after = screened_products(first), screened_products(second)
    assert_array_equal(before[0], after[0])
    assert not np.array_equal(before[1], after[1])
    assert not np.array_equal(before[-1], after[-1])


def test_columns_weigh_the_same_in_a_fold_in_which_none_is_found(make_validator, monkeypatch):
    def nothing_without_a_fold(Z, *arguments, **settings):
        found = screened_weights(Z, *arguments, **settings)
        return found if len(Z) == 120 else 0.0 * found

    monkeypatch.setattr(gradient_metric, "screened_weights", nothing_without_a_fold)
    Z, y = weston(120, 58)
    Z[:, 7] = 3.0
    validator = make_validator(Z, y)
    *by_fold, final = screened_products(validator)
    for one in by_fold:
        assert_array_equal(one, np.where(np.arange(60) == 7, 0.0, 1.0))
    assert 0 < (final > 0.0).sum() < 30
    kernels = weighted(RBF(0.1), [*by_fold, final])
    assert np.isfinite(kernels.by_fold[0].q).all()


def test_few_columns_columns_that_all_matter_and_no_time_are_not_screened(make_validator):
    Z, y = weston(120, 17)
    assert screened_products(make_validator(Z, y)) is None  # 19 columns
    X, cancer = load_breast_cancer(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert screened_products(make_validator(Z[:200], cancer[:200])) is None
    Z, y = weston(120, 58)
    deadline = Deadline(1e-6)
    assert screened_products(make_validator(Z, y, deadline=deadline)) is None
    assert deadline.skipped == ["alignment of the columns"]
    assert screened_products(make_validator(Z, y)) is not None


def test_many_columns_have_fewer_rows(make_validator, monkeypatch):
    asked = []

    def weights(Z, *arguments, **settings):
        asked.append(len(Z))
        return screened_weights(Z, *arguments, **settings)

    monkeypatch.setattr(gradient_metric, "screened_weights", weights)
    monkeypatch.setattr(gradient_metric, "MOST_PAIRS", 30 * 250**2)
    monkeypatch.setattr(gradient_metric, "FEW_ROWS", 100)
    Z, y = weston(600, 28)
    assert screened_products(make_validator(Z, y)) is not None
    assert_allclose(asked, [100] + [250] * (len(asked) - 1), atol=2)


def test_classes_that_two_of_two_hundred_columns_tell():
    X, y = weston(500)
    model = TunedSVC().fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.93  # 0.64 by the gradients of a plain machine
    assert set(np.argsort(-model.relevance_)[:2]) == {0, 1}
    assert model.result_.forms["screened rbf"] > model.result_.forms["rbf"] + 0.2
    (finding,) = (one for one in model.diagnostics_ if one.name == "screened columns")
    n_found = int(finding.message.split()[0])
    assert f"{n_found} of 200 columns have to do with the target by more than chance." in finding.message
    assert 2 <= n_found < 20
    assert any("centred alignment of its own kernel with the target" in one for one in model.result_.how)
    page = model.report()
    assert f"{finding.message} The weights started from the centred alignment of these columns" in page


def test_numbers_that_three_of_thirty_two_columns_tell():
    X, y = numbers(700)
    model = TunedSVR().fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.92
    assert set(np.argsort(-model.relevance_)[:3]) == {3, 4, 7}
    assert "screened columns" in [one.name for one in model.diagnostics_]


@pytest.mark.parametrize("kernel", ["diagonal", "diagonal-laplacian", "gaussian"])
def test_a_metric_that_is_asked_for_starts_from_screened_columns_too(kernel):
    X, y = weston(700, 28)
    model = TunedSVC(kernel).fit(X[:550], y[:550])  # more rows than weights are learned by alignment on
    assert "alignment of the columns" in model.result_.forms
    assert model.score(X[550:], y[550:]) > 0.92


def test_screened_columns_run_the_race(monkeypatch):
    monkeypatch.setattr(forms, "FIRST_ROWS", 150)
    X, y = weston(500, 58)
    model = TunedSVC().fit(X[:400], y[:400])
    assert model.result_.how[0].startswith("All forms competed on 150 rows first.")
    assert "screened rbf" in model.result_.forms
    assert model.score(X[400:], y[400:]) > 0.92


def given(weights):
    """Instead of `screened_products`: the same weights without every fold."""
    return lambda validator: [np.asarray(weights)] * (len(validator.folds) + 1)


#: All weight on a column that is noise, and a little more on the two that matter.
NOISE, LITTLE = np.eye(22)[-1], np.where(np.arange(22) < 2, 1.2, 1.0)


@pytest.mark.parametrize(("weights", "gains"), [(NOISE, False), (LITTLE, True)])
def test_the_plain_machine_gives_the_weights_unless_screened_columns_are_clearly_better(
    monkeypatch, weights, gains
):
    """The form is tried, is worse or better by less than one standard error, and nothing starts from it."""
    X, y = weston(200, 20)
    plain = TunedSVC().fit(X[:, :19], y)
    monkeypatch.setattr(forms, "screened_products", given(weights))
    model = TunedSVC().fit(X, y)
    tried = model.result_.forms
    assert (tried["screened rbf"] > tried["rbf"]) == gains
    assert tried["screened rbf"] < tried["rbf"] + np.sqrt(0.25 * 0.75 / 200)
    assert "screened columns" not in [one.name for one in model.diagnostics_]
    assert not any("centred alignment" in one for one in model.result_.how)
    assert "screened rbf" not in plain.result_.forms


def test_screened_columns_that_gain_nothing_on_few_rows_leave_the_race(monkeypatch):
    X, y = weston(500, 20)
    monkeypatch.setattr(forms, "FIRST_ROWS", 150)
    monkeypatch.setattr(forms, "screened_products", given(NOISE))
    raced = TunedSVC().fit(X, y)
    assert raced.result_.how[0].startswith("All forms competed on 150 rows first.")
    monkeypatch.setattr(forms, "screened_products", lambda validator: None)
    plain = TunedSVC().fit(X, y)
    assert raced.result_.forms == plain.result_.forms
    assert_array_equal(raced.decision_function(X), plain.decision_function(X))


@pytest.mark.filterwarnings("ignore", category=KernelwiseWarning)
def test_random_labels_are_not_learned_from_five_hundred_columns_of_noise():
    """Weights that had seen what they are scored on claim 61 to 75 % here; honest ones claim a half."""
    errors, screened = [], []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(200, 500)), random.permutation(np.arange(200) % 2)
        result = TunedSVC().fit(X, y).result_
        assert "screened rbf" in result.forms
        errors.append((result.corrected_score - 0.5) / result.standard_error)
        screened.append(result.forms["screened rbf"])
    assert np.abs(errors).max() < 2.5
    assert abs(np.mean(errors)) < 1.5
    assert np.mean(screened) < 0.58


def test_orders_units_names_and_copies_do_not_matter():
    X, y = weston(120, 28)
    values = TunedSVC().fit(X, y).decision_function(X)
    random = np.random.default_rng(0)
    order = random.permutation(120)
    assert_array_equal(TunedSVC().fit(X[order], y[order]).decision_function(X), values)
    places, units = random.permutation(30), 10.0 ** random.integers(-3, 4, size=30)
    moved = X[:, places] * units
    assert_allclose(TunedSVC().fit(moved, y).decision_function(moved), values, atol=1e-9)
    assert_allclose(TunedSVC().fit(X, 1 - y).decision_function(X), -values, atol=1e-9)
    repeated = TunedSVC().fit(np.vstack([X, X[:9]]), np.append(y, y[:9]))
    counted = TunedSVC().fit(X, y, sample_weight=1.0 + (np.arange(120) < 9))
    assert "screened rbf" in counted.result_.forms
    assert_array_equal(repeated.decision_function(X), counted.decision_function(X))


def test_a_column_of_words_is_one_column():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.normal(size=(150, 22)), columns=[f"c{k}" for k in range(22)])
    frame["word"] = random.choice(["a", "b", "c"], size=150)
    y = np.sin(2.0 * frame["c3"]) + (frame["word"] == "a") + 0.1 * random.normal(size=150)
    model = TunedSVR().fit(frame, y)
    (finding,) = (one for one in model.diagnostics_ if one.name == "screened columns")
    assert "of 23 columns" in finding.message
    assert set(frame.columns[np.argsort(-model.relevance_)[:2]]) == {"c3", "word"}


def test_large_weights_are_no_signal():
    """A weight of 20 for each row once let nearly all columns of noise pass, and screening was given up."""
    X, y = weston(120, 58)
    expected = TunedSVC().fit(X, y)
    found = TunedSVC().fit(X, y, sample_weight=np.full(120, 20.0))
    assert "screened rbf" in found.result_.forms
    told = [one for one in found.diagnostics_ if one.name == "screened columns"]
    assert told == [one for one in expected.diagnostics_ if one.name == "screened columns"]
    assert told
