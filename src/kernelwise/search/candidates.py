"""A handful of kernel widths, named by the criteria of the distance sketch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.exceptions import DegenerateGramError
from kernelwise.sketch.sketch import DistanceSketch

#: Criteria whose peaks name a width.
NAMING = ("dbtc", "kta", "esdr", "j4")
#: Widths named within this factor of γ are one.
SAME = 2.0
#: The widest kernel proposed: γ·(median squared distance). Wider ones are the linear kernel's.
WIDE = 2.0**-5
#: γ·(median squared distance) that scikit-learn's "scale" has on standardised features of equal scatter.
USUAL = 2.0
#: γ·(median squared distance) at which curves are drawn.
CURVE = 2.0 ** np.arange(-10.0, 10.5, 0.5)


@dataclass
class Widths:
    """Widths to be tried, and why.

    Attributes
    ----------
    gammas : list of float
    reasons : list of str
        What named each, such as "dbtc, kta".
    curves : dict from str to ndarray
        "gamma", and every criterion at those γ (the paper's quantities).
    """

    gammas: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    def propose(self, gamma: float, reason: str) -> None:
        """Add a width, or only the reason if one like it is there."""
        for k, known in enumerate(self.gammas):
            if max(gamma / known, known / gamma) <= SAME:
                self.reasons[k] += f", {reason}"
                return
        self.gammas.append(float(gamma))
        self.reasons.append(reason)


def named_widths(sketch: DistanceSketch, criteria: Any = NAMING) -> Widths:
    """Peaks of the criteria's curves over all classes, a usual width, and a wide one.

    Criteria that rise to the end of the range name no width: what they ask for is the wide one.
    """
    median = sketch.histograms.quantile(0.5)
    if median == 0:
        raise DegenerateGramError(
            "All samples coincide: every distance is zero, so that no width of the kernel separates the "
            "classes. Check X."
        )
    widths = Widths(curves={"gamma": CURVE / median})
    inside = np.flatnonzero(CURVE >= WIDE)
    for name in criteria:
        try:
            values = sketch.curve(name, widths.curves["gamma"], "pooled")
        except DegenerateGramError:  # the points of each class coincide: any width will do
            continue
        widths.curves[name] = values
        best = int(inside[np.argmax(values[inside])])
        # The peak to the spacing of the curve: widths this close are not worth telling apart.
        if inside[0] < best < inside[-1]:
            widths.propose(widths.curves["gamma"][best], f"peak of {name}")
    widths.propose(USUAL / median, "usual")
    widths.propose(WIDE / median, "wide")
    return widths
