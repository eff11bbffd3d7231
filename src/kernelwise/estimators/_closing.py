"""What a user of a tuned machine has to know: findings, and a warning for some of them."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.text import count
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.search.cross_validate import CrossValidator

#: What is counted: how its names begin, and what one and several of them are called.
KINDS = (
    ("width factor", "kernel width", "kernel widths"),
    ("C = ", "value of C", "values of C"),
    ("ε = ", "value of ε", "values of ε"),
)
#: Other steps that are named one by one.
MOST = 3


def closing_findings(judge: CrossValidator) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for what was skipped or did not converge."""
    findings, deadline = judge.context.findings, judge.context.deadline
    if judge.n_indefinite:
        message = (
            f"{judge.n_indefinite} of the Gram matrices tried were far from positive semi-definite, so that "
            "their scores may be those of local solutions."
        )
        findings.append(Finding("indefinite", "info", message, "Another kernel is safer."))
    if deadline.skipped:
        message = f"time_budget={deadline.seconds:g} s was too short for {_kinds(deadline.skipped)}."
        findings.append(Finding("time budget", "warning", message, "Raise time_budget for a better machine."))
        warnings.warn(str(findings[-1]), KernelwiseWarning, stacklevel=stacklevel_of_user())
    if judge.n_stopped:
        counts = f"{judge.n_stopped} of {judge.n_machines}"
        message = f"{counts} machines of the cross-validation stopped before they converged."
        advice = "Raise max_iter or tol, or give Cs without the largest values."
        findings.append(Finding("not converged", "warning", message, advice))
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=stacklevel_of_user())
    return tuple(findings)


def _kinds(skipped: list[str]) -> str:
    """What was skipped, for a sentence: numbers of widths and of values, and everything else once, by name."""
    named = []
    rest = list(dict.fromkeys(skipped))
    for start, noun, plural in KINDS:
        found = [what for what in rest if what.startswith(start)]
        rest = [what for what in rest if what not in found]
        named += [count(len(found), noun, plural)] if found else []
    named += rest if len(rest) <= MOST else [*rest[:MOST], count(len(rest) - MOST, "more step", "more steps")]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
