"""Paper 001: ``python -m kernelwise.studies.ayat [--quick] [--csv FILE] [--only PART …]``.

"synthetic" is the task of figures 3 to 6, means over 20 draws; the CSV file has its curves, a row an
iteration. "digits" is table 3 on a public set in place of NIST's. "cancer" is table 2 on another breast
cancer set than the paper's, Ljubljana's.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.studies._ayat_real import cancer_rows, digit_rows
from kernelwise.studies._ayat_synthetic import PAPER_STD, methods, synthetic_rows
from kernelwise.studies._table import Row, format_rows, load_or_say, write_csv

PARTS = ("synthetic", "digits", "cancer")
#: Of the quick digits: these classes, and every fourth row.
QUICK_DIGITS, QUICK_STEP = (3, 5, 8, 9), 4

Say = Callable[[str], None]


def synthetic(is_quick: bool, say: Say) -> list[Row]:
    """Print the table; return the curves."""
    curves: list[Row] = []
    draws = range(2 if is_quick else 20)
    chosen = methods(10, 5) if is_quick else methods()
    say(format_rows(list(synthetic_rows(PAPER_STD, draws, chosen, curves))) + "\n")
    if not is_quick:
        say(format_rows(list(synthetic_rows(1.0, draws, chosen[:2], curves))) + "\n")
    return curves


def digits(name: str, is_quick: bool, say: Say) -> None:
    """Print table 3."""
    parts = [load_or_say(name, part) for part in ("train", "test")]
    samples = [(dataset.X, dataset.y) for dataset in parts if dataset is not None]
    if len(samples) < 2:
        return
    if is_quick:
        samples = [_few(*part) for part in samples]
    highest = samples[0][0].max()
    train, test = ((X / highest, y) for X, y in samples)
    say(format_rows(list(digit_rows(name, train, test))) + "\n")


def _few(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(np.isin(y, QUICK_DIGITS))[::QUICK_STEP]
    return X[rows], y[rows]


def cancer(is_quick: bool, say: Say) -> None:
    """Print table 2."""
    dataset = load_or_say("breast_cancer_wisconsin")
    if dataset is not None:
        say(format_rows(list(cancer_rows(dataset.X, dataset.y, 3 if is_quick else 20))) + "\n")


def main(argv: Sequence[str] | None = None, say: Say = print) -> None:
    """Print the tables, a part at a time."""
    parser = argparse.ArgumentParser(prog="python -m kernelwise.studies.ayat", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 draws, four digits, 3 splits")
    parser.add_argument("--csv", metavar="FILE", help="write the curves of the synthetic task to a CSV file")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="only these parts")
    parser.add_argument(
        "--digits", choices=("optdigits", "usps"), default="optdigits", help="the set of digits"
    )
    options = parser.parse_args(argv)
    with warnings.catch_warnings():
        # Early stops and edges of ranges are in the columns and the curves.
        for category in (ConvergenceWarning, KernelwiseWarning):
            warnings.simplefilter("ignore", category)
        if "synthetic" in options.only:
            curves = synthetic(options.quick, say)
            if options.csv:
                write_csv(options.csv, curves)
        if "digits" in options.only:
            digits(options.digits, options.quick, say)
        if "cancer" in options.only:
            cancer(options.quick, say)


if __name__ == "__main__":
    main()
