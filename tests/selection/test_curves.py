"""Criteria over widths: against loops over Gram matrices, scikit-learn's cross-validation, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC as ReferenceSVC

from kernelwise import WidthCurvesDisplay, criterion_curves
from kernelwise.criteria import (
    CRITERIA,
    Criterion,
    CrossValidationError,
    Margin,
    RegularizedMargin,
    SpanEstimate,
    TargetAlignment,
    as_criterion,
)
from kernelwise.kernels import RBF, Laplacian, PrecomputedDistance
from kernelwise.selection import yin_curves
from kernelwise.selection.curves import CS, WIDTHS

WIDE = [0.02, 0.3, 5.0]
SMALL = {"widths": WIDE, "Cs": [0.5, 8.0]}


@pytest.fixture(scope="module")
def every(blobs_of_module):
    """Curves of every criterion by name."""
    return criterion_curves(*blobs_of_module, "all", cv=4, **SMALL)


@pytest.fixture(scope="module")
def blobs_of_module():
    random = np.random.default_rng(4)
    y = np.arange(60) % 5 % 2
    return random.normal(size=(60, 3)) + 1.2 * y[:, None], y


def grams(X):
    scaled = StandardScaler().fit_transform(X)
    return [RBF(gamma)(scaled) for gamma in WIDE]


def test_every_criterion_has_its_value_on_gram_matrices(every, blobs_of_module):
    X, y = blobs_of_module
    assert list(every.scores) == list(CRITERIA)
    Z = StandardScaler().fit_transform(X)
    for name, scores in every.scores.items():
        criterion = as_criterion(name)
        if name == "regularized-margin":
            criterion = RegularizedMargin(K_reference=every.kernel(Z))
        if isinstance(criterion, CrossValidationError):
            criterion = criterion._copy(random_state=0)
        has_C = "C" in criterion.theta_names
        points = Z if name != "vc" else np.vstack([Z, np.zeros(3)])
        for k, gamma in enumerate(WIDE):
            K = RBF(gamma)(points)
            tried = [criterion._copy(C=C) for C in SMALL["Cs"]] if has_C else [criterion]
            costs = [one.value(K, y) for one in tried]
            assert scores[k] == pytest.approx(criterion.sign * min(costs), rel=1e-5, abs=1e-9), name
            if has_C:
                assert every.own_Cs[name][k] == SMALL["Cs"][int(np.argmin(costs))]
            else:
                assert np.isnan(every.own_Cs[name][k])


def test_accuracies_are_those_of_an_independent_cross_validation(every, blobs_of_module):
    X, y = blobs_of_module
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    for k, K in enumerate(grams(X)):
        for c, C in enumerate(SMALL["Cs"]):
            machine = ReferenceSVC(C=C, kernel="precomputed", tol=1e-6)
            right = cross_val_predict(machine, K, y, cv=folds) == y
            assert every.accuracies[k, c] == np.mean(right)
            assert every.right[k, c].tolist() == [right[test].sum() for _, test in folds.split(X, y)]
    np.testing.assert_array_equal(every.best_accuracy, every.accuracies.max(axis=1))


def test_the_rank_correlation_and_its_jackknife(blobs_of_module):
    curves = criterion_curves(*blobs_of_module, ["dbtc", "margin"], cv=4, Cs=[1.0, 10.0])
    for name, sign in (("dbtc", 1), ("margin", -1)):
        values = sign * curves.scores[name]
        found, error = curves.rank_correlation(name)
        assert found == pytest.approx(spearmanr(values, curves.best_accuracy).statistic)
        without = []
        for k in range(4):
            others = [f for f in range(4) if f != k]
            shares = curves.right[..., others].sum(axis=-1) / curves.fold_sizes[others].sum()
            without.append(spearmanr(values, shares.max(axis=1)).statistic)
        assert error == pytest.approx(np.sqrt(3 / 4 * np.sum((without - np.mean(without)) ** 2)))
        assert error > 0


def test_a_choice_is_the_best_width_and_what_it_is_worth(every):
    for choice in every.choices:
        name = choice.criterion
        k = WIDE.index(choice.width)
        assert every.goodness(name)[k] == every.goodness(name).max()
        assert choice.accuracy == every.best_accuracy[k]
        assert choice.C == SMALL["Cs"][int(every.accuracies[k].argmax())]
        assert choice.loss == pytest.approx(every.best_accuracy.max() - choice.accuracy)
        assert choice.is_at_end == (k != 1)
        if not np.isnan(choice.own_C):
            assert choice.own_accuracy == every.accuracies[k, SMALL["Cs"].index(choice.own_C)]


def test_of_equals_the_widest_is_chosen():
    X, y = load_iris(return_X_y=True)
    flat = {"mine": Constant()}
    assert criterion_curves(X, y, flat, **SMALL).choices[0].width == WIDE[0]


class Constant(Criterion):
    """A criterion of the user's own that says nothing."""

    name = "constant"
    is_differentiable = False

    def score(self, K, y, sample_weight=None):
        return 1.0


