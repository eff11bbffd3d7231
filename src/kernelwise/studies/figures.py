"""Figures of a study as plain values, and their drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kernelwise._core.files import whole_file
from kernelwise._core.typing import PathLike
from kernelwise.reports.drawing import INK, MUTED, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = (4.4, 3.0)  # inches
LEGEND = 0.25  # inches for a row of names
HANDLE, LETTER = 0.6, 0.075  # inches of a name in the legend: its line, and each letter
#: The same picture is the same file; text stays text.
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "kernelwise",
    "svg.fonttype": "none",
    "font.size": 9.0,
    "axes.grid": True,
}
STYLE |= {"grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False}


class Picture(Protocol):
    """What `save` can draw."""

    @property
    def caption(self) -> str: ...

    @property
    def size(self) -> tuple[float, float]: ...

    def draw(self, figure: Figure) -> None:
        """Draw on an empty figure of matplotlib."""


@dataclass(frozen=True)
class Kept:
    """A figure whose file stays as it is."""

    caption: str
    size: tuple[float, float] = (0.0, 0.0)

    def draw(self, figure: Figure) -> None:
        raise AssertionError("A figure that is kept is not drawn.")


@dataclass(frozen=True)
class Line:
    """A curve by its points; ``style`` as in matplotlib ("-", "--", "o", …)."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    style: str = "-"


@dataclass(frozen=True)
class Mark:
    """A value to compare with, such as the paper's: a line across the panel."""

    name: str
    value: float
    axis: str = "y"


@dataclass(frozen=True)
class Band:
    """The room between two curves, in grey, such as a standard error to either side."""

    name: str
    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One pair of axes; scales are "linear", "log" or "symlog"."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...] = ()
    x_scale: str = "linear"
    y_scale: str = "linear"
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Curves:
    """Panels in rows; a name has one colour in all of them."""

    caption: str
    panels: tuple[Panel, ...]
    n_columns: int = 3

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n_columns = min(self.n_columns, len(self.panels))
        return -(-len(self.panels) // n_columns), n_columns

    @property
    def names(self) -> list[str]:
        """Of all lines, in the order of their first appearance."""
        return list(dict.fromkeys(line.name for panel in self.panels for line in panel.lines))

    @property
    def size(self) -> tuple[float, float]:
        rows, columns = self.shape
        n_names = len(self._legend)
        return PANEL[0] * columns, PANEL[1] * rows + LEGEND * -(-n_names // self._names_a_row)

    @property
    def _legend(self) -> set[str]:
        marks = {mark.name for panel in self.panels for mark in panel.marks}
        bands = {band.name for panel in self.panels for band in panel.bands}
        return marks | bands | set(self.names)

    @property
    def _names_a_row(self) -> int:
        """Names beside each other in the legend: as many as the width has room for."""
        longest = max(map(len, self._legend), default=1)
        return max(1, int(PANEL[0] * self.shape[1] / (HANDLE + LETTER * longest)))

    def draw(self, figure: Figure) -> None:
        """Draw all panels, and one legend for all of them below."""
        rows, columns = self.shape
        colours = {name: PALETTE[k % len(PALETTE)] for k, name in enumerate(self.names)}
        legend: dict[str, Any] = {}
        for k, panel in enumerate(self.panels):
            legend |= _draw_panel(figure.add_subplot(rows, columns, k + 1), panel, colours)
        figure.legend(
            legend.values(), legend.keys(), loc="outside lower center", ncols=self._names_a_row, frameon=False
        )


def _draw_panel(ax: Axes, panel: Panel, colours: dict[str, str]) -> dict[str, Any]:
    """Draw lines and marks; return them by name."""
    drawn: dict[str, Any] = {}
    for line in panel.lines:
        y = np.array(line.y, dtype=float)  # None is a gap
        (drawn[line.name],) = ax.plot(
            line.x, y, line.style, color=colours[line.name], markersize=4, linewidth=1.4
        )
    for mark, dash in zip(panel.marks, (":", "--", "-.", (0, (1, 4))), strict=False):
        across = ax.axhline if mark.axis == "y" else ax.axvline
        drawn[mark.name] = across(mark.value, color=INK, linestyle=dash, linewidth=1.1)
    for band in panel.bands:
        drawn[band.name] = ax.fill_between(band.x, band.low, band.high, color=MUTED, alpha=0.2, linewidth=0)
    for scale, set_scale, values in (
        (panel.x_scale, ax.set_xscale, [value for line in panel.lines for value in line.x]),
        (panel.y_scale, ax.set_yscale, [value for line in panel.lines for value in line.y]),
    ):
        if scale == "symlog":
            sizes = np.abs([value for value in values if value])
            set_scale(scale, linthresh=float(sizes.min(initial=1.0)))
        else:
            set_scale(scale)
    ax.set(xlabel=panel.x_label, ylabel=panel.y_label)
    ax.set_title(panel.title, fontsize=9, color=MUTED, loc="left")
    return drawn


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def save(picture: Picture, path: PathLike) -> None:
    """Write a picture as an SVG file."""
    if not can_draw():
        raise ImportError('Figures need matplotlib. Install it with pip install "kernelwise[display]".')
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.draw(figure)
        with whole_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
