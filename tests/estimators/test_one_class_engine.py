"""TunedOneClassSVM by the engine of all: report, threads, journal, groups, routing, time, callbacks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut
from tests.estimators.test_tuned_svc_callbacks import Recorder

from kernelwise import TunedOneClassSVM
from kernelwise.estimators.tuned import fit_in_context
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.search import FitContext


@pytest.fixture(scope="module")
def rows():
    """Rows of twelve groups, each around a place of its own, and labels: some of the last are outliers."""
    random = np.random.default_rng(0)
    groups = np.arange(240) % 12
    X = 2.0 * random.normal(size=(12, 3))[groups] + 0.3 * random.normal(size=(240, 3))
    X[-8:] += 4.0 * random.normal(size=(8, 3))
    label = np.where(np.arange(240) >= 232, -1, np.where(np.arange(240) < 20, 1, 0))
    return X, label, groups


def same(one, other, X):
    """Raise unless two models chose and answer the same."""
    assert one.kernel_ == other.kernel_
    assert (one.nu_, one.best_score_, one.threshold_) == (other.nu_, other.best_score_, other.threshold_)
    assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    assert_array_equal(one.training_scores_, other.training_scores_)
    assert_array_equal(one.score_samples(X), other.score_samples(X))


def test_report(rows, tmp_path):
    X, label, _ = rows
    for y, rows_and_labels in ((None, ()), (label, (X, label))):
        model = TunedOneClassSVM().fit(X, y)
        model.report(tmp_path / "report.html", *rows_and_labels)
        n = int((model.training_scores_ < model.threshold_).sum())
        told = f"The {n} strangest of 240 rows" if y is None else f"{n} of 240 rows are unusual"
        assert told in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("has_labels", [False, True])
def test_any_number_of_threads_answers_the_same(rows, has_labels):
    X, label, _ = rows
    y = label if has_labels else None
    same(TunedOneClassSVM().fit(X, y), TunedOneClassSVM(n_jobs=2).fit(X, y), X)


class Killed(Exception):
    """What ends a fit in its middle."""


@pytest.mark.parametrize("has_labels", [False, True])
def test_a_fit_that_was_stopped_goes_on_from_its_journal(rows, has_labels):
    X, label, _ = rows
    y, journal, seen = label if has_labels else None, {}, []

    def die_at_the_second(scored):
        seen.append(scored)
        if len(seen) == 2:
            raise Killed

    with pytest.raises(Killed):
        fit_in_context(TunedOneClassSVM(), X, y, FitContext(journal=journal, on_scored=die_at_the_second))
    assert len(journal) == 2
    found = dict(journal)
    resumed = fit_in_context(TunedOneClassSVM(), X, y, FitContext(journal=journal))
    same(resumed, TunedOneClassSVM().fit(X, y), X)
    assert len(journal) == (12 if has_labels else 3)
    assert found.items() <= journal.items()
    # Another ν is another cell.
    fit_in_context(TunedOneClassSVM(nu=0.3), X, y, FitContext(journal=journal))
    assert len(journal) == 2 * (12 if has_labels else 3)


def test_groups_stay_whole(rows):
    X, _, groups = rows
    alone, whole = TunedOneClassSVM(RBF(8.0), cv=4), TunedOneClassSVM(RBF(8.0), cv=4)
    alone.fit(X)
    whole.fit(X, groups=groups)
    # A row is strange to machines that have seen no other of its group.
    assert np.median(whole.training_scores_) < 0.2 * np.median(alone.training_scores_)
    names = np.array(list("lkjihgfedcba"))[groups]
    order = np.random.default_rng(1).permutation(240)
    other = TunedOneClassSVM(RBF(8.0), cv=4).fit(X[order], groups=names[order])
    assert_array_equal(other.training_scores_, whole.training_scores_[order])
    one = TunedOneClassSVM(RBF(8.0), cv=LeaveOneGroupOut()).fit(X, groups=groups)
    assert one.n_splits_ == 12
    with pytest.raises(ValueError, match="needs groups"):
        TunedOneClassSVM(cv=GroupKFold(3)).fit(X)


def test_outliers_are_asked_about_by_all_folds_of_groups(rows):
    X, label, groups = rows
    model = TunedOneClassSVM("rbf", nu=0.5).fit(X, label, groups=groups)
    labels = model.fit_predict(X, label, groups=groups)
    assert (labels[label == -1] == -1).mean() > 0.5
    assert np.isfinite(model.training_scores_).all()
    given = [(np.flatnonzero(groups % 3 != k), np.flatnonzero(groups % 3 == k)) for k in range(3)]
    one = TunedOneClassSVM("rbf", nu=0.5, cv=given).fit(X, label)
    assert one.n_splits_ == 3


def test_metadata_is_routed_to_the_splitter(rows):
    X, _, groups = rows
    plain = TunedOneClassSVM("rbf", cv=GroupKFold(3)).fit(X, groups=groups)
    with config_context(enable_metadata_routing=True):
        model = TunedOneClassSVM("rbf", cv=GroupKFold(3)).fit(X, groups=groups)
        other = TunedOneClassSVM("rbf", cv=KFold(3))
        with pytest.raises(TypeError, match="groups"):
            other.fit(X, groups=groups)
    same(plain, model, X)
    with pytest.raises(TypeError, match="unexpected argument 'colour'"):
        TunedOneClassSVM().fit(X, colour="red")


def test_a_short_time_leaves_kernels_and_rows_out():
    X = np.random.default_rng(0).normal(size=(900, 2))
    with pytest.warns(KernelwiseWarning, match="time budget of 1e-09 s was too short for 2 more kernels"):
        model = TunedOneClassSVM(time_budget=1e-9).fit(X)
    assert len(model.cv_results_["params"]) == 1
    (sampled,) = [one.message for one in model.diagnostics_ if one.name == "sampled"]
    assert sampled == "The search chose the kernel on a sample of 300 of 900 distinct rows."
    assert np.isfinite(model.training_scores_).all()
    assert len(TunedOneClassSVM(time_budget=1000.0).fit(X).cv_results_["params"]) == 3


def test_callbacks_see_a_task_for_every_kernel(rows):
    pytest.importorskip("sklearn.callback")
    recorder = Recorder()
    TunedOneClassSVM().set_callbacks(recorder).fit(rows[0])
    kernels, refit = ["begin kernel", "end kernel"] * 3, ["begin refit", "end refit"]
    assert recorder.events == ["setup", "begin fit", *kernels, *refit, "end fit", "teardown"]