class Closeness(Constant):
    """A criterion of the user's own that says something."""

    name = "closeness"

    def score(self, K, y, sample_weight=None):
        return float(K[np.equal.outer(y, y)].mean())


def test_criteria_of_the_user_and_of_one_class_twice(blobs_of_module):
    X, y = blobs_of_module
    curves = criterion_curves(X, y, [Closeness(), Margin(C=2.0, search_C=False), Margin(), "kta"], **SMALL)
    assert list(curves.scores)[:2] == ["closeness", "margin"]
    assert list(curves.scores)[2].startswith("Margin(C=1")
    expected = [K[np.equal.outer(y, y)].mean() for K in grams(X)]
    np.testing.assert_allclose(curves.scores["closeness"], expected, rtol=1e-9)
    fixed = [Margin(C=2.0).score(K, y) for K in grams(X)]
    np.testing.assert_allclose(curves.scores["margin"], fixed, rtol=1e-6)
    assert np.isnan(curves.own_Cs["margin"]).all()


def test_a_constant_criterion_has_no_rank_correlation(blobs_of_module):
    curves = criterion_curves(*blobs_of_module, Constant(), **SMALL)
    assert np.isnan(curves.choices[0].rank_correlation)
    assert curves.table()[1][0][5] == ""


def test_the_curves_of_paper_004_are_a_case(blobs_of_module):
    X, y = blobs_of_module
    sigmas = np.array([0.3, 1.0, 4.0])
    theirs = yin_curves(X, y, sigmas=sigmas, Cs=[1.0, 10.0], cv=5, random_state=3)
    names = ("esdr", "dbtc", "j4")
    ours = criterion_curves(X, y, names, widths=0.5 / sigmas**2, Cs=[1.0, 10.0], cv=5, random_state=3)
    np.testing.assert_array_equal(theirs.accuracies[::-1], ours.accuracies)
    for name in names:
        np.testing.assert_array_equal(theirs.criteria[name][::-1], ours.scores[name])


def test_widths_and_C_follow_the_data(blobs_of_module):
    X, y = blobs_of_module
    curves = criterion_curves(X, y, "dbtc", cv=3)
    D = RBF(1.0).squared_distances(StandardScaler().fit_transform(X))
    median = np.median(D[np.triu_indices_from(D, 1)])
    np.testing.assert_allclose(curves.widths * median, WIDTHS, rtol=1e-6)
    assert curves.Cs.shape == (len(WIDTHS), len(CS))
    steps = np.log(curves.Cs) / np.log(4.0)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert curves.Cs[0, 0] > 100 * curves.Cs[-1, 0]  # the widest kernel wants the largest C
    scaled = criterion_curves(1000.0 * X + 7.0, y, "dbtc", cv=3)
    np.testing.assert_allclose(scaled.widths, curves.widths, rtol=1e-6)
    np.testing.assert_array_equal(scaled.accuracies, curves.accuracies)


def test_other_kernels_and_scales(blobs_of_module):
    X, y = blobs_of_module
    curves = criterion_curves(X, y, ["dbtc", "fsm"], "laplacian", scale="minmax", **SMALL)
    Z = MinMaxScaler().fit_transform(X)
    for name in ("dbtc", "fsm"):
        expected = [as_criterion(name).score(Laplacian(gamma)(Z), y) for gamma in WIDE]
        np.testing.assert_allclose(curves.scores[name], expected, rtol=1e-6)
    D = RBF(1.0).squared_distances(Z)
    given = criterion_curves(D, y, ["dbtc", "fsm"], PrecomputedDistance(), **SMALL)
    plain = criterion_curves(X, y, ["dbtc", "fsm"], scale="minmax", **SMALL)
    for name in ("dbtc", "fsm"):
        np.testing.assert_allclose(given.scores[name], plain.scores[name], rtol=1e-6)
    np.testing.assert_array_equal(given.accuracies, plain.accuracies)


