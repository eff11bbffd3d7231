"""Approximate final machines, of a part of the rows or on Nyström features, and when they are taken.

A final solver is a function from a `FinalStep` to `Finished`, and a line of `finish`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.labels import is_balanced
from kernelwise.findings import catalogue
from kernelwise.kernels import Kernel
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.final.machine import (
    FinalStep,
    Finished,
    count_bounded,
    finish_exact,
    n_trained,
    train_in_time,
)
from kernelwise.search.propose.c_range import STEP
from kernelwise.search.propose.landmarks import MANY, MIN_GAIN, HeldOutValues, NystroemSearch, Rows
from kernelwise.search.result import Choice, FitRecord
from kernelwise.search.scoring.scorers import HeldOutScorer
from kernelwise.search.verdict.claim import Luck
from kernelwise.solvers.kernel_rows import can_be_native
from kernelwise.solvers.probability import log_odds

#: Rows squared times columns up to which the native core trains exactly in about half a minute: 100 000 rows
#: of 20 columns. A Nyström machine takes longer there, and is the worse one. A sum computes all its kernels.
EXACT_WORK = 3e11
#: What a row costs apart from its columns, in columns.
BESIDE_COLUMNS = 10
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
    n_rows = np.sqrt(EXACT_WORK / cost / len(kernel.parts()) / (BESIDE_COLUMNS + samples.Z.shape[1]))
    return max(MANY, int(round(float(n_rows), -4)))


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
            cost = validator.scored[-1].seconds * max(1.0, len(trained) / n_trained(validator)) ** 2
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
