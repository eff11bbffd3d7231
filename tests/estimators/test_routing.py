"""Metadata routing: scikit-learn's own checks on the estimators that take a splitter and a scorer."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.tests.test_metaestimators_metadata_routing as routing_checks
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise import TunedSVC, TunedSVR
from kernelwise.estimators import GridSearchSVC
from kernelwise.kernels import RBF

pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")

SHARED = {
    "X": routing_checks.X,
    "y": routing_checks.y,
    "scorer_name": "scoring",
    "scorer_routing_methods": ["fit", "score"],
    "cv_name": "cv",
    "cv_routing_methods": ["fit"],
}
INIT = {
    TunedSVC: {"kernel": "linear", "Cs": [1.0]},
    TunedSVR: {"kernel": "linear", "Cs": [1.0], "epsilons": 0.1},
    GridSearchSVC: {"param_grid": {"C": [1.0]}},
}
CHECKS = [
    "test_default_request",
    "test_metadata_is_routed_correctly_to_scorer",
    "test_metadata_is_routed_correctly_to_splitter",
    "test_metadata_routed_to_group_splitter",
]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = random.normal(size=(60, 3)) + 0.8 * y[:, None]
    return X, y, random.uniform(0.5, 2.0, size=60), np.arange(60) // 2 % 6


@pytest.mark.parametrize("estimator", INIT)
@pytest.mark.parametrize("check", [name for name in CHECKS if hasattr(routing_checks, name)])
def test_checks_of_scikit_learn(estimator, check):
    getattr(routing_checks, check)({**SHARED, "metaestimator": estimator, "init_args": INIT[estimator]})


def test_there_are_checks_of_scikit_learn():
    assert sum(hasattr(routing_checks, name) for name in CHECKS) >= 3


@pytest.mark.parametrize("estimator", INIT)
def test_groups_reach_the_inner_folds_of_cross_validate(estimator, rows):
    """Of the inner splitter, or of our own folds where there is none."""
    X, y, _, groups = rows
    seen = []

    class Watched(GroupKFold):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            return super().split(X, y, groups)

    inner = estimator(**INIT[estimator], cv=Watched(2))
    with config_context(enable_metadata_routing=True):
        found = cross_validate(inner, X, y, params={"groups": groups}, cv=GroupKFold(3))
        assert len(found["test_score"]) == 3
        assert [len(set(one)) for one in seen] == [4, 4, 4]
        if estimator is not GridSearchSVC:
            plain = estimator(**INIT[estimator])
            found = cross_validate(
                plain, X, y, params={"groups": groups}, cv=GroupKFold(3), return_estimator=True
            )
            assert [one.n_splits_ for one in found["estimator"]] == [4, 4, 4]  # as many as groups are left


def test_groups_and_weights_reach_the_last_step_of_a_pipeline(rows):
    X, y, weight, groups = rows
    model = TunedSVC(RBF(0.2), Cs=[1.0, 10.0], cv=GroupKFold(3))
    alone = model.fit(StandardScaler().fit_transform(X), y, sample_weight=weight, groups=groups)
    with config_context(enable_metadata_routing=True):
        last = TunedSVC(RBF(0.2), Cs=[1.0, 10.0], cv=GroupKFold(3)).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, last).fit(X, y, sample_weight=weight, groups=groups)
    scores = [one.cv_results_["mean_test_score"] for one in (alone, pipeline[-1])]
    assert_allclose(*scores)


@pytest.mark.parametrize("estimator", [TunedSVC, GridSearchSVC])
@pytest.mark.parametrize("is_asked", [True, False])
def test_the_scorer_says_whether_it_is_given_the_weights(estimator, is_asked, rows):
    X, y, weight, _ = rows
    X, y, weight = np.vstack([X, X[:5]]), np.append(y, y[:5]), np.append(weight, np.full(5, 0.7))
    splits = [(np.arange(40), np.arange(40, 65)), (np.arange(20, 65), np.arange(20))]
    more = {"param_grid": {"C": [1.0], "gamma": [0.2]}} if estimator is GridSearchSVC else {}
    if not more:
        more = {"kernel": RBF(0.2), "Cs": [1.0], "scale": None}
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=is_asked)
        model = estimator(**more, cv=splits, scoring=scorer).fit(X, y, sample_weight=weight)
        gamma = model.cv_results_["param_gamma"][0]
        for k, (train, test) in enumerate(splits):
            from sklearn.svm import SVC

            machine = SVC(gamma=gamma, C=1.0).fit(X[train], y[train], sample_weight=weight[train])
            asked = {"sample_weight": weight[test]} if is_asked else {}
            expected = accuracy_score(y[test], machine.predict(X[test]), **asked)
            assert_allclose(model.cv_results_[f"split{k}_test_score"][0], expected)
        if is_asked:
            expected = accuracy_score(y, model.predict(X), sample_weight=weight)
            assert_allclose(model.score(X, y, sample_weight=weight), expected)


@pytest.mark.parametrize("estimator", INIT)
def test_what_a_scorer_was_not_asked_about_is_refused_in_its_words(estimator, rows):
    X, y, weight, _ = rows
    name = "r2" if estimator is TunedSVR else "accuracy"
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(UnsetMetadataPassedError, match="sample_weight"),
    ):
        estimator(**INIT[estimator], scoring=get_scorer(name)).fit(X, y, sample_weight=weight)


def test_several_scorers_have_each_their_own(rows):
    X, y, weight, _ = rows
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    with config_context(enable_metadata_routing=True):
        plain = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        weighted = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        scoring = {"plain": plain, "weighted": weighted}
        model = GridSearchSVC({"C": [1.0]}, scoring=scoring, refit="plain", cv=splits)
        found = model.fit(X, y, sample_weight=weight).cv_results_
    shares = found["split0_test_plain"] * 20
    assert_allclose(shares, np.rint(shares))
    assert abs(found["split0_test_weighted"] - found["split0_test_plain"]) > 1e-6


@pytest.mark.parametrize("estimator", INIT)
def test_without_routing_other_arguments_are_refused(estimator, rows):
    X, y, _, groups = rows
    with pytest.raises(TypeError, match=r"fit\(\) got an unexpected argument 'metadata'"):
        estimator(**INIT[estimator]).fit(X, y, metadata=groups)
    estimator(**INIT[estimator], cv=GroupKFold(2)).fit(X, y, groups=groups)


@pytest.mark.parametrize("estimator", INIT)
def test_requests_are_those_of_the_splitter_and_of_weights(estimator):
    with config_context(enable_metadata_routing=True):
        model = estimator(**INIT[estimator], cv=GroupKFold(2)).set_fit_request(sample_weight=True)
        assert model.get_metadata_routing().consumes("fit", ["sample_weight", "groups", "other"]) == {
            "sample_weight",
            "groups",
        }
        assert_array_equal(model.get_metadata_routing().consumes("predict", ["groups"]), set())
