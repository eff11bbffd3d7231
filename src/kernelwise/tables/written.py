"""Numbers as people write them: separators of thousands, decimal commas, currencies, per cent, units.

A column writes its numbers in one way, a `Writing`. `find_writing` finds it, and `Writing.number` reads a
cell of it; what is written otherwise is no number. Whether 4.585 is above four thousand, one column alone
often cannot tell: `find_decimal` asks all columns of a file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernelwise.tables.cells import is_missing_cell, numbers

CURRENCY = r"[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|US\$|Rs\.?|kr\.?)(?![a-z])"
#: Other ways to write a currency.
SIGNS = {"usd": "$", "us$": "$", "eur": "€", "gbp": "£", "jpy": "¥", "inr": "₹", "rs": "₹"}
#: Between groups of three digits: an apostrophe, or any blank.
GROUP = "'’ \u00a0\u2009\u202f"
#: Signs of negative numbers; in a class of characters they must come last.
MINUS = "−–-"
#: What follows in a unit: no digit, but for one behind a letter, as in m2 or kg/m^3.
OF_UNIT = r"(?:[^\d,:]|(?<=[^\W\d_])\d(?!\d)|(?<=\^)\d(?!\d))*"
#: A number with what stands around it. A unit does not begin like a range or a time.
CELL = re.compile(
    rf"(?P<sign>[+{MINUS}])?\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+{MINUS}])?\s*"
    rf"(?P<body>\d[\d.,{GROUP}]*|[.,]\d+)(?P<power>[eE][+-]?\d+)?\s*"
    rf"(?P<unit>[^\W\d_%]{OF_UNIT}|[^\s\w.,:;/(){GROUP}<>≤≥?+{MINUS}]{OF_UNIT})?(?P<last>[{MINUS}])?",
    re.IGNORECASE,
)
IS_CURRENCY = re.compile(CURRENCY, re.IGNORECASE)
PER_CENT = "%"
#: The unit of a column that says true or false, which are 1 and 0.
TRUTH = "true or false"
TRUTHS = {"true": 1.0, "false": 0.0}
#: Digits with their groups and the decimal point or comma; India groups by two above the thousands. A number
#: of several groups does not begin with a zero.
BODIES = {
    ".": re.compile(
        rf"\d+(\.\d*)?|\.\d+|(?!0)\d{{1,3}}(,\d{{3}})+(\.\d*)?|(?!0)\d{{1,2}}(,\d\d)+,\d{{3}}(\.\d*)?"
        rf"|(?!0)\d{{1,3}}([{GROUP}]\d{{3}})+(\.\d*)?"
    ),
    ",": re.compile(
        rf"\d+(,\d*)?|,\d+|(?!0)\d{{1,3}}(\.\d{{3}})+(,\d*)?|(?!0)\d{{1,3}}([{GROUP}]\d{{3}})+(,\d*)?"
    ),
}
#: A code, not a quantity: a whole number with zeros in front.
CODE = re.compile(r"0\d+")
#: Cells that are looked at at once.
SOME = 1000


class Writing(NamedTuple):
    """The way in which a column writes its numbers.

    ``unit`` is what stands before or behind all of them, such as "mg". Behind "%" they are hundredths, as in
    a cell of Excel. A currency is no unit: it may be left out of some, and be another one.
    """

    decimal: str = "."
    unit: str = ""

    def number(self, text: str, is_new: bool = False) -> float:
        """The number that a cell holds; NaN if it is written in another way.

        A unit may be left out, but for per cents: 7 beside them may be 7 % or 700 %. A new cell ``is_new`` of
        a column that is known: there 0.07 is 7 %, and 7 % or true are numbers without a unit, too.

        >>> Writing().number("(1,200.50)"), Writing(",", "%").number("12,5 %"), Writing().number("n/a")
        (-1200.5, 0.125, nan)
        """
        parts = _parts(text)
        if parts is None:
            is_truth = self.unit == TRUTH or (is_new and not self.unit)
            return TRUTHS.get(text.strip().lower(), np.nan) if is_truth else np.nan
        units = {self.unit} if self.unit == PER_CENT and not is_new else {self.unit, ""}
        if is_new and not self.unit:
            units.add(PER_CENT)
        if _kind(parts.unit) not in units or not BODIES[self.decimal].fullmatch(parts.body):
            return np.nan
        digits = parts.body.translate({ord(sign): None for sign in {*GROUP, ".", ","} - {self.decimal}})
        power = int(parts.power[1:] or 0) - 2 * (parts.unit == PER_CENT)
        return parts.sign * float(f"{digits.replace(',', '.')}e{power}")

    @property
    def other(self) -> Writing:
        """The same way with the other sign of decimals."""
        return self._replace(decimal="," if self.decimal == "." else ".")

    def numbers(self, texts: Iterable[str]) -> dict[str, float]:
        """The numbers of the texts that are some."""
        found = {text: self.number(text) for text in texts}
        return {text: number for text, number in found.items() if np.isfinite(number)}


class _Parts(NamedTuple):
    sign: float
    body: str
    power: str
    unit: str


def find_writing(counts: Mapping[str, int], decimal: str = ".") -> Writing | None:
    """The way in which most of the texts, with their numbers of cells, write numbers; None if there is none.

    Of two ways that read as many cells that of the file wins, whose decimal sign is ``decimal``.
    """
    if len(counts) > 1 and all(text.lower() in TRUTHS for text in counts):
        return Writing(decimal, TRUTH)
    parts = {text: found for text in counts if (found := _parts(text)) is not None}
    if not parts or any(CODE.fullmatch(text) for text in parts):
        return None
    units: Counter[str] = Counter()
    for text, part in parts.items():
        units[_kind(part.unit)] += counts[text]
    unit = units.most_common(1)[0][0]
    ways = [Writing(sign, unit) for sign in sorted(BODIES, key=lambda sign: sign != decimal)]
    return max(ways, key=lambda way: sum(counts[text] for text in way.numbers(set(parts))))


def currencies(texts: Iterable[str]) -> list[str]:
    """The currencies of amounts of money."""
    units = (part.unit for text in texts if (part := _parts(text)) is not None)
    signs = (unit.lower().rstrip(".") for unit in units if IS_CURRENCY.fullmatch(unit))
    return list(dict.fromkeys(SIGNS.get(sign, sign) for sign in signs))


# -- points and commas ---------------------------------------------------------------------------------------


def plain_numbers(cells: Sequence[str], decimal: str = ".") -> np.ndarray | None:
    """Cells that hold numbers and nothing else, NaN where one is missing; None if one is anything else.

    Separators of thousands are allowed where decimals have commas: points alone would be read otherwise.
    """
    if decimal != ",":
        return numbers(cells)
    known = {cell: float("nan") if is_missing_cell(cell) else _bare_number(cell) for cell in set(cells)}
    return None if None in known.values() else np.array([known[cell] for cell in cells], dtype=float)


def _bare_number(cell: str) -> float | None:
    parts = _parts(cell)
    number = Writing(",").number(cell)
    return None if parts is None or parts.unit or np.isnan(number) else number


def decimal_of(cells: Iterable[str]) -> str:
    """The decimal sign that most numbers among cells must have; empty if both signs fit as well."""
    signed = list(dict.fromkeys(cell for cell in cells if "." in cell or "," in cell))
    for start in range(0, len(signed), SOME):
        some = signed[start : start + SOME]
        bodies = [part.body for part in map(_parts, some) if part is not None]
        n_read = {sign: sum(map(bool, map(form.fullmatch, bodies))) for sign, form in BODIES.items()}
        most = max(n_read, key=lambda sign: n_read[sign])
        if 2 * n_read[most] > len(some) and len(set(n_read.values())) > 1:
            return most
    return ""


def find_decimal(
    signs: Iterable[str],
    separator: str = ",",
    has_pointed_dates: bool = False,
    usual: tuple[str, str] | None = None,
) -> tuple[str, str]:
    """The decimal sign of a file, and why it is a guess, as a clause; empty if it is none.

    ``signs`` are those of its columns, by `decimal_of`. If none of them tells, the file itself tells what is
    usual where it was made: programs that write decimal commas put semicolons between cells. What a new row
    says must not depend on the other rows: ``usual`` are sign and separator of the training file, and only
    another separator speaks against that sign.
    """
    if usual is not None:
        sign, between = usual
        if separator == between:
            return sign, ""
        if separator == sign == ",":
            return ".", "commas separate the cells, which they do not in the training file"
        is_odd = separator == ";" and sign == "."
        return sign, "the training file has decimal points, but no semicolons" if is_odd else ""
    votes = Counter(filter(None, signs))
    if votes:
        most = max(BODIES, key=lambda sign: votes[sign])
        return most, "" if len(votes) == 1 else "other columns have decimal points, and others decimal commas"
    if separator == ",":
        return ".", ""
    if separator == ";":
        return ",", "semicolons separate the cells"
    return (",", "dates have points") if has_pointed_dates else (".", "no other column tells")


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


def _kind(unit: str) -> str:
    """The unit, without what does not matter: amounts of money are numbers with or without a sign."""
    return "" if IS_CURRENCY.fullmatch(unit) else unit
