"""Step 7 of a search: the final machine, exact or by Nyström features, on the rows that its time allows.

A final solver is a function from the estimator, the validator and the choice to `Finished`, and a line of
`finish`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from kernelwise._core.labels import is_balanced
from kernelwise._core.threads import Task, threads
from kernelwise.estimators._labels_score import scores_of_labels, unseen_odds
from kernelwise.estimators.fit_record import Finished, FitRecord, HeldOut, count_bounded
from kernelwise.findings import Finding, catalogue
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import Deadline
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.landmarks import FEW, MANY, HeldOutValues, Rows
from kernelwise.search.result import Choice
from kernelwise.search.verdict.optimism import optimism
from kernelwise.solvers.probability import log_odds

#: Share of a time budget that is kept for the final machine.
RESERVE = 0.4
#: Decision values of what is held out that are worth a thread of their own.
MANY_VALUES = 20_000


def check_solver(solver: Any, is_gram: bool, owner: str) -> None:
    """Raise unless a solver takes such samples."""
    if solver == "nystroem" and is_gram:
        raise ValueError(
            f"solver='nystroem' of {owner} needs kernel values between samples and landmarks, which a "
            "precomputed matrix does not have. Use solver='exact', or pass samples and a kernel."
        )


def finish(model: Any, validator: CrossValidator, choice: Choice) -> Finished:
    """Train the chosen machine, or a Nyström machine where an exact one would take too long."""
    reason = why_nystroem(model.solver, validator, choice)
    if reason is None:
        return finish_exact(model, validator, choice)
    return finish_nystroem(model, validator, reason)


def why_nystroem(solver: str, validator: CrossValidator, choice: Choice) -> str | None:
    """Why the final machine is a Nyström machine; None if it is an exact one."""
    n, deadline = len(validator.samples), validator.context.deadline
    if solver == "nystroem":
        return "as you asked"
    if solver == "exact" or validator.samples.is_gram:
        return None
    if validator.context.full_data is not None:  # the samples are a part, however few rows of it are distinct
        return f"because {validator.context.full_data.n_rows} rows are more than {MANY}"
    if n <= FEW:
        return None
    if deadline.seconds is None:
        return f"because {n} distinct rows are more than {MANY}" if n > MANY else None
    seconds, left = exact_seconds(validator, choice), max(deadline.left, 0.0)
    if seconds <= left:
        return None
    return f"because an exact model would take about {seconds:.0f} s on {n} rows, and {left:.0f} s were left"


def finish_exact(model: Any, validator: CrossValidator, choice: Choice) -> Finished:
    """The chosen machine, trained on all rows that its time allows."""
    started = time.perf_counter()
    rows = affordable_rows(validator, choice)
    part, tested = validator.samples[rows], validator.tested

    def fitted() -> Any:
        return model._machine().fit(part.Z, model._targets(part.y), sample_weight=part.bound)

    # What the search found says the rest, which takes as long as the machine if there are many values.
    needs_machine = bool((validator.fold_rows.fold < 0).any())
    n_jobs = model.n_jobs if choice.decision.size >= MANY_VALUES else 1
    answer, luck = partial(_answers, model, validator, choice), None
    if needs_machine:
        machine = fitted()
        sigmoids, findings, answers = answer(machine, rows)
    else:
        tasks: list[Task] = [
            (fitted, (), {}),
            (answer, (None, rows), {}),
            (optimism, (validator, choice), {}),
        ]
        machine, (sigmoids, findings, answers), luck = threads(n_jobs)(tasks)
    validator.context.findings.extend(findings)
    if sigmoids is not None:  # best_estimator_ answers as the model does
        machine.set_params(probability=True)._sigmoids = sigmoids
    n_bounded = count_bounded(machine, part.bound)
    record = FitRecord(len(rows), n_bounded, **answers._asdict(), weight=validator.held_out.weight[tested])
    seconds = time.perf_counter() - started
    scores = scores_of_labels(validator, choice, record)
    return Finished(machine, rows, sigmoids, record, np.size(machine.n_iter_), seconds, scores, luck)


def _answers(
    model: Any, validator: CrossValidator, choice: Choice, machine: Any, trained: np.ndarray
) -> tuple[np.ndarray | None, list[Finding], HeldOut]:
    """Sigmoids of the model, if it has any, what is to say about them, and its answers to held-out rows."""
    held, tested = validator.held_out, validator.tested
    decision, used = _for_sigmoids(validator, choice.decision, machine, trained)
    sigmoids, findings = model._sigmoids_of(held if used.all() else held[used], decision[used])
    odds = None if sigmoids is None else unseen_odds(validator, decision, used, sigmoids)[tested]
    return sigmoids, findings, model._held_out(held.y[tested], choice.decision[tested], odds)


def _for_sigmoids(
    validator: CrossValidator, decision: np.ndarray, machine: Any, trained: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Decision values of what is held out, (n_held_out, n_machines), and whether sigmoids are fitted to them.

    They are, but for folds whose training part lacks a class, if any has all of them. If no fold holds out a
    class, its rows have the values of the final machine: a sigmoid that knew nothing of a class would never
    answer it.
    """
    is_lone = validator.fold_rows.fold < 0
    if is_lone.any():
        rows, Z = validator.fold_rows.rows[validator.fold_rows.asked[is_lone]], validator.samples.Z
        Z = Z[np.ix_(rows, trained)] if validator.samples.is_gram else Z[rows]
        decision = decision.copy()
        decision[is_lone] = machine.machine_values(Z)
    used = validator.is_from_all_classes | is_lone
    if not set(validator.held_out.strata) <= set(validator.held_out.strata[used]):
        used = np.ones_like(used)
    return decision, used


