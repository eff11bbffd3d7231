"""The kernel parameter of paper 000 (Abe 2007): the peak of the distance between class centres, averaged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import MinMaxScaler

from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import check_choice
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF, Mahalanobis
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.multiclass import two_class_machines
from kernelwise.optimizers import SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.selection.procedure import check_training
from kernelwise.sketch.curves import names_of_problems
from kernelwise.sketch.sketch import DistanceSketch

KERNEL_NAMES = ("rbf", "mahalanobis", "mahalanobis-full")
START = 0.01  # the paper's start of the second-order method
INTERIOR = "interior peak"


@dataclass(frozen=True, eq=False)
class AbeParameters:
    """The kernel parameter in the paper's scale: γ of exp(−(γ/m)‖x − x′‖²) or δ of the Mahalanobis kernel.

    Attributes
    ----------
    parameter : float
        The average over the two-class problems that have a peak, or over all of them if none has one.
    parameters : ndarray of shape (n_problems,)
    problems : tuple
        The class of a one-vs-rest problem, the two classes of any other.
    stop_reasons : tuple of str
        "interior peak", "plateau", "boundary" or "max_iter", by problem.
    findings : tuple of Finding
    seconds : float
    n_iterations : tuple of int
        Of the second-order method, by problem; empty for "sketch", which has no iterations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_parameters
    >>> found = abe_parameters(*load_iris(return_X_y=True), strategy="ovo")

    One parameter for each pair of classes, and their average:

    >>> found.problems, found.parameters.round(2).tolist(), round(found.parameter, 2)
    (((0, 1), (0, 2), (1, 2)), [16.8, 9.22, 26.75], 17.59)

    The paper's own iteration says how many steps it took for each problem:

    >>> abe_parameters(*load_iris(return_X_y=True), method="second-order").n_iterations
    (5, 6, 5)
    """

    parameter: float
    parameters: np.ndarray
    problems: tuple[Any, ...]
    stop_reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    seconds: float
    n_iterations: tuple[int, ...] = ()


def abe_parameters(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "rbf",
    *,
    strategy: str = "ovr",
    method: str = "sketch",
    n_jobs: int | None = None,
) -> AbeParameters:
    """Choose the kernel parameter as `abe_select` does, without choosing C (paper 000, section 3.2).

    Returns an `AbeParameters`.

    Parameters
    ----------
    X, y, kernel, strategy, method, n_jobs
        As in `abe_select`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_parameters
    >>> chosen = abe_parameters(*load_iris(return_X_y=True))
    >>> round(chosen.parameter, 3), chosen.parameters.round(4).tolist()
    (15.149, [11.7197, 24.3902, 9.3367])
    """
    samples, labels = check_training(X, y)
    scaled = MinMaxScaler().fit_transform(samples)
    return find_parameters(scaled, labels, bind_kernel(kernel, scaled), strategy, method, n_jobs)


def bind_kernel(name: str, X: np.ndarray) -> ScaledGaussian:
    """Return the kernel with parameter 1 (in the paper's scale) and the covariance of the scaled samples."""
    check_choice(name, "kernel", "selection.abe", KERNEL_NAMES)
    if name == "rbf":
        return RBF(1.0 / X.shape[1])
    covariance = "full" if name == "mahalanobis-full" else "diagonal"
    return Mahalanobis(1.0, covariance).initialize(X, heuristic="keep")


def find_parameters(
    X: np.ndarray, y: np.ndarray, kernel: ScaledGaussian, strategy: str, method: str, n_jobs: int | None
) -> AbeParameters:
    """Maximise d² of every two-class problem over the parameter, which is 1 for ``kernel``; average."""
    started = time.perf_counter()
    check_choice(strategy, "strategy", "selection.abe", ("ovr", "ovo"))
    check_choice(method, "method", "selection.abe", ("sketch", "second-order"))
    if method == "sketch":
        best = DistanceSketch.from_data(X, y, kernel=kernel, n_jobs=n_jobs).maximize("dbtc", strategy)
        scales, problems, reasons = best.gammas, best.problems, best.stop_reasons
        n_iterations: tuple[int, ...] = ()
    else:
        scales, problems, reasons, n_iterations = _second_order(X, y, kernel, strategy)
    parameters = scales / kernel.scale
    has_peak = np.array([reason == INTERIOR for reason in reasons])
    return AbeParameters(
        parameter=float(parameters[has_peak if has_peak.any() else slice(None)].mean()),
        parameters=parameters,
        problems=problems,
        stop_reasons=reasons,
        findings=tuple(_peak_findings(problems, reasons)),
        seconds=time.perf_counter() - started,
        n_iterations=n_iterations,
    )


def _second_order(
    X: np.ndarray, y: np.ndarray, kernel: ScaledGaussian, strategy: str
) -> tuple[np.ndarray, tuple[Any, ...], tuple[str, ...], tuple[int, ...]]:
    """Return factors, problems, stop reasons and numbers of iterations of the paper's own iteration."""
    start = kernel.with_theta(np.log([START * kernel.scale]))
    classes, index = np.unique(y, return_inverse=True)
    results = [
        SecondOrder().minimize(TuningProblem(start, "dbtc", X[machine.members], machine.signs))
        for machine in two_class_machines(index, len(classes), strategy)
    ]
    scales = np.array([np.exp(result.theta[0]) for result in results])
    reasons = tuple(result.stop_reason for result in results)
    return (
        scales,
        names_of_problems(strategy, classes),
        reasons,
        tuple(result.n_iterations for result in results),
    )


def _peak_findings(problems: tuple[Any, ...], reasons: tuple[str, ...]) -> Iterator[Finding]:
    without = [(p, reason) for p, reason in zip(problems, reasons, strict=True) if reason != INTERIOR]
    for problem, reason in without:
        is_left_out = len(without) < len(problems)
        yield catalogue.NO_PEAK_OF_PROBLEM[reason](problem=problem, is_left_out=is_left_out)
