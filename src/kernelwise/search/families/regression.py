"""Numbers as targets, standardised, and machines with an insensitive zone of width ε, or of quantiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.rounding import TARGET_STEP
from kernelwise._core.text import amount, in_words
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import check_not_negative
from kernelwise.criteria import Criterion, TargetAlignment
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.engine.scored_kernel import ScoredKernel, smooth
from kernelwise.search.families.family import Family
from kernelwise.search.propose.c_range import next_Cs
from kernelwise.search.propose.candidates import (
    NUMBER_RULES,
)
from kernelwise.search.result import HeldOut
from kernelwise.search.scoring.held_out_answers import (
    LARGEST,
    NumberAnswers,
    from_logarithms,
    pinball_losses,
)
from kernelwise.search.scoring.scorers import HeldOutScorer, PathScorer
from kernelwise.search.scoring.scores import Scoring, score_unit
from kernelwise.search.settings import checked_values
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.path_problem import Tables
from kernelwise.solvers.regression import RegressionPaths, check_quantiles

#: Criteria that TunedSVR takes by name.
ALIGNMENTS = {"kta": TargetAlignment(), "centered-kta": TargetAlignment(centered=True)}
#: ε of the first machines, in units of the standard deviation of y.
FIRST_EPSILON = 0.1
#: C·variance at most: of the values tried at first, and of those beyond. Larger ones take minutes where a
#: kernel is wide, and a narrower kernel does better with less.
FIRST_TOP, TOP = 2.0**6.5, 2.0**10.5
#: Relative: what rounding may leave between a share of the weight and the weight of some rows.
ROUNDED = 1e-12
#: Machines of the search are trained to this many times the tolerance: scores differ by some 1e-4.
COARSER = 10.0
#: The least number whose logarithm is taken: a prediction of zero, by rounding.
SMALLEST = np.finfo(float).tiny


def quantile_of(values: np.ndarray, weight: np.ndarray, share: float) -> np.ndarray:
    """The quantile along the last axis of weighted values; between two that do as well, their middle.

    So those of −values are the mirrored ones. ``weight`` has the shape of ``values``, or of its last axis.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    return _at_share(values, order, weight, share)


def _at_share(values: np.ndarray, order: np.ndarray, weight: np.ndarray, share: float) -> np.ndarray:
    """The quantiles of values whose order is known."""
    below = np.cumsum(weight[order], axis=-1)
    asked = share * below[..., -1:]
    first = (below < asked * (1.0 - ROUNDED)).sum(axis=-1, keepdims=True)
    last = np.minimum((below <= asked * (1.0 + ROUNDED)).sum(axis=-1, keepdims=True), values.shape[-1] - 1)
    ends = (np.take_along_axis(values, np.take_along_axis(order, at, -1), -1) for at in (first, last))
    return np.mean(list(ends), axis=0)[..., 0]


