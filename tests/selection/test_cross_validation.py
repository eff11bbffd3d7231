"""The share of correct held-out samples, and the rule for ties."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC as ReferenceSVC

from kernelwise.selection.procedure import best_cell, cv_accuracies, edge_finding, noting_convergence


def test_every_sample_counts_the_same_in_folds_of_unequal_sizes(blobs):
    X, y = blobs
    everyone = np.random.default_rng(0).permutation(60)
    tests = np.split(everyone, [5, 35])
    folds = [(np.setdiff1d(everyone, test), test) for test in tests]
    gammas, Cs = np.array([0.1, 1.0]), np.array([1.0, 10.0])
    expected = np.zeros((2, 2))
    for g, c in np.ndindex(2, 2):
        machine = ReferenceSVC(C=Cs[c], gamma=gammas[g], tol=1e-6)
        for train, test in folds:
            right = machine.fit(X[train], y[train]).predict(X[test]) == y[test]
            expected[g, c] += right.sum() / 60
    np.testing.assert_allclose(cv_accuracies(X, y, gammas, Cs, folds), expected, rtol=1e-12)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "ovr-fuzzy"])
def test_wide_and_narrow_kernels_of_three_classes(multiclass):
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    # D reaches 50: the first Gram matrix is nearly constant and goes to the solver less 1.
    gammas, Cs = np.array([1e-3, 0.1, 30.0]), np.array([1.0, 1e4])
    expected = np.empty((3, 2))
    for g, c in np.ndindex(3, 2):
        machine = ReferenceSVC(C=Cs[c], gamma=gammas[g], tol=1e-6)
        reference = machine if multiclass == "ovo" else OneVsRestClassifier(machine)
        expected[g, c] = (cross_val_predict(reference, X, y, cv=folds) == y).mean()
    found = cv_accuracies(X, y, gammas, Cs, folds, multiclass=multiclass)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_samples_that_are_never_held_out_do_not_count(blobs):
    X, y = blobs
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 4)
    found = cv_accuracies(X, y, np.array([0.5]), np.array([1.0]), [(train, test)])
    right = ReferenceSVC(C=1.0, gamma=0.5).fit(X[train], y[train]).predict(X[test]) == y[test]
    assert found[0, 0] == right.mean()


def test_of_equals_the_smallest_C_wins_and_then_the_widest_kernel():
    assert best_cell(np.array([[0.9, 0.8, 1.0], [0.9, 1.0, 1.0], [0.9, 1.0, 1.0]])) == (1, 1)


def test_only_the_ends_of_a_range_are_a_finding():
    values = np.array([1.0, 2.0, 3.0])
    assert not edge_finding("C", 2.0, values)
    assert not edge_finding("C", 2.0, np.array([2.0]))
    assert "largest" in edge_finding("C", 3.0, values)[0].message
    assert "smallest" in edge_finding("C", 1.0, values)[0].message


def test_many_warnings_of_the_solver_are_one_finding():
    findings = []

    def search():
        with noting_convergence(findings):
            for _ in range(2):
                warnings.warn("The solver stopped early.", ConvergenceWarning, stacklevel=1)

    with pytest.warns(ConvergenceWarning, match=r"2 kernel widths .* stopped early") as caught:
        search()
    assert len(caught) == 1
    assert [finding.name for finding in findings] == ["not converged"]


def test_other_warnings_pass_through():
    findings = []
    with pytest.warns(RuntimeWarning, match="overflow"), noting_convergence(findings):
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    assert findings == []
