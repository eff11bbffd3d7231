"""Is a support vector machine right for these data? What a comparison with forests and boosting says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise.reports.comparison import clear_from, is_clear

if TYPE_CHECKING:
    from kernelwise.comparison.table import Comparison


def verdict(comparison: Comparison) -> list[str]:
    """The sentences: who has the better score, and who the better probabilities; none without rivals.

    A difference counts from two standard errors, and from more where there are few folds (`clear_from`).
    """
    if not comparison.rivals:
        return []
    return [*_by_score(comparison), *_by_probabilities(comparison)]


def _by_score(comparison: Comparison) -> list[str]:
    rows = {row["method"]: row for row in comparison.rows()}
    first, guess = comparison.methods[0], rows.pop(comparison.baseline, None)
    best = max(list(rows.values())[1:], key=lambda row: row["difference"])
    rivals = [rows[name] for name in comparison.rivals]
    if best["method"] in comparison.rivals and is_clear(best, 1):
        error = comparison.amount(best["difference_error"], unit="")
        return [
            f"A support vector machine is not the best model here: {best['method']} is "
            f"{comparison.amount(best['difference'])} better than {first} (standard error {error})."
        ]
    if any(is_clear(row, 1) for row in rivals) or (guess is not None and not is_clear(guess, -1)):
        return []  # another search of a support vector machine is better still; or nobody has learned much
    names = _listed([row["method"] for row in rivals])
    if all(is_clear(row, -1) for row in rivals):
        return [f"A support vector machine suits this data: {first} is clearly better than {names}."]
    return [
        f"A support vector machine is a reasonable choice here: {first} is not clearly worse than {names}."
    ]


def _by_probabilities(comparison: Comparison) -> list[str]:
    losses: Any = comparison.errors.get("log_loss")
    if losses is None:
        return []
    means = {name: losses[comparison.methods.index(name)].mean() for name in comparison.rivals}
    best = min(means, key=lambda name: np.nan_to_num(means[name], nan=np.inf))
    gain = losses[0] - losses[comparison.methods.index(best)]
    error = float(gain.std(ddof=min(1, len(gain) - 1)) / np.sqrt(len(gain)))
    if not gain.mean() > clear_from(len(gain)) * error + 1e-12:  # also where somebody has no log-loss
        return []
    return [
        f"The probabilities of {best} are better than those of {comparison.methods[0]}: the log-loss is "
        f"{means[best]:.3f} instead of {losses[0].mean():.3f} (standard error of the difference {error:.3f})."
    ]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
