"""Intervals of TunedSVR, sets of classes of TunedSVC and p-values of TunedOneClassSVM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mapie.regression import CrossConformalRegressor
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import false_discovery_control, ks_2samp
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, TimeSeriesSplit

import kernelwise
from kernelwise import SVR, TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.conformal import least_probabilities
from kernelwise.kernels import RBF

QUICK = {"kernel": "rbf"}


def uneven(n, seed=0):
    """Numbers whose noise grows with the second column, which has nothing to do with their mean."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 1.0, (n, 2))
    return X, np.sin(6.0 * X[:, 0]) + (0.05 + X[:, 1]) * rng.normal(size=n)


def covered(intervals, y):
    return (intervals[:, 0] <= y) & (y <= intervals[:, 1])


@pytest.fixture(scope="module")
def numbers():
    return TunedSVR(**QUICK).fit(*uneven(600))


@pytest.fixture(scope="module")
def classes():
    X, y = load_iris(return_X_y=True)
    noise = np.random.default_rng(0).normal(scale=0.5, size=X.shape)
    return TunedSVC(**QUICK).fit((X + noise)[::2], y[::2]), (X + noise)[1::2], y[1::2]


@pytest.fixture(scope="module")
def usual():
    return TunedOneClassSVM().fit(np.random.default_rng(0).normal(size=(500, 3)))


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_intervals_cover_new_rows_wherever_they_are(numbers, coverage):
    X, y = uneven(3000, seed=1)
    hit = covered(numbers.predict_interval(X, coverage), y)
    sampled = 3.0 * np.sqrt(coverage * (1.0 - coverage) * (1.0 / 600.0 + 1.0 / 3000.0))
    assert abs(hit.mean() - coverage) < sampled
    for part in np.array_split(np.argsort(X[:, 1]), 5):
        assert hit[part].mean() > coverage - 0.07


def test_intervals_are_wide_where_the_noise_is(numbers):
    X, _ = uneven(1000, seed=2)
    low, high = numbers.predict_interval(X).T
    assert np.corrcoef(high - low, X[:, 1])[0, 1] > 0.9
    assert_allclose((low + high) / 2.0, numbers.predict(X), rtol=1e-9)


def test_more_coverage_is_wider(numbers):
    X, _ = uneven(50, seed=3)
    widths = [np.ptp(numbers.predict_interval(X, coverage), axis=1) for coverage in (0.5, 0.8, 0.9, 0.99)]
    assert (np.diff(widths, axis=0) > 0.0).all()


def test_intervals_go_by_the_record_of_held_out_answers(numbers):
    X, _ = uneven(20, seed=4)
    doubled, record = TunedSVR(**QUICK), numbers.fit_record_
    vars(doubled).update(vars(numbers))
    doubled._record = replace(record, truth=record.predicted + 2.0 * (record.truth - record.predicted))
    widths = [np.ptp(one.predict_interval(X), axis=1) for one in (numbers, doubled)]
    assert_allclose(widths[1], 2.0 * widths[0])


def test_constant_widths_are_those_of_mapie_around_the_same_machine():
    X, y = make_friedman1(200, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)
    model = TunedSVR(RBF(0.05), Cs=[10.0], epsilons=[0.1], cv=folds, scale=None, tol=1e-8).fit(X, y)
    mean, scale = model.target_mean_, model.target_scale_
    machine = SVR(model.kernel_, C=10.0, epsilon=0.1, tol=1e-8)
    theirs = CrossConformalRegressor(machine, 0.9, method="base", cv=folds)
    _, intervals = theirs.fit_conformalize(X, (y - mean) / scale).predict_interval(X[:10])
    record = model.fit_record_
    model._record = replace(record, spread=np.ones(200))
    model._spread = replace(model._spread, coefficients=np.empty(0), level=0.0)
    assert_allclose(model.predict_interval(X[:10]), mean + scale * intervals[:, :, 0], rtol=2e-3)


