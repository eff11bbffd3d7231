"""Logarithms of targets: undone in predictions and scores, judged on held-out rows, never by default."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

from kernelwise import TunedSVR, load
from kernelwise.exceptions import IncompatibleError
from kernelwise.explanation import explain

RNG = np.random.default_rng(2)
X = RNG.uniform(-1.0, 1.0, size=(150, 3)).round(3)
Y = np.exp(1.5 * X[:, 0] + X[:, 1] + 0.3 * RNG.normal(size=150)).round(3)
#: A search with nothing to choose.
PLAIN = {"kernel": "linear", "Cs": [1.0], "epsilons": [0.1], "cv": 3}


@pytest.mark.parametrize(("y", "offset"), [(Y, 0.0), (np.floor(Y), 1.0)])
def test_predictions_are_those_of_the_logarithms_undone(y, offset):
    model = TunedSVR(**PLAIN, target_transform="log").fit(X, y)
    of_logarithms = TunedSVR(**PLAIN).fit(X, np.log(y + offset))
    assert model.target_offset_ == offset
    undone = np.exp(of_logarithms.predict(X)) - offset
    np.testing.assert_allclose(model.predict(X), np.maximum(undone, 0.0))
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))


@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error"])
def test_scores_are_in_the_units_of_the_targets(scoring):
    model = TunedSVR(**PLAIN, target_transform="log", scoring=scoring).fit(X, Y)
    record = model.fit_record_
    np.testing.assert_allclose(np.sort(record.truth), np.sort(Y))
    rest = record.truth - record.predicted
    if scoring is None:
        assert model.best_score_ == pytest.approx(1 - np.mean(rest**2) / np.var(Y))
        assert model.result_.baseline.score == pytest.approx(0.0, abs=1e-6)
        assert model.result_.baseline.answer == f"always answering the mean ({Y.mean():.4g})"
    elif scoring == "neg_mean_absolute_error":
        assert model.best_score_ == pytest.approx(-np.abs(rest).mean(), rel=1e-6)  # folds of equal size
        assert "the median" in model.result_.baseline.answer
    else:
        assert model.best_score_ < 1.0


def test_the_default_is_as_it_was():
    model = TunedSVR(**PLAIN).fit(X, Y)
    assert model.target_offset_ is None
    np.testing.assert_array_equal(
        model.predict(X), model.target_mean_ + model.target_scale_ * model.machine_values(X).ravel()
    )
    del model.target_offset_  # as in a pickle of an earlier version
    assert model.score(X, Y) == pytest.approx(r2_score(Y, model.predict(X)))


def test_it_is_used_where_it_helps_and_only_there():
    long_tail = TunedSVR("rbf", target_transform="auto").fit(X, Y)
    assert long_tail.target_offset_ == 0.0
    assert long_tail.result_.score > TunedSVR("rbf").fit(X, Y).result_.score
    for y in (X[:, 0], X[:, 0] + 10.0, np.exp(RNG.normal(size=150))):  # negative, no tail, nothing to learn
        assert TunedSVR("rbf", target_transform="auto").fit(X, y).target_offset_ is None
    again = clone(long_tail).set_params(target_transform=None).fit(X, Y)
    assert again.target_offset_ is None


def test_negative_targets_and_other_words_are_refused():
    with pytest.raises(ValueError, match=r"needs targets that are not negative, but the lowest is -1\. Use"):
        TunedSVR(target_transform="log").fit(X, np.append(Y[1:], -1.0))
    with pytest.raises(ValueError, match="target_transform"):
        TunedSVR(target_transform="sqrt").fit(X, Y)


def test_it_is_kept_and_explained_and_what_cannot_undo_it_says_so(tmp_path):
    model = TunedSVR(**PLAIN, target_transform="log").fit(X, Y)
    model.save(tmp_path / "m.kw")
    np.testing.assert_array_equal(load(tmp_path / "m.kw").predict(X), model.predict(X))
    for write in (model.to_c, model.to_sklearn):
        with pytest.raises(IncompatibleError, match="predicts by logarithms of the target"):
            write()
    found = explain(model, X[:3], background=X)
    sums = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(np.exp(sums), model.predict(X[:3]))


def test_a_table_of_words_is_judged_as_it_is():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": X[:, 0], "word": np.where(X[:, 2] > 0, "yes", "no"), "b": X[:, 1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TunedSVR("rbf", target_transform="auto").fit(table, pd.Series(Y, name="price"))
    assert model.target_offset_ == 0.0


@pytest.mark.parametrize("of_no_weight", [0.0, -5.0])
def test_rows_of_weight_zero_have_no_part_in_the_logarithm(of_no_weight):
    weight, y = np.ones(150), Y.copy()
    weight[:4], y[:4] = 0.0, of_no_weight
    model = TunedSVR(**PLAIN, target_transform="log").fit(X, y, sample_weight=weight)
    without = TunedSVR(**PLAIN, target_transform="log").fit(X[4:], Y[4:])
    assert model.target_offset_ == without.target_offset_ == 0.0
    np.testing.assert_allclose(model.predict(X), without.predict(X), rtol=1e-9)
