"""The table of a tuned machine: every kernel and C that was scored, in scikit-learn's layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.estimators._cv_results import cv_results
from kernelwise.kernels import Kernel
from kernelwise.search.choose import take
from kernelwise.search.data.settings import ONE_ERROR
from kernelwise.search.engine.rules import most_regularised_within, standard_error
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice


def tabulate(validator: CrossValidator, steering: str | None = None) -> dict[str, Any]:
    """``cv_results_`` of all kernels and values of C, with six columns more.

    ``smoothed_test_score`` is what the choice went by: the mean over neighbouring values of C.
    ``standard_error`` is that of the mean score, ``n_support`` the mean number of support vectors,
    ``scaled_C`` C times the variance in feature space, ``path`` the number of the kernel in the order in
    which kernels were tried, and ``reason`` says why it was. Where there are several scores, the one
    that was maximised is named ``steering``, and is in ``mean_test_score``, too.
    """
    paths = validator.scored
    candidates = [params(path.kernel, C, path.epsilon) for path in paths for C in path.Cs]
    scores = np.concatenate([path.scores for path in paths])
    times = np.concatenate([np.full(path.scores.shape, path.seconds / path.scores.size) for path in paths])
    test = {"score": scores} if steering is None else {"score": scores, steering: scores}
    for name in validator.others:
        test[name] = np.concatenate([validator.other_scores(name, path) for path in paths])
    table = cv_results(candidates, {"fit_time": times, "score_time": np.zeros_like(times)}, test, {})
    table["smoothed_test_score"] = np.concatenate([path.smoothed for path in paths])
    table["standard_error"] = standard_error(scores, validator.n_held_out, validator.scorer.is_share)
    table["n_support"] = np.concatenate([path.n_support for path in paths])
    table["scaled_C"] = np.concatenate([path.Cs * path.variance for path in paths])
    table["path"] = np.repeat(np.arange(len(paths)), [len(path.Cs) for path in paths])
    table["reason"] = np.array([path.reason for path in paths for _ in path.Cs], dtype=object)
    return table


def params(kernel: Any, C: float, epsilon: float | None = None) -> dict[str, Any]:
    """A candidate: the kernel, C, ε of a regression, and the kernel's numbers by name."""
    numbers: dict[str, Any] = {}
    if isinstance(kernel, Kernel):
        numbers = {k: v for k, v in kernel.get_params().items() if isinstance(v, float | int)}
    own = {} if epsilon is None else {"epsilon": epsilon}
    return {"kernel": kernel, **numbers, "C": float(C), **own}


def row_index(
    validator: CrossValidator, choice: Choice, refit: Any, table: dict[str, Any], owner: str
) -> int:
    """The row of the table that is chosen: the choice, or what the rule ``refit`` makes of it.

    A rule changes the choice, and what is said of it.
    """
    starts = np.flatnonzero(np.diff(table["path"], prepend=-1))
    if not callable(refit) and refit != ONE_ERROR:
        number = next(k for k, scored in enumerate(validator.scored) if scored is choice.scored)
        return int(starts[number]) + choice.index
    row = _asked(refit, table, owner) if callable(refit) else one_standard_error(table)
    scored = validator.scored[table["path"][row]]
    take(validator, choice, scored, row - int(starts[table["path"][row]]))
    return row


def _asked(refit: Any, table: dict[str, Any], owner: str) -> int:
    """The row that a callable ``refit`` returns."""
    row, n_rows = refit(table), len(table["params"])
    if not isinstance(row, int | np.integer) or isinstance(row, bool) or not 0 <= row < n_rows:
        raise ValueError(
            f"'refit' of {owner} must return the number of a row of cv_results_, 0 to {n_rows - 1}, "
            f"got {row!r}."
        )
    return int(row)


def one_standard_error(table: dict[str, Any]) -> int:
    """Row of the most regularised candidate whose score is within one standard error of the best."""
    scores = table["smoothed_test_score"]
    best = int(np.argmax(scores))
    return most_regularised_within(table["scaled_C"], scores, best, table["standard_error"][best])
