"""Numbers, kernels and scores as people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.kernels import Kernel

#: Letters of the papers for names of parameters.
LETTERS = {"gamma": "γ", "delta": "δ", "sigma": "σ", "coef0": "c", "epsilon": "ε"}
#: In what distances between rows are measured, by the scaling.
UNITS = {
    "standard": "standard deviations",
    "minmax": "ranges of a column",
    "robust": "interquartile ranges (the spread of the middle half of a column)",
    None: "in units of the columns",
}
#: The unit of distances after a scaler of the user's own.
SCALED = "in units of the scaled columns"
#: How the titles of kernels end that have a weight for each feature.
FEATURE_WEIGHTS = " with feature weights"
#: Weights below this share of the largest do not count as kept features.
NEGLIGIBLE = 1e-6
#: Kinds of kernels that the name of a sum lists, at most.
MOST_KINDS = 4


def number(value: float, digits: int = 3) -> str:
    """A number with a few significant digits: 0.0208, 16, 1024, 1.05e-6."""
    if 10**digits <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.{digits}g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def kernel_text(kernel: object) -> str:
    """A kernel with its numbers: RBF, γ = 0.0208.

    Examples
    --------
    >>> from kernelwise.kernels import RBF, DiagonalGaussian, KernelSum, Laplacian
    >>> kernel_text(RBF(gamma=0.0208))
    'RBF, γ = 0.0208'
    >>> kernel_text(KernelSum([RBF(), Laplacian(0.1), Laplacian(0.5)]))
    'Sum of 3 kernels (RBF, 2 Laplacian)'
    >>> kernel_text(DiagonalGaussian([0.5, 1e-12]))
    'RBF with weights for 1 of 2 features'
    """
    if not isinstance(kernel, Kernel):
        return "Precomputed kernel"
    parts = [part for _, part in kernel.parts()]
    if len(parts) > 1:
        return f"Sum of {len(parts)} kernels ({_kinds_text(parts)})"
    q = kernel.feature_weights
    if q is not None:
        n_kept = int((q > NEGLIGIBLE * q.max()).sum())
        features = count(len(q), "feature") if n_kept == len(q) else f"{n_kept} of {count(len(q), 'feature')}"
        return f"{kernel.title.removesuffix(FEATURE_WEIGHTS)} with weights for {features}"
    numbers = {k: v for k, v in kernel.get_params().items() if isinstance(v, float | int)}
    return ", ".join([kernel.title, *(f"{LETTERS.get(k, k)} = {number(v)}" for k, v in numbers.items())])


def _kinds_text(kernels: list[Kernel]) -> str:
    """The names of kernels, each with how many there are of it."""
    kinds = Counter(kernel.title.removesuffix(" kernel") for kernel in kernels)
    names = [kind if n == 1 else f"{n} {kind}" for kind, n in kinds.items()]
    return ", ".join(names if len(names) <= MOST_KINDS else [*names[: MOST_KINDS - 1], "…"])


def kernel_meaning(kernel: object, scale: object = "standard") -> str:
    """What a kernel does, in a few words without formulas; empty for kernels of others.

    ``scale`` is the scaling of the columns, in whose units a distance is.

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> kernel_meaning(RBF(gamma=0.125))
    'rows count as alike when closer than about 2 standard deviations'
    """
    if not isinstance(kernel, Kernel):
        return ""
    if kernel.reach is None:
        return kernel.meaning
    unit = UNITS.get(scale, SCALED) if scale is None or isinstance(scale, str) else SCALED
    return f"rows count as alike when closer than about {number(kernel.reach, 2)} {unit}"


def blend_text(kernels: Sequence[Any]) -> str:
    """What a blend of settings with these kernels is called: a blend of 4 kernels.

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> blend_text([RBF(0.5), RBF(0.25), RBF(0.5)]), blend_text([RBF(), RBF()])
    ('a blend of 2 kernels', 'a blend of 2 models with one kernel')
    """
    n_kernels = sum(kernel not in kernels[:k] for k, kernel in enumerate(kernels))
    if n_kernels == 1:
        return f"a blend of {count(len(kernels), 'model')} with one kernel"
    return f"a blend of {n_kernels} kernels"


def model_text(kernel: object, C: float) -> str:
    """A kernel and C: RBF with γ = 0.0208 and C = 16."""
    text = kernel_text(kernel)
    title, *numbers = text.split(", ", 1)
    if "(" in title:
        return f"{text} with C = {number(C)}"
    if " with " in title or not numbers:
        return f"{', '.join([title, *numbers])} and C = {number(C)}"
    return f"{title} with {numbers[0]} and C = {number(C)}"


def decimals(error: float | None, share: bool) -> int:
    """Digits after the point that a standard error allows: one digit of it, or two below 36.

    Without an error it is one digit of a share in per cent, and three of other scores.

    Examples
    --------
    >>> [decimals(error, share=True) for error in (0.0125, 0.007, 0.046, None)]
    [1, 1, 0, 1]
    >>> decimals(0.012, share=False)
    3
    """
    if error is None or not np.isfinite(error) or error <= 0.0:
        return 1 if share else 3
    size = 100.0 * error if share else error
    digits = -int(np.floor(np.log10(size)))
    return int(np.clip(digits + (size * 10.0**digits < 3.55), 0, 6))


def score_text(value: float, share: bool, error: float | None = None) -> str:
    """97.2 % for a share of rows, 0.972 for other scores, with the digits that its standard error allows."""
    digits = decimals(error, share)
    shown = f"{100 * value:.{digits}f} %" if share else f"{round(value, digits) + 0.0:.{digits}f}"  # no −0
    return shown.replace("-", "−")


def gap_text(gap: float, share: bool) -> str:
    """How far two scores are apart: 1.2 points of a share of rows, else 0.012; empty if that rounds to zero.

    Examples
    --------
    >>> gap_text(-0.012, share=True), gap_text(0.012, share=False), gap_text(1e-6, share=True)
    ('1.2 points', '0.012', '')
    """
    size = round(100.0 * abs(gap), 1) if share else round(abs(gap), 3)
    if not size > 0.0:
        return ""
    return f"{size:.1f} points" if share else f"{size:.3f}"


def error_text(error: float | None, share: bool) -> str:
    """± with the standard error; empty if there is none."""
    if error is None or not np.isfinite(error):
        return ""
    return f" ± {100 * error if share else error:.{decimals(error, share)}f}"
