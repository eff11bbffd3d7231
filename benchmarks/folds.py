"""How many folds the choice needs: nested accuracy with two, three and five, ``python -m benchmarks.folds``.

Every set is cut to at most --rows rows and tested on three outer folds; CPU seconds in brackets.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.studies.study import few_rows

SETS = (
    "segment",
    "pendigits_test",
    "optdigits_test",
    "satimage_train",
    "waveform",
    "dna",
    "splice",
    "thyroid_test",
    "letter_test",
)
FOLDS = (2, 3, 5)
KERNELS = ("rbf", "auto")


def measure(X: np.ndarray, y: np.ndarray, kernel: str, cv: int) -> tuple[float, float]:
    """Mean accuracy on the outer folds, and CPU seconds of a fit."""
    scores, seconds = [], []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=1).split(X, y):
        started = time.process_time()
        model = TunedSVC(kernel, cv=cv, n_jobs=1).fit(X[train], y[train])
        seconds.append(time.process_time() - started)
        scores.append(model.score(X[test], y[test]))
    return float(np.mean(scores)), float(np.mean(seconds))


def main() -> None:
    """Print one line for each set, then the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--rows", type=int, default=2250)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    cells = [(kernel, cv) for kernel in KERNELS for cv in FOLDS]
    print(f"{'set':18s}" + "".join(f"{kernel + ', ' + str(cv):>18s}" for kernel, cv in cells))
    found = []
    for name in options.sets:
        X, y = few_rows(*samples(name), options.rows)
        row = [measure(X, y, kernel, cv) for kernel, cv in cells]
        found.append([right for right, _ in row])
        print(f"{name:18s}" + "".join(f"{100 * r:10.2f} ({s:.1f} s)" for r, s in row), flush=True)
    print(f"{'mean':18s}" + "".join(f"{100 * mean:10.2f}        " for mean in np.mean(found, axis=0)))


if __name__ == "__main__":
    main()
