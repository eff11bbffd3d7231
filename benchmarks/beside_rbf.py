"""Is a form of kernel ever behind the plain one? ``python -m benchmarks.beside_rbf --kernels gaussian auto``

Every kernel and TunedSVC("rbf") learn from the same rows, drawn several times, and are asked about the same
others. A line for each set: per cent right with "rbf", and for every kernel the difference in points with
its standard error over the draws. The time in brackets is CPU seconds for one fit.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.datasets.manifest import FILES

PLAIN = "rbf"
#: Rows to ask about, at most, and the share to learn from where rows are few.
MAX_TEST, SHARE = 2000, 0.7
#: Classes with fewer rows are left out.
FEWEST = 10


def draws(y: np.ndarray, n_train: int, n_splits: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to ask about, drawn so many times."""
    n_train = min(n_train, int(SHARE * len(y)))
    n_test = min(len(y) - n_train, MAX_TEST)
    split = StratifiedShuffleSplit(n_splits, train_size=n_train, test_size=n_test, random_state=seed)
    return list(split.split(y, y))


def measured(
    X: np.ndarray, y: np.ndarray, kernels: list[str], splits: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Per cent right and CPU seconds, both of shape (n_kernels, n_splits)."""
    rights, seconds = np.empty((2, len(kernels), len(splits)))
    for s, (train, test) in enumerate(splits):
        for k, kernel in enumerate(kernels):
            started = time.process_time()
            model = TunedSVC(kernel, random_state=0).fit(X[train], y[train])
            seconds[k, s] = time.process_time() - started
            rights[k, s] = 100.0 * model.score(X[test], y[test])
    return rights, seconds


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each set, then the means and the worst differences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", nargs="+", default=["gaussian", "auto"], metavar="NAME")
    parser.add_argument("--sets", nargs="*", choices=FILES, default=list(FILES), metavar="NAME")
    parser.add_argument("--train", type=int, default=300, help="rows to learn from at most")
    parser.add_argument("--splits", type=int, default=3, help="times that they are drawn, two or more")
    parser.add_argument("--seed", type=int, default=5, help="of the draws")
    options = parser.parse_args(arguments)
    print(f"{'set':28s}{PLAIN:>8s}" + "".join(f"{kernel:>28s}" for kernel in options.kernels))
    gains = []
    for name in options.sets:
        X, y = samples(name)
        classes, counts = np.unique(y, return_counts=True)
        keep = np.isin(y, classes[counts >= FEWEST])
        X, y = X[keep], y[keep]
        splits = draws(y, options.train, options.splits, options.seed)
        rights, seconds = measured(X, y, [PLAIN, *options.kernels], splits)
        gain = rights[1:] - rights[0]
        errors = gain.std(axis=1, ddof=1) / np.sqrt(len(splits))
        cells = zip(gain.mean(axis=1), errors, seconds[1:].mean(axis=1), strict=True)
        texts = "".join(f"{f'{mean:+.2f} ± {error:.2f} ({t:.1f} s)':>28s}" for mean, error, t in cells)
        print(f"{name:28s}{rights[0].mean():8.2f}{texts}", flush=True)
        gains.append(gain.mean(axis=1))
    for title, values in (("mean", np.mean(gains, axis=0)), ("worst", np.min(gains, axis=0))):
        print(f"{title:36s}" + "".join(f"{value:+28.2f}" for value in values))


if __name__ == "__main__":
    main()
