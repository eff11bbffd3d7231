"""What a paper claims, and whether we find it: a table that a page begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernelwise.studies.study import Study
from kernelwise.studies.tables import Row

#: The rows of a study's tables by name: what claims are judged by.
Tables = dict[str, list[Row]]
#: The name of the table; `writing` puts it first.
CLAIMS = "claims"
HOLDS, IN_PART, NOT, OPEN = VERDICTS = (
    "holds",
    "holds in part",
    "does not hold",
    "cannot be judged",
)


def claim(said: str, where: str, ours: str, verdict: str, why: str = "") -> Row:
    """Make one row: what the paper says and where, what we find, one of `VERDICTS`, and the reason."""
    if verdict not in VERDICTS:
        raise ValueError(f"A verdict is one of {', '.join(VERDICTS)}, got {verdict!r}.")
    return {"claim": said, "where": where, "our result": ours, "verdict": verdict, "why": why}


def judged(is_so: bool, in_part: bool = False) -> str:
    """Return the verdict of a claim that was measured: it holds, else in part if so, else not."""
    return HOLDS if is_so else IN_PART if in_part else NOT


def add_claims(study: Study, judge: Callable[[Tables], Iterable[Row]]) -> None:
    """Put the table of claims into a study, judged by its tables so far; say so if these judge none."""
    found = list(judge({name: table.rows for name, table in study.tables.items()}))
    if not found:
        study.say("Claims are judged by the tables of the other parts, and none of these was made.")
    study.table(CLAIMS, "What the paper claims, and what we find", found)
