"""When not to trust a one-class model: no structure, copies, one feature, few rows, ends of ranges."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.search.families.one_class.validator import OUTLIER, SCORINGS, OneClassValidator, Rows, Scored

#: Rows whose distances are looked at.
MAX_ROWS = 500
#: A feature with more than this share of all distances dominates, if there are as many columns as this.
DOMINANT, FEW_COLUMNS = 0.5, 3
#: Standard errors by which an area must be above one half to count.
ERRORS = 2.0
#: Rows that a threshold needs below it.
FEW_BELOW = 3.0
#: The share of rows that are copies from which they are worth a word.
MANY_COPIES = 0.5


def doubts(
    validator: OneClassValidator, taken: Scored, rows: Rows, share: float, names: list[str]
) -> list[Finding]:
    """Findings about the rows that were trained on, ``rows``, and about the choice."""
    found = [
        _no_structure(validator, taken),
        _useless_labels(validator, taken),
        _few_rows(rows, share),
        _copies(rows),
        _dominant(rows, names),
        _edge(validator, taken),
    ]
    return [finding for finding in found if finding is not None]


def area_error(n: float, m: float) -> float:
    """Standard error of the area for two samples of n and m rows that are alike."""
    return float(np.sqrt((n + m + 1.0) / (12.0 * n * m)))


def _no_structure(validator: OneClassValidator, taken: Scored) -> Finding | None:
    if "inside" not in taken.areas:
        return None
    n = float((validator.fold >= 0).sum())
    limit = 0.5 + ERRORS * area_error(n, n)
    if taken.areas["inside"] > limit or taken.areas["mixed"] > limit:
        return None
    message = (
        "The model cannot tell rows of this data from random values: a held-out row scores higher than a row "
        "of random values between the smallest and the largest in only "
        f"{100 * taken.areas['inside']:.0f} % of the pairs."
    )
    advice = (
        "Add columns that distinguish normal rows. The model will find only rows outside the ranges of all."
    )
    return Finding("no structure", "warning", message, advice)


def _useless_labels(validator: OneClassValidator, taken: Scored) -> Finding | None:
    if validator.scoring not in SCORINGS:
        return None
    n_known = float((validator.rows.label == OUTLIER).sum())
    area = taken.score if validator.scoring == "roc_auc" else None
    if area is None or area > 0.5 + area_error(float((validator.fold >= 0).sum()), n_known):
        return None
    message = (
        f"The best kernel ranks the labelled outliers no better than chance (held-out ROC AUC {area:.3f})."
    )
    advice = "Check the labels. If they are right, these outliers look like normal rows."
    return Finding("labels not found", "warning", message, advice)


def _few_rows(rows: Rows, share: float) -> Finding | None:
    n = float(rows.trained.sum())
    if n * share >= FEW_BELOW:
        return None
    message = (
        f"The threshold depends on fewer than {FEW_BELOW:g} rows: a share of {share:g} of "
        f"{count(n, 'row')} is {n * share:.2g}."
    )
    advice = "Use the order of the scores instead, or train on more rows."
    return Finding("few rows", "warning" if n * share < 1.0 else "info", message, advice)


def _copies(rows: Rows) -> Finding | None:
    repeated = float(rows.weight[rows.weight > 1.0].sum() - (rows.weight > 1.0).sum())
    n = float(rows.weight.sum())
    if repeated <= MANY_COPIES * n:
        return None
    message = (
        f"{repeated:.0f} of {count(n, 'row')} are copies of others; {count(len(rows), 'row')} are different."
    )
    advice = "A row with many copies counts as normal. Remove copies that are errors."
    return Finding("copies", "info", message, advice)


def _dominant(rows: Rows, names: list[str]) -> Finding | None:
    if sparse.issparse(rows.Z) or len(names) < FEW_COLUMNS:
        return None
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MAX_ROWS)).astype(int))
    Z, n = np.sort(rows.Z[chosen], axis=0), len(chosen)
    # Σ|x_i − x_j| of sorted values.
    spread = (2.0 * np.arange(n) - n + 1.0) @ Z
    column = np.arange(Z.shape[1]) if rows.columns is None else rows.columns
    sums = np.bincount(column, weights=spread, minlength=len(names))
    if (sums > 0.0).sum() < FEW_COLUMNS:  # a constant column makes no distances
        return None
    largest = int(np.argmax(sums))
    part = float(sums[largest] / sums.sum())
    if part <= DOMINANT:
        return None
    message = (
        f"{names[largest]} makes up {100 * part:.0f} % of the distances between rows, so it decides "
        "almost alone."
    )
    message = message[0].upper() + message[1:]
    advice = "Use its logarithm if it has a long tail, leave it out, or use scale='standard'."
    option = "Use its logarithm if it has a long tail, or leave the column out."
    return Finding("one feature dominates", "warning", message, advice, option)


def _edge(validator: OneClassValidator, taken: Scored) -> Finding | None:
    """With labels, or a form by name: the width is at an end of what was tried, and better than the next."""
    form, factor = taken.candidate.form, taken.candidate.factor
    tried = sorted({one.candidate.factor for one in validator.scored if one.candidate.form == form})
    if validator.scoring not in SCORINGS or len(tried) < 3 or factor not in (tried[0], tried[-1]):
        return None
    end = "widest" if factor == tried[0] else "narrowest"
    message = f"The chosen kernel width is the {end} that the search tried ({taken.candidate.reason})."
    advice = "To try other widths, pass a kernel object such as kernel=Laplacian(gamma)."
    return Finding("width at the end of its range", "info", message, advice)
