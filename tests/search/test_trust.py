"""Reasons not to trust an answer: each is found, and none of them where there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from kernelwise import TunedSVC
from kernelwise.exceptions import TrustWarning
from kernelwise.kernels import RBF
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.propose.climb import Climb
from kernelwise.search.result import Choice
from kernelwise.search.verdict.baseline import Baseline
from kernelwise.search.verdict.trust import baseline_findings, class_findings, edge_findings


def names_of(findings):
    return [finding.name for finding in findings]


@pytest.mark.parametrize(("score", "expected"), [(0.74, True), (0.759, True), (0.761, False), (0.5, True)])
def test_within_one_standard_error_of_a_guess(score, expected):
    found = baseline_findings(score, 0.02, Baseline(0.74, "always answering 'a'"))
    assert bool(found) == expected
    if expected:
        assert found[0].severity == "warning"
        assert "always answering 'a' scores 0.74" in found[0].message


def test_an_unknown_error_counts_as_none():
    assert not baseline_findings(0.75, np.nan, Baseline(0.74, "guess"))
    assert baseline_findings(0.74, np.nan, Baseline(0.74, "guess"))
    assert not baseline_findings(0.74, 0.1, Baseline(np.nan, "guess"))


def test_classes_that_are_never_answered():
    classes = np.array(["a", "b", "c"])
    truth = np.array([0, 0, 1, 2, 2])
    assert not class_findings(truth, np.array([0, 1, 1, 2, 2]), classes)
    (found,) = class_findings(truth, np.array([0, 0, 0, 0, -1]), classes)  # −1 is rejected
    assert "predicts 'a' for every held-out row, and never 'b' (1 row), 'c' (2 rows)" in found.message
    (found,) = class_findings(truth, np.array([0, 0, 0, 2, 2]), classes, np.array([1.0, 2.0, 3.0, 1.0, 1.0]))
    assert "never predicts 1 class of 3: 'b' (3 rows)." in found.message
    assert "--class-weight balanced" in found.for_command_line()


def noise():
    """Eight rare rows of 120 that are like all others."""
    return np.random.default_rng(5).normal(size=(120, 4)), (np.arange(120) % 15 == 0).astype(int)


def test_a_constant_classifier_is_never_without_a_warning():
    X, y = noise()
    with pytest.warns(TrustWarning, match=r"no better than guessing.* never 1 \("):
        model = TunedSVC("rbf").fit(X, y)
    assert len(np.unique(model.predict(X))) == 1
    found = {finding.name: finding.severity for finding in model.diagnostics_}
    assert found["no better than guessing"] == found["classes never predicted"] == "warning"
    assert model.diagnostics_ == model.result_.diagnostics


@pytest.mark.parametrize(("score", "words"), [(0.75, "not clearly better"), (0.7, "no better")])
def test_a_score_above_the_guess_is_not_called_no_better(score, words):
    (finding,) = baseline_findings(score, 0.1, Baseline(0.7, "always answering 1"))
    assert finding.message == (
        f"The model is {words} than guessing: its cross-validated score is {score:.2f} ± 0.10, and always "
        "answering 1 scores 0.70."  # with the digits that the error allows
    )


def test_also_without_a_final_model():
    X, y = noise()
    with pytest.warns(TrustWarning, match="no better than guessing"):
        model = TunedSVC(refit=False).fit(X, y)
    assert "classes never predicted" in names_of(model.diagnostics_)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_nothing_is_said_of_good_models(load):
    X, y = load(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TunedSVC().fit(X, y)
    assert not [finding for finding in model.diagnostics_ if finding.severity == "warning"]


def test_values_of_c_whose_best_is_the_first_or_the_last():
    X, y = load_breast_cancer(return_X_y=True)
    for Cs, word in (([1e-6, 1e-5, 1e-4], "largest"), ([16.0, 64.0, 256.0], "smallest")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrustWarning)
            model = TunedSVC(Cs=Cs, kernel="linear").fit(X, y)
        (found,) = (f for f in model.diagnostics_ if f.name == "C at the end of its range")
        assert f"is the {word} of the given values" in found.message
        assert "(Cs)" in str(found)
        assert "(--log2c)" in found.for_command_line()


def scored(gamma, score):
    scores = np.full((1, 2), score)
    return ScoredKernel(RBF(gamma), "", np.ones(1), scores, None, np.ones(1), True, 1.0, 0.0, 1)


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        ((0.9, 0.8, 0.7), "widest"),
        ((0.7, 0.8, 0.9), "narrowest"),
        ((0.8, 0.9, 0.8), None),
        ((0.8, 0.8, 0.8), None),  # no better than the widths inside
    ],
)
def test_a_width_at_the_end_of_its_range(scores, word):
    tried = {gamma: scored(gamma, score) for gamma, score in zip((1.0, 4.0, 16.0), scores, strict=True)}
    climb = Climb(RBF(1.0), None, (0.5, 30.0), tried=tried)
    found = edge_findings(Choice(tried[climb.best], climb=climb), 0.05, is_given=False, is_guess=False)
    assert names_of(found) == ["width at the end of its range"] * (word is not None)
    if word:
        assert f"is the {word} that the search tries" in found[0].message
        assert found[0].severity == "warning"
    found = edge_findings(Choice(tried[climb.best], climb=climb), 0.15, is_given=False, is_guess=False)
    assert all(finding.severity == "info" for finding in found)  # no more than the error
    climb.limits = (0.0, np.inf)
    assert not edge_findings(Choice(tried[climb.best], climb=climb), 0.05, is_given=False, is_guess=False)
