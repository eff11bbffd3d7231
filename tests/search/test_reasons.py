"""Why an answer won: every number in the sentences is one of the table."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from kernelwise import TunedSVC, TunedSVR
from kernelwise.kernels import RBF, Linear
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.result import Choice
from kernelwise.search.verdict.reasons import RULES, WHY_TRIED, Summary, around, reasons, spoken, why_tried
from kernelwise.search.wording import model_text


@pytest.fixture(scope="module")
def model():
    return TunedSVC("rbf").fit(*load_breast_cancer(return_X_y=True))


def test_the_score_stands_beside_the_baseline(model):
    first, result = model.result_.why[0], model.result_
    numbers = [float(text) / 100 for text in re.findall(r"([\d.]+) %", first)]
    assert numbers == pytest.approx([result.score, result.baseline.score], abs=5e-4)
    assert float(re.search(r"± ([\d.]+)", first)[1]) / 100 == pytest.approx(result.standard_error, abs=5e-4)
    assert first.startswith(f"RBF with γ = {model.kernel_.gamma:.3g} and C = {model.C_:g} correctly predicts")
    assert "Always answering 1 would be right for 62.7 %" in first


def test_the_next_best_is_of_the_table(model):
    second, table = model.result_.why[1], model.cv_results_
    gammas = np.array([params["gamma"] for params in table["params"]])
    others = gammas != model.kernel_.gamma
    row = int(np.argmax(np.where(others, table["smoothed_test_score"], -np.inf)))
    assert f"γ = {gammas[row]:.3g} and C = {table['params'][row]['C']:g}" in second
    gap = table["smoothed_test_score"][model.best_index_] - table["smoothed_test_score"][row]
    assert f"scored {100 * gap:.1f} points lower in the search" in second
    assert f"of {len(np.unique(gammas))} kernels, " in second


def test_what_makes_no_difference_is_within_one_standard_error(model):
    third, table = model.result_.why[2], model.cv_results_
    gammas = np.array([params["gamma"] for params in table["params"]])
    low, high = (float(text) for text in re.search(r"C from ([\d.e-]+) to ([\d.e-]+)", third).groups())
    level = table["smoothed_test_score"][model.best_index_] - model.result_.standard_error
    for params, score, gamma in zip(table["params"], table["smoothed_test_score"], gammas, strict=True):
        if gamma == model.kernel_.gamma and low <= params["C"] <= high:
            assert score >= level
    low, high = (float(text) for text in re.findall(r"γ = ([\d.e-]*\d)", third))
    for gamma in np.unique(gammas):
        if low * 0.999 <= gamma <= high * 1.001:
            assert table["smoothed_test_score"][gammas == gamma].max() >= level


def scored(kernel, scores):
    """A kernel with scores of two folds at C = 1, 4, 16, …"""
    pairs = np.column_stack([scores, scores])
    arguments = {"stored": None, "seconds": 0.0, "n_machines": 0}
    needed = {field.name: None for field in fields(ScoredKernel) if field.default is MISSING}
    needed |= {"kernel": kernel, "Cs": 4.0 ** np.arange(len(scores)), "scores": pairs, **arguments}
    return ScoredKernel(**needed)


def second(chosen, other, index=-1, error=0.02, why=()):
    """The sentence on the other of two kernels."""
    validator = SimpleNamespace(
        scorer=SimpleNamespace(is_share=True), scored=[chosen, other], standard_error=lambda *_: error
    )
    baseline = SimpleNamespace(score=0.5, answer="guessing")
    choice = Choice(chosen, index, why=list(why))
    score = float(chosen.scores[choice.index].mean())
    return reasons(validator, choice, Summary(score, error, score, baseline, choice.C))[1]


PLAIN = scored(RBF(1.0), [0.8, 0.8, 0.8])


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (
            scored(RBF(2.0), [0.79, 0.79, 0.79]),
            ", scored 1.0 points lower in the search, less than one standard error.",
        ),
        (
            scored(RBF(2.0), [0.7, 0.7, 0.7]),
            ", scored 10.0 points lower in the search, more than one standard error.",
        ),
        (scored(RBF(2.0), [0.8, 0.8, 0.8001]), ", scored the same in the search."),
        # Averaged over neighbouring values of C, which the search compares, a single high score is not high.
        (scored(RBF(2.0), [0.6, 0.6, 0.82]), ", scored 5.3 points lower in the search"),
        (scored(RBF(2.0), [0.6, 0.7599, 0.82]), ", scored the same in the search."),
        (
            scored(RBF(2.0), [0.81, 0.81, 0.81]),
            "scored highest in the search, by 1.0 points, less than one standard error; the search preferred "
            "a simpler kernel.",
        ),
        (
            scored(RBF(1.0001), [0.7, 0.7, 0.7]),
            "2 kernels, the same kernel with other widths and C = 1, scored 10",
        ),
    ],
)
def test_the_next_best_is_said_by_its_distance_to_the_chosen_one(other, says):
    sentence = second(PLAIN, other)
    assert says in sentence
    assert "%" not in sentence  # the model has one score, and no other model's stands beside it


def test_other_scores_are_no_percentages():
    sentence = TunedSVR().fit(*load_diabetes(return_X_y=True)).result_.why[0]
    assert re.search(r"has a cross-validated score of 0\.\d+ ± 0\.\d+\. Always answering the mean", sentence)


@pytest.mark.parametrize(
    ("good", "index", "expected"), [("0110", 1, (1, 2)), ("1111", 2, (0, 3)), ("1011", 0, (0, 0))]
)
def test_neighbours_without_a_gap(good, index, expected):
    assert around(np.array([sign == "1" for sign in good]), index) == expected


def test_words_for_rules():
    assert spoken("peak of kta, usual") == f"{RULES['peak of kta']}, {RULES['usual']}"
    assert spoken("peak of esdr, peak of j4") == RULES["peak of j4"]  # said once
    assert spoken("a rule of your own") == "a rule of your own"


def test_a_reason_is_a_sentence():
    told = why_tried("peak of esdr, peak of j4, usual")
    assert told.startswith("The search tried it because the classes are farthest apart relative to their ")
    assert told.count("farthest apart") == 1  # of two reasons with the same words
    assert told.endswith("at this width and the rule of thumb names this width.")
    assert why_tried("a rule of your own") == "Origin of the kernel: a rule of your own."
    assert set(RULES) <= set(WHY_TRIED)


def test_a_kernel_and_c_in_words():
    assert model_text(RBF(0.25), 16.0) == "RBF with γ = 0.25 and C = 16"
    assert model_text(Linear(), 0.5) == "Linear kernel and C = 0.5"
    assert model_text("precomputed", 4.0) == "Precomputed kernel and C = 4"
