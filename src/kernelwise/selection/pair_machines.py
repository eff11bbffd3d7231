"""What `ayat_select` returns, a machine for every pair of classes, and tests of two such results.

Each pair has a kernel of its own (paper 001, Ayat and others 2002, section 4). z compares two recognition
rates; McNemar's test is stronger, since it sees the outcomes in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest, norm

from kernelwise._core.typing import MatrixLike
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

    def decision_function(self, X: MatrixLike) -> np.ndarray:
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

    def decision_function(self, X: MatrixLike, *, tuned: bool = True) -> np.ndarray:
        """Decision values of shape (n_samples, n_pairs), positive for the first class of a pair."""
        X = check_samples(X)
        return np.column_stack([machine.decision_function(X) for machine in self.machines(tuned=tuned)])

    def predict(
        self, X: MatrixLike, *, combine: str = "reject", tuned: bool = True, reject_label: Any = None
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

    def summary(self, X: MatrixLike, y: ArrayLike) -> dict[str, dict[str, float]]:
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

    def recognised(self, X: MatrixLike, y: ArrayLike, *, tuned: bool = True) -> np.ndarray:
        """Whether the right class of each sample wins against every other, booleans of shape (n_samples,).

        What `mcnemar_test` takes.
        """
        return self._recognised(self.machine_values(X, tuned=tuned), y)

    def _recognised(self, decision: np.ndarray, y: ArrayLike) -> np.ndarray:
        y = np.ravel(y)
        if len(decision) != len(y):
            raise ValueError(f"y has {len(y)} labels for {len(decision)} samples.")
        unanimous = STRATEGIES[COMBINE["reject"]].decide(decision, len(self.classes))
        return np.asarray((unanimous >= 0) & (self.classes[unanimous] == y))

    def machine_values(self, X: MatrixLike, *, tuned: bool = True) -> np.ndarray:
        """Decision values as :mod:`kernelwise.multiclass` takes them: (n_samples, n_pairs).

        Of two classes they have the shape (n_samples,) and are positive for the second.
        """
        decision = self.decision_function(X, tuned=tuned)
        return -decision[:, 0] if len(self.classes) == 2 else decision


class McNemar(NamedTuple):
    """Result of McNemar's test: samples that only one of two models predicted correctly, and the p-value.

    What `mcnemar_test` returns; for table 3 of paper 001 (Ayat and others 2002).

    Attributes
    ----------
    only_first, only_second : int
    p_value : float
        The two-sided probability, if both are right equally often, of counts at least as different.

    Examples
    --------
    >>> from kernelwise.selection import mcnemar_test
    >>> found = mcnemar_test([True, True, True, False], [False, False, True, False])
    >>> found.only_first, found.only_second
    (2, 0)
    """

    only_first: int
    only_second: int
    p_value: float


def mcnemar_test(first: ArrayLike, second: ArrayLike) -> McNemar:
    """Test whether two models are right equally often on one test set, from the outcome of every sample.

    McNemar's test in its exact form: of the samples on which the machines differ, each is as likely to be
    recognised by the one as by the other. Samples that both recognise, or neither, do not count, whereas
    `z_test`, which paper 001 (Ayat and others 2002, section 4) uses, takes them for a part of the noise.
    Returns a `McNemar`.

    Parameters
    ----------
    first, second : arrays of shape (n_samples,), booleans
        Whether each sample was recognised.

    Examples
    --------
    Two machines on 100 samples; the first is right on the 90 samples of the second and on 6 more:

    >>> import numpy as np
    >>> from kernelwise.selection import mcnemar_test, z_test
    >>> first, second = np.arange(100) < 96, np.arange(100) < 90
    >>> round(mcnemar_test(first, second).p_value, 3), round(z_test(first, second)[1], 3)
    (0.031, 0.096)
    """
    outcomes = [np.asarray(outcome) for outcome in (first, second)]
    if any(outcome.ndim != 1 or not outcome.size for outcome in outcomes):
        raise ValueError("mcnemar_test takes one boolean per sample, not shares; for shares use z_test.")
    if not all(np.isin(outcome, (0, 1)).all() for outcome in outcomes):
        raise ValueError("mcnemar_test takes booleans: whether each sample was recognised.")
    if outcomes[0].size != outcomes[1].size:
        raise ValueError(
            f"mcnemar_test has {outcomes[0].size} and {outcomes[1].size} outcomes. Pass those of one test "
            "set."
        )
    is_first, is_second = (outcome.astype(bool) for outcome in outcomes)
    only_first, only_second = int((is_first & ~is_second).sum()), int((is_second & ~is_first).sum())
    n = only_first + only_second
    return McNemar(only_first, only_second, float(binomtest(only_first, n).pvalue) if n else 1.0)


def z_test(first: ArrayLike, second: ArrayLike, n_samples: int | None = None) -> tuple[float, float]:
    """Test whether two models are right equally often on one test set.

    Parameters
    ----------
    first, second : arrays of shape (n_samples,), booleans, or float
        Whether each sample was recognised, or the shares of those that were.
    n_samples : int, default=None
        Needed with shares.

    Returns
    -------
    z, p_value : float
        z = (p₁ − p₂) / √(2 p̄ (1 − p̄) / n), and the two-sided probability of one as large. As in the paper
        the test knows nothing of which samples both got right; with pairs of outcomes McNemar's is stronger.

    Examples
    --------
    KMOD against the polynomial of degree 3 in table 3 of paper 001, on 10 000 digits:

    >>> from kernelwise.selection import z_test
    >>> z, p_value = z_test(0.9898, 0.9825, 10_000)
    >>> round(z, 2), p_value < 0.05
    (4.42, True)
    """
    shares = []
    for outcome in (np.asarray(first, dtype=float), np.asarray(second, dtype=float)):
        if outcome.ndim > 1 or outcome.size == 0 or not ((outcome >= 0) & (outcome <= 1)).all():
            raise ValueError("z_test takes shares between 0 and 1, or one boolean per sample.")
        if outcome.ndim == 1:
            if n_samples not in (None, outcome.size):
                raise ValueError(f"z_test has {outcome.size} outcomes for a test set of {n_samples} samples.")
            n_samples = outcome.size
        shares.append(float(outcome.mean()))
    if n_samples is None:
        raise ValueError("z_test of shares needs n_samples, the size of the test set.")
    mean = 0.5 * (shares[0] + shares[1])
    if shares[0] == shares[1]:
        return 0.0, 1.0
    z = (shares[0] - shares[1]) / np.sqrt(2.0 * mean * (1.0 - mean) / n_samples)
    return float(z), float(2.0 * norm.sf(abs(z)))
