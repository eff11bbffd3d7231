"""What a change did to quality and time: ``python -m benchmarks.before_after BEFORE AFTER``

Both are folders of journals that `benchmarks.nested` or `benchmarks.forests` wrote in two checkouts, of the
same sets and outer folds. A row for each set that both have, with the difference and its standard error over
the folds, then the means over the sets with classes and over those with numbers.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

#: Columns of a cell of classes and of numbers (`kernelwise.comparison`): score, seconds, CPU seconds, …
SCORE, CPU, LOG_LOSS, N_OF_CLASSES = 0, 2, 4, 5


def read_cells(path: Path) -> dict[str, list[float]]:
    """The finished cells of a journal, which other options than these may have begun."""
    with closing(sqlite3.connect(path)) as journal:
        return {name: json.loads(text) for name, text, *_ in journal.execute("select * from cells")}


def cells(before: Path, after: Path, method: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The name of each set, and its cells before and after, of shape (n_folds, n_columns)."""
    for path in sorted(after.glob("*.journal")):
        other = before / path.name
        if not other.exists():
            continue
        old, new = read_cells(other), read_cells(path)
        names = [name for name in new if name in old and name.startswith(f"{method}/")]
        if names:
            yield path.stem, np.array([old[name] for name in names]), np.array([new[name] for name in names])


def compare(before: Path, after: Path, method: str = "kernelwise") -> None:
    """Print the table and the means."""
    print("| set | folds | before | after | difference | log-loss before | after | CPU s before | after |")
    print("|---|---|---|---|---|---|---|---|---|")
    found: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for name, old, new in cells(before, after, method):
        are_classes = old.shape[1] == N_OF_CLASSES
        factor, digits = (100.0, 2) if are_classes else (1.0, 4)
        change = factor * (new[:, SCORE] - old[:, SCORE])
        error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.nan
        scores = [f"{factor * one[:, SCORE].mean():.{digits}f}" for one in (old, new)]
        losses = [f"{one[:, LOG_LOSS].mean():.4f}" if are_classes else "" for one in (old, new)]
        seconds = [one[:, CPU].mean() for one in (old, new)]
        difference = f"{change.mean():+.{digits}f} ± {error:.{digits}f}"
        row = [name, str(len(old)), *scores, difference, *losses, *(f"{one:.2f}" for one in seconds)]
        print("| " + " | ".join(row) + " |")
        loss = float(new[:, LOG_LOSS].mean() - old[:, LOG_LOSS].mean())
        found[are_classes].append((float(change.mean()), loss, float(np.log(seconds[1] / seconds[0]))))
    for are_classes, rows in found.items():
        if rows:
            change, loss, time = np.mean(rows, axis=0)
            told = f"{change:+.2f} points, log-loss {loss:+.4f}" if are_classes else f"R² {change:+.4f}"
            print(f"\nMean of {len(rows)} sets: {told}, {np.exp(time):.2f} times the CPU time.")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--method", default="kernelwise")
    compare(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
