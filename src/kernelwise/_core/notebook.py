"""Small pieces of HTML for notebooks: headings, lists and tables, with every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

#: Notebooks have their own fonts and colours; these are the few things that they lack.
STYLE = "text-align:left;vertical-align:top;padding:0.2em 0.8em 0.2em 0"


def block(title: str, *parts: str) -> str:
    """A titled block of parts that are HTML already."""
    return f"<div><strong>{escape(title)}</strong>{''.join(parts)}</div>"


def items(texts: Iterable[str]) -> str:
    """A list; nothing if there are no texts."""
    rows = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{rows}</ul>" if rows else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; numbers are to be texts already."""
    head = "".join(f'<th style="{STYLE}">{escape(str(name))}</th>' for name in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{STYLE}">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
