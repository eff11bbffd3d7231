"""Step 7 of a search: the chosen machine, trained exactly, on the rows that its time allows."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kernelwise._core.threads import Task, threads
from kernelwise.conformal import Spread
from kernelwise.findings import Finding
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice, FitRecord, HeldOut
from kernelwise.search.scoring.probabilities import cross_fitted_odds
from kernelwise.search.settings import FitSettings, Trainer
from kernelwise.search.verdict.claim import Luck
from kernelwise.search.verdict.optimism import optimism
from kernelwise.search.verdict.summary import shown_as_sure
from kernelwise.solvers.probability import log_odds

#: A machine that was trained on some rows is trained on more of them if the time left is for twice as many.
WORTH_MORE = 2.0
#: Decision values of what is held out that are worth a thread of their own.
MANY_VALUES = 20_000


@dataclass(frozen=True)
class Finished:
    """A trained machine, and what is known of it.

    ``rows`` are those of the samples that it was trained on, ``sigmoids``, of shape (n_machines, 2) or None,
    are for probabilities, and ``n_machines`` were trained in ``seconds``. ``label_scores``, of shape
    (n_folds,), are those of the labels that `predict` gives on the folds of the search; None where the score
    does not go by labels. A machine that is none of those which the search compared was asked about the
    samples ``held_rows``, and the record is of them, not of the folds; its scores, of shape (N_BLOCKS,), are
    those of blocks of them. ``luck`` is the optimism of the choice, if it was computed meanwhile, and
    ``spread`` is for intervals of a regression.
    """

    machine: Any
    rows: np.ndarray
    sigmoids: np.ndarray | None
    record: FitRecord
    n_machines: int
    seconds: float
    label_scores: np.ndarray | None = None
    luck: Luck | None = None
    held_rows: np.ndarray | None = None
    spread: Spread | None = None

    @property
    def n_others(self) -> float | None:
        """How many rows beside the folds the machine was asked about, by their weights; None if none."""
        return None if self.held_rows is None else float(self.record.weight.sum())

    @property
    def C(self) -> float:
        """C of the machine, which may be another one than that of the search."""
        return float(getattr(self.machine, "C_", self.machine.C))


def count_bounded(machine: Any, bound: np.ndarray) -> int:
    """Support vectors of a trained SVC or SVR with a coefficient at its bound, in one machine at least.

    ``bound``, of shape (n_trained,), are the bounds of its training rows as multiples of C.
    """
    lo, hi = (limit * bound[machine.support_] * (1.0 - 1e-9) for limit in machine._box())
    return int(((machine.beta_ <= lo) | (machine.beta_ >= hi)).any(axis=0).sum())


@dataclass(frozen=True)
class FinalStep:
    """What the last step of a search begins with: what was chosen, who trains it, and what it is told.

    ``costs``, of shape (n_classes, n_classes), are those of wrong answers, by true class and answer.
    """

    trainer: Trainer
    settings: FitSettings
    validator: CrossValidator
    choice: Choice
    costs: np.ndarray | None = None

    def machine(self, C: float | None = None) -> Any:
        """The chosen machine, or that of another C, not yet trained."""
        scored = self.choice.scored
        return self.trainer._machine(scored.kernel, self.choice.machine_C if C is None else C, scored.epsilon)

    def nystroem(self) -> Any:
        """The Nyström machine, not yet trained."""
        scored, seed = self.choice.scored, self.validator.random_state
        return self.trainer._nystroem(scored.kernel, self.choice.C, scored.epsilon, seed)


def finish_exact(step: FinalStep) -> Finished:
    """The chosen machine, trained on all rows that its time allows."""
    started, validator, choice = time.perf_counter(), step.validator, step.choice
    tested = validator.tested
    # What the search found says the rest, which takes as long as the machine if there are many values.
    needs_machine = bool((validator.fold_rows.fold < 0).any())
    n_jobs = step.settings.n_jobs if choice.decision.size >= MANY_VALUES else 1
    answer, luck = partial(_answers, step), None
    if needs_machine:
        machine, rows = train_in_time(step)
        sigmoids, findings, answers = answer(machine, rows)
    else:
        tasks: list[Task] = [
            (train_in_time, (step,), {}),
            (answer, (None, None), {}),
            (optimism, (validator, choice), {}),
        ]
        (machine, rows), (sigmoids, findings, answers), luck = threads(n_jobs)(tasks)
    validator.context.findings.extend(findings)
    if sigmoids is not None:  # best_estimator_ answers as the model does
        machine.set_params(probability=True)._sigmoids = sigmoids
    held_out, decision = validator.held_out[tested], choice.decision[tested].astype(float)
    machine = validator.family.settled(machine, held_out, decision)
    n_bounded = count_bounded(machine, validator.samples.bound[rows]) if validator.family.has_bounds else 0
    record = FitRecord(len(rows), n_bounded, **answers._asdict(), weight=validator.held_out.weight[tested])
    seconds = time.perf_counter() - started
    scores = scores_of_labels(validator, choice, record)
    return Finished(machine, rows, sigmoids, record, np.size(machine.n_iter_), seconds, scores, luck)


def _answers(
    step: FinalStep, machine: Any, trained: np.ndarray | None
) -> tuple[np.ndarray | None, list[Finding], HeldOut]:
    """Sigmoids of the model, if it has any, what is to say about them, and its answers to held-out rows."""
    validator, choice = step.validator, step.choice
    family, held, tested = validator.family, validator.held_out, validator.tested
    decision, used = _for_sigmoids(validator, choice.decision, machine, trained)
    known = held if used.all() else held[used]
    sigmoids, findings = family.sigmoids(known, decision[used])
    odds = None
    if sigmoids is not None:
        odds = unseen_odds(validator, decision, used, sigmoids)
        factor = family.temperature(known, odds[used])
        sigmoids, odds = factor * sigmoids, factor * odds[tested]
    folds = validator.fold_rows
    values = family.unseen_values(choice.decision, held, folds.fold, folds.asked)[tested]
    answers = family.held_out(held.y[tested], values, odds, step.costs)
    return sigmoids, findings, answers


def _for_sigmoids(
    validator: CrossValidator, decision: np.ndarray, machine: Any, trained: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Decision values of what is held out, (n_held_out, n_machines), and whether sigmoids are fitted to them.

    Sigmoids are fitted to the folds that were trained on every class; if there is no such fold, to all folds.
    If no fold holds out a class, its rows have the values of the final machine: a sigmoid that knew nothing
    of a class would never answer it.
    """
    is_lone = validator.fold_rows.fold < 0
    if is_lone.any():
        rows, Z = validator.fold_rows.rows[validator.fold_rows.asked[is_lone]], validator.samples.Z
        Z = Z[rows][:, trained] if validator.samples.is_gram else Z[rows]
        decision = decision.copy()
        decision[is_lone] = machine.machine_values(Z)
    used = validator.is_from_all_classes | is_lone
    if not set(validator.held_out.strata) <= set(validator.held_out.strata[used]):
        used = np.ones_like(used)
    return decision, used


