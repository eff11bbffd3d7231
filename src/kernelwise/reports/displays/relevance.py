"""The weight of every feature in a learned metric."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelwise.reports.colours import colour
from kernelwise.reports.displays.base import Display
from kernelwise.reports.relevance import Relevance, relevance_of


class RelevanceDisplay(Display):
    """Plot of the share of each feature in the squared distance of a learned metric, the largest on top.

    Parameters
    ----------
    relevance : Relevance

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from kernelwise import RelevanceDisplay, TunedSVC
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.kernels import DiagonalGaussian
    >>> X, y = make_weston(100, n_noise=2, random_state=0)
    >>> model = TunedSVC(DiagonalGaussian(np.ones(4)), Cs=[1.0, 10.0]).fit(X, y)

    The first two features tell the classes apart, the other two are noise:

    >>> display = RelevanceDisplay.from_estimator(model, ax=Figure().subplots())
    >>> sorted(display.relevance.names[:2]), bool(display.relevance.shares[:2].sum() > 0.9)
    (['feature 0', 'feature 1'], True)
    """

    def __init__(self, relevance: Relevance) -> None:
        self.relevance = relevance

    @classmethod
    def _of(cls, estimator: Any) -> Self:
        relevance = relevance_of(estimator)
        if relevance is None:
            raise ValueError(
                f"The kernel of this {type(estimator).__name__} treats all features alike. Fit one with "
                "kernel='diagonal' or 'gaussian'."
            )
        return cls(relevance)

    def _draw(self, ax: Any) -> None:
        positions = np.arange(len(self.relevance.names))
        ax.barh(positions, 100.0 * self.relevance.shares, color=colour(0))
        # A dollar sign in a name is no formula.
        names = [name.replace("$", r"\$") for name in self.relevance.names]
        ax.set_yticks(positions, names)
        ax.invert_yaxis()
        ax.set(xlabel="share of the squared distance, %")
