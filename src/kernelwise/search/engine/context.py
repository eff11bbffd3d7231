"""What accompanies a fit from its first step to its last: the time there is, the journal, the watchers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise.findings import Finding
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.sketch import DistanceSketch
from kernelwise.tables import Encoder


@dataclass
class Deadline:
    """A time budget, and what was skipped because of it.

    Parameters
    ----------
    seconds : float or None
        From now on; None is no limit.
    reserve : float
        The share of the seconds that `allows` keeps for what comes last.
    clock : callable
        Returns seconds.
    """

    seconds: float | None = None
    reserve: float = 0.0
    clock: Callable[[], float] = time.perf_counter
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without a limit."""
        return np.inf if self.seconds is None else self.seconds - self.elapsed

    def allows(self, what: str, cost: float = 0.0) -> bool:
        """Whether there is time for something of that cost; if not, it is noted as skipped."""
        if self.seconds is None or cost < self.left - self.reserve * self.seconds:
            return True
        self.skipped.append(what)
        return False


#: Share of a time budget that is kept for the final machine.
RESERVE = 0.4
#: The words for the last phase.
FINAL = "training the final model"


class FullData(Protocol):
    """All rows, where the samples of a fit are a part of them; see `kernelwise.distributed.fit`."""

    @property
    def n_rows(self) -> int: ...
    def sketch(self, kernel: Any) -> DistanceSketch:
        """The distance sketch of all rows."""

    def scaled_by(self, scaler: Any, random_state: int) -> Finding:
        """Take a scaler that was fitted to the samples; the finding says what is done where."""

    def training_rows(self, family: Any) -> Any:
        """All rows for the final machine."""


def _ignore(news: Any) -> None:
    """Watch nothing."""


@dataclass
class FitContext:
    """Deadline, journal, watchers and findings of one fit, passed as an argument.

    Attributes
    ----------
    deadline : Deadline
    journal : mutable mapping from str, default=None
        Scored kernels are looked up there and put there.
    on_scored : callable
        Called with every kernel that was scored.
    on_end : callable
        Called with the result of the fit.
    on_phase : callable
        Called with words for what is begun that scores no kernel for a while.
    task : callable
        From the name of a step to a context that the step is done in: progress for callbacks.
    feature_names : sequence of str, default=None
        Names of the features, where the samples themselves have none.
    encoder : Encoder, default=None
        What makes features of the samples, if they are a table and whoever read it has learned that already.
    findings : list of Finding
        What a user of the model has to know.
    warns : bool, default=True
        Whether findings that are warnings are issued as such, too. The command line shows them itself.
    full_data : FullData, default=None
        All rows, if the samples are a part of them.
    """

    deadline: Deadline = field(default_factory=Deadline)
    journal: MutableMapping[str, Any] | None = None
    on_scored: Callable[[ScoredKernel], None] = _ignore
    on_end: Callable[[Any], None] = _ignore
    on_phase: Callable[[str], None] = _ignore
    task: Callable[[str], AbstractContextManager[Any]] = nullcontext
    feature_names: Sequence[str] | None = None
    encoder: Encoder | None = None
    findings: list[Finding] = field(default_factory=list)
    full_data: FullData | None = None
    warns: bool = True

    def begin(self, seconds: float | None) -> FitContext:
        """Begin a fit of so many seconds, without the findings of an earlier one."""
        self.deadline, self.findings = Deadline(seconds, reserve=RESERVE), []
        return self

    def warn(self, finding: Finding, category: type[Warning]) -> None:
        """Keep a finding, and issue it as a warning."""
        self.findings.append(finding)
        self.issue([finding], category)

    def issue(self, findings: Sequence[Finding], category: type[Warning]) -> None:
        """Issue one warning of all of these findings that are warnings, if there are any."""
        serious = [str(finding) for finding in findings if finding.severity == "warning"]
        if serious and self.warns:
            warnings.warn(" ".join(serious), category, stacklevel=stacklevel_of_user())
