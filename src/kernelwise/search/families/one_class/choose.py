"""Which kernel and ν are taken for one class, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._core.notebook import block, items
from kernelwise._core.rounding import significant
from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.search.engine.context import FitContext
from kernelwise.search.families.one_class.candidates import Candidate
from kernelwise.search.families.one_class.validator import (
    MEDIAN,
    NORMAL,
    OUTLIER,
    SCORINGS,
    OneClassValidator,
    Scored,
)
from kernelwise.search.verdict.wording import kernel_text

#: How much better than the rule another kernel must be without labels.
MARGIN = 0.01
#: ν for the order of rows, which hardly depends on it; half of the rows are support vectors.
NU = 0.5
#: Values of ν that labels choose among.
LABELLED_NUS = (0.5, 0.05, 0.2, 1.0)
#: What a score of labels is called, and what the other criteria compare held-out rows with.
TITLES = {
    "roc_auc": "held-out ROC AUC of the labels",
    "average_precision": "held-out average precision of the labels",
    "pseudo-outliers": "an artificial unusual row",
    "mass-volume": "a row of random values",
}


@dataclass(frozen=True)
class OneClassResult:
    """What was chosen for one class, and why.

    Attributes
    ----------
    kernel : Kernel
        On scaled features.
    nu, score, standard_error : float
        The score is that of the criterion, NaN if there was nothing to choose; its error is over the folds.
    criterion : str
        What chose: a name of `kernelwise.search.families.one_class.validator.CRITERIA`, or a score of labels.
    threshold, threshold_error : float
        In units of `TunedOneClassSVM.score_samples`.
    contamination : float
        The share of rows that the threshold is for.
    n_rows, n_outliers : int
        Distinct rows that the machine was trained on, and the weight of training rows below the threshold.
    labelled : (int, int)
        Samples labelled normal, and labelled outliers.
    why, how : tuple of str
        The reason of every choice, and how the search went.
    cv_results : dict
        As ``cv_results_``.
    n_svm_fits : int
    seconds : float
    diagnostics : tuple of Finding
    """

    kernel: Kernel
    nu: float
    criterion: str
    score: float
    standard_error: float
    threshold: float
    threshold_error: float
    contamination: float
    n_rows: int
    n_outliers: float
    labelled: tuple[int, int]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    cv_results: dict[str, Any] = field(default_factory=dict, repr=False)
    n_svm_fits: int = 0
    seconds: float = 0.0
    diagnostics: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        head = f"OneClassResult(kernel={self.kernel!r}, nu={self.nu:g}, threshold={self.threshold:.4g})"
        return "\n".join([head, *self.why, *self.how, *map(str, self.diagnostics)])

    def _repr_html_(self) -> str:
        """What a notebook shows: why, findings, and how the search went."""
        return block(
            f"{self.kernel!r}, ν = {self.nu:g}",
            items(self.why),
            block("Findings", items(map(str, self.diagnostics))) if self.diagnostics else "",
            block("How it was chosen", items(self.how)) if self.how else "",
        )


@dataclass
class OneClassChoice:
    """The candidate that is taken, all that were scored, and sentences about them."""

    taken: Scored
    why: list[str]
    how: list[str]


def choose(
    validator: OneClassValidator,
    tried: list[Candidate],
    nu: float | None,
    context: FitContext,
    watch: Callable[[Scored], None] | None = None,
) -> OneClassChoice:
    """Score the candidates as long as there is time, and take one; the first is always scored.

    ``watch`` is called with every candidate that was scored.
    """
    is_labelled = validator.scoring in SCORINGS
    nus = (nu,) if nu is not None else LABELLED_NUS if is_labelled else (NU,)
    if validator.scoring == MEDIAN:
        tried = tried[:1]
    for k, candidate in enumerate(tried):
        if k and not context.deadline.allows(f"width factor {candidate.factor:g}"):
            continue
        with context.task(str(candidate.kernel)):
            found = validator.score(candidate, nus)
        if watch is not None:
            for scored in found:
                watch(scored)
    scores = significant(np.array([one.score for one in validator.scored]))
    best = int(np.argmax(scores))
    if not is_labelled and scores[best] - scores[0] <= MARGIN:
        best = 0
    taken = validator.scored[best]
    return OneClassChoice(taken, _why(validator, best, scores), _how(validator, tried, nus))


def _why(validator: OneClassValidator, best: int, scores: np.ndarray) -> list[str]:
    taken, rule = validator.scored[best], validator.scored[0]
    kernel, title = kernel_text(taken.candidate.kernel), TITLES.get(validator.scoring, "")
    why = [f"The search chose this kernel: {kernel} ({taken.candidate.reason})."]
    pairs = f"A held-out row scores higher than {title} in {100 * taken.score:.1f} % of all pairs"
    if len(validator.scored) == 1:
        why.append("The search scored no other kernel.")
    elif validator.scoring in SCORINGS:
        n = int((validator.rows.label == OUTLIER).sum())
        why.append(
            f"It has the best {title}, {taken.score:.4f}, with {count(n, 'distinct outlier')}. The kernel "
            f"that the rule of thumb chooses without labels has {rule.score:.4f}."
        )
    elif best:
        why.append(f"{pairs}. With the kernel of the rule of thumb it does in {100 * rule.score:.1f} %.")
    else:
        why.append(
            f"{pairs}. No other kernel is better by more than {100 * MARGIN:g} point (the best has "
            f"{100 * scores.max():.1f} %)."
        )
    if taken.nu == NU:
        why.append(
            f"ν is {NU:g}, the default: the order of the rows hardly depends on it, and the threshold is set "
            "separately."
        )
    else:
        why.append(f"ν is {taken.nu:g}.")
    return why


def _how(validator: OneClassValidator, tried: list[Candidate], nus: tuple[float, ...]) -> list[str]:
    what = f"{count(len(tried), 'kernel')} with {count(len(nus), 'value')} of ν"
    folds = count(validator.n_folds, "fold")
    how = [f"The search compared {what}, in {folds} of {count(len(validator.rows), 'distinct row')}."]
    n_normal = int((validator.rows.label == NORMAL).sum())
    if validator.scoring in SCORINGS and not n_normal:
        how.append("No row is labelled normal, so rows without a label were used as normal rows.")
    return how


def table(validator: OneClassValidator, best: Scored) -> tuple[dict[str, Any], int]:
    """``cv_results_`` of all candidates, in scikit-learn's layout, and the row that was taken."""
    means = np.array([one.score for one in validator.scored])
    rank = np.array([1 + int((means > mean).sum()) for mean in means], dtype=np.int32)
    results: dict[str, Any] = {
        "params": [{"kernel": one.candidate.kernel, "nu": one.nu} for one in validator.scored],
        "param_kernel": np.array([one.candidate.kernel for one in validator.scored], dtype=object),
        "param_nu": np.array([one.nu for one in validator.scored]),
        "form": np.array([one.candidate.form for one in validator.scored], dtype=object),
        "width_factor": np.array([one.candidate.factor for one in validator.scored]),
        "reason": np.array([one.candidate.reason for one in validator.scored], dtype=object),
        "mean_test_score": means,
        "std_test_score": np.array([one.scores.std() for one in validator.scored]),
        "rank_test_score": rank,
        "n_support": np.array([one.n_support for one in validator.scored]),
    }
    for k in range(validator.n_folds):
        results[f"split{k}_test_score"] = np.array([one.scores[k] for one in validator.scored])
    return results, next(k for k, one in enumerate(validator.scored) if one is best)
