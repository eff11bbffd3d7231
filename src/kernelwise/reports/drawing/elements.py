"""Elements of SVG and the shapes of points. All text that comes in is escaped here."""

from __future__ import annotations

from html import escape
from typing import Any

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


def element(name: str, inside: str = "", **attributes: Any) -> str:
    """An element; ``inside`` is markup, values of attributes are text. ``_`` stands for - in their names."""
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in pairs if value is not None)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def text(content: Any, **attributes: Any) -> str:
    """Text of a drawing."""
    return element("text", escape(str(content)), **attributes)


def tooltip(content: Any) -> str:
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
