"""What a user of a tuned machine has to know: findings, and a warning for some of them."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.text import count
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.search.cross_validate import CrossValidator


def closing_findings(judge: CrossValidator) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for what was skipped or did not converge."""
    findings, deadline = judge.context.findings, judge.context.deadline
    if judge.n_indefinite:
        message = (
            f"{judge.n_indefinite} of the Gram matrices tried were far from positive semi-definite, so that "
            "their scores may be those of local solutions."
        )
        findings.append(
            Finding("indefinite", "info", message, "Another kernel is safer.", "Another --kernel is safer.")
        )
    if deadline.skipped:
        message = f"A time budget of {deadline.seconds:g} s was too short for {summary(deadline.skipped)}."
        advice, option = "Raise time_budget for a better model.", "Raise --time-budget for a better model."
        findings.append(Finding("time budget", "warning", message, advice, option))
        warnings.warn(str(findings[-1]), KernelwiseWarning, stacklevel=stacklevel_of_user())
    if judge.n_stopped:
        counts = f"{judge.n_stopped} of {judge.n_machines}"
        message = f"{counts} models of the cross-validation stopped before they converged."
        advice = "Raise max_iter or tol, or give Cs without the largest values."
        option = "Leave out the largest values of C with --log2c."
        findings.append(Finding("not converged", "warning", message, advice, option))
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=stacklevel_of_user())
    return tuple(findings)


def summary(skipped: list[str]) -> str:
    """What was skipped, in a few words: how many widths and ranges of C, and the rest by name."""
    n_widths = sum(what.startswith("width factor") for what in skipped)
    n_ranges = sum(what.startswith("C = ") for what in skipped)
    parts = [count(n_widths, "more width", "more widths")] if n_widths else []
    parts += [count(n_ranges, "longer range of C", "longer ranges of C")] if n_ranges else []
    parts += dict.fromkeys(what for what in skipped if not what.startswith(("width factor", "C = ")))
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
