"""Findings: what users have to know about their data or a result, and can act on.

Every finding comes from an entry of `kernelwise.findings.catalogue`, which has its name, its severity and its
sentences. Whoever finds something names the entry and gives the values.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from typing import Any

from kernelwise._core.text import counted

__all__ = ["Entry", "Finding"]


@dataclass(frozen=True)
class Finding:
    """Thing that was found in data or in a result, how serious it is, and what to do.

    Attributes
    ----------
    name : str
        Short and stable, such as ``"boundary"``.
    severity : {"info", "warning", "error"}
    message : str
        One sentence with the evidence.
    advice : str
        One sentence on what to do, for a user of Python; empty if nothing needs doing.
    option : str
        The same for a user of the command line, with options that the commands have; empty if the advice
        serves both.

    Examples
    --------
    >>> from kernelwise.findings import Finding
    >>> finding = Finding("constant", "info", "Feature 3 is constant.", "Remove it.")

    As text it is what to know and what to do:

    >>> print(finding)
    Feature 3 is constant. Remove it.

    On the command line the advice is an option:

    >>> finding = Finding("constant", "info", "Column 3 is constant.", "Remove it.", "Add --ignore 3.")
    >>> print(finding.for_command_line())
    Column 3 is constant. Add --ignore 3.
    """

    name: str
    severity: str
    message: str
    advice: str = ""
    option: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()

    def for_command_line(self) -> str:
        """The text with advice that can be followed on the command line."""
        return f"{self.message} {self.option or self.advice}".strip()


class _Sentence(string.Formatter):
    """`str.format` that can also choose words by a value; see `Entry`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """The value, or one of two words; # is the value itself."""
        one, bar, other = format_spec.partition("|")
        if not bar:
            return str(super().format_field(value, format_spec))
        words = one if value == 1 else other
        return words.replace("#", counted(value)) if "#" in words else words


@dataclass(frozen=True)
class Entry:
    """One thing that can be found: a finding with fields for values in its sentences.

    Fields are those of `str.format`. A field with a bar chooses words: ``{n:# row has|# rows have}`` is "1
    row has" or "12 rows have", and ``{is_low:smallest|largest}`` the first word if the value is true.

    Attributes
    ----------
    name, message, advice, option, severity : str
        As in `Finding`.

    Examples
    --------
    >>> from kernelwise.findings import Entry
    >>> constant = Entry("constant", "{n:# column is|# columns are} constant.", severity="info")
    >>> print(constant(n=1))
    1 column is constant.
    >>> constant(n=3).severity, constant(n=3, severity="warning").severity
    ('info', 'warning')
    """

    name: str
    message: str
    advice: str = ""
    option: str = ""
    severity: str = field(kw_only=True)

    def __call__(self, *, severity: str = "", **values: Any) -> Finding:
        """The finding with these values; another severity than the usual one is given by its name."""
        message, advice, option = (
            _Sentence().vformat(text, (), values) for text in (self.message, self.advice, self.option)
        )
        return Finding(self.name, severity or self.severity, message, advice, option)
