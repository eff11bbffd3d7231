"""Whether text helps: its features are judged on folds before the search, and left out if they do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise.findings import catalogue
from kernelwise.tables.cells import enumerated
from kernelwise.tables.encoder import learn_encoder
from kernelwise.tables.settle import WORDS, left_out_findings
from kernelwise.tables.table import Table
from kernelwise.tables.text import has_many_kinds, is_text

#: Rows that are looked at, at most, and folds.
MOST_ROWS, N_FOLDS, N_REPEATS = 2000, 5, 2
PENALTIES = np.logspace(-1.0, 4.0, 6)
#: Standard errors by which text must be better.
CLEARLY = 2.0


def judge_texts(table: Table, target: np.ndarray, is_classes: bool) -> Table:
    """The table with those columns of text, or of words of many kinds, coded by letters that this helps.

    A linear model is scored on folds with and without the letters of each column. ``target`` has labels or
    numbers, of shape (n_rows,).
    """
    texts = [k for k, why in table.left_out.items() if why == WORDS and is_text(table.columns[k])]
    used = [
        k for k in range(len(table.names)) if k not in table.left_out | dict.fromkeys(table.codes_as_words)
    ]
    candidates = [*texts, *(k for k in used if has_many_kinds(table.columns[k]))]
    if not candidates:
        return table
    rows = np.random.default_rng(0).permutation(_distinct(table, target))[:MOST_ROWS]
    part, chosen = table[rows], target[rows]
    smallest = np.unique(chosen, return_counts=True)[1].min() if is_classes else len(chosen)
    if smallest < N_FOLDS:
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


def _distinct(table: Table, target: np.ndarray) -> np.ndarray:
    """One of each of the rows that are equal, in an order of what they hold, whatever their order is."""
    order = sorted(range(len(table.names)), key=lambda k: str(table.names[k]))
    cells = [map(str, table.columns[k].tolist()) for k in order]
    rows = {row: k for k, row in enumerate(zip(*cells, map(str, target.tolist()), strict=True))}
    return np.array([rows[row] for row in sorted(rows)])


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
