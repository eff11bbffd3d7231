"""Whether dates and text help: they are judged on held-out rows before the search, and else left out.

Text comes in if a linear model is clearly better with it. A column of dates, or of words of many kinds, goes
out if a kernel machine is better without it: the more columns say nothing, the less do distances of rows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise._core.text import in_shell
from kernelwise._core.threads import one_blas_thread
from kernelwise.findings import catalogue
from kernelwise.tables.cells import enumerated
from kernelwise.tables.codes import with_codes
from kernelwise.tables.dates import Dates
from kernelwise.tables.draw import N_FOLDS, drawn, truth_of
from kernelwise.tables.encoder import learn_encoder
from kernelwise.tables.problems import FileColumn
from kernelwise.tables.read.frames import plain_table
from kernelwise.tables.settle import WORDS, left_out_findings
from kernelwise.tables.table import Table
from kernelwise.tables.text import has_many_kinds, is_text

#: Rows that are looked at, at most, and how often folds are drawn.
MOST_ROWS, N_REPEATS = 2000, 2
PENALTIES = np.logspace(-1.0, 4.0, 6)
#: Standard errors by which text must be better.
CLEARLY = 2.0
#: Rows that columns are left out by: not fewer, and not more.
FEW_ROWS, ENOUGH_ROWS = 100, 600
#: Widths of the kernel, as shares of the median squared distance, and what is added to its eigenvalues.
WIDTHS, SHRINKAGES = (0.25, 1.0, 4.0), np.logspace(-3.0, 2.0, 8)
#: Why a column is left out.
UNHELPFUL = "does not help on held-out rows"


def judge_columns(
    table: Table,
    target: np.ndarray,
    is_classes: bool,
    kept: Collection[int] = (),
    may_be_coded: bool = True,
) -> Table:
    """The table with its text coded by letters where this helps, and without dates and words that do not.

    Before that, whole numbers become words where they are codes, if they may (`kernelwise.tables.codes`).
    ``target`` has labels or numbers, of shape (n_rows,); columns of ``kept`` stay, and numbers of them, too.
    """
    with one_blas_thread():  # matrices are small
        if may_be_coded:
            table = with_codes(table, target, is_classes, kept)
        table = _with_letters(table, target, is_classes)
        return _without_unhelpful(table, target, is_classes, kept)


def coded_table(X: Any, target: np.ndarray, is_classes: bool) -> Table | None:
    """A data frame of complete numbers as a table, if some of them are codes, which count as words."""
    table = plain_table(X)
    if table is None:
        return None
    with one_blas_thread():
        table = with_codes(table, target, is_classes)
    return table if table.codes_as_words else None


def _with_letters(table: Table, target: np.ndarray, is_classes: bool) -> Table:
    """The table with those columns of text, or of words of many kinds, coded by letters that this helps.

    A linear model is scored on folds with and without the letters of each column.
    """
    texts = [k for k, why in table.left_out.items() if why == WORDS and is_text(table.columns[k])]
    used = [
        k for k in range(len(table.names)) if k not in table.left_out | dict.fromkeys(table.codes_as_words)
    ]
    candidates = [*texts, *(k for k in used if has_many_kinds(table.columns[k]))]
    if not candidates:
        return table
    rows = drawn(table, target, is_classes, MOST_ROWS)
    part, chosen = table[rows], target[rows]
    if len(rows) < N_FOLDS:
        return table
    before = _scores(part, chosen, is_classes)
    helped: dict[int, float] = {}
    for k in candidates:
        gain = _scores(_with_text(part, k), chosen, is_classes) - before
        if gain.mean() > CLEARLY * gain.std(ddof=1) / np.sqrt(N_FOLDS):
            helped[k] = float(gain.mean())
    if not helped:
        return table
    for k in helped:
        table = _with_text(table, k)
    others = [one for one in table.done if one.name != catalogue.COLUMNS_LEFT_OUT.name]
    named = enumerated([repr(table.names[k]) for k in helped], 8)
    left_out = {k: why for k, why in table.left_out.items() if why}
    done = (*left_out_findings(table, left_out), *others, catalogue.TEXT_BY_LETTERS(columns=named))
    return replace(table, done=done)


def _without_unhelpful(table: Table, target: np.ndarray, is_classes: bool, kept: Collection[int]) -> Table:
    """The table without those dates and words of many kinds that held-out rows are predicted better without.

    Columns are asked in turn: of two that say the same, one stays.
    """
    candidates = [
        k
        for k, values in enumerate(table.columns)
        if k not in kept and k not in table.left_out and k not in table.as_text | table.codes_as_words
        if values.dtype.kind == Dates.dtype or has_many_kinds(values)
    ]
    rows = drawn(table, target, is_classes, ENOUGH_ROWS) if candidates else np.empty(0, dtype=int)
    if len(rows) < FEW_ROWS:
        return table
    part, chosen = table[rows], target[rows]
    width = min(WIDTHS, key=lambda width: float(_losses(part, chosen, is_classes, width).mean()))
    losses = _losses(part, chosen, is_classes, width)
    gone = {}
    for k in candidates:
        if len(part.left_out) == len(part.names) - 1:
            break  # nothing would be left to learn from
        without = replace(part, left_out={**part.left_out, k: UNHELPFUL})
        others = _losses(without, chosen, is_classes, width)
        gain = losses - others
        if gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)):
            part, losses, gone[k] = without, others, UNHELPFUL
    if not gone:
        return table
    named = enumerated([repr(table.names[k]) for k in gone], 8)
    typed = in_shell(FileColumn(table, min(gone)).option)
    finding = catalogue.UNHELPFUL_LEFT_OUT(n=len(gone), columns=named, typed=typed)
    return replace(table, left_out={**table.left_out, **gone}, done=(*table.done, finding))


def _losses(table: Table, target: np.ndarray, is_classes: bool, width: float) -> np.ndarray:
    """Squared errors of kernel ridge regression on each row if it is left out, shape (n_rows,).

    Columns weigh as in the search: one of words, with all its features, as much as one of numbers. The row
    that is left out is predicted in closed form, by the residual over one minus the leverage.
    """
    encoder = learn_encoder(table)
    X, layout = encoder.transform(table), encoder.layout
    variance, is_word = X.var(axis=0), layout.kind == "word"
    of_column = np.bincount(layout.column, variance * is_word, minlength=layout.n_columns)[layout.column]
    scale = np.sqrt(np.select([layout.kind == "gap", is_word], [1.0, of_column], variance))
    Z = (X - X.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)
    squared = euclidean_distances(Z, squared=True)
    usual = np.median(squared) or 1.0
    truth = truth_of(target, is_classes)
    values, vectors = np.linalg.eigh(np.exp(-width / usual * squared) + 1.0)  # 1 is for an offset
    turned, found = vectors.T @ truth, []
    for shrinkage in SHRINKAGES:
        kept = np.maximum(values, 0.0) / (np.maximum(values, 0.0) + shrinkage)
        residuals = (truth - vectors @ (kept[:, None] * turned)) / (1.0 - vectors**2 @ kept)[:, None]
        found.append((residuals**2).mean(axis=1))
    return min(found, key=lambda losses: float(losses.mean()))


def _with_text(table: Table, k: int) -> Table:
    left_out = {place: why for place, why in table.left_out.items() if place != k}
    return replace(table, left_out=left_out, as_text=table.as_text | {k})


def _scores(table: Table, target: np.ndarray, is_classes: bool) -> np.ndarray:
    """Scores of a linear model on the folds, (n_folds × n_repeats,): shares of right answers, or R²."""
    X = learn_encoder(table).transform(table)
    model: Any = RidgeClassifierCV(PENALTIES) if is_classes else RidgeCV(PENALTIES)
    kind = StratifiedKFold if is_classes else KFold
    found = [
        cross_val_score(
            make_pipeline(StandardScaler(), model),
            X,
            target,
            cv=kind(N_FOLDS, shuffle=True, random_state=seed),
        )
        for seed in range(N_REPEATS)
    ]
    return np.concatenate(found)
