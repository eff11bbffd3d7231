"""Classes as targets: two-class machines, their bounds, and what scorers see of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelwise._core.labels import balanced_on, check_class_sizes, factors_of_classes, is_balanced
from kernelwise._core.typing import MatrixLike
from kernelwise.criteria import Criterion, as_criterion
from kernelwise.findings import Finding, catalogue
from kernelwise.multiclass import STRATEGIES, decide_index, two_class_machines, two_class_problems
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.runner import FoldProblem, class_paths
from kernelwise.search.families.family import Family
from kernelwise.search.propose.candidates import (
    CLASS_RULES,
    WidthData,
    width_data_of_classes,
)
from kernelwise.search.result import HeldOut
from kernelwise.search.scoring.held_out_answers import BothAnswers, ClassAnswers, ProbabilityAnswers
from kernelwise.search.scoring.probabilities import cross_fitted_odds, held_out_log_losses
from kernelwise.search.scoring.scorers import HeldOutScorer, PathScorer
from kernelwise.search.scoring.scores import (
    BOTH,
    DECISIONS,
    ODDS,
    Scoring,
    check_score,
    is_share,
    probability_score,
    shown_to,
)
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.path_problem import Tables
from kernelwise.solvers.probability import (
    FLAT,
    class_probabilities,
    decide,
    doubt_of,
    fit_platt_of,
    most_likely,
)
from kernelwise.solvers.temperature import temperature

if TYPE_CHECKING:
    from kernelwise.search.data.folds import Folds
    from kernelwise.search.engine.validator import CrossValidator


@dataclass(frozen=True, eq=False)
class Classification(Family):
    """Classes, told apart by two-class machines.

    ``multiclass`` is a key of `kernelwise.multiclass.STRATEGIES`; ``class_weight`` and ``loss`` are as in
    `kernelwise.SVC`; ``shown`` is what scorers see: decision values, log odds, or both
    (`kernelwise.search.scoring.scores.shown_to`).

    Final answers go ``by_probability`` or by decision values; ``threshold`` ("auto" for the best one) and
    ``costs`` are as in `kernelwise.TunedSVC`. ``shape`` and ``reject_label`` are what scorers see.
    """

    finer_reason = "the probabilities of the chosen form fit the held-out rows best"
    finer_seconds = 2.5e-4
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
    shape: str = "ovr"
    reject_label: Any = None
    by_probability: bool = True
    threshold: float | str | None = None
    costs: np.ndarray | None = None

    probability_score = staticmethod(probability_score)  # of a fitted model on other rows

    @property
    def has_bounds(self) -> bool:  # type: ignore[override]
        """Those of the logistic loss are never met, and the squared hinge loss has none."""
        return self.loss == "hinge"

    @property
    def takes_single(self) -> bool:  # type: ignore[override]
        """The ridge of the squared hinge loss would be lost beside a sum of large kernel values."""
        return self.loss == "hinge"

    @property
    def machines(self) -> str:
        """The two-class machines of the strategy: "ovo" or "ovr"."""
        return STRATEGIES[self.multiclass].machines

    @property
    def n_machines(self) -> int:
        return len(two_class_problems(len(self.classes), self.machines))

    def of_targets(self, y: np.ndarray, weight: np.ndarray, owner: str) -> Classification:
        check_class_sizes(y, weight)
        return self

    def scored_by(
        self, scoring: Scoring, scorer: Any, X: MatrixLike, samples: Samples, owner: str
    ) -> tuple[Classification, HeldOutScorer]:
        check_score(scoring, self.classes.tolist(), owner)
        family = replace(self, shown=shown_to(scorer))
        how = self.multiclass, self.shape, self.reject_label
        answers: Any
        if family.shown == ODDS:
            answers = ProbabilityAnswers(*how)
        else:
            answers = (BothAnswers if family.shown == BOTH else ClassAnswers)(*how, breaks_ties=True)
        of_rows = X, samples.y, samples.weight, self.classes
        return family, HeldOutScorer(PathScorer(scorer, scoring, answers), *of_rows, is_share(scoring))

    def decoded(self, y: np.ndarray) -> np.ndarray:
        return self.classes[y]

    def train(self, machine: Any, part: Samples) -> Any:
        return machine.fit_indices(part.Z, part.y, self.classes, part.bound)

    def sigmoids(self, held: Samples, decision: np.ndarray) -> tuple[np.ndarray, list[Finding]]:
        """Platt's sigmoids, and a finding if some are flat; rows have their bounds as weights."""
        how = len(self.classes), self.machines
        problems, doubt = two_class_machines(held.y, *how), doubt_of(*how)
        found = fit_platt_of(problems, decision, held.bound, held.weight, doubt)
        n_flat = int((np.abs(found[:, 0]) * np.abs(decision).max(axis=0) < 2.0 * FLAT).sum())
        if not n_flat:
            return found, []
        return found, [catalogue.FLAT_PROBABILITIES(n_flat=n_flat, n_models=len(found))]

    def temperature(self, held: Samples, odds: np.ndarray) -> float:
        return temperature(odds, held.y, held.bound, held.weight, len(self.classes), self.machines)

    def held_out(
        self, y: np.ndarray, decision: np.ndarray, odds: np.ndarray | None, costs: np.ndarray | None = None
    ) -> HeldOut:
        """Labels are those that `predict` would give: by the largest probability, or by decision values."""
        assert odds is not None
        values, n_classes = decision.astype(float), len(self.classes)
        scored = decide_index(values[:, 0] if n_classes == 2 else values, n_classes, self.multiclass)
        p = class_probabilities(odds, n_classes, self.machines)
        if self.by_probability:
            predicted = most_likely(odds, n_classes, self.multiclass, costs, p)
        else:
            predicted = decide(values, None, n_classes, self.multiclass)
        shown = np.ones_like(predicted) if n_classes == 2 else predicted
        rows = np.arange(len(p))
        return HeldOut(y, predicted, p[rows, shown], scored, p[rows, y])

    def prepare(self, problem: FoldProblem) -> Callable[..., tuple[SVMPath, Tables]]:
        paths = class_paths(problem.y, problem.folds, problem.bound, self.machines, problem.places, self.loss)
        settings = problem.settings  # the problem itself would be in a cycle with what it has prepared

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
        odds = cross_fitted_odds(decision, held, fold, len(self.classes), self.machines, asked)
        return self.as_shown(decision, odds)

    def as_shown(self, decision: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """Both, for scorers that may ask for either, are one beside the other."""
        if self.shown != BOTH:
            return decision if self.shown == DECISIONS else odds
        return np.concatenate([part.reshape(*part.shape[:2], -1) for part in (decision, odds)], axis=2)

    def finer_cost(self, held: Samples, decision: np.ndarray) -> float | None:
        if np.isnan(decision).any():  # the only row of a class is never held out
            return None
        return float(held_out_log_losses(held, decision[None], len(self.classes), self.multiclass)[0])

    def alignment(self) -> Criterion:
        return as_criterion("centered-kta")
