"""Support vector regression: the dual of the ε-insensitive machine by working sets, and its path over C.

In signed variables the dual has two for every sample, β⁺ ∈ [0, C w] and β⁻ ∈ [−C w, 0]:

    minimise ½ (β⁺ + β⁻)ᵀ K (β⁺ + β⁻) − (y − ε)ᵀβ⁺ − (y + ε)ᵀβ⁻   subject to   Σ(β⁺ + β⁻) = 0,

which is the problem of :class:`~kernelwise.solvers.box_qp.BoxQP` on K repeated twice in both directions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import Samples
from kernelwise._core.validation import check_not_negative, check_positive, check_targets, check_weights
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import InUnits, in_units, unit_of_kernel
from kernelwise.solvers.dual import iteration_cap, warn_of
from kernelwise.solvers.fold_path import Fold
from kernelwise.solvers.kernel_rows import ALL
from kernelwise.solvers.path import SVMPath, as_path
from kernelwise.solvers.path_problem import PathProblem, Places, Tables
from kernelwise.solvers.working_sets import RowProblem


@dataclass(frozen=True)
class SVRSolution:
    """Solution of the dual.

    ``beta``, of shape (n_samples,), is β⁺ + β⁻: the prediction at x is ``k(x) @ beta + intercept``.
    ``objective`` is LIBSVM's ½ βᵀKβ − yᵀβ + ε Σ|β|, to be minimised, ``duality_gap`` the primal less the dual
    objective, ``n_iter`` pair steps of SMO, ``gap`` LIBSVM's violation: below the tolerance if ``converged``.
    """

    beta: np.ndarray
    intercept: float
    objective: float
    duality_gap: float
    n_iter: int
    gap: float
    converged: bool


class TwinRows:
    """Rows of K repeated twice in both directions, without repeating K: variables i and i + n are twins.

    Has what `WorkingSets` asks of its rows.
    """

    def __init__(self, rows: Any) -> None:
        self.rows, self.n = rows, rows.n
        self.dtype: np.dtype = rows.dtype

    def square(self, indices: np.ndarray) -> np.ndarray:
        """The square of those variables in double precision."""
        return np.asarray(self.rows.square(indices % self.n))

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the square of those variables to the first columns of ``out``, in single precision."""
        self.rows.fill(indices % self.n, out)

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        who, which = np.unique(indices % self.n, return_inverse=True)
        of_samples = np.zeros(self.n)
        wanted = ALL if isinstance(columns, slice) else np.unique(columns % self.n)
        self.rows.subtract(who, np.bincount(which, weights=change, minlength=who.size), of_samples, wanted)
        f[columns] += np.tile(of_samples, 2)[columns]


def solve_svr(
    kernel: Callable[..., np.ndarray],
    X: Samples,
    y: ArrayLike,
    C: float = 1.0,
    epsilon: float = 0.1,
    *,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    memory_limit: int = 2**30,
) -> SVRSolution:
    """Train an ε-insensitive machine; no Gram matrix is needed as a whole.

    ``kernel(X, Y)`` returns a Gram matrix, and ``kernel(X)`` that of X with itself; errors up to ``epsilon``
    count nothing; ``memory_limit`` is in bytes of kernel values. All else is as in
    :func:`~kernelwise.solvers.solve_svm_dual`.
    """
    for value, name in ((C, "C"), (tol, "tol")):
        check_positive(value, name, "solve_svr")
    check_not_negative(epsilon, "epsilon", "solve_svr")
    n = X.shape[0]
    y = check_targets(y, n)
    sign = direction(y)
    unit = unit_of_kernel(kernel, X)
    C = in_units(C, unit)
    if unit != 1.0:
        kernel = InUnits(kernel, unit)
    bound = C * check_weights(sample_weight, n)
    p, signs = twin_targets(sign * y, epsilon)
    limits = signs * np.tile(bound, 2)
    beta = np.zeros(2 * n)
    lo, hi = np.minimum(limits, 0.0), np.maximum(limits, 0.0)
    problem = RowProblem(kernel, X, p, beta, lo, hi, TwinRows)
    f, outcome = problem.minimise(tol, iteration_cap(max_iter, n), memory_limit)
    warn_of(outcome, tol)
    quadratic = beta @ (p - f)
    objective = 0.5 * quadratic - p @ beta
    # f of a twin is y ∓ ε less the sum over the kernel: what it exceeds the offset by is a loss.
    losses = np.maximum(0.0, signs * (f - outcome.offset))
    duality_gap = 0.5 * quadratic + np.tile(bound, 2) @ losses + objective
    beta = sign * (beta[:n] + beta[n:]) / unit
    how = outcome.n_iter, outcome.gap, outcome.converged
    return SVRSolution(beta, sign * outcome.offset, objective / unit, duality_gap / unit, *how)


def direction(y: np.ndarray) -> float:
    """1 or −1: the sign of the first target that is not zero.

    Targets times it are solved, so that those of −y take the same steps, and have the mirrored solution.
    """
    first = y[np.flatnonzero(y)[:1]]
    return -1.0 if first.size and first[0] < 0 else 1.0


def twin_targets(y: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """The linear term (y − ε, y + ε) and the signs of the variables, both of shape (2 n_samples,)."""
    return np.concatenate([y - epsilon, y + epsilon]), np.repeat([1.0, -1.0], y.size)


@dataclass(frozen=True, eq=False)
class RegressionPaths:
    """The ε-insensitive machine of numbers on folds, prepared for one Gram matrix after the other.

    It is one machine with two variables for every sample (see above), so that
    warm starts, Newton steps and the exact end of a path are those of classes. The Gram matrix is K repeated
    twice in both directions, a copy of 4 n² numbers: the native loops run along full rows. For the few
    thousand rows of a search that is small change. ``weight`` has the shape (n_samples,) or (n_folds,
    n_samples); ``places`` are as in `kernelwise.solvers.path.ClassPaths`.
    """

    y: np.ndarray
    splits: list[Fold]
    weight: np.ndarray
    places: Places | None = None
    _problems: dict[float, PathProblem] = field(default_factory=dict)

    def problem(self, epsilon: float) -> PathProblem:
        """The machine of one ε, which is the same for all Gram matrices."""
        if epsilon not in self._problems:
            n = self.y.size
            p, signs = twin_targets(direction(self.y) * self.y, epsilon)
            places = self.places or Places([test for _, test in self.splits], n)
            weight = np.broadcast_to(self.weight, (len(self.splits), n))
            machine = Machine(np.tile(np.arange(n), 2), signs)
            self._problems.clear()  # the next ε is seldom the last one
            self._problems[epsilon] = PathProblem([machine], self.splits, places, weight, p)
        return self._problems[epsilon]

    def solve(self, K: np.ndarray, Cs: np.ndarray, *, epsilon: float, **how: Any) -> tuple[SVMPath, Tables]:
        """The path of one Gram matrix, and tables of shape (n_Cs, n_folds, 1); no warnings.

        The path's ``decision``, of shape (n_Cs, n_samples), holds the held-out predictions; its ``classes``
        are empty. All else is as in `PathProblem.solve`.
        """
        started = time.perf_counter()
        problem = self.problem(epsilon)
        solved = problem.solve(K, Cs, **how)
        members = [machine.members for machine in problem.machines]
        path = as_path(solved, started, np.empty(0), Cs, "regression", members)
        return replace(path, decision=direction(self.y) * path.decision), solved.tables
