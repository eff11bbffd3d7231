"""What a report shows of a fit and the trained model alone no longer knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise.estimators._probability import class_probabilities
from kernelwise.multiclass import STRATEGIES

#: Rows whose pairwise probabilities are coupled at a time: each takes a matrix of (n_classes + 1)².
BLOCK = 256


class HeldOut(NamedTuple):
    """Answers of the chosen machines to rows that they were not trained on.

    Attributes
    ----------
    truth, predicted : ndarray of shape (n_pieces,)
        Class indices (−1 for rejected), or targets in the units of y.
    probability : ndarray of shape (n_pieces,)
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
    weight : ndarray of shape (n_pieces,)
        Of the held-out rows.
    """

    n_rows: int
    n_bounded: int
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray


def count_bounded(beta: np.ndarray, bound: np.ndarray) -> int:
    """Columns of coefficients, shape (n_machines, n_support), of which one is at its bound (n_support,)."""
    return int((np.abs(beta) >= bound * (1.0 - 1e-9)).any(axis=0).sum())


def held_out_classes(
    truth: np.ndarray, decision: np.ndarray, sigmoids: np.ndarray, n_classes: int, multiclass: str
) -> HeldOut:
    """Predicted classes and their probabilities from held-out decision values.

    Parameters
    ----------
    truth : ndarray of shape (n_pieces,)
    decision : ndarray of shape (n_pieces, n_machines)
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


def record_of(machine: Any, bound: np.ndarray, held_out: HeldOut, weight: np.ndarray) -> FitRecord:
    """The record of a trained SVC or SVR whose training rows had these bounds, as multiples of C."""
    n_bounded = count_bounded(machine.beta_, machine.C * bound[machine.support_])
    return FitRecord(len(bound), n_bounded, *held_out, weight=weight)
