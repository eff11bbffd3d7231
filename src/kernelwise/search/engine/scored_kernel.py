"""One kernel after cross-validation along a path of C: its scores, and what they cost.

A kernel that is learned from labels is learned again for each fold, without the rows of that fold, and these
kernels are scored: that keeps its scores honest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._core.rounding import significant
from kernelwise._core.threads import cached_property
from kernelwise.kernels import Kernel

#: Scores of this many neighbouring values of C are averaged before they are compared: noise of few folds.
SMOOTH = 3
#: Parameters (most of them logarithms) that come from the data are multiples of this.
THETA_STEP = 2.0**-20


@dataclass(frozen=True)
class FoldKernels:
    """The kernel to be used in the end, and one for each fold that has not seen the fold's test part."""

    final: Kernel
    by_fold: Sequence[Kernel]

    @property
    def input_powers(self) -> dict[str, float]:
        """``input_powers`` of the final kernel."""
        return self.final.input_powers

    def rescaled(self, factor: float) -> FoldKernels:
        """Every kernel on inputs times √factor."""
        return self.mapped(lambda kernel: kernel.rescaled(factor))

    def mapped(self, change: Callable[[Kernel], Kernel]) -> FoldKernels:
        """Every kernel changed in the same way."""
        return FoldKernels(change(self.final), [change(kernel) for kernel in self.by_fold])


def without_rounding(kernel: Any) -> Any:
    """A kernel with its parameters on a grid: what sums and searches leave in the last digits is rounding.

    A full metric stays as it is: on a grid it may not be positive definite.
    """
    if kernel.learns_metric and kernel.feature_weights is None:
        return kernel
    return kernel.with_theta(np.rint(kernel.theta / THETA_STEP) * THETA_STEP)


def final_kernel(kernel: Any) -> Any:
    """The kernel to be used in the end."""
    return kernel.final if isinstance(kernel, FoldKernels) else kernel


#: What can be scored: a kernel, one learned for each fold, or the word for a Gram matrix.
Scorable = Kernel | FoldKernels | str

#: Decision values of a scored kernel at all values of C, and those at single ones.
Recompute = Callable[["ScoredKernel", int], tuple[np.ndarray | None, dict[int, np.ndarray]]]


@dataclass
class ScoredKernel:
    """A kernel that was scored by cross-validation at several values of C.

    Attributes
    ----------
    kernel : Kernel or str
    reason : str
        Why it was tried.
    Cs : ndarray of shape (n_Cs,)
    scores : ndarray of shape (n_Cs, n_folds)
        Held-out scores; larger is better.
    stored : ndarray of shape (n_Cs, n_samples, n_machines), float32, or None
        Held-out decision values; None if the scores come from a journal, or if there were too many values.
    labels : ndarray of shape (n_Cs, n_tested) or None
        Class indices that the held-out values stand for, of the rows that folds hold out; None if the score
        is no share of correctly labelled rows.
    n_support : ndarray of shape (n_Cs,)
        Mean over folds and machines.
    is_finished : bool
        No support vector was bounded at the largest C: larger ones give the same machines.
    variance : float
        Of the samples in feature space, times their mean weight: C is worth trying in units of 1/variance.
    seconds : float
    n_machines : int
        Trained for it.
    epsilon : float or None
        Of a regression.
    recompute : callable or None
        Solves the machines once more, where decision values are not stored: ``recompute(self, index)``
        returns them, and None if they are too many, then with those of that one C. It is given the scored
        kernel, and does not hold it: a cycle would keep the samples of a fit in memory after its end.
    scorable : Kernel, FoldKernels or str
        What was scored: a kernel that is learned from labels is another one for each fold.
    symbol : str
        What the values are of: C, or ν.
    is_smooth : bool
        Whether scores of neighbouring values are averaged before they are compared.
    """

    kernel: Any
    reason: str
    Cs: np.ndarray
    scores: np.ndarray
    stored: np.ndarray | None = field(repr=False)
    n_support: np.ndarray = field(repr=False)
    is_finished: bool
    variance: float
    seconds: float
    n_machines: int
    epsilon: float | None = None
    labels: np.ndarray | None = field(default=None, repr=False)
    recompute: Recompute | None = field(default=None, repr=False)
    scorable: Any = field(default=None, repr=False)
    symbol: str = "C"
    is_smooth: bool = True
    _asked: dict[int, np.ndarray] = field(default_factory=dict, repr=False)

    def decision_at(self, index: int) -> np.ndarray:
        """Held-out decision values at one C, of shape (n_samples, n_machines)."""
        if self.stored is None and index not in self._asked:
            assert self.recompute is not None
            self.stored, self._asked = self.recompute(self, index)
        return self._asked[index] if self.stored is None else self.stored[index]

    @cached_property
    def smoothed(self) -> np.ndarray:
        """Mean scores as `smoothed_scores` makes them, shape (n_Cs,)."""
        mean = self.scores.mean(axis=1)
        return smoothed_scores(mean) if self.is_smooth else np.asarray(significant(mean))

    @cached_property
    def best(self) -> int:
        """Index of the best C: the smallest of equals."""
        return int(np.argmax(self.smoothed))

    @cached_property
    def best_score(self) -> float:
        """Smoothed score at the best C."""
        return float(self.smoothed.max())


