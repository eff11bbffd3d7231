"""The path over C against scikit-learn fold by fold, and its promises."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelwise.solvers import path_predictions, solve_svm_dual, svm_path
from kernelwise.solvers.path_problem import Places

from .conftest import class_paths, overlapping

ALL_CS = 2.0 ** np.arange(-1.0, 16.5, 0.5)


def sklearn_labels(X, y, folds, Cs, gamma):
    """Held-out predictions of scikit-learn, of shape (n_Cs, n_samples)."""
    labels = np.empty((len(Cs), len(y)), y.dtype)
    for c, C in enumerate(Cs):
        for train, test in folds:
            labels[c, test] = SVC(C=C, gamma=gamma).fit(X[train], y[train]).predict(X[test])
    return labels


def most_differing(path, expected, folds):
    """Largest number of predictions that differ in any cell of C and fold."""
    wrong = path_predictions(path) != expected
    return max(wrong[:, test].sum(axis=1).max() for _, test in folds)


@pytest.fixture(scope="module")
def full_path(breast_cancer):
    """Ten folds, γ = "scale", 35 values of C: the arguments, and scikit-learn's held-out labels."""
    X, y, gamma = breast_cancer
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    return rbf_kernel(X, gamma=gamma), y, folds, sklearn_labels(X, y, folds, ALL_CS, gamma)


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "precision"), [(np.float64, 1e-6), (np.float32, 1e-4)])
def test_breast_cancer_predictions_and_objectives(full_path, dtype, precision):
    K, y, folds, expected = full_path
    path = svm_path(K.astype(dtype), y, ALL_CS, folds)
    assert path.decision.shape == (35, len(y))
    assert path.converged.all()
    assert most_differing(path, expected, folds) <= 1
    for c in (0, 10, 20, 34):
        for k, (train, _) in enumerate(folds):
            tight = solve_svm_dual(K[np.ix_(train, train)], y[train], ALL_CS[c], tol=1e-8)
            assert path.objective[c, k, 0] == pytest.approx(tight.objective, rel=precision)


def test_digits_predictions():
    X, y = load_digits(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::3], y[::3]
    gamma = 1.0 / (X.shape[1] * X.var())
    folds = list(StratifiedKFold(5).split(X, y))
    Cs = [0.5, 2.0, 32.0, 2.0**12]
    path = svm_path(rbf_kernel(X, gamma=gamma), y, Cs, folds)
    assert path.decision.shape == (4, len(y), 45)
    assert path.n_support.shape == (4, 5, 45)
    assert most_differing(path, sklearn_labels(X, y, folds, Cs, gamma), folds) <= 1


def three_classes():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], list(StratifiedKFold(4).split(X[order], y[order]))


def test_ovo_decision_values_match_scikit_learn():
    X, y, folds = three_classes()
    Cs = [0.1, 10.0, 100.0]
    path = svm_path(rbf_kernel(X, gamma=0.3), np.array(["c", "a", "b"])[y], Cs, folds, tol=1e-8)
    for c, C in enumerate(Cs):
        for train, test in folds:
            model = SVC(C=C, gamma=0.3, decision_function_shape="ovo", tol=1e-8)
            model.fit(X[train], np.array(["c", "a", "b"])[y[train]])
            np.testing.assert_allclose(path.decision[c, test], model.decision_function(X[test]), atol=1e-4)


def test_ovr_decision_values_match_scikit_learn():
    X, y, folds = three_classes()
    path = svm_path(rbf_kernel(X, gamma=0.3), y, [0.1, 10.0], folds, strategy="ovr", tol=1e-8)
    for c, C in enumerate([0.1, 10.0]):
        for train, test in folds:
            model = OneVsRestClassifier(SVC(C=C, gamma=0.3, tol=1e-8)).fit(X[train], y[train])
            np.testing.assert_allclose(path.decision[c, test], model.decision_function(X[test]), atol=1e-4)
            np.testing.assert_array_equal(path_predictions(path)[c, test], model.predict(X[test]))


