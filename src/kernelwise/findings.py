"""A finding: something about the data or the result that a user can act on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, how serious it is, and what to do.

    Attributes
    ----------
    name : str
        Short and stable, such as ``"boundary"``.
    severity : {"info", "warning", "error"}
    message : str
        One sentence with the evidence.
    advice : str
        One sentence on what to do; empty if nothing needs doing.
    """

    name: str
    severity: str
    message: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()
