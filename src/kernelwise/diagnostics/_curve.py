"""Whether DBTC has a peak over the width of a Gaussian kernel."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernelwise.diagnostics._data import Data, listed
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.optimizers import LineSearch
from kernelwise.problem import TuningProblem

SKETCH = "kernelwise.solvers.sketch"
MAX_SAMPLES = 1000  # of the line search, which computes a kernel matrix for each of its 80 or so widths


def curve_findings(data: Data, random_state: Any) -> list[Finding]:
    """Peak, plateau or boundary of DBTC; samples are already mapped, and not all equal."""
    if data.counts.min() < 2:
        lonely = data.classes[int(data.counts.argmin())]
        unseen = f"The DBTC curve was not looked at, because class {lonely!r} has one sample."
        return [Finding("curve", "info", unseen)]
    with warnings.catch_warnings():
        # What a search would warn of is said by the finding.
        warnings.simplefilter("ignore", KernelwiseWarning)
        gamma, reasons, seen = _by_sketch(data) if find_spec(SKETCH) else _by_line_search(data, random_state)
    flat = {problem: reason for problem, reason in reasons.items() if reason != "interior peak"}
    if not flat:
        return [
            Finding(
                "curve",
                "info",
                f"DBTC has a peak inside the range of widths{seen}, at γ = {gamma:.4g} in exp(−γD).",
            )
        ]
    return [
        Finding(
            "curve",
            "warning",
            f"DBTC has no peak inside the range of widths for {len(flat)} of {len(reasons)} problems{seen} "
            f"({listed(f'{problem}: {reason}' for problem, reason in flat.items())}).",
            "Choose the width by cross-validation, or by another criterion beside it; equal points or close "
            "neighbours with different labels and label noise make such curves.",
        )
    ]


def _by_sketch(data: Data) -> tuple[float, dict[str, str], str]:
    """Average γ at the peaks, why each search stopped, and what was looked at: every one-vs-rest problem."""
    labels = np.array([repr(label) for label in data.classes])[data.index]
    best = import_module(SKETCH).DistanceSketch.from_data(data.X, labels).maximize("dbtc", strategy="ovr")
    return float(best.gamma), dict(zip(best.problems, best.stop_reasons, strict=True)), ""


def _by_line_search(data: Data, random_state: Any) -> tuple[float, dict[str, str], str]:
    """The same for all classes together, on some of the samples."""
    chosen = _some(data, check_random_state(random_state))
    result = LineSearch().minimize(TuningProblem("rbf", "dbtc", data.X[chosen], data.index[chosen]))
    seen = "" if chosen.size == len(data.index) else f" (of {chosen.size} samples, drawn by class)"
    return float(np.exp(result.theta[0])), {"all classes": result.stop_reason}, seen


def _some(data: Data, random: np.random.RandomState) -> np.ndarray:
    """At most about `MAX_SAMPLES` samples, a share of each class and at least two."""
    share = min(1.0, MAX_SAMPLES / len(data.index))
    parts = []
    for k, count in enumerate(data.counts):
        members = random.permutation(np.flatnonzero(data.index == k))
        parts.append(members[: max(2, round(share * count))])
    return np.sort(np.concatenate(parts))
