"""A time budget under a clock of our own."""

from __future__ import annotations

import numpy as np

from kernelwise.search.engine.context import Deadline


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
