"""Criteria over the widths of a kernel, and the held-out scores beside them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelwise.reports.colours import MUTED, colour
from kernelwise.reports.criterion import CriterionCurves, criterion_curves
from kernelwise.reports.displays.base import STAR, Display
from kernelwise.reports.words import score_name


class CriterionDisplay(Display):
    """Plot of the criteria that chose the kernel; over widths, with held-out scores on a second axis.

    Criteria over widths have units of their own: each is drawn from its lowest to its highest value.

    Parameters
    ----------
    curves : CriterionCurves
    score : str
        Name of the held-out score.

    Attributes
    ----------
    score_ax_ : matplotlib Axes or None
        The axis of the held-out scores.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import CriterionDisplay, TunedSVC
    >>> model = TunedSVC(Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True))
    >>> display = CriterionDisplay.from_estimator(model, ax=Figure().subplots())
    >>> display.ax_.get_xlabel(), display.score_ax_.get_ylabel()
    ('γ', 'held-out accuracy')
    >>> list(display.curves.values)
    ['DBTC', 'alignment', 'ESDR', 'J4']
    """

    def __init__(self, curves: CriterionCurves, score: str = "score") -> None:
        self.curves = curves
        self.score = score

    @classmethod
    def _of(cls, estimator: Any) -> Self:
        curves = criterion_curves(estimator)
        if curves is None:
            raise ValueError(
                f"No criterion was computed for this {type(estimator).__name__}: its kernel has no width to "
                "choose. Use CPathDisplay."
            )
        return cls(curves, score_name(estimator))

    def _draw(self, ax: Any) -> None:
        self.score_ax_ = None
        curves = self.curves
        for k, name in enumerate(curves.values):
            ax.plot(curves.x[name], curves.scaled(name), color=colour(k), label=name)
        if curves.is_over_widths:
            ax.set(xscale="log", xlabel="γ", ylabel="criterion, scaled")
            self._draw_scores(ax.twinx())
        else:
            ax.set(xlabel="evaluation", ylabel="criterion")
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)

    def _draw_scores(self, ax: Any) -> None:
        tried = self.curves.tried
        x = np.array([path.width for path in tried])
        y = np.array([path.scores[path.best] for path in tried])
        errors = np.nan_to_num([path.errors[path.best] for path in tried])
        ax.errorbar(x, y, errors, fmt="o", color=MUTED, markersize=4, elinewidth=1)
        ax.scatter(x[self.curves.chosen], y[self.curves.chosen], **STAR)
        ax.set(ylabel=f"held-out {self.score}")
        self.score_ax_ = ax
