"""The Bayesian comparison with a region of practical equivalence."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("baycomp")

from kernelwise.studies.beyond import METHODS
from kernelwise.studies.ranks import ROPE, bayes_rows, bayes_sentences, practical_probabilities

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def test_probabilities_are_those_of_the_dirichlet_process():
    """Walsh averages of the differences and of a prior zero, weighted by draws from a Dirichlet: by loops."""
    reference = np.array([0.80, 0.70, 0.90, 0.60])
    scores = reference + np.array([0.03, 0.005, -0.02, 0.024])
    steps, rng = [0.0, *(scores - reference)], np.random.default_rng(0)
    wins = np.zeros(3)
    for weights in rng.dirichlet([0.5, 1, 1, 1, 1], 4000):
        mass = np.zeros(3)
        for i, j in product(range(5), repeat=2):
            mean = (steps[i] + steps[j]) / 2
            mass[0 if mean > ROPE else 2 if mean < -ROPE else 1] += weights[i] * weights[j]
        wins[mass.argmax()] += 1
    found = practical_probabilities(scores, reference)
    assert sum(found) == pytest.approx(1.0)
    np.testing.assert_allclose(found, wins / wins.sum(), atol=0.03)  # four standard errors of 4000 draws


@pytest.mark.slow
def test_rows_and_sentences():
    reference = np.linspace(0.6, 0.9, 12)
    scores = np.column_stack([reference, reference - 0.05, reference + 0.001, reference + 0.04])
    rows = bayes_rows(["usual", "bad", "same", "good"], scores)
    assert [row["method"] for row in rows] == ["good", "same", "bad"]
    assert {row["against"] for row in rows} == {"usual"}
    assert rows[0]["mean difference"] == pytest.approx(4.0)
    assert bayes_sentences(rows).endswith("Better: good. Practically equal: same. Worse: bad.")


@pytest.mark.slow
def test_the_page_has_what_its_cells_give():
    """The stored probabilities are those of the stored accuracies; three rows of them, for time."""
    with open(STUDIES / "beyond_cells.csv", newline="", encoding="utf-8") as lines:
        cells = {(row["data"], row["method"]): float(row["accuracy"]) for row in csv.DictReader(lines)}
    with open(STUDIES / "beyond_bayes.csv", newline="", encoding="utf-8") as lines:
        stored = {row["method"]: row for row in csv.DictReader(lines)}
    reference = METHODS[0].name
    sets = sorted({name for name, _ in cells})
    names = [reference, *list(stored)[:2], list(stored)[-1]]
    rows = bayes_rows(names, np.array([[cells[name, method] for method in names] for name in sets]))
    for row in rows:
        told = stored[row["method"]]
        assert told["against"] == reference
        for column in ("mean difference", "better", "practically equal", "worse"):
            assert float(told[column]) == pytest.approx(row[column], abs=0.01)
