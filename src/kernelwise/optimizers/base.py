"""What every optimizer is: a search that sees only a TuningProblem and says why it stopped."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from kernelwise._core.parameters import HasParams, constructor_params
from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.typing import RandomState
from kernelwise.exceptions import BoundaryWarning, IncompatibleError
from kernelwise.findings import Finding, catalogue
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.space import SearchSpace

INTERIOR = ("converged", "interior peak", "grid exhausted")
#: Categories of the warnings that findings about the end of a search are issued as, by their names.
WARNED_OF = {
    catalogue.MAX_ITER.name: ConvergenceWarning,
    catalogue.NO_PROGRESS.name: ConvergenceWarning,
    catalogue.PLATEAU.name: BoundaryWarning,
    catalogue.AT_BOUND.name: BoundaryWarning,
}


@dataclass
class Run:
    """End of one run of an optimizer from one start; the method ``_run`` returns it.

    Attributes
    ----------
    vector : ndarray of shape (n_parameters,)
        The best point, as :class:`SearchSpace` has it.
    value : float
        The cost there.
    n_iterations : int
    stop_reason : str
        One of those of :class:`~kernelwise.result.TuningResult`.

    Examples
    --------
    A search that stays where it begins:

    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import Optimizer, Run
    >>> from kernelwise.problem import TuningProblem
    >>> class Stay(Optimizer):
    ...     requires_gradient = False
    ...     def __init__(self):
    ...         pass
    ...     def _run(self, space, start):
    ...         return Run(start, space.value(start), 0, "converged")
    >>> result = Stay().minimize(TuningProblem("rbf", "dbtc", *load_iris(return_X_y=True)))
    >>> result.n_evaluations, result.n_iterations
    (1, 0)
    """

    vector: np.ndarray
    value: float
    n_iterations: int
    stop_reason: str


class Optimizer(HasParams, ABC):
    """Base class of optimizers, which minimise a TuningProblem from one or more starts.

    Subclasses write ``_run`` and keep its state in local variables.

    Attributes
    ----------
    n_restarts : int, default=0
        Further runs from random starts around the kernel's own; the best run is returned.
    random_state : int, RandomState or None, default=0
        Chance enters only through the restarts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import Optimizer, QuasiNewton
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> optimizer = QuasiNewton(n_restarts=2)
    >>> result = optimizer.minimize(TuningProblem("rbf", "dbtc", X, y == 0))
    >>> isinstance(optimizer, Optimizer), result.stop_reason, round(result.kernel.gamma, 3)
    (True, 'converged', 0.197)

    The history has every point that was tried, of all three runs:

    >>> len(result.history) == result.n_evaluations, sorted({row["start"] for row in result.history})
    (True, [0, 1, 2])
    """

    requires_gradient: ClassVar[bool] = True
    #: The most parameters it can search, or None.
    max_parameters: ClassVar[int | None] = None

    n_restarts: int = 0
    random_state: RandomState = 0

    def minimize(self, problem: TuningProblem, *, warns: bool = True) -> TuningResult:
        """Search from the problem's kernel (and restarts), and return the best kernel found.

        With ``warns=False``, an end that is no optimum inside the range is in ``diagnostics`` only.
        """
        self.check(problem)
        problem.reset()
        space = SearchSpace(problem)
        runs = []
        for number, start in enumerate(self._starts(space)):
            problem.note(start=number, iteration=0)
            runs.append(self._run(space, start))
            if not isinstance(runs[-1], Run):
                me, got = type(self).__name__, type(runs[-1]).__name__
                raise TypeError(f"_run of {me} must return a kernelwise.optimizers.Run, got {got}.")
        best = min(runs, key=lambda run: run.value)
        findings = self._findings(space, best)
        serious = [finding for finding in findings if finding.severity == "warning"]
        if best.stop_reason == "converged" and any(one.name == catalogue.AT_BOUND.name for one in serious):
            best.stop_reason = "boundary"
        for finding in serious:
            if warns and finding.name in WARNED_OF:
                warnings.warn(str(finding), WARNED_OF[finding.name], stacklevel=stacklevel_of_user())
        theta = space.to_theta(best.vector)
        return TuningResult(
            kernel=problem.kernel_at(theta),
            criterion=problem.criterion_at(theta),
            value=best.value,
            score=problem.criterion.sign * best.value,
            theta=theta,
            history=problem.history,
            stop_reason=best.stop_reason,
            converged=best.stop_reason in INTERIOR,
            n_evaluations=problem.n_evaluations,
            n_gradients=problem.n_gradients,
            n_iterations=sum(run.n_iterations for run in runs),
            seconds=problem.seconds,
            diagnostics=tuple(findings),
        )

    @abstractmethod
    def _run(self, space: SearchSpace, start: np.ndarray) -> Run: ...

    def check(self, problem: TuningProblem) -> None:
        """Raise :class:`~kernelwise.exceptions.IncompatibleError` if the three parts cannot work together."""
        me, kernel, criterion = type(self).__name__, problem.kernel, type(problem.criterion).__name__
        size = problem.theta.size
        if size == 0:
            raise IncompatibleError(
                f"{me} has nothing to search: {type(kernel).__name__} has no free parameter. "
                "Choose C by cross-validation instead, or use a kernel such as RBF."
            )
        if self.requires_gradient and not problem.criterion.is_differentiable:
            raise IncompatibleError(
                f"{me} needs a gradient, but {criterion} has none. "
                "Use LineSearch or GridSearch, or a smooth criterion such as InterClassDistance."
            )
        if self.max_parameters is not None and size > self.max_parameters:
            raise IncompatibleError(
                f"{me} searches {self.max_parameters} parameter, but there are {size}: "
                f"{', '.join(problem.theta_names[:4])}{', …' if size > 4 else ''}. "
                "Use QuasiNewton or GradientDescent."
            )
        self._check_own(problem)

    def _check_own(self, problem: TuningProblem) -> None:
        """Raise if the problem lacks what this optimizer alone needs."""

    def _starts(self, space: SearchSpace) -> list[np.ndarray]:
        """The kernel's own parameters, then log-normal (or normal) noise on them."""
        random = check_random_state(self.random_state)
        is_log = [h.is_log for h in space.problem.hyperparameters]
        size = 1.0 if space.is_matrix or all(is_log) else max(float(np.sqrt(np.mean(space.start**2))), 1e-3)
        noise = [random.normal(scale=size, size=space.start.shape) for _ in range(self.n_restarts)]
        return [space.start, *(space.clip(space.start + step) for step in noise)]

    def _findings(self, space: SearchSpace, run: Run) -> list[Finding]:
        """Say when the answer is not an optimum inside the range."""
        findings = []
        if run.stop_reason in catalogue.STOPPED:
            finding = catalogue.STOPPED[run.stop_reason](
                optimizer=type(self).__name__,
                n_iterations=run.n_iterations,
                criterion=type(space.problem.criterion).__name__,
            )
            findings.append(finding)
        if space.problem.n_undefined:
            findings.append(catalogue.UNDEFINED(n_points=space.problem.n_undefined))
        findings += self._bound_findings(space, run)
        return [*findings, *space.problem.memory.findings.values()]

    def _bound_findings(self, space: SearchSpace, run: Run) -> list[Finding]:
        """Parameters on the edge of their range; a feature weight at its lowest is news, not a fault."""
        if space.is_matrix:
            return []
        findings = []
        near = 1e-4 * (space.bounds[:, 1] - space.bounds[:, 0])
        is_many = len(run.vector) > len(space.problem.hyperparameters)
        for k, name in enumerate(space.problem.theta_names):
            at_low = run.vector[k] <= space.bounds[k, 0] + near[k]
            at_high = run.vector[k] >= space.bounds[k, 1] - near[k]
            if not (at_low or at_high):
                continue
            if is_many and at_low:
                findings.append(catalogue.FEATURE_IGNORED(parameter=name))
            else:
                findings.append(catalogue.AT_BOUND(parameter=name, is_low=bool(at_low)))
        return findings

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in constructor_params(self).items())
        return f"{type(self).__name__}({', '.join(shown)})"


def projected_gradient_norm(space: SearchSpace, vector: np.ndarray, gradient: np.ndarray) -> float:
    """Largest component of the gradient that a step inside the bounds can follow."""
    step = space.clip(vector - gradient) - vector
    return float(np.abs(step).max(initial=0.0))
