"""Claims of a paper as data: what it says, where, and the rule that judges it; they become a table.

Sentences and numbers are apart. ``claims.toml`` in the folder of a paper has the sentences, with holes for
numbers; ``rules.py`` beside it has the rules. A rule is a function of tables of the study, returns a verdict
and numbers, and knows no sentence. Whatever a rule compares with is in `notions`, so that a word means the
same in every row. Only full runs are judged.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from importlib.resources import files
from inspect import signature
from string import Formatter
from types import ModuleType
from typing import Any, NamedTuple

from kernelwise.studies.notions import MOST
from kernelwise.studies.study import OF_CLAIMS, Study
from kernelwise.studies.tables import NoRow, Row

#: One part of a study: what it finds, it adds to the study.
Part = Callable[[Study], None]
#: The rows of a study's tables by name: what claims are judged by.
Tables = dict[str, list[Row]]
HOLDS, IN_PART, NOT, OPEN = VERDICTS = (
    "holds",
    "holds in part",
    "does not hold",
    "cannot be judged",
)
#: A hole for a list: its name, what is between two items, the text of one, and that of an empty list if any.
#: "[rates, {name} {rate:.2f}|none]" may be "SVM 1.25, ours 1.30". Text behind "?" is there if the list is not
#: empty: "[rates? Rates are [rates, {rate:.2f}].]".
LIST = re.compile(r"\[([a-z_]+)([,;?]| and) ([^][|]+)(?:\|([^][|]+))?\]")


class Found(NamedTuple):
    """What a rule finds: the verdict, and the numbers for the holes of the sentences."""

    verdict: str
    values: dict[str, Any]


def found(is_so: bool | None, in_part: bool = False, **values: Any) -> Found:
    """The verdict of what was measured: it holds, else in part if so, else not; None cannot be judged."""
    verdict = OPEN if is_so is None else HOLDS if is_so else IN_PART if in_part else NOT
    return Found(verdict, values)


def counted(are_so: Iterable[bool], in_part: float = MOST, **values: Any) -> Found:
    """The verdict of cases: it holds if all are so, and in part if more than this share are.

    The holes "{n_so}", "{n_not}" and "{n_all}" count the cases.
    """
    cases = list(are_so)
    if not cases:
        raise NoRow("There are no cases.")
    n_so, n_all = sum(cases), len(cases)
    return found(n_so == n_all, n_so > in_part * n_all, n_so=n_so, n_all=n_all, n_not=n_all - n_so, **values)


def beside_all(rule: Callable[..., Found]) -> Callable[..., Found]:
    """The rule, with its verdict on all sets, signal or not, in the list "on_all" where it is another one.

    Rows of its tables say in the column "signal" whether their set has one; see `notions.has_signal`.
    """

    @wraps(rule)
    def both(**tables: list[Row]) -> Found:
        judged = rule(**tables)
        on_all = rule(**{name: [row | {"signal": True} for row in rows] for name, rows in tables.items()})
        others = [on_all.values | {"verdict": on_all.verdict}] if on_all.verdict != judged.verdict else []
        return Found(judged.verdict, {**judged.values, "on_all": others})

    return both


class Range(NamedTuple):
    """The smallest and the largest of some values: "{name:.0f}" is "3 to 15"."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Collection[float]) -> Range:
        """The range of the values."""
        return cls(min(values), max(values))

    def __format__(self, spec: str) -> str:
        return f"{self.low:{spec}} to {self.high:{spec}}"


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    The arguments of ``rule`` are tables of the study by their names; a table with a default may be missing.
    A rule that meets `NoRow` judges nothing. ``ours`` and ``why`` are sentences with holes for what it finds.
    """

    said: str
    where: str  # in the paper
    rule: Callable[..., Found]
    ours: str
    why: str = ""

    def judge(self, tables: Tables) -> Row | None:
        """A row of the table of claims; None if a table or a row that the rule needs is missing."""
        wanted = signature(self.rule).parameters.values()
        if any(one.default is one.empty and one.name not in tables for one in wanted):
            return None
        try:
            judged = self.rule(**{one.name: tables[one.name] for one in wanted if one.name in tables})
        except NoRow:
            return None
        ours, why = (filled(sentence, judged.values) for sentence in (self.ours, self.why))
        return {
            "claim": self.said,
            "where": self.where,
            "our result": ours,
            "verdict": judged.verdict,
            "why": why,
        }


class Holes(Formatter):
    """Holes that columns of a table fill, whatever characters their names have: "{± s.e.:.2f}"."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        return kwargs[field_name], field_name


def filled(sentence: str, values: dict[str, Any]) -> str:
    """The sentence with its holes filled: "{name:.2f}" by a value, `LIST` by rows."""
    fill = Holes().vformat

    def listed(hole: re.Match[str]) -> str:
        name, mark, one, none = hole.groups(default="")
        items = values[name]
        if mark == "?":
            return one if items else none
        return f"{mark} ".join(fill(one, (), item) for item in items) or none

    while (inner := LIST.sub(listed, sentence)) != sentence:  # the innermost lists first
        sentence = inner
    return fill(sentence, (), values)


def unjudged() -> Found:
    """The rule of a claim that no table can judge."""
    return found(None)


def read_paper(package: str | None) -> dict[str, Any]:
    """The file ``claims.toml`` of a paper: what it claims, and what it prints."""
    return tomllib.loads(files(package or "").joinpath("claims.toml").read_text(encoding="utf-8"))


def read_claims(rules: ModuleType) -> tuple[Claim, ...]:
    """The claims of the file ``claims.toml`` beside a module of rules.

    A claim names its rule; what it has besides the fields of `Claim` are arguments of the rule.
    """
    claims = []
    for one in read_paper(rules.__package__)["claim"]:
        texts = {name: one.pop(name) for name in ("said", "where", "ours", "why") if name in one}
        rule = getattr(rules, one.pop("rule")) if "rule" in one else unjudged
        claims.append(Claim(**texts, rule=partial(rule, **one)))
    return tuple(claims)


def judge(claims: Iterable[Claim], tables: Tables) -> list[Row]:
    """Rows of the claims that the tables at hand can judge."""
    return [row for claim in claims if (row := claim.judge(tables)) is not None]


def parts_of(claims: Iterable[Claim], *parts: Part) -> dict[str, Part]:
    """The parts of a study by the names of their functions, and last its claims."""
    return {part.__name__: part for part in parts} | {OF_CLAIMS: partial(add_claims, claims)}


def add_claims(claims: Iterable[Claim], study: Study) -> None:
    """Put the table of claims into a study, judged by its tables so far; say so if these judge none.

    A quick run is not judged: with few rows and draws many verdicts would be others.
    """
    if study.is_quick:
        return
    rows = judge(claims, {name: table.rows for name, table in study.tables.items()})
    if not rows:
        study.say("Claims are judged by the tables of the other parts, and none of these was made.")
    study.table(OF_CLAIMS, "What the paper claims, and what we find", rows)
    if rows:
        study.say("Results are cut here. --out DIR writes them in full, with reasons.")
