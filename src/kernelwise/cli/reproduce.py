"""``kernelwise reproduce``: the tables and figures of a paper, beside ours."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from kernelwise._core.text import count
from kernelwise.cli import options
from kernelwise.cli.files import check_writable
from kernelwise.cli.options import flag, option
from kernelwise.cli.output import UserError, print_line, say


class Paper(StrEnum):
    """Studies: one for each paper, one over all our methods, and all of them."""

    abe = "abe"
    ayat = "ayat"
    glasmachers = "glasmachers"
    laanaya = "laanaya"
    yin = "yin"
    beyond = "beyond"
    all = "all"


Quick = Annotated[bool, flag("--quick", "Run smaller experiments, in a minute or two per paper.")]
Only = Annotated[
    list[str] | None, option("A,B", "Run only these parts of the study. A page in --out keeps the others.")
]
CheckData = Annotated[bool, flag("--check-data", "Check the data sets, and say where to get missing ones.")]
Out = Annotated[Path | None, option("DIR", "Folder to write pages, CSV files and figures to.")]


def reproduce(
    paper: Annotated[Paper | None, typer.Argument()] = None,
    quick: Quick = False,
    only: Only = None,
    out: Out = None,
    journal: options.JournalFile = None,
    check_data: CheckData = False,
) -> None:
    """Repeat a paper's experiments and show its values beside ours.

    The experiments need benchmark files. The command looks for them in the folder that the environment
    variable KERNELWISE_DATA names. With --check-data it only says which are there, and where to get the
    others. You can stop it at any time: with the same --journal, it continues.

    \b
    Example: kernelwise reproduce yin --quick --out results
    """
    if check_data:
        show_data(paper)
        return
    if paper is None:
        raise UserError(f"Name a study: {', '.join(Paper)}.")
    check_writable(journal, "--journal")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        check_writable(out / "page.md", "--out")
    if paper is Paper.all and only is not None:
        raise UserError("--only chooses parts of one study. Name that study instead of all.")
    from kernelwise.studies.study import NAMES, run
    from kernelwise.studies.writing import write

    parts = options.split_names(only) or None
    with open_journal(journal, quick) as cells:
        for name in NAMES if paper is Paper.all else (paper.value,):
            study = run(name, quick, parts, cells, kept=out)
            if out is not None:
                say(f"Wrote the page {write(study, out)[0]}.")


def show_data(paper: Paper | None) -> None:
    """Say which data sets of a study, or of all, are there with the right values; fail if one is not."""
    from kernelwise.studies.study import NAMES, check_data

    n_missing = 0
    for name, state in check_data(NAMES if paper in (None, Paper.all) else (paper.value,)):
        print_line(f"{name}: {state}")
        n_missing += state.startswith("not there")
    if n_missing:
        raise UserError(f"{count(n_missing, 'data set')} could not be read, see above.")


def open_journal(path: Path | None, is_quick: bool) -> AbstractContextManager[Any]:
    """The journal of all studies, quick or not, or nothing."""
    if path is None:
        return nullcontext()
    from kernelwise import __version__
    from kernelwise._core.journal import Journal

    journal = Journal(path, {"command": "reproduce", "version": __version__, "quick": is_quick})
    say(f"The journal {path} has {count(journal.n_found, 'finished cell')}.")
    return journal
