"""Step 7 of a search: the final machine, exact or by Nyström features, on the rows that its time allows.

A final solver is a function from a `FinalStep` to `Finished`, and a line of `finish`.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.labels import is_balanced
from kernelwise._core.threads import Task, threads
from kernelwise.conformal import Spread
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.propose.c_range import STEP
from kernelwise.search.propose.landmarks import MANY, MIN_GAIN, HeldOutValues, NystroemSearch, Rows
from kernelwise.search.result import Choice, FitRecord, HeldOut
from kernelwise.search.scoring.probabilities import cross_fitted_odds
from kernelwise.search.scoring.scorers import HeldOutScorer
from kernelwise.search.settings import FitSettings, Trainer
from kernelwise.search.verdict.claim import Luck
from kernelwise.search.verdict.optimism import optimism
from kernelwise.search.verdict.summary import shown_as_sure
from kernelwise.solvers.kernel_rows import can_be_native
from kernelwise.solvers.probability import log_odds

#: Rows squared times columns up to which the native core trains exactly in about half a minute: 100 000 rows
#: of 20 columns. A Nyström machine takes longer there, and is the worse one.
EXACT_WORK = 3e11
#: What a row costs apart from its columns, in columns.
BESIDE_COLUMNS = 10
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


def finish(step: FinalStep) -> Finished:
    """Train the chosen machine, or a Nyström machine where an exact one would take too long."""
    reason = why_nystroem(step.settings.solver, step.validator, step.choice)
    return finish_exact(step) if reason is None else finish_nystroem(step, reason)


def why_nystroem(solver: str, validator: CrossValidator, choice: Choice) -> str | None:
    """Why the final machine is a Nyström machine; None if it is an exact one."""
    n = len(validator.samples)
    if solver == "nystroem":
        return "as you asked"
    if solver == "exact" or validator.samples.is_gram or not validator.family.has_nystroem:
        return None
    if validator.context.full_data is not None:  # the samples are a part, however few rows of it are distinct
        return f"because {validator.context.full_data.n_rows} rows are more than {MANY}"
    most = most_exact(validator.samples, choice.scored.kernel, validator.family.exact_cost)
    return f"because {n} distinct rows are more than {most}" if n > most else None


def most_exact(samples: Samples, kernel: Kernel | str, cost: float = 1.0) -> int:
    """Rows up to which an exact machine is trained: a round number, and never fewer than `MANY`.

    ``cost`` is what it costs on as many rows, as a multiple of a classifier's.
    """
    if isinstance(kernel, str) or not can_be_native(kernel, samples.Z):
        return MANY
    n_rows = np.sqrt(EXACT_WORK / cost / (BESIDE_COLUMNS + samples.Z.shape[1]))
    return max(MANY, int(round(float(n_rows), -4)))


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
        return validator.scores_of(validator.scored_values(choice.decision[None].astype(float)))[0]
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
    most = max(n_timed * np.sqrt(left / max(seconds, 1e-6)), _n_trained(validator))
    return int(min(len(validator.samples), most))


def exact_seconds(validator: CrossValidator, choice: Choice) -> float:
    """Seconds that the final machine takes on all rows, about.

    From a cold start it takes about as long as a fold's path up to its C, and the time grows like the square
    of the number of rows.
    """
    scored, n_folds = choice.scored, validator.fold_rows.n_folds
    seconds = scored.seconds / n_folds * (choice.index + 1) / len(scored.Cs)
    return max(seconds, 1e-6) * (len(validator.samples) / _n_trained(validator)) ** 2


def _n_trained(validator: CrossValidator) -> float:
    """Rows that a machine of the search was trained on."""
    return float(np.mean([len(train) for train, _ in validator.folds]))


#: Rows that are asked about, at most, to compare machines and to fit sigmoids.
N_ASKED = 20_000
#: What an exact machine must be better by, on as many rows, to be preferred on a part of all rows.
WORTH_A_PART = MIN_GAIN
#: The most rows of a part, as a multiple of those that are always trained on exactly: with a part three times
#: as large, a million rows took more than five minutes.
MOST_OF_PART = 2
#: Values of C below that of the search which are tried for the machine of a part, at most.
MOST_STEPS = 2
#: Blocks of the rows that a machine is asked about, whose scores say how sure their mean is.
N_BLOCKS = 5


class Compared(NamedTuple):
    """Scores of a Nyström machine and an exact one, ``trained`` on some rows and asked about ``others``."""

    trained: np.ndarray
    others: np.ndarray
    nystroem: float
    exact: float

    def __str__(self) -> str:
        return (
            f" In a comparison on {len(self.trained)} training rows and {len(self.others)} other rows, such "
            f"a model scores {self.nystroem:.4f} and an exact one {self.exact:.4f}."
        )


def finish_nystroem(step: FinalStep, reason: str) -> Finished:
    """Train a Nyström machine, unless an exact one on a part of the rows promises more.

    Both are compared on a sample, on which the landmarks were chosen, too. An approximation that is worse
    there falls back further on more rows, which ask for more landmarks. The context of the fit gets a finding
    that says what was done, why (``reason``), and what it costs.
    """
    started, validator = time.perf_counter(), step.validator
    machine, context = step.nystroem(), validator.context
    may_be_part = step.settings.solver == "auto" and context.full_data is None
    exact = _Exact(step)
    search = machine.searched(_rows(validator), exact.ceiling if may_be_part else None)
    compared = _compared(search, exact)
    if may_be_part and compared is not None and compared.exact - compared.nystroem > WORTH_A_PART:
        return finish_part(step, compared, started)
    machine.train_on(search)
    held = search.held_out()
    finding = catalogue.NYSTROEM(n_landmarks=len(machine.support_), reason=reason, compared=compared or "")
    context.findings.append(finding)
    if not validator.fold_rows.is_partition:
        context.findings.append(catalogue.NYSTROEM_FOLDS())
    sigmoids = getattr(machine, "sigmoids_", None)
    n_machines = np.size(machine.n_iter_) * (machine.search_results_["C"].size + 1)
    record = _record(step, machine.n_trained_, 0, held, sigmoids)
    return _asked(step, machine, np.empty(0, int), sigmoids, record, n_machines, held, started)


def finish_part(step: FinalStep, compared: Compared, started: float) -> Finished:
    """The chosen machine, trained on the rows of a part; others, that it has not seen, tell its sigmoids.

    C is less than that of the search if the rows of the comparison, which are more, have no worse score then:
    training takes less time.
    """
    validator, samples, others = step.validator, step.validator.samples, compared.others
    n, most = len(samples), most_exact(samples, step.choice.scored.kernel, validator.family.exact_cost)
    rest = np.setdiff1d(np.arange(n), others)
    # Time grows at least like the square of the rows of the part, and so like the number of all rows.
    n_part = min(len(rest), int(np.sqrt(float(most) * n)), MOST_OF_PART * most)
    part = rest[sample(samples.strata[rest], n_part, validator.random_state)]
    C, score = step.choice.C, compared.exact
    for _ in range(MOST_STEPS):
        lower = _score_of_exact(step, C / STEP, compared.trained, others)
        if lower < score:
            break
        C, score = C / STEP, lower
    machine, rows = train_in_time(step, part, C)
    decision = machine.machine_values(samples.Z[others])
    sigmoids, findings = validator.family.sigmoids(samples[others], decision)
    if sigmoids is not None:
        sigmoids *= validator.family.temperature(samples[others], log_odds(decision, sigmoids))
    said = validator.context.findings
    said[:] = [one for one in said if one.name != catalogue.SAMPLED.name]  # it speaks of all rows
    n_sampled = len(validator.fold_rows.rows)
    said.append(
        catalogue.PART_OF_ROWS(n_sampled=n_sampled, n_rows=n, n_part=len(rows), C=C, compared=compared)
    )
    said.extend(findings)
    if sigmoids is not None:  # best_estimator_ answers as the model does
        machine.set_params(probability=True)._sigmoids = sigmoids
    held = HeldOutValues(others, samples.weight[others], decision)
    n_bounded = count_bounded(machine, samples.bound[rows]) if validator.family.has_bounds else 0
    record = _record(step, len(rows), n_bounded, held, sigmoids)
    return _asked(step, machine, rows, sigmoids, record, np.size(machine.n_iter_), held, started)


def _asked(
    step: FinalStep,
    machine: Any,
    rows: np.ndarray,
    sigmoids: np.ndarray | None,
    record: FitRecord,
    n_machines: int,
    held: HeldOutValues,
    started: float,
) -> Finished:
    """A machine that the search did not compare, with its scores on rows that were held out from it.

    They are scores of the labels that it gives, where the score goes by labels. There are none where one is
    not a number: some scores need every class in each block.
    """
    validator, strata = step.validator, step.validator.samples.strata[held.rows]
    place, n_blocks = np.empty(len(strata), int), min(N_BLOCKS, len(strata))
    place[np.argsort(strata, kind="stable")] = np.arange(len(strata)) % n_blocks
    goes_by_labels = record.scored is not None and validator.goes_by_labels
    labels, values = record.predicted[None], None
    if not goes_by_labels:
        values = _seen(validator, _of_one(held.decision), held.rows, held.weight)
    scores = np.empty(n_blocks)
    for k in range(n_blocks):
        block = np.flatnonzero(place == k)
        asked = held.rows[block], held.weight[block]
        if values is None:
            assert isinstance(validator.scorer, HeldOutScorer)
            scores[k] = validator.scorer(None, *asked, labels[:, block])[0]
        else:
            scores[k] = validator.scorer(values[:, block], *asked)[0]
    defined = scores if n_blocks > 1 and np.isfinite(scores).all() else None
    luck = None if defined is None else Luck(0.0)  # these rows had no part in the choice of the kernel
    seconds = time.perf_counter() - started
    return Finished(machine, rows, sigmoids, record, n_machines, seconds, defined, luck, held.rows)


def _record(
    step: FinalStep, n_rows: int, n_bounded: int, held: HeldOutValues, sigmoids: np.ndarray | None
) -> FitRecord:
    """The answers to rows that were held out from all rows, not by the folds of the search."""
    family, samples = step.validator.family, step.validator.samples
    odds = None if sigmoids is None else log_odds(held.decision, sigmoids)
    answers = family.held_out(samples.y[held.rows], held.decision, odds, step.costs)
    return FitRecord(n_rows, n_bounded, **answers._asdict(), weight=held.weight)


def _rows(validator: CrossValidator) -> Rows:
    """What a Nyström machine is trained on, and scored by."""
    samples, context = validator.samples, validator.context
    family: Any = validator.family
    full = None if context.full_data is None else context.full_data.training_rows(family)
    return Rows(
        *(samples.Z, samples.y, samples.weight, samples.bound, getattr(family, "classes", None)),
        *(is_balanced(getattr(family, "class_weight", None)), partial(_score, validator)),
        *(context.deadline, full),
    )


def _score(
    validator: CrossValidator, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Scores of shape (n_Cs,) of values of rows that one machine holds out."""
    return validator.scorer(_seen(validator, decision, rows, weight), rows, weight)


