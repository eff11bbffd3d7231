"""Studies by name, and one run of their parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, MutableMapping
from importlib import import_module
from typing import Any

from kernelwise.studies.study import Study, left_out

#: Studies, in the order of ``kernelwise reproduce all``: the papers by number, then ours.
NAMES = ("abe", "ayat", "glasmachers", "laanaya", "yin", "beyond")


def run(
    name: str,
    is_quick: bool = False,
    only: Collection[str] | None = None,
    journal: MutableMapping[str, Any] | None = None,
    say: Callable[[str], None] = print,
) -> Study:
    """Run the parts of a study, all of them if ``only`` is None."""
    module = import_module(f"kernelwise.studies.{name}")
    unknown = set(only or ()) - set(module.PARTS)
    if unknown:
        raise ValueError(
            f"The study {name} has no part {min(unknown)!r}. Its parts are {', '.join(module.PARTS)}."
        )
    left_out.clear()
    study = Study(name, module.TITLE, is_quick, {} if journal is None else journal, say)
    study.only = tuple(part for part in module.PARTS if part in (only or ()))
    for part, do in module.PARTS.items():
        if only is None or part in only:
            do(study)
    return study
