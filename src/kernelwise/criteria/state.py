"""What a criterion keeps from one evaluation of a search to the next."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kernelwise.criteria.adjoint import Adjoint
from kernelwise.findings import Finding


class TrainedMachine(NamedTuple):
    """A two-class machine that a criterion trained: its support vectors' rows and coefficients, intercept."""

    rows: np.ndarray
    beta: np.ndarray
    intercept: float


@dataclass
class SearchState:
    """What a criterion keeps during one search; without it every evaluation starts from nothing."""

    #: Solutions to start the next ones from, under keys of the criterion's own.
    warm: dict[Hashable, Any] = field(default_factory=dict)
    #: What the last evaluation adds to the history: "n_support", "margin", "validation_error" and so on.
    report: dict[str, float] = field(default_factory=dict)
    #: What the user has to know, by name, so that each is reported once a search.
    findings: dict[str, Finding] = field(default_factory=dict)
    #: Whether ``machines`` are of use, so that a criterion may train for them.
    wants_machines: bool = False
    #: Those of the last evaluation that would predict new samples, in the order of `two_class_machines`.
    machines: list[TrainedMachine] = field(default_factory=list)
    #: How those machines share the classes: "ovo" or "ovr".
    strategy: str = "ovo"


class Evaluation(NamedTuple):
    """A criterion at one point."""

    value: float
    W: Adjoint | None  # ∂cost/∂K, symmetric or in factors; None if no gradient was asked for
    theta_gradient: np.ndarray  # by the criterion's own ``theta``, such as log C
