"""Paper 001: kernel parameters and C of every pair of classes by the empirical error on a validation set."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.model_selection import StratifiedShuffleSplit

from kernelwise._validation import check_choice, check_labels, check_positive, check_samples
from kernelwise.criteria import ValidationError
from kernelwise.estimators.multiclass import REJECTED, decide_labels
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers._threads import one_blas_thread


@dataclass(frozen=True)
class PairMachine:
    """The machine of one pair of classes, with a kernel of its own.

    Attributes
    ----------
    kernel : Kernel
    C : float
    support_vectors : ndarray of shape (n_support, n_features)
    beta : ndarray of shape (n_support,)
        Signed coefficients; positive decision values mean the first class of the pair.
    intercept : float
    """

    kernel: Kernel
    C: float
    support_vectors: Any
    beta: np.ndarray
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
        Trained on the training part, with the parameters of the start and those found.
    search : TuningResult
    """

    classes: tuple[Any, Any]
    start: PairMachine
    tuned: PairMachine
    search: TuningResult


@dataclass(frozen=True)
class AyatResult:
    """Pairwise machines, each with its own kernel (paper 001, section 4).

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    pairs : list of PairTuning
        In the order (0, 1), (0, 2), …
    """

    classes: np.ndarray
    pairs: list[PairTuning]

    def decision_function(self, X: Any, *, tuned: bool = True) -> np.ndarray:
        """Decision values of shape (n_samples, n_pairs), positive for the first class of a pair."""
        X = check_samples(X)
        machines = [pair.tuned if tuned else pair.start for pair in self.pairs]
        return np.column_stack([machine.decision_function(X) for machine in machines])

    def predict(
        self, X: Any, *, combine: str = "reject", tuned: bool = True, reject_label: Any = REJECTED
    ) -> np.ndarray:
        """Labels of shape (n_samples,).

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        combine : {"reject", "vote"}, default="reject"
            The class that wins against every other, else ``reject_label``; or the class with most votes.
        tuned : bool, default=True
            False asks the machines with the parameters of the start.
        reject_label : object, default=-1
        """
        check_choice(combine, "combine", "AyatResult.predict", ("reject", "vote"))
        decision = self.decision_function(X, tuned=tuned)
        if len(self.classes) == 2:
            decision = -decision[:, 0]  # of two classes, positive is the second
        strategy = "ovo-reject" if combine == "reject" else "ovo"
        return decide_labels(decision, self.classes, strategy, reject_label)

    def n_support(self, *, tuned: bool = True) -> np.ndarray:
        """Support vectors of every pair's machine."""
        return np.array([len((pair.tuned if tuned else pair.start).beta) for pair in self.pairs])

    def summary(self, X: Any, y: Any) -> dict[str, dict[str, float]]:
        """Table 3 on a test set: "before" and "after" the search.

        Each has "accuracy" (by voting), "recognition" (right and not rejected), "rejection" and
        "support_vectors" (mean per model).
        """
        y = np.asarray(y)
        table = {}
        for name, tuned in (("before", False), ("after", True)):
            decided = self.predict(X, combine="reject", tuned=tuned, reject_label=None)
            rejected = np.array([label is None for label in decided])
            table[name] = {
                "accuracy": float(np.mean(self.predict(X, combine="vote", tuned=tuned) == y)),
                "recognition": float(np.mean(decided == y)),
                "rejection": float(rejected.mean()),
                "support_vectors": float(self.n_support(tuned=tuned).mean()),
            }
        return table


