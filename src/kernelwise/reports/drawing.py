"""Drawings as SVG without a script: colours, axes, and charts of lines, dots, bands and pictures.

All text that comes in is escaped here. Places are shares of the drawing's width and height, so that it fits
any window; letters, points and lines keep their size in pixels. Without a colour a part has that of the
page's text, which follows a dark scheme.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

# -- colours, of reports and of studies ----------------------------------------------------------------------

#: Okabe and Ito's colours, which colour-blind readers can tell apart, and three more for many classes.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#6b6b6b",
    "#332288",
    "#882255",
    "#999933",
)
INK, MUTED, FAINT = "#1f2a33", "#5c6873", "#c3cbd2"
#: Values of red, green and blue that further colours are made of, how light and how vivid these may be.
LEVELS, LIGHTNESS, VIVID = np.linspace(0, 255, 16), (30.0, 78.0), 70.0


def colour(k: int) -> str:
    """The colour of the k-th class or curve; beyond the palette, each as unlike all before it as can be."""
    return PALETTE[k] if k < len(PALETTE) else _more(k)[k - len(PALETTE)]


def rgb(code: str) -> tuple[int, int, int]:
    """Red, green and blue of a code such as #0072b2."""
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


@cache
def _more(k: int) -> list[str]:
    """Colours after the palette, up to the k-th."""
    free = np.stack(np.meshgrid(LEVELS, LEVELS, LEVELS), axis=-1).reshape(-1, 3)
    places = lab(free)
    fits = (places[:, 0] > LIGHTNESS[0]) & (places[:, 0] < LIGHTNESS[1])
    fits &= np.hypot(places[:, 1], places[:, 2]) < VIVID
    free, places = free[fits], places[fits]
    taken = lab(np.array([*map(rgb, PALETTE)], dtype=float))
    distance = np.linalg.norm(places[:, None] - taken, axis=-1).min(axis=1)
    found = []
    for _ in range(len(PALETTE), k + 1):
        best = int(np.argmax(distance))
        found.append("#" + "".join(f"{round(value):02x}" for value in free[best]))
        distance = np.minimum(distance, np.linalg.norm(places - places[best], axis=-1))
    return found


