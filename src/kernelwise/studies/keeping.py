"""A page as data, so that a run of some parts keeps the others: NAME.json says which part made what."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwise._core.files import whole_file
from kernelwise.studies.study import Part, Study
from kernelwise.studies.tables import Table, read_csv


@dataclass(frozen=True)
class Kept:
    """A figure whose file stays as it is."""

    caption: str
    size: tuple[float, float] = (0.0, 0.0)

    def draw(self, figure: Any) -> None:
        raise AssertionError("A figure that is kept is not drawn.")


def write_index(study: Study, directory: Path) -> None:
    """Write what the parts of a study made, and the hashes of their data."""
    index = {
        "parts": {
            name: {
                "made": part.made,
                "cells": dict(part.cells),
                "sentences": part.sentences,
                "tables": {t: [study.tables[t].caption, study.tables[t].is_shown] for t in part.tables},
                "figures": {f: study.figures[f].caption for f in part.figures},
            }
            for name, part in study.parts.items()
        },
        "data": study.data,
    }
    with whole_file(directory / f"{study.name}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(index, indent=1, ensure_ascii=False) + "\n")


def keep(study: Study, directory: Path, parts: Iterable[str]) -> None:
    """Read the parts of an earlier page that are not to be run, with their rows, into a study."""
    path = directory / f"{study.name}.json"
    if not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    study.data = dict(index["data"])
    for name in parts:
        found = index["parts"].get(name)
        if found is None or name in study.only:
            continue
        for table, (caption, is_shown) in found["tables"].items():
            study.tables[table] = Table(caption, read_csv(directory / f"{study.name}_{table}.csv"), is_shown)
        study.figures |= {figure: Kept(caption) for figure, caption in found["figures"].items()}
        lists = {kind: list(found[kind]) for kind in ("tables", "figures", "sentences")}
        study.parts[name] = Part(found["made"], Counter(found["cells"]), **lists)
