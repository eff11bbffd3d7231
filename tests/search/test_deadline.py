"""What accompanies a fit: a time budget under a clock of our own, and findings that are warnings, too."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from kernelwise.exceptions import TrustWarning
from kernelwise.findings import Finding
from kernelwise.search.engine.context import Deadline, FitContext


class Clock:
    """Time that passes when told."""

    now = 100.0

    def __call__(self):
        return self.now


def test_without_a_limit_everything_is_allowed():
    deadline = Deadline()
    assert deadline.left == np.inf
    assert deadline.allows("all", 1e9)
    assert deadline.skipped == []


def test_what_is_too_dear_is_skipped_and_noted():
    clock = Clock()
    deadline = Deadline(2.0, clock=clock)
    assert deadline.allows("first", 1.9)
    clock.now += 1.5
    assert deadline.left == 0.5
    assert deadline.elapsed == 1.5
    assert not deadline.allows("second", 0.6)
    assert deadline.allows("third", 0.4)
    clock.now += 1.0
    assert not deadline.allows("fourth")
    assert deadline.skipped == ["second", "fourth"]


def test_a_share_is_kept_for_the_last_step():
    clock = Clock()
    deadline = Deadline(10.0, reserve=0.4, clock=clock)
    assert deadline.allows("search", 5.9)
    assert not deadline.allows("longer search", 6.1)
    clock.now += 7.0
    assert not deadline.allows("more search")
    assert deadline.left == 3.0


SERIOUS = Finding("a", "warning", "It is so.", "Mend it.", "Use --mend.")
NOTE = Finding("b", "info", "It may be so.")


def test_findings_that_are_warnings_are_issued_as_one():
    context = FitContext()
    with pytest.warns(TrustWarning, match=r"^It is so\. Mend it\. It is so\. Mend it\.$") as caught:
        context.issue([SERIOUS, NOTE, SERIOUS], TrustWarning)
    assert (len(caught), caught[0].filename, context.findings) == (1, __file__, [])
    with pytest.warns(TrustWarning, match="^It is so"):
        context.warn(SERIOUS, TrustWarning)
    assert context.findings == [SERIOUS]


def test_findings_that_somebody_else_shows_are_no_warnings():
    context = FitContext(warns=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context.warn(SERIOUS, TrustWarning)
        FitContext().warn(NOTE, TrustWarning)
    assert context.findings == [SERIOUS]
