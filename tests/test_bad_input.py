"""Bad input gets one clear sentence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from kernelwise.criteria import CRITERIA, ESDR, J4, as_criterion
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import (
    KERNELS,
    KMOD,
    RBF,
    DiagonalGaussian,
    ExponentialRBF,
    Gaussian,
    LowRankGaussian,
    Mahalanobis,
    Polynomial,
    Sigmoid,
    as_kernel,
)
from kernelwise.metrics import esdr, kernel_target_alignment
from kernelwise.problem import TuningProblem

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.repeat([0, 1], 6)
K = RBF(0.5)(X)


@pytest.mark.parametrize("name", KERNELS)
def test_nan_is_named_with_its_place(name):
    kernel = as_kernel(name).initialize(X, Y)
    broken = X.copy()
    broken[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN in row 4, column 1\. Remove or impute"):
        kernel(broken)
    with pytest.raises(ValueError, match="Y contains NaN in row 4, column 1"):
        kernel(X, broken)
    broken[4, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity in row 4, column 1"):
        kernel(sparse.csr_array(broken))
    with pytest.raises(ValueError, match="X contains infinity"):
        TuningProblem(name, "dbtc", broken, Y)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: RBF(-1.0), "'gamma' of RBF must be a positive float, got -1.0"),
        (lambda: RBF(np.nan), "'gamma' of RBF must be a positive float, got nan"),
        (lambda: RBF("wide"), "'gamma' of RBF must be a positive float, got 'wide'"),
        (lambda: ExponentialRBF(0.0), "'gamma' of ExponentialRBF must be a positive float, got 0.0"),
        (lambda: KMOD(1.0, -2.0), "'sigma' of KMOD must be a positive float, got -2.0"),
        (lambda: Polynomial(degree=2.5), "'degree' of Polynomial must be a positive integer, got 2.5"),
        (lambda: Polynomial(coef0=-1.0), "'coef0' of Polynomial must not be negative, got -1.0"),
        (lambda: Sigmoid(coef0=np.inf), "'coef0' of Sigmoid must be a finite float, got inf"),
        (lambda: Mahalanobis(0.0), "'delta' of Mahalanobis must be a positive float, got 0.0"),
        (lambda: Mahalanobis(1.0, "both"), "'covariance' of Mahalanobis must be one of 'diagonal', 'full'"),
        (lambda: Mahalanobis(1.0, [1.0, -1.0]), "positive semi-definite, its smallest variance is -1"),
        (lambda: Mahalanobis(1.0, np.ones((2, 3))), r"has shape \(2, 3\), expected \(m,\) or \(m, m\)"),
        (lambda: DiagonalGaussian([1.0, 0.0]), "must be positive, got 0.0 for feature 1"),
        (lambda: DiagonalGaussian(np.ones((2, 2))), "one weight per feature, got shape"),
        (lambda: Gaussian([[1.0, 2.0], [2.0, 1.0]]), "positive definite, its smallest eigenvalue is -1"),
        (lambda: Gaussian([[1.0, 2.0], [0.0, 1.0]]), "must be finite and symmetric"),
        (lambda: Gaussian(np.ones(3)), "must be a square matrix"),
        (lambda: LowRankGaussian(np.ones(3)), r"must be a finite \(rank, n_features\) matrix"),
        (lambda: LowRankGaussian(rank=0), "'rank' of LowRankGaussian must be a positive integer, got 0"),
        (lambda: ESDR(strategy="all"), "'strategy' of ESDR must be one of 'pooled', 'ovr', 'ovo', got 'all'"),
        (lambda: J4(class_weight="even"), "'class_weight' of J4 must be one of 'balanced', got 'even'"),
        (lambda: as_criterion("aligment"), "criterion must be a Criterion or one of 'dbtc'"),
        (lambda: as_criterion("dbct"), "There is no criterion 'dbct'. Did you mean 'dbtc'"),
        (lambda: as_kernel("rfb"), r"got 'rfb'\. Did you mean 'rbf'\?"),
    ],
)
def test_parameters_out_of_their_domain_are_refused_at_once(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    "kernel", [DiagonalGaussian([1.0, 1.0]), Gaussian(np.eye(2)), LowRankGaussian([[1.0, 1.0]])]
)
def test_samples_with_other_features_than_the_kernel_are_refused(kernel):
    with pytest.raises(ValueError, match="was made for 2 features, got 3"):
        kernel(X)


@pytest.mark.parametrize("kernel", [DiagonalGaussian(), Gaussian(), LowRankGaussian()])
def test_kernels_that_need_data_first_say_how(kernel):
    with pytest.raises(ValueError, match=r"call kernel.initialize\(X, y\)"):
        kernel(X)


def test_mismatched_shapes_are_named():
    with pytest.raises(ValueError, match="X has 3 features and Y has 2"):
        RBF()(X, X[:, :2])
    with pytest.raises(ValueError, match=r"W has shape \(2, 2\), expected \(12, 12\)"):
        RBF().gradient_dot(X, np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"theta of RBF\(gamma=1\) has shape \(1,\), got \(2,\)"):
        RBF().with_theta([0.0, 1.0])
    with pytest.raises(ValueError, match="A Gram matrix must be square, got shape"):
        esdr(K[:, :5], Y)
    with pytest.raises(ValueError, match="y has 5 labels for 12 samples"):
        esdr(K, Y[:5])
    with pytest.raises(ValueError, match="one label per sample, got an array of shape"):
        esdr(K, np.eye(12))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\), expected \(12,\)"):
        esdr(K, Y, sample_weight=[1, 2, 3])


@pytest.mark.parametrize("name", CRITERIA)
def test_labels_that_cannot_work_are_named(name):
    criterion = as_criterion(name)
    with pytest.raises(ValueError, match=r"y has one class only \(.*\); at least two"):
        criterion.value(K, np.zeros(12))
    with pytest.raises(ValueError, match=r"Class .* has 1 sample; at least 2 per class"):
        criterion.value(K, np.arange(12) == 3)
    with pytest.raises(ValueError, match="y contains nan in row 2"):
        criterion.value(K, np.where(np.arange(12) == 2, np.nan, Y))
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative, got -1"):
        criterion.value(K, Y, -np.ones(12))
    with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
        criterion.value(K, Y, np.zeros(12))


def test_a_gram_matrix_that_is_none_is_named():
    with pytest.raises(ValueError, match="K is not symmetric"):
        esdr(np.triu(K), Y)
    broken = K.copy()
    broken[1, 2] = np.nan
    with pytest.raises(ValueError, match="K contains NaN in row 1, column 2"):
        esdr(broken, Y)


def test_a_gram_matrix_without_information_is_named():
    constant = np.ones((12, 12))
    with pytest.raises(DegenerateGramError, match="within-class scatter zero"):
        esdr(constant, Y)
    with pytest.raises(DegenerateGramError, match="centred Gram matrix is zero"):
        kernel_target_alignment(constant, Y, centered=True)
    with pytest.raises(DegenerateGramError, match="Gram matrix is zero"):
        kernel_target_alignment(0 * constant, Y)


def test_bounds_that_cannot_work_are_named():
    with pytest.raises(ValueError, match="bounds of 'gamma' must be two increasing positive numbers"):
        TuningProblem(RBF(), "dbtc", X, Y, bounds={"gamma": (2.0, 1.0)})
    with pytest.raises(ValueError, match="RBF has no free parameter 'width' to bound"):
        TuningProblem(RBF(), "dbtc", X, Y, bounds={"width": (1.0, 2.0)})
    with pytest.raises(ValueError, match="'gamma' lies outside the bounds"):
        TuningProblem(RBF(1.0), "dbtc", X, Y, bounds={"gamma": (2.0, 3.0)})
    with pytest.raises(ValueError, match="takes no bounds by name"):
        TuningProblem("gaussian", "dbtc", X, Y, bounds={"Q": (2.0, 3.0)})
