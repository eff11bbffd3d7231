"""The procedure of paper 001 (Ayat, Cheriet and Suen 2002): a kernel and C for every pair of classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import delayed

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.validation import check_choice, check_labels, check_samples, stack_rows
from kernelwise.criteria import Criterion, ValidationError
from kernelwise.criteria.held_out_errors import index_in
from kernelwise.exceptions import TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.multiclass import class_pairs, members_of
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import History, TuningResult
from kernelwise.selection.ayat.pair_machines import AyatResult, PairMachine, PairTuning
from kernelwise.solvers import solve_svm_dual

#: Ten iterations are twice what the paper needs; a hundredth of E is far below its standard error.
PAPER_SEARCH = QuasiNewton(engine="golden", max_iter=10, min_decrease=0.01)


def ayat_select(
    X: Any,
    y: Any,
    *,
    kernel: Any = "kmod",
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
    X = check_samples(X)
    classes, index = check_labels(y, X.shape[0], min_per_class=2)
    check_choice(choose, "choose", "ayat_select", CHOICES)
    start = as_kernel(kernel)
    heuristic = None if isinstance(kernel, str) else "keep"
    # Checks what it is given, and draws the share.
    criterion = ValidationError(C, validation, loss, gradient, tol=tol, random_state=random_state)

    def tune(labels: tuple[Any, Any], X: Any, signs: np.ndarray, held_out: tuple[Any, Any]) -> PairTuning:
        error = ValidationError(C, held_out, loss, gradient, tol=tol)
        problem = TuningProblem(start.initialize(X, signs, heuristic), error, X, signs)
        return _tune_pair(labels, problem, optimizer, scan, choose, refit)

    with one_blas_thread():
        pairs = list(threads(n_jobs)(delayed(tune)(*pair) for pair in _pairs(X, classes, index, criterion)))
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
    X: Any, classes: np.ndarray, index: np.ndarray, criterion: ValidationError
) -> Iterator[tuple[tuple[Any, Any], Any, np.ndarray, tuple[Any, Any]]]:
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
    labels: tuple[Any, Any],
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


def _train(kernel: Kernel, criterion: Criterion, X: Any, y: np.ndarray) -> PairMachine:
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
