"""What must not matter: how often a fit chooses another kernel or C when only names, order or units change.

    python -m benchmarks.invariance [--fits 25] [--rows 60]

Small noisy sets, on which the scores of many candidates are nearly equal: whatever decides ties shows here.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kernelwise import TunedSVC, TunedSVR

#: What one unit of each feature, or of the target, becomes.
FACTORS = (10.0, 1000.0, 0.3)

Change = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def classes_set(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy classes: X of shape (n, 5), and y, every class at least twice."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5)) * (1.0, 2.0, 5.0, 1.0, 0.1) + rng.standard_normal(5)
    values = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.standard_normal((5, n_classes))
    y = np.argmax(values + 1.5 * rng.standard_normal(values.shape), axis=1)
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    return X, y


def numbers_set(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy numbers."""
    X, _ = classes_set(n, 2, seed)
    rng = np.random.default_rng(seed)
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + rng.standard_normal(n) + 7.0


def renamed(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return X, rng.permutation(y.max() + 1)[y]


def with_units(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return X * rng.choice(FACTORS, X.shape[1]), y


def rows_permuted(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    order = rng.permutation(len(y))
    return X[order], y[order]


COMMON: dict[str, Change] = {
    "columns": lambda X, y, rng: (X[:, rng.permutation(X.shape[1])], y),
    "units": with_units,
    "rows": rows_permuted,
}
OF_CLASSES: dict[str, Change] = {
    "reversed names": lambda X, y, rng: (X, y.max() - y),
    "other names": renamed,
    **COMMON,
}
OF_NUMBERS: dict[str, Change] = {
    "unit of y": lambda X, y, rng: (X, y * rng.choice(FACTORS)),
    **COMMON,
}


def is_same(a: Any, b: Any) -> bool:
    """Whether two fits chose the same kernel, to rounding, and the same C."""
    if type(a.kernel_) is not type(b.kernel_) or a.C_ != b.C_ or a.kernel_.theta.size != b.kernel_.theta.size:
        return False
    # Weights of features may come in another order.
    theta = [np.sort(model.kernel_.theta) for model in (a, b)]
    return bool(np.allclose(*theta, rtol=1e-6, atol=1e-9)) and getattr(a, "epsilon_", 0) == getattr(
        b, "epsilon_", 0
    )


def jobs(n: int) -> Iterator[tuple[str, Callable[[], Any], Callable[[int], Any], dict[str, Change]]]:
    """Name, estimator, data by seed and changes of every line of the table."""
    for n_classes in (2, 3, 4):
        for scoring in (None, "balanced_accuracy", "f1_macro"):
            yield (
                f"{n_classes} classes, rbf, {scoring or 'accuracy'}",
                lambda scoring=scoring: TunedSVC("rbf", scoring=scoring),
                lambda seed, n_classes=n_classes: classes_set(n, n_classes, seed),
                OF_CLASSES,
            )
        for kernel in ("poly", "exponential", "laplacian", "diagonal", "auto"):
            yield (
                f"{n_classes} classes, {kernel}, accuracy",
                lambda kernel=kernel: TunedSVC(kernel),
                lambda seed, n_classes=n_classes: classes_set(n, n_classes, seed),
                OF_CLASSES,
            )
    for kernel in ("rbf", "poly", "exponential", "auto"):
        yield (
            f"numbers, {kernel}, mean absolute error",
            lambda kernel=kernel: TunedSVR(kernel, scoring="neg_mean_absolute_error"),
            lambda seed: numbers_set(n, seed),
            OF_NUMBERS,
        )


def main() -> None:
    """Print a table: of so many fits, how many changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=25)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--only", default="", help="part of the names of the lines to run")
    options = parser.parse_args()
    for name, make, data, changes in jobs(options.rows):
        if options.only not in name:
            continue
        changed: Counter[str] = Counter()
        for seed in range(options.fits):
            X, y = data(seed)
            first = make().fit(X, y)
            for what, change in changes.items():
                other = make().fit(*change(X, y, np.random.default_rng(seed)))
                changed[what] += not is_same(first, other)
        counts = ", ".join(f"{what} {changed[what]}" for what in changes)
        print(f"{name}: of {options.fits} changed by {counts}", flush=True)


if __name__ == "__main__":
    main()
