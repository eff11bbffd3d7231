"""``python -m benchmarks.abe_average``: the average of widths of paper 000 beside each problem's own width.

Paper 000 (Abe 2007, section 3.1) finds a width γ for every class against the rest and takes their average,
because outputs of different kernels could not be compared. This tests that: one γ per problem, the average,
and the smallest γ (the widest kernel), each with the best C of a cross-validation of the training rows. A
sample gets the class of the largest output. Printed is the accuracy on the other rows, in per cent, over
several draws of the training rows, with the standard error of the difference from the average.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler

from kernelwise import SVC
from kernelwise.datasets import load
from kernelwise.kernels import RBF
from kernelwise.selection import abe_parameters
from kernelwise.studies.study import few_rows

SETS = ("dna", "iris", "optdigits", "pendigits", "satimage", "segment", "thyroid", "waveform")
CS = (1.0, 10.0, 100.0, 1000.0)
WAYS = ("average", "own", "smallest")


def widths_of(parameters: np.ndarray) -> dict[str, np.ndarray]:
    """A width for every problem, by the way to combine them."""
    return {
        "average": np.full(len(parameters), parameters.mean()),
        "own": parameters,
        "smallest": np.full(len(parameters), parameters.min()),
    }


def predict(X: np.ndarray, y: np.ndarray, Z: np.ndarray, gammas: np.ndarray, C: float) -> np.ndarray:
    """Labels of Z by machines of each class against the rest, each with its own width."""
    classes = np.unique(y)
    outputs = [
        SVC(C=C, kernel=RBF(float(gamma))).fit(X, y == label).decision_function(Z)
        for label, gamma in zip(classes, gammas, strict=True)
    ]
    return np.asarray(classes[np.argmax(outputs, axis=0)])


def best_C(X: np.ndarray, y: np.ndarray, gammas: np.ndarray) -> float:
    """C of the highest cross-validated accuracy; of equals, the smallest."""
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    right = [sum(np.sum(predict(X[a], y[a], X[b], gammas, C) == y[b]) for a, b in folds) for C in CS]
    return CS[int(np.argmax(right))]


def accuracies(X: np.ndarray, y: np.ndarray, n_train: int, n_draws: int) -> np.ndarray:
    """Accuracies of shape (n_draws, n_ways)."""
    found = []
    split = StratifiedShuffleSplit(n_draws, train_size=n_train, random_state=0)
    for train, test in split.split(X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a problem without a peak: its width is that of the search's end
            parameters = abe_parameters(X[train], y[train]).parameters
        scaler = MinMaxScaler().fit(X[train])
        known, new = scaler.transform(X[train]), scaler.transform(X[test])
        row = []
        for gammas in widths_of(parameters / X.shape[1]).values():
            labels = predict(known, y[train], new, gammas, best_C(known, y[train], gammas))
            row.append(np.mean(labels == y[test]))
        found.append(row)
    return np.array(found)


def table(names: list[str], n_train: int, n_draws: int) -> None:
    """Print a row for each set, and the means."""
    print("| set | classes | average | own | ± | smallest | ± |")
    print("|---|---|---|---|---|---|---|")
    means = []
    for name in names:
        X, y = few_rows(*load(name), 1500)
        shares = 100 * accuracies(X, y, min(n_train, len(y) // 2), n_draws)
        means.append(shares.mean(axis=0))
        errors = (shares - shares[:, :1]).std(axis=0, ddof=1) / np.sqrt(n_draws)
        average, own, smallest = means[-1]
        cells = f"{average:.2f} | {own:.2f} | {errors[1]:.2f} | {smallest:.2f} | {errors[2]:.2f}"
        print(f"| {name} | {len(np.unique(y))} | {cells} |", flush=True)
    average, own, smallest = np.mean(means, axis=0)
    print(f"| mean | | {average:.2f} | {own:.2f} | | {smallest:.2f} | |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--draws", type=int, default=5)
    arguments = parser.parse_args()
    table(arguments.sets, arguments.rows, arguments.draws)
