"""Paper 000 (Abe 2007): the width at which the centres of the classes are farthest apart.

S. Abe, *Optimizing kernel parameters by second-order methods*, chooses the parameter of an RBF or Mahalanobis
kernel without training a machine: it maximises the squared distance d² between the class centres in feature
space, by a step that uses three derivatives. The parameters of all two-class problems are averaged; then C is
chosen by cross-validation. The paper compares with a grid search and a two-stage line search.

- the procedures: `abe_select`, `abe_grid_search`, `abe_line_search`
- the kernel parameter without C: `abe_parameters`, in `abe_peak`
- the criterion d²: :class:`kernelwise.criteria.InterClassDistance`
- the step: :class:`kernelwise.optimizers.SecondOrder`; all widths at once: :class:`kernelwise.DistanceSketch`
- the experiments: ``kernelwise reproduce abe``, in ``kernelwise.studies.abe``

Every choice, the scaling to [0, 1] included, is made on the samples passed in: pass training data only.
Scaling and covariance are those of all these samples in cross-validation, too, as in the paper, so
``cv_accuracy`` is what the choice was made by and not an estimate for new data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import MinMaxScaler

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState
from kernelwise._core.validation import check_choice
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.selection.abe_peak import bind_kernel, find_parameters
from kernelwise.selection.procedure import (
    Procedure,
    ProcedureResult,
    best_cell,
    check_values,
    cv_accuracies,
    edge_finding,
    noting_convergence,
)

#: The paper's values of C, of γ for the grid search and of δ for the line search. Its table 1 has C = 2, 4
#: and 7000, too, which are not in this list: it must have searched more values than it prints.
CS = (1.0, 10.0, 50.0, 100.0, 500.0, 1e3, 2e3, 3e3, 5e3, 8e3, 1e4, 5e4, 1e5)
GAMMAS = (0.1, 0.5, 1.0, 5.0, 10.0, 15.0)
DELTAS = tuple(k / 10 for k in range(1, 21))
MACHINES = ("ovr-fuzzy", "ovr", "ovo")


class _Search(Procedure):
    """Samples scaled to [0, 1], the kernel on them, and cross-validation of its parameter and C."""

    def __init__(
        self,
        X: MatrixLike,
        y: ArrayLike,
        kernel: str,
        multiclass: str,
        cv: FoldsLike,
        random_state: RandomState,
        n_jobs: int | None,
    ) -> None:
        super().__init__(X, y, MinMaxScaler())
        check_choice(multiclass, "multiclass", "selection.abe", MACHINES)
        self.settings: dict[str, Any] = {"multiclass": multiclass, "n_jobs": n_jobs}
        self.kernel = bind_kernel(kernel, self.scaled)
        self.mapped = self.kernel.transform(self.scaled)
        self.split(cv, random_state)
        self.findings += _constant_findings(self.mapped)

    def accuracies(self, parameters: np.ndarray, Cs: np.ndarray) -> np.ndarray:
        """Cross-validation accuracies of shape (n_parameters, n_Cs)."""
        gammas = parameters * self.kernel.scale
        with noting_convergence(self.findings):
            return cv_accuracies(self.mapped, self.y, gammas, Cs, self.folds, **self.settings)

    def result(
        self, method: str, parameter: float, C: float, accuracies: np.ndarray, **by_problem: Any
    ) -> AbeResult:
        """Train the machine and put everything together."""
        kernel = self.kernel.with_theta(np.log([parameter * self.kernel.scale]))
        return AbeResult(
            method=method,
            kernel=kernel,
            parameter=parameter,
            C=C,
            cv_accuracy=float(accuracies.max()),
            accuracies=accuracies,
            **self.trained(SVC(C=C, kernel=kernel, **self.settings)),
            **by_problem,
        )


def abe_select(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "rbf",
    *,
    strategy: str = "ovr",
    method: str = "sketch",
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    multiclass: str = "ovr-fuzzy",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> AbeResult:
    """Choose the kernel parameter of largest distance between class centres, then C by cross-validation.

    Paper 000, section 3 and eqs. 7 to 10; table 1 has its parameters. Returns an `AbeResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    kernel : {"rbf", "mahalanobis", "mahalanobis-full"}, default="rbf"
        The covariance of "mahalanobis" is diagonal, as in the paper's experiments.
    strategy : {"ovr", "ovo"}, default="ovr"
        The two-class problems whose parameters are averaged.
    method : {"sketch", "second-order"}, default="sketch"
        The global maxima from one pass over the pairs of samples for all problems, or the paper's iteration
        from 0.01 for each problem.
    Cs : array of shape (n_Cs,)
        The paper's 13 values by default.
    cv : int or splitter, default=5
        A number means shuffled stratified folds.
    multiclass : {"ovr-fuzzy", "ovr", "ovo"}, default="ovr-fuzzy"
        The final machine; see :class:`kernelwise.SVC`.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Warns
    -----
    BoundaryWarning
        If a two-class problem has no peak; it is then left out of the average.

    Notes
    -----
    Cross-validation holds two n × n arrays; `abe_parameters`, which chooses the kernel only, holds none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_select
    >>> X, y = load_iris(return_X_y=True)
    >>> chosen = abe_select(X[::2], y[::2])
    >>> round(chosen.parameter, 2), chosen.C, round(chosen.estimator.score(X[1::2], y[1::2]), 3)
    (13.69, 1.0, 0.973)
    """
    search = _Search(X, y, kernel, multiclass, cv, random_state, n_jobs)
    Cs = check_values(Cs, "Cs", "abe_select")
    found = find_parameters(search.scaled, search.y, search.kernel, strategy, method, n_jobs)
    accuracies = search.accuracies(np.array([found.parameter]), Cs)
    C = float(Cs[best_cell(accuracies)[1]])
    search.findings += [*found.findings, *edge_finding("C", C, Cs)]
    return search.result(
        method,
        found.parameter,
        C,
        accuracies,
        parameters=found.parameters,
        problems=found.problems,
        stop_reasons=found.stop_reasons,
        n_iterations=found.n_iterations,
    )


def abe_grid_search(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "rbf",
    *,
    parameters: ArrayLike | None = None,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    multiclass: str = "ovr-fuzzy",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> AbeResult:
    """Choose kernel parameter and C by a grid search; of equals, the smallest C, then the widest kernel.

    What paper 000, section 4, compares its method with: "RBF (g)" of its tables 1 and 2. Returns an
    `AbeResult`.

    Parameters
    ----------
    parameters : array, default=None
        Values of γ or δ in the paper's scale; None is the paper's 6 of γ or 20 of δ.
    X, y, kernel, Cs, cv, multiclass, random_state, n_jobs
        As in `abe_select`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_grid_search
    >>> X, y = load_iris(return_X_y=True)
    >>> result = abe_grid_search(X, y, Cs=[1.0, 100.0])

    Six widths and two values of C:

    >>> result.accuracies.shape, result.parameter, result.C, round(result.cv_accuracy, 3)
    ((6, 2), 10.0, 1.0, 0.967)
    """
    search = _Search(X, y, kernel, multiclass, cv, random_state, n_jobs)
    if parameters is None:
        parameters = GAMMAS if kernel == "rbf" else DELTAS
    parameters = check_values(parameters, "parameters", "abe_grid_search")
    Cs = check_values(Cs, "Cs", "abe_grid_search")
    accuracies = search.accuracies(parameters, Cs)
    g, c = best_cell(accuracies)
    parameter, C = float(parameters[g]), float(Cs[c])
    search.findings += [*edge_finding("parameter", parameter, parameters), *edge_finding("C", C, Cs)]
    return search.result("grid search", parameter, C, accuracies)


def abe_line_search(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "mahalanobis",
    *,
    parameters: ArrayLike = DELTAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    multiclass: str = "ovr-fuzzy",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> AbeResult:
    """Choose C by cross-validation at δ = 1, then δ by cross-validation at that C (two-stage line search).

    What paper 000, section 4, compares its method with: "Diag (l)" of its tables 1 and 2. Returns an
    `AbeResult`.

    Parameters
    ----------
    parameters : array
        Values of δ, 0.1, 0.2, …, 2 by default.
    X, y, kernel, Cs, cv, multiclass, random_state, n_jobs
        As in `abe_select`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_line_search
    >>> X, y = load_iris(return_X_y=True)
    >>> result = abe_line_search(X, y, Cs=[1.0, 100.0])

    Twenty values of δ, at the C that was best for δ = 1:

    >>> result.accuracies.shape, result.kernel.delta == result.parameter, round(result.cv_accuracy, 3)
    ((20, 1), True, 0.96)
    """
    search = _Search(X, y, kernel, multiclass, cv, random_state, n_jobs)
    parameters = check_values(parameters, "parameters", "abe_line_search")
    Cs = check_values(Cs, "Cs", "abe_line_search")
    C = float(Cs[best_cell(search.accuracies(np.ones(1), Cs))[1]])
    accuracies = search.accuracies(parameters, np.array([C]))
    parameter = float(parameters[best_cell(accuracies)[0]])
    search.findings += [*edge_finding("C", C, Cs), *edge_finding("parameter", parameter, parameters)]
    return search.result("line search", parameter, C, accuracies)


def _constant_findings(mapped: np.ndarray) -> list[Finding]:
    lost = int((np.ptp(mapped, axis=0) == 0).sum())
    if not lost:
        return []
    return [catalogue.CONSTANT_DIRECTIONS(n_constant=lost, n_features=mapped.shape[1])]


@dataclass(frozen=True, eq=False, kw_only=True)
class AbeResult(ProcedureResult):
    """A kernel and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : {"sketch", "second-order", "grid search", "line search"}
    kernel : Kernel
        For samples scaled to [0, 1].
    parameter : float
        The paper's γ (``kernel.gamma`` times the number of features m) or δ.
    C : float
    cv_accuracy : float
    accuracies : ndarray of shape (n_parameters, n_Cs)
        Cross-validation accuracies of the last search; one parameter unless a grid was searched.
    estimator : Pipeline
        Scaling to [0, 1] and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding
    parameters, problems, stop_reasons, n_iterations
        By two-class problem, as in `AbeParameters`; empty for the two searches by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_select
    >>> X, y = load_iris(return_X_y=True)
    >>> result = abe_select(X, y, Cs=[1.0, 10.0, 100.0])

    γ of the paper's exp(−(γ/m)D) is that of our kernel times the four features:

    >>> round(result.parameter, 3), round(4 * result.kernel.gamma, 3), result.accuracies.shape
    (15.149, 15.149, (1, 3))
    >>> result.estimator.predict(X[:3])
    array([0, 0, 0])
    """

    kernel: ScaledGaussian
    parameter: float
    accuracies: np.ndarray = field(repr=False)
    parameters: np.ndarray = field(default_factory=lambda: np.empty(0))
    problems: tuple[Any, ...] = ()
    stop_reasons: tuple[str, ...] = ()
    n_iterations: tuple[int, ...] = ()

    _columns: ClassVar[tuple[str, ...]] = ("method", "parameter", "C", "cv_accuracy", "seconds", "kernel")
