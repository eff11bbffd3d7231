"""What a learned metric says about the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.kernels.metric import correlations, weigh_the_same

#: Features that are shown one by one, at most, and the share that is worth a line.
MAX_SHOWN, SMALLEST = 30, 1e-3


@dataclass(frozen=True, eq=False)
class Relevance:
    """Share of each feature in a learned metric, the largest first.

    Attributes
    ----------
    names : list of str
    shares : ndarray of shape (n_shown,)
    n_features : int
    correlations : ndarray of shape (n_shown, n_shown) or None
        Q_kl/√(Q_kk Q_ll) of a full metric, in the same order.
    """

    names: list[str]
    shares: np.ndarray
    n_features: int
    correlations: np.ndarray | None = None

    @property
    def heading(self) -> str:
        """What the weights show."""
        if weigh_the_same(self.shares, self.n_features):
            return f"All {self.n_features} columns weigh the same"
        n = int(np.searchsorted(np.cumsum(self.shares), 0.9) + 1)
        n = min(n, len(self.names))
        listed = f": {', '.join(self.names[:n])}" if n <= 3 else ""
        share = 100 * self.shares[:n].sum()
        return f"{n} of {self.n_features} columns make up {share:.0f} % of the distance{listed}"


def feature_names(model: Any) -> list[str]:
    """Names of the features as the model was trained on them."""
    if hasattr(model, "feature_names_in_"):
        return [str(name) for name in model.feature_names_in_]
    return [f"feature {k}" for k in range(model.n_features_in_)]


def coded_names(model: Any) -> list[str]:
    """Names of the features as the machine has them, where words and gaps are features of their own."""
    return model.encoder_.feature_names if hasattr(model, "encoder_") else feature_names(model)


def relevance_of(model: Any) -> Relevance | None:
    """What a tuned machine has learned about the features; None if its kernel treats them all alike."""
    if not hasattr(model, "relevance_"):
        return None
    names, order = feature_names(model), np.argsort(-model.relevance_, kind="stable")[:MAX_SHOWN]
    order = order[: max(1, int((model.relevance_[order] >= SMALLEST).sum()))]
    Q = getattr(model, "metric_", None)
    together = None
    # Those of words would be many for one pair of columns.
    if Q is not None and len(Q) == len(names) and np.count_nonzero(Q - np.diag(np.diag(Q))) > 0:
        together = correlations(Q)[np.ix_(order, order)]
    return Relevance([names[k] for k in order], model.relevance_[order], len(names), together)
