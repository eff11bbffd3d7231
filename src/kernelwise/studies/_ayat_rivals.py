"""The other classifiers of table 2 of paper 001 (Ayat and others 2002), on the same splits as KMOD.

The paper takes their errors from Rätsch, Onoda and Müller (2001), who boost networks of radial functions. Our
network has centres by k-means, one width and a logistic output; their number and its penalty are chosen on
the training rows. Our AdaBoost is scikit-learn's with 200 stumps. No library that we know of has AdaBoost
with their regularisation.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from kernelwise.studies._table import Row

#: Errors of table 2 in per cent, and whether the paper calls them significantly different from KMOD's.
PAPER = {
    "RBF network": ("27.6 ± 4.7", True),
    "AdaBoost": ("30.4 ± 4.7", True),
    "AdaBoost, regularised": ("26.5 ± 4.5", False),
}
N_ROUNDS = 200


class Centres(TransformerMixin, BaseEstimator):
    """Radial functions around centres by k-means, as wide as neighbouring centres are apart."""

    def __init__(self, n_centres: int = 8) -> None:
        self.n_centres = n_centres

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        """Find the centres of X of shape (n_samples, n_features)."""
        self.centres_ = KMeans(self.n_centres, n_init=3, random_state=0).fit(X).cluster_centers_
        apart = euclidean_distances(self.centres_)
        np.fill_diagonal(apart, np.inf)
        self.width_ = float(apart.min(axis=1).mean())
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Values of shape (n_samples, n_centres)."""
        return np.exp(-(euclidean_distances(X, self.centres_, squared=True)) / (2 * self.width_**2))


def made(name: str) -> Any:
    """The classifier of a name."""
    if name == "AdaBoost":
        return AdaBoostClassifier(n_estimators=N_ROUNDS, random_state=0)
    network = make_pipeline(Centres(), LogisticRegression())
    grid = {"centres__n_centres": (4, 8, 16, 32), "logisticregression__C": (0.1, 1.0, 10.0)}
    return GridSearchCV(network, grid, cv=5)


def rival_rows(errors: dict[str, list[float]], kmod: list[float], n_train: int, n_test: int) -> list[Row]:
    """Mean errors over the splits, and how far they are from KMOD's.

    Splits share their rows, so that the standard error of a difference is that of Nadeau and Bengio:
    the variance of the differences times 1/n + n_test/n_train.
    """
    rows = []
    for name, (printed, is_different) in PAPER.items():
        row: Row = {"classifier": name, "paper's": printed, "paper: significant": is_different}
        if name in errors:
            gap = np.array(errors[name]) - kmod
            error = np.sqrt(gap.var(ddof=1) * (1 / len(gap) + n_test / n_train))
            row |= {"error %": float(np.mean(errors[name])), "less KMOD": float(gap.mean())}
            row |= {"± s.e.": float(error), "splits": len(gap)}
        else:
            row |= dict.fromkeys(("error %", "less KMOD", "± s.e.", "splits"))
        rows.append(row)
    return rows
