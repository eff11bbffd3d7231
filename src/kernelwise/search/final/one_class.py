"""The final one-class machine, and what its scores mean: thresholds and probabilities from held-out rows."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit

from kernelwise._core.threads import Task, threads
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import catalogue
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.folds import stratified_folds
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.one_class import OneClass
from kernelwise.search.final.machine import FinalStep
from kernelwise.search.result import Choice, OneClassResult
from kernelwise.solvers.kernel_rows import can_be_native
from kernelwise.solvers.probability import fit_platt

#: Rows that solver="auto" trains on, at most: more change scores little, and every prediction asks them all.
MANY = 5000
#: Folds for held-out scores of more rows than the search has looked at.
FOLDS = 2
#: Scores that are kept of a large sample, evenly spaced in rank, besides all of the lowest.
KEPT = 500
#: The share of the strangest rows whose mean excess says how the tail goes on beyond the strangest of all.
TAIL = 0.1
#: The share of rows that the threshold is for if none is given: the usual error of a test.
SHARE = 0.05
#: Sums of weights that differ by less than this share are equal.
EVEN = 1e-12


class Trained(NamedTuple):
    """A machine, the rows it was trained on, held-out scores of all rows, and what follows from these.

    ``sigmoid``, of shape (2,), is for probabilities if there are labels; ``n_machines`` were trained in
    ``seconds``.
    """

    machine: Any
    rows: np.ndarray
    scores: np.ndarray
    n_machines: int
    seconds: float
    threshold: Threshold
    tail: Tail
    sigmoid: np.ndarray | None


def finish_one_class(step: FinalStep) -> Trained:
    """Train the chosen machine on all rows that are not known outliers, or on a sample of very many."""
    started, validator, solver = time.perf_counter(), step.validator, step.settings.solver
    samples, seed = validator.samples, validator.random_state
    used = np.setdiff1d(np.arange(len(samples)), validator.family.only_asked(samples.y))
    if solver == "auto" and len(used) > MANY:
        context = validator.context
        context.findings.append(catalogue.TRAINED_ON_SAMPLE(n_sampled=MANY, n_rows=len(used)))
        used = used[some_of(samples.weight[used], MANY, seed)]
    searched = np.unique(validator.fold_rows.rows)
    is_whole = np.array_equal(used, np.setdiff1d(searched, validator.family.only_asked(samples.y)))
    parts = []
    if not is_whole:
        fold = stratified_folds(np.zeros(len(used), int), samples.weight[used], FOLDS, seed, is_split=False)
        parts = [(used[fold.rows[fold.fold != k]], used[fold.rows[fold.fold == k]]) for k in range(FOLDS)]
    machine = _fitted(step, used)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)  # the final machine has said it
        tasks: list[Task] = [(_fitted, (step, train), {}) for train, _ in parts]
        # Each may take half of the memory, unless its Gram matrix or rows of it are kept.
        is_lean = len(used) <= MANY or can_be_native(step.choice.scored.kernel, samples.Z)
        halves = threads(step.settings.n_jobs if is_lean else 1)(tasks)
    scores = _held_out(validator, step.choice) if is_whole else np.full(len(samples), np.nan)
    for (_, test), half in zip(parts, halves, strict=True):
        scores[test] = half.score_samples(samples.Z[test])
    unseen = np.flatnonzero(np.isnan(scores))
    if unseen.size:
        scores[unseen] = machine.score_samples(samples.Z[unseen])
    _add_copies(scores, machine, samples, used)
    meaning = _meaning(step, machine, scores)
    return Trained(machine, used, scores, 1 + len(parts), time.perf_counter() - started, *meaning)


def _meaning(step: FinalStep, machine: Any, scores: np.ndarray) -> tuple[Threshold, Tail, np.ndarray | None]:
    """Threshold and probabilities from held-out scores; the machine's own answers go by the threshold."""
    samples, family = step.validator.samples, step.validator.family
    assert isinstance(family, OneClass)
    is_outlier, weight = samples.bound == 0.0, samples.weight  # which no machine is trained on
    usual = ~is_outlier
    if family.contamination is None:
        threshold = threshold_at(scores[usual], weight[usual], SHARE)
    else:
        threshold = threshold_at(scores, weight, float(family.contamination))
    machine.intercept_ = np.array([-threshold.value])
    # Nyström machines have coefficients of both signs, other kernels values of both.
    is_log = bool(step.choice.scored.kernel.is_radial and machine.dual_coef_.min() >= 0.0)
    tail = Tail.of(scores[usual], weight[usual], is_log)
    if not is_outlier.any():
        return threshold, tail, None
    return threshold, tail, fit_sigmoid(tail, scores, is_outlier, weight, threshold.share)


