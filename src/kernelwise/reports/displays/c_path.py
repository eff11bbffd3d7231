"""Held-out scores along C."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelwise.reports.colours import FAINT, colour
from kernelwise.reports.displays.base import STAR, Display
from kernelwise.reports.paths import CPath, c_paths, chosen
from kernelwise.reports.words import score_name


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

    def __init__(self, paths: list[CPath], chosen: tuple[int, int], score: str = "score") -> None:
        self.paths = paths
        self.chosen = chosen
        self.score = score

    @classmethod
    def _of(cls, estimator: Any) -> Self:
        paths = c_paths(estimator)
        return cls(paths, chosen(estimator, paths), score_name(estimator))

    def _draw(self, ax: Any) -> None:
        path, index = self.paths[self.chosen[0]], self.chosen[1]
        for other in self.paths:
            if other is not path:
                ax.plot(other.Cs, other.scores, color=FAINT, linewidth=0.8)
        errors = np.nan_to_num(path.errors)
        ax.fill_between(path.Cs, path.scores - errors, path.scores + errors, color=colour(0), alpha=0.15)
        ax.plot(path.Cs, path.scores, "o-", color=colour(0), markersize=4, label=path.kernel)
        ax.scatter(path.Cs[index], path.scores[index], **STAR)
        ax.set(xscale="log", xlabel="C", ylabel=f"held-out {self.score}")
        ax.legend(frameon=False)
