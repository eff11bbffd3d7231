"""What weights and repeated rows mean to a search: units of weights, variances, and folds of rare classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import LeaveOneOut

from kernelwise import SVC, DistanceSketch, TunedSVC
from kernelwise._core.journal import Journal
from kernelwise.comparison.cells import n_machines
from kernelwise.datasets import make_weston
from kernelwise.estimators import NystroemSVC
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import RBF
from kernelwise.problem import TuningProblem
from kernelwise.search.engine import validator as held_out_paths

RANDOM = np.random.default_rng(0)


@pytest.fixture
def rare():
    """Three of sixty samples are of the second class."""
    y = np.repeat([0, 1], [57, 3])
    return RANDOM.normal(size=(60, 2)) + 2.0 * y[:, None], y


def test_weights_that_sum_to_one_are_of_as_many_samples():
    X, y = make_weston(80, random_state=2)
    X, Cs = X[:, :4], np.array([1.0, 10.0])
    plain = TunedSVC("auto", Cs=Cs).fit(X, y)
    shares = TunedSVC("auto", Cs=80 * Cs).fit(X, y, sample_weight=np.full(80, 1 / 80))
    assert type(shares.kernel_) is type(plain.kernel_)
    assert shares.n_splits_ == plain.n_splits_
    assert_allclose(shares.C_, 80 * plain.C_)


def test_balanced_on_each_training_part():
    # The folds have different shares of the classes. Balanced once on all rows the scores would be 0, 0.03
    # and 0.37 at the smaller C: all samples of a class on the wrong side.
    X, y = make_classification(90, n_features=3, n_redundant=0, weights=[0.7], random_state=4)
    order = np.argsort(X[:, 0])
    K, y, Cs = RBF(0.3)(X[order]), y[order], [0.05, 0.3]
    weight = np.random.default_rng(4).integers(1, 4, 90).astype(float)
    folds = [(np.r_[20:90], np.r_[:20]), (np.r_[:20, 50:90], np.r_[20:50]), (np.r_[:50], np.r_[50:90])]
    model = TunedSVC("precomputed", Cs=Cs, cv=folds, class_weight="balanced", tol=1e-9)
    model.fit(K, y, sample_weight=weight)
    for k, (train, test) in enumerate(folds):
        rows = np.repeat(train, weight[train].astype(int))  # a weight of two is two rows
        for c, C in enumerate(Cs):
            machine = SVC(C=C, kernel="precomputed", class_weight="balanced", tol=1e-9)
            machine.fit(K[np.ix_(rows, rows)], y[rows])
            expected = machine.score(K[np.ix_(test, rows)], y[test], sample_weight=weight[test])
            assert model.cv_results_[f"split{k}_test_score"][c] == pytest.approx(expected, rel=1e-12)


def test_variances_are_those_of_all_rows():
    X = (RANDOM.uniform(size=(2000, 6)) < 0.1).astype(float)
    y = (X.sum(axis=1) + RANDOM.normal(size=2000) > 0.6).astype(int)
    covariance = TunedSVC("mahalanobis", scale=None, Cs=[1.0]).fit(X, y).kernel_.covariance
    assert_allclose(covariance, X.var(axis=0), rtol=0.02)
    assert NystroemSVC(n_components=20).fit(X, y).kernel_.gamma == pytest.approx(1 / (6 * X.var()), rel=0.02)


def test_no_more_folds_than_a_rare_class_has_samples_if_its_score_needs_them(rare):
    model = TunedSVC(scoring="roc_auc").fit(*rare)
    assert model.n_splits_ == 3
    assert np.isfinite(model.cv_results_["mean_test_score"]).all()
    assert TunedSVC().fit(*rare).n_splits_ == 5  # accuracy does not need them


@pytest.mark.filterwarnings("ignore:.*Only one class")
@pytest.mark.filterwarnings("ignore:.*non-finite")
def test_scores_that_are_no_numbers_are_refused(rare):
    with pytest.raises(ValueError, match=r"not a number on fold \d of the cross-validation.*fewer folds"):
        TunedSVC(scoring="roc_auc", cv=5).fit(*rare)


@pytest.mark.filterwarnings("ignore:.*non-finite")
def test_a_score_that_is_undefined_for_some_C_is_never_the_best(tmp_path):
    X, y = make_weston(60, random_state=0)

    def auc_of_wide_values(y, values):
        return np.nan if np.ptp(values) < 0.05 else roc_auc_score(y, values)

    scoring = make_scorer(auc_of_wide_values, response_method="decision_function")
    models = []
    for _ in range(2):
        model = TunedSVC(scoring=scoring, Cs=[1e-4, 1.0, 10.0], random_state=0)
        with Journal(tmp_path / "journal", {}) as journal:
            model._journal = journal
            models.append(model.fit(X[:, :3], y))
    scores = models[0].cv_results_["mean_test_score"]
    assert np.isnan(scores).any()
    assert np.isfinite(models[0].best_score_)
    assert_array_equal(models[1].cv_results_["mean_test_score"], scores)
    assert models[1].best_params_ == models[0].best_params_


@pytest.mark.filterwarnings("ignore:time_budget")
@pytest.mark.filterwarnings("ignore:The time budget:kernelwise.exceptions.KernelwiseWarning")
def test_folds_that_the_sample_of_a_search_leaves_empty_are_none():
    X = RANDOM.normal(size=(400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = TunedSVC(cv=LeaveOneOut(), time_budget=1e-3, Cs=[1.0], refit=False).fit(X, y)
    assert model.n_splits_ == 300
    assert np.isfinite(model.best_score_)


def test_machines_of_several_classes_count_once(rare):
    X, y = rare
    model = TunedSVC(Cs=[1.0, 10.0], blend=False).fit(X, y + (np.arange(60) % 2))
    assert len(model.classes_) == 3
    assert n_machines(model) == len(model.cv_results_["params"]) * model.n_splits_ + 1
    assert model.n_svm_fits_ == 3 * n_machines(model)


def test_no_rows_are_left_to_compare_machines_on():
    model = TunedSVC(solver="nystroem").fit(np.array([[0.0, 0], [0.1, 1], [3, 3], [3, 4]]), [0, 0, 1, 1])
    [finding] = [finding for finding in model.diagnostics_ if finding.name == "nystroem"]
    assert "Trained on" not in finding.message


def test_held_out_values_that_take_too_much_memory_are_had_again(monkeypatch):
    X, y = make_weston(90, random_state=0)
    expected = TunedSVC("rbf").fit(X, y)
    monkeypatch.setattr(held_out_paths, "MAX_STORED", 1)
    found = TunedSVC("rbf").fit(X, y)
    assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@pytest.mark.filterwarnings("ignore:.*far from positive semi-definite")
def test_one_gram_matrix_is_one_however_far_C_goes():
    A = np.random.default_rng(0).normal(size=(80, 80))
    y = np.arange(80) % 2
    model = TunedSVC("precomputed").fit(A + A.T, y)
    [finding] = [finding for finding in model.diagnostics_ if "positive semi-definite" in finding.message]
    assert finding.message.startswith("The search met 1 kernel matrix far")


def test_a_covariance_is_that_of_repeated_rows():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150, int)
    weight[[0, 60]] = 100, 50
    Xr, yr = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    machine = SVC(kernel="mahalanobis", tol=1e-8).fit(X, y, sample_weight=weight)
    expected = SVC(kernel="mahalanobis", tol=1e-8).fit(Xr, yr)
    assert_allclose(machine.decision_function(X), expected.decision_function(X), atol=1e-4)
    found, wanted = (
        DistanceSketch.from_data(*samples, kernel="mahalanobis", sample_weight=w).maximize("dbtc", "ovr")
        for samples, w in (((X, y), weight), ((Xr, yr), None))
    )
    assert_allclose(found.gammas, wanted.gammas, rtol=1e-6)
    starts = [TuningProblem("rbf", "dbtc", X, y, sample_weight=weight), TuningProblem("rbf", "dbtc", Xr, yr)]
    assert starts[0].kernel.gamma == pytest.approx(starts[1].kernel.gamma)


@pytest.mark.filterwarnings("ignore:.*far from positive semi-definite")
def test_a_kernel_of_negative_variance_has_values_of_C():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("sigmoid", scale=None).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert 1e-6 < model.C_ < 1e9


def test_several_scores_need_the_name_of_one():
    for scoring in (["accuracy"], {"a": "accuracy"}):
        with pytest.raises(ValueError, match="'refit' of TunedSVC must name the score"):
            TunedSVC(scoring=scoring).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_large_weights_do_not_show_a_machine_what_it_is_asked():
    X, y = make_classification(
        2200, 6, n_informative=3, n_redundant=0, flip_y=0.2, class_sep=0.8, random_state=0
    )
    plain = TunedSVC().fit(X[:200], y[:200])
    for weight in (2.0, 1000.0):
        model = TunedSVC().fit(X[:200], y[:200], sample_weight=np.full(200, weight))
        assert model.best_score_ < 0.9
        assert model.score(X[200:], y[200:]) > plain.score(X[200:], y[200:]) - 0.03


def test_points_of_a_few_values_are_learned_by_heart():
    """Most of the weight is on points that are in both classes: their copies are in all folds."""
    X = RANDOM.integers(0, 2, size=(600, 3)).astype(float)
    share = np.array([0.9, 0.1, 0.2, 0.8, 0.1, 0.9, 0.7, 0.3])[X.astype(int) @ [4, 2, 1]]
    y = (RANDOM.uniform(size=600) < share).astype(int)
    best = ((share > 0.5) == y).mean()
    model = TunedSVC().fit(X, y)
    assert model.score(X, y) == pytest.approx(best, abs=0.01)
    assert model.best_score_ == pytest.approx(best, abs=0.03)


def test_probabilities_have_the_order_of_decision_values():
    X, y = make_classification(200, 8, n_informative=3, weights=[0.97], class_sep=0.7, random_state=1)
    model = TunedSVC().fit(X, y)
    order = np.argsort(model.decision_function(X), kind="stable")
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()


def test_a_constant_feature_counts_for_nothing():
    X, y = make_weston(60, random_state=0)
    X = np.column_stack([X[:, :3], np.full(60, 7.0)])
    model = TunedSVC("diagonal", Cs=[1.0, 10.0]).fit(X, y)
    assert model.metric_[3, 3] < 1e-4 * model.metric_.max()
    moved = X + np.array([0.0, 0.0, 0.0, 3.0])
    assert_array_equal(model.predict(moved), model.predict(X))


@pytest.mark.parametrize("kernel", ["auto", "diagonal", "poly"])
def test_a_class_of_two(kernel):
    X, y = make_weston(60, random_state=0)
    y = np.where(np.arange(60) < 2, "rare", np.where(y > 0, "cat", "dog"))
    model = TunedSVC(kernel, Cs=[1.0, 10.0]).fit(X[:, :3], y)
    assert set(model.classes_) == {"rare", "cat", "dog"}


@pytest.mark.parametrize(
    "settings", [{"kernel": "poly"}, {"criterion": "margin"}, {"criterion": "centered-kta"}]
)
@pytest.mark.filterwarnings("ignore:The best C is the lowest")
def test_a_class_of_equal_rows(settings):
    X = np.vstack([RANDOM.normal(size=(40, 3)), np.full((10, 3), 5.0)])
    y = np.repeat([0, 1, 2], [20, 20, 10])
    assert (TunedSVC(**settings).fit(X, y).predict(X[40:]) == 2).all()


def test_two_points():
    y = np.repeat([0, 1], 20)
    assert TunedSVC().fit(y[:, None], y).score(y[:, None], y) == 1.0


@pytest.mark.parametrize("K", [np.zeros((8, 8)), np.ones((8, 8))])
def test_a_gram_matrix_without_variance_is_refused(K):
    with pytest.raises(DegenerateGramError, match="same value for all pairs"):
        TunedSVC("precomputed").fit(K, np.arange(8) % 2)


@pytest.mark.parametrize("factor", [1e200, 1e-200])
@pytest.mark.parametrize("model", [TunedSVC(), SVC(), NystroemSVC()], ids=repr)
def test_values_out_of_range(model, factor, rare):
    with pytest.raises(ValueError, match=r"X has values of the size .* Use other units"):
        model.fit(rare[0] * factor, rare[1])


def test_entries_stored_in_parts():
    X, y = make_weston(60, random_state=0)
    whole = sparse.csr_matrix(np.round(X[:, :4]))
    parts = sparse.csr_matrix(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr), shape=whole.shape
    )
    found = TunedSVC().fit(parts, y).decision_function(whole)
    assert_allclose(found, TunedSVC().fit(whole, y).decision_function(whole))
    with pytest.raises(ValueError, match=r"X is sparse, but the model was trained on dense.*Pass X.toarray"):
        TunedSVC().fit(whole.toarray(), y).predict(whole)


def test_labels_that_are_missing_or_of_several_types(rare):
    X, y = rare
    with pytest.raises(ValueError, match="contains None in row 57"):
        TunedSVC().fit(X, np.where(y, None, "a"))
    mixed = np.array(["a"] * 57 + [1, 1, 1], dtype=object)
    with pytest.raises(ValueError, match="mixes labels of the types int, str"):
        SVC().fit(X, mixed)
