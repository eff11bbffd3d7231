"""What a user of a tuned machine has to know: findings, and a warning for some of them."""

from __future__ import annotations

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task


def report(task: Task) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for what was skipped or did not converge."""
    paths, deadline = task.paths, task.deadline
    if paths.n_indefinite:
        task.findings.append(
            Finding(
                "indefinite",
                "info",
                f"{paths.n_indefinite} of the Gram matrices tried were far from positive semi-definite, so "
                "that their scores may be those of local solutions.",
                "Another kernel is safer.",
            )
        )
    if deadline.skipped:
        _add(
            task,
            Finding(
                "time budget",
                "warning",
                f"time_budget={deadline.seconds:g} s was too short for: {'; '.join(deadline.skipped)}.",
                "Raise time_budget for a better machine.",
            ),
            KernelwiseWarning,
        )
    if paths.n_stopped:
        _add(
            task,
            Finding(
                "not converged",
                "warning",
                f"{paths.n_stopped} of {paths.n_machines} machines of the cross-validation stopped before "
                "they converged.",
                "Raise max_iter or tol, or give Cs without the largest values.",
            ),
            ConvergenceWarning,
        )
    return tuple(task.findings)


def _add(task: Task, finding: Finding, category: type[Warning]) -> None:
    task.findings.append(finding)
    warnings.warn(str(finding), category, stacklevel=4)  # where fit was called


def say(path: KernelPath, owner: str) -> None:
    """A line on the standard error stream about a kernel that was scored."""
    print(
        f"[{owner}] {path.kernel} ({path.reason}): {path.best_score:.4f} at C = {path.Cs[path.best]:.4g}, "
        f"{path.n_machines} machines, {path.seconds:.2f} s",
        file=sys.stderr,
    )