def one_class_result(step: FinalStep, trained: Trained, table: dict[str, Any], row: int) -> OneClassResult:
    """What was chosen for one class, and why; the choice is one row of the table ``cv_results_``."""
    validator, choice, threshold = step.validator, step.choice, trained.threshold
    samples, family = validator.samples, validator.family
    assert isinstance(family, OneClass)
    given = "the share that you gave"
    if family.contamination is None:
        given = "the default, because contamination is not set"
    why = (
        f"{100 * threshold.share:g} % of the held-out scores are below the threshold ({given}), which is a "
        f"score of {threshold.value:.4g} ± {threshold.error:.2g}."
    )
    return OneClassResult(
        kernel=choice.scored.kernel,
        nu=choice.C,
        criterion=family.scoring,
        score=float(table["mean_test_score"][row]),
        standard_error=validator.standard_error(choice.scored, choice.index),
        threshold=threshold.value,
        threshold_error=threshold.error,
        contamination=threshold.share,
        n_rows=len(trained.rows),
        n_outliers=float(samples.weight[trained.scores < threshold.value].sum()),
        labelled=family.n_labelled(samples),
        why=(*choice.why, why),
        how=tuple(choice.how),
        cv_results=table,
        n_svm_fits=validator.n_machines + trained.n_machines,
        seconds=validator.context.deadline.elapsed,
    )


def some_of(weight: np.ndarray, n: int, seed: int) -> np.ndarray:
    """A sample of n rows with all that have more than their share of the weight, in increasing order."""
    is_heavy = weight > weight.sum() / n
    heavy, others = np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy)
    others = others[sample(np.zeros(len(others), int), n - len(heavy), seed)]
    return np.sort(np.r_[heavy, others])


def _held_out(validator: CrossValidator, choice: Choice) -> np.ndarray:
    """Scores of all rows by machines of the search that have not seen them, shape (n_rows,).

    A row that several folds hold out has their mean, and one that none does NaN.
    """
    folds, n = validator.fold_rows, len(validator.samples)
    rows, weight = folds.rows[folds.asked], folds.weight[folds.asked]
    total = np.bincount(rows, weights=weight, minlength=n)
    sums = np.bincount(rows, weights=weight / total[rows] * choice.decision[:, 0], minlength=n)
    return np.where(total > 0.0, sums, np.nan)


def _add_copies(scores: np.ndarray, machine: Any, samples: Samples, used: np.ndarray) -> None:
    """Raise the scores of rows that are there more often than others, in place.

    All copies of a row are held out together, so that no machine learns a row from its copy. The most usual
    row of a table would be its strangest then: a row with w copies more than the median row has the share w/n
    of the mean k(x, x) that they are to each other, but never more than the final machine gives it.
    """
    weight = samples.weight[used]
    excess = weight - np.median(weight)
    often = used[excess > 0.0]
    if not often.size:
        return
    share = excess[excess > 0.0] / weight.sum()
    Z = samples.Z[often]
    with_copies = (1.0 - share) * scores[often] + share * machine.kernel_.diagonal(Z)
    scores[often] = np.maximum(scores[often], np.minimum(with_copies, machine.score_samples(Z)))


def _fitted(step: FinalStep, used: np.ndarray) -> Any:
    """A trained machine whose coefficients sum to one."""
    machine = step.nystroem() if step.settings.solver == "nystroem" else step.machine()
    part = step.validator.samples[used]
    step.validator.family.train(machine, part)
    total = float(machine.nu * part.weight.sum())
    machine.dual_coef_ = machine.dual_coef_ / total
    machine.intercept_ = machine.intercept_ / total
    return machine


@dataclass(frozen=True)
class Threshold:
    """A score that a share of the held-out rows is below, and its standard error."""

    value: float
    error: float
    share: float


def threshold_at(scores: np.ndarray, weight: np.ndarray, share: float) -> Threshold:
    """The score below which that share of the rows is, or the nearest share that scores can part.

    Scores and weights have the shape (n_rows,). It is in the middle between two scores, so that rounding
    moves no row across, or the lowest score, if no row is below. The error is half the distance of the
    scores whose ranks are one binomial standard deviation below and above.
    """
    order = np.argsort(scores, kind="stable")
    ordered, total = scores[order], np.cumsum(weight[order])
    n = total[-1]
    deviation = np.sqrt(n * share * (1.0 - share))

    def at(rank: float) -> float:
        """The first score that has so much weight up to it."""
        first = np.searchsorted(total, np.clip(rank, 0.0, n) * (1.0 - EVEN))
        return float(ordered[min(first, len(order) - 1)])

    # Weight below each score that is higher than the one before it; none is below the lowest.
    steps = np.r_[0, 1 + np.flatnonzero(np.diff(ordered) > 0.0)]
    below = np.where(steps > 0, total[steps - 1], 0.0)
    miss = np.abs(below - n * share)
    first = steps[np.flatnonzero(miss <= miss.min() + EVEN * n)[0]]
    value = 0.5 * (ordered[max(first - 1, 0)] + ordered[first])
    error = 0.5 * (at(n * share + deviation) - at(n * share - deviation))
    return Threshold(float(value), float(error), float(share))


