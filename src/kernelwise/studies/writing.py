"""A study as files: a page, the rows of every table, the figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kernelwise._core.files import whole_file
from kernelwise.studies.claims import TABLE
from kernelwise.studies.figures import can_draw, save
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
        save(study.figures[name], path)
    page = directory / f"{study.name}.md"
    with whole_file(page, "w", encoding="utf-8") as file:
        file.write("\n\n".join(_paragraphs(study, tables, figures)) + "\n")
    return [page, *tables.values(), *figures.values()]


def _paragraphs(study: Study, tables: dict[str, Path], figures: dict[str, Path]) -> Iterator[str]:
    yield f"# {study.title}"
    quick = " --quick" if study.is_quick else ""
    only = f" --only {','.join(study.only)}" if study.only else ""
    yield f"Made by `kernelwise reproduce {study.name}{quick}{only}`."
    if TABLE in tables:  # what a reader looks for first
        yield from _table(study.tables[TABLE], tables[TABLE])
    if study.sentences:
        yield "## Notes"
        yield "\n".join(f"- {sentence}" for sentence in study.sentences)
    for name, path in tables.items():
        if name != TABLE:
            yield from _table(study.tables[name], path)
    for name, path in figures.items():
        yield f"![{study.figures[name].caption}]({path.name})"
        yield study.figures[name].caption


def _table(table: Table, path: Path) -> Iterator[str]:
    if table.is_shown:
        yield f"## {table.caption}"
        yield markdown(table.rows)
    yield f"{'Rows' if table.is_shown else table.caption}: [{path.name}]({path.name})"
