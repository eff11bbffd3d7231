"""Facts of a fit that its report shows, and that the trained machine alone does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise.findings import Finding, catalogue
from kernelwise.multiclass import STRATEGIES, decide_index, two_class_machines
from kernelwise.search.data.samples import Samples
from kernelwise.solvers.probability import (
    FLAT,
    class_probabilities,
    decide,
    doubt_of,
    fit_platt_of,
    most_likely,
)


class HeldOut(NamedTuple):
    """Answers of the chosen machines to rows that they were not trained on, each of shape (n_held_out,).

    Truth and predictions are class indices (−1 for rejected), or targets in the units of y. The probability
    is that of ``classes_[1]`` for two classes, of the predicted class for more; it is empty for a regression.

    There are two labels of a row. ``predicted`` is by the rule of `predict`, with sigmoids of the other folds
    (`kernelwise.estimators._labels_score.unseen_odds`): its score is the one that people are given,
    ``result_.score``. ``scored`` is by the decision values, the rule by which the search compares models,
    that of ``best_score_`` (None for a regression). They differ for a few rows near a boundary.
    """

    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    scored: np.ndarray | None = None


@dataclass(frozen=True)
class FitRecord:
    """Small facts of a fit, kept for reports: answers as in `HeldOut`, and the weights of those rows.

    The final machine was trained on ``n_rows`` distinct rows; ``n_bounded`` of its support vectors have a
    coefficient at its bound, in one machine at least.
    """

    n_rows: int
    n_bounded: int
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    scored: np.ndarray | None = None

    @property
    def n_relabelled(self) -> float:
        """Weight of the rows that `predict` labels otherwise than the search did."""
        if self.scored is None:
            return 0.0
        return float(self.weight[self.predicted != self.scored].sum())


@dataclass(frozen=True)
class Finished:
    """A trained machine, and what is known of it.

    ``rows`` are those of the samples that it was trained on, ``sigmoids``, of shape (n_machines, 2) or None,
    are for probabilities, and ``n_machines`` were trained in ``seconds``. ``label_scores``, of shape
    (n_folds,), are those of the labels that `predict` gives on the folds of the search; None where the score
    does not go by labels, or where the machine is none of those that the search compared. ``luck`` is the
    optimism of the choice, if it was computed meanwhile.
    """

    machine: Any
    rows: np.ndarray
    sigmoids: np.ndarray | None
    record: FitRecord
    n_machines: int
    seconds: float
    label_scores: np.ndarray | None = None
    luck: float | None = None


def count_bounded(machine: Any, bound: np.ndarray) -> int:
    """Support vectors of a trained SVC or SVR with a coefficient at its bound, in one machine at least.

    ``bound``, of shape (n_trained,), are the bounds of its training rows as multiples of C.
    """
    limit = machine.C * bound[machine.support_] * (1.0 - 1e-9)
    return int((np.abs(machine.beta_) >= limit).any(axis=0).sum())


def held_out_classes(
    truth: np.ndarray,
    decision: np.ndarray,
    odds: np.ndarray,
    n_classes: int,
    multiclass: str,
    by_probability: bool,
    costs: np.ndarray | None = None,
) -> HeldOut:
    """Predicted classes and their probabilities from decision values and log odds of held-out rows.

    Both have the shape (n_held_out, n_machines); ``multiclass`` is a key of `STRATEGIES`. Labels are those
    that `predict` would give: by the largest probability, or by the decision values.
    """
    values = decision.astype(float)
    scored = decide_index(values[:, 0] if n_classes == 2 else values, n_classes, multiclass)
    p = class_probabilities(odds, n_classes, STRATEGIES[multiclass].machines)
    if by_probability:
        predicted = most_likely(odds, n_classes, multiclass, costs, p)
    else:
        predicted = decide(values, None, n_classes, multiclass)
    shown = np.ones_like(predicted) if n_classes == 2 else predicted
    return HeldOut(truth, predicted, p[np.arange(len(p)), shown], scored)


def held_out_sigmoids(
    held: Samples, decision: np.ndarray, n_classes: int, strategy: str
) -> tuple[np.ndarray, list[Finding]]:
    """Platt's sigmoids of held-out decision values, shape (n_machines, 2), and a finding if some are flat.

    The likelihood has the weights of rows and classes, ``held.bound``; ``strategy`` is "ovo" or "ovr".
    """
    machines = two_class_machines(held.y, n_classes, strategy)
    sigmoids = fit_platt_of(machines, decision, held.bound, held.weight, doubt_of(n_classes, strategy))
    n_flat = int((np.abs(sigmoids[:, 0]) * np.abs(decision).max(axis=0) < 2.0 * FLAT).sum())
    if not n_flat:
        return sigmoids, []
    return sigmoids, [catalogue.FLAT_PROBABILITIES(n_flat=n_flat, n_models=len(sigmoids))]