def test_path_equals_single_solves_with_weights():
    X, y = overlapping(90)
    K = rbf_kernel(X, gamma=0.4)
    weight = np.random.default_rng(3).uniform(0.0, 2.0, 90)
    weight[::7] = 0.0
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    Cs = [0.3, 3.0, 300.0]
    path = svm_path(K, y, Cs, folds, sample_weight=weight, tol=1e-8)
    for c, C in enumerate(Cs):
        for k, (train, test) in enumerate(folds):
            one = solve_svm_dual(K[np.ix_(train, train)], y[train], C, sample_weight=weight[train], tol=1e-8)
            assert path.objective[c, k, 0] == pytest.approx(one.objective, rel=1e-8)
            bounded = (np.abs(one.beta) == C * weight[train]) & (one.beta != 0)
            assert path.n_bounded[c, k, 0] == np.count_nonzero(bounded)
            np.testing.assert_allclose(
                path.decision[c, test], K[np.ix_(test, train)] @ one.beta + one.intercept, atol=1e-6
            )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_fold_has_weights_of_its_own(n_classes):
    random = np.random.default_rng(8)
    y = random.integers(0, n_classes, 80)
    K = rbf_kernel(random.normal(size=(80, 2)) + y[:, None], gamma=0.4)
    folds = list(KFold(4).split(K))
    weight = random.uniform(0.1, 2.0, (4, 80))
    Cs = [0.1, 3.0, 100.0]
    path = svm_path(K, y, Cs, folds, sample_weight=weight, tol=1e-9)
    for k, (train, test) in enumerate(folds):
        alone = svm_path(K, y, Cs, [(train, test)], sample_weight=weight[k], tol=1e-9)
        np.testing.assert_allclose(path.decision[:, test], alone.decision[:, test], atol=1e-6)
        np.testing.assert_allclose(path.objective[:, k], alone.objective[:, 0], rtol=1e-9)
        np.testing.assert_array_equal(path.n_bounded[:, k], alone.n_bounded[:, 0])
    with pytest.raises(ValueError, match="sample_weight has 3 rows, but there are 4 folds"):
        svm_path(K, y, Cs, folds, sample_weight=weight[:3])


@pytest.mark.parametrize("seed", range(6))
def test_the_offset_of_balanced_folds_is_the_middle_of_its_interval(seed):
    # The bounds of both classes have the same sum, all variables are at them, and no fold may start from a
    # variable that rounding has left a hair below its bound: it would pass for free, and be the offset alone.
    random = np.random.default_rng(seed)
    y = np.where(np.arange(97) < 17 + 5 * seed, 1.0, -1.0)
    K = rbf_kernel(random.normal(size=(97, 3)), gamma=0.3)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(K, y))
    weight = np.zeros((5, 97))
    for k, (train, _) in enumerate(folds):
        for label in (-1.0, 1.0):
            weight[k, y == label] = train.size / (2.0 * np.count_nonzero(y[train] == label))
    C = 0.01
    path = svm_path(K, y, [C], folds, sample_weight=weight)
    for k, (train, test) in enumerate(folds):
        beta = C * weight[k, train] * y[train]
        f = y[train] - K[np.ix_(train, train)] @ beta
        middle = 0.5 * (f[y[train] > 0].min() + f[y[train] < 0].max())
        assert path.n_bounded[0, k, 0] == train.size
        np.testing.assert_allclose(path.decision[0, test], K[np.ix_(test, train)] @ beta + middle, atol=1e-9)


def test_path_ends_where_no_support_vector_is_bounded(breast_cancer):
    X, y, gamma = breast_cancer
    folds = list(StratifiedKFold(4).split(X, y))
    path = svm_path(rbf_kernel(X, gamma=gamma), y, ALL_CS, folds)
    for k in range(4):
        finished = np.flatnonzero(path.n_bounded[:, k, 0] == 0)
        first = finished[0]
        assert first < 30
        np.testing.assert_array_equal(finished, np.arange(first, 35))
        assert (path.n_iter[first + 1 :, k, 0] == 0).all()
        assert (path.decision[first:, folds[k][1]] == path.decision[first, folds[k][1]]).all()
    train = folds[0][0]
    large = solve_svm_dual(rbf_kernel(X[train], gamma=gamma), y[train], ALL_CS[-1], tol=1e-8)
    assert path.objective[-1, 0, 0] == pytest.approx(large.objective, rel=1e-6)


