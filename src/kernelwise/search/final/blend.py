"""A blend: the few settings of a search that complement each other, in place of the best one alone.

All settings (kernel, C, ε) whose score is within `NEAR` standard errors of the best may take part. Their
held-out values are known. The blend starts with those of the lowest held-out cost, and then adds, one after
the other, the setting, maybe again, that lowers the cost of the mean most (Caruana, Niculescu-Mizil, Crew &
Ksikes, ICML 2004).

For classes the mean is that of log odds, by sigmoids that have not seen the rows, and the cost is the
log-loss, or the score that the user names, with the log-loss for ties. For numbers it is the mean of
predictions, and the cost is minus the score. The score that is quoted has not seen its rows either: the
answers of a fold are those of the blend which the other folds choose.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.rounding import significant
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.final.approximate import why_nystroem
from kernelwise.search.final.machine import FinalStep, Finished, exact_seconds, scores_if_of_labels
from kernelwise.search.propose.c_range import STEP
from kernelwise.search.result import Choice, FitRecord, Member
from kernelwise.search.scoring.probabilities import SMALLEST, cross_fitted_odds, held_out_log_losses
from kernelwise.search.settings import BlendTrainer
from kernelwise.solvers.probability import class_probabilities

#: Standard errors that a setting may be behind the best one.
NEAR = 2.0
#: Settings that a blend starts with, and that are added then.
N_START, N_ADDED = 5, 5
#: Settings that are considered, at most, and numbers that their values are, about.
MOST_SETTINGS, MOST_NUMBERS = 30, 2e7
#: Losses that the best kernels are scored with once more, and exponents of their values of C.
LOSSES, EXPONENTS = ("squared_hinge",), np.arange(-2, 2)
#: Sigmoids that are fitted to held-out values of settings, at most: where there are many pairs of classes, or
#: many folds, only the settings of the best scores are asked.
MOST_SIGMOIDS = 5000
#: Seconds that a sigmoid takes, about.
OF_SIGMOID = 3e-5
#: What is skipped if there is no time.
WHAT, NO_TIME = "a blend of several kernels", "there is no time for it"


class Setting(NamedTuple):
    """A kernel that was scored, the number of one of its values of C, and the loss of its machines."""

    scored: ScoredKernel
    place: int
    loss: str

    @property
    def decision(self) -> np.ndarray:
        """Held-out decision values, of shape (n_held_out, n_machines)."""
        return self.scored.decision_at(self.place).astype(float)


@dataclass(frozen=True)
class Blend:
    """Settings with their weights, and how their values become those of the blend.

    Attributes
    ----------
    members : tuple of Member
    maps : ndarray of shape (n_members, n_machines, 2)
        a and b of the sum Σ (a f + b) over the members: log odds of classes, predictions of numbers.
    values : ndarray of shape (n_held_out, n_machines)
        Held-out values of the blends that the other folds choose.
    """

    members: tuple[Member, ...]
    maps: np.ndarray
    values: np.ndarray


def choose_blend(validator: CrossValidator, choice: Choice, solver: str) -> Blend | str:
    """The blend of a search, or why there is none, as the end of a sentence."""
    if why_nystroem(solver, validator, choice) is not None:
        return "the final model is an approximation"
    why_not = _why_not(validator)
    if why_not is not None:
        return why_not
    settings = near_the_best(validator, [*scored_as_usual(validator), *scored_with_others(validator, choice)])
    if len(settings) < 2:
        return "no other setting is near the best one"
    deadline, n_folds = validator.context.deadline, validator.fold_rows.n_folds
    n_sigmoids = (N_START + N_ADDED) * getattr(validator.family, "n_machines", 0) * n_folds
    if not deadline.allows(WHAT, OF_SIGMOID * n_sigmoids):
        return NO_TIME
    pool = (_classes if isinstance(validator.family, Classification) else _numbers)(validator, settings)
    costs = _remembered(pool.costs)
    started = time.perf_counter()
    costs(np.zeros(1))
    if not deadline.allows(WHAT, (1 + N_ADDED) * (1 + n_folds) * (time.perf_counter() - started)):
        return NO_TIME
    weight = chosen_weights(costs)
    places = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    chosen = [pool.settings[q] for q in places]
    seconds = sum(exact_seconds(validator, Choice(one.scored, one.place)) for one in chosen)
    if not deadline.allows(WHAT, seconds):
        return NO_TIME
    by_fold = [_mean(pool, chosen_weights(costs, k)) for k in range(n_folds)]
    fold = validator.fold_rows.fold
    values = np.stack(by_fold)[fold, np.arange(len(fold))]
    temperature = validator.family.temperature(validator.held_out, values)
    members = tuple(
        Member(one.kernel, float(one.Cs[place]), float(share), one.epsilon, loss)
        for (one, place, loss), share in zip(chosen, weight[places], strict=True)
    )
    maps = np.stack(
        [one.weight * _map(validator, setting) for one, setting in zip(members, chosen, strict=True)]
    )
    return Blend(members, temperature * maps, temperature * values)


def _why_not(validator: CrossValidator) -> str | None:
    """What keeps a search from blending, as the end of a sentence; None if nothing does."""
    folds, held = validator.fold_rows, validator.held_out
    if getattr(validator.family, "quantiles", ()):
        return "its predictions are quantiles"
    if len(np.unique(folds.rows)) < len(validator.samples) or validator.context.full_data is not None:
        return "the search has looked at a part of the rows only"
    if (folds.fold < 0).any() or folds.n_folds < 2:
        return "not every row is held out"
    if len(folds.asked) > len(np.unique(folds.asked)) or len(folds.asked) < len(folds.rows):
        return "the folds hold out some rows several times, or never"
    if isinstance(validator.family, Classification):
        n_classes = len(validator.family.classes)
        seen = [held.y[folds.fold != k] for k in range(folds.n_folds)]
        if not validator.is_from_all_classes.all() or any(len(np.unique(y)) < n_classes for y in seen):
            return "a class has too few rows"
    return None


def scored_as_usual(validator: CrossValidator) -> list[tuple[ScoredKernel, str]]:
    """The kernels of a search, each with its loss."""
    return [(one, getattr(validator.family, "loss", "")) for one in validator.scored]


def scored_with_others(validator: CrossValidator, choice: Choice) -> list[tuple[ScoredKernel, str]]:
    """The chosen kernel once more, with the losses of `LOSSES`, on the same folds; with more effort, more.

    A machine of the hinge loss with a small C has most vectors at their bounds, so that its values say little
    about how sure it is. Those of smooth losses say more, and err elsewhere.
    """
    family, deadline, most = validator.family, validator.context.deadline, validator.effort.n_smooth
    if not isinstance(family, Classification) or family.loss != "hinge" or not most:
        return []
    known = {id(one) for one in validator.scored}
    forms = [[one for one in form.scored if id(one) in known] for form in choice.tried_forms.values()]
    best = [max(form, key=lambda one: one.best_score) for form in forms or [validator.scored] if form]
    best = sorted(best, key=lambda one: (one is not choice.scored, -one.best_score))[:most]
    found = []
    for loss in LOSSES:
        # Nothing of it goes to the journal, whose kernels have no loss, or to those who watch the search.
        judge = replace(
            validator, family=replace(family, loss=loss), scored=[], context=FitContext(deadline), n_earlier=0
        )
        for one in best:
            Cs = _values_of_C(one.variance) if validator.Cs is None else validator.Cs
            if deadline.allows(f"{one.kernel} with another loss", one.seconds):
                found.append((judge.score(one.scorable, loss, Cs=Cs), loss))
        validator.n_earlier += judge.n_machines
    return found


def _values_of_C(variance: float) -> np.ndarray:
    """Powers of `STEP` around one over the variance in feature space, as `c_range` has them."""
    return STEP ** (np.rint(-np.log(variance) / np.log(STEP)) + EXPONENTS)


def near_the_best(validator: CrossValidator, scored: list[tuple[ScoredKernel, str]]) -> list[Setting]:
    """Settings whose score is within `NEAR` standard errors of the best, in the order of ``scored``."""
    top = max((one for one, _ in scored), key=lambda one: one.best_score)
    least = top.best_score - NEAR * float(np.nan_to_num(validator.standard_error(top)))
    found = []
    for one, loss in scored:
        near = np.flatnonzero(one.smoothed >= significant(least))
        found += [Setting(one, int(place), loss) for place in near]
    return found


def _best(costs: ArrayLike, most: int) -> np.ndarray:
    """Numbers of so many settings, those of the lowest costs, (n_settings,), in their order."""
    return np.sort(np.argsort(significant(costs), kind="stable")[:most])


def _best_scores(settings: list[Setting], most: int) -> list[Setting]:
    best = _best([-one.scored.smoothed[one.place] for one in settings], most)
    return [settings[q] for q in best]


class Pool(NamedTuple):
    """Settings, what is blended of them, (n_settings, n_held_out, n_machines), and what blends cost.

    ``costs`` takes counts of the settings, of shape (n_settings,), and returns costs of adding each of them
    once more, (n_settings, n_kinds, n_folds): what decides, and what decides ties.
    """

    settings: list[Setting]
    values: np.ndarray
    costs: Callable[[np.ndarray], np.ndarray]


def chosen_weights(costs: Callable[[np.ndarray], np.ndarray], without: int | None = None) -> np.ndarray:
    """Weights of shape (n_settings,) that sum to one: the best few, then what improves their mean most.

    ``costs`` is that of a `Pool`; a fold that they are chosen ``without`` does not count.
    """

    def of(counts: np.ndarray) -> np.ndarray:
        by_fold = costs(counts)
        if without is not None:
            by_fold = np.delete(by_fold, without, axis=2)
        return np.lexsort(significant(by_fold.mean(axis=2)).T[::-1])

    order = of(np.zeros(1))
    counts = np.zeros(len(order))
    counts[order[:N_START]] = 1.0
    for _ in range(N_ADDED):
        counts[of(counts)[0]] += 1.0
    return counts / counts.sum()


def _remembered(costs: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The same function, which computes nothing twice: what most folds choose is the same at first."""
    known: dict[bytes, np.ndarray] = {}

    def of(counts: np.ndarray) -> np.ndarray:
        key = counts.tobytes()
        if key not in known:
            known[key] = costs(counts)
        return known[key]

    return of