def test_rows_in_another_order_and_copies_as_weights_have_the_same_intervals(numbers):
    X, y = uneven(120)
    order = np.random.default_rng(0).permutation(120)
    new = uneven(20, seed=5)[0]
    one = TunedSVR(**QUICK).fit(X, y).predict_interval(new)
    assert_array_equal(TunedSVR(**QUICK).fit(X[order], y[order]).predict_interval(new), one)
    weight = 1.0 + np.arange(120) % 2
    rows = np.repeat(np.arange(120), weight.astype(int))
    weighted = TunedSVR(**QUICK).fit(X, y, sample_weight=weight).predict_interval(new)
    assert_allclose(TunedSVR(**QUICK).fit(X[rows], y[rows]).predict_interval(new), weighted, rtol=1e-9)


def test_targets_in_other_units_have_intervals_in_these():
    X, y = uneven(150)
    one, other = (TunedSVR(**QUICK).fit(X, t).predict_interval(X) for t in (y, 1000.0 * y - 5.0))
    assert_allclose(other, 1000.0 * one - 5.0, rtol=1e-6, atol=1e-6)


def test_logarithms_are_undone_and_targets_stay_positive():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 3.0, (400, 1))
    y = np.exp(X[:, 0] + 0.5 * rng.normal(size=400))
    model = TunedSVR(**QUICK, target_transform="log").fit(X[:300], y[:300])
    intervals = model.predict_interval(X[300:])
    assert (intervals > 0.0).all()
    assert abs(covered(intervals, y[300:]).mean() - 0.9) < 0.07
    low, high = intervals.T
    assert (high / model.predict(X[300:]) > 1.3).all()  # the same factor above and below
    assert_allclose(np.sqrt(low * high), model.predict(X[300:]), rtol=1e-9)


def test_predictions_of_logarithms_are_not_negative_and_in_their_intervals():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (200, 1))
    y = np.where(
        X[:, 0] > 0.0, np.exp(2.0 * X[:, 0]), 0.0
    )  # with zeros, so that the machine is of log(y + 1)
    model = TunedSVR(**QUICK, target_transform="log").fit(X, y)
    predicted, (low, high) = model.predict(X), model.predict_interval(X).T
    family = model._trained_family()
    assert (
        family.mean + family.deviation * model.machine_values(X) < 0.0
    ).any()  # as it would be without care
    assert predicted.min() == 0.0
    assert ((0.0 <= low) & (low <= predicted) & (predicted <= high)).all()


@pytest.mark.parametrize("how", ["nystroem", "sparse", "precomputed"])
def test_every_kind_of_model_has_intervals(how):
    X, y = uneven(400)
    new, truth = uneven(500, seed=6)
    if how == "precomputed":
        kernel = RBF(10.0)
        model = TunedSVR("precomputed").fit(kernel(X), y)
        intervals = model.predict_interval(kernel(new, X))
    else:
        as_given = sparse.csr_matrix if how == "sparse" else np.asarray
        solver = "nystroem" if how == "nystroem" else "auto"
        model = TunedSVR(**QUICK, solver=solver).fit(as_given(X), y)
        intervals = model.predict_interval(as_given(new))
    assert abs(covered(intervals, truth).mean() - 0.9) < 0.07


def test_groups_widen_intervals_to_those_of_new_groups():
    rng = np.random.default_rng(0)

    def draw(n_groups):
        group = np.repeat(np.arange(n_groups), 10)
        level = rng.normal(size=n_groups)[group]
        # The group is known by its place: rows of one group are near each other.
        X = rng.uniform(-1.0, 1.0, (n_groups, 4))[group] + 0.15 * rng.normal(size=(len(group), 4))
        return X, level + 0.1 * rng.normal(size=len(X)), group

    X, y, group = draw(60)
    new, truth, _ = draw(200)
    by_row, by_group = TunedSVR(**QUICK).fit(X, y), TunedSVR(**QUICK).fit(X, y, groups=group)
    assert covered(by_row.predict_interval(new), truth).mean() < 0.6
    assert abs(covered(by_group.predict_interval(new), truth).mean() - 0.9) < 0.06
    assert "drawn like the training rows" in by_row.fit_record_.holds_for
    assert "new groups" in by_group.fit_record_.holds_for


