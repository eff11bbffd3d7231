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

    >>> print(Finding("constant", "info", "Column 3 is constant.", "Drop it.", "--ignore 3").for_command_line())
    Column 3 is constant. --ignore 3
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