def _mean(pool: Pool, weight: np.ndarray) -> np.ndarray:
    """The blend's held-out values, of shape (n_held_out, n_machines)."""
    return np.tensordot(weight, pool.values, 1)


def _means(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means of what is counted and each setting once more, in the shape of ``values``."""
    if not counts.any():
        return values
    return (np.tensordot(counts, values, 1) + values) / (counts.sum() + 1.0)


def _scores(validator: CrossValidator, means: np.ndarray) -> np.ndarray:
    """Scores of shape (n_blends, n_folds) of blended values, (n_blends, n_held_out, n_machines)."""
    values = means[:, :, 0] if means.shape[2] == 1 else means
    values = validator.family.as_shown(values, values)
    return np.nan_to_num(validator.scores_of(values), nan=-np.inf)


def _most_settings(validator: CrossValidator) -> int:
    """Settings that are considered, at most: fewer where scikit-learn scores every blend of every fold."""
    family = validator.family
    is_quick = validator.scorer.is_share or getattr(family, "scoring", "") in (None, "r2")
    return MOST_SETTINGS if is_quick else N_START + N_ADDED


def _numbers(validator: CrossValidator, settings: list[Setting]) -> Pool:
    """Predictions, whose means are scored; of many settings, those of the best scores."""
    best = _best_scores(settings, _most_settings(validator))
    values = np.stack([setting.decision for setting in best])
    return Pool(best, values, lambda counts: -_scores(validator, _means(values, counts))[:, None])


def _classes(validator: CrossValidator, settings: list[Setting]) -> Pool:
    """Log odds; of many settings, those of the lowest log-loss.

    Of three classes or more the log-loss is that of means of log-probabilities, which are coupled once, and
    not that of the coupled means of log odds: both are nearly the same.
    """
    family, held, folds = validator.family, validator.held_out, validator.fold_rows
    assert isinstance(family, Classification)
    n_classes = len(family.classes)
    fewest, n_machines = N_START + N_ADDED, family.n_machines
    settings = _best_scores(settings, max(fewest, MOST_SIGMOIDS // (n_machines * max(folds.n_folds, 5))))
    most = int(np.clip(MOST_NUMBERS / (len(held) * n_machines), fewest, _most_settings(validator)))
    decision = np.stack([setting.decision for setting in settings])
    if len(settings) > most:
        best = _best(held_out_log_losses(held, decision, n_classes, family.multiclass), most)
        settings, decision = [settings[q] for q in best], decision[best]
    V = cross_fitted_odds(decision, held, folds.fold, n_classes, family.machines)
    p = class_probabilities(V.reshape(-1, V.shape[2]), n_classes, family.machines)
    L = np.log(np.maximum(p, SMALLEST)).reshape(*V.shape[:2], n_classes)

    def costs(counts: np.ndarray) -> np.ndarray:
        loss = _log_loss(validator, _means(L, counts))
        if validator.scorer.is_share:
            return loss[:, None]
        return np.stack([-_scores(validator, _means(V, counts)), loss], axis=1)

    return Pool(settings, V, costs)


def _log_loss(validator: CrossValidator, logs: np.ndarray) -> np.ndarray:
    """What each fold adds to the mean log-loss of log-probabilities, (n_blends, n_held_out, n_classes).

    These need not sum to one; the result has the shape (n_blends, n_folds).
    """
    held, folds = validator.held_out, validator.fold_rows
    # No class is less likely than `SMALLEST`: nothing overflows, and the sums are not zero.
    lost = np.log(np.exp(logs).sum(axis=2)) - logs[:, np.arange(len(held)), held.y]
    share = held.bound / held.bound.sum()
    return lost @ (share[:, None] * (folds.fold[:, None] == np.arange(folds.n_folds)))


def _map(validator: CrossValidator, setting: Setting) -> np.ndarray:
    """How decision values become what is blended: a and b of a f + b, of shape (n_machines, 2)."""
    sigmoids, _ = validator.family.sigmoids(validator.held_out, setting.decision)
    return np.array([[1.0, 0.0]]) if sigmoids is None else -sigmoids


def finish_blend(step: FinalStep, blend: Blend) -> Finished:
    """Train the members on all rows, and add them up to one machine."""
    started, validator = time.perf_counter(), step.validator
    family, tested = validator.family, validator.tested
    untrained = [step.trainer._machine(one.kernel, one.C, one.epsilon) for one in blend.members]
    for machine, one in zip(untrained, blend.members, strict=True):
        if one.loss:
            machine.set_params(loss=one.loss)
    assert isinstance(step.trainer, BlendTrainer)
    machine = family.train(step.trainer._blend(untrained, blend.maps), validator.samples)
    held, values = validator.held_out, blend.values[tested]
    sigmoids = getattr(machine, "sigmoids_", None)
    answers = family.held_out(held.y[tested], values, None if sigmoids is None else values, step.costs)
    rows = np.arange(len(validator.samples))
    record = FitRecord(len(rows), 0, **answers._asdict(), weight=held.weight[tested])
    scores = _scores(validator, blend.values[None])[0]
    of_labels = None if sigmoids is None else scores_if_of_labels(validator, record, scores)
    scores = scores if of_labels is None else of_labels
    seconds = time.perf_counter() - started
    return Finished(machine, rows, sigmoids, record, np.size(machine.n_iter_), seconds, scores)
