"""Held-out scores over width and C."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelwise.reports.displays.base import STAR, Display
from kernelwise.reports.paths import c_paths, chosen
from kernelwise.reports.words import score_name

N_LEVELS = 12


class SearchSurfaceDisplay(Display):
    """Plot of the scores that the search computed, over kernel width and C.

    Parameters
    ----------
    widths, Cs, scores : ndarray of shape (n_candidates,)
    chosen : int
        Index of the chosen candidate.
    score : str
        Name of the held-out score.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import SearchSurfaceDisplay, TunedSVC
    >>> model = TunedSVC("rbf", Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True))
    >>> display = SearchSurfaceDisplay.from_estimator(model, ax=Figure().subplots())

    All candidates of the search, and which of them was chosen:

    >>> len(display.scores) == len(model.cv_results_["params"])
    True
    >>> float(display.Cs[display.chosen]) == model.C_
    True
    """

    def __init__(
        self, widths: np.ndarray, Cs: np.ndarray, scores: np.ndarray, chosen: int, score: str = "score"
    ) -> None:
        self.widths = widths
        self.Cs = Cs
        self.scores = scores
        self.chosen = chosen
        self.score = score

    @classmethod
    def _of(cls, estimator: Any) -> Self:
        paths = c_paths(estimator)
        number, index = chosen(estimator, paths)
        path = paths[number]
        if path.width is None:
            raise ValueError(
                f"SearchSurfaceDisplay needs a kernel whose width is one number, not {path.kernel}. Use "
                "CPathDisplay."
            )
        # A regression may have scored one width with several ε: the chosen one, or the best.
        shown = []
        for width in sorted({other.width for other in paths if other.width is not None}):
            alike = [other for other in paths if other.width == width]
            shown.append(path if path in alike else max(alike, key=lambda one: one.smoothed.max()))
        before = sum(len(other.Cs) for other in shown[: shown.index(path)])
        return cls(
            np.concatenate([np.full(len(other.Cs), other.width) for other in shown]),
            np.concatenate([other.Cs for other in shown]),
            np.concatenate([other.scores for other in shown]),
            before + index,
            score_name(estimator),
        )

    def _draw(self, ax: Any) -> None:
        ax.set(xscale="log", yscale="log", xlabel="γ", ylabel="C")
        if len(np.unique(self.widths)) > 1 and len(np.unique(self.Cs)) > 1:
            from matplotlib.tri import Triangulation

            # Neighbours are those on the logarithmic axes that are drawn.
            triangles = Triangulation(np.log(self.widths), np.log(self.Cs)).triangles
            plane = Triangulation(self.widths, self.Cs, triangles)
            ax.tricontourf(plane, self.scores, levels=N_LEVELS, cmap="cividis", alpha=0.6)
        points = ax.scatter(self.widths, self.Cs, c=self.scores, cmap="cividis", s=28, edgecolors="white")
        ax.scatter(self.widths[self.chosen], self.Cs[self.chosen], **STAR)
        ax.use_sticky_edges = False  # the outermost candidates are not to be cut in half
        ax.margins(0.06)
        ax.figure.colorbar(points, ax=ax, label=f"held-out {self.score}")
