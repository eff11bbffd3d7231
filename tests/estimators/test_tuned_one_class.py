"""TunedOneClassSVM: what it chooses, its threshold, its probabilities, and what it refuses."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

import kernelwise
from kernelwise import TunedOneClassSVM, explain
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.kernels import RBF, Laplacian, kernel_as_dict


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def ring(rng):
    """Rows on a ring, and new rows: as many on it, and as many in its middle."""
    angle = rng.uniform(0.0, 2.0 * np.pi, size=400)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * 3.0 + 0.2 * rng.normal(size=(400, 2))
    return X[:200], X[200:], 0.4 * rng.normal(size=(200, 2))


def test_rows_with_many_copies_are_usual(rng):
    """As if the copies differed by a hair: a row is no stranger for having exact ones."""
    X = np.r_[np.full((60, 3), 5.0), rng.normal(size=(130, 3)), rng.uniform(-8, 8, size=(10, 3))]
    is_strange = np.arange(200) >= 190
    areas = [
        roc_auc_score(is_strange, -TunedOneClassSVM().fit(rows).training_scores_)
        for rows in (X, X + 1e-6 * rng.normal(size=X.shape))
    ]
    assert min(areas) > 0.95
    mostly = np.r_[np.zeros(94), 1.0, 1.1][:, None]
    assert TunedOneClassSVM().fit_predict(mostly).tolist() == [1] * 94 + [-1] * 2


def test_tells_rows_apart_that_no_ball_in_the_plane_could(ring):
    X, usual, strange = ring
    model = TunedOneClassSVM().fit(X)
    truth = np.r_[np.ones(200), np.zeros(200)]
    assert roc_auc_score(truth, model.score_samples(np.r_[usual, strange])) > 0.99
    assert (model.predict(strange) == -1).all()
    assert model.criterion_ == "pseudo-outliers"
    assert model.n_svm_fits_ == 3 * 5 + 1
    assert len(model.cv_results_["params"]) == 3
    assert model.best_params_ == {"kernel": kernel_as_dict(model.kernel_), "nu": model.nu_}
    assert str(model.result_).count("\n") >= 4


@pytest.mark.parametrize("contamination", [None, 0.2])
def test_threshold_is_that_share_of_rows_not_seen(rng, contamination):
    X, new = rng.normal(size=(300, 4)), rng.normal(size=(5000, 4))
    model = TunedOneClassSVM(contamination=contamination).fit(X)
    share = contamination or 0.05
    assert model.contamination_ == share
    assert (model.training_scores_ < model.threshold_).mean() == pytest.approx(share)
    assert (model.predict(new) == -1).mean() == pytest.approx(share, abs=0.03)
    shift = model.threshold_error_
    low, high = ((model.score_samples(new) < model.threshold_ + sign * shift).mean() for sign in (-1, 1))
    assert low < share < high
    assert model.offset_ == model.threshold_
    assert model.result_.n_outliers == round(300 * share)
    labels = TunedOneClassSVM(contamination=contamination).fit_predict(X)
    assert np.array_equal(labels, np.where(model.training_scores_ < model.threshold_, -1, 1))


def test_same_answer_in_any_order_and_for_copies_as_weights(ring, rng):
    X, new, _ = ring
    order, weight = rng.permutation(200), np.where(np.arange(200) < 50, 2.0, 1.0)
    first = TunedOneClassSVM().fit(X)
    shuffled = TunedOneClassSVM(n_jobs=2).fit(X[order])
    assert np.array_equal(first.score_samples(new), shuffled.score_samples(new))
    assert np.array_equal(first.training_scores_[order], shuffled.training_scores_)
    assert first.threshold_ == shuffled.threshold_
    weighted = TunedOneClassSVM().fit(X, sample_weight=weight)
    repeated = TunedOneClassSVM().fit(np.r_[X, X[:50]])
    assert weighted.kernel_ == repeated.kernel_
    assert np.array_equal(weighted.score_samples(new), repeated.score_samples(new))
    assert weighted.threshold_ == repeated.threshold_
    assert weighted.threshold_error_ == repeated.threshold_error_
    left_out = TunedOneClassSVM().fit(np.r_[X, [[50.0, 50.0]]], sample_weight=np.r_[np.ones(200), 0.0])
    assert np.isnan(left_out.training_scores_[-1])
    assert np.array_equal(left_out.score_samples(new), first.score_samples(new))


def test_labels_choose_a_better_kernel_than_the_rule(rng):
    # Outliers differ by the sum of columns that go together, which only whitening shows.
    common = 3.0 * rng.normal(size=(600, 1))
    rows = common + 0.3 * rng.normal(size=(600, 4))
    strange = rows[500:] + rng.normal(size=(100, 4)) * [1.5, -1.5, 1.5, -1.5]
    X, y = np.r_[rows[:200], strange[:10]], np.r_[np.zeros(200, int), -np.ones(10, int)]
    test, truth = np.r_[rows[200:500], strange[10:]], np.r_[np.ones(300), np.zeros(90)]
    rule, model = TunedOneClassSVM(criterion="median").fit(X[:200]), TunedOneClassSVM().fit(X, y)
    areas = [roc_auc_score(truth, one.score_samples(test)) for one in (rule, model)]
    assert areas[1] > areas[0] + 0.02
    assert model.criterion_ == "roc_auc"
    assert model.result_.labelled == (0, 10)
    p = model.outlier_probability(test)
    assert p[truth == 0].mean() > 0.5 > 0.2 > p[truth == 1].mean()
    other = TunedOneClassSVM(scoring="average_precision").fit(X, y)
    assert other.criterion_ == "average_precision"
    assert len(other.cv_results_["params"]) == 12 * 4


def test_probabilities_are_for_the_share_and_ordered_as_scores(ring):
    X, usual, strange = ring
    model = TunedOneClassSVM().fit(X)
    p = model.outlier_probability(np.r_[usual, strange])
    assert ((p >= 0.0) & (p <= 1.0)).all()
    order = np.argsort(model.score_samples(np.r_[usual, strange]))
    assert (np.diff(p[order]) <= 0.0).all()
    assert p[200:].min() > 0.9
    assert np.median(p[:200]) < 0.2
    assert model.outlier_probability([[1e6, 1e6]])[0] == 1.0


def test_files_pickles_clones_and_explanations(ring, tmp_path):
    X, new, strange = ring
    labelled = np.r_[X, strange[:5]], np.r_[np.ones(200), -np.ones(5)]
    for model in (TunedOneClassSVM().fit(X), TunedOneClassSVM().fit(*labelled)):
        model.save(tmp_path / "model.npz")
        for other in (kernelwise.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
            assert np.array_equal(other.decision_function(new), model.decision_function(new))
            assert np.array_equal(other.outlier_probability(new), model.outlier_probability(new))
            assert repr(other.result_) == repr(model.result_)
        assert clone(model).get_params() == model.get_params()
    found = explain(model, new[:3])
    total = found.values.sum(axis=1) + np.ravel(found.base_values)
    assert total == pytest.approx(model.decision_function(new[:3]), abs=1e-9)
    inside = model.best_estimator_.decision_function(model.machine_samples(new))
    assert np.array_equal(inside, model.decision_function(new))
    assert model.best_estimator_.dual_coef_.sum() == pytest.approx(1.0)


def test_frames_gaps_and_sparse_rows(rng):
    frame = pd.DataFrame(rng.normal(size=(150, 2)), columns=["a", "b"])
    frame["c"] = np.where(rng.random(150) < 0.5, "x", "y")
    frame.loc[3, "a"] = np.nan
    model = TunedOneClassSVM().fit(frame)
    new = pd.DataFrame({"a": [0.0, 0.0], "b": [0.0, 9.0], "c": ["x", "x"]})
    assert model.predict(new).tolist() == [1, -1]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    X = sparse.random(100, 30, density=0.2, format="csr", random_state=0)
    found = TunedOneClassSVM().fit(X)
    assert isinstance(found.kernel_, RBF)
    assert "sparse" in [finding.name for finding in found.diagnostics_]
    assert found.score_samples(X).shape == (100,)


def test_many_rows_are_sampled_and_other_solvers_agree_on_the_order(rng, monkeypatch):
    from kernelwise.search import OneClass
    from kernelwise.search.final import one_class as final_one_class

    monkeypatch.setattr(OneClass, "max_rows", 200)
    monkeypatch.setattr(final_one_class, "MANY", 300)
    X, new = rng.normal(size=(500, 2)), rng.normal(size=(300, 2)) * 2.0
    fresh = rng.normal(size=(3000, 2))
    models = [TunedOneClassSVM(solver=solver).fit(X) for solver in ("auto", "exact", "nystroem")]
    auto, exact, _ = models
    assert {"sampled", "trained on a sample"} <= {finding.name for finding in auto.diagnostics_}
    assert auto.result_.n_rows == 300
    assert exact.result_.n_rows == 500
    ranks = [np.argsort(np.argsort(one.score_samples(new))) for one in models]
    for k, model in enumerate(models):
        assert np.isfinite(model.training_scores_).all()
        assert np.corrcoef(ranks[0], ranks[k])[0, 1] > 0.97
        assert (model.predict(fresh) == -1).mean() == pytest.approx(0.05, abs=0.03)


def test_given_kernels_criteria_and_a_time_budget(ring):
    X, new, _ = ring
    given = TunedOneClassSVM(RBF(0.5), nu=0.1).fit(X)
    assert (given.kernel_, given.nu_) == (RBF(0.5), 0.1)
    assert TunedOneClassSVM("linear").fit(X).outlier_probability(new).max() <= 1.0
    rule = TunedOneClassSVM(criterion="median").fit(X)
    assert isinstance(rule.kernel_, Laplacian)
    assert rule.n_svm_fits_ == 5 + 1
    assert TunedOneClassSVM("rbf", criterion="mass-volume").fit(X).n_svm_fits_ == 4 * 5 + 1
    with pytest.warns(KernelwiseWarning, match="time budget of 1e-09 s was too short for 2 more kernels"):
        short = TunedOneClassSVM(time_budget=1e-9).fit(X)
    assert short.kernel_ == rule.kernel_


def test_refuses_labels_without_an_outlier(ring):
    X = ring[0]
    y = np.arange(len(X)) % 2  # in many tables 1 means unusual
    with pytest.raises(ValueError, match=r"y has no outliers \(-1\).* 1 is the label of normal samples"):
        TunedOneClassSVM().fit(X, y)


def test_says_when_not_to_trust_it(rng, ring):
    def findings(model, *rows, message):
        with pytest.warns(TrustWarning, match=message):
            return {finding.name for finding in model.fit(*rows).diagnostics_}

    uniform = rng.uniform(size=(400, 3))
    assert "no structure" in findings(
        TunedOneClassSVM(), uniform, message="cannot tell rows of this data from random"
    )
    long = np.column_stack([np.exp(4.0 * rng.normal(size=300)), rng.normal(size=(300, 3))])
    assert "one feature dominates" in findings(TunedOneClassSVM(), long, message="Column 0 makes up 9. %")
    # Of two columns that vary, one has more than half of the distances always: that is no finding.
    two = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    assert "one feature dominates" not in {f.name for f in TunedOneClassSVM().fit(two).diagnostics_}
    assert "few rows" in findings(TunedOneClassSVM(), rng.normal(size=(12, 2)), message="fewer than 3 rows")
    X, y = rng.normal(size=(300, 2)), np.r_[np.zeros(280, int), -np.ones(20, int)]
    X[280:] *= 0.05  # where rows are densest
    assert "labels not found" in findings(TunedOneClassSVM("linear"), X, y, message="no better than chance")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TrustWarning)
        TunedOneClassSVM().fit(ring[0])
        copies = TunedOneClassSVM().fit(np.repeat(ring[0], 4, axis=0))
    assert "copies" in {finding.name for finding in copies.diagnostics_}


ROWS = np.arange(12.0).reshape(6, 2)
LABELS = np.array([1, 1, 0, 0, -1, -1])


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({}, ROWS[:1], None, "minimum of 2 is required"),
        ({}, np.ones((5, 2)), None, "All features are constant"),
        ({}, np.full((5, 2), np.inf), None, "infinity"),
        (
            {"contamination": 0.6},
            ROWS,
            None,
            "above 0 and at most 0.5 .None if it is not known.. Got 0.6 instead",
        ),
        (
            {"contamination": 0.0},
            ROWS,
            None,
            "above 0 and at most 0.5 .None if it is not known.. Got 0.0 instead",
        ),
        ({}, ROWS, -np.ones(6), "only outliers .-1."),
        ({}, ROWS, np.ones(6), "has no outliers"),
        ({}, ROWS, np.arange(6) > 3, "1 is the label of normal samples"),
        ({}, ROWS, np.arange(6), "has the label 2"),
        ({}, ROWS, [0, -1, -1, -1, -1, -1], "at least 2 different samples"),
        ({"cv": [([0, 1, 2], [3, 4, 5])]}, ROWS, None, "must hold out every sample once"),
        ({}, ROWS, ["a"] * 6, "has the label 'a'"),
        ({}, ROWS, LABELS[:3], r"shape \(3,\) for 6 samples"),
        ({"criterion": "kta"}, ROWS, None, "The 'criterion' parameter of TunedOneClassSVM must be one of"),
        (
            {"scoring": "f1"},
            ROWS,
            LABELS,
            "The 'scoring' parameter of TunedOneClassSVM must be None or one of",
        ),
        ({"nu": 0.0}, ROWS, None, "The 'nu' parameter of TunedOneClassSVM must be None or a number above 0"),
        ({"cv": 1}, ROWS, None, "'cv' of TunedOneClassSVM must be an integer of at least 2"),
        ({"kernel": "precomputed"}, ROWS, None, "Use OneClassSVM for a matrix"),
        ({"kernel": []}, ROWS, None, "empty list"),
        ({"scale": "log"}, ROWS, None, "'scale' of TunedOneClassSVM must be one of"),
        ({"time_budget": -1.0}, ROWS, None, "must be None or a positive number. Got -1.0"),
    ],
)
def test_refuses_in_one_sentence(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        TunedOneClassSVM(**parameters).fit(X, y)


def test_each_scored_kernel_is_printed(ring, capsys):
    model = TunedOneClassSVM(["rbf", "laplacian"], verbose=1).fit(ring[0])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(model.cv_results_["params"]) + 1 > 2
    assert f": score {model.best_score_:.4f} ± {model.result_.standard_error:.4f}." in lines[-1]
    assert all(line.startswith("[TunedOneClassSVM] ") and ", ν = " in line for line in lines)


@pytest.mark.filterwarnings("ignore:The solver stopped after")  # the final model, too
def test_models_of_the_search_that_did_not_converge_are_counted(ring):
    with pytest.warns(ConvergenceWarning, match=r"^\d+ of \d+ models of the search stopped before they"):
        model = TunedOneClassSVM(tol=1e-9, max_iter=1).fit(ring[0])
    (found,) = [finding for finding in model.diagnostics_ if finding.name == "not converged"]
    assert found.severity == "warning"


def test_a_row_of_weight_zero_is_labelled_by_the_model_that_never_saw_it(ring):
    X = np.r_[ring[0], [[30.0, 30.0], ring[0][0]]]
    weight = np.r_[np.ones(len(ring[0])), 0.0, 0.0]
    model = TunedOneClassSVM()
    labels = model.fit_predict(X, sample_weight=weight)
    assert labels[-2] == -1
    np.testing.assert_array_equal(labels[-2:], model.predict(X[-2:]))
