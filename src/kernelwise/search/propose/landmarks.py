"""How many landmarks, and which C: linear machines on Nyström features, scored on held-out rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d

from kernelwise._core.labels import balanced_on, lone_rows
from kernelwise._core.typing import Samples
from kernelwise.kernels import Kernel
from kernelwise.large import (
    Blocks,
    LinearMachine,
    LinearSolution,
    Loss,
    NystroemMap,
    choose_landmarks,
    linear_path,
    squared_hinge,
)
from kernelwise.multiclass import Machine, two_class_machines
from kernelwise.search.data.canonical import sample, shuffled_classes
from kernelwise.search.engine.context import Deadline
from kernelwise.search.engine.runner import feature_space_variance
from kernelwise.search.engine.scored_kernel import SMOOTH
from kernelwise.search.propose.c_range import STEP
from kernelwise.solvers.probability import doubt_of, fit_platt_of
from kernelwise.solvers.temperature import tempered

#: Rows on which landmarks and C are chosen, at most, and the share of them that is held out.
MAX_SEARCH_ROWS = 20_000
HELD_OUT = 0.2
#: Rows up to which ``solver="auto"`` trains exactly, whatever the kernel and the columns.
MANY = 50_000
#: Numbers of landmarks that are tried in turn, and what one must gain for the next to be tried.
SIZES = (250, 500, 1000, 2000)
MIN_GAIN = 0.001
#: Values of C: these powers of 4 over the variance in feature space.
POWERS = np.arange(-4.0, 6.0)
#: Steps between the best C of some landmarks and the values that are tried with more.
REACH = 2

Score = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass
class Rows:
    """Rows to train on, distinct and in canonical order, with their class indices or targets ``y``.

    ``bound`` are the weights times those of the classes; ``classes`` are the labels, None for a regression;
    with ``is_balanced`` the weights of classes follow from the rows that a machine is trained on.

    ``score(decision, rows, weight)`` returns scores of shape (n_Cs,) of held-out decision values, which have
    the shape (n_Cs, n_held_out), and a last axis of n_machines if there are several. More landmarks are tried
    only while the ``deadline`` leaves time for them and for the final machine. If the rows are a sample,
    ``full`` are all rows, which the final machine is trained on.
    """

    Z: Any
    y: np.ndarray
    weight: np.ndarray
    bound: np.ndarray
    classes: np.ndarray | None = None
    is_balanced: bool = False
    score: Score | None = None
    deadline: Deadline = field(default_factory=Deadline)
    full: Rows | None = None

    def __getitem__(self, rows: np.ndarray) -> Rows:
        parts = self.Z[rows], self.y[rows], self.weight[rows], self.bound[rows]
        return Rows(*parts, self.classes, self.is_balanced)

    def bound_on(self, share: np.ndarray) -> np.ndarray:
        """Bounds of machines that are trained on that share of each row, both of shape (n_rows,)."""
        if not self.is_balanced:
            return self.bound * share
        weight = self.weight * share
        return weight * balanced_on(np.flatnonzero(weight), self.y, weight)

    @property
    def strata(self) -> np.ndarray:
        """What samples of rows are stratified by: the class index, or zero for all rows of a regression."""
        return np.zeros(len(self.y), int) if self.classes is None else self.y

    def blocks(self, map_: NystroemMap, memory_limit: float) -> Blocks:
        """Nyström features of the rows, in no more MiB than ``memory_limit``."""
        return map_.blocks(self.Z, memory_limit)

    def machines(self, strategy: str) -> list[Machine]:
        """Return the two-class machines with labels ±1, or the one of a regression with its targets."""
        if self.classes is None:
            return [Machine(np.arange(len(self.y)), self.y)]
        return two_class_machines(self.y, len(self.classes), strategy)


class HeldOutValues(NamedTuple):
    """Decision values of shape (n_held_out, n_machines) for rows that the chosen machines had not seen."""

    rows: np.ndarray
    weight: np.ndarray
    decision: np.ndarray


@dataclass
class Candidate:
    """Machines of one number of landmarks: held-out scores and decision values for every C.

    ``landmarks`` are indices of rows; ``coefficients`` has the shape (n_Cs, n_machines, rank + 1),
    ``decision`` (n_Cs, n_held_out, n_machines), ``lone`` (n_Cs, n_lone, n_machines), of the only rows of
    their classes, which are not held out; ``n_iter`` counts Newton steps.
    """

    map: NystroemMap
    landmarks: np.ndarray
    Cs: np.ndarray
    scores: np.ndarray
    coefficients: np.ndarray
    decision: np.ndarray
    lone: np.ndarray
    n_iter: int
    seconds: float

    @property
    def best(self) -> int:
        """Index of the best C: the smallest of equals, after averaging neighbours."""
        return int(np.argmax(uniform_filter1d(self.scores, SMOOTH, mode="nearest")))

    @property
    def best_score(self) -> float:
        """Score at the best C."""
        return float(self.scores[self.best])


class NystroemSearch:
    """Tries numbers of landmarks and values of C on a part of the rows.

    More landmarks are not tried if they could not reach the ``ceiling``, were each doubling to gain as much
    as the last one. Features take ``memory_limit`` MiB. The loss is one of `kernelwise.large`, ``strategy``
    ("ovo", "ovr") is for three or more classes. ``chosen`` is the best candidate, after `run`.
    """

    chosen: Candidate
    #: The score of an exact machine that was trained on the same rows, if it is known.
    ceiling: float = np.inf

    def __init__(
        self,
        rows: Rows,
        kernel: Kernel,
        memory_limit: float,
        random_state: int,
        loss: Loss = squared_hinge,
        strategy: str = "ovo",
    ) -> None:
        assert rows.score is not None
        self.rows, self.kernel, self.loss, self.strategy = rows, kernel, loss, strategy
        self.score, self.deadline = rows.score, rows.deadline
        self.memory_limit, self.random_state = memory_limit, random_state
        n = len(rows.y)
        self.used = (
            np.arange(n) if n <= MAX_SEARCH_ROWS else sample(rows.strata, MAX_SEARCH_ROWS, random_state)
        )
        self.part = rows[self.used]
        self.share = held_out_shares(self.part.strata, self.part.weight, random_state)
        self.test = np.flatnonzero(self.share)
        self.lone = lone_rows(self.part.strata, self.part.weight)
        self.candidates: list[Candidate] = []

    @property
    def trained(self) -> np.ndarray:
        """Rows that the candidates are trained on."""
        return self.used[self.share < 1.0]

    @property
    def tested(self) -> np.ndarray:
        """Rows that the candidates are scored on."""
        return self.used[self.test]

    def run(self, n_components: int | str, C: float | str) -> None:
        """Find the best candidate; ``n_components`` or C is "auto" where it is to be chosen."""
        train = np.flatnonzero(self.share < 1.0)
        sizes = tuple(dict.fromkeys(min(size, len(train)) for size in sizes_of(n_components)))
        order = train[choose_landmarks(self.kernel, self.part.Z[train], sizes[-1], self.random_state)]
        for place, size in enumerate(sizes):
            if self.candidates and not self._goes_on(size, len(sizes) - place):
                break
            self.candidates.append(self._try(order[:size], C))
        self.chosen = max(self.candidates, key=lambda candidate: candidate.best_score)

    def _goes_on(self, size: int, n_left: int) -> bool:
        scores = [candidate.best_score for candidate in self.candidates]
        if len(scores) > 1:
            gain = scores[-1] - max(scores[:-1])
            if gain < MIN_GAIN or (np.isfinite(self.ceiling) and scores[-1] + n_left * gain < self.ceiling):
                return False
        # Both the search and the final machine take time that grows like the square of the landmarks.
        last = self.candidates[-1]
        growth = (size / len(last.landmarks)) ** 2 * (1.0 + len(self.rows.y) / len(self.used))
        return self.deadline.allows(f"{size} landmarks", last.seconds * growth)

    def _try(self, landmarks: np.ndarray, C: float | str) -> Candidate:
        started = time.perf_counter()
        map_ = NystroemMap.from_landmarks(self.kernel, self.part.Z[landmarks])
        blocks = self.part.blocks(map_, self.memory_limit)
        Cs = self._values_of_C(map_) if C == "auto" else np.array([float(C)])
        if C == "auto" and self.candidates:  # more landmarks may ask for another value, but for no far one
            last = self.candidates[-1]
            Cs = last.Cs[last.best] * STEP ** np.arange(-REACH, REACH + 1.0)
        weight = self.part.bound_on(1.0 - self.share)
        machines = []
        for machine in self.part.machines(self.strategy):
            y, own = _on_all_rows(machine, weight)
            machines.append(linear_path(blocks, y, Cs, own, self.loss))
        test, seen = self.test, np.append(self.test, self.lone)
        values = np.array([[one.values[seen] for one in path] for path in machines]).transpose(1, 2, 0)
        decision, lone = values[:, : len(test)], values[:, len(test) :]
        shown = decision[:, :, 0] if len(machines) == 1 else decision
        return Candidate(
            map_,
            self.used[landmarks],
            Cs,
            self.score(shown, self.used[test], self._test_weight),
            np.array([[one.coefficients for one in path] for path in machines]).transpose(1, 0, 2),
            decision,
            lone,
            sum(one.n_iter for path in machines for one in path),
            time.perf_counter() - started,
        )

    def _values_of_C(self, map_: NystroemMap) -> np.ndarray:
        # One landmark does not say how much samples differ.
        points = map_.landmarks if map_.landmarks.shape[0] > 1 else self.part.Z[:500]
        K = np.asarray(self.kernel(points), dtype=np.float64)
        variance = feature_space_variance(K, np.ones(len(K))) * float(self.part.bound.mean())
        return STEP ** (POWERS - round(np.log(max(variance, 1e-300)) / np.log(STEP)))

    @property
    def _test_weight(self) -> np.ndarray:
        return (self.part.weight * self.share)[self.test]

    def held_out(self) -> HeldOutValues:
        """Return the chosen machines' decision values of the rows that were held out."""
        chosen = self.chosen
        return HeldOutValues(self.used[self.test], self._test_weight, chosen.decision[chosen.best])

    def values(self, Z: Samples) -> np.ndarray:
        """Decision values of other rows by the chosen machines, of shape (n_others, n_machines)."""
        blocks = self.chosen.map.mapped(Z)
        return np.column_stack([blocks.apply(one) for one in self.chosen.coefficients[self.chosen.best]])

    def sigmoids(self) -> np.ndarray:
        """Fit Platt's sigmoids to the held-out decision values of classes, shape (n_machines, 2)."""
        chosen = self.chosen
        known = self.part[np.append(self.test, self.lone)]
        weight = np.append(self._test_weight, self.part.weight[self.lone])
        decision = np.concatenate([chosen.decision[chosen.best], chosen.lone[chosen.best]])
        bound = weight * (known.bound / known.weight)
        assert known.classes is not None
        how = len(known.classes), self.strategy
        sigmoids = fit_platt_of(known.machines(self.strategy), decision, bound, weight, doubt_of(*how))
        return tempered(sigmoids, decision, known.y, bound, weight, *how)

    def train(self) -> list[LinearSolution]:
        """Train the chosen machines on all rows that there is time for, from where the search left them."""
        chosen = self.chosen
        rows = self._affordable(chosen, self.rows if self.rows.full is None else self.rows.full)
        blocks = rows.blocks(chosen.map, self.memory_limit)
        C = float(chosen.Cs[chosen.best])
        starts = chosen.coefficients[chosen.best]
        solutions = []
        for machine, start in zip(rows.machines(self.strategy), starts, strict=True):
            y, weight = _on_all_rows(machine, rows.bound)
            solutions.append(LinearMachine(blocks, y, weight, start, self.loss).solve(C))
        self.n_trained = len(rows.y)
        return solutions

    def _affordable(self, chosen: Candidate, full: Rows) -> Rows:
        """Return all rows, or a sample that there is time for: that of the search's path grows like n."""
        n, n_used = len(full.y), len(self.used)
        share = max(self.deadline.left, 0.0) / max(chosen.seconds, 1e-6)
        if n <= max(share, 1.0) * n_used:
            return full
        n_affordable = min(int(max(share, 1.0) * n_used), len(self.rows.y))
        rows = self.rows[sample(self.rows.strata, n_affordable, self.random_state)]
        self.deadline.skipped.append(f"training on {n - len(rows.y)} of {n} distinct rows")
        return rows


