"""The margin of the machine and the bound R²‖w‖² on its VC dimension (paper 001, Ayat and others 2002)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kernelwise.criteria.adjoint import FactoredAdjoint
from kernelwise.criteria.hinge import HingeMachine
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue


class Margin(MachineCriterion):
    """Inverse squared margin ‖w‖², to be minimised (paper 001, section 3.3 and figure 5).

    The margin of a support vector machine is 1/‖w‖.

    Paper 001 shows that minimising it alone does not lower the error: wide kernels and small C have the
    largest margins.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Tolerance of the stopping rule of the machines.

    Examples
    --------
    Two points at distance 2 have the margin 1.

    >>> import numpy as np
    >>> from kernelwise.criteria import Margin
    >>> X = np.array([[-1.0], [1.0], [-2.0], [3.0]])
    >>> round(Margin(C=10.0).value(X @ X.T, [0, 1, 0, 1]), 6)
    1.0
    """

    name = "margin"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"
    sign: ClassVar[int] = 1

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all")
        value = TwoClassValue(
            machine.norm2,
            report={"n_support": float(machine.support.size), "margin": machine.margin},
            machine=machine.trained,
        )
        if problem.needs_gradient:
            u, value.by_C = norm2_adjoint(machine)
            value.W = FactoredAdjoint(u[:, None], machine.beta[:, None])
        return value


class VCBound(MachineCriterion):
    """VC bound R²‖w‖² with an approximate radius R (paper 001, section 3.3).

    R² is the largest ‖Φ(x) − Φ(0)‖² of a support vector x.

    The gradient of the maximum is that of the support vector that attains it. Paper 001 shows that
    minimising this bound does not lower the error; :class:`RadiusMargin` has the exact radius.

    Its Gram matrix has one row more than there are samples, the last: that of the origin.

    Parameters
    ----------
    C, search_C, strategy, tol
        As in :class:`Margin`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import VCBound
    >>> points = np.array([[-1.0], [1.0], [-2.0], [3.0], [0.0]])
    >>> round(VCBound(C=10.0).value(points @ points.T, [0, 1, 0, 1]), 6)
    1.0
    """

    name = "vc"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"
    sign: ClassVar[int] = 1

    def extra_points(self, n_features: int) -> np.ndarray:
        return np.zeros((1, n_features))

    def _layout(
        self, classes: np.ndarray, index: np.ndarray, weight: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, ...]:
        if n_rows != len(index) + 1:
            raise ValueError(
                f"VCBound needs a Gram matrix of the samples and the origin, {len(index) + 1} rows, "
                f"got {n_rows}. Use it in a TuningProblem, or add a row of zeros to X."
            )
        return super()._layout(classes, np.append(index, -1), np.append(weight, 0.0), n_rows)

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all")
        K, S, origin = problem.K, machine.support, len(problem.signs) - 1
        distances2 = K[S, S] - 2.0 * K[S, origin] + K[origin, origin]
        farthest, radius2 = int(S[distances2.argmax()]), float(distances2.max())
        norm2 = machine.norm2
        value = TwoClassValue(
            radius2 * norm2,
            report={"n_support": float(S.size), "margin": machine.margin, "radius": float(np.sqrt(radius2))},
            machine=machine.trained,
        )
        if problem.needs_gradient:
            u, by_C = norm2_adjoint(machine)
            value.by_C = radius2 * by_C
            # R² = dᵀKd with d = 1 at the farthest vector and −1 at the origin.
            d = np.zeros(len(u))
            d[farthest], d[origin] = 1.0, -1.0
            value.W = FactoredAdjoint(
                np.column_stack([radius2 * u, norm2 * d]), np.column_stack([machine.beta, d])
            )
        return value


def norm2_adjoint(machine: HingeMachine) -> tuple[np.ndarray, float]:
    """u of the adjoint u cᵀ of ‖w‖² = cᵀKc, and its derivative by C: c through K itself, −λ through c."""
    answer = machine.sensitivity(2.0 * machine.outputs, 0.0)
    return machine.beta - answer.multipliers, answer.by_C
