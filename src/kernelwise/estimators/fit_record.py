"""Facts of a fit that its report shows, and that the trained machine alone does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise.estimators._probability import class_probabilities
from kernelwise.findings import Finding
from kernelwise.multiclass import STRATEGIES, two_class_machines
from kernelwise.solvers.platt import FLAT, fit_platt_of

#: Rows whose pairwise probabilities are coupled at a time: each takes a matrix of (n_classes + 1)².
BLOCK = 256


class HeldOut(NamedTuple):
    """Answers of the chosen machines to rows that they were not trained on.

    Attributes
    ----------
    truth, predicted : ndarray of shape (n_held_out,)
        Class indices (−1 for rejected), or targets in the units of y.
    probability : ndarray of shape (n_held_out,)
        Of ``classes_[1]`` for two classes, of the predicted class for more; empty for a regression.
    """

    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray


@dataclass(frozen=True)
class FitRecord:
    """Small facts of a fit, kept for reports.

    Attributes
    ----------
    n_rows : int
        Distinct rows that the final machine was trained on.
    n_bounded : int
        Its support vectors with a coefficient at its bound, in one machine at least.
    truth, predicted, probability : ndarray
        See `HeldOut`.
    weight : ndarray of shape (n_held_out,)
        Of the held-out rows.
    """

    n_rows: int
    n_bounded: int
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Finished:
    """A trained machine, and what is known of it.

    Attributes
    ----------
    machine : estimator
    rows : ndarray of shape (n_trained,)
        Rows of the samples that it was trained on.
    sigmoids : ndarray of shape (n_machines, 2), or None
        Of probabilities.
    record : FitRecord
    n_machines : int
        Machines that were trained for it.
    seconds : float
    """

    machine: Any
    rows: np.ndarray
    sigmoids: np.ndarray | None
    record: FitRecord
    n_machines: int
    seconds: float


def count_bounded(machine: Any, bound: np.ndarray) -> int:
    """Support vectors of a trained SVC or SVR with a coefficient at its bound, in one machine at least.

    ``bound``, of shape (n_trained,), are the bounds of its training rows as multiples of C.
    """
    limit = machine.C * bound[machine.support_] * (1.0 - 1e-9)
    return int((np.abs(machine.beta_) >= limit).any(axis=0).sum())


def held_out_classes(
    truth: np.ndarray, decision: np.ndarray, sigmoids: np.ndarray, n_classes: int, multiclass: str
) -> HeldOut:
    """Predicted classes and their probabilities from held-out decision values.

    Parameters
    ----------
    truth : ndarray of shape (n_held_out,)
    decision : ndarray of shape (n_held_out, n_machines)
    sigmoids : ndarray of shape (n_machines, 2)
    n_classes : int
    multiclass : str
        A key of `STRATEGIES`.
    """
    strategy = STRATEGIES[multiclass]
    predicted = strategy.decide(decision[:, 0] if n_classes == 2 else decision, n_classes)
    shown = np.ones_like(predicted) if n_classes == 2 else predicted
    probability = np.empty(len(truth))
    for first in range(0, len(truth), BLOCK):
        rows = slice(first, first + BLOCK)
        p = class_probabilities(decision[rows].astype(float), sigmoids, n_classes, strategy.machines)
        probability[rows] = p[np.arange(len(p)), shown[rows]]
    return HeldOut(truth, predicted, probability)


def held_out_sigmoids(
    y: np.ndarray, decision: np.ndarray, weight: np.ndarray, n_classes: int, strategy: str
) -> tuple[np.ndarray, list[Finding]]:
    """Platt's sigmoids of held-out decision values, shape (n_machines, 2), and a finding if some are flat.

    Parameters
    ----------
    y : ndarray of shape (n_held_out,)
        Class indices.
    decision : ndarray of shape (n_held_out, n_machines)
    weight : ndarray of shape (n_held_out,)
    n_classes : int
    strategy : {"ovo", "ovr"}
    """
    sigmoids = fit_platt_of(two_class_machines(y, n_classes, strategy), decision, weight)
    n_flat = int((np.abs(sigmoids[:, 0]) * np.abs(decision).max(axis=0) < 2.0 * FLAT).sum())
    if not n_flat:
        return sigmoids, []
    finding = Finding(
        "flat probabilities",
        "info",
        f"Held-out decision values of {n_flat} of {len(sigmoids)} machines do not tell the classes apart, so "
        "that their probabilities are little more than the shares of the classes.",
        "Use decision_function to rank samples, or train on more samples of the rare classes.",
    )
    return sigmoids, [finding]
