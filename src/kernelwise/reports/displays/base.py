"""What the displays have in common: scikit-learn's way of ``from_estimator``, ``plot`` and ``ax_``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from kernelwise.estimators.tuned import TunedMachine
from kernelwise.reports.colours import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The mark of what was chosen.
STAR: dict[str, Any] = {"marker": "*", "s": 160, "color": INK, "zorder": 5, "label": "chosen"}


class Picture(ABC):
    """What is drawn on axes.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after :meth:`plot`.
    """

    ax_: Any
    figure_: Any

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
        if find_spec("matplotlib") is None:
            raise ImportError(
                f"{type(self).__name__} needs matplotlib. Install it with pip install 'kernelwise[display]'."
            )
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self


class Display(Picture):
    """A picture that is made from a fitted `TunedSVC` or `TunedSVR`.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after :meth:`plot`.
    """

    @classmethod
    @abstractmethod
    def _of(cls, estimator: TunedMachine) -> Self:
        """The display of a fitted estimator, not yet drawn."""

    @classmethod
    def from_estimator(cls, estimator: TunedMachine, *, ax: Axes | None = None) -> Self:
        """Draw a fitted estimator.

        Parameters
        ----------
        estimator : TunedSVC or TunedSVR
        ax : matplotlib Axes, default=None
            None makes a new figure.
        """
        if not isinstance(estimator, TunedMachine) or is_outlier_detector(estimator):
            raise TypeError(f"Displays need a fitted TunedSVC or TunedSVR, got {estimator!r}.")
        check_is_fitted(estimator, "result_")
        return cls._of(estimator).plot(ax=ax)
