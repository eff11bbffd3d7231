"""Scores of all folds at once are those of one fold after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelwise import SVC
from kernelwise.multiclass import decide_index
from kernelwise.search.scoring.held_out_answers import ClassAnswers
from kernelwise.search.scoring.scorers import HeldOutScorer, PathScorer, make_scorers


def make_scorer(y, weight, scoring=None):
    answers = ClassAnswers("ovo", "ovr", None, breaks_ties=True)
    path_scorer = PathScorer(make_scorers(SVC(), scoring, "SVC"), scoring, answers)
    is_share = scoring in (None, "accuracy")
    return HeldOutScorer(path_scorer, np.zeros((len(y), 1)), y, weight, np.unique(y), is_share)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_shares_of_all_folds_are_those_of_each(n_classes):
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=61)
    n_machines = n_classes * (n_classes - 1) // 2
    decision = rng.normal(size=(5, 61) if n_machines == 1 else (5, 61, n_machines))
    places = np.array_split(rng.permutation(61), 4)  # of unequal sizes, in no order
    rows, weight = rng.permutation(61), np.ones(61)
    scorer = make_scorer(y, weight)
    shares = scorer.shares(decision, rows, places)
    each = [scorer(decision[:, place], rows[place], weight[place]) for place in places]
    assert_array_equal(shares, np.stack(each, axis=1))


def test_weights_and_other_scores_have_no_short_cut():
    rng = np.random.default_rng(0)
    y, decision, places = rng.integers(2, size=30), rng.normal(size=(3, 30)), [np.arange(15)]
    weight = rng.random(30)
    assert make_scorer(y, weight).shares(decision, np.arange(30), places) is None
    by_rank = make_scorer(y, np.ones(30), "roc_auc")
    assert by_rank.shares(decision, np.arange(30), places) is None


@pytest.mark.parametrize("weights", ["none", "whole", "any"])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "f1_macro", "matthews_corrcoef"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_that_go_by_labels_need_no_more_than_these(n_classes, scoring, weights):
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=61)
    n_machines = n_classes * (n_classes - 1) // 2
    decision = rng.normal(size=(5, 61) if n_machines == 1 else (5, 61, n_machines))
    weight = {"none": np.ones(61), "whole": rng.integers(1, 4, 61).astype(float), "any": rng.random(61)}
    rows, index = rng.permutation(61), decide_index(decision, n_classes, "ovo")
    scorer = make_scorer(y, weight[weights], scoring)
    expected = scorer(decision, rows, weight[weights])
    assert_array_equal(scorer(None, rows, weight[weights], index), expected)
    shares = scorer.shares(None, rows, [np.arange(61)], index)
    assert (shares is None) == (scoring is not None or weights != "none")
    if shares is not None:
        assert_array_equal(shares[:, 0], expected)
