"""Studies by name, and one run of their parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any

from kernelwise.datasets import load
from kernelwise.datasets.catalog import resolve
from kernelwise.datasets.loader import ChangedError
from kernelwise.studies.claims import TABLE
from kernelwise.studies.keeping import keep
from kernelwise.studies.study import Study, left_out, used

#: Studies, in the order of ``kernelwise reproduce all``: the papers by number, then ours.
NAMES = ("abe", "ayat", "glasmachers", "laanaya", "yin", "beyond")


def check_data(names: Collection[str] = NAMES) -> Iterator[tuple[str, str]]:
    """Name and state of every data set that studies read: found, changed, or what to download."""
    wanted = dict.fromkeys(one for name in names for one in import_module(f"kernelwise.studies.{name}").DATA)
    for name in wanted:
        for file in resolve(name, None):
            try:
                dataset = load(file)
            except (FileNotFoundError, ChangedError) as error:
                yield file, f"not there: {error}"
            else:
                yield file, f"sha256 {dataset.sha256[:12]}, {dataset.source}"


def run(
    name: str,
    is_quick: bool = False,
    only: Collection[str] | None = None,
    journal: MutableMapping[str, Any] | None = None,
    say: Callable[[str], None] = print,
    kept: Path | None = None,
) -> Study:
    """Run the parts of a study, all of them if ``only`` is None.

    Of a page in the folder ``kept`` the parts that are not run stay as they are; claims are judged anew.
    """
    module = import_module(f"kernelwise.studies.{name}")
    unknown = set(only or ()) - set(module.PARTS)
    if unknown:
        raise ValueError(
            f"The study {name} has no part {min(unknown)!r}. Its parts are {', '.join(module.PARTS)}."
        )
    left_out.clear()
    used.clear()
    study = Study(name, module.TITLE, is_quick, {} if journal is None else journal, say)
    study.only = tuple(part for part in module.PARTS if part in (only or ()))
    if is_quick:
        study.quick_means = module.QUICK_MEANS
        say(study.banner)
    if only is not None and kept is not None and not is_quick:
        keep(study, kept, (part for part in module.PARTS if part != TABLE))
    is_kept = bool(study.parts)
    for part, do in module.PARTS.items():
        if only is None or part in only or (is_kept and part == TABLE):
            study.part = part
            do(study)
    study.data |= used
    study.parts = {part: study.parts[part] for part in module.PARTS if part in study.parts}
    return study
