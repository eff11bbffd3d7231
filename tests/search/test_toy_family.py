"""A family of thirty lines that the engine searches: rows ranked by pairs (Joachims 2002)."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.search.choose import choose
from kernelwise.search.data.folds import assign_folds
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.family import Family
from kernelwise.solvers import SVMPath, solve_svm_dual


class Ranking(Family):
    """An order of rows, learned from the pairs of training rows that differ."""

    def prepare(self, problem):
        y, folds = problem.y, problem.folds

        def solve(K, Cs, **how):
            shape = (len(Cs), len(folds), 1)
            decision, n_support = np.full((len(Cs), len(y)), np.nan), np.zeros(shape, int)
            for k, (train, test) in enumerate(folds):
                above, below = np.array([(i, j) for i in train for j in train if y[i] > y[j]]).T
                sign = np.where(np.arange(len(above)) % 2 == 0, 1.0, -1.0)
                difference = sign[:, None] * (K[above] - K[below])
                gram = sign * (difference[:, above] - difference[:, below])
                for c, C in enumerate(Cs):
                    beta = solve_svm_dual(gram, sign, C).beta
                    decision[c, test] = beta @ difference[:, test]
                    n_support[c, k] = np.count_nonzero(beta)
            none, done = np.zeros(shape, int), np.ones(shape, bool)
            path = SVMPath(decision, n_support, none, none, none, done, 0.0, np.empty(0), Cs, "ranking", [])
            return path, {"is_convex": done}

        return solve


class Concordance:
    """The share of pairs that are in the right order."""

    is_share = False

    def __init__(self, y):
        self.y = y

    def __call__(self, decision, rows, weight):
        first, second = np.triu_indices(len(rows), 1)
        truth = np.sign(self.y[rows][first] - self.y[rows][second])
        return (np.sign(decision[:, first] - decision[:, second]) == truth).mean(axis=1)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_the_engine_searches_a_family_it_has_never_seen(kernel):
    random = np.random.default_rng(0)
    Z = random.normal(size=(45, 2))
    y = np.sin(1.5 * Z[:, 0]) + 0.05 * random.normal(size=45)
    ones, family = np.ones(45), Ranking()
    samples = Samples(Z, *family.encode(y, ones)[:2], ones, ones)
    folds = assign_folds(samples, 3, family, FitContext())
    validator = CrossValidator(samples, folds, family, Concordance(y))
    choice = choose(validator, kernel)
    assert choice.scored.best_score == max(scored.best_score for scored in validator.scored)
    assert len({scored.reason for scored in validator.scored}) > (kernel != "linear")
    assert choice.scored.best_score > (0.85 if kernel == "rbf" else 0.55)
    assert [*choice.why, *choice.how]
