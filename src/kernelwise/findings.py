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

    Examples
    --------
    >>> from kernelwise.findings import Finding
    >>> finding = Finding("constant", "info", "Feature 3 is constant.", "Remove it.")

    As text it is what to know and what to do:

    >>> print(finding)
    Feature 3 is constant. Remove it.
    """

    name: str
    severity: str
    message: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()
