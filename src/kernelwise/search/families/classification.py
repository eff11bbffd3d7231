"""Classes as targets: two-class machines, their bounds, and what scorers see of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelwise._core.labels import balanced_on, factors_of_classes, is_balanced
from kernelwise.criteria import Criterion, as_criterion
from kernelwise.multiclass import STRATEGIES, decide_index
from kernelwise.search.data.samples import Samples
from kernelwise.search.families.family import Family
from kernelwise.search.propose.candidates import (
    CLASS_RULES,
    WidthData,
    width_data_of_classes,
)
from kernelwise.search.scoring.probabilities import cross_fitted_odds, held_out_log_loss
from kernelwise.search.scoring.scores import BOTH, DECISIONS
from kernelwise.solvers.path import ClassPaths, SVMPath, check_disjoint, check_trained
from kernelwise.solvers.path_problem import Places, Tables

if TYPE_CHECKING:
    from kernelwise.search.data.folds import Folds
    from kernelwise.search.engine.validator import CrossValidator


@dataclass(frozen=True, eq=False)
class Classification(Family):
    """Classes, told apart by two-class machines.

    ``multiclass`` is a key of `kernelwise.multiclass.STRATEGIES`; ``class_weight`` and ``loss`` are as in
    `kernelwise.SVC`; ``shown`` is what scorers see: decision values, log odds, or both
    (`kernelwise.search.scoring.scores.shown_to`).
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

    def width_data(self, validator: CrossValidator, kernel: Any) -> WidthData:
        return width_data_of_classes(validator, kernel)

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
