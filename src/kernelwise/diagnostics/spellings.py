"""Labels that are the same word, written in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelwise._core.text import count
from kernelwise.diagnostics._data import listed
from kernelwise.findings import Finding

#: Name of the finding that comes before all others, since they may follow from it.
TWO_SPELLINGS = "labels written in two ways"


def spelling_findings(classes: Sequence[Any], counts: Sequence[int], noun: str = "row") -> list[Finding]:
    """A warning if classes that are words differ only in capitals or spaces."""
    groups: dict[str, list[int]] = {}
    for k, label in enumerate(classes):
        if isinstance(label, str):
            groups.setdefault("".join(label.split()).casefold(), []).append(k)
    twice = [sorted(group, key=lambda k: -counts[k]) for group in groups.values() if len(group) > 1]
    if not twice:
        return []
    pairs = [
        " and ".join(f"{classes[k]!r} ({count(int(counts[k]), noun)})" for k in group) for group in twice
    ]
    message = f"{listed(pairs)} differ only in capitals or spaces, but count as different classes."
    advice = "If they are the same class, write them in the same way{} and run this again."
    return [Finding(TWO_SPELLINGS, "warning", message, advice.format(""), advice.format(" in the file"))]
