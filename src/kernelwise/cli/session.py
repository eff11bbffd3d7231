"""What a run of a command has to remember: whether it is quiet, what it wrote, what a journal keeps."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwise._core.text import count


@dataclass
class Session:
    """One run of a command; `session` is the one that is under way."""

    is_quiet: bool = False
    journal: Any = None
    written: list[Path] = field(default_factory=list)

    def begin(self) -> None:
        """Forget the run before."""
        self.is_quiet, self.journal, self.written = False, None, []

    def stopped(self) -> str:
        """What is left after Ctrl-C, in words."""
        if self.journal is not None and len(self.journal):
            parts = count(len(self.journal), "finished part is", "finished parts are")
            return f"Stopped. {parts} kept in {self.journal.path}; run the same command to continue."
        if self.written:
            return f"Stopped. These files were already written: {', '.join(map(str, self.written))}."
        return "Stopped. Nothing was saved."


session = Session()


def be_quiet(is_wanted: bool) -> None:
    """Say nothing but errors from now on, if that is wanted."""
    session.is_quiet = session.is_quiet or is_wanted


def say(sentence: str) -> None:
    """A line for the user; the standard output is for results."""
    if not session.is_quiet:
        print(sentence, file=sys.stderr, flush=True)
