"""The width of the tube: ε that follows the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.search.climb import ScaleSearch
from kernelwise.search.regression_task import RegressionTask
from kernelwise.search.scored_kernel import KernelPath

#: ε worth trying, as shares of the held-out error. For Gaussian noise the best is about 0.6 of its deviation
#: (Smola, Murata, Schölkopf and Müller 1998); less is safer where the error is more than noise.
SHARES = (0.6, 0.3)
#: One within this factor of another is not tried.
NEAR = 1.4
MAX_ROUNDS = 3
#: Where ε has fallen by more than this, the widths are looked at again: the wide tube hid what they can do.
FELL = 3.0


def fit_tube(
    task: RegressionTask, path: KernelPath, search: ScaleSearch | None = None
) -> tuple[KernelPath, list[str]]:
    """Try other ε with the kernel chosen; return the best path and what was done in words.

    Parameters
    ----------
    task : RegressionTask
        Nothing is tried if it has several ε already, or one that the user gave.
    path : KernelPath
        Of the kernel chosen.
    search : ScaleSearch, default=None
        Where the kernel comes from; climbed again with a much smaller ε.
    """
    if task.has_given_epsilons:
        return path, []
    kernel = path.kernel if search is None else search.best_kernel
    tried, first = [task.epsilons[0]], task.epsilons[0]
    for _ in range(MAX_ROUNDS):
        before = path
        for share in SHARES:
            other = _try(task, kernel, path, share, tried)
            path = other if _is_better(other, path) else path
        if path is before:
            break
    assert path.epsilon is not None
    if search is not None and path.epsilon < first / FELL:
        task.epsilons = [path.epsilon]
        path = ScaleSearch(kernel, task, tried={1.0: path}).run([], [])
        task.epsilons = [first]
    values = ", ".join(f"{epsilon:.3g}" for epsilon in tried)
    return path, [f"ε = {path.epsilon:.3g} was the best of {values} (deviations of y)."]


def _is_better(other: KernelPath, path: KernelPath) -> bool:
    """Whether the gain is more than its standard error over the folds.

    The best of several ε by a little is chance: a fixed ε did better on six sets of 300 rows.
    """
    gains = other.scores[other.best] - path.scores[path.best]
    return other.best_score - path.best_score > gains.std(ddof=1) / np.sqrt(len(gains))


def _try(task: RegressionTask, kernel: Any, path: KernelPath, share: float, tried: list[float]) -> KernelPath:
    """The path of the same kernel with ε that share of its error; the path itself if ε is known."""
    epsilon = float(f"{share * task.residual(path):.2g}")  # two digits: rounding of the data must not matter
    is_known = any(max(epsilon / other, other / epsilon) < NEAR for other in tried) if epsilon > 0 else True
    if is_known or not task.deadline.allows(f"ε = {epsilon:.2g}", path.seconds):
        return path
    tried.append(epsilon)
    # With the same values of C: one that was tried further would win by that alone.
    return task.run_at(kernel, "other ε", epsilon, path.Cs)
