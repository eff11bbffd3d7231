"""What is claimed for a model, and what is true of it on new rows: ``python -m benchmarks.honesty --help``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def noise(rng: np.random.Generator, n: int) -> Drawn:
    """Two classes that have nothing to do with five columns."""
    return rng.normal(size=(n, 5)), rng.integers(0, 2, n), None


def strong(rng: np.random.Generator, n: int) -> Drawn:
    """Two Gaussians that overlap by 5 %."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 4)) + 1.65 * y[:, None], y, None


def weak(rng: np.random.Generator, n: int) -> Drawn:
    """Two Gaussians of which two thirds of the rows can be told."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 5)) + 0.4 * y[:, None], y, None


def tied(rng: np.random.Generator, n: int) -> Drawn:
    """Three columns of few values: most settings give the same answers."""
    X = np.column_stack([rng.integers(0, k, n) for k in (2, 3, 4)])
    share = 0.2 + 0.5 * X[:, 0] - 0.15 * (X[:, 1] == 2) + 0.1 * (X[:, 2] == 0)
    return X.astype(float), (rng.random(n) < share).astype(int), None


def rare(rng: np.random.Generator, n: int) -> Drawn:
    """A class of 8 % of the rows."""
    y = (rng.random(n) < 0.08).astype(int)
    return rng.normal(size=(n, 5)) + 0.9 * y[:, None], y, None


def wide(rng: np.random.Generator, n: int) -> Drawn:
    """Sixty columns, of which three matter."""
    X = rng.normal(size=(n, 60))
    return X, (X[:, :3].sum(axis=1) + rng.normal(size=n) > 0).astype(int), None


def three(rng: np.random.Generator, n: int) -> Drawn:
    """Three classes in a row."""
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.8 * y
    X[:, 1] += 1.2 * (y == 1)
    return X, y, None


def xor(rng: np.random.Generator, n: int) -> Drawn:
    """Classes by the signs of two columns, with 15 % of wrong labels."""
    X = rng.normal(size=(n, 3))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.15)).astype(int), None


def numbers(rng: np.random.Generator, n: int) -> Drawn:
    """A smooth function of three of five columns, with noise."""
    X = rng.random(size=(n, 5))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y + 0.3 * rng.normal(size=n), None


def copies(rng: np.random.Generator, n: int) -> Drawn:
    """Every row three times with noise of 1 %, and with the label of the first."""
    X, y, _ = weak(rng, -(-n // 3))
    X = np.repeat(1.5 * X, 3, axis=0)[:n]
    return X + 0.01 * rng.normal(size=X.shape), np.repeat(y, 3)[:n], None


def groups(rng: np.random.Generator, n: int) -> Drawn:
    """Groups of six rows that are alike and have one label; the groups are known."""
    group = np.arange(n) // 6
    of_group, y, _ = weak(rng, int(group.max()) + 1)
    X = 1.5 * of_group[group] + 0.5 * rng.normal(size=(n, 5))
    return X, y[group], group


#: The kinds of data, and how many rows are drawn of each.
KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Drawn], int]] = {
    "no signal": (noise, 100),
    "strong signal": (strong, 60),
    "weak signal": (weak, 150),
    "settings tie": (tied, 300),
    "rare class": (rare, 250),
    "many columns": (wide, 100),
    "three classes": (three, 120),
    "wrong labels": (xor, 120),
    "numbers": (numbers, 120),
    "near copies": (copies, 150),
    "groups": (groups, 180),
    "many rows": (weak, 2000),
}
N_NEW = 6000