def test_where_a_criterion_is_undefined_its_curve_has_a_gap():
    X = np.repeat([[0.0], [1.0]], 8, axis=0)
    y = np.repeat([0, 1], 8)
    curves = criterion_curves(X, y, ["dbtc", "esdr"], cv=2, **SMALL)
    assert np.isnan(curves.scores["esdr"]).all()
    assert [choice.criterion for choice in curves.choices] == ["dbtc"]
    assert "esdr is undefined at 3 widths" in curves.findings[0].message


def test_machines_that_stop_early_are_a_finding(blobs_of_module, monkeypatch):
    curves = criterion_curves(*blobs_of_module, SpanEstimate(), **SMALL)
    assert not curves.findings

    def warning(self, *arguments, **settings):
        import warnings

        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        return 1.0

    monkeypatch.setattr(Closeness, "score", warning)
    curves = criterion_curves(*blobs_of_module, Closeness(), **SMALL)
    assert "closeness did not converge at 3 widths; the first said: stopped" in curves.findings[0].message


def test_rows_and_the_frame_hold_everything(every):
    rows = every.to_rows()
    assert len(rows) == len(CRITERIA) * len(WIDE)
    frame = every.to_frame()
    chosen = frame[frame.is_chosen].set_index("criterion")
    for choice in every.choices:
        row = chosen.loc[choice.criterion]
        assert (row.width, row.accuracy) == (choice.width, choice.accuracy)
        assert row.score == every.scores[choice.criterion][WIDE.index(choice.width)]
    assert str(every).splitlines()[0].split()[:4] == ["criterion", "width", "C", "accuracy"]
    assert len(str(every).splitlines()) == 1 + len(CRITERIA)


def test_the_display_draws_a_row_for_each(every):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = WidthCurvesDisplay.from_curves(every)
    correlations = [one.rank_correlation for one in display.choices]
    assert correlations == sorted(correlations, reverse=True)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert [label.split()[0] for label in labels] == [one.criterion for one in display.choices]
    assert len(display.ax_.lines) == 1 + len(CRITERIA)
    assert display.figure_.get_size_inches()[1] > 10
    pyplot.close(display.figure_)


def test_progress_is_told(blobs_of_module):
    seen = []
    criterion_curves(*blobs_of_module, "dbtc", callback=lambda *done: seen.append(done), **SMALL)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("criteria", "settings", "message"),
    [
        ([], {}, "criteria of criterion_curves is empty"),
        (3, {}, "must be names or criteria, got 3"),
        ("dbtx", {}, "Did you mean 'dbtc'"),
        (TargetAlignment(), {}, "target-alignment is a criterion of numbers"),
        ("dbtc", {"kernel": "poly"}, "width is one number, such as 'rbf' or 'laplacian', not Polynomial"),
        ("dbtc", {"widths": [0.0]}, "'widths' of criterion_curves must be a positive"),
        ("dbtc", {"Cs": []}, "'Cs' of criterion_curves is empty"),
        ("dbtc", {"cv": 1}, "cv must be at least 2 folds"),
        ("dbtc", {"scale": "log"}, "'scale' of criterion_curves must be"),
        ("vc", {"kernel": PrecomputedDistance()}, "needs points beside the samples"),
    ],
)
def test_bad_settings_are_refused(criteria, settings, message):
    X = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    with pytest.raises(ValueError, match=message):
        criterion_curves(X, np.arange(8) % 2, criteria, **settings)


def test_equal_samples_are_refused():
    with pytest.raises(ValueError, match="All samples are equal"):
        criterion_curves(np.ones((8, 2)), np.arange(8) % 2, "dbtc", RBF())


def test_folds_may_be_given_as_a_list(blobs_of_module):
    X, y = blobs_of_module
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    given, made = (
        criterion_curves(X, y, "kta", widths=[0.1, 1.0], Cs=[1.0], cv=cv)
        for cv in (list(splitter.split(X, y)), splitter)
    )
    np.testing.assert_array_equal(given.accuracies, made.accuracies)
