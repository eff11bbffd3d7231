"""Score, baseline and warnings of the default on many sets: ``python -m benchmarks.trust --help``.

The last line counts models that answer one class only, and those of them without a warning. With
``--near-copies`` each of 50 random rows with a random label is there three times, with noise:
what is claimed and what is true, with folds that part copies and with our own. ``--tables FOLDER`` lists the
sets, and the tables of a folder, in which near copies are found.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.nested import SETS, samples
from kernelwise import TunedSVC
from kernelwise._core.equal_points import row_hashes
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import catalogue
from kernelwise.search.data.together import near_copies, near_copies_finding
from kernelwise.tables import learn_encoding, read_table

#: Sets with larger files, of which a part is enough here.
MORE = ["banana", "twonorm", "ringnorm", "waveform_ida"]
#: The shares of these classes make them hard: the model may answer one class only.
RARE = 0.03


def part_of(name: str, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """At most so many rows of a set, drawn at random."""
    X, y = samples(name)
    rows = np.random.default_rng(0).permutation(len(y))[:n_rows]
    return X[rows], y[rows]


def made_rare(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest class, and of the smallest so many rows that they are a share of `RARE` of it."""
    classes, counts = np.unique(y, return_counts=True)
    least, *_, most = classes[np.argsort(counts, kind="stable")]
    rare = np.flatnonzero(y == least)[: max(5, int(RARE * counts.max()))]
    rows = np.concatenate([np.flatnonzero(y == most), rare])
    return X[rows], y[rows]


def of_near_copies(n_draws: int) -> None:
    """Print claim and truth, which is ½, where rows are near copies of each other; means over draws."""
    heads = (
        "noise | columns | claimed if folds part copies | claimed | corrected for the choice | true | told"
    )
    print(f"| {heads} |\n|---|---|---|---|---|---|---|")
    for n_columns in (5, 20):
        for noise in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1):
            found = []
            for seed in range(n_draws):
                rng = np.random.default_rng(seed)
                y, new = np.repeat(rng.integers(0, 2, 50), 3), rng.normal(size=(2000, n_columns))
                X = np.repeat(rng.normal(size=(50, n_columns)), 3, axis=0)
                X += noise * rng.normal(size=X.shape)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", KernelwiseWarning)
                    apart = TunedSVC(cv=StratifiedKFold(5, shuffle=True, random_state=seed)).fit(X, y)
                    model = TunedSVC().fit(X, y)
                is_told = catalogue.NEAR_COPIES.name in [one.name for one in model.diagnostics_]
                truth = model.score(new, rng.integers(0, 2, len(new)))
                scores = apart.result_.score, model.result_.score, model.result_.corrected_score
                found.append((*scores, truth, is_told))
            *shares, told = 100.0 * np.mean(found, axis=0)
            cells = " | ".join(f"{share:.1f} %" for share in shares)
            print(f"| {noise:g} | {n_columns} | {cells} | {told:.0f} % |", flush=True)


def with_near_copies(folder: Path) -> None:
    """Print the sets, and the tables of a folder, that have near copies among 5000 and among 800 rows."""
    tables = {name: partial(samples, name) for name in dict.fromkeys([*SETS, *MORE])}
    tables |= {path.name: partial(coded, path) for path in sorted(folder.glob("*.csv*"))}
    for name, read in tables.items():
        X = read()[0]
        rows = np.random.default_rng(0).permutation(X.shape[0])
        for n_rows in (5000, 800):
            part = np.asarray(X[rows[:n_rows]], dtype=float)
            group = near_copies(StandardScaler().fit_transform(part), row_hashes(part)[0])
            if group is not None:
                print(f"{name}, {len(part)} rows: {near_copies_finding(group).message}", flush=True)
    print(f"{len(tables)} tables were looked at")


def coded(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """X and y of a file, as `kernelwise tune` codes them."""
    learned = learn_encoding(read_table(path), task=None)
    return np.asarray(learned.encoding.samples(learned.table)), learned.encoding.labels(learned.table)


def main() -> None:
    """Print one line for each set, twice: as it is, and with one class made rare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400, help="of each set, at most")
    parser.add_argument("--only", default="", help="sets whose name has this word")
    parser.add_argument("--near-copies", type=int, default=0, help="draws of near copies, and no sets")
    parser.add_argument("--tables", type=Path, help="folder whose tables are looked at for near copies only")
    given = parser.parse_args()
    if given.near_copies:
        of_near_copies(given.near_copies)
    if given.tables:
        with_near_copies(given.tables)
    if given.near_copies or given.tables:
        return
    n_constant = n_silent = 0
    for name in [one for one in dict.fromkeys([*SETS, *MORE]) if given.only in one]:
        X, y = part_of(name, given.rows)
        for what, (X_used, y_used) in {name: (X, y), f"{name}, rare class": made_rare(X, y)}.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KernelwiseWarning)
                model = TunedSVC().fit(X_used, y_used)
            result = model.result_
            found = [finding.name for finding in model.diagnostics_ if finding.severity == "warning"]
            is_constant = len(np.unique(model.fit_record_.predicted)) == 1
            n_constant += is_constant
            n_silent += is_constant and not found
            print(
                f"{what:<36} {result.score:.4f} ± {result.standard_error:.4f}  "
                f"corrected {result.corrected_score:.4f}  baseline {result.baseline.score:.4f}  "
                f"{'CONSTANT ' * is_constant}{'; '.join(found)}"
            )
            sys.stdout.flush()
    print(f"{n_constant} models answer one class only, {n_silent} of them without a warning")


if __name__ == "__main__":
    main()
