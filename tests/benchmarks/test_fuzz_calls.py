"""A few random calls of the Python interface; `python -m benchmarks.fuzz_calls` makes thousands."""

from __future__ import annotations

import pytest
from benchmarks.fuzz_calls import run_calls
from benchmarks.fuzz_calls.verdict import fault_of_error, fault_of_value


def test_random_calls_work_or_are_refused_in_a_sentence():
    outcome = run_calls(0, range(60))
    assert outcome.failures == []
    assert min(outcome.n_worked, outcome.n_refused) > 10


@pytest.mark.parametrize(
    ("call", "is_fault"),
    [
        (lambda: float("word"), True),  # Python's own words
        (lambda: [][0], True),
        (lambda: __import__("kernelwise").SVC(C=-1.0).fit([[0.0], [1.0]], [0, 1]), False),
    ],
)
def test_errors_are_told_from_sentences(call, is_fault):
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    assert (fault_of_error(caught.value, ("C",)) is not None) == is_fault
    assert fault_of_value("beta", [1.0, float("nan")]) == "beta is not finite"
