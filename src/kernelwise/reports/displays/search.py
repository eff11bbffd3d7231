"""Displays of a search: held-out scores along C, over width and C, and criteria over widths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from kernelwise.estimators.tuned import TunedMachine
from kernelwise.reports.colours import FAINT, MUTED, colour
from kernelwise.reports.curves import CPath, CriterionCurves, c_paths, chosen, criterion_curves
from kernelwise.reports.displays.base import STAR, Display
from kernelwise.reports.words import score_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_LEVELS = 12


@dataclass(eq=False, repr=False)
class CPathDisplay(Display):
    """Plot of the held-out scores of the chosen kernel over C, with one standard error.

    Other kernels are drawn faintly behind it.

    Parameters
    ----------
    paths : list of CPath
    chosen : (int, int)
        The chosen kernel's index among the paths, and the chosen C's on it.
    score : str
        Name of the held-out score.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import CPathDisplay, TunedSVC
    >>> model = TunedSVC(Cs=[1.0, 10.0]).fit(*load_iris(return_X_y=True))

    On axes of your own, here of a figure that no window shows:

    >>> display = CPathDisplay.from_estimator(model, ax=Figure().subplots())
    >>> path, index = display.paths[display.chosen[0]], display.chosen[1]
    >>> float(path.Cs[index]) == model.C_, display.ax_.get_xlabel()
    (True, 'C')
    """

    paths: list[CPath]
    chosen: tuple[int, int]
    score: str = "score"

    @classmethod
    def _of(cls, estimator: TunedMachine) -> Self:
        paths = c_paths(estimator)
        return cls(paths, chosen(estimator, paths), score_name(estimator))

    def _draw(self, ax: Axes) -> None:
        path, index = self.paths[self.chosen[0]], self.chosen[1]
        for other in self.paths:
            if other is not path:
                ax.plot(other.Cs, other.scores, color=FAINT, linewidth=0.8)
        ax.fill_between(path.Cs, *path.band, color=colour(0), alpha=0.15)
        ax.plot(path.Cs, path.scores, "o-", color=colour(0), markersize=4, label=path.kernel)
        ax.scatter(path.Cs[index], path.scores[index], **STAR)
        ax.set(xscale="log", xlabel="C", ylabel=f"held-out {self.score}")
        ax.legend(frameon=False)


@dataclass(eq=False, repr=False)
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

    curves: CriterionCurves
    score: str = "score"

    @classmethod
    def _of(cls, estimator: TunedMachine) -> Self:
        curves = criterion_curves(estimator)
        if curves is None:
            raise ValueError(
                f"No criterion was computed for this {type(estimator).__name__}: its kernel has no width to "
                "choose. Use CPathDisplay."
            )
        return cls(curves, score_name(estimator))

    def _draw(self, ax: Axes) -> None:
        self.score_ax_: Axes | None = None
        curves = self.curves
        for k, name in enumerate(curves.values):
            ax.plot(curves.x[name], curves.scaled(name), color=colour(k), label=name)
        if curves.is_over_widths:
            ax.set(xscale="log", xlabel="γ", ylabel="criterion, scaled")
            self._draw_scores(ax.twinx())
        else:
            ax.set(xlabel="evaluation", ylabel="criterion")
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)

    def _draw_scores(self, ax: Axes) -> None:
        x, y, errors = self.curves.best()
        ax.errorbar(x, y, np.nan_to_num(errors), fmt="o", color=MUTED, markersize=4, elinewidth=1)
        ax.scatter(x[self.curves.chosen], y[self.curves.chosen], **STAR)
        ax.set(ylabel=f"held-out {self.score}")
        self.score_ax_ = ax


@dataclass(eq=False, repr=False)
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

    widths: np.ndarray
    Cs: np.ndarray
    scores: np.ndarray
    chosen: int
    score: str = "score"

    @classmethod
    def _of(cls, estimator: TunedMachine) -> Self:
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

    def _draw(self, ax: Axes) -> None:
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
