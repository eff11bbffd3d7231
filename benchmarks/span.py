"""``python -m benchmarks.span``: the span estimate beside the true leave-one-out error, on ten sets.

For every set, width and C, one machine is trained on all rows and one without each row. Printed are, for
each set: the correlation over the settings with the true leave-one-out error, of the smoothed estimate, of
the plain one (η = 0, a step) and of the 5-fold error; the mean of the plain estimate minus the truth; and the
share of left-out answers of which the plain estimate knows the side.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from sklearn.preprocessing import scale

from kernelwise.criteria.base import SearchState
from kernelwise.criteria.machine import HingeMachine, TwoClassProblem
from kernelwise.criteria.span import SpanEstimate, Spans
from kernelwise.datasets import load
from kernelwise.kernels import RBF
from kernelwise.search.propose.candidates import median_distance
from kernelwise.studies.study import few_rows

SETS = ("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd")
SETS += ("ringnorm", "splice", "tic_tac_toe", "twonorm", "vertebral_2c")
WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)  # γ · (median squared distance)
CS = (0.1, 1.0, 10.0, 100.0)
TOL = 1e-6


def two_class(K: np.ndarray, signs: np.ndarray) -> TwoClassProblem:
    """The problem that a criterion sees of a Gram matrix."""
    n = len(signs)
    held_out = np.zeros(n, dtype=bool)
    return TwoClassProblem(K, signs, np.ones(n), held_out, {}, SearchState(), False, np.arange(n))


def left_out(problem: TwoClassProblem, folds: np.ndarray, C: float) -> np.ndarray:
    """y f of every row by the machine that was trained without the rows of its fold."""
    values = np.empty(len(folds))
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        machine = HingeMachine.train(problem, folds == fold, C, TOL, "any")
        values[rows] = problem.signs[rows] * machine.decision(rows)
    return values


def settings_of(X: np.ndarray, signs: np.ndarray, eta: float) -> np.ndarray:
    """By setting: smoothed and plain estimate, 5-fold and leave-one-out error, share of equal sides."""
    n, rows = len(signs), []
    median = median_distance(RBF(1.0).squared_distances(X))
    folds = np.random.default_rng(0).permutation(n) % 5
    for width, C in product(WIDTHS, CS):
        K = RBF(width / median)(X)
        problem = two_class(K, signs)
        truth = left_out(problem, np.arange(n), C)
        plain = Spans(HingeMachine.train(problem, problem.held_out, C, TOL, "all"), 0.0).left_out
        smoothed = SpanEstimate(C, eta).value(K, signs)
        agree = np.mean((plain < 0) == (truth < 0))
        five = left_out(problem, folds, C)
        errors = [np.mean(values < 0) for values in (plain, five, truth)]
        rows.append((smoothed, *errors, agree))
    return np.array(rows)


def table(n_rows: int, eta: float) -> None:
    """Print a row for each set, and the means."""
    print("| set | rows | smoothed | plain | 5 folds | plain − true | same side |")
    print("|---|---|---|---|---|---|---|")
    found = []
    for name in SETS:
        X, y = few_rows(*load(name), n_rows)
        signs = np.where(y == np.unique(y)[0], 1.0, -1.0)
        smoothed, plain, five, truth, agree = settings_of(scale(X), signs, eta).T
        correlations = [np.corrcoef(estimate, truth)[0, 1] for estimate in (smoothed, plain, five)]
        found.append([*correlations, 100 * np.mean(plain - truth), 100 * agree.mean()])
        print_row(name, str(len(X)), found[-1])
    print_row("mean", "", np.mean(found, axis=0))


def print_row(name: str, rows: str, values: list[float] | np.ndarray) -> None:
    shown = [f"{value:.3f}" for value in values[:3]] + [f"{values[3]:+.1f} %", f"{values[4]:.1f} %"]
    print(f"| {name} | {rows} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--eta", type=float, default=0.01)
    arguments = parser.parse_args()
    table(arguments.rows, arguments.eta)
