"""The procedures of paper 004."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as ReferenceSVC

from kernelwise.exceptions import BoundaryWarning
from kernelwise.kernels import RBF
from kernelwise.metrics import esdr, inter_class_distance, j4
from kernelwise.selection import yin_curves, yin_grid_search, yin_select
from kernelwise.selection.yin import CRITERIA, CS, SIGMAS, end_finding

SMALL = {"sigmas": [0.25, 1.0, 4.0], "Cs": [0.5, 8.0, 128.0]}
METRICS = {"esdr": esdr, "dbtc": inter_class_distance, "j4": j4}


def test_the_grid_is_the_papers():
    assert (len(SIGMAS), SIGMAS[0], SIGMAS[-1]) == (35, 2.0**-8, 2.0**9)
    assert (len(CS), CS[0], CS[-1]) == (35, 2.0**-1, 2.0**16)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_sigma_is_the_best_of_the_criterion_on_gram_matrices(blobs, criterion):
    X, y = blobs
    scaled = StandardScaler().fit_transform(X)
    sigmas = SIGMAS[10:22]
    expected = [METRICS[criterion](RBF(0.5 / sigma**2)(scaled), y) for sigma in sigmas]
    curves = yin_curves(X, y, sigmas=sigmas, Cs=[1.0], cv=2)
    np.testing.assert_allclose(curves.criteria[criterion], expected, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BoundaryWarning)  # of no concern here: some peak at an end
        chosen = yin_select(X, y, criterion, sigmas=sigmas, Cs=[1.0], cv=2)
    assert chosen.sigma == sigmas[int(np.argmax(expected))]


def test_accuracies_are_those_of_an_independent_cross_validation(blobs):
    X, y = blobs
    folds = StratifiedKFold(7, shuffle=True, random_state=1)
    curves = yin_curves(X, y, cv=folds, **SMALL)
    scaled = StandardScaler().fit_transform(X)
    expected = [
        [
            np.mean(
                cross_val_predict(ReferenceSVC(C=C, gamma=0.5 / sigma**2, tol=1e-6), scaled, y, cv=folds) == y
            )
            for C in SMALL["Cs"]
        ]
        for sigma in SMALL["sigmas"]
    ]
    np.testing.assert_allclose(curves.accuracies, expected, rtol=1e-12)


def test_the_three_procedures_agree_with_the_curves(blobs):
    curves = yin_curves(*blobs, **SMALL)
    grid = yin_grid_search(*blobs, **SMALL)
    assert grid.cv_accuracy == curves.accuracies.max()
    best = np.argwhere(curves.accuracies == grid.cv_accuracy)
    C = min(curves.Cs[c] for _, c in best)
    assert (grid.C, grid.sigma) == (C, max(curves.sigmas[s] for s, c in best if curves.Cs[c] == C))
    np.testing.assert_array_equal(grid.scores, curves.best_accuracy)

    chosen = yin_select(*blobs, "dbtc", **SMALL)
    row = curves.sigmas.tolist().index(chosen.sigma)
    np.testing.assert_array_equal(chosen.scores, curves.criteria["dbtc"])
    np.testing.assert_array_equal(chosen.accuracies, curves.accuracies[row])
    assert chosen.C == curves.Cs[curves.accuracies[row].argmax()]
    assert chosen.to_dict()["gamma"] == 0.5 / chosen.sigma**2


def test_rows_of_the_curves_go_with_figures_4_to_7(blobs):
    curves = yin_curves(*blobs, **SMALL)
    rows = curves.to_rows()
    assert list(rows[0]) == ["sigma", "esdr", "dbtc", "j4", "cv_accuracy"]
    assert [row["cv_accuracy"] for row in rows] == curves.accuracies.max(axis=1).tolist()


def test_the_estimator_standardises_and_classifies_as_the_reference(blobs):
    X, y = blobs
    chosen = yin_grid_search(X, y, **SMALL)
    scaled = StandardScaler().fit_transform(X)
    reference = ReferenceSVC(C=chosen.C, gamma=chosen.gamma, tol=1e-6).fit(scaled, y)
    np.testing.assert_allclose(
        chosen.estimator.decision_function(X), reference.decision_function(scaled), atol=5e-3
    )


def test_a_criterion_that_is_largest_at_the_end_says_so():
    # Two far clouds: the ratio keeps rising as the kernel gets wider.
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 2)) + 3.0 * y[:, None]
    with pytest.warns(BoundaryWarning, match="largest sigma tried, 512"):
        chosen = yin_select(X, y, "esdr")
    assert chosen.sigma == 512.0
    assert chosen.findings[0].name == "boundary"
    assert "sigma squared, or like sigma to the fourth power" in chosen.findings[0].advice


def test_a_criterion_that_is_level_at_an_end_has_no_maximum_there():
    # Copies within the smaller class: ESDR is largest where every sample is similar to its copies alone.
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = np.repeat([0, 1], [25, 15])
    X[y == 0] *= 3.0
    X[-6:] = X[-12:-6]
    sigmas = [2.0**-12, 2.0**-11, 2.0**-10, 4.0, 512.0]
    with pytest.warns(
        BoundaryWarning, match=r"smallest sigma tried, 0\.0002441, and level from there to 0\.0009"
    ):
        chosen = yin_select(X, y, "esdr", sigmas=sigmas, Cs=[1.0], cv=3)
    assert chosen.sigma == 2.0**-10  # of equals the widest: not an end
    assert [(one.name, one.severity) for one in chosen.findings] == [("plateau", "warning")]
    assert "copies" in chosen.findings[0].advice
    with pytest.warns(BoundaryWarning):
        curves = yin_curves(X, y, sigmas=sigmas, Cs=[1.0], cv=3)
    assert chosen.findings[0] in curves.findings


@pytest.mark.parametrize(
    ("scores", "names"),
    [
        ([1.0, 2.0, 1.5], []),
        ([2.0, 1.0, 1.5], ["boundary"]),
        ([1.0, 1.0, 2.0], ["boundary"]),
        ([2.0, 2.0, 1.0], ["plateau"]),
        ([1.0, 2.0, 2.0], ["plateau"]),
        ([1.0, 1.0, 1.0], ["plateau"]),
        ([1.0, 2.0, 2.0, 1.0], []),
        ([0.0, -1.0], ["boundary"]),
        ([3.0], []),
    ],
)
def test_ends_and_level_parts_are_told_apart(scores, names):
    sigmas = 2.0 ** np.arange(len(scores))
    assert [one.name for one in end_finding("esdr", np.array(scores), sigmas)] == names


def test_values_may_come_in_any_order(blobs):
    backwards = {name: values[::-1] for name, values in SMALL.items()}
    one, other = yin_grid_search(*blobs, **SMALL), yin_grid_search(*blobs, **backwards)
    assert one.to_dict() | {"seconds": 0} == other.to_dict() | {"seconds": 0}


@pytest.mark.parametrize("bad", [{"sigmas": []}, {"sigmas": [0.0, 1.0]}, {"Cs": [np.nan]}, {"cv": 0}])
def test_bad_settings_are_refused(blobs, bad):
    with pytest.raises(ValueError, match=r"empty|positive|at least 2"):
        yin_select(*blobs, **bad)