def unseen_odds(
    validator: CrossValidator, decision: np.ndarray, used: np.ndarray, sigmoids: np.ndarray
) -> np.ndarray:
    """Log odds of what is held out, as of the final model, by sigmoids that have not seen the rows.

    The sigmoids of every fold come from the other folds. Where these hold out no row of a class there are
    none, and the final model's ``sigmoids``, (n_machines, 2), stand for them. Decision values and odds have
    the shape (n_held_out, n_machines); ``used``, (n_held_out,), says which of them sigmoids are fitted to.

    The final sigmoids would flatter: a row moves them towards its own label (of 120 rows of two classes that
    overlap, five are right only because of it). Those of the other folds know fewer rows than the final ones:
    where there are many classes of few rows, the score is too low, if anything (400 rows of letter: 66 %,
    where 72 % of new rows are right).
    """
    family, held, folds = validator.family, validator.held_out, validator.fold_rows
    assert isinstance(family, Classification)
    n_classes, machines = len(family.classes), family.machines
    others = [used & ~np.isin(folds.asked, folds.asked[test]) for test in validator.places]
    if any(len(np.unique(held.y[other])) < n_classes for other in others):
        return log_odds(decision, sigmoids)
    values = decision.astype(float)[None]
    return cross_fitted_odds(values, held, folds.fold, n_classes, machines, folds.asked, used)[0]


