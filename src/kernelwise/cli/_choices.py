"""Names that an option takes: what is near a wrong one, and which there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from kernelwise.cli.errors import UserError


def check_choice(option: str, value: str, choices: Iterable[str]) -> str:
    """Return a value that an option has; raise with what was probably meant, and all there are."""
    names = [str(name) for name in choices]
    if value not in names:
        raise UserError(f"{option} must be one of {', '.join(names)}, got {value!r}.{meant(value, names)}")
    return value


def meant(value: str, names: Iterable[str]) -> str:
    """A question if one of the names is near."""
    names = list(names)
    begins = [name for name in names if value and name.startswith(value.lower())]
    near = begins or get_close_matches(value, names, n=1)
    return f" Did you mean {near[0]}?" if near else ""