def test_the_record_says_for_whom_coverage_holds():
    X, y = uneven(80)
    group = np.arange(80) // 4

    def said(cv, **more):
        return TunedSVR(**QUICK, cv=cv).fit(X, y, **more).fit_record_.holds_for

    assert "follow the training rows" in said(TimeSeriesSplit(3))
    assert "new groups" in said(GroupKFold(4), groups=group)
    assert "test parts of 'cv'" in said([(np.arange(40), np.arange(40, 80))])
    assert said(4) == said("auto") == said(KFold(4)) == "new rows that are drawn like the training rows"


@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_sets_cover_new_rows(classes, coverage):
    model, X, y = classes
    sets = model.predict_set(X, coverage)
    assert sets.shape == (len(y), 3)
    assert sets.dtype == bool
    assert sets[np.arange(len(y)), y].mean() > coverage - 0.07


def test_sets_hold_the_likely_classes(classes):
    model, X, _ = classes
    p, sets = model.predict_proba(X), model.predict_set(X, 0.95)
    assert p[sets].min() > p[~sets].max()
    assert (model.predict_set(X, 0.5) <= sets).all()
    assert (sets.sum(axis=1) > 1).any()
    assert (model.predict_set(X, 0.5).sum(axis=1) == 0).any()  # more rows are right than are to be covered


def test_sets_by_class_have_a_limit_each():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [900, 100])
    X = rng.normal(size=(1000, 2)) + 1.5 * y[:, None]
    model = TunedSVC(**QUICK).fit(X[::2], y[::2])
    new, truth = X[1::2], y[1::2]
    rare = truth == 1
    assert model.predict_set(new)[rare, 1].mean() < 0.75
    by_class = model.predict_set(new, conditional="class")
    assert abs(by_class[rare, 1].mean() - 0.9) < 0.12
    assert abs(by_class[~rare, 0].mean() - 0.9) < 0.05


def test_names_of_classes_do_not_matter(classes):
    model, X, _ = classes
    x, y = load_iris(return_X_y=True)
    x = x + np.random.default_rng(0).normal(scale=0.5, size=x.shape)
    named = TunedSVC(**QUICK).fit(x[::2], np.array(["c", "a", "b"])[y[::2]])
    assert_array_equal(named.predict_set(X)[:, [2, 0, 1]], model.predict_set(X))


def test_p_values_of_usual_rows_are_uniform_where_rows_are_ranked(usual):
    p = usual.p_values(np.random.default_rng(1).normal(size=(2000, 3)))
    ranked = p[p < 1.0]
    assert abs(len(ranked) / 2000 - 0.3) < 0.06
    # As different as the 150 training rows of these ranks and 600 others may be.
    assert ks_2samp(ranked, np.arange(1, 151) / 501.0).pvalue > 0.01
    assert p.min() >= 1.0 / 501.0


def test_false_discoveries_are_as_few_as_asked():
    rng = np.random.default_rng(2)
    shares, found = [], 0
    for _ in range(10):  # the promise is one about training rows, too
        model = TunedOneClassSVM(RBF(1.0)).fit(rng.normal(size=(300, 3)))
        for _ in range(5):
            rows = np.vstack([rng.normal(size=(180, 3)), 6.0 + rng.normal(size=(20, 3))])
            said = false_discovery_control(model.p_values(rows)) <= 0.1
            shares.append(said[:180].sum() / max(1, said.sum()))
            found += said[180:].sum()
    assert np.mean(shares) <= 0.1
    assert found > 0.8 * 50 * 20


