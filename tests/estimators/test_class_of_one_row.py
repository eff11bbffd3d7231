"""A class with one row: it is trained on, never held out, and a finding says that no score knows of it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise import SVC, TunedSVC
from kernelwise.kernels import RBF

pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")


@pytest.fixture(scope="module")
def lone():
    """Two noisy classes, and one row of a third far from both."""
    random = np.random.default_rng(0)
    y = np.array(["mild"] * 20 + ["severe"] * 15 + ["rare"])
    X = random.normal(size=(36, 2)) + 1.5 * (y == "severe")[:, None]
    X[-1] = [9.0, -9.0]
    return X, y


def finding_of(model):
    return next(found for found in model.diagnostics_ if found.name == "class of one row")


def test_the_class_is_learned_and_no_score_has_it(lone):
    X, y = lone
    with pytest.warns(UserWarning, match="Class 'rare' has one row, so no score can measure how well"):
        model = TunedSVC(class_weight={"rare": 20.0}).fit(X, y)
    assert finding_of(model).severity == "warning"
    assert model.predict(X[-1:]) == ["rare"]
    assert model.fit_record_.truth.size == 35
    assert np.isfinite(model.fit_record_.probability).all()
    assert "rare" not in model.classes_[model.fit_record_.truth]
    # The share of the other rows that folds label correctly, each by models that had the rare row.
    right = model.fit_record_.predicted == model.fit_record_.truth
    assert model.best_score_ == pytest.approx(right.mean())


def test_neither_names_nor_order_matter(lone):
    X, y = lone
    order = np.random.default_rng(1).permutation(len(y))
    names = {"mild": "z", "severe": "a", "rare": "m"}
    plain = TunedSVC().fit(X, y)
    other = TunedSVC().fit(X[order][:, ::-1], np.array([names[label] for label in y[order]]))
    assert (plain.kernel_, plain.C_) == (other.kernel_, other.C_)
    assert [names[label] for label in plain.predict(X)] == other.predict(X[:, ::-1]).tolist()
    columns = [other.classes_.tolist().index(names[label]) for label in plain.classes_]
    assert_allclose(other.predict_proba(X[:, ::-1])[:, columns], plain.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "auto"},
        {"criterion": "cv-error"},
        {"multiclass": "ovr", "solver": "nystroem"},
        {"scoring": "balanced_accuracy", "refit": False},
        {
            "cv": [
                (np.arange(12, 36), np.arange(12)),
                (np.r_[:12, 24:36], np.r_[12:24]),
                (np.arange(24), np.r_[24:36]),
            ]
        },
    ],
    ids=["auto", "criterion", "nystroem", "no final model", "folds given"],
)
def test_every_way_of_choosing_takes_it(lone, settings):
    X, y = lone
    model = TunedSVC(**settings).fit(X, y)
    assert "'rare'" in finding_of(model).message
    if "refit" not in settings:
        assert set(model.predict(X)) <= set(model.classes_)
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_a_gram_matrix(lone):
    X, y = lone
    K = RBF(0.3)(X)
    model = TunedSVC("precomputed").fit(K, y)
    assert "'rare'" in finding_of(model).message
    assert_allclose(model.predict_proba(K).sum(axis=1), 1.0)


def test_all_other_rows_of_one_class(lone):
    """Criteria take the only row for two; those that hold out rows themselves say that they cannot."""
    X, y = (part[lone[1] != "severe"] for part in lone)
    for kernel in ("auto", "poly"):
        assert "'rare'" in finding_of(TunedSVC(kernel, criterion="centered-kta").fit(X, y)).message
    with pytest.raises(ValueError, match="cv-error holds out rows of each class, but only one class has two"):
        TunedSVC(criterion="cv-error").fit(X, y)


def test_a_repeated_row_is_not_alone(lone):
    X, y = lone
    weight = np.ones(len(y))
    weight[-1] = 2.0
    model = TunedSVC().fit(X, y, sample_weight=weight)
    assert "class of one row" not in [found.name for found in model.diagnostics_]
    assert "rare" in model.classes_[model.fit_record_.truth]


@pytest.mark.parametrize("memory_limit", [4096, 1e-3], ids=["Gram matrix", "rows"])
def test_probabilities_of_svc(lone, memory_limit):
    X, y = lone
    model = SVC(probability=True, random_state=0, C=10.0, memory_limit=memory_limit).fit(X, y)
    assert model.predict(X[-1:]) == ["rare"]
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    gram = SVC(kernel="precomputed", probability=True, random_state=0, C=10.0).fit(model.kernel_(X), y)
    assert_array_equal(gram.predict(model.kernel_(X))[-1:], ["rare"])
    with pytest.raises(ValueError, match=r"^Every class has 1 sample"):
        SVC(probability=True).fit(X[[0, -1]], y[[0, -1]])