def _seen(
    validator: CrossValidator, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """What a scorer sees of these values: if probabilities, halves of the rows have each other's sigmoids."""
    samples = validator.samples
    held = Samples(None, samples.y[rows], samples.strata[rows], weight, samples.bound[rows])
    return validator.family.scored_values(decision, held, np.arange(len(rows)) % 2)


class _Exact:
    """The exact machine that a Nyström machine is compared with, trained once."""

    def __init__(self, step: FinalStep) -> None:
        self.step, self.machine, self.is_allowed = step, None, True

    def score(self, trained: np.ndarray, others: np.ndarray) -> float | None:
        """The score on other rows; None if there is no time to train it."""
        validator = self.step.validator
        if self.machine is None and self.is_allowed:
            # The time of a path on the rows of the search grows like their square.
            cost = validator.scored[-1].seconds * max(1.0, len(trained) / _n_trained(validator)) ** 2
            deadline = validator.context.deadline
            self.is_allowed = deadline.allows("comparing the Nyström model with an exact one", cost)
            if self.is_allowed:
                self.machine = validator.family.train(self.step.machine(), validator.samples[trained])
        if self.machine is None:
            return None
        return _score_of(validator, self.machine.machine_values(validator.samples.Z[others]), others)

    def ceiling(self, search: NystroemSearch) -> float:
        """What the candidates of a search can reach, about."""
        score = self.score(search.trained, search.tested)
        return np.inf if score is None else score


def _compared(search: NystroemSearch, exact: _Exact) -> Compared | None:
    """Scores of both machines on rows that neither was trained on; None without time, or without such rows.

    Where the landmarks were chosen on all rows, these are the rows that were held out.
    """
    validator, trained = exact.step.validator, search.trained
    samples, strata = validator.samples, validator.samples.strata
    others = np.setdiff1d(np.arange(len(samples)), search.used)
    others = np.setdiff1d(search.used, trained) if others.size < trained.size else others
    if len(others) > N_ASKED:
        others = others[sample(strata[others], N_ASKED, validator.random_state)]
    if len(np.unique(strata[others])) < len(np.unique(strata)):  # no others, or a score of some classes
        return None
    score = exact.score(trained, others)
    if score is None:
        return None
    return Compared(trained, others, _score_of(validator, search.values(samples.Z[others]), others), score)


def _score_of_exact(step: FinalStep, C: float, trained: np.ndarray, others: np.ndarray) -> float:
    """The score of the chosen machine with that C, trained on some rows and asked about others."""
    samples = step.validator.samples
    machine = step.validator.family.train(step.machine(C), samples[trained])
    return _score_of(step.validator, machine.machine_values(samples.Z[others]), others)


def _score_of(validator: CrossValidator, values: np.ndarray, rows: np.ndarray) -> float:
    """The score of one machine's values of some rows, of shape (n_rows, n_machines)."""
    return float(_score(validator, _of_one(values), rows, validator.samples.weight[rows])[0])


def _of_one(values: np.ndarray) -> np.ndarray:
    """Values of shape (n_rows, n_machines) as those of one C."""
    return values.T if values.shape[1] == 1 else values[None]
