"""What kernels and settings are called in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels import (
    KERNELS,
    RBF,
    DiagonalLaplacian,
    ExponentialRBF,
    KernelSum,
    Laplacian,
    Linear,
    as_kernel,
)
from kernelwise.search.choose import _said
from kernelwise.search.verdict.trust import _kinds
from kernelwise.search.wording import kernel_meaning, kernel_text, model_text, score_text


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), ExponentialRBF(gamma=0.3)])
def test_reach_is_where_the_kernel_has_fallen_to_the_root_of_one_over_e(kernel):
    value = kernel(np.array([[0.0]]), np.array([[kernel.reach]]))[0, 0]
    assert value == pytest.approx(np.exp(-0.5))


def test_every_kernel_is_explained_in_a_few_words():
    for name in KERNELS:
        words = kernel_meaning(as_kernel(name))
        assert words
        assert len(words) < 85
        assert not {"Gaussian", "γ", "kernel"} & set(words.split())
    assert kernel_meaning("precomputed") == ""


def test_a_sum_is_called_by_its_kernels():
    inner = KernelSum([Laplacian(0.1), Laplacian(0.2)], [2.0, 3.0])
    kernel = KernelSum([RBF(), inner, DiagonalLaplacian([1.0])])
    text = "Sum of 4 kernels (RBF, 2 Laplacian, Laplacian with feature weights)"
    assert kernel_text(kernel) == text
    assert model_text(kernel, 4.0) == f"{text} with C = 4"
    many = KernelSum([kernel, Linear(), ExponentialRBF()])
    assert kernel_text(many) == "Sum of 6 kernels (RBF, 2 Laplacian, Laplacian with feature weights, …)"
    assert kernel_text(KernelSum([kernel, Linear()])).endswith("Laplacian with feature weights, Linear)")


def test_distances_are_in_the_units_of_the_scaling():
    kernel = RBF(gamma=0.125)
    assert kernel_meaning(kernel, "standard").endswith("about 2 standard deviations")
    assert kernel_meaning(kernel, "minmax").endswith("about 2 ranges of a column")
    assert kernel_meaning(kernel, None).endswith("about 2 in units of the columns")
    assert "about 2 interquartile ranges (the spread of" in kernel_meaning(kernel, "robust")
    assert kernel_meaning(kernel, object()).endswith("about 2 in units of the scaled columns")


def test_one_error_band_was_not_compared_with_itself():
    assert _said(0.1, [0.1]) == []
    (told,) = _said(0.1, [0.1, 0.6, 0.3])
    assert told.endswith("of the target. The search also tried 0.6 and 0.3.")


def test_nothing_but_rounding_has_no_minus():
    assert score_text(-1e-11, share=False) == "0.000"
    assert score_text(-0.25, share=False) == "−0.250"


def test_what_a_time_budget_skipped_is_said_without_letters_alone():
    assert _kinds(["width factor 2", "ε = 0.3"]) == "1 kernel width and 1 other tolerance of errors (ε)"
