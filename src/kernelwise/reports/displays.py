"""Displays: pictures of a tuned machine for notebooks, by matplotlib.

They follow scikit-learn's way of ``from_estimator``, ``plot`` and ``ax_``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.explanation import Explanation, explain
from kernelwise.reports.columns_used import Relevance, cell_labels, largest, relevance_of
from kernelwise.reports.curves import CPath, CriterionCurves, c_paths, chosen, criterion_curves
from kernelwise.reports.drawing import FAINT, INK, MUTED, colour
from kernelwise.reports.words import score_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kernelwise.selection.width_curves import CriterionChoice, WidthCurves

#: The mark of what was chosen.
STAR: dict[str, Any] = {"marker": "*", "s": 160, "color": INK, "zorder": 5, "label": "chosen"}
N_LEVELS = 12
#: Height of a curve in its row, and inches of a row in a figure of its own.
HEIGHT, INCHES = 0.8, 0.42
#: Columns that are drawn one by one; the others are one bar together.
MAX_SHOWN = 15


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
                f'{type(self).__name__} needs matplotlib. Install it with pip install "kernelwise[display]".'
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
