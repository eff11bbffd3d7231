"""The empirical error of paper 001 (Ayat and others 2002) over k-fold outputs, and so on all the data."""

from __future__ import annotations

import numbers
from functools import lru_cache
from typing import ClassVar

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.text import count
from kernelwise.criteria.held_out import HeldOutCriterion, check_seed
from kernelwise.criteria.hinge import HingeMachine
from kernelwise.criteria.machine import TwoClassProblem
from kernelwise.criteria.state import TrainedMachine


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
