"""The support vector regression machine."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.memory import MEMORY_LIMIT, MIB
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import RowsLike, Samples
from kernelwise._core.validation import (
    check_target_range,
)
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._machine import KernelMachine, check_coefficients
from kernelwise.estimators._parameters import OF_SVR, warn_if_alike, warn_if_far_from_zero
from kernelwise.estimators.kernel_argument import Rows, kernel_from_data, matrix_source
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.kernels import KernelLike
from kernelwise.solvers.regression import solve_svr


class GramEntries(NamedTuple):
    """A Gram matrix as a function of the indices of samples."""

    K: np.ndarray

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """K[rows][:, columns] in double precision"""
        return np.asarray(self.K[np.ix_(rows, rows if columns is None else columns)], dtype=float)

    def diagonal(self, rows: np.ndarray) -> np.ndarray:
        """K_ii of some rows, of shape (n_rows,)."""
        return self.K[rows, rows]


class SVR(Exportable, RegressorMixin, KernelMachine):
    """Support vector regression with an ε-insensitive loss and any kernel.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters then come from the data (heuristic
        "scale"), a kernel object, "precomputed" if X is the Gram matrix, or "precomputed-distance" if X is a
        matrix of distances D, for exp(−γD) with γ one over the median distance.
    C, epsilon : float, default=1.0, 0.1
        Bound of the coefficients, and the error that costs nothing; both in the units of y.
    tol, max_iter : float, int
        As in :class:`kernelwise.SVC`.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. If the Gram matrix
        does not fit, the solver computes its rows when it needs them. Solutions are the same to ``tol``.

    Attributes
    ----------
    kernel_ : Kernel or "precomputed"
    support_ : ndarray of shape (n_SV,)
    support_vectors_ : samples, n_SV of them
        Empty if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_SV)
    coef_ : ndarray of shape (1, n_features)
        For the linear kernel only.
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    fit_status_ : int
        0 if the solver converged.
    beta_ : ndarray of shape (1, n_SV)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        1, and the number of samples that the model was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from kernelwise import SVR
    >>> line = SVR("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[4.0]]).round(2)
    array([9.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_SVR

    @explains_missing()
    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        tol: float = 1e-3,
        max_iter: int = -1,
        memory_limit: float = MEMORY_LIMIT,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.tol = tol
        self.max_iter = max_iter
        self.memory_limit = memory_limit

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            The bound of sample i is C·w_i, and what the kernel takes from the data counts it w_i times: a
            weight of 2 is the same as a repeated row.
        """
        self._validate_params()
        samples, targets = read_samples(self, X, as_numbers(y), y_numeric=True, **self._input())
        weight = weights_of_samples(sample_weight, len(targets))
        check_target_range(targets[weight > 0])
        solution = solve_svr(
            *self._source(samples, weight),
            targets,
            self.C,
            self.epsilon,
            sample_weight=weight,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=int(self.memory_limit * MIB),
        )
        check_coefficients(solution.beta, solution.intercept)
        self.support_ = np.flatnonzero(solution.beta)
        self.support_vectors_ = np.empty((0, 0)) if self._is_gram() else safe_indexing(samples, self.support_)
        self.dual_coef_ = solution.beta[None, self.support_]
        self.intercept_ = np.array([solution.intercept])
        self.n_iter_, self.fit_status_ = max(solution.n_iter, 1), int(not solution.converged)
        self._n_trained = len(targets)
        return self

    def predict(self, X: RowsLike) -> np.ndarray:
        """Predictions of shape (n_samples,)."""
        return self.machine_values(X).ravel()

    def _source(self, X: Samples, weight: np.ndarray) -> tuple[Any, Any]:
        """Settle the kernel, and return what gives its values and the samples that it takes."""
        if self._is_gram():
            kernel, K = matrix_source(self.kernel, X)
            self.kernel_ = kernel or "precomputed"
            warn_if_alike(K, kernel)
            return GramEntries(K), np.arange(X.shape[0])
        self.kernel_ = kernel_from_data(self.kernel, X, sample_weight=weight)
        warn_if_alike(Rows(self.kernel_, X, 0), self.kernel_)
        warn_if_far_from_zero(self.kernel_, X)
        return self.kernel_, X
