"""Displays of columns: weights of a learned metric, and Shapley values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.explanation import Explanation, explain
from kernelwise.reports.colours import INK, colour
from kernelwise.reports.columns_used import Relevance, cell_labels, largest, relevance_of
from kernelwise.reports.displays.base import Display, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns that are drawn one by one; the others are one bar together.
MAX_SHOWN = 15


@dataclass(eq=False, repr=False)
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

    relevance: Relevance

    @classmethod
    def _of(cls, estimator: TunedMachine) -> Self:
        relevance = relevance_of(estimator)
        if relevance is None:
            raise ValueError(
                f"The kernel of this {type(estimator).__name__} treats all features alike. Fit one with "
                "kernel='diagonal' or 'gaussian'."
            )
        return cls(relevance)

    def _draw(self, ax: Axes) -> None:
        _bars(ax, self.relevance.names, 100.0 * self.relevance.shares)
        ax.set(xlabel="share of the squared distance, %")


class ExplanationDisplay(Picture):
    """Plot of the contributions of columns: their mean size over all rows, or the values of one row.

    Bars are of the columns with the largest values, the largest on top; the last bar is of all others
    together. Values of one row are to the right where they raise the output, to the left where they lower it.

    Parameters
    ----------
    explanation : Explanation
        Of one output; see :meth:`kernelwise.Explanation.of_output`.
    row : int, default=None
        The row to draw. None draws the mean size of the values over all rows.
    max_shown : int, default=15
        Columns that are drawn one by one.

    Attributes
    ----------
    names : list of str
        Of the bars, from the top.
    lengths : ndarray of shape (n_bars,)

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import ExplanationDisplay, TunedSVC, explain
    >>> data = load_iris(as_frame=True)
    >>> X, y = data.data[50:], data.target[50:]
    >>> model = TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(X, y)
    >>> found = explain(model, X[45:55], background=X)
    >>> display = ExplanationDisplay.from_explanation(found, ax=Figure().subplots())
    >>> display.names[0], display.ax_.get_xlabel()
    ('petal width (cm)', 'mean |value|')
    >>> display = ExplanationDisplay.from_explanation(found, row=0, ax=Figure().subplots())
    >>> bool(abs(display.lengths.sum() - found.values[0].sum()) < 1e-9)
    True
    """

    def __init__(self, explanation: Explanation, row: int | None = None, max_shown: int = MAX_SHOWN) -> None:
        self.explanation = explanation
        self.row = row
        self.max_shown = max_shown
        if explanation.output_names:
            raise ValueError(
                f"The explanation has the outputs {', '.join(explanation.output_names)}. Draw one of them: "
                f"explanation.of_output({explanation.output_names[0]!r})."
            )
        lengths = explanation.importance() if row is None else explanation[row].values[0]
        self.names, self.lengths = largest(lengths, self._labels(), max_shown)

    @classmethod
    def from_explanation(
        cls,
        explanation: Explanation,
        *,
        row: int | None = None,
        max_shown: int = MAX_SHOWN,
        ax: Axes | None = None,
    ) -> Self:
        """Draw an explanation; parameters are those of the class, and the axes to draw on."""
        return cls(explanation, row, max_shown).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: TunedMachine,
        X: RowsLike,
        *,
        background: RowsLike | None = None,
        of: int | str | None = None,
        row: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Explain rows of a fitted estimator and draw that.

        Parameters
        ----------
        estimator : TunedSVC, TunedSVR, SVC, SVR, OneClassSVM, or one of the Nystroem machines
        X : array or data frame of shape (n_rows, n_features)
        background : array or data frame, default=None
            As in `kernelwise.explain`.
        of : int or str, default=None
            With more than two classes, the class to explain, by its index or name.
        row : int, default=None
            The row to draw. None draws the mean size of the values over all rows.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        """
        found = explain(estimator, X, background=background)
        return cls.from_explanation(found.of_output(of), row=row, ax=ax)

    def _labels(self) -> list[str]:
        names = self.explanation.feature_names
        if self.row is None:
            return names
        return cell_labels(names, self.explanation[self.row].data[0])

    def _draw(self, ax: Axes) -> None:
        _bars(ax, self.names, self.lengths)
        if self.row is None:
            ax.set(xlabel="mean |value|")
            return
        one = self.explanation[self.row]
        base, total = float(one.base_values[0]), float(one.base_values[0] + one.values[0].sum())
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set(xlabel=f"value: from {base:.3g} without any column to {total:.3g} with all")


def _bars(ax: Axes, names: list[str], lengths: np.ndarray) -> None:
    """Bars from the top, negative ones in a second colour."""
    positions = np.arange(len(names))
    ax.barh(positions, lengths, color=[colour(0 if length >= 0 else 1) for length in lengths])
    # A dollar sign in a name is no formula.
    ax.set_yticks(positions, [name.replace("$", r"\$") for name in names])
    ax.invert_yaxis()
