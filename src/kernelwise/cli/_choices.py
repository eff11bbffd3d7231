"""Names that an option takes: what is near a wrong one, and which there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from kernelwise._core.text import NEAR
from kernelwise.cli.errors import UserError

#: Names that a sentence lists where a page has all of them.
FEW = 7


def check_choice(option: str, value: str, choices: Iterable[str], page: str = "") -> str:
    """Return a value that an option has; raise with what was probably meant, and all there are.

    ``page`` is the page of the documentation that lists many choices: then a sentence need not.
    """
    names = [str(name) for name in choices]
    if value in names:
        return value
    near = meant(value, names)
    if not page or len(names) <= FEW:
        raise UserError(f"{option} must be one of {', '.join(names)}, got {value!r}.{near}")
    if near:
        raise UserError(f"{option} {value} is unknown.{near} {page[0].upper()}{page[1:]} lists all names.")
    few = f"{', '.join(names[:FEW])} and {len(names) - FEW} others ({page} lists them)"
    raise UserError(f"{option} must be one of {few}, got {value!r}.")


def meant(value: str, names: Iterable[str], near_from: float = NEAR) -> str:
    """A question if one of the names is near."""
    names = list(names)
    begins = [name for name in names if value and name.lower().startswith(value.lower())]
    near = begins or get_close_matches(value, names, n=1, cutoff=near_from)
    return f" Did you mean {near[0]}?" if near else ""