def test_identity_as_gram_matrix_needs_no_second_solve():
    # The dual is then β = y − b, less than C or not: scaling the bounded solution gives the free one.
    y = np.repeat([-1.0, 1.0], [48, 24])
    folds = list(StratifiedKFold(4).split(y, y))
    path = svm_path(np.eye(72), y, [0.5, 5.0, 50.0], folds, tol=1e-6)
    assert (path.n_bounded[:, :, 0] == [[18], [0], [0]]).all()
    assert not path.n_iter[1:].any()
    np.testing.assert_allclose(path.decision[1:], -1 / 3, atol=1e-6)  # b of 36 against 18


def test_path_goes_on_behind_newton_steps():
    X, y = overlapping(600, n_features=8)
    K = rbf_kernel(X, gamma=1e-3)
    folds = list(StratifiedKFold(3).split(X, y))
    Cs = 4.0 ** np.arange(9)
    path = svm_path(K, y, Cs, folds)
    assert path.converged.all()
    for c, C in enumerate(Cs):
        for k, (train, _) in enumerate(folds):
            tight = solve_svm_dual(K[np.ix_(train, train)], y[train], C, tol=1e-6)
            assert path.objective[c, k, 0] == pytest.approx(tight.objective, rel=1e-5)


@pytest.mark.parametrize("labels", ["two classes", "three classes"])
def test_result_does_not_depend_on_n_jobs(labels):
    X, y, folds = three_classes()
    if labels == "two classes":
        y = y > 0
    K = rbf_kernel(X, gamma=0.1)
    one, three = (svm_path(K, y, [0.1, 1.0, 100.0], folds, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.decision, three.decision)
    np.testing.assert_array_equal(one.objective, three.objective)
    np.testing.assert_array_equal(one.n_iter, three.n_iter)


@pytest.mark.parametrize("seed", [4, 15, 27, 39])
def test_an_enormous_first_c_is_reached_from_smaller_ones(seed):
    """Pair steps from nothing make no headway here; the result is checked by the conditions of an optimum."""
    rng, n, C, tol = np.random.default_rng(seed), 60, 1e6, 1e-6
    X = rng.normal(size=(n, 3))
    y = np.sign(X[:, 0] + rng.normal(size=n))
    K = (1.0 + X @ X.T) ** 3
    part = np.arange(n) % 3
    folds = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(3)]
    path = svm_path(K, y, np.array([C]), folds, tol=tol)
    assert path.converged.all()
    for (train, _), (solved,) in zip(folds, path.last, strict=True):
        labels, beta = y[0] * y[train], solved.beta[train]
        f = labels - K[np.ix_(train, train)] @ beta
        may_rise, may_fall = beta < C * np.maximum(labels, 0.0), beta > C * np.minimum(labels, 0.0)
        # Rounding of Kβ with coefficients of a million is a few thousandths of the tolerance.
        assert f[may_rise].max() - f[may_fall].min() <= 1.1 * tol
        assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()


def test_any_order_of_C_is_returned_as_given():
    X, y = overlapping(60)
    K, folds = rbf_kernel(X), list(KFold(3).split(X))
    up = svm_path(K, y, [0.1, 1.0, 10.0], folds)
    mixed = svm_path(K, y, [10.0, 0.1, 1.0], folds)
    np.testing.assert_array_equal(mixed.decision, up.decision[[2, 0, 1]])
    np.testing.assert_array_equal(mixed.n_support, up.n_support[[2, 0, 1]])
    np.testing.assert_array_equal(mixed.Cs, [10.0, 0.1, 1.0])


def test_samples_never_held_out_are_nan():
    X, y = overlapping(40)
    path = svm_path(rbf_kernel(X), y, [1.0], [(np.arange(30), np.arange(30, 35))])
    assert np.isnan(path.decision[0]).sum() == 35
    assert np.isfinite(path.decision[0, 30:35]).all()


def test_callback_counts_machines_and_folds():
    X, y, folds = three_classes()
    seen = []
    svm_path(rbf_kernel(X), y, [1.0], folds, callback=lambda done, total: seen.append((done, total)))
    assert seen == [(k, 12) for k in range(1, 13)]


