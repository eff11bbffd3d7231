"""The procedure of paper 001 (Ayat, Cheriet and Suen 2002): a kernel and C for every pair of classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import delayed

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.validation import check_choice, check_labels, check_samples
from kernelwise.criteria import Criterion, ValidationError
from kernelwise.criteria.validation_error import index_in
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.multiclass import class_pairs, members_of
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.selection.ayat.result import AyatResult, PairMachine, PairTuning
from kernelwise.selection.ayat.scale_scan import CHOICES, can_scan, choose_row, scan_and_search
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
    choose: str = "fewest",
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
        Where every pair starts; a name takes its parameters from the pair's data. Of a kernel without free
        parameters (linear) only C is searched.
    C : float, default=1000.0
        Where C starts, as in the paper.
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
    choose : {"fewest", "lowest"}, default="fewest"
        Which of the points that were met to take: of those whose E is within one standard error of the
        lowest, the one with the fewest support vectors; or the lowest E. E can hardly tell values of C over
        some decades apart, which differ in the number of support vectors, the paper's other bound on the
        error (eq. 14).
    tol : float, default=1e-8
        Stopping rule of the machines.
    random_state : int, default=0
        Of the share.
    n_jobs : int, default=None
        Threads over the pairs.

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
        return _tune_pair(labels, problem, optimizer, scan, choose)

    with one_blas_thread():
        pairs = threads(n_jobs)(delayed(tune)(*pair) for pair in _pairs(X, classes, index, criterion))
    return AyatResult(classes, list(pairs))


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
    labels: tuple[Any, Any], problem: TuningProblem, optimizer: Optimizer, scan: bool, choose: str
) -> PairTuning:
    if scan and can_scan(problem.kernel):
        search = scan_and_search(problem, optimizer, choose)
    else:
        search = optimizer.minimize(problem)
    chosen = choose_row(search.history, choose)
    return PairTuning(
        labels,
        _train(problem, problem.kernel, problem.criterion),
        _train(problem, problem.kernel_at(chosen["theta"]), problem.criterion_at(chosen["theta"])),
        search,
        chosen,
    )


def _train(problem: TuningProblem, kernel: Kernel, criterion: Criterion) -> PairMachine:
    """Train the machine with the parameters of one point of the search."""
    assert isinstance(criterion, ValidationError)
    solution = solve_svm_dual(kernel(problem.X), problem.y, criterion.C, tol=criterion.tol, check=False)
    support = np.flatnonzero(solution.beta)
    return PairMachine(kernel, criterion.C, problem.X[support], solution.beta[support], solution.intercept)