def ayat_select(
    X: Any,
    y: Any,
    *,
    kernel: Any = "kmod",
    C: float = 1000.0,
    validation: Any = 0.5,
    loss: str = "error",
    gradient: str = "exact",
    optimizer: Optimizer | None = None,
    tol: float = 1e-3,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> AyatResult:
    """Tune the kernel and C of every pair of classes by the mean probability of error on a validation set.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    kernel : str or Kernel, default="kmod"
        Where every pair starts; a name takes its parameters from the pair's data.
    C : float, default=1000.0
        Where C starts, as in the paper.
    validation : float or (X, y), default=0.5
        A share of each class, or further samples.
    loss, gradient : str
        As in `ValidationError`.
    optimizer : Optimizer, default=None
        None is the paper's: quasi-Newton with golden section, at most 10 iterations.
    tol : float, default=1e-3
        Stopping rule of the final machines.
    random_state : int, default=0
        Of the share.
    n_jobs : int, default=None
        Threads over the pairs.

    Returns
    -------
    result : AyatResult
    """
    X = check_samples(X)
    classes, index = check_labels(y, X.shape[0], min_per_class=2)
    check_positive(C, "C", "ayat_select")
    if isinstance(validation, tuple):
        X_val, y_val = check_samples(validation[0], "The X of validation"), np.asarray(validation[1])
    else:
        splitter = StratifiedShuffleSplit(1, test_size=float(validation), random_state=random_state)
        train, held = next(splitter.split(index, index))
        X_val, y_val = X[held], classes[index[held]]
        X, index = X[train], index[train]
    search = QuasiNewton(engine="golden", max_iter=10) if optimizer is None else optimizer
    tasks = []
    for a, b in combinations(range(len(classes)), 2):
        rows = np.flatnonzero((index == a) | (index == b))
        held = np.flatnonzero((y_val == classes[a]) | (y_val == classes[b]))
        # The larger label is the positive class: of a pair, the first.
        signs = np.where(index[rows] == a, 1, -1)
        criterion = ValidationError(
            C,
            (X_val[held], np.where(y_val[held] == classes[a], 1, -1)),
            loss=loss,
            gradient=gradient,
        )
        tasks.append(((classes[a], classes[b]), X[rows], signs, kernel, criterion, search, tol))
    with one_blas_thread():
        pairs = Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(_tune_pair)(*task) for task in tasks)
    return AyatResult(classes, list(pairs))


def _tune_pair(
    labels: tuple[Any, Any],
    X: Any,
    signs: np.ndarray,
    kernel: Any,
    criterion: ValidationError,
    search: Optimizer,
    tol: float,
) -> PairTuning:
    start = as_kernel(kernel)
    start = start.initialize(X, signs, None if isinstance(kernel, str) else "keep")
    problem = TuningProblem(start, criterion, X, signs)
    result = search.minimize(problem)
    found = result.criterion
    assert isinstance(found, ValidationError)
    return PairTuning(
        labels,
        _train(start, criterion.C, X, signs, tol),
        _train(result.kernel, found.C, X, signs, tol),
        result,
    )


def _train(kernel: Kernel, C: float, X: Any, signs: np.ndarray, tol: float) -> PairMachine:
    solution = solve_svm_dual(kernel(X), signs, C, tol=tol, check=False)
    support = np.flatnonzero(solution.beta)
    return PairMachine(kernel, float(C), X[support], solution.beta[support], solution.intercept)


def z_test(first: Any, second: Any, n_samples: int | None = None) -> tuple[float, float]:
    """Test whether two machines err equally often on one test set (paper 001, section 4).

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
    """
    shares = []
    for outcome in (first, second):
        outcome = np.asarray(outcome, dtype=float)
        if outcome.ndim == 1:
            if n_samples is not None and n_samples != outcome.size:
                raise ValueError(f"n_samples is {n_samples}, but there are {outcome.size} outcomes.")
            n_samples = outcome.size
        shares.append(float(outcome.mean()))
    if n_samples is None:
        raise ValueError("z_test of shares needs n_samples, the size of the test set.")
    mean = 0.5 * (shares[0] + shares[1])
    error = np.sqrt(2.0 * mean * (1.0 - mean) / n_samples)
    z = 0.0 if shares[0] == shares[1] else float((shares[0] - shares[1]) / error)
    return z, float(2.0 * norm.sf(abs(z)))