def test_boolean_masks_are_folds_too():
    X, y = overlapping(40)
    train = np.arange(40) < 30
    masks = svm_path(rbf_kernel(X), y, [1.0], [(train, ~train)])
    indices = svm_path(rbf_kernel(X), y, [1.0], [(np.arange(30), np.arange(30, 40))])
    np.testing.assert_array_equal(masks.decision, indices.decision)


def test_iteration_cap_warns_once_and_flags():
    X, y = overlapping(60)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter") as record:
        path = svm_path(rbf_kernel(X), y, [1.0, 10.0], list(KFold(3).split(X)), max_iter=2)
    assert len(record) == 1
    assert not path.converged.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Cs": [1.0, -1.0]}, "'Cs' of svm_path must be a list of positive floats"),
        ({"folds": []}, "'folds' of svm_path is empty"),
        ({"folds": [([0, 2, 4], [1, 3])]}, "training part of fold 0 has no sample of class"),
        ({"folds": [([0, 1, 2], [2, 3])]}, "Fold 0 has samples in its training and its test part"),
        ({"folds": [([0, 1], [2, 3]), ([0, 1], [3, 4])]}, "Sample 3 is held out 2 times"),
        ({"strategy": "all"}, "'strategy' of svm_path must be one of"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"K": np.eye(6), "y": [0, 1] * 3, "Cs": [1.0], "folds": [([0, 1, 2, 3], [4, 5])]} | change
    with pytest.raises(ValueError, match=message):
        svm_path(**arguments)


@pytest.mark.parametrize("n_folds", [3, 10])
@pytest.mark.parametrize(("gamma", "C"), [(0.03, 0.1), (0.003, 1.0)])
def test_offset_is_right_where_every_support_vector_is_bounded(gamma, C, n_folds):
    # No free variable fixes the offset, so it is the middle of an interval: a variable that rounding left a
    # hair off its bound would pass for free and move it to an end.
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(n_folds).split(X, y))
    path = svm_path(rbf_kernel(X, gamma=gamma), y, [C], folds)
    assert most_differing(path, sklearn_labels(X, y, folds, [C], gamma), folds) == 0


@pytest.mark.parametrize("seed", range(4))
def test_rounding_of_the_sum_frees_no_variable(seed):
    # 0.3 is rounded, so that sums of bounds are, too; the first fold leaves as many of either class.
    X = np.random.default_rng(seed).standard_normal((61, 5))
    y = np.repeat([-1.0, 1.0], [30, 31])
    K = rbf_kernel(X, gamma=1.0)
    folds = list(StratifiedKFold(5).split(X, y))
    path = svm_path(K, y, [0.3], folds)
    train, test = folds[0]
    model = SVC(C=0.3, kernel="precomputed", tol=1e-5).fit(K[np.ix_(train, train)], y[train])
    assert path.n_bounded[0, 0, 0] == path.n_support[0, 0, 0] == train.size
    np.testing.assert_allclose(
        path.decision[0, test], model.decision_function(K[np.ix_(test, train)]), atol=1e-8
    )


def test_decision_values_below_rounding_keep_their_sign():
    # A very narrow kernel: with equal classes the offset is zero, or what kernel values leave of it.
    X, y = load_digits(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:600], y[:600]
    folds = list(StratifiedKFold(5).split(X, y))
    path = svm_path(rbf_kernel(X, gamma=8.0), y, [0.5, 2.0], folds)
    expected = sklearn_labels(X, y, folds, [0.5, 2.0], 8.0)
    assert most_differing(path, expected, folds) == 0


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_a_path_goes_on_where_another_ended(strategy):
    X, y = load_iris(return_X_y=True)
    K, folds = rbf_kernel(X, gamma=0.05), list(StratifiedKFold(3).split(X, y))
    Cs = 4.0 ** np.arange(-1, 9)
    whole = svm_path(K, y, Cs, folds, strategy=strategy, tol=1e-9)
    first = svm_path(K, y, Cs[:5], folds, strategy=strategy, tol=1e-9)
    second = svm_path(K, y, Cs[5:], folds, strategy=strategy, tol=1e-9, after=first)
    np.testing.assert_allclose(second.decision, whole.decision[5:], atol=1e-6)
    np.testing.assert_allclose(second.objective, whole.objective[5:], rtol=1e-9)
    np.testing.assert_array_equal(second.n_bounded, whole.n_bounded[5:])


