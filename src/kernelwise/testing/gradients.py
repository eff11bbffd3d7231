"""Gradients against central differences, zeros included.

A broken contract is a sentence, with the numbers that differ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kernelwise.problem import TuningProblem


def central_difference(f: Callable[[np.ndarray], float], theta: ArrayLike, step: float = 1e-6) -> np.ndarray:
    """Differences (f(θ + h e) − f(θ − h e)) / 2h for every entry of ``theta``.

    Parameters
    ----------
    f : callable
        From an array like ``theta`` to a number.
    theta : array of any shape
    step : float, default=1e-6
        h.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.testing import central_difference
    >>> central_difference(lambda theta: theta[0] ** 2 + 3 * theta[1], [2.0, 5.0]).round(6)
    array([4., 3.])
    """
    theta = np.asarray(theta, dtype=float)
    gradient = np.empty(theta.shape)
    for entry in np.ndindex(theta.shape):
        shift = np.zeros(theta.shape)
        shift[entry] = step
        gradient[entry] = (f(theta + shift) - f(theta - shift)) / (2.0 * step)
    return gradient


def extrapolated_difference(
    f: Callable[[np.ndarray], float], theta: ArrayLike, step: float = 1e-3
) -> np.ndarray:
    """Richardson's (4 D(h/2) − D(h))/3 of central differences D, whose error is of order h⁴.

    For values that are right to some tolerance only, such as those of trained machines: the step may be
    large beside it.

    Parameters
    ----------
    f, theta, step
        As in `central_difference`; the step is 1e-3 by default.

    Examples
    --------
    >>> from kernelwise.testing import central_difference, extrapolated_difference

    The derivative of x⁴ at 1 is 4; a large step costs the plain difference two digits:

    >>> for difference in (central_difference, extrapolated_difference):
    ...     print(difference(lambda x: x**4, 1.0, step=0.1).round(6))
    4.04
    4.0
    """
    return (4.0 * central_difference(f, theta, step / 2.0) - central_difference(f, theta, step)) / 3.0


def check_gradient(
    problem: TuningProblem,
    theta: ArrayLike | None = None,
    *,
    step: float = 1e-6,
    rtol: float = 1e-6,
    difference: Callable[..., np.ndarray] = central_difference,
) -> None:
    """Raise AssertionError unless the gradient of a problem agrees with central differences.

    Parameters
    ----------
    problem : TuningProblem
    theta : array, default=None
        Where; the problem's own start when None.
    step : float, default=1e-6
    rtol : float, default=1e-6
        Allowed difference, relative to the largest component. No entry is skipped for being small; only
        what rounding does to a difference of two values is allowed for on top.
    difference : callable, default=central_difference
        Or :func:`extrapolated_difference`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.problem import TuningProblem
    >>> from kernelwise.testing import check_gradient
    >>> check_gradient(TuningProblem("kmod", "esdr", *load_iris(return_X_y=True)))

    A gradient that is a thousandth too large is found out:

    >>> class Steep(RBF):
    ...     def _gradient_dot(self, X, Y, W, K):
    ...         return 1.001 * super()._gradient_dot(X, Y, W, K)
    >>> try:
    ...     check_gradient(TuningProblem(Steep(0.1), "esdr", *load_iris(return_X_y=True)))
    ... except AssertionError as error:
    ...     print(str(error)[:11])
    gradient[0]
    """
    theta = problem.theta if theta is None else np.asarray(theta, dtype=float)
    value, gradient = problem.value_and_gradient(theta)
    assert gradient.shape == theta.shape, f"gradient has shape {gradient.shape}, theta has {theta.shape}"
    assert_gradient(gradient, difference(problem.value, theta, step), value, step, rtol)


def assert_gradient(
    gradient: np.ndarray, numeric: np.ndarray, value: float, step: float = 1e-6, rtol: float = 1e-6
) -> None:
    """Raise AssertionError, with the entry that differs most, unless two gradients agree.

    Parameters
    ----------
    gradient, numeric : ndarray of one shape
        What a formula says, and :func:`central_difference`.
    value : float
        Of the function: its rounding, divided by the step, is allowed for.
    step : float, default=1e-6
        That of the differences.
    rtol : float, default=1e-6
        Allowed difference, relative to the largest entry.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.testing import assert_gradient, central_difference
    >>> theta = np.array([1.0, 2.0])
    >>> assert_gradient(2 * theta, central_difference(lambda t: t @ t, theta), value=5.0)
    """
    largest = max(np.abs(gradient).max(initial=0.0), np.abs(numeric).max(initial=0.0))
    rounding = 64 * np.finfo(float).eps * max(abs(value), np.finfo(float).tiny) / step
    error = np.abs(gradient - numeric)
    worst = np.unravel_index(int(error.argmax()), error.shape) if error.size else ()
    assert (error <= rtol * largest + rounding).all(), (
        f"gradient{list(map(int, worst))} is {gradient[worst]:.12g}, central difference "
        f"{numeric[worst]:.12g}; allowed difference {rtol * largest + rounding:.3g}"
    )


def assert_close(
    found: ArrayLike, expected: ArrayLike, sentence: str, rtol: float = 1e-12, atol: float = 0.0
) -> None:
    """Raise AssertionError with the sentence and the worst pair of numbers, unless all are close.

    Parameters
    ----------
    found, expected : array-like
        Of one shape.
    sentence : str
        What is wrong if they differ, without a full stop.
    rtol, atol : float
        Allowed difference, relative to the expected number and absolute.
    """
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{sentence}: shape {found.shape}, expected {expected.shape}."
    error = np.abs(found - expected)
    is_wrong = ~(error <= atol + rtol * np.abs(expected))  # NaN is wrong, too
    if not is_wrong.any():
        return
    worst = np.unravel_index(int(np.where(np.isnan(error), np.inf, error).argmax()), error.shape)
    where = f" at {list(map(int, worst))}" if error.ndim else ""
    raise AssertionError(f"{sentence}: {found[worst]:.12g}{where}, expected {expected[worst]:.12g}.")