def scores_of_labels(validator: CrossValidator, choice: Choice, record: FitRecord) -> np.ndarray | None:
    """Scores of shape (n_folds,) of the labels that `predict` gives; None if there are no others.

    None, too, for a score that looks at more than labels. A user's own function looks at labels only if its
    score of the search's labels is the score of the search. Machines that each have a C of their own were not
    scored together by the search.
    """
    if choice.each:
        return validator.scores_of(choice.scored_values(validator))[0]
    if record.scored is None or not record.n_relabelled:
        return None
    return scores_if_of_labels(validator, record, choice.scored.scores[choice.index])


def scores_if_of_labels(
    validator: CrossValidator, record: FitRecord, scores: np.ndarray
) -> np.ndarray | None:
    """The same where labels are known; ``scores``, (n_folds,), are those of the values behind them."""
    by_labels = validator.goes_by_labels
    if by_labels is None and record.scored is not None:
        by_labels = np.allclose(_scores(validator, record.scored), scores)
    return _scores(validator, record.predicted) if by_labels else None


def _scores(validator: CrossValidator, labels: np.ndarray) -> np.ndarray:
    """Scores by fold of labels, (n_tested,); a user's own function sees models that are sure of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # precision and the like warn of a class that is never predicted
        if validator.goes_by_labels:
            return validator.scores_by_labels(labels[None])[0]
        return validator.scores_of(shown_as_sure(validator, labels))[0]


def train_in_time(
    step: FinalStep, most: np.ndarray | None = None, C: float | None = None
) -> tuple[Any, np.ndarray]:
    """The chosen machine, trained on all rows that its time allows, and these rows; ``most`` or all of them.

    What the search took says how many these are at least. Where they are not all, training on them says it
    better, and there may be time for more.
    """
    validator, deadline = step.validator, step.validator.context.deadline
    samples = validator.samples
    most = np.arange(len(samples)) if most is None else most
    n = len(most)
    n_rows = min(n, affordable_rows(validator, len(samples), exact_seconds(validator, step.choice)))
    while True:
        rows = most if n_rows == n else most[sample(samples.strata[most], n_rows, validator.random_state)]
        started = deadline.elapsed
        machine = validator.family.train(step.machine(C), samples[rows])
        n_rows = min(n, affordable_rows(validator, len(rows), deadline.elapsed - started))
        if len(rows) == n or n_rows < min(n, WORTH_MORE * len(rows)):
            break
    if len(rows) < n:
        deadline.skipped.append(f"training on {n - len(rows)} of {n} distinct rows")
    return machine, rows


def affordable_rows(validator: CrossValidator, n_timed: int, seconds: float) -> int:
    """Rows that there is time to train on, where ``n_timed`` take so many seconds.

    Time grows like the square of the rows. There are never fewer than the search had.
    """
    left = max(validator.context.deadline.left, 0.0)
    most = max(n_timed * np.sqrt(left / max(seconds, 1e-6)), n_trained(validator))
    return int(min(len(validator.samples), most))


def exact_seconds(validator: CrossValidator, choice: Choice) -> float:
    """Seconds that the final machine takes on all rows, about.

    From a cold start it takes about as long as a fold's path up to its C, and the time grows like the square
    of the number of rows.
    """
    scored, n_folds = choice.scored, validator.fold_rows.n_folds
    seconds = scored.seconds / n_folds * (choice.index + 1) / len(scored.Cs)
    return max(seconds, 1e-6) * (len(validator.samples) / n_trained(validator)) ** 2


def n_trained(validator: CrossValidator) -> float:
    """Rows that a machine of the search was trained on."""
    return float(np.mean([len(train) for train, _ in validator.folds]))
