"""What a user of a tuned machine has to know: findings, and a warning for some of them."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.search.cross_validate import CrossValidator


def closing_findings(judge: CrossValidator) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for what was skipped or did not converge."""
    findings, deadline = judge.context.findings, judge.context.deadline
    if judge.n_indefinite:
        findings.append(
            Finding(
                "indefinite",
                "info",
                f"{judge.n_indefinite} of the Gram matrices tried were far from positive semi-definite, so "
                "that their scores may be those of local solutions.",
                "Another kernel is safer.",
            )
        )
    if deadline.skipped:
        findings.append(
            Finding(
                "time budget",
                "warning",
                f"time_budget={deadline.seconds:g} s was too short for: {'; '.join(deadline.skipped)}.",
                "Raise time_budget for a better machine.",
            )
        )
        warnings.warn(str(findings[-1]), KernelwiseWarning, stacklevel=4)  # where fit was called
    if judge.n_stopped:
        findings.append(
            Finding(
                "not converged",
                "warning",
                f"{judge.n_stopped} of {judge.n_machines} machines of the cross-validation stopped before "
                "they converged.",
                "Raise max_iter or tol, or give Cs without the largest values.",
            )
        )
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=4)
    return tuple(findings)