@dataclass(frozen=True)
class Tail:
    """The share of usual rows that are at least as strange as a score, for any score.

    Attributes
    ----------
    strangeness : ndarray of shape (n_kept,)
        Of held-out rows, in increasing order: −log of their scores or, if some are negative, −scores.
    share : ndarray of shape (n_kept,)
        The share of the rows that are at least as strange.
    scale : float
        The mean excess over the 90 % point, by which the share falls off exponentially beyond the last.
    is_log : bool
    """

    strangeness: np.ndarray
    share: np.ndarray
    scale: float
    is_log: bool

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray, is_log: bool) -> Self:
        """The tail of held-out scores, of shape (n_rows,); ``is_log`` says that scores are never negative."""
        strange = _strangeness(scores, is_log)
        finite = np.isfinite(strange)
        if not finite.any():  # a kernel so narrow that no held-out row is like any other
            return cls(np.zeros(1), np.ones(1), 1.0, is_log)
        order = np.argsort(strange, kind="stable")
        strange, weight = strange[order], weight[order]
        n = weight.sum()
        # Half of its own weight: a row is as strange as itself, and no new row is stranger than all for sure.
        share = (np.cumsum(weight[::-1])[::-1] - 0.5 * weight) / n
        last = int(np.isfinite(strange).sum())
        begin = min(int(np.searchsorted(-share, -TAIL)), last - 1)
        excess, counted = strange[begin:last] - strange[begin], weight[begin:last]
        scale = float(np.average(excess, weights=counted)) if counted.sum() > 0.0 else 0.0
        kept = np.unique(np.r_[np.linspace(0, last - 1, min(KEPT, last)).astype(int), np.arange(begin, last)])
        if len(kept) > 4 * KEPT:
            kept = kept[np.unique(np.linspace(0, len(kept) - 1, 4 * KEPT).astype(int))]
        return cls(strange[kept], share[kept], max(scale, 1e-12), is_log)

    def share_beyond(self, scores: np.ndarray) -> np.ndarray:
        """The share of usual rows that are at least as strange as these scores, of the same shape."""
        strange = _strangeness(scores, self.is_log)
        inside = np.interp(strange, self.strangeness, self.share, left=1.0)
        beyond = np.maximum(strange - self.strangeness[-1], 0.0)
        return np.where(beyond > 0.0, self.share[-1] * np.exp(-beyond / self.scale), inside)

    def probability(self, scores: np.ndarray, share: float) -> np.ndarray:
        """The probability of an outlier if a share of all rows is outliers, each at least as strange.

        That is Bayes' rule: outliers, all of them at least as strange, are a share ``share`` of all rows, and
        the rows at least as strange that look usual are a share S. It is one half where S is ``share``: at
        the threshold.
        """
        return share / (share + self.share_beyond(scores))

    def sigmoid(self, scores: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The probability by a sigmoid of how strange scores are; ``slope`` is (A, B) of `fit_sigmoid`."""
        strange = _strangeness(scores, self.is_log)
        known = np.isfinite(strange)
        value = expit(-(slope[0] * np.where(known, strange, 0.0) + slope[1]))
        return np.where(np.isnan(strange), np.nan, np.where(known, value, 1.0))


def fit_sigmoid(
    tail: Tail, scores: np.ndarray, is_outlier: np.ndarray, weight: np.ndarray, share: float
) -> np.ndarray:
    """Platt's sigmoid of held-out scores, shape (2,), with a share ``share`` of outliers among the rows."""
    strange = _strangeness(scores, tail.is_log)
    known = np.isfinite(strange)
    strange = np.where(known, strange, strange[known].max(initial=0.0))
    factor = np.where(is_outlier, share / weight[is_outlier].sum(), (1.0 - share) / weight[~is_outlier].sum())
    balanced = weight * factor * weight.sum()
    return np.array(fit_platt(strange, is_outlier.astype(int), balanced, counts=weight, is_increasing=True))


def _strangeness(scores: np.ndarray, is_log: bool) -> np.ndarray:
    if not is_log:
        return -np.asarray(scores, dtype=float)
    with np.errstate(divide="ignore"):
        return -np.log(np.maximum(scores, 0.0))
