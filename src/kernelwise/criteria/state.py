"""What a criterion keeps from one evaluation of a search to the next."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kernelwise.criteria.adjoint import Adjoint
from kernelwise.findings import Finding


class TrainedMachine(NamedTuple):
    """A two-class machine that a criterion trained.

    Attributes
    ----------
    rows : ndarray of shape (n_support,)
        Rows of the samples that are its support vectors.
    beta : ndarray of shape (n_support,)
        Signed coefficients.
    intercept : float
    """

    rows: np.ndarray
    beta: np.ndarray
    intercept: float


@dataclass
class SearchState:
    """What a criterion keeps during one search; without it every evaluation starts from nothing.

    Attributes
    ----------
    warm : dict
        Solutions to start the next ones from, under keys of the criterion's own.
    report : dict from str to float
        What the last evaluation adds to the history: "n_support", "margin", "validation_error" and so on.
    findings : dict from str to Finding
        What the user has to know, by name, so that each is reported once a search.
    wants_machines : bool
        Whether ``machines`` are of use, so that a criterion may train for them.
    machines : list of TrainedMachine
        The machines of the last evaluation that would predict new samples, in the order of
        :func:`~kernelwise.multiclass.two_class_machines`.
    strategy : {"ovo", "ovr"}
        How those machines share the classes.
    """

    warm: dict[Hashable, Any] = field(default_factory=dict)
    report: dict[str, float] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    wants_machines: bool = False
    machines: list[TrainedMachine] = field(default_factory=list)
    strategy: str = "ovo"


class Evaluation(NamedTuple):
    """A criterion at one point.

    Attributes
    ----------
    value : float
        The cost.
    W : ndarray of shape (n_rows, n_rows), FactoredAdjoint or None
        ∂cost/∂K, symmetric or in factors; None if no gradient was asked for.
    theta_gradient : ndarray of shape (n_theta,)
        With respect to the criterion's own ``theta``, such as log C.
    """

    value: float
    W: Adjoint | None
    theta_gradient: np.ndarray
