"""Whether labels contradict probabilities: ``python -m benchmarks.labels [--points 1000000]``

``predict`` beside the largest of ``predict_proba``, at random points around the rows: TunedSVC as it comes on
two, three and ten classes, on random numbers in and around the range of every column. It prints the points
whose labels differ.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from kernelwise import TunedSVC

#: Points that are asked about at a time.
BLOCK = 50_000
SETS = {"breast_cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}
#: Training rows, at most.
N_TRAIN = 400


def differing(model: Any, X: np.ndarray, n_points: int, seed: int = 0) -> int:
    """Random points whose label is not the class of the largest probability."""
    random, n = np.random.default_rng(seed), 0
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.2 * (high - low)
    for first in range(0, n_points, BLOCK):
        points = random.uniform(low - margin, high + margin, (min(BLOCK, n_points - first), X.shape[1]))
        # Half of them are between two rows, where the classes meet.
        half = len(points) // 2
        a, b = random.integers(0, len(X), (2, half))
        share = random.random((half, 1))
        points[:half] = share * X[a] + (1.0 - share) * X[b]
        largest = model.classes_[model.predict_proba(points).argmax(axis=1)]
        n += int((model.predict(points) != largest).sum())
    return n


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    options = parser.parse_args(arguments)
    for name in options.sets:
        X, y = SETS[name](return_X_y=True)
        rows = np.random.default_rng(0).permutation(len(y))[:N_TRAIN]
        model = TunedSVC().fit(X[rows], y[rows])
        n = differing(model, X, options.points)
        print(f"{name} ({len(model.classes_)} classes): {n} of {options.points} labels differ", flush=True)


if __name__ == "__main__":
    main()
