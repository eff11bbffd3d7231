"""Families: what is learned (classes, numbers, one class), as an argument of the engine.

The engine asks a family for everything that differs between them: targets and their bounds, the machines
that are trained along a path of C, how far C goes, and where widths come from. A new family implements
`prepare` and overrides what differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelwise._core.typing import MatrixLike
from kernelwise.criteria import Criterion, TargetAlignment, as_criterion
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.propose.c_range import c_range, next_Cs
from kernelwise.search.propose.candidates import (
    PLAIN_RULES,
    WidthData,
    WidthRule,
    width_data_of_numbers,
)
from kernelwise.search.result import HeldOut
from kernelwise.search.scoring.scorers import Scorer
from kernelwise.search.scoring.scores import Scoring
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.path_problem import Tables

if TYPE_CHECKING:
    from kernelwise.search.data.folds import Folds
    from kernelwise.search.engine.runner import FoldProblem
    from kernelwise.search.engine.validator import CrossValidator


class Family(ABC):
    """What kind of targets a search is for, and what machines learn them."""

    #: Rows that a search looks at, at most; the final machine sees all.
    max_rows: int = 5000
    #: Matrices of the size of a Gram matrix that one thread takes for a path of C, beside that of the kernel.
    path_matrices: ClassVar[float] = 0.7
    #: Seconds of a path of C on n rows, about, over n²: how many rows a time budget allows.
    path_cost: float = 8e-8
    #: How many times as long as a classifier its exact machine takes on as many rows, about.
    exact_cost: float = 1.0
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
    #: Seconds that it takes for each machine, about; 0 if it is no computation.
    finer_seconds: ClassVar[float] = 0.0
    #: Whether, where nothing else decides, a sum of kernels is preferred to the best score.
    prefers_sum: ClassVar[bool] = True
    #: Fixed widths (γ times the median distance) of the kernels in the sum of "auto"; without any, the sum
    #: has the best widths that were found.
    sum_widths: ClassVar[tuple[float, ...]] = ()
    #: Criteria that choose by cross-validation alone.
    by_score: ClassVar[tuple[str, ...]] = ("auto",)
    #: What machines are trained at several values of, in words.
    symbol: ClassVar[str] = "C"
    #: Whether scores at neighbouring values of C are averaged before they are compared.
    is_smooth: ClassVar[bool] = True
    #: The kind of numbers that held-out values are kept in.
    precision: ClassVar[Any] = np.float32
    #: Whether the final machine is trained on all rows, as long as its time allows that.
    final_on_all: ClassVar[bool] = True
    #: Whether copies of a row may go to several folds.
    splits_copies: ClassVar[bool] = True
    #: Whether folds that the user gives must hold out every row once.
    holds_out_all: ClassVar[bool] = False
    #: Whether coefficients have bounds: a larger C changes nothing then where no coefficient is at its bound.
    has_bounds: bool = True
    #: Whether Gram matrices of many rows may be in single precision.
    takes_single: bool = False
    #: Rows that machines are asked about beside the samples, (n_others, n_features), scaled as they are: the
    #: solving step gets the kernel values of the samples with them.
    beside: np.ndarray | None = None

    @property
    def has_nystroem(self) -> bool:
        """Whether a Nyström machine may stand for the exact one."""
        return True

    @property
    def n_machines(self) -> int:
        """Machines that answer for each row together."""
        return 1

    @abstractmethod
    def prepare(self, problem: FoldProblem) -> Callable[..., tuple[SVMPath, Tables]]:
        """What trains on the folds of a problem for one Gram matrix after the other; its Z is not looked at.

        The result is called as ``solve(K, Cs, epsilon=…, after=…, only=…, alone=…)``: ``after`` is a path to
        go on from, ``only`` the number of a fold to be solved, as if there were no other if ``alone``. A
        family with rows ``beside`` also gets ``beside=…``, of shape (n_samples, n_others). It returns a path,
        and tables as of `kernelwise.solvers.path_problem`.
        """

    def of_targets(self, y: np.ndarray, weight: np.ndarray, owner: str) -> Family:
        """The family of distinct rows with these targets and weights; raises if nothing can be learned."""
        return self

    def scored_by(
        self, scoring: Scoring, scorer: Any, X: MatrixLike, samples: Samples, owner: str
    ) -> tuple[Family, Scorer]:
        """What a score asks for: the family that scores it, and the scorer of held-out values.

        ``scorer`` is what scikit-learn makes of ``scoring``, and ``X`` are the rows as the user passed them.
        """
        raise NotImplementedError(f"{type(self).__name__} has no scorer of its own.")

    def values(self, given: np.ndarray | None) -> np.ndarray | None:
        """Values of C that every kernel is scored at, shape (n_Cs,); None lets them follow the kernel."""
        return given

    def decoded(self, y: np.ndarray) -> np.ndarray:
        """Targets as the user passed them, for a splitter of theirs."""
        return y

    def train(self, machine: Any, part: Samples) -> Any:
        """Train the final machine on some rows, and return it."""
        return machine.fit(part.Z, part.y, sample_weight=part.bound)

    def sigmoids(self, held: Samples, decision: np.ndarray) -> tuple[np.ndarray | None, list[Finding]]:
        """Sigmoids of held-out decision values, (n_machines, 2), and what is to say of them; None of numbers.

        Decision values have the shape (n_held_out, n_machines).
        """
        return None, []

    def temperature(self, held: Samples, odds: np.ndarray) -> float:
        """The factor of held-out log odds, (n_held_out, n_machines), by which probabilities are best."""
        return 1.0

    def held_out(
        self, y: np.ndarray, decision: np.ndarray, odds: np.ndarray | None, costs: np.ndarray | None = None
    ) -> HeldOut:
        """Answers of the chosen machines to held-out rows, from values of shape (n_held_out, n_machines).

        ``odds`` are log odds of the same shape, if there are sigmoids, ``costs`` those of wrong answers.
        """
        return HeldOut(y, decision[:, 0].astype(float), np.empty(0))

    def only_asked(self, y: np.ndarray) -> np.ndarray:
        """Rows, by their targets, that all folds hold out and no machine is trained on."""
        return np.empty(0, int)

    def for_rows(self, samples: Samples, rows: np.ndarray, random_state: int) -> Family:
        """The family as a search on these rows of the samples needs it."""
        return self

    def params(self, kernel: Any, C: float, epsilon: float | None) -> dict[str, Any]:
        """A candidate in ``cv_results_``: the kernel, C, ε of a regression, and the kernel's numbers."""
        numbers: dict[str, Any] = {}
        if isinstance(kernel, Kernel):
            numbers = {k: v for k, v in kernel.get_params().items() if isinstance(v, float | int)}
        own = {} if epsilon is None else {"epsilon": epsilon}
        return {"kernel": kernel, **numbers, "C": float(C), **own}

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

    def width_data(self, validator: CrossValidator, kernel: Any) -> WidthData:
        """What width rules see."""
        return width_data_of_numbers(validator, kernel)

    def scored_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray | None = None
    ) -> np.ndarray:
        """What scorers see of held-out decision values, as of `prepare`; see `cross_fitted_odds`."""
        return decision

    def as_shown(self, decision: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """What scorers see of decision values and log odds of one shape, if there are odds."""
        return decision

    def finer_cost(self, held: Samples, decision: np.ndarray) -> float | None:
        """What tells forms of kernel apart whose scores are equal within the error; None if nothing does.

        ``decision`` are held-out decision values of shape (n_held_out, n_machines); less is better.
        """
        return None

    def own_C(
        self, scored: ScoredKernel, held: Samples, fold: np.ndarray, asked: np.ndarray
    ) -> tuple[int, ...]:
        """Indices of C for each machine where each has its own; empty if all machines have the same.

        ``fold`` and ``asked`` are as in `scored_values`.
        """
        return ()

    def unseen_values(
        self, decision: np.ndarray, held: Samples, fold: np.ndarray, asked: np.ndarray
    ) -> np.ndarray:
        """Held-out decision values, (n_held_out, n_machines), as the final machine would have them."""
        return decision

    def settled(self, machine: Any, held: Samples, decision: np.ndarray) -> Any:
        """The final machine with what held-out decision values, (n_held_out, n_machines), tell of it."""
        return machine

    def alignment(self) -> Criterion:
        """The criterion from whose optimum kernels without a sketch start."""
        return TargetAlignment(centered=True)

    def criterion(self, criterion: Any) -> Any:
        """The criterion of that name; names of choices by cross-validation stay names."""
        if isinstance(criterion, str) and criterion in self.by_score:
            return criterion
        return as_criterion(criterion)
