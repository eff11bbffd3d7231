"""What it takes to repeat a run: data, versions, seed, command."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

from kernelwise import __version__
from kernelwise._core.fingerprint import fingerprint

PACKAGES = ("numpy", "scipy", "scikit-learn")
#: Digits of the fingerprint that a report shows: those that a journal has begin with them.
N_DIGITS = 16


@dataclass(frozen=True)
class Provenance:
    """How to get the same result again.

    Attributes
    ----------
    command : str
    date : str
        When the report was made, by the clock of the place: 2026-03-01 14:05.
    source : str or None
        Where the rows came from.
    seed : object
    fingerprint : str or None
        The first digits of the hash of the rows and their labels that a journal has, too.
    versions : dict from str to str
    """

    command: str
    date: str
    source: str | None
    seed: Any
    fingerprint: str | None
    versions: dict[str, str]


def provenance(model: Any, X: Any, y: Any, command: str | None, source: str | None, seed: Any) -> Provenance:
    """The facts of a run; the command is the model's own constructor where none is given."""
    if command is None:
        made = model.__repr__(N_CHAR_MAX=100_000)
        command = f"from kernelwise import {type(model).__name__}\n\n{made}.fit(X, y)"
    if X is not None and hasattr(model, "encoder_"):
        X = model.encoder_.read(X)
    digest = None if X is None or y is None else fingerprint(X, y)[:N_DIGITS]
    date = datetime.now().strftime("%Y-%m-%d %H:%M")
    return Provenance(command, date, source, model.random_state if seed is None else seed, digest, versions())


def versions() -> dict[str, str]:
    """Versions of what the result depends on."""
    return {
        "kernelwise": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "platform": f"{platform.system()} {platform.machine()}",
    }
