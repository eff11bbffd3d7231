"""Paper 001 (Ayat, Cheriet and Suen 2002): the probability of error on a validation set.

N. E. Ayat, M. Cheriet and C. Y. Suen, *Optimization of the SVM kernels using an empirical error minimization
scheme*, train a machine, turn its outputs on a validation set into probabilities by Platt's sigmoid, and move
all parameters of the kernel and C by quasi-Newton so that the mean probability of error falls. Every pair of
classes has a kernel of its own. Their kernel KMOD is :class:`kernelwise.kernels.KMOD`.

- the procedure: `ayat_select`, with a scan over scales before the search, which is ours
- the same as a scikit-learn classifier: `PairwiseSVC`
- pairwise machines and how they are combined, and the tests of two recognition rates: in `pair_machines`
- the criterion: :class:`kernelwise.criteria.ValidationError`; the search:
  :class:`kernelwise.optimizers.QuasiNewton` with ``engine="golden"``
- the experiments: ``kernelwise reproduce ayat``, in ``kernelwise.studies.ayat``
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.labels import check_are_classes, encode_labels
from kernelwise._core.reading import read_samples
from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_choice, check_labels, check_range, check_samples, stack_rows
from kernelwise.criteria import Criterion, ValidationError
from kernelwise.criteria.held_out_errors import index_in
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.exceptions import TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel, KernelLike, as_kernel
from kernelwise.multiclass import (
    choose_reject_label,
    class_pairs,
    decide_index,
    labels_at,
    members_of,
    shown_values,
)
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import History, TuningResult
from kernelwise.selection.pair_machines import COMBINE, AyatResult, PairMachine, PairTuning
from kernelwise.solvers import solve_svm_dual

#: Ten iterations are twice what the paper needs; a hundredth of E is far below its standard error.
PAPER_SEARCH = QuasiNewton(engine="golden", max_iter=10, min_decrease=0.01)
Labels = tuple[Any, Any]  # of a pair of classes


def ayat_select(
    X: MatrixLike,
    y: ArrayLike,
    *,
    kernel: KernelLike = "kmod",
    C: float = 1000.0,
    validation: Any = 1 / 3,
    loss: str = "error",
    gradient: str = "exact",
    optimizer: Optimizer = PAPER_SEARCH,
    scan: bool = True,
    choose: str = "lowest",
    refit: bool = False,
    tol: float = 1e-8,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> AyatResult:
    """Tune the kernel and C of every pair of classes by the mean probability of error on a validation set.

    Paper 001, section 3.2 for the search and section 4 for the pairs. Returns an `AyatResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    kernel : str or Kernel, default="kmod"
        The kernel from which the search of every pair starts; a name gets its parameters from the pair's
        data. Of a kernel without free parameters (linear) only C is searched.
    C : float, default=1000.0
        Value of C from which the search starts, as in the paper.
    validation : float, array of rows, or (X, y), default=1/3
        A share of each class, a mask or the indices of rows, or further samples.
    loss, gradient : str
        As in :class:`~kernelwise.criteria.ValidationError`.
    optimizer : Optimizer, default=QuasiNewton("golden", max_iter=10, min_decrease=0.01)
        The paper's.
    scan : bool, default=True
        Look at a radial kernel at 9 scales, up to 64 times as wide as the start and 4 times as narrow, with
        C and with 10 C, and search from the point that ``choose`` takes. E has a minimum among narrow
        kernels, where most samples are support vectors, and one among wide ones, and its gradient at the
        start knows of one side only. The scan counts as the first iteration.
    choose : {"lowest", "fewest"}, default="lowest"
        Which of the points that were met to take: the lowest E; or, of those whose E is within one standard
        error of the lowest, the one with the fewest support vectors, the paper's other bound on the error
        (eq. 14). E can hardly tell values of C over some decades apart. "fewest" costs accuracy where E has
        a large standard error, on small or noisy sets: see ``kernelwise reproduce ayat``. Machines that are
        right less often than the larger class of the validation set are passed over, if there are others.
    refit : bool, default=False
        Whether the machines, with the parameters found, are trained again on the training and the validation
        rows of their pair together. False keeps those that the validation set judged, as the paper does.
    tol : float, default=1e-8
        Tolerance of the stopping rule of the machines.
    random_state : int, default=0
        Seed of the random share.
    n_jobs : int, default=None
        Number of threads, over the pairs.

    Warns
    -----
    TrustWarning
        If all machines of a pair are right on the validation set less often than its larger class is there;
        the result has a finding for each such pair.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import ayat_select
    >>> X, y = load_iris(return_X_y=True)
    >>> result = ayat_select(X[::2], y[::2], kernel="rbf")
    >>> len(result.pairs), result.predict(X[1::2], combine="vote").shape
    (3, (75,))
    """
    samples = check_samples(X)
    classes, index = check_labels(y, samples.shape[0], min_per_class=2)
    check_choice(choose, "choose", "ayat_select", CHOICES)
    start = as_kernel(kernel)
    heuristic = None if isinstance(kernel, str) else "keep"
    # Checks what it is given, and draws the share.
    criterion = ValidationError(C, validation, loss, gradient, tol=tol, random_state=random_state)

    def tune(
        labels: Labels, X: Samples, signs: np.ndarray, held_out: tuple[Samples, np.ndarray]
    ) -> PairTuning:
        error = ValidationError(C, held_out, loss, gradient, tol=tol)
        problem = TuningProblem(start.initialize(X, signs, heuristic), error, X, signs)
        return _tune_pair(labels, problem, optimizer, scan, choose, refit)

    with one_blas_thread():
        problems = _pairs(samples, classes, index, criterion)
        pairs = list(threads(n_jobs)(delayed(tune)(*problem) for problem in problems))
    findings = tuple(finding for pair in pairs for finding in _below_majority(pair))
    if findings:
        more = f" So are {len(findings) - 1} more pairs." if len(findings) > 1 else ""
        warnings.warn(f"{findings[0]}{more}", TrustWarning, stacklevel=2)
    return AyatResult(classes, pairs, findings)


def _below_majority(pair: PairTuning) -> Iterator[Finding]:
    if not is_as_good(pair.chosen, pair.majority):
        accuracy = 1.0 - pair.chosen["validation_error"]
        first, second = np.array(pair.classes).tolist()
        yield catalogue.BELOW_MAJORITY(
            first=first, second=second, percent=100 * accuracy, majority=100 * pair.majority
        )


def _pairs(
    X: Samples, classes: np.ndarray, index: np.ndarray, criterion: ValidationError
) -> Iterator[tuple[Labels, Samples, np.ndarray, tuple[Samples, np.ndarray]]]:
    """Yield labels, training samples, signs (+1 for the first class) and validation set of every pair."""
    validation = criterion.validation
    if isinstance(validation, tuple):
        X_held, index_held = check_samples(validation[0]), index_in(classes, np.ravel(validation[1]))
    else:
        is_held = np.isin(np.arange(len(index)), criterion.held_out_rows(index))
        X_held, index_held = X[is_held], index[is_held]
        X, index = X[~is_held], index[~is_held]
    for a, b in class_pairs(len(classes)):
        (rows, signs), (held, held_signs) = (_signs(index, a, b), _signs(index_held, a, b))
        yield (classes[a], classes[b]), X[rows], signs, (X_held[held], held_signs)


def _signs(index: np.ndarray, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    rows, is_first = members_of(index, a, b)
    return rows, np.where(is_first, 1, -1)


def _tune_pair(
    labels: Labels,
    problem: TuningProblem,
    optimizer: Optimizer,
    scan: bool,
    choose: str,
    refit: bool,
) -> PairTuning:
    if scan and can_scan(problem.kernel):
        search = scan_and_search(problem, optimizer, choose)
    else:
        search = optimizer.minimize(problem)
    X, y, criterion = problem.X, problem.y, problem.criterion
    assert isinstance(criterion, ValidationError)
    X_held, y_held = criterion.validation
    majority = float(max(np.mean(y_held > 0), np.mean(y_held < 0)))
    chosen = choose_row(search.history, choose, majority)
    if refit:
        X, y = stack_rows(X, X_held), np.concatenate([y, y_held])
    theta = chosen["theta"]
    start = _train(problem.kernel, criterion, X, y)
    tuned = _train(problem.kernel_at(theta), problem.criterion_at(theta), X, y)
    return PairTuning(labels, start, tuned, search, chosen, majority)


def _train(kernel: Kernel, criterion: Criterion, X: Samples, y: np.ndarray) -> PairMachine:
    """Train the machine with the parameters of one point of the search."""
    assert isinstance(criterion, ValidationError)
    solution = solve_svm_dual(kernel(X), y, criterion.C, tol=criterion.tol, check=False)
    support = np.flatnonzero(solution.beta)
    return PairMachine(kernel, criterion.C, X[support], solution.beta[support], solution.intercept)


#: Factors of squared inputs: kernels up to 64 times as wide and 4 times as narrow, in steps of 2.
FACTORS = 4.0 ** np.arange(-6, 3)
#: Factors of C, each at all scales.
C_FACTORS = (1.0, 10.0)
CHOICES = ("lowest", "fewest")


def choose_row(rows: Iterable[dict[str, Any]], choose: str, majority: float = 0.0) -> dict[str, Any]:
    """Choose the point of a search to use, as a row of its history: that of the lowest cost ("lowest").

    Or, for "fewest", that with the fewest support vectors among the costs within one standard error of the
    lowest (of equally many, the lowest cost); rows then have "standard_error" and "n_support".

    Machines that are right on a smaller share of the validation set than ``majority`` are passed over, if
    there are others: E goes by a sigmoid whose threshold need not be zero, and a label by the sign.
    """
    rows = list(rows)
    rows = [row for row in rows if is_as_good(row, majority)] or rows
    lowest = min(rows, key=lambda row: row["value"])
    if choose == "lowest":
        return lowest
    limit = lowest["value"] + lowest["standard_error"]
    as_good = [row for row in rows if row["value"] <= limit]
    return min(as_good, key=lambda row: (row["n_support"], row["value"]))


def is_as_good(row: dict[str, Any], majority: float) -> bool:
    """Whether the machine of a point is right on the validation set at least as often as ``majority``."""
    return bool(1.0 - row.get("validation_error", 0.0) >= majority - 1e-9)


def can_scan(kernel: Kernel) -> bool:
    """Whether a scan makes sense: inner products at another scale ask for another C, and nothing else."""
    return kernel.is_radial and kernel.geometry == "euclidean" and bool(kernel.input_powers)


def scan_and_search(problem: TuningProblem, search: Optimizer, choose: str) -> TuningResult:
    """Search from the scale of the problem's kernel, and C, that :func:`choose_row` takes.

    History, evaluations and iterations of the result include the scan, which counts as the first iteration:
    the start is iteration 0, the rest of the scan iteration 1, the search follows.
    """
    problem.reset()
    problem.note(start=0, iteration=0)
    problem.value(problem.theta)
    problem.note(iteration=1)
    for theta in _scan_points(problem):
        problem.value(theta)
    scanned, seconds = problem.history, problem.seconds
    result = search.minimize(problem.starting_from(choose_row(scanned, choose)["theta"]))
    later = [
        {
            **row,
            "evaluation": row["evaluation"] + len(scanned),
            "iteration": row["iteration"] + 1,
            "seconds": row["seconds"] + seconds,
        }
        for row in result.history
    ]
    return replace(
        result,
        history=History([*scanned, *later]),
        n_evaluations=result.n_evaluations + len(scanned),
        n_iterations=result.n_iterations + 1,
        seconds=result.seconds + seconds,
    )


def _scan_points(problem: TuningProblem) -> Iterator[np.ndarray]:
    """Yield points with other scales and C than the start, inside the bounds."""
    own = problem.criterion.theta
    for C_factor in C_FACTORS if own.size else (1.0,):
        for factor in FACTORS:
            theta = np.concatenate([problem.kernel.rescaled(factor).theta, own + np.log(C_factor)])
            is_inside = (theta >= problem.bounds[:, 0]).all() and (theta <= problem.bounds[:, 1]).all()
            if is_inside and (factor, C_factor) != (1.0, 1.0):
                yield theta


class PairwiseSVC(ClassifierMixin, BaseEstimator):
    """Support vector classifier with a separate kernel and C for every pair of classes.

    `ayat_select` tunes them by the error on held-out rows (paper 001, section 4); the machines are then
    trained on all rows. `SVC`, `TunedSVC` and scikit-learn's classifier have one kernel for all pairs.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        The kernel from which the search of every pair starts; a name gets its parameters from the pair's
        data. "kmod" is the paper's.
    C : float, default=1000.0
        Value of C from which the search starts.
    combine : {"vote", "reject"}, default="vote"
        The class that wins most of its pairs, sums of decision values settling ties; or the class that wins
        all of its pairs, and ``reject_label`` for samples that have none.
    reject_label : object, default=None
        Default −1 for numbers; labels that are not numbers need one.
    validation : float, array of rows, or (X, y), default=1/3
        The rows that judge the parameters, as in `ayat_select`.
    loss : {"error", "likelihood"}, default="error"
        What they are judged by; see :class:`~kernelwise.criteria.ValidationError`.
    refit : bool, default=True
        Whether the machines are trained again on all rows with the parameters found.
    optimizer : Optimizer, default=None
        None is the default of `ayat_select`, the paper's.
    choose, scan, tol, random_state, n_jobs
        As in `ayat_select`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    result_ : AyatResult
        The machines, and how they were found.
    reject_label_ : object
        Label of rejected samples; None if none are rejected.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Every class needs rows in both parts. Features should be of one scale: put a scaler before it in a
    pipeline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import PairwiseSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PairwiseSVC().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True

    One kernel for each of the three pairs:

    >>> len({pair.tuned.kernel.gamma for pair in model.result_.pairs})
    3
    """

    @explains_missing()
    def __init__(
        self,
        kernel: KernelLike = "rbf",
        C: float = 1000.0,
        *,
        combine: str = "vote",
        reject_label: Any = None,
        validation: Any = 1 / 3,
        loss: str = "error",
        refit: bool = True,
        choose: str = "lowest",
        scan: bool = True,
        optimizer: Optimizer | None = None,
        tol: float = 1e-8,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.combine = combine
        self.reject_label = reject_label
        self.validation = validation
        self.loss = loss
        self.refit = refit
        self.choose = choose
        self.scan = scan
        self.optimizer = optimizer
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Tune and train the machine of every pair.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        check_choice(self.combine, "combine", "PairwiseSVC", tuple(COMBINE))
        samples, y = read_samples(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_range(samples)
        labels = column_or_1d(y, warn=True)
        check_are_classes(labels)
        classes, _ = encode_labels(labels)
        strategy = COMBINE[self.combine]
        self.reject_label_ = choose_reject_label(self.reject_label, classes, strategy, "PairwiseSVC")
        names = ("kernel", "C", "validation", "loss", "refit", "choose", "scan", "tol", "random_state")
        settings = {name: getattr(self, name) for name in (*names, "n_jobs")}
        optimizer = PAPER_SEARCH if self.optimizer is None else self.optimizer
        self.result_: AyatResult = ayat_select(samples, labels, optimizer=optimizer, **settings)
        self.classes_ = self.result_.classes
        self._strategy = strategy
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Values of shape (n_samples,) for two classes, positive for the second; else (n_samples, n_classes).

        Of more classes each has its votes, and a share below ½ that ranks equal votes.
        """
        return shown_values(self._values(X), len(self.classes_), "ovr", "ovo")

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples."""
        index = decide_index(self._values(X), len(self.classes_), self._strategy)
        return labels_at(index, self.classes_, self._strategy, self.reject_label_)

    def _values(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        samples = read_samples(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return self.result_.machine_values(samples)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
