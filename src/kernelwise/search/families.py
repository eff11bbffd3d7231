"""What is to be learned: classes or numbers. The engine takes a family as an argument and has no other.

A family says how targets are encoded, which machines are trained along a path of C, how far C goes, and where
widths come from. A new family implements `prepare` and overrides what differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from kernelwise._core.labels import factors_of_classes, is_balanced
from kernelwise._core.rounding import TARGET_STEP
from kernelwise._core.weights import balanced_on
from kernelwise.criteria import Criterion, TargetAlignment, as_criterion
from kernelwise.multiclass import STRATEGIES, decide_index
from kernelwise.search.c_range import c_range, next_Cs
from kernelwise.search.candidates import (
    CLASS_RULES,
    NUMBER_RULES,
    PLAIN_RULES,
    WidthData,
    WidthRule,
    width_data_of_classes,
    width_data_of_numbers,
)
from kernelwise.search.cross_fitted import cross_fitted_odds
from kernelwise.search.log_loss import held_out_log_loss
from kernelwise.search.samples import Samples
from kernelwise.search.score_names import BOTH, DECISIONS
from kernelwise.search.scored_kernel import ScoredKernel
from kernelwise.search.scores import score_unit
from kernelwise.solvers.path import ClassPaths, SVMPath
from kernelwise.solvers.path_checks import check_disjoint, check_trained
from kernelwise.solvers.path_problem import Places, Tables
from kernelwise.solvers.regression_path import RegressionPaths

if TYPE_CHECKING:
    from kernelwise.search.cross_validate import CrossValidator
    from kernelwise.search.fold_rows import Folds


class Family(ABC):
    """What kind of targets a search is for, and what machines learn them."""

    #: Rows that a search looks at, at most; the final machine sees all.
    max_rows: int = 5000
    #: Seconds of a path of C on n rows, about, over n²: how many rows a time budget allows.
    path_cost: float = 8e-8
    #: Values of ε that every kernel is scored with; None for machines that have none.
    epsilons: Sequence[float | None] = (None,)
    #: Whether other values of ε are tried once the kernel is chosen.
    fits_epsilon: bool = False
    #: Whether a learned metric prefers a stronger regularisation: it has been fitted to the same labels.
    regularises_metrics: bool = False
    #: Whether any criterion can learn a metric from several starts; else only those of `metric_criteria`.
    learns_by_any_criterion: bool = False
    #: Whether the highest alignment says how wide a kernel should be; else usual widths are tried, too.
    aligns_widths: bool = False
    #: What names the widths of a kernel that has one.
    width_rules: ClassVar[list[WidthRule]] = PLAIN_RULES
    #: Criteria that learn a metric: of low rank, or weights that compete with those of gradients.
    metric_criteria: ClassVar[dict[str, tuple[Any, ...]]] = {}
    #: What decides between forms of kernel whose scores are equal within the error, in words.
    finer_reason: ClassVar[str] = "the search prefers a sum of kernels"
    #: Whether, where nothing else decides, a sum of kernels is preferred to the best score.
    prefers_sum: ClassVar[bool] = True
    #: Widths, times the median distance, of the kernels that a sum of "auto" has; none is those found best.
    sum_widths: ClassVar[tuple[float, ...]] = ()
    #: Criteria that choose by cross-validation alone.
    by_score: ClassVar[tuple[str, ...]] = ("auto",)

    @abstractmethod
    def prepare(
        self,
        y: np.ndarray,
        folds: Folds,
        *,
        bound: np.ndarray,
        places: Places | None,
        settings: dict[str, Any],
    ) -> Callable[..., tuple[SVMPath, Tables]]:
        """What trains on the folds for one Gram matrix after the other.

        ``bound``, of shape (n_samples,) or (n_folds, n_samples), has the bounds of the coefficients as
        multiples of C, for all folds or for each. ``places`` say where the answers of held-out samples go; if
        they are None, no sample is held out twice. ``settings`` are ``tol``, ``max_iter`` and ``n_jobs`` of
        the solver.

        The result is called as ``solve(K, Cs, epsilon=…, after=…, only=…, alone=…)``: ``after`` is a path to
        go on from, ``only`` the number of a fold to be solved, as if there were no other if ``alone``. It
        returns a path, and tables as of `kernelwise.solvers.path_problem`.
        """

    def strata(self, y: np.ndarray) -> np.ndarray:
        """Class index of each row, for folds and stratified samples; all zero without classes."""
        return np.zeros(len(y), int)

    def encode(self, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Targets, strata and bounds (multiples of C) of rows with these weights."""
        return y, self.strata(y), weight

    def bounds_on_folds(
        self, y: np.ndarray, weight: np.ndarray, bound: np.ndarray, folds: Folds
    ) -> np.ndarray:
        """The bounds in each fold, of shape (n_folds, n_rows), or ``bound`` where no fold has its own."""
        return bound

    def labels(self, y: np.ndarray) -> np.ndarray | None:
        """Labels from which a kernel may take its start; None if there are none."""
        return None

    def decide(self, decision: np.ndarray) -> np.ndarray:
        """What decision values, as of `prepare`, stand for."""
        return decision

    def nameless(self, y: np.ndarray) -> np.ndarray:
        """Targets as criteria see them: classes numbered in the order of their first rows."""
        return y

    def first_Cs(self, variance: float, scored: Sequence[ScoredKernel] = ()) -> np.ndarray:
        """Values of C that a kernel of this variance in feature space is scored at after others."""
        return c_range(variance, max(scored, key=lambda one: one.best_score, default=None))

    def next_Cs(self, scored: ScoredKernel, others: Sequence[ScoredKernel], n: int) -> np.ndarray:
        """More values of C, beyond the end at which the best one is; empty where they cannot matter."""
        return next_Cs(scored, n)

    def width_data(self, judge: CrossValidator, kernel: Any) -> WidthData:
        """What width rules see."""
        return width_data_of_numbers(judge, kernel)

    def scored_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray | None = None
    ) -> np.ndarray:
        """What scorers see of held-out decision values, as of `prepare`; see `cross_fitted_odds`."""
        return decision

    def finer_cost(self, held: Samples, decision: np.ndarray) -> float | None:
        """What tells forms of kernel apart whose scores are equal within the error; None if nothing does.

        ``decision`` are held-out decision values of shape (n_held_out, n_machines); less is better.
        """
        return None

    def alignment(self) -> Criterion:
        """The criterion from whose optimum kernels without a sketch start."""
        return TargetAlignment(centered=True)

    def criterion(self, criterion: Any) -> Any:
        """The criterion of that name; names of choices by cross-validation stay names."""
        if isinstance(criterion, str) and criterion in self.by_score:
            return criterion
        return as_criterion(criterion)


