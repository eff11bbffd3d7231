"""What `ayat_select` returns: a machine for every pair of classes, each with a kernel of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._core.validation import check_choice, check_samples
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES, choose_reject_label, decide_labels
from kernelwise.result import TuningResult

#: Rules to combine pairs, and the strategies of `kernelwise.SVC` that they are.
COMBINE = {"reject": "ovo-reject", "vote": "ovo"}


@dataclass(frozen=True)
class PairMachine:
    """The model of one pair of classes.

    Attributes
    ----------
    kernel : Kernel
    C : float
    support_vectors : array of shape (n_support, n_features)
    beta : ndarray of shape (n_support,)
        Signed coefficients; positive decision values mean the first class of the pair.
    intercept : float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import ayat_select
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = ayat_select(X[::2], y[::2], kernel="rbf", C=10.0).pairs[0].tuned

    Its decision values are positive for the first class of the pair:

    >>> int((machine.decision_function(X[:50]) > 0).sum()) > 45
    True
    """

    kernel: Kernel
    C: float
    support_vectors: Any = field(repr=False)
    beta: np.ndarray = field(repr=False)
    intercept: float

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of shape (n_samples,)."""
        return self.kernel(X, self.support_vectors) @ self.beta + self.intercept


@dataclass(frozen=True)
class PairTuning:
    """One pair before and after the search.

    Attributes
    ----------
    classes : tuple
        Of the pair.
    start, tuned : PairMachine
        Trained on the training part (with ``refit`` on all rows of the pair), with the parameters of the
        start and with those chosen.
    search : TuningResult
        The search from the scale that the scan took; its history has the scan, too.
    chosen : dict
        The row of the history whose parameters ``tuned`` has.
    majority : float
        Share of the larger class of the pair in the validation set.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import ayat_select
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = ayat_select(X[::2], y[::2], kernel="rbf", C=10.0).pairs[2]

    What the search chose is a row of its history:

    >>> any(row is pair.chosen for row in pair.search.history), pair.tuned.C == pair.chosen["C"]
    (True, True)
    """

    classes: tuple[Any, Any]
    start: PairMachine
    tuned: PairMachine
    search: TuningResult = field(repr=False)
    chosen: dict[str, Any] = field(repr=False)
    majority: float = 0.5


@dataclass(frozen=True)
class AyatResult:
    """Models of pairs of classes, each with its own kernel (paper 001, Ayat and others 2002, section 4).

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    pairs : list of PairTuning
        In the order (0, 1), (0, 2), …
    findings : tuple of Finding
        One for each pair whose machine is right less often than the larger class of the validation set.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import ayat_select
    >>> X, y = load_iris(return_X_y=True)
    >>> result = ayat_select(X[::2], y[::2], kernel="rbf", C=10.0)
    >>> result.predict(X[1::2], combine="vote").shape, result.decision_function(X[1::2]).shape
    ((75,), (75, 3))

    Each pair has a kernel of its own, and samples on which the pairs disagree are rejected:

    >>> len({pair.tuned.kernel.gamma for pair in result.pairs})
    3
    >>> sorted(result.summary(X[1::2], y[1::2])["after"])
    ['accuracy', 'recognition', 'rejection', 'support_vectors']
    """

    classes: np.ndarray
    pairs: list[PairTuning]
    findings: tuple[Finding, ...] = ()

    def machines(self, *, tuned: bool = True) -> list[PairMachine]:
        """The machines after the search, or those with the parameters of the start."""
        return [pair.tuned if tuned else pair.start for pair in self.pairs]

    def decision_function(self, X: Any, *, tuned: bool = True) -> np.ndarray:
        """Decision values of shape (n_samples, n_pairs), positive for the first class of a pair."""
        X = check_samples(X)
        return np.column_stack([machine.decision_function(X) for machine in self.machines(tuned=tuned)])

    def predict(
        self, X: Any, *, combine: str = "reject", tuned: bool = True, reject_label: Any = None
    ) -> np.ndarray:
        """Predict labels of shape (n_samples,).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        combine : {"reject", "vote"}, default="reject"
            The class that wins against every other, else ``reject_label``; or the class with most votes.
        tuned : bool, default=True
            False asks the machines with the parameters of the start.
        reject_label : object, default=None
            Default −1 for numbers; labels that are not numbers need one.
        """
        check_choice(combine, "combine", "AyatResult.predict", tuple(COMBINE))
        strategy = COMBINE[combine]
        label = choose_reject_label(reject_label, self.classes, strategy, "AyatResult.predict")
        return decide_labels(self.machine_values(X, tuned=tuned), self.classes, strategy, label)

    def n_support(self, *, tuned: bool = True) -> np.ndarray:
        """Support vectors of every pair's machine, shape (n_pairs,)."""
        return np.array([len(machine.beta) for machine in self.machines(tuned=tuned)])

    def summary(self, X: Any, y: Any) -> dict[str, dict[str, float]]:
        """Table 3 on a test set, "before" and "after" the search.

        Each has "accuracy" (by voting), "recognition" (right and not rejected), "rejection" and
        "support_vectors" (mean per model).
        """
        table = {}
        for name, tuned in (("before", False), ("after", True)):
            decision = self.machine_values(X, tuned=tuned)
            recognised = self._recognised(decision, y)
            voted, unanimous = (
                STRATEGIES[COMBINE[combine]].decide(decision, len(self.classes))
                for combine in ("vote", "reject")
            )
            table[name] = {
                "accuracy": float(np.mean(self.classes[voted] == np.ravel(y))),
                "recognition": float(recognised.mean()),
                "rejection": float(np.mean(unanimous < 0)),
                "support_vectors": float(self.n_support(tuned=tuned).mean()),
            }
        return table

    def recognised(self, X: Any, y: Any, *, tuned: bool = True) -> np.ndarray:
        """Whether the right class of each sample wins against every other, booleans of shape (n_samples,).

        What `mcnemar_test` takes.
        """
        return self._recognised(self.machine_values(X, tuned=tuned), y)

    def _recognised(self, decision: np.ndarray, y: Any) -> np.ndarray:
        y = np.ravel(y)
        if len(decision) != len(y):
            raise ValueError(f"y has {len(y)} labels for {len(decision)} samples.")
        unanimous = STRATEGIES[COMBINE["reject"]].decide(decision, len(self.classes))
        return np.asarray((unanimous >= 0) & (self.classes[unanimous] == y))

    def machine_values(self, X: Any, *, tuned: bool = True) -> np.ndarray:
        """Decision values as :mod:`kernelwise.multiclass` takes them: (n_samples, n_pairs).

        Of two classes they have the shape (n_samples,) and are positive for the second.
        """
        decision = self.decision_function(X, tuned=tuned)
        return -decision[:, 0] if len(self.classes) == 2 else decision
