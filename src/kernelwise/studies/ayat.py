"""Paper 001 (Ayat and others 2002): figures 1 to 6 and tables 1 to 3.

"kernels" is figure 1 with the kernels of table 1, "posterior" figure 2, "synthetic" the task of figures 3 to
6, medians over 20 draws, and "conditioning" has searches from badly conditioned starts. "digits" is table 3
on public sets in place of NIST's, "cancer" table 2 on the paper's set, with a coding of our own and random
splits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.studies import (
    _ayat_claims,
    _ayat_conditioning,
    _ayat_figures,
    _ayat_real,
    _ayat_synthetic,
)
from kernelwise.studies._ayat_real import CANCER, CANCER_SET, DIGIT_SETS, Samples
from kernelwise.studies._ayat_rivals import rival_rows
from kernelwise.studies._ayat_synthetic import PAPER_STD, methods
from kernelwise.studies._claims import add_claims
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row, load_or_say

TITLE = "Paper 001 (Ayat, Cheriet, Suen 2002): kernels by the empirical error"
#: Of the quick digits: these classes, and every fourth row.
QUICK_DIGITS, QUICK_STEP = (3, 5, 8, 9), 4
N_FIGURE_DRAWS = 3  # curves of more draws hide one another


def quietly(compute: Callable[..., Any], *args: Any) -> Any:
    """What ``compute`` returns; early stops and edges of ranges are in the columns and the curves."""
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, KernelwiseWarning):
            warnings.simplefilter("ignore", category)
        return compute(*args)


def kernels(study: Study) -> None:
    """Figure 1."""
    rows = _ayat_figures.decay_rows(np.linspace(0.0, 8.0, 161))
    study.table("figure1", "Figure 1: kernels of table 1 over the distance", rows, is_shown=False)
    study.figure("figure1", _ayat_figures.decay(rows))


def posterior(study: Study) -> None:
    """Figure 2."""
    dataset = load_or_say("iris")
    if dataset is not None:
        study.figure("figure2", _ayat_figures.posterior(dataset.X, dataset.y))


def synthetic(study: Study) -> None:
    """Figures 3 to 6, and what the searches end with."""
    chosen = study.choose(methods(), methods(10, 5))
    draws = range(study.choose(20, 2))
    rows: list[Row] = []
    curves: list[Row] = []
    for std, tried in study.choose([(PAPER_STD, chosen), (1.0, chosen[:2])], [(PAPER_STD, chosen)]):
        targets: list[float] = []
        for method in tried:
            cells = [
                study.cell(
                    f"synthetic/{std}/{method.name}/{draw}", quietly, _ayat_synthetic.cell, method, std, draw
                )
                for draw in draws
            ]
            # The first method sets the targets that others have to reach.
            targets = targets or [_ayat_synthetic.lowest(found) for found in cells]
            rows.append(_ayat_synthetic.end_row(std, method, cells, targets))
            for draw, found in enumerate(cells):
                curves += [{"std": std, "method": method.name, "draw": draw, **row} for row in found["curve"]]
    study.table("synthetic", "Figures 3 to 6: two Gaussians, start and end, medians over the draws", rows)
    study.table("curves", "Figures 3 to 6, an iteration a row", curves, is_shown=False)
    few = [row for row in curves if row["draw"] < N_FIGURE_DRAWS]
    for name in _ayat_figures.FIGURES:
        picture = _ayat_figures.history(name, chosen, few, PAPER_STD)
        if picture is not None:
            study.figure(name, picture)
    for row in rows:
        study.note(_end_sentence(row))


def _end_sentence(row: Row) -> str:
    chosen = row["test error chosen"]
    last = (
        ""
        if chosen is None
        else f", and it is {chosen:.3f} at the lowest E of a model that is no worse than guessing"
    )
    return (
        f"{row['method']} (standard deviation {row['std']:g}): {100 * row['few']:.0f} % of {row['draws']} "
        f"draws end with fewer than {_ayat_synthetic.FEW} support vectors. Their median is "
        f"{row['support to']:.0f} ({row['support']:.0f} at the start), their range {row['fewest']:.0f} to "
        f"{row['most']:.0f}. The median test error changes from {row['test error']:.3f} to "
        f"{row['test error to']:.3f} at the last iteration{last}."
    )


def conditioning(study: Study) -> None:
    """Where the paper's H is singular, and which searches diverge from there."""
    caption = "Condition of H at the start of a search, and searches that diverge from there"
    study.table("conditioning", caption, _ayat_conditioning.rows(study, quietly))


def digits(study: Study) -> None:
    """Table 3."""
    rows: list[Row] = []
    for name, plan in DIGIT_SETS.items():
        parts = [load_or_say(name, part) for part in ("train", "test")]
        samples = [(dataset.X, dataset.y) for dataset in parts if dataset is not None]
        if len(samples) < 2 or (study.is_quick and name != next(iter(DIGIT_SETS))):
            continue
        samples[0] = samples[0][0][:: plan.step], samples[0][1][:: plan.step]
        if study.is_quick:
            samples = [_few(*part) for part in samples]
        highest = np.abs(samples[0][0]).max()
        train, test = ((X / highest, y) for X, y in samples)
        found = {
            (kernel, rule): study.cell(
                f"digits/{name}/{kernel}/{rule}", quietly, _ayat_real.digit_cell, kernel, rule, train, test
            )
            for kernel, rules in study.choose(plan.rules, plan.quick).items()
            for rule in rules
        }
        rows += _ayat_real.digit_rows(name, found)
    caption = "Table 3: pairwise machines on optdigits, and on a sixth of the training rows of usps"
    study.table("digits", caption, rows)
    for sentence in _ayat_real.digit_sentences(rows):
        study.note(sentence)


def _few(X: np.ndarray, y: np.ndarray) -> Samples:
    rows = np.flatnonzero(np.isin(y, QUICK_DIGITS))[::QUICK_STEP]
    return X[rows], y[rows]


def cancer(study: Study) -> None:
    """Table 2."""
    dataset = load_or_say(CANCER_SET)
    if dataset is None:
        return
    X, y = dataset
    n_splits = study.choose(20, 2)
    rows: list[Row] = []
    kmod: list[float] = []
    for kernel, rule in CANCER:
        found = [
            study.cell(
                f"cancer/{kernel}/{rule}/{split}", quietly, _ayat_real.cancer_cell, kernel, rule, X, y, split
            )
            for split in range(n_splits)
        ]
        kmod = kmod or [error for *_, error, _ in found]
        rows.append(_ayat_real.cancer_row(kernel, rule, found, y))
    study.table("cancer", "Table 2: error in per cent on the Ljubljana breast cancer set", rows)
    errors = {
        name: [
            study.cell(f"rivals/{name}/{split}", _ayat_real.rival_cell, name, X, y, split)
            for split in range(n_splits)
        ]
        for name in ("RBF network", "AdaBoost")
    }
    n_test = _ayat_real.N_TEST
    caption = f"Table 2: the other classifiers, less KMOD by the rule {CANCER[0][1]!r}"
    study.table("rivals", caption, rival_rows(errors, kmod, len(y) - n_test, n_test))


def claims(study: Study) -> None:
    """What the paper claims, judged by the tables of the other parts."""
    add_claims(study, _ayat_claims.claims)


PARTS = {
    "kernels": kernels,
    "posterior": posterior,
    "synthetic": synthetic,
    "conditioning": conditioning,
    "digits": digits,
    "cancer": cancer,
    "claims": claims,
}
