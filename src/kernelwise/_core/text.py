"""Values as text: numbers with their nouns, JSON's own types, aligned columns, and HTML for notebooks."""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from html import escape
from typing import Any

#: How alike two names must be, from 0 to 1, for one to be meant by the other.
NEAR = 0.6
#: What a shell takes as it is, on every system.
PLAIN = re.compile(r"[\w.,@%+=:/-]+")
#: What is special even between double quotation marks.
SPECIAL = re.compile(r'["$`\\!]')
#: Notebooks have their own fonts and colours; these are the few things that they lack.
STYLE = "text-align:left;vertical-align:top;padding:0.2em 0.8em 0.2em 0"


def count(value: float, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: 1 feature, 12 features, 2.5 samples."""
    return f"{counted(value)} {noun if value == 1 else plural or noun + 's'}"


def counted(value: float) -> str:
    """Write a number without needless digits: 12, 2.5."""
    digits = ".0f" if float(value).is_integer() else "g" if value < 1e6 else ".3g"
    return f"{value:{digits}}"


def amount(value: float, digits: int = 4) -> str:
    """Write a quantity with a few significant digits, and without a power of ten if it is large.

    >>> amount(1329412.7), amount(12.34567), amount(1e-7)
    ('1329413', '12.35', '1e-07')
    """
    return f"{value:.0f}" if 10**digits <= abs(value) < 1e15 else f"{value:.{digits}g}"


def in_words(items: Sequence[str], last: str = "and") -> str:
    """List items in a sentence: a; a and b; a, b and c."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def in_shell(text: str) -> str:
    """A value of an option as it is typed: in quotation marks where they are needed."""
    if PLAIN.fullmatch(text):
        return text
    return shlex.quote(text) if SPECIAL.search(text) else f'"{text}"'


def printable(text: str) -> str:
    """One line that a terminal takes for nothing but text: other signs than letters and spaces are escaped.

    Names of files, columns and classes come from outside.
    """
    if text.isprintable():
        return text
    is_shown = {one: one.isprintable() or unicodedata.category(one) == "Zs" for one in set(text)}
    return "".join(one if is_shown[one] else one.encode("unicode_escape").decode() for one in text)


def meant(value: object, names: Iterable[Any], near_from: float = NEAR) -> str:
    """A question, after a space, if a name is near the value; else nothing."""
    near = get_close_matches(value, map(str, names), n=1, cutoff=near_from) if isinstance(value, str) else []
    return f" Did you mean {near[0]!r}?" if near else ""


def jsonable(value: object) -> Any:
    """Return a value in JSON's own types: what is not finite becomes None, and other objects their text."""
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return jsonable(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def aligned(lines: Sequence[Sequence[str]], is_right: Sequence[bool]) -> list[str]:
    """Write rows of cells as lines of equally wide columns, each to the left or to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_right, strict=True)
        ).rstrip()
        for line in lines
    ]


def html_block(title: str, *parts: str) -> str:
    """A titled block of parts that are HTML already."""
    return f"<div><strong>{escape(title)}</strong>{''.join(parts)}</div>"


def html_list(texts: Iterable[str]) -> str:
    """A list; nothing if there are no texts."""
    rows = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{rows}</ul>" if rows else ""


def html_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; numbers are to be texts already."""
    head = "".join(f'<th style="{STYLE}">{escape(str(name))}</th>' for name in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{STYLE}">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
