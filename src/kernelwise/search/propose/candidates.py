"""Step 3 of a search: a handful of kernel widths worth trying, each named by a rule.

A rule is a function from `WidthData` to the widths that it names; a list of rules is what a family goes by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._core.rounding import significant
from kernelwise.criteria import TargetAlignment
from kernelwise.exceptions import DegenerateGramError
from kernelwise.sketch.curves import ALL_EQUAL

if TYPE_CHECKING:
    from kernelwise.search.engine.validator import CrossValidator

#: Widths named within this factor of γ are one.
SAME = 2.0
#: The widest kernel proposed: γ·(median distance). Wider ones are the linear kernel's.
WIDE = 2.0**-5
#: γ·(median distance) that scikit-learn's "scale" has on standardised features of equal scatter.
USUAL = 2.0
#: γ·(median distance) at which curves of criteria are drawn, and that of the target alignment.
CURVE = 2.0 ** np.arange(-10.0, 10.5, 0.5)
ALIGNMENT_CURVE = 2.0 ** np.arange(-6.0, 7.5, 0.5)
#: Seconds that criteria from a sketch take for each pair of classes, about, and how many times as long a time
#: budget must be: kernels are to be scored, too.
SECONDS_PER_PAIR, TIMES = 6e-4, 3.0
#: Classes of a sketch at most: it takes some 100 kB for each pair of them, several times over.
MOST_CLASSES = 64


class Width(NamedTuple):
    """A width γ, and what named it."""

    gamma: float
    reason: str


@dataclass
class WidthData:
    """What width rules see of the samples.

    Attributes
    ----------
    scale, median : float
        γ of the kernel that the search starts from, and the median distance (squared, for RBF).
    grid : ndarray of shape (n_grid,)
        γ·median at which criteria are looked at.
    criterion : callable or None
        From a criterion's name to its values over the grid (the paper's quantities); None if there is no time
        for criteria.
    source : str
        What the criteria are computed from, for a sentence.
    curves : dict from str to ndarray
        "gamma", and every criterion that a rule has looked at.
    """

    scale: float
    median: float
    grid: np.ndarray
    criterion: Callable[[str], np.ndarray] | None
    source: str
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.curves["gamma"] = self.grid / self.median

    def curve(self, name: str) -> np.ndarray:
        """A criterion over the grid, in which rounding decides no peak; it is kept in ``curves``."""
        assert self.criterion is not None
        if name not in self.curves:
            self.curves[name] = significant(self.criterion(name))
        return self.curves[name]


WidthRule = Callable[[WidthData], Iterator[Width]]


def at_median(factor: float, reason: str) -> WidthRule:
    """The rule γ·(median distance) = factor."""

    def rule(data: WidthData) -> Iterator[Width]:
        yield Width(factor / data.median, reason)

    return rule


def peak_of(name: str) -> WidthRule:
    """The rule that a criterion's curve has its peak at γ.

    One that rises to the end of the range names no width: what it asks for is the wide one. The peak is to
    the spacing of the curve, as widths that close are not worth telling apart.
    """

    def rule(data: WidthData) -> Iterator[Width]:
        if data.criterion is None:
            return
        try:
            values = data.curve(name)
        except DegenerateGramError:  # the points of each class coincide: any width will do
            return
        inside = np.flatnonzero(data.grid >= WIDE)
        best = int(inside[np.argmax(values[inside])])
        if inside[0] < best < inside[-1]:
            yield Width(data.curves["gamma"][best], f"peak of {name}")

    return rule


def start(data: WidthData) -> Iterator[Width]:
    """The width of the kernel that the search starts from."""
    yield Width(data.scale, "start from the data")


def highest_alignment(data: WidthData) -> Iterator[Width]:
    """The width whose kernel is aligned best with the target; none if the target is constant."""
    values = data.curve("centered-kta")
    if values.size:
        yield Width(data.curves["gamma"][np.argmax(values)], "peak of centred alignment")
    else:
        del data.curves["centered-kta"]


PLAIN_RULES: list[WidthRule] = [start, at_median(USUAL, "median distance"), at_median(WIDE, "wide")]
CLASS_RULES: list[WidthRule] = [
    *(peak_of(name) for name in ("dbtc", "kta", "esdr", "j4")),
    at_median(USUAL, "usual"),
    at_median(WIDE, "wide"),
]
#: A usual width comes first: C goes on only with kernels that lead, and wide ones would with every C.
NUMBER_RULES: list[WidthRule] = [
    start,
    at_median(USUAL, "median distance"),
    highest_alignment,
    at_median(WIDE, "wide"),
]


@dataclass
class Widths:
    """Widths γ to be tried, those within a factor of two merged, and what named each of them."""

    gammas: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def propose(self, gamma: float, reason: str) -> None:
        """Add a width, or only the reason if one like it is there."""
        for k, known in enumerate(self.gammas):
            if max(gamma / known, known / gamma) <= SAME:
                self.reasons[k] += f", {reason}"
                return
        self.gammas.append(float(gamma))
        self.reasons.append(reason)

    def __str__(self) -> str:
        return "; ".join(f"γ = {g:.4g} ({r})" for g, r in zip(self.gammas, self.reasons, strict=True))


def named_widths(rules: list[WidthRule], data: WidthData) -> Widths:
    """All widths that the rules name, in their order."""
    widths = Widths()
    for rule in rules:
        for width in rule(data):
            widths.propose(*width)
    return widths


def width_data_of_classes(validator: CrossValidator, kernel: Any) -> WidthData:
    """Criteria of class separability from the distance sketch, unless there are too many pairs of classes."""
    n_classes = len(np.unique(validator.search_samples.strata))
    cost = TIMES * SECONDS_PER_PAIR * n_classes * (n_classes + 1) / 2
    if n_classes > MOST_CLASSES or not validator.context.deadline.allows(
        "widths by criteria of class separability", cost
    ):
        D = kernel.distances(validator.criterion_samples().Z)
        if not D.any():
            raise DegenerateGramError(ALL_EQUAL)
        return WidthData(kernel.scale, median_distance(D), CURVE, None, "The median distance")
    sketch = validator.sketch(kernel)
    median = float(significant(sketch.histograms.quantile(0.5)))
    if median == 0:
        raise DegenerateGramError(ALL_EQUAL)
    return WidthData(
        kernel.scale,
        median,
        CURVE,
        lambda name: sketch.curve(name, CURVE / median, "pooled"),
        "The distance sketch",
    )


def width_data_of_numbers(validator: CrossValidator, kernel: Any) -> WidthData:
    """The alignment with the target, from the distances of at most a thousand rows."""
    part = validator.criterion_samples()
    D = kernel.distances(part.Z)
    if not D.any():
        raise DegenerateGramError(ALL_EQUAL)
    median = median_distance(D)

    def alignment(name: str) -> np.ndarray:
        if np.ptp(part.y) == 0:  # no kernel is aligned with a constant
            return np.empty(0)
        criterion = TargetAlignment(centered=name == "centered-kta")
        gammas = ALIGNMENT_CURVE / median
        return np.array([criterion.score(np.exp(-g * D), part.y, part.weight_or_none) for g in gammas])

    return WidthData(kernel.scale, median, ALIGNMENT_CURVE, alignment, "Distances and alignment")


def median_distance(D: np.ndarray) -> float:
    """Median of the distances between samples; their mean if most are zero."""
    return float(significant(float(np.median(D[np.triu_indices_from(D, 1)])) or float(D.mean())))