def test_going_on_from_a_finished_path_is_no_work():
    X, y = overlapping(60)
    K = rbf_kernel(X, gamma=50.0)
    folds = list(StratifiedKFold(2).split(K, y))
    first = svm_path(K, y, [1.0, 10.0, 100.0], folds)
    assert not first.n_bounded[-1].any()
    on = svm_path(K, y, [1e3, 1e4], folds, after=first)
    assert not on.n_iter.any()
    np.testing.assert_allclose(on.decision, first.decision[[-1, -1]], rtol=1e-12)


def test_no_going_on_downwards_or_on_other_folds():
    X, y = overlapping(60)
    K = rbf_kernel(X)
    folds = list(StratifiedKFold(4).split(K, y))
    first = svm_path(K, y, [1.0, 10.0], folds)
    with pytest.raises(ValueError, match="can only continue with larger C: 'after' ends at 10"):
        svm_path(K, y, [5.0, 20.0], folds, after=first)
    with pytest.raises(ValueError, match="'after' has 4 folds and 1 machines, this path 3 and 1"):
        svm_path(K, y, [20.0], folds[:3], after=first)


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_a_class_that_a_free_fold_has_not_seen_is_never_its_answer(strategy):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(150)
    test = rows[::10]
    folds = [(rows[(rows % 10 != 0) & (y != unseen)], test) for unseen in (2, 0)]
    places = Places([np.arange(15), 15 + np.arange(15)], 30)
    paths = class_paths(y, folds, strategy=strategy, places=places)
    settings = rbf_kernel(X, gamma=0.1), np.array([0.1, 10.0])
    path, _ = paths.solve(*settings, tol=1e-6)
    answers = path_predictions(path)
    for k, unseen in enumerate((2, 0)):
        others = y[test] != unseen
        place = places.by_fold[k]
        found = answers[:, place]
        assert not (found == unseen).any()
        if strategy == "ovr":
            values = path.decision[:, place]
            known = np.delete(values, unseen, axis=-1).min(axis=-1)
            np.testing.assert_allclose(values[..., unseen], np.minimum(known, 0.0) - 1.0)
        assert (found[:, others] == y[test][others]).mean() > 0.9
        alone, _ = paths.solve(*settings, tol=1e-6, only=k)
        np.testing.assert_allclose(alone.decision[:, place], path.decision[:, place], atol=1e-8)


def test_samples_sorted_by_class_have_the_same_path():
    """They are not copied, and the others are, into this order."""
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    y = y[mixed]
    order = np.argsort(np.unique(y, return_index=True)[1][y], kind="stable")
    new = np.argsort(order)
    K = rbf_kernel(X[mixed], gamma=0.5)
    folds = list(StratifiedKFold(5).split(X, y))
    path = svm_path(K, y, [0.1, 10.0], folds)
    ordered = [(new[train], new[test]) for train, test in folds]
    by_class = svm_path(K[np.ix_(order, order)], y[order], [0.1, 10.0], ordered)
    np.testing.assert_array_equal(by_class.decision, path.decision[:, order])


def test_values_of_c_that_are_no_numbers_are_refused(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="'Cs' of svm_path must be a list of positive floats, got 'many'"):
        svm_path(X @ X.T, y, "many", list(KFold(2).split(X)))


def test_a_fold_alone_is_what_it_is_among_others_that_hold_out_many_rows():
    rng = np.random.default_rng(0)
    y = np.arange(260) % 26
    K = rbf_kernel(rng.normal(size=(260, 3)) + 0.3 * y[:, None], gamma=0.3)
    parts = np.array_split(rng.permutation(260), 3)
    folds = [(np.setdiff1d(np.arange(260), part), np.append(part, part[:10])) for part in parts]
    ends = np.cumsum([len(test) for _, test in folds])
    places = Places(np.split(np.arange(290), ends[:-1]), 290)
    paths, Cs = class_paths(y, folds, places=places), np.array([0.1, 5.0])
    together = paths.solve(K, Cs, tol=1e-3)[0]
    for k, place in enumerate(places.by_fold):
        alone = paths.solve(K, Cs, tol=1e-3, only=k)[0]
        np.testing.assert_array_equal(alone.decision[:, place], together.decision[:, place])
