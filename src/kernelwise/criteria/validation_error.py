"""The empirical error on a validation set (paper 001, Ayat and others 2002)."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from kernelwise._core.validation import check_samples
from kernelwise.criteria.held_out_criterion import HeldOutCriterion, check_seed
from kernelwise.criteria.machine import TwoClassProblem


class ValidationError(HeldOutCriterion):
    """Mean probability of error on a validation set, from Platt's sigmoid of the decision values.

    This is E of paper 001, section 3: train, fit the sigmoid to the validation outputs, change the kernel and
    C.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    validation : float, array of rows, or (X, y), default=0.5
        A share of each class, drawn at random once; a mask or the indices of rows of the samples; or
        further samples with their labels.
    loss : {"error", "likelihood", "plain-likelihood"}, default="error"
        "likelihood" is the mean negative log-likelihood of the sigmoid on its smoothed targets, and
        "plain-likelihood" that on the labels, for a sigmoid that does not fall.
    gradient : {"exact", "paper"}, default="exact"
        "paper" is the approximation of paper 001 (eqs. 7–12), for comparison: outputs depend on the kernel
        through the coefficients alone, every support vector is free, and the sigmoid stays.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Tolerance of the stopping rule of the machines.
    random_state : int, default=0
        Seed of the random share; the same rows are held out at every evaluation.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import ValidationError
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> problem = TuningProblem(RBF(0.02), ValidationError(C=10.0), scale(X), y)
    >>> value, gradient = problem.value_and_gradient(problem.theta)
    >>> problem.theta_names, round(value, 3), gradient.shape
    (('gamma', 'C'), 0.052, (2,))
    """

    name = "validation-error"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"
    sign: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        validation: Any = 0.5,
        loss: str = "error",
        gradient: str = "exact",
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int = 0,
    ) -> None:
        super().__init__(C, loss, gradient, search_C, strategy, tol)
        check_seed(random_state, "ValidationError")
        if isinstance(validation, numbers.Real) and not 0.0 < float(validation) < 1.0:
            raise ValueError(
                f"'validation' of ValidationError must be a share between 0 and 1, rows, or (X, y), "
                f"got {validation!r}."
            )
        if isinstance(validation, tuple):
            _check_samples_and_labels(validation)
        self.validation = validation
        self.random_state = random_state

    def extra_points(self, n_features: int) -> Any:
        return check_samples(self.validation[0]) if isinstance(self.validation, tuple) else None

    def _layout(
        self, classes: np.ndarray, index: np.ndarray, weight: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, ...]:
        if isinstance(self.validation, tuple):
            more = index_in(classes, np.ravel(self.validation[1]))
            index, weight = np.concatenate([index, more]), np.concatenate([weight, np.ones(len(more))])
            _, _, held_out = super()._layout(classes, index, weight, n_rows)
            held_out[n_rows - len(more) :] = True
            return index, weight, held_out
        index, weight, held_out = super()._layout(classes, index, weight, n_rows)
        held_out[self.held_out_rows(index)] = True
        return index, weight, held_out

    def held_out_rows(self, index: np.ndarray) -> np.ndarray:
        """Rows of the samples that a share, a mask or indices hold out."""
        if isinstance(self.validation, numbers.Real):
            split = StratifiedShuffleSplit(
                1, test_size=float(self.validation), random_state=self.random_state
            )
            # Classes in the order of their first samples: the draw does not depend on their names.
            by_appearance = np.unique(index, return_index=True)[1].argsort().argsort()[index]
            return next(split.split(index, by_appearance))[1]
        rows = np.asarray(self.validation)
        if rows.dtype == bool and rows.shape == index.shape:
            return np.flatnonzero(rows)
        if rows.dtype.kind not in "iu" or rows.ndim != 1 or rows.size == 0 or rows.max() >= index.size:
            raise ValueError(
                f"'validation' of ValidationError must be a mask of {index.size} rows or indices of some of "
                f"them, got {rows.dtype} of shape {rows.shape}."
            )
        return np.unique(rows)

    def _folds(self, problem: TwoClassProblem) -> list[np.ndarray]:
        for part, rows in (("validation", problem.held_out), ("training", ~problem.held_out)):
            if len(np.unique(problem.signs[rows])) < 2:
                raise ValueError(
                    f"The {part} part has samples of one class only. Choose other rows for 'validation'."
                )
        return [np.flatnonzero(problem.held_out)]


def _check_samples_and_labels(validation: tuple[Any, ...]) -> None:
    if len(validation) != 2 or check_samples(validation[0], "The X of validation").shape[0] != np.size(
        validation[1]
    ):
        raise ValueError("'validation' of ValidationError as a tuple must be samples and one label for each.")


def index_in(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Index of each label among the classes."""
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(f"The validation set has the label {y[unknown][0]}, which the samples do not have.")
    return np.searchsorted(classes, y)
