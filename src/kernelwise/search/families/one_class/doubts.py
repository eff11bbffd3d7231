"""When not to trust a one-class model: no structure, copies, one feature, few rows, ends of ranges."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from kernelwise.findings import Finding, catalogue
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
    return catalogue.NO_STRUCTURE(percent=100 * taken.areas["inside"])


def _useless_labels(validator: OneClassValidator, taken: Scored) -> Finding | None:
    if validator.scoring not in SCORINGS:
        return None
    n_known = float((validator.rows.label == OUTLIER).sum())
    area = taken.score if validator.scoring == "roc_auc" else None
    if area is None or area > 0.5 + area_error(float((validator.fold >= 0).sum()), n_known):
        return None
    return catalogue.LABELS_NOT_FOUND(area=area)


def _few_rows(rows: Rows, share: float) -> Finding | None:
    n = float(rows.trained.sum())
    if n * share >= FEW_BELOW:
        return None
    severity = "warning" if n * share < 1.0 else "info"
    return catalogue.FEW_ROWS(least=FEW_BELOW, share=share, n=n, n_below=n * share, severity=severity)


def _copies(rows: Rows) -> Finding | None:
    repeated = float(rows.weight[rows.weight > 1.0].sum() - (rows.weight > 1.0).sum())
    n = float(rows.weight.sum())
    if repeated <= MANY_COPIES * n:
        return None
    return catalogue.COPIES(n_copies=repeated, n=n, n_different=len(rows))


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
    name = f"{names[largest][:1].upper()}{names[largest][1:]}"
    return catalogue.ONE_FEATURE_DOMINATES(feature=name, percent=100 * part)


def _edge(validator: OneClassValidator, taken: Scored) -> Finding | None:
    """With labels, or a form by name: the width is at an end of what was tried, and better than the next."""
    form, factor = taken.candidate.form, taken.candidate.factor
    tried = sorted({one.candidate.factor for one in validator.scored if one.candidate.form == form})
    if validator.scoring not in SCORINGS or len(tried) < 3 or factor not in (tried[0], tried[-1]):
        return None
    return catalogue.WIDTH_AT_END_ONE_CLASS(is_low=factor == tried[0], reason=taken.candidate.reason)
