"""The line C = C̃σ²: its limit, and the search along it against scikit-learn's machines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as ReferenceSVC

from kernelwise import SVC
from kernelwise.kernels import RBF
from kernelwise.selection import keerthi_lin_select


def test_the_machine_of_a_wide_kernel_on_the_line_is_the_linear_one(blobs):
    X, y = blobs
    linear = SVC(C=0.3, kernel="linear", tol=1e-8).fit(X, y).decision_function(X)
    away = []
    for sigma in (16.0, 128.0):
        wide = SVC(C=0.3 * sigma**2, kernel=RBF(0.5 / sigma**2), tol=1e-8).fit(X, y)
        away.append(np.abs(wide.decision_function(X) - linear).max())
    assert away[1] < 0.001 * np.abs(linear).max()
    assert away[1] < away[0] / 30  # like 1/σ²


def test_both_searches_are_those_of_an_independent_cross_validation(blobs):
    X, y = blobs
    Cs, sigmas = [0.01, 0.1, 1.0], [0.5, 2.0, 8.0]
    folds = StratifiedKFold(4, shuffle=True, random_state=2)
    chosen = keerthi_lin_select(X, y, sigmas=sigmas, Cs=Cs, cv=folds)
    Z = StandardScaler().fit_transform(X)

    def accuracy(**settings):
        return np.mean(cross_val_predict(ReferenceSVC(tol=1e-6, **settings), Z, y, cv=folds) == y)

    linear = [accuracy(C=C, kernel="linear") for C in Cs]
    np.testing.assert_allclose(chosen.linear_accuracies, linear, rtol=1e-12)
    C = Cs[int(np.argmax(linear))]
    assert chosen.C_linear == C
    line = [accuracy(C=C * sigma**2, gamma=0.5 / sigma**2) for sigma in sigmas]
    np.testing.assert_allclose(chosen.accuracies, line, rtol=1e-12)
    best = max(sigma for sigma, one in zip(sigmas, line, strict=True) if one == max(line))
    assert (chosen.sigma, chosen.C, chosen.cv_accuracy) == (best, C * best**2, max(line))
    assert chosen.to_dict()["C_linear"] == C
    machine = chosen.estimator[-1]
    assert (machine.C, machine.kernel.gamma) == (chosen.C, 0.5 / best**2)


@pytest.mark.parametrize("bad", [{"sigmas": []}, {"Cs": [-1.0]}, {"cv": 1}])
def test_bad_settings_are_refused(blobs, bad):
    with pytest.raises(ValueError, match=r"empty|positive|at least 2"):
        keerthi_lin_select(*blobs, **bad)
