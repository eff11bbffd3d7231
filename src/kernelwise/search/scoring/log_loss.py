"""The log-loss of held-out probabilities: it tells kernels apart that label the same rows correctly."""

from __future__ import annotations

import numpy as np

from kernelwise.multiclass import STRATEGIES, two_class_machines
from kernelwise.search.data.samples import Samples
from kernelwise.solvers.platt import doubt_of, fit_platt_of
from kernelwise.solvers.probability import class_probabilities, log_odds

#: Probabilities below this count as this: one row must not decide.
SMALLEST = 1e-6


def held_out_log_loss(held: Samples, decision: np.ndarray, n_classes: int, multiclass: str) -> float:
    """Mean of −log p of the true class over held-out rows, classes with their weights.

    Parameters
    ----------
    held : Samples
    decision : ndarray of shape (n_held_out, n_machines)
        Platt's sigmoids are fitted to them: two numbers for each machine, which hardly flatter.
    n_classes : int
    multiclass : str
        A key of `kernelwise.multiclass.STRATEGIES`.
    """
    decision, strategy = decision.astype(float), STRATEGIES[multiclass].machines
    machines = two_class_machines(held.y, n_classes, strategy)
    sigmoids = fit_platt_of(machines, decision, held.bound, held.weight, doubt_of(n_classes, strategy))
    p = class_probabilities(log_odds(decision, sigmoids), n_classes, strategy)
    of_truth = np.maximum(p[np.arange(len(p)), held.y], SMALLEST)
    return float(np.average(-np.log(of_truth), weights=held.bound))
