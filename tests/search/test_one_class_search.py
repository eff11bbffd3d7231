"""How a one-class machine is chosen: areas, rows that could not be, widths, held-out answers, scaling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from kernelwise.kernels import RBF, Laplacian
from kernelwise.search.data.folds import assign_folds
from kernelwise.search.data.samples import Samples
from kernelwise.search.data.scaling import NORMAL_RANGE, fit_scaler
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.one_class import KINDS, OneClass, StrangenessScorer, area, pseudo_outliers
from kernelwise.search.propose.one_class import AUTO, candidates
from kernelwise.search.verdict.one_class import area_error
from kernelwise.solvers import solve_one_class


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_area_is_scikit_learns_with_weights_and_ties(rng):
    high, low = rng.integers(8, size=40).astype(float), rng.integers(6, size=30).astype(float)
    weight, other = rng.integers(1, 4, size=40).astype(float), rng.random(30)
    truth, values = np.r_[np.ones(40), np.zeros(30)], np.r_[high, low]
    expected = roc_auc_score(truth, values, sample_weight=np.r_[weight, other])
    assert area(high, low, weight, other) == pytest.approx(expected, abs=1e-12)


def test_rows_that_could_not_be_are_wrong_in_three_ways(rng):
    Z = np.column_stack([t := rng.normal(size=400), t, rng.integers(2, size=400)])
    made = pseudo_outliers(Z, np.ones(400), np.array([0, 1, 1]), 0)
    assert all(rows.shape == Z.shape for rows in made.values())
    low, high = Z.min(axis=0), Z.max(axis=0)
    assert ((made["inside"] >= low) & (made["inside"] <= high)).all()
    assert not ((made["box"] >= low) & (made["box"] <= high)).all()
    assert np.isin(made["mixed"], Z).all()  # real values, but no longer connected …
    assert (made["mixed"][:, 0] != made["mixed"][:, 1]).mean() > 0.4
    pairs = {tuple(pair) for pair in Z[:, 1:]}
    assert all(tuple(pair) in pairs for pair in made["mixed"][:, 1:])  # … except within a column
    again = pseudo_outliers(Z, np.full(400, 2.0), np.array([0, 1, 1]), 0)
    assert np.array_equal(made["mixed"], again["mixed"])


def test_widths_follow_the_median_distance_and_weights_are_copies(rng):
    Z = rng.normal(size=(60, 3))
    found = candidates("auto", Z, np.ones(60), has_labels=False)
    assert [(one.form, one.factor) for one in found] == list(AUTO)
    upper = np.triu_indices(60, 1)
    D = np.abs(Z[:, None] - Z).sum(axis=2)[upper]
    assert found[0].kernel.gamma == pytest.approx(4.0 / np.sort(D)[(len(D) - 1) // 2], rel=1e-9)
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)[upper]
    assert found[2].kernel.gamma == pytest.approx(8.0 / np.sort(D)[(len(D) - 1) // 2], rel=1e-9)
    weight = np.where(np.arange(60) < 20, 3.0, 1.0)
    copies = np.repeat(Z, weight.astype(int), axis=0)
    weighted, repeated = (
        candidates("auto", X, w, has_labels=False) for X, w in ((Z, weight), (copies, np.ones(100)))
    )
    assert [one.kernel for one in weighted] == [one.kernel for one in repeated]
    whitened = [one for one in candidates("auto", Z, np.ones(60), has_labels=True) if one.form == "whitened"]
    assert len(whitened) == 2
    assert [
        type(one.kernel) for one in candidates(["rbf", Laplacian(2.0)], Z, np.ones(60), has_labels=False)
    ] == [
        *[RBF] * 4,
        Laplacian,
    ]


def validator_of(Z, label, scoring, cv, weight=None, **settings):
    """A search of one class on rows with these labels."""
    weight, family = np.ones(len(Z)) if weight is None else weight, OneClass(scoring)
    samples = Samples(Z, *family.encode(label, weight)[:2], weight, family.encode(label, weight)[2])
    folds = assign_folds(samples, cv, family, FitContext())
    settings = {"tol": 1e-6, "max_iter": -1, "n_jobs": None, **settings}
    family, scorer = family.for_rows(samples, folds.rows, 0), StrangenessScorer(scoring, label)
    return CrossValidator(samples, folds, family, scorer, settings=settings)


def test_held_out_scores_are_those_of_machines_trained_without_the_row(rng):
    Z, label = rng.normal(size=(40, 2)), np.r_[np.zeros(37, int), -np.ones(3, int)]
    validator = validator_of(Z, label, "roc_auc", 3)
    kernel = candidates("rbf", Z, np.ones(40), has_labels=True)[0].kernel
    scored = validator.score(kernel, "", Cs=np.array([0.3, 0.1]))
    K, areas = kernel(Z), []
    for (train, test), place in zip(validator.folds, validator.places, strict=True):
        assert (label[train] == 0).all()
        assert test[-3:].tolist() == [37, 38, 39]  # all folds are asked about the outliers
        for k, nu in enumerate((0.3, 0.1)):
            beta = solve_one_class(K[np.ix_(train, train)], nu, tol=1e-6).beta
            values = K[np.ix_(test, train)] @ beta / beta.sum()
            assert scored.decision_at(k)[place, 0] == pytest.approx(values, rel=1e-5)
            areas.append(roc_auc_score(label[test] == 0, values))
    assert sorted(test for _, part in validator.folds for test in part[:-3]) == list(range(37))
    assert scored.scores.T.ravel() == pytest.approx(areas)
    assert scored.n_machines == 6
    assert area_error(50, 50) == pytest.approx(np.sqrt(101 / (12 * 2500)))


def test_answers_have_the_share_of_each_kind_of_artificial_rows_that_are_stranger(rng):
    Z, weight = rng.normal(size=(30, 2)), rng.integers(1, 3, size=30).astype(float)
    validator = validator_of(Z, np.zeros(30, int), "pseudo-outliers", 3, weight)
    scored = validator.score(Laplacian(1.0), "", Cs=np.array([0.5]))
    made = pseudo_outliers(Z, weight, None, 0)
    K, means = Laplacian(1.0)(Z), []
    assert scored.stored.shape == (1, 30, 5)
    for train, test in validator.folds:
        beta = solve_one_class(K[np.ix_(train, train)], 0.5, sample_weight=weight[train], tol=1e-6).beta
        values = K[np.ix_(test, train)] @ beta / beta.sum()
        by_kind = {}
        for k, kind in enumerate(KINDS):
            strange = Laplacian(1.0)(made[kind], Z[train]) @ beta / beta.sum()
            is_tie = np.isclose(values[:, None], strange, rtol=1e-12)
            shares = np.where(is_tie, 0.5, values[:, None] > strange).mean(axis=1)
            found = scored.stored[0, test, 1 + k]
            # A mixture of a row with itself is that row, and rounding may tell one from the other.
            assert (np.abs(found - shares) <= 0.5 * is_tie.mean(axis=1) + 1e-12).all()
            by_kind[kind] = np.average(found, weights=weight[test])
        means.append(np.mean([by_kind[kind] for kind in ("box", "beside", "mixed")]))
    assert scored.scores[0] == pytest.approx(means)


def test_a_search_takes_at_most_half_of_its_rows_from_known_outliers(rng):
    label = np.r_[np.full(700, -1), np.zeros(2000, int)]
    samples = Samples(None, label, np.zeros(2700, int), np.ones(2700), np.ones(2700))
    context = FitContext()
    folds = assign_folds(samples, "auto", OneClass("roc_auc"), context)
    is_known = label[folds.rows] == -1
    assert len(np.unique(folds.rows)) == len(folds.rows)
    assert (len(folds.rows), is_known.sum()) == (OneClass.max_rows, OneClass.max_rows // 2)
    assert [len(test) for _, test in folds.folds] == [500 + 167, 500 + 167, 500 + 166]
    assert "a sample of 1000 of 2700 distinct rows" in context.findings[0].message


def test_robust_scaling_has_quartiles_copies_gaps_and_a_fallback(rng):
    X = np.column_stack([rng.normal(5.0, 2.0, size=101), np.arange(101) < 10])
    scaler = fit_scaler("robust", X, None, "me")
    low, middle, high = np.quantile(X[:, 0], [0.25, 0.5, 0.75])
    assert scaler.mean_[0] == pytest.approx(middle)
    assert scaler.scale_[0] == pytest.approx((high - low) / NORMAL_RANGE)
    assert scaler.scale_[1] == pytest.approx(X[:, 1].std())  # no range: its standard deviation
    weight = np.where(np.arange(101) < 30, 2.0, 1.0)
    weighted = fit_scaler("robust", X, weight, "me")
    repeated = fit_scaler("robust", np.repeat(X, weight.astype(int), axis=0), None, "me")
    assert weighted.mean_[0] == repeated.mean_[0]
    assert weighted.scale_ == pytest.approx(repeated.scale_)
