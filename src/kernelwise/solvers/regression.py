"""Support vector regression: the dual of ε-insensitive and quantile machines, and their paths over C.

In signed variables the dual has two for every sample, β⁺ ∈ [0, C w] and β⁻ ∈ [−C w, 0]:

    minimise ½ (β⁺ + β⁻)ᵀ K (β⁺ + β⁻) − (y − ε)ᵀβ⁺ − (y + ε)ᵀβ⁻   subject to   Σ(β⁺ + β⁻) = 0,

which is the problem of :class:`~kernelwise.solvers.box_qp.BoxQP` on K repeated twice in both directions.
Without ε both are one variable, β ∈ [−C w, C w].

A machine of the quantile q has the pinball loss max(q r, (q − 1) r) of the residual r = y − prediction: what
lies above costs q, what lies below 1 − q. So its β ∈ [−C w (1 − q), C w q], and there is no ε (Takeuchi, Le,
Sears & Smola, JMLR 7, 2006).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import Samples
from kernelwise._core.validation import (
    check_not_negative,
    check_positive,
    check_share,
    check_targets,
    check_weights,
)
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import InUnits, in_units, unit_of_kernel
from kernelwise.solvers.dual import iteration_cap, warn_of
from kernelwise.solvers.fold_path import Fold, Terms
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
    quantile: float | None = None,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    memory_limit: int = 2**30,
) -> SVRSolution:
    """Train an ε-insensitive machine, or that of a quantile; no Gram matrix is needed as a whole.

    ``kernel(X, Y)`` returns a Gram matrix, and ``kernel(X)`` that of X with itself; errors up to ``epsilon``
    count nothing; ``quantile``, between 0 and 1, gives the pinball loss instead. ``memory_limit`` is in bytes
    of kernel values. All else is as in :func:`~kernelwise.solvers.solve_svm_dual`.
    """
    for value, name in ((C, "C"), (tol, "tol")):
        check_positive(value, name, "solve_svr")
    check_not_negative(epsilon, "epsilon", "solve_svr")
    if quantile is not None:
        check_share(quantile, "quantile", "solve_svr")
    n = X.shape[0]
    y = check_targets(y, n)
    sign = direction(y)
    unit = unit_of_kernel(kernel, X)
    C = in_units(C, unit)
    if unit != 1.0:
        kernel = InUnits(kernel, unit)
    bound = C * check_weights(sample_weight, n)
    p, lo, hi, _ = regression_terms(y, epsilon, quantile)
    is_twin = p.size > n
    bounds = np.tile(bound, 2) if is_twin else bound
    lo, hi, beta = lo * bounds, hi * bounds, np.zeros(p.size)
    problem = RowProblem(kernel, X, p, beta, lo, hi, TwinRows if is_twin else None)
    f, outcome = problem.minimise(tol, iteration_cap(max_iter, n), memory_limit)
    warn_of(outcome, tol)
    quadratic = beta @ (p - f)
    objective = 0.5 * quadratic - p @ beta
    # f is y (of a twin y ∓ ε) less the sum over the kernel: what it differs from the offset by is a loss.
    above = f - outcome.offset
    duality_gap = 0.5 * quadratic + hi @ np.maximum(0.0, above) + lo @ np.minimum(0.0, above) + objective
    beta = sign * beta.reshape(-1, n).sum(axis=0) / unit
    how = outcome.n_iter, outcome.gap, outcome.converged
    return SVRSolution(beta, sign * outcome.offset, objective / unit, duality_gap / unit, *how)


def check_quantiles(quantile: Any, owner: str) -> tuple[float, ...]:
    """The quantiles that a parameter asks for: one number, or several that increase, between 0 and 1."""
    if np.ndim(quantile) == 0:
        check_share(quantile, "quantile", owner)
        return (float(quantile),)
    for one in np.ravel(np.asarray(quantile, dtype=object)):
        check_share(one, "quantile", owner)
    values = np.ravel(np.asarray(quantile, dtype=float))
    if np.ndim(quantile) > 1 or not values.size or not (np.diff(values) > 0.0).all():
        raise ValueError(
            f"'quantile' of {owner} must be a number between 0 and 1, or a list of such numbers in "
            f"increasing order, got {quantile!r}."
        )
    return tuple(values.tolist())


def direction(y: np.ndarray) -> float:
    """1 or −1: the sign of the first target that is not zero.

    Targets times it are solved, so that those of −y take the same steps, and have the mirrored solution.
    """
    first = y[np.flatnonzero(y)[:1]]
    return -1.0 if first.size and first[0] < 0 else 1.0


def regression_terms(y: np.ndarray, epsilon: float, quantile: float | None = None) -> Terms:
    """The dual of targets in their `direction`: of one variable for every sample, or of two with an ε."""
    turn = direction(y)
    y, above, below = turn * y, 1.0, 1.0
    if quantile is not None:
        # What lies above y lies below −y.
        epsilon, above, below = 0.0, quantile, 1.0 - quantile
        above, below = (above, below) if turn > 0.0 else (below, above)
    if epsilon == 0.0:
        return Terms(y, np.full(y.size, -below), np.full(y.size, above), turn)
    lo, hi = np.repeat([[0.0, -below], [above, 0.0]], y.size, axis=1)
    return Terms(np.concatenate([y - epsilon, y + epsilon]), lo, hi, turn)


@dataclass(frozen=True, eq=False)
class RegressionPaths:
    """Machines of numbers on folds, prepared for one Gram matrix after the other.

    There is one ε-insensitive machine, or one for each of the ``quantiles``. A machine with ε has two
    variables for every sample (see above), so that
    warm starts, Newton steps and the exact end of a path are those of classes. The Gram matrix is K repeated
    twice in both directions, a copy of 4 n² numbers: the native loops run along full rows. For the few
    thousand rows of a search that is small change. ``weight`` has the shape (n_samples,) or (n_folds,
    n_samples); ``places`` are as in `kernelwise.solvers.path.ClassPaths`.
    """

    y: np.ndarray
    splits: list[Fold]
    weight: np.ndarray
    places: Places | None = None
    quantiles: tuple[float, ...] = ()
    _problems: dict[float, PathProblem] = field(default_factory=dict)

    def problem(self, epsilon: float) -> PathProblem:
        """The machines of one ε, which are the same for all Gram matrices."""
        if epsilon not in self._problems:
            n = self.y.size
            terms = [regression_terms(self.y, epsilon, q) for q in self.quantiles or (None,)]
            places = self.places or Places([test for _, test in self.splits], n)
            weight = np.broadcast_to(self.weight, (len(self.splits), n))
            machines = [Machine(np.arange(one.p.size) % n, one.hi) for one in terms]
            self._problems.clear()  # the next ε is seldom the last one
            self._problems[epsilon] = PathProblem(machines, self.splits, places, weight, terms)
        return self._problems[epsilon]

    def solve(self, K: np.ndarray, Cs: np.ndarray, *, epsilon: float, **how: Any) -> tuple[SVMPath, Tables]:
        """The path of one Gram matrix, and tables of shape (n_Cs, n_folds, n_machines); no warnings.

        The path's ``decision``, of shape (n_Cs, n_samples) or (n_Cs, n_samples, n_machines), holds the
        held-out predictions; its ``classes`` are empty. All else is as in `PathProblem.solve`.
        """
        started = time.perf_counter()
        problem = self.problem(epsilon)
        solved = problem.solve(K, Cs, **how)
        members = [machine.members for machine in problem.machines]
        return as_path(solved, started, np.empty(0), Cs, "regression", members), solved.tables