def sizes_of(n_components: int | str) -> tuple[int, ...]:
    """Numbers of landmarks that are tried in turn."""
    return SIZES if isinstance(n_components, str) else (n_components,)


def ordered_landmarks(
    kernel: Kernel, Z: Samples, n_components: int | str, random_state: int
) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Rows of Z that may be landmarks, the first ones first; the rows they are taken from; numbers to try."""
    n, sizes = Z.shape[0], sizes_of(n_components)
    some = sample(np.zeros(n, int), min(n, MAX_SEARCH_ROWS), random_state)
    order = some[choose_landmarks(kernel, Z[some], min(sizes[-1], some.size), random_state)]
    return order, some, sizes


def held_out_shares(index: np.ndarray, weight: np.ndarray, random_state: int) -> np.ndarray:
    """Share of each row's weight that is held out, shape (n_rows,): 1 for a fifth of the rows of every class.

    At least one row; of the only row of a class one half if it stands for several equal ones, else nothing.
    """
    shares = np.zeros(len(index))
    for members in shuffled_classes(index, random_state):
        chosen = members[: max(1, round(HELD_OUT * len(members)))]
        shares[chosen] = 1.0 if len(members) > 1 else 0.5
    shares[lone_rows(index, weight)] = 0.0
    return shares


def _on_all_rows(machine: Machine, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return labels or targets and weights of a machine; rows that are not its own have weight zero."""
    y, own = np.ones(len(weight)), np.zeros(len(weight))
    y[machine.members], own[machine.members] = machine.signs, weight[machine.members]
    return y, own
