"""Step 5 of a search: held-out scores of kernels along paths of C, all on the same folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise._core.labels import with_copies
from kernelwise._core.memory import MIB
from kernelwise._core.threads import cached_property, number_of_threads
from kernelwise._core.validation import copies_of
from kernelwise.kernels import Kernel
from kernelwise.search.data.canonical import AnswerNumbers, sample
from kernelwise.search.data.folds import FoldRows
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine import kernel_journal
from kernelwise.search.engine.context import Deadline, FitContext
from kernelwise.search.engine.rules import standard_error
from kernelwise.search.engine.runner import FoldProblem, FoldsSolved, Here, KernelRun, Runner
from kernelwise.search.engine.scored_kernel import (
    FoldKernels,
    Recompute,
    Scorable,
    ScoredKernel,
    check_defined,
    final_kernel,
    forget_worst,
    joined,
    without_rounding,
)
from kernelwise.search.scoring.scorers import HeldOutScorer, Scorer
from kernelwise.search.scoring.scores import goes_by_labels
from kernelwise.search.settings import EFFORTS, Effort
from kernelwise.sketch import DistanceSketch
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.path_problem import Places

if TYPE_CHECKING:
    from kernelwise.search.families.family import Family

MAX_EXTENSIONS = 4
#: Values of C that a kernel is scored at first, at most.
MOST_CS = 20
#: Bytes of held-out decision values that are kept, and that are made at a time: of two hundred classes those
#: of one C have some 600 MiB, and there are fourteen values of C.
MAX_STORED = 512 * MIB
MAX_AT_A_TIME = 512 * MIB
#: Rows on which a criterion without a sketch is computed, at most.
MAX_CRITERION_ROWS = 1000


@dataclass
class CrossValidator:
    """Cross-validation of kernels on fixed folds, which remembers all that it has scored.

    Parameters
    ----------
    samples : Samples
    fold_rows : FoldRows
        Rows of the samples with the folds that train on them and hold them out.
    family, scorer, context
        What is learned, what is maximised, and what accompanies the fit.
    runner : callable, default=Here
        Makes, from a `FoldProblem`, what runs the paths.
    settings : dict
        ``tol``, ``max_iter`` and ``n_jobs`` of the solver.
    Cs : ndarray, default=None
        Values of C for every kernel; None is a range that follows the kernel.
    random_state : int, default=0
    others : dict
        Scores that are not maximised but shown beside it, by name: a family and a scorer each.

    Attributes
    ----------
    scored : list of ScoredKernel
    in_folds : Samples
        The rows of the folds, each with a share of its weight that all folds use alike.
    held_out : Samples
        What is held out, fold by fold; of usual folds, ``in_folds`` itself. A row that is held out several
        times has its weight shared out among them, and these samples have no Z.
    tested : ndarray of shape (n_tested,)
        Which of ``held_out`` a fold holds out: all but rows that stand for classes which none does.
    n_stopped, n_indefinite : int
        Machines that did not converge, and Gram matrices that are far from positive semi-definite.
    n_earlier : int
        Machines that an earlier stage has trained on fewer rows.
    effort : Effort
        How much is tried.
    kept : dict from float to ndarray
        Values of C whose decision values, (n_held_out, n_machines), are wanted where not all are kept.
    """

    samples: Samples
    fold_rows: FoldRows
    family: Family
    scorer: Scorer
    context: FitContext = field(default_factory=FitContext)
    runner: Callable[[FoldProblem], Runner] = Here
    settings: dict[str, Any] = field(default_factory=lambda: {"tol": 1e-3, "max_iter": -1, "n_jobs": None})
    Cs: np.ndarray | None = None
    random_state: int = 0
    others: Mapping[str, tuple[Family, Scorer]] = field(default_factory=dict)
    scored: list[ScoredKernel] = field(default_factory=list)
    n_stopped: int = 0
    n_indefinite: int = 0
    n_earlier: int = 0
    effort: Effort = EFFORTS["normal"]
    kept: dict[float, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folds, self.places = self.fold_rows.folds, self.fold_rows.places
        # Asked once: joblib takes a while to tell.
        self.settings = {**self.settings, "n_jobs": number_of_threads(self.settings.get("n_jobs"))}
        self.tested = AnswerNumbers(np.flatnonzero(self.fold_rows.fold >= 0))
        rows = self.samples[self.fold_rows.rows]
        weight = self.fold_rows.weight
        self.in_folds = rows = replace(rows, weight=weight, bound=rows.bound * (weight / rows.weight))
        self.held_out = rows
        if self.fold_rows.held is not None:
            self.held_out = rows.answers(self.fold_rows.held, 1.0 / self.fold_rows.times)
        bound = self.family.bounds_on_folds(rows.y, weight, rows.bound, self.folds)
        places = Places(list(self.places), len(self.held_out))
        problem = FoldProblem(rows.Z, rows.y, bound, self.folds, self.family, self.settings, places)
        self._runner = self.runner(problem.by_class(rows.strata, is_gram=rows.is_gram))

    @cached_property
    def search_samples(self) -> Samples:
        """The rows of the folds, each once."""
        return self.samples[np.unique(self.fold_rows.rows)]

    def criterion_samples(self) -> Samples:
        """Rows on which a criterion without a sketch is computed: those of the search, or some of them."""
        part = self.search_samples
        if len(part) <= MAX_CRITERION_ROWS:
            return part
        return part[sample(part.strata, MAX_CRITERION_ROWS, self.random_state)]

    def on_fewer(self, n_rows: int) -> CrossValidator:
        """The same cross-validation on a stratified sample of its rows, each in its own fold."""
        rows = np.unique(self.fold_rows.rows)
        part = rows[sample(self.samples[rows].strata, n_rows, self.random_state)]
        return replace(self, fold_rows=self.fold_rows.within(part), scored=[], n_stopped=0, n_indefinite=0)

    def release(self) -> None:
        """Give back the memory of Gram matrices, for what comes after the search."""
        self._runner.release()

    def make_room(self) -> None:
        """Give back what does not fit beside another problem of as many rows."""
        self._runner.make_room()

    def started(self, kernel: Kernel, heuristic: str) -> Kernel:
        """A kernel with parameters from the rows of the search, each as often as its weight says."""
        part = self.search_samples
        started = kernel.initialize(
            *with_copies(part.Z, self.family.labels(part.y), part.weight_or_none), heuristic
        )
        return started if heuristic == "keep" else without_rounding(started)

    def sketch(self, kernel: Any = None) -> DistanceSketch:
        """The distance sketch of the rows of the search, or of all rows if they are on a cluster."""
        if self.context.full_data is not None:
            return self.context.full_data.sketch(kernel)
        part = self.search_samples
        return DistanceSketch.from_data(
            part.Z,
            self.family.nameless(part.y),
            kernel=kernel,
            sample_weight=part.weight_or_none,
            n_jobs=self.settings.get("n_jobs"),
        )

    def score(
        self,
        kernel: Scorable,
        reason: str,
        *,
        Cs: np.ndarray | None = None,
        epsilons: Sequence[float | None] | None = None,
    ) -> ScoredKernel:
        """Score a kernel for every C, and for more beyond an end where the best is.

        ``reason`` says why it is tried; ``Cs`` and ``epsilons`` are for this kernel alone. The best ε is
        returned, the first of equals.
        """
        found = [
            self._score_at(kernel, reason, self.Cs if Cs is None else Cs, epsilon)
            for epsilon in (self.family.epsilons if epsilons is None else epsilons)
        ]
        return max(found, key=lambda scored: scored.best_score)

    def other_scores(self, name: str, scored: ScoredKernel) -> np.ndarray:
        """Scores of one kernel by another score than the one that is maximised, of shape (n_Cs, n_folds)."""
        family, scorer = self.others[name]
        found = []
        for index in range(len(scored.Cs)):
            decision = scored.decision_at(index)[None].astype(float)
            decision = decision[:, :, 0] if decision.shape[2] == 1 else decision
            found.append(self.scores_of(self.scored_values(decision, family), scorer))
        return np.concatenate(found)

    def scored_values(self, decision: np.ndarray, family: Family | None = None) -> np.ndarray:
        """What scorers see of decision values of what is held out, by this family or another."""
        family = self.family if family is None else family
        return family.scored_values(decision, self.held_out, self.fold_rows.fold, self.fold_rows.asked)

    def prefetch(self, kernels: Sequence[Scorable], epsilons: Sequence[float | None] | None = None) -> None:
        """Announce the kernels that `score` will be asked for next: a cluster scores them together.

        Nothing is announced if there is one only, or if some might not be scored: for want of time, or
        because a journal has them.
        """
        fits = self._at_a_time > MOST_CS
        if (
            fits
            and len(kernels) > 1
            and self.context.deadline.seconds is None
            and self.context.journal is None
        ):
            epsilons = self.family.epsilons if epsilons is None else epsilons
            self._runner.prefetch(kernels, self._first_Cs, epsilons)

    def _first_Cs(self, variance: float) -> np.ndarray:
        """Values of C that a kernel of this variance in feature space is scored at first."""
        return self.family.first_Cs(variance, self.scored) if self.Cs is None else self.Cs

    def standard_error(self, scored: ScoredKernel, index: int | None = None) -> float:
        """Standard error of the score at one C of a kernel, the best one if none is given."""
        folds = scored.scores[scored.best if index is None else index]
        return float(standard_error(folds, self.n_held_out, self.scorer.is_share))

    def is_clearly_better(self, scored: ScoredKernel, other: ScoredKernel) -> bool:
        """Whether a kernel scores higher than another by more than one standard error of its score."""
        error = float(np.nan_to_num(self.standard_error(scored)))
        return bool(scored.best_score - other.best_score > error)

    @property
    def n_held_out(self) -> float:
        """Number of samples that were held out, repeated ones included."""
        # From the weights alone: the rows of a Gram matrix would be a copy of it.
        held = np.unique(self.fold_rows.asked[self.tested])
        rows, index = np.unique(self.fold_rows.rows[held], return_inverse=True)
        weight = self.samples.weight[rows]
        if not self.fold_rows.is_partition:  # some copies of a row may be held out, and others not
            weight = np.minimum(np.bincount(index, weights=self.fold_rows.weight[held]), weight)
        return float(copies_of(weight).sum())

    @cached_property
    def n_times(self) -> float:
        """How often folds hold out a row, as it counts for a mean over folds: Σ w t² / Σ w t of t times."""
        held = np.asarray(self.fold_rows.asked[self.tested])
        rows = np.unique(np.stack([held, self.fold_rows.fold[self.tested]]), axis=1)[0]
        times = np.bincount(rows, minlength=len(self.fold_rows.rows))
        weight = self.fold_rows.weight
        return float((weight * times**2).sum() / (weight * times).sum())

    @cached_property
    def clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """What is right or wrong together: numbers of clusters, and how far weights vary, both (n_tested,).

        A row, with all its copies and answers, or a group that folds keep together. The copies of a row that
        folds hold out apart are rows of their own: n of them vary by √n.
        """
        folds = self.fold_rows
        place = np.asarray(folds.asked[self.tested])
        is_parted = np.bincount(folds.rows)[folds.rows] > 1
        varies = np.where(is_parted, 1.0 / np.sqrt(copies_of(folds.weight)), 1.0)[place]
        return np.unique(place if folds.group is None else folds.group[place], return_inverse=True)[1], varies

    @property
    def is_from_all_classes(self) -> np.ndarray:
        """Whether an answer is from machines that have learned every class, shape (n_held_out,)."""
        n_classes = len(np.unique(self.in_folds.strata))
        is_whole = [len(np.unique(self.in_folds.strata[train])) == n_classes for train, _ in self.folds]
        return np.append(is_whole, False)[self.fold_rows.fold]

    def scores_of(
        self, values: np.ndarray, scorer: Scorer | None = None, labels: np.ndarray | None = None
    ) -> np.ndarray:
        """Scores of shape (n_Cs, n_folds) of what a scorer sees, (n_Cs, n_held_out[, n_machines]).

        ``labels``, of shape (n_Cs, n_tested), are the class indices that the values stand for, if known.
        """
        scorer = self.scorer if scorer is None else scorer
        asked = self.fold_rows.asked
        rows, weight = self.fold_rows.rows[asked], self.fold_rows.weight[asked]
        if isinstance(scorer, HeldOutScorer):
            index = labels if self.tested.size == len(rows) else None
            shares = scorer.shares(values, rows, self.places, index)
            if shares is not None:
                return shares
        by_fold = [scorer(values[:, place], rows[place], weight[place]) for place in self.places]
        return np.stack(by_fold, axis=1)

    @property
    def goes_by_labels(self) -> bool | None:
        """Whether the score looks at labels alone; None for a user's own function, of which nobody knows."""
        return goes_by_labels(getattr(self.scorer, "scorer", None))

    def scores_by_labels(self, labels: np.ndarray) -> np.ndarray:
        """Scores of shape (n_answers, n_folds) of class indices, (n_answers, n_tested)."""
        assert isinstance(self.scorer, HeldOutScorer)
        asked, index = self.fold_rows.asked, np.zeros((len(labels), len(self.held_out)), dtype=int)
        index[:, self.tested] = labels
        rows, weight = self.fold_rows.rows[asked], self.fold_rows.weight[asked]
        shares = self.scorer.shares(None, rows, self.places, index)
        if shares is not None:
            return shares
        by_fold = [self.scorer(None, rows[place], weight[place], index[:, place]) for place in self.places]
        return np.stack(by_fold, axis=1)

    @property
    def n_machines(self) -> int:
        """Number of machines that were trained."""
        return self.n_earlier + sum(scored.n_machines for scored in self.scored)

    def _score_at(
        self, kernel: Scorable, reason: str, Cs: np.ndarray | None, epsilon: float | None
    ) -> ScoredKernel:
        with self.context.task("kernel"):
            if self.context.journal is None:
                scored, n_stopped, n_indefinite = self._along_C(kernel, reason, Cs, epsilon)
            else:
                scored, n_stopped, n_indefinite = self._by_journal(kernel, reason, Cs, epsilon)
            scored.recompute = self._recompute(kernel, reason, Cs)
            scored.symbol, scored.is_smooth = self.family.symbol, self.family.is_smooth
            scored.scorable = kernel
        self.n_stopped += n_stopped
        self.n_indefinite += n_indefinite
        self.scored.append(scored)
        forget_worst(self.scored, MAX_STORED)
        self.context.on_scored(scored)
        return scored

    def _by_journal(
        self, kernel: Scorable, reason: str, Cs: np.ndarray | None, epsilon: float | None
    ) -> tuple[ScoredKernel, int, int]:
        """Scores from the journal, or into it."""
        journal, skipped = self.context.journal, self.context.deadline.skipped
        assert journal is not None
        # A time budget may leave fewer rows to the search, and end a path before its time.
        name = f"{kernel_journal.name_of(kernel, Cs, epsilon)} {len(self.held_out)}"
        if name in journal:
            found = journal[name]
            scored = kernel_journal.from_json(found, kernel, reason)
            return scored, found["n_stopped"], found["n_indefinite"]
        n_skipped = len(skipped)
        scored, n_stopped, n_indefinite = self._along_C(kernel, reason, Cs, epsilon)
        if len(skipped) == n_skipped:
            journal[name] = kernel_journal.to_json(scored, n_stopped, n_indefinite)
        return scored, n_stopped, n_indefinite

    def _recompute(self, kernel: Scorable, reason: str, Cs: np.ndarray | None) -> Recompute:
        """A function that solves a kernel as it was solved now, for its decision values."""
        then = copy(self)
        then.scored = list(self.scored)
        then.context = FitContext(Deadline(), full_data=self.context.full_data)

        def recompute(scored: ScoredKernel, index: int) -> tuple[np.ndarray | None, dict[int, np.ndarray]]:
            C = float(scored.Cs[index])
            then.kept = {C: np.empty(0)}
            found, *_ = then._along_C(kernel, reason, Cs, scored.epsilon)
            if not np.array_equal(found.Cs, scored.Cs):  # its time was up before the end of its path
                found, *_ = then._along_C(kernel, reason, np.asarray(scored.Cs), scored.epsilon)
            return found.stored, {index: then.kept[C]}

        return recompute

    def _along_C(
        self, kernel: Scorable, reason: str, Cs: np.ndarray | None, epsilon: float | None
    ) -> tuple[ScoredKernel, int, int]:
        """The scored kernel, machines that did not converge, and Gram matrices that are indefinite."""
        with self._runner.kernel(kernel) as run:
            first = self._first_Cs(run.variance) if Cs is None else Cs
            scored, solved, parts = self._solve(run, kernel, reason, first, epsilon)
            for _ in range(MAX_EXTENSIONS if Cs is None else 0):
                more = self.family.next_Cs(scored, self.scored, len(self.in_folds))
                if not more.size or not self._is_affordable(scored, more):
                    break
                goes_on = more[0] > scored.Cs[-1]  # from the solutions at hand
                after = [part.path for part in solved] if goes_on else None
                further, last, more_parts = self._solve(run, kernel, reason, more, epsilon, after)
                scored, solved = joined(scored, further), last if goes_on else solved
                parts += more_parts
        n_stopped = sum(int((~part.path.converged).sum()) for part in parts)
        # Every Gram matrix counts once, however often the range of C went on.
        n_matrices = len(kernel.by_fold) if isinstance(kernel, FoldKernels) else 1
        n_indefinite = sum(not part.is_convex for part in parts)
        return scored, n_stopped, min(n_indefinite, n_matrices)

    def _is_affordable(self, scored: ScoredKernel, more: np.ndarray) -> bool:
        # Two values above may take as long as all before them; those below take less than any.
        share = 1.0 if more[0] > scored.Cs[0] else more.size / scored.Cs.size
        return self.context.deadline.allows(f"C = {more[0]:.3g} of {scored.kernel}", scored.seconds * share)

    @property
    def _at_a_time(self) -> int:
        """Values of C whose held-out decision values are made together: they must fit into memory."""
        n_bytes = 8 * len(self.held_out) * self.family.n_machines
        return max(1, MAX_AT_A_TIME // n_bytes)

    def _solve(
        self,
        run: KernelRun,
        kernel: Scorable,
        reason: str,
        Cs: np.ndarray,
        epsilon: float | None,
        after: list[SVMPath] | None = None,
    ) -> tuple[ScoredKernel, list[FoldsSolved], list[FoldsSolved]]:
        """Score a kernel at these values of C, some at a time if there are very many machines.

        The last solved paths are returned, too, to be extended, and all of them, for what they tell of their
        machines. Where the values are not solved together, the decision values are not kept.
        """
        size = self._at_a_time
        together = [Cs] if Cs.size <= size else np.split(np.sort(Cs), range(size, Cs.size, size))
        parts: list[FoldsSolved] = []
        total: ScoredKernel | None = None
        for some in together:
            scored, solved = self._solve_together(run, kernel, reason, some, epsilon, after)
            assert scored.stored is not None
            for C in set(self.kept).intersection(some.tolist()):
                self.kept[C] = scored.stored[some.tolist().index(C)].copy()
            if len(together) > 1:
                scored.stored = None
            total = scored if total is None else joined(total, scored)
            after, parts = [part.path for part in solved], [*parts, *solved]
        assert total is not None
        return total, solved, parts

    def _solve_together(
        self,
        run: KernelRun,
        kernel: Scorable,
        reason: str,
        Cs: np.ndarray,
        epsilon: float | None,
        after: list[SVMPath] | None,
    ) -> tuple[ScoredKernel, list[FoldsSolved]]:
        """Score a kernel at these values of C together."""
        started = time.perf_counter()
        solved = run.solve(Cs, epsilon, after)
        decision = solved[0].path.decision
        if len(solved) > 1:
            decision = decision.copy()  # what comes from a cluster may be read-only
            for part, place in zip(solved, self.places, strict=True):
                decision[:, place] = part.path.decision[:, place]
        labels = self._labels(decision) if self.scorer.is_share else None
        scores = self.scores_of(self.scored_values(decision), labels=labels)
        check_defined(scores)
        top = int(np.argmax(Cs))
        by_clock = time.perf_counter() - started
        scored = ScoredKernel(
            kernel=final_kernel(kernel),
            reason=reason,
            Cs=np.asarray(Cs),
            scores=scores,
            # Of classes, kept for probabilities only, and many have many machines: half the memory.
            stored=decision.reshape(len(Cs), len(self.held_out), -1).astype(self.family.precision),
            n_support=np.mean([part.path.n_support.mean(axis=(1, 2)) for part in solved], axis=0),
            is_finished=self.family.has_bounds and not any(p.path.n_bounded[top].any() for p in solved),
            variance=run.variance,
            seconds=by_clock if self._runner.is_timed_by_clock else sum(part.path.seconds for part in solved),
            n_machines=sum(part.path.n_support.size for part in solved),
            epsilon=epsilon,
            labels=labels,
        )
        return scored, [part.without_values() for part in solved]

    def _labels(self, decision: np.ndarray) -> np.ndarray:
        """Class indices in little memory, shape (n_Cs, n_tested)."""
        is_all = self.tested.size == decision.shape[1]
        labels = self.family.decide(decision if is_all else decision[:, self.tested])
        return labels.astype(np.min_scalar_type(-1 - int(self.held_out.y.max())))