def lab(colours: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of colours from 0 to 255, shape (n, 3): distances there are about those that eyes see."""
    share = np.asarray(colours, dtype=float) / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = light @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = f.T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


# -- axes: from values to places, and the numbers written there ----------------------------------------------

#: Numbers along an axis, about; those of an axis over orders of magnitude, and of cells, at most.
N_TICKS, MAX_POWERS, MAX_RANKS = 5, 7, 16
#: Names along an axis, at most, and letters of all of them together that a narrow drawing has room for.
MAX_NAMES, LETTERS = 6, 36
#: Room at both ends, as a share of the range.
ROOM = 0.04
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high``; of their decimal logarithms if ``is_log``."""

    low: float
    high: float
    is_log: bool = False

    def places(self, values: ArrayLike) -> np.ndarray:
        """Where values are, 0 at the low end and 1 at the high one; what is outside is at the end."""
        values = np.asarray(values, dtype=float)
        if self.is_log:
            values = np.log10(np.where(values > 0, values, np.nan))
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and texts of the numbers along the axis."""
        values, texts = self._powers() if self.is_log else self._round_numbers()
        return list(zip(self.places(values).tolist(), texts, strict=True))

    def _round_numbers(self) -> tuple[np.ndarray, list[str]]:
        rough = (self.high - self.low) / N_TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(factor for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= 0.8 * rough)
        multiples = np.arange(np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9) + 1)
        digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
        if digits > 5 or abs(multiples).max() * step >= 1e6:
            return multiples * step, [f"{value:.4g}" for value in multiples * step]
        return multiples * step, [f"{value + 0.0:.{digits}f}".replace("-", "−") for value in multiples * step]

    def _powers(self) -> tuple[np.ndarray, list[str]]:
        first, last = int(np.ceil(self.low - 1e-9)), int(np.floor(self.high + 1e-9))
        if last - first < 1:
            values = np.array([m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5)])
            inside = (np.log10(values) >= self.low - 1e-9) & (np.log10(values) <= self.high + 1e-9)
            return values[inside], [f"{value:g}" for value in values[inside]]
        exponents = np.arange(first, last + 1, 1 + (last - first) // MAX_POWERS)
        return 10.0**exponents, [power_text(int(e)) for e in exponents]


@dataclass(frozen=True)
class Ranks(Scale):
    """An axis of n cells with their numbers from 1; from its high end if ``is_reversed``."""

    is_reversed: bool = False

    def ticks(self) -> list[tuple[float, str]]:
        """The middle of each cell, or of some of many."""
        n = int(self.high)
        ranks = range(1, n + 1, 1 + n // MAX_RANKS)
        places = [(rank - 0.5) / n for rank in ranks]
        return [(1 - p if self.is_reversed else p, str(k)) for p, k in zip(places, ranks, strict=True)]


@dataclass(frozen=True)
class Names(Scale):
    """An axis of cells with names, the k-th from k to k + 1; of many some are named."""

    names: tuple[str, ...] = ()

    def ticks(self) -> list[tuple[float, str]]:
        """The middle of each cell."""
        n = len(self.names)
        limit = max(4, LETTERS // min(n, MAX_NAMES))
        shown = range(0, n, 1 + (n - 1) // MAX_NAMES)
        texts = [name if len(name) <= limit else f"{name[: limit - 1]}…" for name in self.names]
        return [((k + 0.5) / n, texts[k]) for k in shown]


def power_text(exponent: int) -> str:
    """A power of ten: 0.01, 1, 100, 10⁻⁵."""
    return f"{10.0**exponent:g}" if abs(exponent) <= 3 else "10" + str(exponent).translate(SUPERSCRIPTS)


def linear(*values: ArrayLike, room: float = ROOM) -> Scale:
    """An axis that has all finite values, with a little room at its ends."""
    return _over(values, room, is_log=False)


def logarithmic(*values: ArrayLike, room: float = ROOM) -> Scale:
    """The same over orders of magnitude; values are positive."""
    return _over(values, room, is_log=True)


def _over(values: tuple[Any, ...], room: float, is_log: bool) -> Scale:
    found = np.concatenate([np.asarray(part, dtype=float).ravel() for part in values])
    found = found[np.isfinite(found) & ((found > 0) | (not is_log))]
    if is_log:
        found = np.log10(found)
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    spread = high - low
    # Of equal values, an axis around them: a range of rounding errors has no numbers to write.
    if spread <= 1e-9 * max(abs(low), abs(high)):
        spread, room = max(abs(low), 1.0) if not is_log else 1.0, 0.5
    return Scale(low - room * spread, high + room * spread, is_log)


# -- charts: two axes and what is drawn between them ---------------------------------------------------------

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


# -- pictures of cells: areas of colour, and the line along which values change their sign -------------------


def png_address(colours: np.ndarray) -> str:
    """An image as an address that holds its data: RGBA bytes of shape (height, width, 4), top row first."""
    height, width = colours.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = np.ascontiguousarray(colours, dtype=np.uint8).reshape(height, 4 * width)
    data = zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 9)  # each row begins with its filter, none
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunks).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zero_line(values: np.ndarray) -> np.ndarray:
    """Pieces of the line where values are 0, shape (n_pieces, 2, 2): ends as (column, row) of the grid.

    Values are interpolated linearly along the sides of each cell (marching squares).
    """
    pieces = []
    for j, i in np.argwhere(_changes(values)):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        ends = [_crossing(values, a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        found = [end for end in ends if end is not None]
        pieces += [found[k : k + 2] for k in range(0, len(found) - 1, 2)]
    return np.array(pieces, dtype=float).reshape(-1, 2, 2)


def _changes(values: np.ndarray) -> np.ndarray:
    """Cells whose four corners are not all on one side, shape (n_rows − 1, n_columns − 1)."""
    above = (values > 0).astype(int)
    n = above[1:, 1:] + above[1:, :-1] + above[:-1, 1:] + above[:-1, :-1]
    return (n > 0) & (n < 4)


def _crossing(values: np.ndarray, a: tuple[int, int], b: tuple[int, int]) -> tuple[float, float] | None:
    """Where values are 0 between two corners; None if both are on one side."""
    at_a, at_b = float(values[a[1], a[0]]), float(values[b[1], b[0]])
    if (at_a > 0) == (at_b > 0):
        return None
    t = at_a / (at_a - at_b)
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
