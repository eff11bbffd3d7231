"""What is asked of a system: the five jobs, their data sets and their grids."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.data import SEED, Data, Folds, deal, load

DATA = {
    "cpath": (
        "breast_cancer",
        "digits",
        "digits_parity",
        "synthetic_2000",
        "synthetic_5000",
        "banknote",
        "heart_statlog",
        "splice_1000",
    ),
    "grid": ("breast_cancer", "digits_parity", "digits"),
    "select": ("heart_statlog", "breast_cancer", "digits_parity", "digits"),
    "fit": (
        "synthetic_5000",
        "synthetic_10000",
        "synthetic_20000",
        "noisy_5000",
        "noisy_10000",
        "noisy_20000",
    ),
    "predict": ("synthetic_5000",),
}
N_NEW = 20_000


@dataclass(frozen=True)
class Task:
    """One job on one data set, in the terms that every system gets.

    Attributes
    ----------
    job : {"cpath", "grid", "select", "fit", "predict"}
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
    folds : list of (train, test) index arrays
    gammas, Cs : ndarray
        The grid; one gamma for ``cpath``, one of each for ``fit`` and ``predict``.
    X_new : ndarray of shape (n_new, n_features)
        The points to predict in ``predict``; in ``fit`` only a probe for the agreement.
    """

    job: str
    X: np.ndarray
    y: np.ndarray
    folds: Folds
    gammas: np.ndarray
    Cs: np.ndarray
    X_new: np.ndarray

    @property
    def gamma(self) -> float:
        return float(self.gammas[0])

    @property
    def C(self) -> float:
        return float(self.Cs[0])


def powers(low: float, high: float, step: float) -> np.ndarray:
    """Return 2^low, 2^(low + step), … up to 2^high."""
    return 2.0 ** np.arange(low, high + step / 2, step)


def make_task(job: str, name: str, quick: bool = False, C: float = 1.0) -> Task:
    """Return the job on the named data set; ``quick`` thins the grids and takes at most 500 samples.

    ``C`` is that of the one machine of ``fit`` and ``predict``.
    """
    data = load(name)
    if quick and len(data.y) > 500:
        rows = np.random.default_rng(SEED).permutation(len(data.y))[:500]
        data = deal(data.X[rows], data.y[rows], len(data.folds), data.gamma)
    gammas, Cs = _grid(job, name, data, quick, C)
    n_new = N_NEW // 20 if quick else N_NEW
    return Task(job, data.X, data.y, data.folds, gammas, Cs, _new_points(data.X, n_new))


def warm_up(task: Task) -> Task:
    """Return the job on twelve samples of each class and the corners of the grid: to compile and load."""
    rows = np.concatenate([np.flatnonzero(task.y == label)[:12] for label in np.unique(task.y)])
    small = deal(task.X[rows], task.y[rows], 2, task.gamma)
    ends = [0, -1] if len(task.Cs) > 1 else [0]
    gammas = task.gammas[ends] if len(task.gammas) > 1 else task.gammas
    corner = {"gammas": gammas, "Cs": task.Cs[ends], "X_new": task.X_new[:10]}
    return replace(task, X=small.X, y=small.y, folds=small.folds, **corner)


def _grid(job: str, name: str, data: Data, quick: bool, C: float) -> tuple[np.ndarray, np.ndarray]:
    if job in ("fit", "predict"):
        return np.array([data.gamma]), np.array([C])
    if job == "cpath":
        return np.array([data.gamma]), powers(-1, 16, 4 if quick else 0.5)
    # sigma = 2^-8 … 2^9, in half steps; compared by setting, only where that takes scikit-learn minutes.
    step = 4 if quick else 0.5 if name == "breast_cancer" or job == "select" else 2
    return 1 / (2 * powers(-8, 9, step) ** 2), powers(-1, 16, step)


def _new_points(X: np.ndarray, n_new: int) -> np.ndarray:
    """Points between random pairs of samples: near the data, and as many as wanted."""
    rng = np.random.default_rng(SEED)
    first, second = rng.integers(len(X), size=(2, n_new))
    share = rng.random((n_new, 1))
    return share * X[first] + (1 - share) * X[second]