@dataclass(frozen=True, eq=False)
class Classification(Family):
    """Classes, told apart by two-class machines.

    ``multiclass`` is a key of `kernelwise.multiclass.STRATEGIES`; ``class_weight`` and ``loss`` are as in
    `kernelwise.SVC`; ``shown`` is what scorers see: decision values, log odds, or both
    (`kernelwise.search.score_names.shown_to`).
    """

    finer_reason = "the probabilities of the chosen form fit the held-out rows best"
    prefers_sum = False
    regularises_metrics = True
    learns_by_any_criterion = True
    aligns_widths = True
    width_rules = CLASS_RULES
    metric_criteria: ClassVar = dict.fromkeys(("diagonal", "low-rank"), ("centered-kta",))

    classes: np.ndarray
    multiclass: str = "ovo"
    class_weight: Any = None
    shown: str = DECISIONS
    loss: str = "hinge"

    def prepare(
        self,
        y: np.ndarray,
        folds: Folds,
        *,
        bound: np.ndarray,
        places: Places | None,
        settings: dict[str, Any],
    ) -> Callable[..., tuple[SVMPath, Tables]]:
        weight = np.broadcast_to(bound, (len(folds), len(y)))
        strategy = STRATEGIES[self.multiclass].machines
        classes, index = np.unique(y, return_inverse=True)
        if places is None:
            check_disjoint(folds, len(y))
        check_trained(folds, index, weight, classes, n_needed=len(classes) if places is None else 2)
        paths = ClassPaths(classes, index, folds, weight, strategy, places, self.loss)

        def solve(
            K: np.ndarray, Cs: np.ndarray, *, epsilon: Any = None, **how: Any
        ) -> tuple[SVMPath, Tables]:
            return paths.solve(K, Cs, **settings, **how)

        return solve

    def strata(self, y: np.ndarray) -> np.ndarray:
        return y

    def encode(self, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return y, y, weight * factors_of_classes(self.class_weight, y, weight, self.classes)[y]

    def bounds_on_folds(
        self, y: np.ndarray, weight: np.ndarray, bound: np.ndarray, folds: Folds
    ) -> np.ndarray:
        if not is_balanced(self.class_weight):
            return bound
        # The final machine balances what it is trained on, and so do those that stand for it.
        return np.stack([weight * balanced_on(train, y, weight) for train, _ in folds])

    def labels(self, y: np.ndarray) -> np.ndarray | None:
        return y

    def decide(self, decision: np.ndarray) -> np.ndarray:
        """Class indices that decision values, as of `prepare`, stand for; of equal votes, values decide."""
        return decide_index(decision, len(self.classes), self.multiclass)

    def nameless(self, y: np.ndarray) -> np.ndarray:
        # Sums over classes then have one order, whatever the classes are called.
        _, first, index = np.unique(y, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[index]

    def width_data(self, judge: CrossValidator, kernel: Any) -> WidthData:
        return width_data_of_classes(judge, kernel)

    def scored_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray | None = None
    ) -> np.ndarray:
        if self.shown == DECISIONS:
            return decision
        strategy = STRATEGIES[self.multiclass].machines
        odds = cross_fitted_odds(decision, held, fold, len(self.classes), strategy, asked)
        return self.as_shown(decision, odds)

    def as_shown(self, decision: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """What scorers see of decision values and log odds of one shape; both are one beside the other."""
        if self.shown != BOTH:
            return decision if self.shown == DECISIONS else odds
        return np.concatenate([part.reshape(*part.shape[:2], -1) for part in (decision, odds)], axis=2)

    def finer_cost(self, held: Samples, decision: np.ndarray) -> float | None:
        if np.isnan(decision).any():  # the only row of a class is never held out
            return None
        return held_out_log_loss(held, decision, len(self.classes), self.multiclass)

    def alignment(self) -> Criterion:
        return as_criterion("centered-kta")


#: Criteria that TunedSVR takes by name.
ALIGNMENTS = {"kta": TargetAlignment(), "centered-kta": TargetAlignment(centered=True)}
#: ε of the first machines, in units of the standard deviation of y.
FIRST_EPSILON = 0.1
#: C·variance at most: of the values tried at first, and of those beyond. Larger ones take minutes where a
#: kernel is wide, and a narrower kernel does better with less.
FIRST_TOP, TOP = 2.0**6.5, 2.0**10.5
#: Machines of the search are trained to this many times the tolerance: scores differ by some 1e-4.
COARSER = 10.0


@dataclass(frozen=True, eq=False)
class Regression(Family):
    """Numbers, standardised by ``mean`` and ``deviation``, learned with an ε-insensitive loss.

    ``epsilons`` are in standard deviations of y; ``fits_epsilon`` says whether others are tried;
    ``score_unit`` is what the score is measured in (`score_unit`).
    """

    # A path takes K four times over, and most rows are support vectors.
    max_rows = 2000
    path_cost = 2e-7
    width_rules = NUMBER_RULES
    metric_criteria: ClassVar = {"low-rank": (TargetAlignment(centered=True),)}
    by_score = ("auto", "cv-error")
    sum_widths = (1.0 / 16.0, 1.0 / 4.0, 1.0, 4.0)

    mean: float = 0.0
    deviation: float = 1.0
    epsilons: tuple[float, ...] = (FIRST_EPSILON,)
    fits_epsilon: bool = True
    score_unit: float = 1.0

    @classmethod
    def of(
        cls, y: np.ndarray, weight: np.ndarray, epsilons: Sequence[float] | None, scoring: Any = None
    ) -> Self:
        """The family of these targets; ``epsilons`` and ``scoring`` are the user's, or None."""
        mean = float(np.average(y, weights=weight))
        centred = y - mean
        largest = float(np.abs(centred).max())  # by which squares neither overflow nor vanish
        deviation = 1.0
        if np.ptp(y) > 0.0 and largest > 0.0:
            deviation = largest * float(np.sqrt(np.average((centred / largest) ** 2, weights=weight)))
        tried = (FIRST_EPSILON,) if epsilons is None else tuple(epsilons)
        return cls(mean, deviation, tried, epsilons is None, score_unit(scoring, deviation))

    def prepare(
        self,
        y: np.ndarray,
        folds: Folds,
        *,
        bound: np.ndarray,
        places: Places | None,
        settings: dict[str, Any],
    ) -> Callable[..., tuple[SVMPath, Tables]]:
        settings = {**settings, "tol": COARSER * settings["tol"]}
        paths = RegressionPaths(y, folds, bound, places)

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
