"""Numbers as people write them: separators of thousands, decimal commas, currencies, per cent, units.

A column writes its numbers in one way, a `Writing`. `find_writing` finds it, and `Writing.number` reads a
cell of it; what is written otherwise is no number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

CURRENCY = r"[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|US\$|Rs\.?|kr\.?)(?![a-z])"
#: Between groups of three digits: an apostrophe, or any blank.
GROUP = "'’ \u00a0\u2009\u202f"
#: Signs of negative numbers; in a class of characters they must come last.
MINUS = "−–-"
#: A number with what stands around it. A unit has no digits, and does not begin like a range or a time.
CELL = re.compile(
    rf"(?P<sign>[+{MINUS}])?\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+{MINUS}])?\s*"
    rf"(?P<body>\d[\d.,{GROUP}]*|[.,]\d+)(?P<power>[eE][+-]?\d+)?\s*"
    rf"(?P<unit>[^\W\d_%][^\d,:]*|[^\s\w.,:;/(){GROUP}<>≤≥?+{MINUS}][^\d,:]*)?(?P<last>[{MINUS}])?",
    re.IGNORECASE,
)
IS_CURRENCY = re.compile(CURRENCY, re.IGNORECASE)
#: Digits with their groups and the decimal point or comma; India groups by two above the thousands.
BODIES = {
    ".": re.compile(
        rf"\d+(\.\d*)?|\.\d+|\d{{1,3}}(,\d{{3}})+(\.\d*)?|\d{{1,2}}(,\d\d)+,\d{{3}}(\.\d*)?"
        rf"|\d{{1,3}}([{GROUP}]\d{{3}})+(\.\d*)?"
    ),
    ",": re.compile(rf"\d+(,\d*)?|,\d+|\d{{1,3}}(\.\d{{3}})+(,\d*)?|\d{{1,3}}([{GROUP}]\d{{3}})+(,\d*)?"),
}
#: Groups of thousands with points, which are also numbers with three decimals.
POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+")
#: A code, not a quantity: a whole number with zeros in front.
CODE = re.compile(r"0\d+")


class Writing(NamedTuple):
    """The way in which a column writes its numbers.

    ``unit`` is what stands before or behind all of them, such as "%" or "mg"; only a currency may be left out
    of some.
    """

    decimal: str = "."
    unit: str = ""

    def number(self, text: str) -> float:
        """The number that a cell holds; NaN if it is written in another way.

        >>> Writing().number("(1,200.50)"), Writing(",", "€").number("3.504,00 €"), Writing().number("n/a")
        (-1200.5, 3504.0, nan)
        """
        parts = _parts(text)
        if parts is None or not BODIES[self.decimal].fullmatch(parts.body):
            return float("nan")
        if parts.unit != self.unit and not (parts.unit == "" and _is_optional(self.unit)):
            return float("nan")
        digits = parts.body.translate({ord(sign): None for sign in {*GROUP, ".", ","} - {self.decimal}})
        return parts.sign * float(f"{digits.replace(',', '.')}{parts.power}")

    def numbers(self, texts: Mapping[str, int] | set[str]) -> dict[str, float]:
        """The numbers of the texts that are some."""
        found = {text: self.number(text) for text in texts}
        return {text: number for text, number in found.items() if np.isfinite(number)}


class _Parts(NamedTuple):
    sign: float
    body: str
    power: str
    unit: str


def find_writing(counts: Mapping[str, int]) -> Writing | None:
    """The way in which most of the texts, with their numbers of cells, write numbers; None if there is none.

    Of two ways that read as many cells the one with points wins: "3,504" is above three thousand.
    """
    parts = {text: found for text in counts if (found := _parts(text)) is not None}
    if not parts or any(CODE.fullmatch(text) for text in parts):
        return None
    units: Counter[str] = Counter()
    for text, part in parts.items():
        units[part.unit] += counts[text]
    with_unit = [unit for unit, _ in units.most_common() if unit]
    most = units.most_common(1)[0][0]
    unit = most or (with_unit[0] if with_unit and _is_optional(with_unit[0]) else "")
    ways = [Writing(decimal, unit) for decimal in BODIES]
    return max(ways, key=lambda way: sum(counts[text] for text in way.numbers(set(parts))))


def _parts(text: str) -> _Parts | None:
    text = text.strip()
    is_negative = text.startswith("(") and text.endswith(")")
    match = CELL.fullmatch(text[1:-1].strip() if is_negative else text)
    if match is None:
        return None
    signs = [match[name] for name in ("sign", "inner", "last") if match[name]]
    if len(signs) + is_negative > 1:
        return None
    is_negative = is_negative or (bool(signs) and signs[0] in MINUS)
    unit = " ".join(filter(None, [match["before"], (match["unit"] or "").strip()]))
    return _Parts(-1.0 if is_negative else 1.0, match["body"].rstrip(GROUP), match["power"] or "", unit)


def _is_optional(unit: str) -> bool:
    """Whether numbers without the unit are of the same kind, as amounts of money are."""
    return bool(IS_CURRENCY.fullmatch(unit))
