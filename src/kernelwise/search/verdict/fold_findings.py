"""What folds of the user leave out: rows and classes that nothing is known of but their training."""

from __future__ import annotations

import numpy as np

from kernelwise._core.text import count
from kernelwise._core.weights import copies_of
from kernelwise.findings import Finding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification

#: Classes that are named, at most.
MOST = 3


def fold_findings(judge: CrossValidator) -> list[Finding]:
    """What folds leave out: classes that one does not learn or none holds out, and rows that none does."""
    found = []
    if isinstance(judge.family, Classification):
        found += _unlearned(judge)
        found += [] if judge.fold_rows.is_partition else _classes_never_held_out(judge, judge.family)
    if not judge.fold_rows.is_partition:
        weight = judge.samples.weight[np.unique(judge.fold_rows.rows)]
        n_all, n_held = float(copies_of(weight).sum()), judge.n_held_out
        if n_held < n_all:
            message = (
                f"The folds hold out {n_held:.0f} of {n_all:.0f} rows. Scores and probabilities come from "
                "these rows; the final model is trained on all rows."
            )
            found.append(Finding("rows never held out", "info", message))
    return found


def _unlearned(judge: CrossValidator) -> list[Finding]:
    strata = judge.in_folds.strata
    n_classes = len(np.unique(strata))
    n_folds = sum(len(np.unique(strata[train])) < n_classes for train, _ in judge.folds)
    if not n_folds:
        return []
    lacks = count(n_folds, "fold of 'cv' has", "folds of 'cv' have")
    message = (
        f"{lacks} no row of some class to train on. The rows of this class that are held out there count as "
        "wrong, and probabilities come from the other folds, if there are any."
    )
    return [Finding("classes not trained on", "info", message, "Use folds with all classes in training.")]


def _classes_never_held_out(judge: CrossValidator, family: Classification) -> list[Finding]:
    lone = np.unique(judge.held_out.strata[judge.fold_rows.fold < 0])
    if not len(lone):
        return []
    names = ", ".join(map(repr, family.classes[lone[:MOST]].tolist()))
    more = f" and {len(lone) - MOST} more" if len(lone) > MOST else ""
    message = (
        f"No fold holds out rows of {count(len(lone), 'class', 'classes')} ({names}{more}). Their "
        "probabilities come from rows that the model was trained on, and may be too high."
    )
    return [Finding("classes never held out", "info", message, "Use folds that hold out all classes.")]