def test_known_outliers_do_not_count():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(200, 2)), 8.0 + rng.normal(size=(20, 2))])
    model = TunedOneClassSVM().fit(X, np.repeat([1, -1], [200, 20]))
    assert_allclose(model.p_values([[9.0, -9.0]]), 1.0 / 201.0)


def test_all_of_it_is_saved(numbers, classes, usual, tmp_path):
    model, X, _ = classes
    asked = [
        (numbers, lambda one: one.predict_interval(uneven(30)[0])),
        (model, lambda one: one.predict_set(X, 0.9)),
        (usual, lambda one: one.p_values(np.full((3, 3), 2.0))),
    ]
    for one, question in asked:
        one.save(tmp_path / "model.npz")
        assert_array_equal(question(kernelwise.load(tmp_path / "model.npz")), question(one))


def test_a_model_of_version_0_1_says_that_it_has_none(numbers, classes, usual):
    former, record = TunedSVR(), numbers.fit_record_
    vars(former).update({**vars(numbers), "_record": replace(record, fold=None, spread=None)})
    with pytest.raises(AttributeError, match=r"version 0\.1 has trained it"):
        former.predict_interval(uneven(3)[0])
    former = TunedSVC()
    vars(former).update({**vars(classes[0]), "_record": replace(classes[0].fit_record_, fold=None)})
    with pytest.raises(AttributeError, match=r"version 0\.1 has trained it"):
        former.predict_set(classes[1])
    former = TunedOneClassSVM()
    vars(former).update({name: v for name, v in vars(usual).items() if name != "_usual_scores"})
    with pytest.raises(AttributeError, match=r"version 0\.1 has trained it"):
        former.p_values(np.zeros((1, 3)))


def test_bad_questions_get_a_sentence(numbers, classes):
    X, y = uneven(50)
    with pytest.raises(NotFittedError):
        TunedSVR().predict_interval(X)
    with pytest.raises(AttributeError, match="refit=False"):
        TunedSVR(**QUICK, refit=False).fit(X, y).predict_interval(X)
    with pytest.raises(ValueError, match="needs 999 held-out rows at least, and this TunedSVR has 600"):
        numbers.predict_interval(X, 0.999)
    with pytest.raises(ValueError, match="above 0 and below 1"):
        numbers.predict_interval(X, 90)
    with pytest.raises(ValueError, match="must be None or 'class', got 'classes'"):
        classes[0].predict_set(classes[1], conditional="classes")


def test_rows_that_are_held_out_several_times_are_no_more_rows():
    X, y = uneven(20)
    model = TunedSVR(**QUICK, cv=RepeatedKFold(n_splits=5, n_repeats=6, random_state=0)).fit(X, y)
    assert len(model.fit_record_.truth) == 120
    with pytest.raises(ValueError, match="needs 99 held-out rows at least, and this TunedSVR has 20"):
        model.predict_interval(X, 0.99)
    record = model.fit_record_
    assert_allclose(record.weight.sum() / record.own_weight, 20)
    least = least_probabilities(record.truth, np.zeros(120, int), record.weight, 1, 0.96, False, record.times)
    assert np.isinf(least).all()  # 20 of 21 are below 96 %


def test_logarithms_beyond_what_predictions_can_be_are_refused():
    X, y = uneven(60)
    with pytest.raises(ValueError, match=r"takes targets up to 2e\+130, but the highest is .*e\+13"):
        TunedSVR(**QUICK, target_transform="log").fit(X, np.exp(y) * 1e135)


def test_constant_targets_have_intervals_of_no_width():
    with pytest.warns(UserWarning, match="no better than guessing"):
        model = TunedSVR(**QUICK).fit(uneven(60)[0], np.full(60, 3.0))
    assert_allclose(model.predict_interval(uneven(5)[0]), 3.0)


def test_diabetes_beside_the_usual_error():
    X, y = load_diabetes(return_X_y=True)
    model = TunedSVR(**QUICK).fit(X[::2], y[::2])
    assert abs(covered(model.predict_interval(X[1::2]), y[1::2]).mean() - 0.9) < 0.05
