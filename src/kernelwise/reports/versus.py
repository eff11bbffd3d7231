"""A comparison of methods in a line."""

from __future__ import annotations

from typing import Any

#: Standard errors of a difference from which one method is clearly better than another.
CLEAR = 2.0
#: Times that differ by less than this factor are about the same.
SAME_TIME = 1.5


def comparison_heading(rows: list[dict[str, Any]]) -> str:
    """Who is clearly better, and at what time: rows as of :meth:`kernelwise.Comparison.rows`."""
    first, others = rows[0], rows[1:]
    name = first["method"]
    if not others:
        return f"{name}: {100 * first['accuracy']:.1f} % right on rows it had not seen"
    best = max(others, key=lambda row: row["difference"])
    if is_clear(best) and best["difference"] > 0:
        return f"{best['method']} is {_points(best)} points better than {name}, {_time(best, first)}"
    equal = [row for row in others if not is_clear(row)]
    if not equal:
        of_all = "the other method" if len(others) == 1 else f"all {len(others)} other methods"
        below = f"{best['method']}, {_points(best)} points below"
        return f"{name} is clearly better than {of_all}; next is {below}"
    best = max(equal, key=lambda row: row["difference"])
    same = f"{best['method']} is equal within the error, {_time(best, first)}"
    return f"No method is clearly better than {name}; {same}"


def is_clear(row: dict[str, Any]) -> bool:
    """Whether a method differs from the first by two standard errors of the difference."""
    return abs(row["difference"]) > CLEAR * row["difference_error"] and round(abs(row["difference"]), 12) > 0


def _points(row: dict[str, Any]) -> str:
    return f"{100 * abs(row['difference']):.1f}"


def _time(row: dict[str, Any], first: dict[str, Any]) -> str:
    """The time of a method beside that of the first one: at 10 × the time."""
    factor = row["seconds"] / max(first["seconds"], 1e-9)
    if 1 / SAME_TIME < factor < SAME_TIME:
        return "in about the same time"
    return f"at {_rounded(factor)} × the time" if factor > 1 else f"at 1/{_rounded(1 / factor)} of the time"


def _rounded(factor: float) -> str:
    return f"{factor:.1f}" if factor < 3 else f"{factor:.0f}"
