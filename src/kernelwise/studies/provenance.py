"""Where the numbers of a page come from: command, version, commit, date, libraries and data."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from kernelwise import __version__

#: Libraries whose versions move the last digits of results.
LIBRARIES = ("numpy", "scipy", "scikit-learn")


class MadePart(Protocol):
    """What a page says of a part of its study."""

    made: str
    cells: Counter[str]


class Made(Protocol):
    """What a page says of its study."""

    name: str
    is_quick: bool
    only: tuple[str, ...]
    data: dict[str, str]

    @property
    def parts(self) -> Mapping[str, MadePart]: ...


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


def made_now() -> str:
    """Version, commit and date of what is made now."""
    return f"kernelwise {software()}, {datetime.now(UTC):%Y-%m-%d}"


def made_how(study: Made) -> Iterator[str]:
    """What a reader needs to repeat a page, a line each."""
    quick = " --quick" if study.is_quick else ""
    is_part = study.only and set(study.parts) <= {*study.only}
    only = f" --only {','.join(study.only)}" if is_part else ""
    yield f"command: `kernelwise reproduce {study.name}{quick}{only}`"
    by_software: dict[str, list[str]] = {}
    for name, part in study.parts.items():
        by_software.setdefault(part.made, []).append(name)
    for made, names in by_software.items():
        yield made + (f": {', '.join(names)}" if len(by_software) > 1 else "")
    cells = sum((part.cells for part in study.parts.values()), Counter())
    if len(cells) > 1:
        yield f"cells from a journal: {'; '.join(f'{n} by {who}' for who, n in sorted(cells.items()))}"
    yield ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    if study.data:
        hashes = ", ".join(f"{name} {sha256[:12]}" for name, sha256 in sorted(study.data.items()))
        yield f"data (first digits of the sha256 of `kernelwise reproduce --check-data`): {hashes}"
