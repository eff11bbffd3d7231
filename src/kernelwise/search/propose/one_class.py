"""Kernels worth trying for one class: widths that follow the median distance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from kernelwise._core.rounding import significant
from kernelwise.kernels import RBF, Kernel, Laplacian, Mahalanobis, as_kernel
from kernelwise.kernels.distances import DISTANCES_OF

#: γ·(median distance) of each form: the first is the rule, the others are its neighbours. City-block
#: distances at four times the median's inverse are the best single rule of the study of novelty detection.
RULES: dict[str, tuple[float, ...]] = {"laplacian": (4.0, 8.0, 2.0, 16.0), "rbf": (8.0, 4.0, 16.0, 2.0)}
#: What "auto" tries without labels, the rule first.
AUTO = (("laplacian", 4.0), ("laplacian", 8.0), ("rbf", 8.0))
#: What it tries with labels, which can tell more kernels apart.
LABELLED = (
    *(("laplacian", factor) for factor in (4.0, 1.0, 2.0, 8.0, 16.0)),
    *(("rbf", factor) for factor in (8.0, 0.5, 2.0, 16.0, 32.0)),
    *(("whitened", factor) for factor in (8.0, 2.0)),
)
#: Rows whose distances are looked at.
MAX_ROWS = 1000
#: Share of the variances alone in the covariance of whitened features.
SHRINKAGE = 0.1


class Candidate(NamedTuple):
    """A kernel, the form and the width that it has, and what named it; a width is γ·(median distance)."""

    kernel: Kernel
    form: str
    factor: float
    reason: str


def candidates(kernel: Any, Z: Any, weight: np.ndarray, *, has_labels: bool) -> list[Candidate]:
    """The kernels to choose among on scaled rows, (n_rows, n_features); the first is the rule.

    ``kernel`` is "auto", a name, an object, or a list of names and objects.
    """
    if isinstance(kernel, list | tuple):
        found = [one for part in kernel for one in candidates(part, Z, weight, has_labels=has_labels)]
        return list({repr(one.kernel): one for one in found}.values())
    if isinstance(kernel, Kernel):
        kernel.check_takes(Z)
        made = kernel.initialize(Z, heuristic="keep") if kernel.needs_data else kernel
        return [Candidate(made, type(kernel).__name__, np.nan, "the kernel that you gave")]
    if isinstance(kernel, str) and kernel not in ("auto", *RULES):
        return [
            Candidate(
                as_kernel(kernel).initialize(Z),
                kernel,
                np.nan,
                "its parameters follow from the scale of the data",
            )
        ]
    tried = LABELLED if has_labels else AUTO
    if kernel in RULES:
        tried = tuple((kernel, factor) for factor in RULES[kernel])
    elif sparse.issparse(Z):  # city-block distances are for dense features
        tried = tuple(("rbf", factor) for factor in RULES["rbf"][: 4 if has_labels else 2])
    if Z.shape[1] == 1:
        tried = tuple(one for one in tried if one[0] != "whitened")
    medians = {form: _median(form, Z, weight) for form in dict.fromkeys(form for form, _ in tried)}
    return [_made(form, factor, *medians[form], is_rule=k == 0) for k, (form, factor) in enumerate(tried)]


def _made(form: str, factor: float, median: float, covariance: Any, *, is_rule: bool) -> Candidate:
    gamma = float(significant(factor / median))
    distance = "distance" if form == "laplacian" else "squared distance"
    rule = ", the rule of thumb" if is_rule else ""
    reason = f"γ is {factor:g} divided by the median {distance} between rows{rule}"
    if form == "whitened":
        kernel: Kernel = Mahalanobis(delta=gamma * len(covariance), covariance=covariance)
    else:
        kernel = Laplacian(gamma) if form == "laplacian" else RBF(gamma)
    return Candidate(kernel, form, factor, reason)


def _median(form: str, Z: Any, weight: np.ndarray) -> tuple[float, Any]:
    """The median distance of a form (squared, unless city-block), and its covariance if it has one."""
    covariance = None
    if form == "whitened":
        covariance = _covariance(Z, weight)
        root = np.linalg.inv(np.linalg.cholesky(covariance))
        Z = Z @ root.T
    rows = np.unique(np.linspace(0, Z.shape[0] - 1, min(Z.shape[0], MAX_ROWS)).astype(int))
    Z, weight = Z[rows], weight[rows]
    D = DISTANCES_OF["cityblock"](Z) if form == "laplacian" else DISTANCES_OF["euclidean"](Z) ** 2
    upper = np.triu_indices(len(rows), 1)
    values, counts = D[upper], (weight[:, None] * weight)[upper]
    # Copies of a row are pairs at distance zero.
    n_zero = 0.5 * float((weight * np.maximum(weight - 1.0, 0.0)).sum())
    order = np.argsort(values, kind="stable")
    total = n_zero + np.cumsum(counts[order])
    middle = values[order][np.searchsorted(total, 0.5 * total[-1])] if len(values) else 0.0
    if middle <= 0.0:  # most pairs are copies: the others decide
        apart = values > 0.0
        middle = np.median(values[apart]) if apart.any() else 1.0
    return float(middle), covariance


def _covariance(Z: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Covariance of the features, with the variances alone added so that it has an inverse."""
    S = np.atleast_2d(np.cov(Z, rowvar=False, aweights=weight, ddof=0))
    variance = np.diagonal(S)
    largest = float(variance.max()) or 1.0
    return (1.0 - SHRINKAGE) * S + np.diag(np.maximum(SHRINKAGE * variance, 1e-6 * largest))
