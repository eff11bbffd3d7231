"""Score, baseline and warnings of the default on many sets: ``python -m benchmarks.trust --help``.

The last line counts models that answer one class only, and those of them without a warning. With ``--noise``
labels have nothing to do with the features, and the line counts the models that are said to be no better than
guessing.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from benchmarks.nested import SETS, samples
from kernelwise import TunedSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import catalogue

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


def of_noise(n_fits: int, n_rows: int = 60, n_features: int = 10) -> str:
    """Scores of the default on random labels, two classes of equal size, and how many fits are warned of."""
    found = []
    for seed in range(n_fits):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(n_rows) % 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelwiseWarning)
            model = TunedSVC().fit(rng.normal(size=(n_rows, n_features)), y)
        result, names = model.result_, [finding.name for finding in model.diagnostics_]
        is_near = result.score - result.baseline.score <= result.standard_error
        found.append((result.score, result.corrected_score, catalogue.NO_BETTER.name in names, is_near))
    score, corrected, said, near = np.mean(found, axis=0)
    return (
        f"noise, {n_rows} x {n_features}, {n_fits} fits: mean score {score:.3f}, corrected {corrected:.3f}; "
        f"{said:.0%} said to be no better than guessing, {near:.0%} within one error without the correction"
    )


def main() -> None:
    """Print one line for each set, twice: as it is, and with one class made rare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400, help="of each set, at most")
    parser.add_argument("--only", default="", help="sets whose name has this word")
    parser.add_argument("--noise", type=int, default=0, help="fits of random labels, and no sets")
    given = parser.parse_args()
    if given.noise:
        print(of_noise(given.noise))
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
