"""Numbers as targets, standardised, and machines with an insensitive zone of width ε."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.rounding import TARGET_STEP
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import check_not_negative
from kernelwise.criteria import Criterion, TargetAlignment
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.families.family import Family
from kernelwise.search.propose.c_range import next_Cs
from kernelwise.search.propose.candidates import (
    NUMBER_RULES,
)
from kernelwise.search.result import HeldOut
from kernelwise.search.scoring.held_out_answers import NumberAnswers, from_logarithms
from kernelwise.search.scoring.scorers import HeldOutScorer, PathScorer
from kernelwise.search.scoring.scores import Scoring, score_unit
from kernelwise.search.settings import checked_values
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.path_problem import Tables
from kernelwise.solvers.regression import RegressionPaths

if TYPE_CHECKING:
    pass


#: Criteria that TunedSVR takes by name.
ALIGNMENTS = {"kta": TargetAlignment(), "centered-kta": TargetAlignment(centered=True)}
#: ε of the first machines, in units of the standard deviation of y.
FIRST_EPSILON = 0.1
#: C·variance at most: of the values tried at first, and of those beyond. Larger ones take minutes where a
#: kernel is wide, and a narrower kernel does better with less.
FIRST_TOP, TOP = 2.0**6.5, 2.0**10.5
#: Machines of the search are trained to this many times the tolerance: scores differ by some 1e-4.
COARSER = 10.0
#: The least number whose logarithm is taken: a prediction of zero, by rounding.
SMALLEST = np.finfo(float).tiny


@dataclass(frozen=True, eq=False)
class Regression(Family):
    """Numbers, standardised by ``mean`` and ``deviation``, learned with an ε-insensitive loss.

    ``epsilons`` are in standard deviations of y; ``fits_epsilon`` says whether others are tried; ``scoring``
    is what is maximised. With an ``offset``, the targets are logarithms of y + offset, scores are those of y,
    and ``variance`` is that of y.
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
    epsilons: tuple[float, ...] = (FIRST_EPSILON,)
    fits_epsilon: bool = True
    scoring: Scoring = None
    offset: float | None = None
    variance: float = 1.0

    @classmethod
    def at(
        cls, epsilons: ArrayLike | None, scoring: Scoring, owner: str, offset: float | None = None
    ) -> Self:
        """The family before targets are known; ``epsilons`` and ``scoring`` are the user's, or None."""
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
            own = from_logarithms(y, self.offset)
            variance = float(np.average((own - np.average(own, weights=weight)) ** 2, weights=weight)) or 1.0
        return replace(self, mean=mean, deviation=deviation, variance=variance)

    @property
    def score_unit(self) -> float:
        """What the score is measured in."""
        return score_unit(
            self.scoring, self.deviation if self.offset is None else float(np.sqrt(self.variance))
        )

    @property
    def answers(self) -> NumberAnswers:
        """What scorers are shown."""
        return NumberAnswers(self.mean, self.deviation, self.offset, self.variance)

    def in_units(self, target: np.ndarray) -> np.ndarray:
        """Standardised values in the units of y."""
        return self.answers.truth(target)

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Values in the units of y as machines have them: what `in_units` undoes."""
        if self.offset is not None:
            values = np.log(np.maximum(values + self.offset, SMALLEST))
        return (values - self.mean) / self.deviation

    def constants(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The mean and the median of standardised targets, shape (2,); the mean is that of y itself."""
        order = np.argsort(y, kind="stable")
        share = np.cumsum(weight[order])
        median = y[order][np.searchsorted(share, share[-1] / 2.0)]
        mean = np.average(y, weights=weight)
        if self.offset is not None:
            of_y = np.average(self.in_units(y), weights=weight)
            mean = (np.log(of_y + self.offset) - self.mean) / self.deviation
        return np.array([mean, median])

    def scored_by(
        self, scoring: Scoring, scorer: Any, X: MatrixLike, samples: Samples, owner: str
    ) -> tuple[Regression, HeldOutScorer]:
        path_scorer = PathScorer(scorer, scoring, self.answers)
        of_rows = X, samples.y, samples.weight
        return self, HeldOutScorer(path_scorer, *of_rows, classes=np.empty(0), is_share=False)

    def held_out(
        self, y: np.ndarray, decision: np.ndarray, odds: np.ndarray | None, costs: np.ndarray | None = None
    ) -> HeldOut:
        return HeldOut(self.in_units(y), self.in_units(decision[:, 0].astype(float)), np.empty(0))

    def prepare(self, problem: FoldProblem) -> Callable[..., tuple[SVMPath, Tables]]:
        settings = {**problem.settings, "tol": COARSER * problem.settings["tol"]}
        paths = RegressionPaths(problem.y, problem.folds, problem.bound, problem.places)

        def solve(K: np.ndarray, Cs: np.ndarray, *, epsilon: float, **how: Any) -> tuple[SVMPath, Tables]:
            return paths.solve(K, Cs, epsilon=epsilon, **settings, **how)

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
