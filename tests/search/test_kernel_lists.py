"""A list of kernels: a choice among them and their sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes

import kernelwise
from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import RBF, Hyperparameter, Kernel, KernelSum, Laplacian
from kernelwise.search.wording import score_text

CS = [1.0, 16.0]


class Histograms(Kernel):
    """Σ_k min(x_k, y_k) of shifted features: a kernel of a user's own without any parameter."""

    def _gram(self, X, Y):
        return np.minimum(X[:, None], Y[None]).sum(axis=-1) + 10.0 * X.shape[1]

    def _diagonal(self, X):
        return X.sum(axis=1) + 10.0 * X.shape[1]

    def _gradient_dot(self, X, Y, W, K):
        return np.empty(0)


class Cauchy(Kernel):
    """1 / (1 + a‖x − y‖²), which does not say how a scales with the inputs."""

    hyperparameters = (Hyperparameter("a"),)

    def __init__(self, a=1.0):
        self.a = a

    def _gram(self, X, Y):
        return 1.0 / (1.0 + self.a * ((X[:, None] - Y[None]) ** 2).sum(axis=-1))

    def _diagonal(self, X):
        return np.ones(len(X))

    def _gradient_dot(self, X, Y, W, K):
        K = self._gram(X, Y)
        return np.array([-np.vdot(W, K * (1.0 - K))])


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:120, :5], y[:120]


def chosen(model):
    """What is said of the form that won."""
    return next(sentence for sentence in model.result_.why if "forms of kernel" in sentence)


def test_every_form_has_the_score_that_it_has_alone(tumours):
    names = ["rbf", "laplacian", "linear", "mahalanobis"]
    model = TunedSVC(names, Cs=CS).fit(*tumours)
    assert list(model.result_.forms) == [*names, "sum"]
    for name in names:
        alone = TunedSVC(name, Cs=CS).fit(*tumours)
        assert model.result_.forms[name] == alone.cv_results_["smoothed_test_score"].max()
        assert alone.result_.forms == {}
    assert f"compared 5 forms of kernel and chose {name_of(model)}: " in chosen(model)


def name_of(model):
    by_class = {"RBF": "rbf", "KernelSum": "sum"}
    kind = type(model.kernel_).__name__
    return by_class.get(kind, kind.lower())


def test_kernels_of_ones_own_are_summed_too(tumours):
    model = TunedSVC(["rbf", Histograms(), Cauchy(0.1), Cauchy(1.0)], Cs=CS).fit(*tumours)
    assert list(model.result_.forms) == ["rbf", "Histograms", "Cauchy", "Cauchy 2", "sum"]
    assert Histograms().get_params() == {}


def test_a_kernel_is_tried_once_however_often_it_is_named(tumours):
    model = TunedSVC(["rbf", RBF(0.1), "rbf", RBF(0.1), RBF(0.3)], Cs=CS).fit(*tumours)
    assert list(model.result_.forms) == ["rbf", "RBF", "RBF 2", "sum"]
    one = TunedSVC(["laplacian", "laplacian"], Cs=CS).fit(*tumours)
    plain = TunedSVC("laplacian", Cs=CS).fit(*tumours)
    assert (one.kernel_, one.C_, one.n_svm_fits_) == (plain.kernel_, plain.C_, plain.n_svm_fits_)
    assert one.result_.why[-1] == "The search tried only one of the forms of kernel: laplacian."


def test_a_sum_in_the_list_is_searched_with_its_weights(tumours):
    start = KernelSum([RBF(0.1), Laplacian(0.1)])
    model = TunedSVC([start, "rbf"], Cs=CS).fit(*tumours)
    assert list(model.result_.forms) == ["KernelSum", "rbf", "sum"]
    np.testing.assert_allclose(start.theta_values, [1.0, 1.0, 0.1, 0.1])
    history = TunedSVC(start, criterion="centered-kta", Cs=CS).fit(*tumours).result_.search.history
    assert history[0]["weights[1]"] == pytest.approx(1.0)
    assert history[0]["kernels[1].gamma"] == pytest.approx(0.1)


def test_a_criterion_chooses_within_every_form(tumours):
    model = TunedSVC(["rbf", "laplacian"], criterion="kta", Cs=CS).fit(*tumours)
    assert list(model.result_.forms) == ["rbf", "laplacian", "sum"]
    for name in ("rbf", "laplacian"):
        alone = TunedSVC(name, criterion="kta", Cs=CS).fit(*tumours)
        assert model.result_.forms[name] == alone.cv_results_["smoothed_test_score"].max()


def test_a_time_budget_leaves_forms_out(tumours):
    with pytest.warns(kernelwise.exceptions.KernelwiseWarning, match="was too short for"):
        model = TunedSVC(["rbf", "laplacian"], time_budget=1e-6).fit(*tumours)
    assert list(model.result_.forms) == ["rbf"]


def test_sparse_rows_are_refused_before_anything_is_tried(tumours):
    X, y = tumours
    for kernel in (["rbf", "laplacian"], ["rbf", Laplacian()], "laplacian"):
        with pytest.raises(IncompatibleError, match=r"X is sparse, and Laplacian .* Pass X.toarray\(\)"):
            TunedSVC(kernel).fit(sparse.csr_matrix(X), y)
    model = TunedSVC(["rbf", "linear"], Cs=CS).fit(sparse.csr_matrix(X), y)
    assert list(model.result_.forms) == ["rbf", "linear", "sum"]


def test_numbers_have_forms_too_and_files_keep_them(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = TunedSVR(["rbf", "linear"], epsilons=0.1, Cs=CS).fit(X[:100], y[:100])
    assert list(model.result_.forms) == ["rbf", "linear", "sum"]
    assert model.result_.forms["sum"] <= max(model.cv_results_["smoothed_test_score"])
    model.save(tmp_path / "model.npz")
    assert kernelwise.load(tmp_path / "model.npz").result_.forms == model.result_.forms
    model.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The forms of kernel that the search compared" in page
    shown = score_text(model.result_.forms["linear"], False, model.result_.standard_error)
    assert f'<tr><td>linear</td><td class="n">{shown}</td></tr>' in page
