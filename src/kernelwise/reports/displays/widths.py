"""The display of criteria over widths, beside the cross-validated accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kernelwise.reports.colours import FAINT, MUTED, colour
from kernelwise.reports.displays.base import STAR, Picture

if TYPE_CHECKING:
    from kernelwise.selection.width_curves import CriterionChoice, WidthCurves

#: Height of a curve in its row, and inches of a row in a figure of its own.
HEIGHT, INCHES = 0.8, 0.42


class WidthCurvesDisplay(Picture):
    """Plot of criteria over the width of a kernel: a row for each, with the accuracy behind it.

    A row has the criterion, drawn upwards where it is better, from its worst to its best value, and the best
    cross-validated accuracy over C, on one scale in all rows. The star is what the criterion chooses; the
    dashed line is the most accurate width. Rows begin with the highest rank correlation, which stands beside
    the name with its error.

    Parameters
    ----------
    curves : WidthCurves

    Attributes
    ----------
    choices : list of CriterionChoice
        From the top.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import WidthCurvesDisplay
    >>> from kernelwise.selection import criterion_curves
    >>> curves = criterion_curves(*load_iris(return_X_y=True), ["dbtc", "kta"], Cs=[1.0, 10.0])
    >>> display = WidthCurvesDisplay.from_curves(curves, ax=Figure().subplots())
    >>> display.ax_.get_xlabel(), [one.criterion for one in display.choices]
    ('γ: wide kernels to the left, narrow ones to the right', ['dbtc', 'kta'])
    """

    def __init__(self, curves: WidthCurves) -> None:
        self.curves = curves
        self.choices = sorted(curves.choices, key=_by_rank)

    @classmethod
    def from_curves(cls, curves: WidthCurves, *, ax: Any = None) -> Self:
        """Draw curves, on ``ax`` or on a new figure that has room for every row."""
        if ax is not None:
            return cls(curves).plot(ax=ax)
        display = cls(curves).plot()
        display.figure_.set_size_inches(*cls.size_of(curves))
        display.figure_.set_layout_engine("constrained")
        return display

    @staticmethod
    def size_of(curves: WidthCurves) -> tuple[float, float]:
        """Width and height in inches of a figure that has room for every row."""
        return 8.0, 1.2 + INCHES * len(curves.choices)

    def _draw(self, ax: Any) -> None:
        widths, accuracy = self.curves.widths, _scaled(self.curves.best_accuracy)
        ax.axvline(widths[int(accuracy.argmax())], color=MUTED, linewidth=0.8, linestyle="--")
        for row, choice in enumerate(self.choices):
            values = _scaled(self.curves.goodness(choice.criterion))
            k = int(np.flatnonzero(widths == choice.width)[0])
            is_first = row == 0
            ax.fill_between(
                widths,
                -row,
                HEIGHT * accuracy - row,
                color=FAINT,
                alpha=0.6,
                linewidth=0,
                label=self._accuracy_label() if is_first else None,
            )
            label = "criterion, scaled" if is_first else None
            ax.plot(widths, HEIGHT * values - row, color=colour(0), label=label)
            star = STAR if is_first else {**STAR, "label": None}
            ax.scatter(choice.width, HEIGHT * values[k] - row, **star)
        ax.set(
            xscale="log",
            xlabel="γ: wide kernels to the left, narrow ones to the right",
            ylim=(-len(self.choices) + 0.9, 1.0),
        )
        ax.set_yticks(
            [HEIGHT / 2 - row for row in range(len(self.choices))], [_label(one) for one in self.choices]
        )
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(-0.1, 1.0),
            ncols=3,
            frameon=False,
            fontsize="small",
            handlelength=1.2,
            columnspacing=1.0,
        )

    def _accuracy_label(self) -> str:
        best = self.curves.best_accuracy
        return f"accuracy, {100 * best.min():.1f} to {100 * best.max():.1f} %"


def _by_rank(choice: CriterionChoice) -> float:
    """The order of the rows: unknown correlations come last."""
    return np.inf if np.isnan(choice.rank_correlation) else -choice.rank_correlation


def _label(choice: CriterionChoice) -> str:
    """The name, and the rank correlation with its error."""
    return f"{choice.criterion}  {choice.rank_text}".replace("$", r"\$")


def _scaled(values: np.ndarray) -> np.ndarray:
    """Values from their lowest, 0, to their highest, 1; 1 if all are equal."""
    low, high = np.nanmin(values), np.nanmax(values)
    return np.ones_like(values) if high == low else np.asarray((values - low) / (high - low))
