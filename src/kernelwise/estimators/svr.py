"""The support vector regression machine."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score

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
from kernelwise.solvers.regression import check_quantiles, solve_svr

#: The quantile that is not asked for.
MEDIAN = 0.5


class GramEntries(NamedTuple):
    """A Gram matrix as a function of the indices of samples."""

    K: np.ndarray

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """K[rows][:, columns] in double precision"""
        return np.asarray(self.K[np.ix_(rows, rows if columns is None else columns)], dtype=float)

    def diagonal(self, rows: np.ndarray) -> np.ndarray:
        """K_ii of some rows, of shape (n_rows,)."""
        return self.K[rows, rows]


def pinball_score(y: ArrayLike, predicted: np.ndarray, quantile: Any, sample_weight: Any) -> float:
    """D² of the pinball loss, averaged over quantiles; predictions are (n_samples[, n_quantiles])."""
    columns = predicted.reshape(len(predicted), -1).T
    each = [
        d2_pinball_score(y, column, sample_weight=sample_weight, alpha=q)
        for q, column in zip(np.ravel(quantile), columns, strict=True)
    ]
    return float(np.mean(each))


class SVR(Exportable, RegressorMixin, KernelMachine):
    """Support vector regression with any kernel: of values with an ε-insensitive loss, or of quantiles.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters then come from the data (heuristic
        "scale"), a kernel object, "precomputed" if X is the Gram matrix, or "precomputed-distance" if X is a
        matrix of distances D, for exp(−γD) with γ one over the median distance.
    C : float or array of shape (n_quantiles,), default=1.0
        How much the loss counts, in the units of y; of several quantiles, also one number for each.
    epsilon : float, default=0.1
        The error that costs nothing, in the units of y. The pinball loss has no such zone.
    loss : {"epsilon_insensitive", "pinball"}, default="epsilon_insensitive"
        "pinball" estimates a quantile: the loss of a residual r = y − prediction is max(q r, (q − 1) r).
    quantile : float or increasing list of floats, default=0.5
        The q of loss="pinball", between 0 and 1: about a share q of the targets lies below the prediction.
        Several are trained one by one, and predictions of a sample that cross are put in order, which only
        lowers their total loss.
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
    dual_coef_ : ndarray of shape (n_machines, n_SV)
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel only.
    intercept_ : ndarray of shape (n_machines,)
    n_iter_ : int, or ndarray of shape (n_quantiles,) for a list of quantiles
    fit_status_ : int
        0 if the solver converged.
    beta_ : ndarray of shape (n_machines, n_SV)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        The number of quantiles, or 1, and the number of samples that the model was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from kernelwise import SVR
    >>> line = SVR("linear", C=10.0, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.predict([[4.0]]).round(2)
    array([9.])

    Nine of ten targets are at most this:

    >>> X, y = [[k % 2] for k in range(100)], [k % 10 for k in range(100)]
    >>> SVR("linear", C=10.0, loss="pinball", quantile=0.9).fit(X, y).predict([[0.0]]).round()
    array([8.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_SVR

    @explains_missing()
    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        C: Any = 1.0,
        epsilon: float = 0.1,
        loss: str = "epsilon_insensitive",
        quantile: Any = MEDIAN,
        tol: float = 1e-3,
        max_iter: int = -1,
        memory_limit: float = MEMORY_LIMIT,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.quantile = quantile
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
        if self.loss != "pinball" and (np.ndim(self.quantile) > 0 or self.quantile != MEDIAN):
            raise ValueError(
                f"quantile={self.quantile!r} of SVR needs loss='pinball', but loss={self.loss!r}. Pass "
                "loss='pinball', or leave out 'quantile'."
            )
        quantiles, Cs = self._quantiles(), self._Cs()
        samples, targets = read_samples(self, X, as_numbers(y), y_numeric=True, **self._input())
        weight = weights_of_samples(sample_weight, len(targets))
        check_target_range(targets[weight > 0])
        source = self._source(samples, weight)
        solutions = [
            solve_svr(
                *source,
                targets,
                C,
                self.epsilon,
                quantile=quantile,
                sample_weight=weight,
                tol=self.tol,
                max_iter=self.max_iter,
                memory_limit=int(self.memory_limit * MIB),
            )
            for quantile, C in zip(quantiles, Cs, strict=True)
        ]
        beta = np.stack([one.beta for one in solutions])
        self.intercept_ = np.array([one.intercept for one in solutions])
        check_coefficients(beta, self.intercept_)
        self.support_ = np.flatnonzero(beta.any(axis=0))
        self.support_vectors_ = np.empty((0, 0)) if self._is_gram() else safe_indexing(samples, self.support_)
        self.dual_coef_ = beta[:, self.support_]
        n_iter = np.array([max(one.n_iter, 1) for one in solutions])
        self.n_iter_ = n_iter if self.has_many else int(n_iter[0])
        self.fit_status_ = int(not all(one.converged for one in solutions))
        self._n_trained = len(targets)
        return self

    def predict(self, X: RowsLike) -> np.ndarray:
        """Predictions of shape (n_samples,), or (n_samples, n_quantiles) for a list of quantiles."""
        values = self.machine_values(X)
        return np.sort(values, axis=1) if self.has_many else values.ravel()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R², or of quantiles the mean of their `sklearn.metrics.d2_pinball_score`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        """
        if self.loss != "pinball":
            return float(super().score(X, y, sample_weight))
        return pinball_score(as_numbers(y), self.predict(X), self.quantile, sample_weight)

    @property
    def has_many(self) -> bool:
        """Whether there is a list of quantiles."""
        return self.loss == "pinball" and np.ndim(self.quantile) > 0

    @property
    def n_machines_(self) -> int:
        """Number of machines: one for every quantile."""
        return len(self._quantiles())

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        """How low and how high β may be, for weights of one; both of shape (n_machines, 1)."""
        C = np.array(self._Cs())[:, None]
        if self.loss != "pinball":
            return -C, C
        share = np.array(self._quantiles(), dtype=float)[:, None]
        return C * (share - 1.0), C * share

    def _quantiles(self) -> tuple[float | None, ...]:
        """The quantile of each machine; None is the ε-insensitive one."""
        return check_quantiles(self.quantile, "SVR") if self.loss == "pinball" else (None,)

    def _Cs(self) -> list[float]:
        """C of each machine."""
        n = self.n_machines_
        if np.ndim(self.C) == 0:
            return [float(self.C)] * n
        if not self.has_many or np.shape(self.C) != (n,):
            raise ValueError(
                f"'C' of SVR must be a positive float, or a list with one for each of several quantiles, got "
                f"{self.C!r}."
            )
        return [float(C) for C in self.C]

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
