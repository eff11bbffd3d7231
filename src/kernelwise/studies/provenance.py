"""Where the numbers of a study come from: version, commit, date, data and command."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from kernelwise import __version__


@cache
def commit() -> str:
    """The commit of the sources that run, "" if they are not a checkout; "+" if they were changed since."""
    folder = Path(__file__).resolve().parent
    try:
        told = [
            subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "../.."])
        ]
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told[0].strip() + ("+" if told[1].strip() else "")


def software() -> str:
    """Version and commit of the package."""
    return f"{__version__}, commit {commit()}" if commit() else __version__