def affordable_rows(validator: CrossValidator, choice: Choice) -> np.ndarray:
    """Rows that the final machine can be trained on in the time left; never fewer than the search had."""
    n, deadline = len(validator.samples), validator.context.deadline
    affordable = n * np.sqrt(max(deadline.left, 0.0) / exact_seconds(validator, choice))
    affordable = max(affordable, _n_trained(validator))
    if n <= affordable:
        return np.arange(n)
    rows = sample(validator.samples.strata, int(affordable), validator.random_state)
    deadline.skipped.append(f"training on {n - len(rows)} of {n} distinct rows")
    return rows


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


#: Rows that both machines are trained on and, at most, asked about to compare them.
N_COMPARED, N_ASKED = 5000, 20_000


def finish_nystroem(model: Any, validator: CrossValidator, reason: str) -> Finished:
    """Train a Nyström machine, and compare it with an exact one on a sample of the rows.

    Parameters
    ----------
    model : TunedSVC or TunedSVR
        Makes both machines.
    validator : CrossValidator
        Its context gets a finding that says what was done, why, and what it costs.
    reason : str
        Why the machine is no exact one.
    """
    started = time.perf_counter()
    machine, context = model._nystroem(validator.random_state), validator.context
    full = None
    if context.full_data is not None:
        full = context.full_data.training_rows(validator.family)
    held = _fit(machine, validator, np.arange(len(validator.samples)), context.deadline, full)
    compared = _compared(machine, validator, model._machine(), model._targets)
    finding = catalogue.NYSTROEM(
        n_landmarks=len(machine.support_), reason=reason, compared=compared and f" {compared}"
    )
    context.findings.append(finding)
    if not validator.fold_rows.is_partition:
        context.findings.append(catalogue.NYSTROEM_FOLDS())
    sigmoids = getattr(machine, "sigmoids_", None)
    odds = None if sigmoids is None else log_odds(held.decision, sigmoids)
    answers: HeldOut = model._held_out(validator.samples.y[held.rows], held.decision, odds)
    return Finished(
        machine,
        np.empty(0, int),
        sigmoids,
        FitRecord(machine.n_trained_, 0, **answers._asdict(), weight=held.weight),
        np.size(machine.n_iter_) * (machine.search_results_["C"].size + 1),
        time.perf_counter() - started,
    )


def _fit(
    machine: Any, validator: CrossValidator, used: np.ndarray, deadline: Deadline, full: Rows | None = None
) -> HeldOutValues:
    part = validator.samples[used]

    def score(decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return _score(validator, decision, used[rows], weight)

    family: Any = validator.family
    rows = Rows(
        *(part.Z, part.y, part.weight, part.bound, getattr(family, "classes", None)),
        is_balanced=is_balanced(getattr(family, "class_weight", None)),
    )
    return machine.fit_rows(rows, score, deadline, full)


def _score(
    validator: CrossValidator, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Scores of shape (n_Cs,) of values of rows that one machine holds out.

    Where the score is of probabilities, two halves of the rows validator each other's sigmoids.
    """
    samples = validator.samples
    held = Samples(None, samples.y[rows], samples.strata[rows], weight, samples.bound[rows])
    return validator.scorer(
        validator.family.scored_values(decision, held, np.arange(len(rows)) % 2), rows, weight
    )


def _compared(machine: Any, validator: CrossValidator, exact: Any, targets: Any) -> str:
    """Scores of both machines, trained on the same rows, on other ones; empty if there are none."""
    samples, deadline = validator.samples, validator.context.deadline
    n, strata = len(samples), samples.strata
    used = sample(strata, min(N_COMPARED, n // 2), validator.random_state)
    others = np.setdiff1d(np.arange(n), used)
    if len(others) > N_ASKED:
        others = others[sample(strata[others], N_ASKED, validator.random_state)]
    if len(np.unique(strata[others])) < len(np.unique(strata)):  # no others, or a score of some classes
        return ""
    cost = validator.scored[-1].seconds  # of machines on as many rows
    if not deadline.allows("comparing the Nyström model with an exact one", cost):
        return ""
    twin = clone(machine).set_params(n_components=len(machine.support_))
    _fit(twin, validator, used, Deadline())
    part = samples[used]
    exact.fit(part.Z, targets(part.y), sample_weight=part.bound)
    scores = []
    for one in (twin, exact):
        values = one.machine_values(samples.Z[others])
        decision = values.T if values.shape[1] == 1 else values[None]
        scores.append(float(_score(validator, decision, others, samples.weight[others])[0]))
    return (
        f"In a comparison on {len(used)} training rows and {len(others)} other rows, such a model scores "
        f"{scores[0]:.4f} and an exact one {scores[1]:.4f}."
    )
