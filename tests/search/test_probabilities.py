"""Log odds of held-out rows against one sigmoid at a time, fitted to the rows of the other folds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss, log_loss

from kernelwise.multiclass import two_class_machines
from kernelwise.search.data.samples import Samples
from kernelwise.search.scoring import probabilities
from kernelwise.search.scoring.probabilities import cross_fitted_odds
from kernelwise.search.scoring.scores import PROBABILITY_SCORES
from kernelwise.solvers.probability import doubt_of, fit_platt_of, log_odds


@pytest.fixture(params=[(2, "ovo"), (3, "ovo"), (4, "ovr")])
def problem(request):
    """Decision values of overlapping classes in four folds; one row is held out by none."""
    n_classes, strategy = request.param
    random = np.random.default_rng(n_classes)
    y = random.permutation(np.arange(80) % n_classes)
    machines = two_class_machines(y, n_classes, strategy)
    decision = random.normal(size=(3, 80, len(machines)))
    for m, machine in enumerate(machines):
        decision[:, machine.members, m] += machine.signs
    fold = random.permutation(np.arange(80) % 4)
    fold[5] = -1
    decision[:, 5] = np.nan
    weight = random.uniform(0.5, 2.0, 80)
    held = Samples(None, y, y, weight, weight * np.array([1.0, 3.0, 1.0, 0.5])[y])
    return decision if n_classes > 2 else decision[:, :, 0], held, fold, n_classes, strategy


def test_sigmoids_are_those_of_the_other_folds(problem, monkeypatch):
    decision, held, fold, n_classes, strategy = problem
    odds = cross_fitted_odds(*problem)
    assert odds.shape == decision.shape
    assert np.isnan(odds[:, 5]).all()
    values, found = decision.reshape(3, 80, -1), odds.reshape(3, 80, -1)
    for k in range(4):
        rows, other = fold == k, np.flatnonzero((fold != k) & (fold >= 0))
        machines = two_class_machines(held.y[other], n_classes, strategy)
        for c in range(3):
            how = held.bound[other], held.weight[other], doubt_of(n_classes, strategy)
            sigmoids = fit_platt_of(machines, values[c, other], *how)
            assert_allclose(found[c, rows], log_odds(values[c, rows], sigmoids), rtol=1e-6, atol=1e-9)
    monkeypatch.setattr(probabilities, "MOST_NUMBERS", 100)  # a fold at a time
    assert_allclose(cross_fitted_odds(*problem), odds, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_scores_of_probabilities_are_scikit_learns(n_classes, is_weighted):
    random = np.random.default_rng(n_classes)
    p = random.dirichlet(np.ones(n_classes), size=(2, 50))
    truth = np.arange(50) % n_classes
    weight = random.uniform(0.1, 2.0, 50) if is_weighted else None
    for c in range(2):
        assert_allclose(
            PROBABILITY_SCORES["neg_log_loss"](p, truth, weight)[c],
            -log_loss(truth, p[c], sample_weight=weight),
        )
        shown = p[c][:, 1] if n_classes == 2 else p[c]
        assert_allclose(
            PROBABILITY_SCORES["neg_brier_score"](p, truth, weight)[c],
            -brier_score_loss(truth, shown, sample_weight=weight),
        )
