"""The margin of the machine (paper 001, Ayat and others 2002, figure 5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kernelwise.criteria.adjoint import FactoredAdjoint
from kernelwise.criteria.hinge import HingeMachine
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue


class Margin(MachineCriterion):
    """‖w‖² of the hinge machine, to be minimised: the margin is 1/‖w‖ (paper 001, section 3.3 and figure 5).

    Paper 001 shows that minimising it alone does not lower the error: wide kernels and small C have the
    largest margins.

    Parameters
    ----------
    C : float, default=1.0
        Where the search of C starts, or its value.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Stopping rule of the machines.

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


def norm2_adjoint(machine: HingeMachine) -> tuple[np.ndarray, float]:
    """u of the adjoint u cᵀ of ‖w‖² = cᵀKc, and its derivative by C: c through K itself, −λ through c."""
    answer = machine.sensitivity(2.0 * machine.outputs, 0.0)
    return machine.beta - answer.multipliers, answer.by_C
