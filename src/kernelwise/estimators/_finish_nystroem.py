"""The last step of a search with more rows than an exact machine can be trained on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from kernelwise._core.labels import is_balanced
from kernelwise.estimators.fit_record import Finished, FitRecord, HeldOut
from kernelwise.findings import Finding
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.context import Deadline
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.landmarks import HeldOutValues, Rows
from kernelwise.solvers.probability import log_odds

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
    head = (
        f"The final model is an approximation by {len(machine.support_)} landmark rows (Nyström), {reason}."
    )
    context.findings.append(
        Finding(
            "nystroem",
            "info",
            f"{head} {_compared(machine, validator, model._machine(), model._targets)}".strip(),
            "For an exact model, use solver='exact' and no time_budget, or a longer one.",
            "For an exact model, use --solver exact and no --time-budget, or a longer one.",
        )
    )
    if not validator.fold_rows.is_partition:
        message = "C and the probabilities of the final model come from rows held out at random, not by 'cv'."
        advice = "Use solver='exact' if rows belong to groups or are ordered in time."
        option = "Use --solver exact if rows belong to groups or are ordered in time."
        context.findings.append(Finding("nystroem folds", "info", message, advice, option))
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
