"""A study as files: a page, which says where its numbers come from, the rows of every table, the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from kernelwise._core.files import whole_file
from kernelwise.studies.figures import Kept, can_draw, save
from kernelwise.studies.study import OF_CLAIMS, Study, write_index
from kernelwise.studies.tables import Table, markdown, write_csv

#: Libraries whose versions move the last digits of results.
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def write(study: Study, directory: Path) -> list[Path]:
    """Write NAME.md, NAME_TABLE.csv and NAME_FIGURE.svg, each whole or not at all; the page comes first."""
    directory.mkdir(parents=True, exist_ok=True)
    tables = {name: directory / f"{study.name}_{name}.csv" for name in study.tables}
    for name, path in tables.items():
        write_csv(path, study.tables[name].rows)
    if not can_draw():
        leave_out_figures(study)
    figures = {name: directory / f"{study.name}_{name}.svg" for name in study.figures}
    for name, path in figures.items():
        if not isinstance(study.figures[name], Kept):
            save(study.figures[name], path)
    if not study.is_quick:
        write_index(study, directory)
    page = directory / f"{study.name}.md"
    with whole_file(page, "w", encoding="utf-8") as file:
        file.write("\n\n".join(_paragraphs(study, tables, figures)) + "\n")
    return [page, *tables.values(), *figures.values()]


def leave_out_figures(study: Study) -> None:
    """Take the figures that are not drawn yet out of a study, and say which; those of earlier runs stay."""
    undrawn = [name for name, picture in study.figures.items() if not isinstance(picture, Kept)]
    if undrawn:
        study.say(
            f"Without matplotlib these figures are missing, and nothing else: {', '.join(undrawn)}. Get it "
            'with pip install "kernelwise[display]".'
        )
    for name in undrawn:
        del study.figures[name]
    for part in study.parts.values():
        part.figures = [name for name in part.figures if name in study.figures]


def _paragraphs(study: Study, tables: dict[str, Path], figures: dict[str, Path]) -> Iterator[str]:
    yield f"# {study.title}"
    if study.is_quick:
        yield f"**{study.banner}**"
    if OF_CLAIMS in tables:  # what a reader looks for first
        yield from _table(study.tables[OF_CLAIMS], tables[OF_CLAIMS])
    if study.sentences:
        yield "## Notes"
        yield "\n".join(f"- {sentence}" for sentence in study.sentences)
    for part in study.parts.values():
        for name in part.tables:
            if name != OF_CLAIMS:
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


def made_how(study: Study) -> Iterator[str]:
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
