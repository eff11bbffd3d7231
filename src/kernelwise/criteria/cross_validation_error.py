"""Costs of the held-out outputs of k folds, and so of all the data.

One is the empirical error of paper 001 (Ayat and others 2002), the other one the likelihood of the labels
under a sigmoid (Glasmachers and Igel 2010).
"""

from __future__ import annotations

import numbers
from functools import lru_cache
from typing import ClassVar

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.text import count
from kernelwise.criteria.base import TrainedMachine
from kernelwise.criteria.held_out_criterion import HeldOutCriterion, check_seed
from kernelwise.criteria.machine import HingeMachine, TwoClassProblem


class CrossValidationError(HeldOutCriterion):
    """Mean probability of error in cross-validation, from one sigmoid of all held-out decision values.

    E of paper 001, section 3.2, on all the data instead of one validation set.

    Each sample is decided on once, by a machine that did not see it. The number of support vectors and the
    margin in the history are means over the folds' machines; the test error is that of one more machine,
    trained on all samples.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    cv : int, default=5
        Number of folds, stratified and fixed: the same at every evaluation.
    loss, gradient, search_C, strategy, tol
        As in :class:`ValidationError`.
    random_state : int, default=None
        Seed that shuffles the samples into folds; None takes them in their order.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import CrossValidationError
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(CrossValidationError(C=10.0).value(RBF(0.02)(scale(X)), y), 3)
    0.042
    """

    name = "cv-error"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388, section 3"
    sign: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        cv: int = 5,
        loss: str = "error",
        gradient: str = "exact",
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int | None = None,
    ) -> None:
        super().__init__(C, loss, gradient, search_C, strategy, tol)
        if random_state is not None:
            check_seed(random_state, type(self).__name__)
        if not isinstance(cv, numbers.Integral) or cv < 2:
            raise ValueError(f"'cv' of {type(self).__name__} must be an integer from 2 on, got {cv!r}.")
        self.cv: int = cv
        self.random_state: int | None = random_state

    def _folds(self, problem: TwoClassProblem) -> list[np.ndarray]:
        smallest = min(int((problem.signs == sign).sum()) for sign in (-1, 1))
        if smallest < self.cv:
            fewer = f"criterion={type(self).__name__}(cv={smallest}), " if smallest > 1 else ""
            raise ValueError(
                f"The criterion {self.name!r} has {self.cv} folds, but a class has "
                f"{count(smallest, 'sample')}. Use {fewer}a criterion without folds such as 'dbtc', or more "
                "samples of that class."
            )
        return _stratified(np.asarray(problem.signs, np.int8).tobytes(), self.cv, self.random_state)

    def _predictor(self, problem: TwoClassProblem, machines: list[HingeMachine]) -> TrainedMachine | None:
        if not problem.memory.wants_machines:
            return None
        return HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all").trained


@lru_cache(maxsize=64)
def _stratified(signs: bytes, n_folds: int, random_state: int | None) -> list[np.ndarray]:
    """Rows of each fold: a search asks for the same ones at every step."""
    y = np.frombuffer(signs, np.int8)
    split = StratifiedKFold(n_folds, shuffle=random_state is not None, random_state=random_state)
    return [rows for _, rows in split.split(y, y)]


class CrossValidationLikelihood(CrossValidationError):
    """Mean negative log-likelihood in cross-validation, from one sigmoid of held-out decision values.

    With decision values f_i of machines that did not see sample i, and p_i = 1/(1 + exp(A f_i + B)),

        cost = −(1/n) max_{A ≤ 0, B} Σ_i log(p_i if y_i = 1 else 1 − p_i),

    the maximum-likelihood criterion of Glasmachers and Igel (2010) for the 1-norm machine: they search the
    kernel and C together along its gradient. A and B are optimal, and so the derivative needs that of the
    decision values only. With A ≤ 0, larger values never make the positive class less likely, and a machine
    whose held-out answers are worse than chance has the likelihood of the class shares.

    E of paper 001 (Ayat and others 2002, section 3.2), :class:`CrossValidationError`, is the mean probability
    of error by the same kind of sigmoid.

    The paper's prior distribution over kernel and C, an option there, is not part of it: the bounds of a
    search are what limits them here. ``CrossValidationError(loss="likelihood")`` is the same with Platt's
    smoothed targets in place of the labels, which keeps the cost above zero where folds make no error.

    Parameters
    ----------
    C, cv, search_C, strategy, tol, random_state
        As in :class:`CrossValidationError`. The paper is about two classes; more are averaged over the
        two-class problems.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import CrossValidationLikelihood
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)

    A width that suits the data, and one that is too narrow:

    >>> [round(CrossValidationLikelihood(C=10.0).value(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [0.067, 0.399]

    References
    ----------
    T. Glasmachers, C. Igel: Maximum likelihood model selection for 1-norm soft margin SVMs with multiple
    parameters. IEEE Transactions on Pattern Analysis and Machine Intelligence 32(8), 1522–1528, 2010.
    """

    name = "cv-likelihood"
    reference = "T. Glasmachers and C. Igel, IEEE Trans. Pattern Anal. Mach. Intell. 32(8), 2010"

    def __init__(
        self,
        C: float = 1.0,
        cv: int = 5,
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int | None = None,
    ) -> None:
        super().__init__(C, cv, "plain-likelihood", "exact", search_C, strategy, tol, random_state)
