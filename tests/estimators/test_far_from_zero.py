"""Features whose values are large for how much they vary."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from kernelwise import SVC, SVR, OneClassSVM
from kernelwise.exceptions import KernelwiseWarning


@pytest.mark.parametrize("machine", [SVC, SVR, OneClassSVM])
def test_features_far_from_zero_are_centred_by_rbf_and_a_warning_for_linear(machine):
    """Inner products of numbers near 1e6 that differ by 1e-3 are rounding: 1e12 has no decimals left."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(100, 3))
    y = Z[:, 0] if machine is SVR else None if machine is OneClassSVM else (Z[:, 0] > 0).astype(int)
    with pytest.warns(KernelwiseWarning, match=r"far from zero.* which the model learns. Subtract the mean"):
        machine(kernel="linear", max_iter=1000, tol=1.0).fit(1e6 + 1e-3 * Z, y)
    for offset, spread in [(0.0, 1e-3), (1e2, 1e-3), (1e6, 1e3)]:
        with warnings.catch_warnings():
            warnings.simplefilter("error", KernelwiseWarning)
            machine(kernel="linear", max_iter=1000, tol=1.0).fit(offset + spread * Z, y)
            machine(kernel="rbf").fit(1e5 + 1e-2 * Z, y)
