"""A study as files: a page, the rows of every table, the figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kernelwise._core.files import whole_file
from kernelwise.studies.claims import TABLE
from kernelwise.studies.figures import can_draw, save
from kernelwise.studies.keeping import Kept, write_index
from kernelwise.studies.provenance import made_how
from kernelwise.studies.study import Study
from kernelwise.studies.tables import Table, markdown, write_csv


def write(study: Study, directory: Path) -> list[Path]:
    """Write NAME.md, NAME_TABLE.csv and NAME_FIGURE.svg, each whole or not at all; the page comes first."""
    directory.mkdir(parents=True, exist_ok=True)
    tables = {name: directory / f"{study.name}_{name}.csv" for name in study.tables}
    figures = {name: directory / f"{study.name}_{name}.svg" for name in study.figures}
    for name, path in tables.items():
        write_csv(path, study.tables[name].rows)
    if figures and not can_draw():
        study.say("There are no figures without matplotlib. Get it with pip install 'kernelwise[display]'.")
        figures = {}
    for name, path in figures.items():
        if not isinstance(study.figures[name], Kept):
            save(study.figures[name], path)
    if not study.is_quick:
        write_index(study, directory)
    page = directory / f"{study.name}.md"
    with whole_file(page, "w", encoding="utf-8") as file:
        file.write("\n\n".join(_paragraphs(study, tables, figures)) + "\n")
    return [page, *tables.values(), *figures.values()]


def _paragraphs(study: Study, tables: dict[str, Path], figures: dict[str, Path]) -> Iterator[str]:
    yield f"# {study.title}"
    if study.is_quick:
        yield f"**{study.banner}**"
    if TABLE in tables:  # what a reader looks for first
        yield from _table(study.tables[TABLE], tables[TABLE])
    if study.sentences:
        yield "## Notes"
        yield "\n".join(f"- {sentence}" for sentence in study.sentences)
    for part in study.parts.values():
        for name in part.tables:
            if name != TABLE:
                yield from _table(study.tables[name], tables[name])
    for part in study.parts.values():
        for name in part.figures:
            if name in figures:
                yield f"![{study.figures[name].caption}]({figures[name].name})"
                yield study.figures[name].caption
    yield "## How this page was made"
    yield "\n".join(f"- {line}" for line in made_how(study))


def _table(table: Table, path: Path) -> Iterator[str]:
    if table.is_shown:
        yield f"## {table.caption}"
        yield markdown(table.rows)
    yield f"{'Rows' if table.is_shown else table.caption}: [{path.name}]({path.name})"