@dataclass(frozen=True, eq=False)
class Regression(Family):
    """Numbers, standardised by ``mean`` and ``deviation``, learned with an ε-insensitive loss.

    ``epsilons`` are in standard deviations of y; ``fits_epsilon`` says whether others are tried; ``scoring``
    is what is maximised. With an ``offset``, the targets are logarithms of y + offset, scores are those of y,
    and ``variance`` is that of y. With ``quantiles``, there is a machine for each of them and no ε, and
    ``losses`` are the pinball losses of the best constants, in the units that scores are computed in.
    """

    # A path takes K four times over, and most rows are support vectors.
    max_rows = 2000
    path_matrices = 9.0  # K is repeated twice in both directions, and linear systems need parts of that
    path_cost = 2e-7
    takes_single = True
    exact_cost = 10.0
    width_rules = NUMBER_RULES
    metric_criteria: ClassVar = {"low-rank": (TargetAlignment(centered=True),)}
    by_score = ("auto", "cv-error")
    sum_widths = (1.0 / 16.0, 1.0 / 4.0, 1.0, 4.0)

    mean: float = 0.0
    deviation: float = 1.0
    epsilons: tuple[float | None, ...] = (FIRST_EPSILON,)
    fits_epsilon: bool = True
    scoring: Scoring = None
    offset: float | None = None
    variance: float = 1.0
    quantiles: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()

    @classmethod
    def at(
        cls,
        epsilons: ArrayLike | None,
        scoring: Scoring,
        owner: str,
        offset: float | None = None,
        quantile: Any = None,
    ) -> Self:
        """The family before targets are known; ``epsilons``, ``scoring`` and ``quantile`` are the user's."""
        if quantile is not None:
            quantiles = check_quantiles(quantile, owner)
            if epsilons is not None:
                raise ValueError(
                    f"{owner} takes 'epsilons' or 'quantile', but not both: the loss of a quantile has no "
                    "insensitive zone. Leave out one of them."
                )
            if len(quantiles) > 1 and scoring is not None:
                raise ValueError(
                    f"'scoring' of {owner} must be None for several quantiles, which are scored by the "
                    f"pinball loss, got {scoring!r}."
                )
            of_quantiles: Any = {"epsilons": (None,), "fits_epsilon": False, "quantiles": quantiles}
            return cls(scoring=scoring, offset=offset, **of_quantiles)
        if epsilons is None:
            return cls(scoring=scoring, offset=offset)
        tried = checked_values(epsilons, "epsilons", owner, check_not_negative, "float")
        return cls(epsilons=tuple(tried), fits_epsilon=False, scoring=scoring, offset=offset)

    def of_targets(self, y: np.ndarray, weight: np.ndarray, owner: str) -> Regression:
        """The family that standardises these targets."""
        mean = float(np.average(y, weights=weight))
        centred = y - mean
        largest = float(np.abs(centred).max())  # by which squares neither overflow nor vanish
        deviation = 1.0
        if np.ptp(y) > 0.0 and largest > 0.0:
            deviation = largest * float(np.sqrt(np.average((centred / largest) ** 2, weights=weight)))
        variance = 1.0
        if self.offset is not None:
            if y.max() > LARGEST:
                raise ValueError(
                    f"target_transform='log' of {owner} takes targets up to {np.exp(LARGEST):.0e}, but the "
                    f"highest is {np.exp(y.max()):g}. Divide them, or use target_transform=None."
                )
            own = from_logarithms(y, self.offset)
            variance = float(np.average((own - np.average(own, weights=weight)) ** 2, weights=weight)) or 1.0
        found = replace(self, mean=mean, deviation=deviation, variance=variance)
        units = (y - mean) / deviation if self.offset is None else from_logarithms(y, self.offset)
        losses = [
            float(np.average(pinball_losses(units - quantile_of(units, weight, q), q), weights=weight)) or 1.0
            for q in self.quantiles
        ]
        return replace(found, losses=tuple(losses))

    @property
    def n_machines(self) -> int:
        """One for every quantile."""
        return max(1, len(self.quantiles))

    @property
    def has_nystroem(self) -> bool:
        """Whether a Nyström machine may stand for the exact one; there is none of quantiles."""
        return not self.quantiles

    @property
    def score_unit(self) -> float:
        """What the score is measured in."""
        return score_unit(
            self.scoring, self.deviation if self.offset is None else float(np.sqrt(self.variance))
        )

    @property
    def answers(self) -> NumberAnswers:
        """What scorers are shown."""
        own = self.quantiles, self.losses
        return NumberAnswers(self.mean, self.deviation, self.offset, self.variance, *own)

    def in_units(self, target: np.ndarray) -> np.ndarray:
        """Standardised values in the units of y."""
        return self.answers.truth(target)

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Values in the units of y as machines have them: what `in_units` undoes."""
        if self.offset is not None:
            values = np.log(np.maximum(values + self.offset, SMALLEST))
        return (values - self.mean) / self.deviation

    def not_negative(self, values: np.ndarray) -> np.ndarray:
        """Standardised values, of logarithms at least that of a target of zero."""
        return values if self.offset is None else np.maximum(values, self.standardised(np.zeros(1)))

    def constants(self, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The best constant answers for standardised targets, (n_answers[, n_machines]), and their names.

        They are the mean and the median, the mean being that of y itself, or the quantiles.
        """
        if self.quantiles:
            values = np.array([quantile_of(y, weight, q) for q in self.quantiles])
            shares = ", ".join(amount(one) for one in self.in_units(values))
            named = in_words([f"{q:g}" for q in self.quantiles])
            plural = "s" if len(self.quantiles) > 1 else ""
            return (values[None] if plural else values), [f"the {named} quantile{plural} ({shares})"]
        median = quantile_of(y, weight, 0.5)
        mean = np.average(y, weights=weight)
        if self.offset is not None:
            of_y = np.average(self.in_units(y), weights=weight)
            mean = (np.log(of_y + self.offset) - self.mean) / self.deviation
        values = np.array([mean, median])
        shown = self.in_units(values)
        return values, [f"the mean ({amount(shown[0])})", f"the median ({amount(shown[1])})"]

    def scored_by(
        self, scoring: Scoring, scorer: Any, X: MatrixLike, samples: Samples, owner: str
    ) -> tuple[Regression, HeldOutScorer]:
        path_scorer = PathScorer(scorer, scoring, self.answers)
        of_rows = X, samples.y, samples.weight
        return self, HeldOutScorer(path_scorer, *of_rows, classes=np.empty(0), is_share=False)

    def held_out(
        self, y: np.ndarray, decision: np.ndarray, odds: np.ndarray | None, costs: np.ndarray | None = None
    ) -> HeldOut:
        values = decision.astype(float)
        values = np.sort(values, axis=1) if len(self.quantiles) > 1 else values[:, 0]
        return HeldOut(self.in_units(y), self.in_units(values), np.empty(0))

    def prepare(self, problem: FoldProblem) -> Callable[..., tuple[SVMPath, Tables]]:
        settings = {**problem.settings, "tol": COARSER * problem.settings["tol"]}
        paths = RegressionPaths(problem.y, problem.folds, problem.bound, problem.places, self.quantiles)

        def solve(
            K: np.ndarray, Cs: np.ndarray, *, epsilon: float | None, **how: Any
        ) -> tuple[SVMPath, Tables]:
            return paths.solve(K, Cs, epsilon=epsilon or 0.0, **settings, **how)

        return solve

    def encode(self, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if np.ptp(y) == 0.0:
            return np.zeros_like(y), self.strata(y), weight
        # To a grid, so that the unit of y does not show in the last digits.
        targets = np.rint((y - self.mean) / self.deviation / TARGET_STEP) * TARGET_STEP
        return targets, self.strata(y), weight

    def first_Cs(self, variance: float, scored: Sequence[ScoredKernel] = ()) -> np.ndarray:
        Cs = super().first_Cs(variance, scored)
        return Cs[Cs * variance <= FIRST_TOP]

    def next_Cs(self, scored: ScoredKernel, others: Sequence[ScoredKernel], n: int) -> np.ndarray:
        """As in `Family.next_Cs`, but C grows only for the kernel with the best score so far."""
        more = next_Cs(scored, n, self.score_unit)
        if not more.size or more[0] < scored.Cs[0]:
            return more
        leads = all(scored.best_score >= other.best_score for other in others)
        return more[more * scored.variance <= TOP] if leads else np.empty(0)

    def own_C(
        self, scored: ScoredKernel, held: Samples, fold: np.ndarray, asked: np.ndarray
    ) -> tuple[int, ...]:
        """The best C of each of several quantiles: ends of a distribution want another one than its middle.

        Held-out values are known already, so that it costs nothing. On ten sets, D² of three quantiles is
        0.485 on average, and 0.480 with one C for all; a kernel for each gains nothing more (0.484).
        """
        if len(self.quantiles) < 2:
            return ()
        y, losses = self._scored_units(held.y), np.empty((len(scored.Cs), len(self.quantiles)))
        for c in range(len(scored.Cs)):
            values = self.scored_values(scored.decision_at(c)[None].astype(float), held, fold, asked)[0]
            predicted = self._scored_units(values)
            for m, q in enumerate(self.quantiles):
                losses[c, m] = np.average(pinball_losses(y - predicted[:, m], q), weights=held.weight)
        return tuple(smooth(-losses).argmax(axis=0).tolist())

    def scored_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray | None = None
    ) -> np.ndarray:
        """Held-out predictions; those of quantiles are moved so that the right share of rows is below them.

        A machine that can follow its training rows has them near its prediction, on both sides, and new rows
        farther away: of a 0.9 quantile, 74 % of new rows may be below. By how much a fold's predictions are
        moved is the quantile of what other folds' rows differ from theirs, which its own rows have no part
        in. On ten sets, D² of three quantiles is 0.494 on average, and 0.485 without; shares below are off by
        1.6 points on average, and by 3.9 without.
        """
        if not self.quantiles:
            return decision
        values = decision[..., None] if decision.ndim == 2 else decision
        # Of a single fold, two halves move each other.
        part = (
            np.where(fold >= 0, np.arange(len(fold)) % 2, -1) if len(np.unique(fold[fold >= 0])) < 2 else fold
        )
        moved = np.array(values, dtype=float)
        for m, q in enumerate(self.quantiles):
            residual = held.y - values[..., m]
            order = np.argsort(residual, axis=-1, kind="stable")
            for k in np.unique(part[part >= 0]):
                own = part == k
                is_other = (part >= 0) & ~own
                if asked is not None:
                    is_other &= ~np.isin(asked, asked[own])
                if is_other.any():
                    shift = _at_share(residual, order, held.weight * is_other, q)
                    moved[:, own, m] += shift[:, None]
        return moved[..., 0] if decision.ndim == 2 else moved

    def unseen_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray
    ) -> np.ndarray:
        return self.scored_values(decision[None].astype(float), held, fold, asked)[0]

    def settled(self, machine: Any, held: Samples, decision: np.ndarray) -> Any:
        """The final machine; one of quantiles is moved by the residuals of all folds."""
        if self.quantiles:
            shifts = [
                quantile_of(held.y - decision[:, m], held.weight, q) for m, q in enumerate(self.quantiles)
            ]
            machine.intercept_ = machine.intercept_ + np.array(shifts)
        return machine

    def _scored_units(self, values: np.ndarray) -> np.ndarray:
        """Standardised values as scores see them: those of logarithms in the units of y."""
        return values if self.offset is None else self.in_units(values)

    def criterion(self, criterion: Any) -> Any:
        if isinstance(criterion, str) and criterion in self.by_score:
            return criterion
        if isinstance(criterion, str) and criterion in ALIGNMENTS:
            return ALIGNMENTS[criterion]
        if isinstance(criterion, Criterion) and criterion.is_regression:
            return criterion
        raise ValueError(
            f"The criterion of TunedSVR must work for numbers as targets, but {criterion!r} needs classes or "
            "is unknown. Use 'auto', 'cv-error', 'kta', 'centered-kta' or a TargetAlignment."
        )
