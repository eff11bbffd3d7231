"""Weights of a sum of kernels: ``python -m benchmarks.sum_weights [--rows 500] [NAME ...]``

The four kernels of TunedSVC() (RBF and Laplacian, plain and with weights of features; where columns are
screened, those that it tries instead), at the widths that it found on the training rows, added up with equal
weights and with those of the highest centred alignment. C is chosen by five inner folds, the same for both;
two times five outer folds. Accuracy and log-loss of a set in a line, then the means.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.criteria import aligned_sum
from kernelwise.kernels import KernelSum
from kernelwise.search.data.scaling import apply_scaler

SETS = ("heart_statlog", "vertebral_2c", "segment", "splice_ida", "optdigits_test")
N_FOLDS, N_REPEATS = 5, 2
WAYS = ("equal", "aligned")


def sum_of_forms(model: TunedSVC) -> KernelSum:
    """The sum of the most forms that a fit has tried."""
    tried = [params["kernel"] for params in model.cv_results_["params"]]
    return max((k for k in tried if isinstance(k, KernelSum)), key=lambda k: len(k.kernels))


def scores(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[dict[str, tuple[float, float]], np.ndarray]:
    """Accuracy and log-loss of both ways on one outer fold, and the weights of the kernels that are kept."""
    model = TunedSVC(blend=False).fit(X[train], y[train])
    Z, T = (apply_scaler(model.scaler_, X[rows]) for rows in (train, test))
    equal = sum_of_forms(model)
    sums = dict(zip(WAYS, (equal, aligned_sum(equal.kernels, Z, y[train])), strict=True))
    cv = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(Z, y[train]))
    found = {}
    for way, kernel in sums.items():
        machine = TunedSVC("precomputed", cv=cv).fit(kernel(Z), y[train])
        P = machine.predict_proba(kernel(T, Z))
        right = float(np.mean(machine.predict(kernel(T, Z)) == y[test]))
        found[way] = 100.0 * right, float(log_loss(y[test], P, labels=machine.classes_))
    return found, np.asarray(sums["aligned"].weights)


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each set, then the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--rows", type=int, default=500)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    means = []
    print("| data set | equal weights | weights by alignment | kernels kept |\n|---|---|---|---|")
    for name in given.sets:
        X, y = samples(name)
        rows = np.random.default_rng(0).permutation(len(y))[: given.rows]
        X, y = X[rows], y[rows]
        folds = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=0)
        results = [scores(X, y, train, test) for train, test in folds.split(X, y)]
        table = np.array([[found[way] for way in WAYS] for found, _ in results])
        n_kept = np.mean([len(weights) for _, weights in results])
        means.append(table.mean(axis=0))
        print(line(name, means[-1], f"{n_kept:.1f}"), flush=True)
    print(line("mean", np.mean(means, axis=0)))


def line(name: str, table: np.ndarray, kept: str = "") -> str:
    """A row of the table, of accuracy and log-loss of both ways, of shape (2, 2)."""
    cells = (f"{right:.2f} ({loss:.3f})" for right, loss in table)
    return f"| {' | '.join([name, *cells, kept])} |"


if __name__ == "__main__":
    main()
