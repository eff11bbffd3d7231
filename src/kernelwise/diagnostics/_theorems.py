"""What the closest pair of points says about criteria at narrow widths (paper 002, theorems 2 and 3)."""

from __future__ import annotations

import warnings

import numpy as np

from kernelwise.criteria.alignment import target
from kernelwise.diagnostics._data import Data, number
from kernelwise.diagnostics.closest_pair import ClosestPair, closest_pair
from kernelwise.diagnostics.points import Points
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.kernels.starts import start_gamma


def pull(pair: ClosestPair) -> float:
    """Sign of the change of polarization when a very narrow Gaussian kernel gets wider.

    P = Σ T_ij K_ij with T = 1 for equal and −1/(c − 1) for different labels. For σ → 0 equal points keep
    K_ij = 1, and of all others the closest dominate (lemma 1), so that the sign is that of Σ T_ij over the
    pairs of samples at the smallest positive distance: negative means a maximum of P at the boundary σ → 0
    (theorem 3, where that is one pair), positive a minimum, and zero leaves it to the next distance.
    """
    T = target(len(pair.labels))
    return float(np.triu(T * pair.labels).sum())


def closest_pair_findings(data: Data, points: Points) -> list[Finding]:
    """The closest pair of different points, its labels, and the verdict of the theorems."""
    pair = closest_pair(points)
    if pair is None:
        return [
            Finding(
                "closest-pair",
                "warning",
                "Some points differ by so little that their squared distance is zero in double precision.",
                "Rescale X.",
            )
        ]
    has_boundary_optimum = pull(pair) < 0
    sentence = f"{_evidence(data, pair)} {_verdict(data, points, pair)}"
    return [
        Finding(
            "closest-pair",
            "warning" if has_boundary_optimum else "info",
            sentence,
            _advice(data) if has_boundary_optimum else "",
        )
    ]


def _evidence(data: Data, pair: ClosestPair) -> str:
    first, second = pair.samples
    a, b = (data.classes[data.index[sample]] for sample in pair.samples)
    labels = f"equal labels ({a!r})" if a == b else f"different labels ({a!r} and {b!r})"
    where = f"samples {first} and {second}, {pair.distance:.4g} apart"
    text = f"The closest two different points ({where}) have {labels}"
    if pair.n_equal + pair.n_different == 1:
        return text + "."
    return (
        f"{text}; of {number(pair.n_equal + pair.n_different, 'pair')} of samples at this distance, "
        f"{pair.n_equal} have equal and {pair.n_different} different labels."
    )


def _verdict(data: Data, points: Points, pair: ClosestPair) -> str:
    """What follows, by theorem 2 or 3 of Glasmachers (2006) or by counting."""
    sign = pull(pair)
    if sign == 0:
        return "They cancel, so that the next distances decide whether polarization has a maximum at σ → 0."
    has_copies = len(points.first) < len(data.index)
    is_single = pair.n_ties == 1 and not has_copies and len(data.classes) == 2 and len(data.index) > 2
    if is_single:
        optimum = "have a boundary optimum at" if sign < 0 else "lead away from"
        text = f"So radius-margin and polarization {optimum} σ → 0 (Glasmachers 2006, theorems 2 and 3)"
    else:
        optimum = "has a boundary optimum at" if sign < 0 else "leads away from"
        text = f"So polarization {optimum} σ → 0 (Glasmachers 2006, theorem 3, with all these pairs counted)"
        text += f"; for radius-margin theorem 2 {_missing(data, pair, has_copies)}"
    if sign < 0:
        text += "; alignment has been seen to do the same, which is not proven"
    return text + "."


def _missing(data: Data, pair: ClosestPair, has_copies: bool) -> str:
    """The assumption of theorem 2 that does not hold."""
    if has_copies:
        return "does not hold as it stands, because repeated points stay equal at every width"
    if pair.n_ties > 1:
        return "assumes one closest pair"
    if len(data.classes) > 2:
        a, b = (data.classes[data.index[sample]] for sample in pair.samples)
        problems = (
            "all one-vs-rest problems" if a == b else f"the one-vs-rest problems of {a!r} and {b!r} only"
        )
        return f"says so of {problems}"
    return "assumes more than two samples"


def _advice(data: Data) -> str:
    with warnings.catch_warnings():
        # Repeated points have a finding of their own.
        warnings.simplefilter("ignore", KernelwiseWarning)
        gamma = start_gamma(data.X, data.index, "jaakkola")
    return (
        f"Start a search for the width from Jaakkola's heuristic (γ = {gamma:.4g} in exp(−γD)) and distrust "
        "an optimum at the narrow end of its range."
    )
