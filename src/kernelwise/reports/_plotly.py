"""Parts that all figures of a report share, in plotly's own terms."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from kernelwise.reports.colours import FAINT, INK, MUTED, RULE

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
#: Characters of a name on an axis or in a legend.
MAX_NAME = 28


def figure(traces: list[dict[str, Any]], height: int, **layout: Any) -> dict[str, Any]:
    """A figure with the report's look."""
    base = {
        "height": height,
        "margin": {"l": 62, "r": 14, "t": 36, "b": 46},
        "font": {"family": "system-ui, 'Segoe UI', Roboto, sans-serif", "size": 13, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 12}},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": FAINT, "activecolor": INK},
        "hoverlabel": {"bgcolor": "#ffffff", "bordercolor": FAINT, "font": {"color": INK, "size": 12}},
    }
    return {"data": traces, "layout": {**base, **layout}}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its name and light lines."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": MUTED}, "standoff": 8},
        "gridcolor": RULE,
        "linecolor": FAINT,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 12, "color": MUTED},
        **more,
    }


def log_axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis over several orders of magnitude."""
    return axis(title, type="log", exponentformat="power", dtick=1, **more)


def plain(text: Any, limit: int = MAX_NAME) -> str:
    """Text that plotly shows as it is: it would take tags and entities for its own markup."""
    text = str(text)
    return escape(text if len(text) <= limit else f"{text[: limit - 1]}…", quote=False)


def numbers(values: Any) -> list[float | None]:
    """Values for JSON, which has no word for NaN and infinity."""
    return [float(v) if np.isfinite(v) else None for v in np.asarray(values, dtype=float).ravel()]


def table(values: np.ndarray) -> list[list[float | None]]:
    """A matrix for JSON."""
    return [numbers(row) for row in values]
