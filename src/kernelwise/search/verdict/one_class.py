"""What people are told of a one-class model: why its kernel was chosen, and when not to trust it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.text import count
from kernelwise.findings import Finding, catalogue
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.one_class import MEDIAN, NORMAL, NU, OUTLIER, SCORINGS, areas
from kernelwise.search.result import Choice
from kernelwise.search.wording import kernel_text

#: How much better than the rule another kernel must be without labels.
MARGIN = 0.01
#: What a score of labels is called, and what the other criteria compare held-out rows with.
TITLES = {
    "roc_auc": "held-out ROC AUC of the labels",
    "average_precision": "held-out average precision of the labels",
    "pseudo-outliers": "an artificial unusual row",
    "mass-volume": "a row of random values",
}
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


def why_kernel(validator: CrossValidator, choice: Choice) -> list[str]:
    """Why this kernel and this ν were taken."""
    family: Any = validator.family
    scored, rule = choice.scored, validator.scored[0]
    score, first = float(scored.scores[choice.index].mean()), float(rule.scores[0].mean())
    scores = [float(mean) for one in validator.scored for mean in one.scores.mean(axis=1)]
    title = TITLES.get(family.scoring, "")
    why = [f"The search chose this kernel: {kernel_text(scored.kernel)} ({scored.reason})."]
    pairs = f"A held-out row scores higher than {title} in {100 * score:.1f} % of all pairs"
    if len(scores) == 1:
        why.append("The search scored no other kernel.")
    elif family.scoring in SCORINGS:
        n = len(family.only_asked(validator.in_folds.y))
        why.append(
            f"It has the best {title}, {score:.4f}, with {count(n, 'distinct outlier')}. The kernel "
            f"that the rule of thumb chooses without labels has {first:.4f}."
        )
    elif scored is not rule:
        why.append(f"{pairs}. With the kernel of the rule of thumb it does in {100 * first:.1f} %.")
    else:
        why.append(
            f"{pairs}. No other kernel is better by more than {100 * MARGIN:g} point (the best has "
            f"{100 * max(scores):.1f} %)."
        )
    if choice.C == NU:
        why.append(
            f"ν is {NU:g}, the default: the order of the rows hardly depends on it, and the threshold is set "
            "separately."
        )
    else:
        why.append(f"ν is {choice.C:g}.")
    return why


def how_compared(validator: CrossValidator, n_kernels: int) -> list[str]:
    """How the search went."""
    family: Any = validator.family
    part = validator.search_samples
    what = f"{count(n_kernels, 'kernel')} with {count(len(validator.scored[0].Cs), 'value')} of ν"
    folds = count(validator.fold_rows.n_folds, "fold")
    how = [f"The search compared {what}, in {folds} of {count(len(part), 'distinct row')}."]
    if family.scoring in SCORINGS and not (part.y == NORMAL).any():
        how.append("No row is labelled normal, so rows without a label were used as normal rows.")
    return how


def doubts(
    validator: CrossValidator,
    choice: Choice,
    rows: Samples,
    share: float,
    names: list[str],
    criterion: str,
) -> list[Finding]:
    """Findings about the rows that were trained on, ``rows``, and about the choice by ``criterion``."""
    found = [
        _no_structure(validator, choice),
        _useless_labels(validator, choice),
        _few_rows(rows, share),
        _copies(rows),
        _dominant(rows, names),
        _edge(validator, choice),
        _replaced(validator, criterion),
    ]
    return [finding for finding in found if finding is not None]


def area_error(n: float, m: float) -> float:
    """Standard error of the area for two samples of n and m rows that are alike."""
    return float(np.sqrt((n + m + 1.0) / (12.0 * n * m)))


def _n_learned(validator: CrossValidator) -> float:
    """Distinct rows of the search that no label calls outliers."""
    return float((validator.search_samples.y != OUTLIER).sum())


def _no_structure(validator: CrossValidator, choice: Choice) -> Finding | None:
    if validator.family.beside is None:
        return None
    weight = validator.held_out.weight
    by_fold = [areas(choice.decision[place], weight[place]) for place in validator.places]
    inside, mixed = (float(np.mean([found[kind] for found in by_fold])) for kind in ("inside", "mixed"))
    n = _n_learned(validator)
    if max(inside, mixed) > 0.5 + ERRORS * area_error(n, n):
        return None
    return catalogue.NO_STRUCTURE(percent=100 * inside)


def _useless_labels(validator: CrossValidator, choice: Choice) -> Finding | None:
    family: Any = validator.family
    if family.scoring != "roc_auc":
        return None
    n_known = float(len(family.only_asked(validator.search_samples.y)))
    found = float(choice.scored.scores[choice.index].mean())
    if found > 0.5 + area_error(_n_learned(validator), n_known):
        return None
    return catalogue.LABELS_NOT_FOUND(area=found)


def _few_rows(rows: Samples, share: float) -> Finding | None:
    n = float(rows.weight.sum())
    if n * share >= FEW_BELOW:
        return None
    severity = "warning" if n * share < 1.0 else "info"
    return catalogue.FEW_ROWS(least=FEW_BELOW, share=share, n=n, n_below=n * share, severity=severity)


def _copies(rows: Samples) -> Finding | None:
    repeated = float(rows.weight[rows.weight > 1.0].sum() - (rows.weight > 1.0).sum())
    n = float(rows.weight.sum())
    if repeated <= MANY_COPIES * n:
        return None
    return catalogue.COPIES(n_copies=repeated, n=n, n_different=len(rows))


def _dominant(rows: Samples, names: list[str]) -> Finding | None:
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


def _replaced(validator: CrossValidator, criterion: str) -> Finding | None:
    """Whether the rule of thumb stands for the criterion that was asked for."""
    family: Any = validator.family
    if family.scoring != MEDIAN or criterion == MEDIAN:
        return None
    return catalogue.SPARSE_WITHOUT_LABELS()


def _edge(validator: CrossValidator, choice: Choice) -> Finding | None:
    """With labels, or a form by name: the width is at an end of what was tried, and better than the next."""
    family: Any = validator.family
    scored = choice.candidates[: len(validator.scored)]
    taken = scored[next(k for k, one in enumerate(validator.scored) if one is choice.scored)]
    factors = sorted({one.factor for one in scored if one.form == taken.form})
    ends = factors[0], factors[-1]
    if family.scoring not in SCORINGS or len(factors) < 3 or taken.factor not in ends:
        return None
    return catalogue.WIDTH_AT_END_ONE_CLASS(is_low=taken.factor == factors[0], reason=taken.reason)
