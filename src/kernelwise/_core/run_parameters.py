"""Parameters that say how an estimator is run, not what it learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelwise._core.validation import check_jobs, check_max_iter, check_seed, check_verbose

CHECKS: dict[str, Callable[[Any, str], None]] = {
    "max_iter": check_max_iter,
    "n_jobs": check_jobs,
    "verbose": check_verbose,
    "random_state": check_seed,
}


def check_run(estimator: Any) -> None:
    """Raise unless those of `CHECKS` that an estimator has are of their kind."""
    for name, check in CHECKS.items():
        if hasattr(estimator, name):
            check(getattr(estimator, name), type(estimator).__name__)
