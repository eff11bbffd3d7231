"""A chart as SVG: two axes and what is drawn between them. All text that comes in is escaped here.

Places are shares of the drawing's width and height, so that it fits any window; letters, points and lines
keep their size in pixels. Without a colour a part has that of the page's text, which follows a dark scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise.reports.drawing.scale import Scale

#: Shapes of points around (0, 0), of about equal size.
SHAPES = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "square": "M-3.5-3.5h7v7h-7z",
    "triangle": "M0-4.8L4.4 3.4H-4.4z",
    "diamond": "M0-5L4.4 0L0 5L-4.4 0z",
    "down": "M0 4.8L4.4-3.4H-4.4z",
    "star": "M0-10L2.6-3.2L9.6-3L4 1.4L6 8.2L0 4.2L-6 8.2L-4 1.4L-9.6-3L-2.6-3.2z",
    "cross": "M-4-4L4 4M4-4L-4 4",
    "band": "M-9-5H9V5H-9z",
}
#: Those of classes, one after the other; each goes with a whole palette.
CLASS_SHAPES = ("circle", "square", "triangle", "diamond", "down")
#: Pixels of a digit beside the axis, and between it and the axis.
DIGIT, GAP = 7.5, 10
#: Digits for which there is room beside every axis, so that drawings one below the other have one axis.
MIN_DIGITS = 5
#: Side of the square in which lines are given before they are stretched over the drawing.
UNIT = 1000.0


def element(name: str, inside: str = "", **attributes: str | float | None) -> str:
    """An element; ``inside`` is markup, values of attributes are text. ``_`` stands for - in their names."""
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in pairs if value is not None)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def text(content: object, **attributes: str | float | None) -> str:
    """Text of a drawing."""
    return element("text", escape(str(content)), **attributes)


def tooltip(content: object) -> str:
    """What is shown where the pointer rests."""
    return f"<title>{escape(str(content))}</title>" if content else ""


def percent(place: float) -> str:
    """A place along a side of the drawing."""
    return f"{100 * place:.2f}%"


def point(x: float, y: float, shape: str, title: str = "", size: float = 1.0) -> str:
    """A shape at a place of the drawing, in pixels of the screen whatever the width of the drawing."""
    mark = element(
        "path", tooltip(title), d=SHAPES[shape], transform=f"scale({size:g})" if size != 1 else None
    )
    return element("svg", mark, x=percent(x), y=percent(1.0 - y))


def swatch(shape: str, colour: str | None, dash: str | None = None, is_line: bool = False) -> str:
    """The mark of a key: a piece of the line, the shape, or both."""
    line = element("path", d="M-9 0H9", stroke_dasharray=dash, class_="line") if is_line else ""
    scale = 0.75 if shape == "star" else 1.0
    mark = element("path", d=SHAPES[shape], class_=shape, transform=f"scale({scale})") if shape else ""
    style = None if colour is None else f"color: {colour}"
    return element(
        "svg", line + mark, class_="swatch", viewBox="-10 -8 20 16", style=style, aria_hidden="true"
    )


@dataclass
class Chart:
    """Axes, what is drawn in order, and the keys above it. Names and titles are text, not markup."""

    x: Scale
    y: Scale
    x_title: str
    y_title: str
    height: int = 340
    is_square: bool = False
    parts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def key(self, name: str, shape: str = "", colour: str | None = None, **line: Any) -> None:
        """Say above the drawing what a mark stands for."""
        self.keys.append(f"<li>{swatch(shape, colour, **line)}{escape(name)}</li>")

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str | None = None,
        *,
        dash: str | None = None,
        width: float = 2.0,
        is_closed: bool = False,
    ) -> None:
        """A line through points, interrupted where a value is not finite; or a closed area."""
        places = np.column_stack([self.x.places(x), 1.0 - self.y.places(y)]) * UNIT
        is_there = np.asarray(np.isfinite(places).all(axis=1))
        starts = is_there & ~np.append([False], is_there[:-1])
        steps = [
            f"{'M' if start else 'L'}{a:.1f} {b:.1f}"
            for (a, b), start in zip(places[is_there], starts[is_there], strict=True)
        ]
        path = "".join(steps) + ("z" if is_closed else "")
        look = {"class_": "area"} if is_closed else {"class_": "line", "stroke_width": width}
        self._stretched(element("path", d=path, stroke_dasharray=dash, **look), colour)

    def pieces(self, ends: np.ndarray) -> None:
        """Short lines between places from 0 to 1, shape (n, 2, 2), in the page's own colour."""
        places = ends * [UNIT, -UNIT] + [0.0, UNIT]
        path = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for (a, b), (c, d) in places)
        self._stretched(element("path", d=path, class_="line", stroke_width=1.5), None)

    def dots(
        self,
        x: ArrayLike,
        y: ArrayLike,
        titles: Sequence[str],
        colour: str | None = None,
        *,
        shape: str = "circle",
        size: float = 1.0,
    ) -> None:
        """Points, each with the text that is shown where the pointer rests."""
        places = zip(self.x.places(x), self.y.places(y), titles, strict=True)
        marks = [point(a, b, shape, t, size) for a, b, t in places if np.isfinite(a) and np.isfinite(b)]
        self._group("".join(marks), colour, f"dots {shape}")

    def specks(self, x: ArrayLike, y: ArrayLike, colour: str | None = None) -> None:
        """Many points without titles, as one path: lines of no length with round ends."""
        places = np.column_stack([self.x.places(x), 1.0 - self.y.places(y)]) * UNIT
        path = "".join(f"M{a:.0f} {b:.0f}h.1" for a, b in places[np.isfinite(places).all(axis=1)])
        self._stretched(element("path", d=path, class_="specks"), colour)

    def whiskers(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str | None = None) -> None:
        """Upright lines from low to high."""
        ends = zip(self.x.places(x), self.y.places(low), self.y.places(high), strict=True)
        lines = [
            element("line", x1=percent(a), x2=percent(a), y1=percent(1 - b), y2=percent(1 - c))
            for a, b, c in ends
            if np.isfinite([a, b, c]).all()
        ]
        self._group("".join(lines), colour, "whiskers")

    def cell(self, row: int, column: int, n: int, fill: str, title: str) -> None:
        """A cell of a table of n × n, from the top."""
        place = {"x": percent(column / n), "y": percent(row / n)}
        side = {"width": percent(1 / n), "height": percent(1 / n)}
        self.parts.append(element("rect", tooltip(title), **place, **side, style=f"fill: {fill}"))

    def image(self, address: str) -> None:
        """A picture that fills the drawing."""
        look = {"width": "100%", "height": "100%", "preserveAspectRatio": "none"}
        self.parts.append(element("image", href=address, **look))

    def markup(self) -> str:
        """The drawing with its keys, as HTML."""
        x_ticks, y_ticks = self.x.ticks(), self.y.ticks()
        left = GAP + DIGIT * max([MIN_DIGITS, *(len(label) for _, label in y_ticks)])
        inside = "".join([*_grid(x_ticks, y_ticks), *self.parts, *_labels(x_ticks, y_ticks)])
        inside += text(self.x_title, x="100%", y="100%", dy=38, text_anchor="end", class_="title")
        inside += text(self.y_title, x="0", y="0", dx=-left + 2, dy=-12, class_="title")
        drawing = element("svg", inside, class_="plot", style=f"left: {left:.0f}px")
        keys = f'<ul class="keys">{"".join(self.keys)}</ul>' if self.keys else ""
        limit = f"; max-width: {self.height + left:.0f}px" if self.is_square else ""
        style = f"height: {self.height}px; --left: {left:.0f}px{limit}"
        return keys + element("div", drawing, class_="plane", style=style)

    def _stretched(self, inside: str, colour: str | None) -> None:
        side = f"{UNIT:.0f}"
        stretch = {"viewBox": f"0 0 {side} {side}", "preserveAspectRatio": "none"}
        self._group(element("svg", inside, class_="stretched", **stretch), colour, "curve")

    def _group(self, inside: str, colour: str | None, kind: str) -> None:
        style = None if colour is None else f"color: {colour}"
        self.parts.append(element("g", inside, class_=kind, style=style))


def _grid(x_ticks: list[tuple[float, str]], y_ticks: list[tuple[float, str]]) -> list[str]:
    across = [element("line", x1="0", x2="100%", y1=percent(1 - p), y2=percent(1 - p)) for p, _ in y_ticks]
    upright = [element("line", x1=percent(p), x2=percent(p), y1="0", y2="100%") for p, _ in x_ticks]
    frame = element("rect", width="100%", height="100%", class_="frame")
    return [element("g", "".join([*across, *upright]), class_="grid"), frame]


def _labels(x_ticks: list[tuple[float, str]], y_ticks: list[tuple[float, str]]) -> list[str]:
    below = [text(label, x=percent(p), y="100%", dy=18, text_anchor="middle") for p, label in x_ticks]
    beside = [text(label, x="0", y=percent(1 - p), dx=-7, dy=4, text_anchor="end") for p, label in y_ticks]
    return [element("g", "".join([*below, *beside]), class_="ticks")]
