"""Every kernel with every criterion: one kernel and one C, or a clear error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernelwise import DistanceSketch, TunedSVC
from kernelwise.criteria import CRITERIA, Criterion, ValidationError, as_criterion
from kernelwise.exceptions import BoundaryWarning, IncompatibleError, KernelwiseWarning
from kernelwise.kernels import KERNELS, RBF
from kernelwise.optimizers import GridSearch
from kernelwise.search.choose import LEARNED, choose
from kernelwise.search.engine.context import Deadline

SUMS = ("dbtc", "esdr", "j4", "polarization", "kta", "centered-kta")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:120, :6], y[:120]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("criterion", ["auto", *SUMS])
def test_every_pair_gives_a_machine(kernel, criterion, cancer):
    X, y = cancer
    if kernel in LEARNED:  # learned once for all rows and once for every fold
        X, y = X[::2, :3], y[::2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)  # criteria without a peak, indefinite sigmoids
        model = TunedSVC(kernel, criterion=criterion, cv=2).fit(X, y)
    majority = np.bincount(y).max() / len(y)
    assert model.best_score_ >= majority - 0.05 or kernel == "sigmoid"
    assert model.result_.why
    assert type(model.kernel_).__name__ in str(model.result_)
    used = type(None) if criterion == "auto" else type(as_criterion(criterion))
    assert type(model.result_.criterion) is used


def test_a_precomputed_kernel_has_only_c(cancer):
    X, y = cancer
    K = RBF(0.2)(StandardScaler().fit_transform(X))
    models = [TunedSVC("precomputed", criterion=criterion).fit(K, y) for criterion in ("auto", *SUMS)]
    assert len({model.C_ for model in models}) == 1
    assert (
        models[0].result_.why[-1]
        == "The kernel precomputed has no parameter to choose, so the search chose only C."
    )


def test_a_criterion_is_maximised_by_the_sketch(make_validator, cancer):
    X, y = cancer
    Z = StandardScaler().fit_transform(X)
    choice = choose(make_validator(Z, y, cv=3), "rbf", "dbtc")
    best = DistanceSketch.from_data(Z, y).maximize("dbtc", None)
    assert_allclose(choice.scored.kernel.gamma, best.gamma)
    curve = choice.criterion_path["dbtc"]
    assert abs(np.log2(choice.criterion_path["gamma"][curve.argmax()] / best.gamma)) <= 0.5
    assert "interior peak of dbtc" in choice.how[0]


def test_a_criterion_without_a_peak_warns_and_is_found(make_validator):
    random = np.random.default_rng(0)
    Z = random.normal(size=(60, 2))
    Z[30:, 0] += 4.0
    validator = make_validator(Z, np.repeat([0, 1], 30), cv=3)
    with pytest.warns(BoundaryWarning, match="esdr has no peak") as caught:
        choose(validator, "rbf", "esdr")
    (finding,) = validator.context.findings
    assert finding.name == "plateau"
    assert [str(warning.message) for warning in caught] == [str(finding)]


def test_a_search_of_ones_own(make_validator, rings):
    choice = choose(make_validator(*rings, cv=3), RBF(1.0), "dbtc", GridSearch({"gamma": [0.5, 2.0, 8.0]}))
    assert choice.scored.kernel.gamma in (0.5, 2.0, 8.0)
    assert choice.search.n_evaluations == 3
    assert len(choice.criterion_path["value"]) == 3


def test_criterion_objects_keep_their_settings(make_validator, rings):
    choice = choose(make_validator(*rings, cv=3), "rbf", as_criterion("centered-kta"))
    assert choice.search.criterion.centered


def test_the_widths_around_the_best_are_tried(make_validator, rings):
    validator = make_validator(*rings, cv=3)
    choice = choose(validator, "rbf", "auto")
    gammas = np.array([path.kernel.gamma for path in validator.scored])
    best = choice.scored.kernel.gamma
    assert choice.scored.best_score == max(path.best_score for path in validator.scored)
    assert ((gammas > best) & (gammas < best * 4.5)).any()
    assert ((gammas < best) & (gammas > best / 4.5)).any()
    assert choice.scored.best_score > 0.98


def test_a_kernel_object_is_the_start(make_validator, rings):
    """Its width is only a start: the sketch names the same widths."""
    one, other = (choose(make_validator(*rings, cv=3), kernel, "auto") for kernel in (RBF(100.0), "rbf"))
    assert_allclose(one.scored.kernel.gamma, other.scored.kernel.gamma)


def test_without_time_the_start_is_scored_alone(make_validator, rings):
    deadline = Deadline(1.0, clock=iter([0.0] * 2 + [5.0] * 50).__next__)
    validator = make_validator(*rings, cv=3, deadline=deadline)
    choice = choose(validator, "kmod", "auto")
    assert choice.scored.reason == "start from the data"
    assert len(validator.scored) == 1
    assert "search of the highest alignment" in deadline.skipped


def test_every_named_criterion_is_known_here():
    """A new one belongs in `SUMS`, or in a test of its own."""
    assert set(SUMS) <= set(CRITERIA)


def test_pairs_that_cannot_work_are_refused(cancer):
    with pytest.raises((IncompatibleError, ValueError), match="dbct"):
        TunedSVC(criterion="dbct").fit(*cancer)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.BoundaryWarning")
def test_a_c_with_all_labels_alike_is_not_taken():
    """The sigmoid of the held-out error takes up the offset: E is low where no decision value is positive."""
    y = np.repeat([0, 1], [35, 25])
    X = np.random.default_rng(6).normal(size=(60, 3)) + 0.8 * y[:, None]
    model = TunedSVC(criterion="cv-error").fit(X, y)
    assert model.best_score_ > 0.7
    assert "worse-C" in [finding.name for finding in model.diagnostics_]
    assert any(f"C = {model.C_:.4g}, which the search chose" in one for one in model.result_.why)


def test_folds_of_a_held_out_criterion_are_no_regions_of_the_feature_space():
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC(criterion="cv-error", Cs=[0.1, 1.0, 10.0]).fit(X, y)
    assert model.best_score_ > 0.96
    # By folds that are consecutive rows along a direction, E of the same kernels is beyond 0.1.
    assert model.result_.search.value < 0.06


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("Cs", "searches"), [([2.0], False), ([0.5, 3.0], True)])
def test_a_criterion_searches_c_between_the_values_given(make_validator, cancer, Cs, searches):
    X, y = cancer
    choice = choose(
        make_validator(StandardScaler().fit_transform(X), y, cv=3, Cs=np.array(Cs)), "rbf", "cv-error"
    )
    tried = choice.criterion_path["C"] if searches else [choice.search.criterion.C]
    assert min(tried) >= Cs[0] * (1 - 1e-12)
    assert max(tried) <= Cs[-1] * (1 + 1e-12)
    assert choice.search.criterion.search_C == searches
    assert choice.C in Cs


class Unsmooth(Criterion):
    """A step function of alignment: values without a derivative."""

    name, is_differentiable = "unsmooth", False

    def __init__(self):
        pass

    def score(self, K, y, sample_weight=None):
        return float(np.round(as_criterion("kta").score(K, y, sample_weight), 3))


def test_a_criterion_without_a_derivative_is_searched_by_values(cancer):
    X, y = cancer
    model = TunedSVC("rbf", criterion=Unsmooth()).fit(X, y)
    best = DistanceSketch.from_data(StandardScaler().fit_transform(X), y).maximize("kta", None)
    assert abs(model.result_.search.score - best.values[0]) < 2e-3
    assert TunedSVC("kmod", criterion=Unsmooth()).fit(X, y).result_.search.stop_reason == "grid exhausted"
    with pytest.raises(
        IncompatibleError, match=r"Unsmooth has no derivative.* Gaussian has too many parameters for that .36"
    ):
        TunedSVC("gaussian", criterion=Unsmooth()).fit(X, y)
    forms = TunedSVC("auto", criterion=Unsmooth()).fit(X, y).cv_results_["param_kernel"]
    assert {type(kernel).__name__ for kernel in forms} == {"RBF", "Laplacian", "KernelSum"}


def test_rows_to_hold_out_cannot_be_given_to_a_search_that_sorts_them(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match="'validation' of ValidationError must be a share such as"):
        TunedSVC(criterion=ValidationError(validation=np.arange(30))).fit(X, y)


def test_a_search_that_no_criterion_uses_is_said(blobs):
    model = TunedSVC("rbf", search="grid", Cs=[1.0], cv=2).fit(*blobs)
    (found,) = [finding for finding in model.diagnostics_ if finding.name == "unused search"]
    assert found.severity == "warning"
    assert found.message.startswith("'search' had no effect")
    used = TunedSVC("rbf", criterion="kta", search="grid", Cs=[1.0], cv=2).fit(*blobs)
    assert "unused search" not in [finding.name for finding in used.diagnostics_]


def test_a_final_model_whose_c_is_not_chosen_by_the_folds_of_the_user_says_so(blobs):
    def names(cv):
        model = TunedSVC("rbf", solver="nystroem", Cs=[1.0], cv=cv).fit(*blobs)
        return [finding.name for finding in model.diagnostics_]

    assert "nystroem folds" in names(ShuffleSplit(3, test_size=0.3, random_state=0))
    assert "nystroem folds" not in names(3)
