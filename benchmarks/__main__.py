"""``python -m benchmarks JOB``: time one job by several systems and print their ratios to scikit-learn."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.data import NARROW, TABLES, WIDE
from benchmarks.harness import agreement, run_system
from benchmarks.jobs import DATA, make_task
from benchmarks.systems import DEFAULT, SYSTEMS

REFERENCES = ("scikit_learn", "grid_search_part")  # the first of these that is asked for
COLUMNS = {"job": 7, "data": 40, "system": 15, "wall s": 9, "CPU s": 9, "ratio": 8, "agreement": 0}
NUMBERS = ("wall s", "CPU s", "ratio")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("job", choices=tuple(DATA))
    names = [name + width for width in ("", WIDE, NARROW) for name in TABLES]
    parser.add_argument(
        "--data",
        nargs="+",
        choices=names,
        metavar="NAME",
        help=f"{', '.join(TABLES)}; NAME{WIDE}, NAME{NARROW}",
    )
    parser.add_argument(
        "--C", nargs="+", type=float, default=[1.0], help="of fit and predict (default: %(default)s)"
    )
    parser.add_argument("--systems", default=",".join(DEFAULT), help="comma-separated, default: %(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs, best taken (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="thinner grids, at most 500 samples")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows here, set by set")
    parser.add_argument("--resume", action="store_true", help="run only what FILE of --json does not have")
    options = parser.parse_args(arguments)
    options.systems = options.systems.split(",")
    unknown = set(options.systems) - set(SYSTEMS)
    if unknown:
        parser.error(f"unknown system {min(unknown)!r}; choose from {', '.join(SYSTEMS)}")
    if options.resume and not options.json:
        parser.error("--resume needs the FILE of --json")
    return options


def rows_of(options: argparse.Namespace, name: str, C: float) -> list[dict[str, Any]]:
    """Run all systems on one data set; print each row as soon as it is there."""
    try:
        task = make_task(options.job, name, options.quick, C)
    except FileNotFoundError as error:
        print(f"{options.job:7}{name}: skipped, {error}", flush=True)
        return []
    size = f"{name} ({task.X.shape[0]} x {task.X.shape[1]}, {len(set(task.y))})"
    if options.job in ("fit", "predict"):
        size += f", C {C:g}"
    # The reference first: the others are measured against it.
    reference_name = next((name for name in REFERENCES if name in options.systems), None)
    systems = sorted(options.systems, key=lambda system: system != reference_name)
    runs, rows = [], []
    for system in systems:
        runs.append(run_system(options.job, name, system, options.repeat, options.quick, C))
        run, reference = runs[-1], runs[0]
        compared = reference.system == reference_name
        row = {
            "job": options.job,
            "data": size,
            "system": system,
            "wall s": run.wall,
            "CPU s": run.cpu,
            "ratio": reference.cpu / run.cpu if compared else float("nan"),
            "agreement": run.note or (agreement(task, reference, run) if compared else ""),
        }
        print(line(row), flush=True)
        rows.append(row)
    return rows


def line(row: dict[str, Any]) -> str:
    """One row of the table; dashes where nothing was measured."""
    cells = []
    for column, width in COLUMNS.items():
        if column in NUMBERS:
            value = row[column]
            text = "-" if value != value else f"{value:.1f}x" if column == "ratio" else f"{value:.3f}"
            cells.append(f"{text:>{width}}")
        else:
            cells.append(f"{row[column]:<{width}}")
    return " ".join(cells).rstrip()


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    print(" ".join(f"{c:>{w}}" if c in NUMBERS else f"{c:<{w}}" for c, w in COLUMNS.items()))
    Cs = options.C if options.job in ("fit", "predict") else [1.0]
    names = options.data or DATA[options.job]
    rows = json.loads(options.json.read_text()) if options.resume and options.json.exists() else []
    done = {(row["job"], row["data"].split()[0], row["C"]) for row in rows}
    for name in names:
        for C in Cs:
            if (options.job, name, C) not in done:
                rows += [plain(row) | {"C": C} for row in rows_of(options, name, C)]
        if options.json:  # after each set: an interruption loses only that one
            options.json.write_text(json.dumps(rows, indent=1))
    for mean in means(rows):
        print(mean)


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {key: None if value != value else value for key, value in row.items()}


def means(rows: list[dict[str, Any]]) -> list[str]:
    """One line for each system with at least two ratios: their geometric mean."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        if row["ratio"] is not None and row["system"] not in REFERENCES:
            ratios.setdefault(row["system"], []).append(row["ratio"])
    return [
        f"{system}: {geometric_mean(values):.1f}x in the geometric mean of {len(values)} rows"
        for system, values in ratios.items()
        if len(values) > 1
    ]


if __name__ == "__main__":
    main()
