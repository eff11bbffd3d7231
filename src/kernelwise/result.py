"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.findings import Finding
from kernelwise.kernels import Kernel


class History(list[dict[str, Any]]):
    """One row per evaluation; ``history.to_frame()`` or ``pandas.DataFrame(history)`` makes a table."""

    def to_frame(self) -> Any:
        """The history as a pandas DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self)


@dataclass(frozen=True)
class TuningResult:
    """The best kernel a search met, and how it got there.

    Attributes
    ----------
    kernel : Kernel
    value : float
        The cost at ``kernel``; smaller is better.
    score : float
        The paper's own quantity there.
    theta : ndarray
        ``kernel.theta``.
    history : History
        One row per evaluation: value, score, gradient norm, parameters, seconds since the start.
    stop_reason : str
        "converged", "interior peak", "plateau", "boundary", "grid exhausted", "max_iter" or
        "no progress", of the run that found the best kernel.
    converged : bool
        Whether that reason means an optimum inside the range.
    n_evaluations, n_gradients, n_iterations : int
        Over all restarts.
    seconds : float
    diagnostics : tuple of Finding
    """

    kernel: Kernel
    value: float
    score: float
    theta: np.ndarray
    history: History = field(repr=False)
    stop_reason: str
    converged: bool
    n_evaluations: int
    n_gradients: int
    n_iterations: int
    seconds: float
    diagnostics: tuple[Finding, ...] = ()
