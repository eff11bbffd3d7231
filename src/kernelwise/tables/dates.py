"""Dates and times: how columns write them, and the features that they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np

from kernelwise.tables.cells import is_gap
from kernelwise.tables.column import COLUMN_KINDS, Column, weighted_median

#: English and German names of months, by their first letters.
MONTHS = {
    **{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6},
    **{"jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12},
    **{"mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12},
}
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(:(?P<second>\d\d)(\.\d+)?)?\s*(?P<half>[ap]\.?m\.?)?"
ZONE = r"\s*(?:Z|UTC|GMT|(?P<zone>[+-]\d\d:?\d\d))?"
WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?"
DAYS = (
    r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})((?P=sep)(?P<day>\d{1,2}))?",
    r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second_>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)",
    r"(?P<first>\d{1,2})\.\s(?P<second_>\d{1,2})\.\s(?P<year>\d{4})",
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[-/\s]+(?P<name>[^\W\d]{3,9})\.?,?[-/\s]+(?P<year>\d{4}|\d\d)",
    r"(?P<name>[^\W\d]{3,9})\.?[-/\s]+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    r"(?P<name>[^\W\d]{3,9})\.?[-/,\s]+(?P<year>\d{4})",
)
FORMS = tuple(re.compile(rf"{WEEKDAY}{day}(?:[T,\s]\s*{CLOCK}{ZONE})?", re.IGNORECASE) for day in DAYS)
TIME = re.compile(CLOCK, re.IGNORECASE)
#: Day and month with points behind them.
POINTED = re.compile(r"\d{1,2}\.\s?\d{1,2}\.")
#: Two digits of a year up to this one are of this century.
CENTURY = 68
DAY_FIRST, MONTH_FIRST, TIME_OF_DAY = "day first", "month first", "time of day"
OTHER = {DAY_FIRST: MONTH_FIRST, MONTH_FIRST: DAY_FIRST}
SECONDS_A_DAY = 86_400
YEAR = 365.2425
#: The parts of a date that are features, in their order.
PARTS = ("year", "month", "weekday", "season", "hour", "days")


def read_moment(text: str, order: str = "") -> datetime | None:
    """The date and time that a text says, as UTC where it has a time zone; None if it says none.

    ``order`` is about dates such as 1/2/2024, which may be in January or in February. Where it is not known,
    points say that the day comes first.

    >>> print(read_moment("31.01.2024 12:30"), read_moment("3 May 99"), read_moment("1/2/2024"))
    2024-01-31 12:30:00 1999-05-03 00:00:00 2024-01-02 00:00:00
    """
    text = text.strip()
    if order == TIME_OF_DAY:
        match = TIME.fullmatch(text)
        return None if match is None else _moment(1970, 1, 1, match.groupdict())
    match = next((match for form in FORMS if (match := form.fullmatch(text)) is not None), None)
    if match is None:
        return None
    found = match.groupdict()
    year = int(found["year"])
    if year < 100:
        year += 2000 if year <= CENTURY else 1900
    if found.get("first"):
        day, month = int(found["first"]), int(found["second_"])
        if order == MONTH_FIRST or not (order or POINTED.match(text)):
            day, month = month, day
    else:
        name = found.get("name")
        known = MONTHS.get(name[:3].lower()) if name else int(found["month"])
        if known is None:
            return None
        month, day = known, int(found.get("day") or 1)
    return _moment(year, month, day, found)


def _moment(year: int, month: int, day: int, clock: Mapping[str, str | None]) -> datetime | None:
    hour, minute, second = (int(clock[name] or 0) for name in ("hour", "minute", "second"))
    half = (clock["half"] or "")[:1].lower()
    if half and hour > 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    zone = (clock.get("zone") or "+0000").replace(":", "")
    east = timedelta(hours=int(zone[:3]), minutes=int(f"{zone[0]}{zone[3:]}"))
    try:
        return datetime(year, month, day, hour, minute, second) - east
    except (ValueError, OverflowError):
        return None


def find_order(texts: Iterable[str], usual: str = MONTH_FIRST) -> str | None:
    """The order of day and month with which most texts are dates, or that they are times of the day.

    None if hardly one is either. Where both orders fit, points say that the day comes first, and else the
    order in which the dates of the rows go up or down without turning back; if that is the same, too, it is
    the ``usual`` one.
    """
    texts = list(dict.fromkeys(texts))
    n_read = {
        order: sum(read_moment(text, order) is not None for text in texts)
        for order in (MONTH_FIRST, DAY_FIRST, TIME_OF_DAY)
    }
    best = max(n_read, key=lambda order: n_read[order])
    if not n_read[best]:
        return None
    if n_read[MONTH_FIRST] != n_read[DAY_FIRST] or best == TIME_OF_DAY:
        return best
    if any(map(POINTED.match, texts)):
        return DAY_FIRST
    turns = {order: _turns(texts, order) for order in (MONTH_FIRST, DAY_FIRST)}
    return min(turns, key=lambda order: (turns[order], order != usual))


def is_guess(texts: Iterable[str]) -> bool:
    """Whether both orders of day and month fit all texts, and make different dates of some."""
    found = [(read_moment(text, MONTH_FIRST), read_moment(text, DAY_FIRST)) for text in texts]
    is_sure = any((one is None) != (other is None) for one, other in found) or any(map(POINTED.match, texts))
    return not is_sure and any(one != other for one, other in found)


def _turns(texts: Sequence[str], order: str) -> int:
    moments = [moment for text in texts if (moment := read_moment(text, order)) is not None]
    falls = sum(one > two for one, two in pairwise(moments))
    return min(falls, len(moments) - falls)


def as_moments(cells: Sequence[Any], order: str) -> np.ndarray:
    """Texts as datetime64, NaT where one is missing or no date, shape (n_cells,)."""
    known: dict[Any, Any] = {None: None}
    for cell in cells:
        if cell not in known:
            known[cell] = read_moment(cell, order)
    return np.array([known[cell] for cell in cells], dtype="datetime64[s]")


def days_of(column: np.ndarray) -> np.ndarray:
    """Days since 1970, with fractions, NaN where a date is missing."""
    seconds = column.astype("datetime64[s]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / SECONDS_A_DAY)


@dataclass(frozen=True)
class Dates(Column):
    """A column of dates or times.

    Attributes
    ----------
    parts : tuple of str
        Which features it becomes, of `PARTS`: those that differ between training samples. "season" is the
        day of the year on a circle, two features, and "days" the time since the first date.
    first : float
        The first date, in days since 1970.
    written : str
        How it is written as text: which of day and month comes first, or that it is a time of the day; empty
        or None if no text tells.
    """

    parts: tuple[str, ...] = ()
    first: float = 0.0

    dtype = "M"
    noun = "date"

    @classmethod
    def read(cls, cells: Sequence[Any]) -> np.ndarray | None:
        """Cells that hold dates of Python, NumPy or a data frame; texts are read by `as_moments`."""
        moments: list[Any] = []
        for cell in cells:
            if is_gap(cell):
                moments.append(None)
            elif isinstance(cell, datetime):
                aware = cell.tzinfo is not None
                moments.append(cell.astimezone(UTC).replace(tzinfo=None) if aware else cell)
            elif isinstance(cell, date | np.datetime64):
                moments.append(cell)
            else:
                return None
        return np.array(moments, dtype="datetime64[s]")

    @classmethod
    def learn(
        cls, name: Any, column: np.ndarray, weight: np.ndarray, is_text: bool, fills_gaps: bool
    ) -> Dates:
        """What the dates of the training samples hold."""
        missing = np.isnat(column)
        days = days_of(column)[~missing]
        first = float(days.min()) if len(days) else 0.0
        values = _parts(days, first)
        varies = {part: len(days) > 0 and bool(np.ptp(values[part], axis=-1).max() > 0.0) for part in PARTS}
        if (np.floor(days) == _first_of_month(days)).all():
            varies["weekday"] = False  # the table is of months
        if varies["days"] and np.ptp(values["days"]) < 1.0:
            varies["days"] = False  # the table is of hours
        parts = tuple(part for part in PARTS if varies[part])
        has_gaps = bool(missing.any()) and not fills_gaps
        fill = weighted_median(days, weight[~missing])
        return cls(name, has_gaps=has_gaps, fill=fill, parts=parts, first=first)

    @property
    def features(self) -> tuple[tuple[str, str], ...]:
        """Kind and name of each feature."""
        names = [
            name
            for part in self.parts
            for name in ((f"{part} (sin)", f"{part} (cos)") if part == "season" else (part,))
        ]
        gap = [("gap", f"{self.name} missing")] if self.has_gaps else []
        return (*(("number", f"{self.name} {name}") for name in names), *gap)

    def transform(self, column: np.ndarray) -> np.ndarray:
        """The features, of shape (n_rows, n_features); a missing date is the median one."""
        days = days_of(column)
        gaps = np.isnan(days)
        values = _parts(np.where(gaps, self.fill, days), self.first)
        found = [values[part] for part in self.parts]
        parts = [np.atleast_2d(part) for part in found] + ([gaps[None]] if self.has_gaps else [])
        return np.concatenate([np.empty((0, len(column))), *parts]).T.astype(float)

    def readings(self, text: str) -> Iterator[datetime | None]:
        """The date in the order of the training samples, and in the other one.

        Where these do not tell the order, points say that the day comes first.
        """
        order = self.written or (DAY_FIRST if POINTED.match(text) else MONTH_FIRST)
        orders = [order] if order == TIME_OF_DAY else [order, OTHER[order]]
        return (read_moment(text, one) for one in orders)


def _parts(days: np.ndarray, first: float) -> dict[str, np.ndarray]:
    """The parts of dates in days since 1970, by their names; the season is of shape (2, n_dates)."""
    whole = np.floor(days).astype("datetime64[D]")
    months, years = whole.astype("datetime64[M]"), whole.astype("datetime64[Y]")
    of_year = (whole - years.astype("datetime64[D]")).astype(float)
    angle = 2.0 * np.pi * of_year / YEAR
    return {
        "year": years.astype(float) + 1970.0,
        "month": (months - years.astype("datetime64[M]")).astype(float) + 1.0,
        "weekday": (np.floor(days) + 3.0) % 7.0 + 1.0,  # 1970 began on a Thursday; Monday is 1
        "season": np.stack([np.sin(angle), np.cos(angle)]),
        "hour": (days - np.floor(days)) * 24.0,
        "days": days - first,
    }


def _first_of_month(days: np.ndarray) -> np.ndarray:
    months = np.floor(days).astype("datetime64[D]").astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(float)


COLUMN_KINDS["M"] = Dates