def smooth(scores: np.ndarray) -> np.ndarray:
    """Scores averaged over neighbouring values of C, the first axis; what differs by rounding is equal.

    Beyond an end stands the score at the end.
    """
    padded = np.concatenate([scores[:1]] * (SMOOTH // 2) + [scores] + [scores[-1:]] * (SMOOTH // 2))
    total = sum(padded[k : k + len(scores)] for k in range(SMOOTH))
    return np.asarray(significant(total / SMOOTH))


def smoothed_scores(mean: np.ndarray) -> np.ndarray:
    """Mean scores, averaged over neighbouring values of C, shape (n_Cs,).

    One that is not defined counts as the lowest. Scores that differ by rounding only are equal.
    """
    is_defined = np.isfinite(mean)
    mean = np.where(is_defined, mean, mean[is_defined].min(initial=np.inf))
    found = smooth(mean)
    return np.where(is_defined, found, found.min() - 1.0)  # never chosen


def check_defined(scores: np.ndarray) -> None:
    """Raise if no C has scores that are numbers, shape (n_Cs, n_folds)."""
    is_defined = np.isfinite(scores)
    if is_defined.all(axis=1).any():
        return
    fold = int(is_defined.sum(axis=0).argmin())
    raise ValueError(
        f"The score is not a number on fold {fold} of the cross-validation, for any C. Some scores need "
        "samples of every class in each fold. Use fewer folds ('cv'), or another 'scoring'."
    )


def joined(a: ScoredKernel, b: ScoredKernel) -> ScoredKernel:
    """Two ranges of C of one kernel as one, in increasing C."""
    order = np.argsort(np.concatenate([a.Cs, b.Cs]))

    def both(name: str) -> np.ndarray:
        return np.concatenate([getattr(a, name), getattr(b, name)])[order]

    top = a if a.Cs[-1] > b.Cs[-1] else b
    return ScoredKernel(
        a.kernel,
        a.reason,
        both("Cs"),
        both("scores"),
        None if a.stored is None or b.stored is None else both("stored"),
        both("n_support"),
        top.is_finished,
        a.variance,
        a.seconds + b.seconds,
        a.n_machines + b.n_machines,
        a.epsilon,
        None if a.labels is None else both("labels"),
    )


def forget_worst(scored: list[ScoredKernel], most: float) -> None:
    """Drop held-out values of the worst kernels if all take more bytes than that: they can be recomputed."""
    excess = sum(one.stored.nbytes for one in scored if one.stored is not None) - most
    if excess <= 0:
        return
    stored = sorted((one for one in scored if one.stored is not None), key=lambda one: one.best_score)
    for one in stored[:-1]:
        if excess <= 0:
            return
        assert one.stored is not None
        excess -= one.stored.nbytes
        one.stored = None
