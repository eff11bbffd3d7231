"""Accuracies of held-out samples of one Gram matrix, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC as ReferenceSVC

from kernelwise.kernels import RBF
from kernelwise.search.engine.gram_accuracy import held_out_accuracies, pooled_accuracies


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_every_fold_has_its_own_accuracy_and_the_pooled_one_is_their_weighted_mean(multiclass):
    X, y = load_iris(return_X_y=True)
    everyone = np.random.default_rng(0).permutation(150)
    folds = [(np.setdiff1d(everyone, test), test) for test in np.split(everyone, [20, 90])]
    K, Cs = RBF(0.1)(X), np.array([0.01, 1.0, 100.0])
    found = held_out_accuracies(K, y, Cs, folds, multiclass=multiclass)
    for fold, accuracies in zip(folds, found.T, strict=True):
        alone = held_out_accuracies(K, y, Cs, [fold], multiclass=multiclass)
        assert accuracies.tolist() == alone[:, 0].tolist()
        for C, accuracy in zip(Cs, accuracies, strict=True):
            machine = ReferenceSVC(C=C, gamma=0.1, tol=1e-6)
            reference = machine if multiclass == "ovo" else OneVsRestClassifier(machine)
            assert accuracy == reference.fit(X[fold[0]], y[fold[0]]).score(X[fold[1]], y[fold[1]])
    pooled = pooled_accuracies(K, y, Cs, folds, multiclass=multiclass)
    np.testing.assert_allclose(pooled, found @ [20, 70, 60] / 150, rtol=1e-14)
