"""The form of a kernel: what is tried, what is preferred, and what is said about it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris, make_classification, make_friedman3
from sklearn.metrics import log_loss

from kernelwise import TunedSVC, TunedSVR
from kernelwise.kernels import RBF, DiagonalGaussian, DiagonalLaplacian, KernelSum, Laplacian, Linear
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.scored_kernel import FoldKernels
from kernelwise.search.families.classification import Classification
from kernelwise.search.propose.gradient_metric import at_widths, summed, weighted
from kernelwise.search.scoring.probabilities import held_out_log_losses
from kernelwise.solvers.probability import fit_platt, platt_probability


def kinds(model):
    """Classes of the kernels that were scored."""
    return {type(kernel).__name__ for kernel in model.cv_results_["param_kernel"]}


FORMS = {"RBF", "Laplacian", "DiagonalGaussian", "DiagonalLaplacian", "KernelSum"}


@pytest.fixture(scope="module")
def steps():
    """Classes that single features tell apart by steps: easier for a city-block kernel."""
    X, _ = make_classification(150, 4, n_informative=4, n_redundant=0, random_state=0)
    return X, ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2)).astype(int)


def test_auto_is_the_default_and_tries_five_forms(steps):
    model = TunedSVC(blend=False).fit(*steps)
    assert kinds(model) == FORMS
    (sentence,) = (one for one in model.result_.why if "forms of kernel" in one)
    assert sentence.startswith("The search compared 5 forms of kernel and chose ")
    scores = next(one for one in model.result_.how if one.startswith("The scores that the search compared"))
    for name in ("rbf", "laplacian", "weighted rbf", "weighted laplacian", "sum"):
        assert f"{name} {100 * model.result_.forms[name]:.1f} %" in scores
    assert " %" not in sentence
    assert "gamma" in model.criterion_path_


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_choice_is_the_lowest_cost_within_one_standard_error(sign, monkeypatch):
    """Costs that rise prefer the first form that is close to the best, costs that fall the last."""
    X, y = load_iris(return_X_y=True)
    asked = []

    def cost(self, held, decision):
        asked.append(decision)
        return sign * len(asked)

    monkeypatch.setattr(Classification, "finer_cost", cost)
    model = TunedSVC().fit(X, y)
    table, best = model.cv_results_, {}
    for k, kernel in enumerate(table["param_kernel"]):
        name, score = type(kernel).__name__, table["smoothed_test_score"][k]
        best[name] = max(best.get(name, (-np.inf, k)), (score, k), key=lambda pair: pair[0])
    top, at = max(best.values())
    raw = table["mean_test_score"][at]
    close = [name for name, (score, _) in best.items() if score >= top - np.sqrt(raw * (1 - raw) / len(y))]
    assert len(asked) == len(close) > 1
    assert type(model.kernel_).__name__ == close[0 if sign > 0 else -1]


def test_the_log_loss_is_that_of_held_out_probabilities(steps):
    X, y = steps
    model = TunedSVC("rbf").fit(X, y)
    record = model.fit_record_
    held = Samples(X, record.truth, record.truth, record.weight, record.weight)
    decision = np.log(record.probability / (1.0 - record.probability))[:, None]
    found, other = held_out_log_losses(held, np.stack([decision, decision**3]), 2, "ovo")
    assert_allclose(other, held_out_log_losses(held, decision[None] ** 3, 2, "ovo")[0], rtol=1e-9)
    p = platt_probability(decision[:, 0], *fit_platt(decision[:, 0], record.truth))
    assert_allclose(found, log_loss(record.truth, p), rtol=1e-6)
    # Of log odds that are nearly calibrated Platt's sigmoid is nearly the identity.
    assert_allclose(found, log_loss(record.truth, record.probability), rtol=0.03)


def test_numbers_prefer_a_sum_of_several_widths():
    model = TunedSVR().fit(*make_friedman3(150, noise=0.1, random_state=0))
    assert list(model.result_.forms) == [
        "rbf",
        "laplacian",
        "weighted rbf",
        "weighted laplacian",
        "sum",
        "weighted sum",
    ]
    assert isinstance(model.kernel_, KernelSum)
    names = [type(part).__name__ for part in model.kernel_.kernels]
    assert names in (4 * ["RBF"] + 4 * ["Laplacian"], 4 * ["DiagonalGaussian"] + 4 * ["DiagonalLaplacian"])
    assert any("the search prefers a sum of kernels" in sentence for sentence in model.result_.why)
    assert any("kernels of several widths" in sentence for sentence in model.result_.how)
    assert_allclose(model.relevance_.sum(), 1.0)


def test_one_feature_of_numbers_has_one_sum():
    X, y = load_diabetes(return_X_y=True)
    model = TunedSVR().fit(X[:100, 2:3], y[:100])
    assert list(model.result_.forms) == ["rbf", "laplacian", "sum"]


def test_a_criterion_of_numbers_leaves_the_sum_of_the_kernels_that_it_chose():
    X, y = load_diabetes(return_X_y=True)
    model = TunedSVR(criterion="centered-kta").fit(X[:100], y[:100])
    assert list(model.result_.forms) == ["rbf", "laplacian", "sum"]
    kernels = {type(kernel).__name__: kernel for kernel in model.cv_results_["param_kernel"]}
    assert kernels["KernelSum"].kernels == [kernels["RBF"], kernels["Laplacian"]]


def test_widths_are_those_of_the_median_distance():
    Z = np.random.default_rng(0).normal(size=(40, 3))
    q = np.array([2.0, 1.0, 0.1])
    for kernel in (RBF(7.0), Laplacian(0.01), DiagonalGaussian(q), DiagonalLaplacian(q)):
        for found, width in zip(at_widths(kernel, Z, (0.25, 4.0)), (0.25, 4.0), strict=True):
            assert type(found) is type(kernel)
            above = found(Z)[np.triu_indices(40, 1)]
            assert_allclose(-np.log(np.median(above)), width, rtol=0.02)  # of two middle values
    several = at_widths(FoldKernels(RBF(3.0), [RBF(1.5), RBF(6.0)]), Z, (1.0,))
    (one,) = several
    assert_allclose([kernel.gamma / one.final.gamma for kernel in one.by_fold], [0.5, 2.0])


def test_a_list_is_a_choice_among_its_kernels_and_their_sum(steps):
    model = TunedSVC([Linear(), "laplacian", RBF(0.1)]).fit(*steps)
    assert kinds(model) == {"Linear", "Laplacian", "RBF", "KernelSum"}
    assert any("compared 4 forms of kernel" in sentence for sentence in model.result_.why)
    alone = TunedSVC(["laplacian"]).fit(*steps)
    assert kinds(alone) == {"Laplacian"}
    assert alone.C_ == TunedSVC("laplacian").fit(*steps).C_


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ([], "is an empty list"),
        (["rbf", "auto"], "is a list with 'auto', which is not a kernel of samples"),
        (["precomputed"], "is a list with 'precomputed'"),
        (["rbf", "nonsense"], "got 'nonsense'"),
    ],
)
def test_lists_that_cannot_be_are_refused(kernel, message, steps):
    with pytest.raises(ValueError, match=message):
        TunedSVC(kernel).fit(*steps)


def test_sparse_samples_have_rbf_kernels_only():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC().fit(sparse.csr_array(X), y)
    assert kinds(model) == {"RBF"}
    assert "only RBF kernels, because the features are sparse" in " ".join(model.result_.how)


def test_one_feature_has_no_weights(steps):
    X, y = steps
    assert kinds(TunedSVC().fit(X[:, :1], y)) == {"RBF", "Laplacian", "KernelSum"}


def test_a_criterion_chooses_the_widths_of_both_forms(steps):
    model = TunedSVC(criterion="dbtc").fit(*steps)
    assert kinds(model) == {"RBF", "Laplacian", "KernelSum"}


def test_no_time_leaves_the_first_form(steps):
    with pytest.warns(UserWarning, match="too short"):
        model = TunedSVC(time_budget=1e-9).fit(*steps)
    assert kinds(model) == {"RBF"}
    assert any("tried only one of the forms of kernel: rbf" in sentence for sentence in model.result_.why)


def test_many_columns_of_which_few_matter_are_screened():
    for d, n_informative, is_tried in ((20, 3, True), (19, 3, False), (20, 18, False)):
        X, y = make_classification(
            200, d, n_informative=n_informative, n_redundant=0, n_clusters_per_class=1, random_state=1
        )
        model = TunedSVC(Cs=[1.0]).fit(X, y)
        assert ("screened rbf" in model.result_.forms) == is_tried


def test_weights_follow_the_outer_products():
    products = [np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.8])]
    found = weighted(RBF(0.5), products)
    assert isinstance(found, FoldKernels)
    assert len(found.by_fold) == 1
    squares = 3.0 * products[1] + 1e-3
    assert isinstance(found.final, DiagonalGaussian)
    assert_allclose(found.final.q, squares / squares.mean(), rtol=1e-6)
    city = weighted(Laplacian(0.5), products).final
    assert isinstance(city, DiagonalLaplacian)
    assert_allclose(city.q, 0.5 * np.sqrt(squares) / np.sqrt(squares).mean(), rtol=1e-6)


def test_a_sum_has_the_kernels_of_every_fold():
    parts = FoldKernels(RBF(3.0), [RBF(1.0), RBF(2.0)])
    found = summed([Laplacian(0.1), parts], 2)
    assert found.final == KernelSum([Laplacian(0.1), RBF(3.0)])
    assert found.by_fold[1] == KernelSum([Laplacian(0.1), RBF(2.0)])
