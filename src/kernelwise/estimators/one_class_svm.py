"""The one-class machine for novelties and outliers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import read_samples
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import RowsLike
from kernelwise._core.validation import check_range
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._machine import NamedKernelMachine, OutlierMachine, check_coefficients
from kernelwise.estimators._parameters import OF_ONE_CLASS, warn_if_alike, warn_if_far_from_zero
from kernelwise.estimators.kernel_argument import KernelFunction, Rows, is_plain_function
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.kernels import KernelLike
from kernelwise.solvers.one_class import OneClassSolution, solve_one_class
from kernelwise.solvers.one_class_rows import solve_one_class_by_rows


class OneClassSVM(Portable, OutlierMachine, NamedKernelMachine):
    """One-class support vector machine like scikit-learn's, with any kernel, also for many rows.

    It learns where samples usually are. New samples elsewhere have negative decision values. The Gram matrix
    need not fit in memory.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        As in :class:`kernelwise.SVC`.
    tol : float, default=1e-3
        Tolerance of LIBSVM's stopping rule; it is multiplied by the mean k(x, x) if that is below 1.
    nu : float, default=0.5
        Above 0, at most 1: at most this share of the training samples is outside, and at least this share is
        support vectors.
    shrinking : bool, default=True
    cache_size : float, default=200
        Accepted for compatibility: the solver always shrinks, and ``memory_limit`` says what it may keep.
    verbose : bool, default=False
        Whether to print one line after training.
    max_iter : int, default=-1
        Largest number of pair steps; -1 means a generous finite number.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. If the Gram matrix
        does not fit, the solver computes its rows when it needs them. Solutions are the same to ``tol``.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : samples, n_SV of them
        Empty if the kernel is precomputed.
    n_support_ : ndarray of shape (1,)
    dual_coef_ : ndarray of shape (1, n_SV)
        Coefficients from 0 to the weight of the sample, which sum to ν times all weights.
    intercept_ : ndarray of shape (1,)
    offset_ : ndarray of shape (1,)
        ``-intercept_``: the lowest score of a free support vector, less rounding, so that no more than a
        share ``nu`` of the training samples is predicted to be outside. If none is free, every offset of an
        interval is optimal, and it is the middle; with ``nu=1``, where the interval has no upper end, the
        lower end.
    coef_ : ndarray of shape (1, n_features)
        For the linear kernel only.
    n_iter_ : int
    fit_status_ : int
        0 if the solver converged.
    kernel_ : Kernel or None
        The kernel used, with its parameters; None if it is precomputed or a function.
    beta_ : ndarray of shape (1, n_SV)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        1, and the number of samples that the model was trained on.
    shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The values are those of scikit-learn's OneClassSVM, to the tolerance. Features are not scaled. Samples
    of zero or negative weight are left out. Time grows like ν n²: for 50 000 rows and more, use
    :class:`kernelwise.NystroemOneClassSVM`. For many values of ``nu`` on one kernel, use
    :func:`kernelwise.solvers.one_class_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> machine = OneClassSVM(nu=0.05).fit(X)
    >>> machine.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    >>> bool((machine.predict(X) == -1).mean() <= 0.05)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_ONE_CLASS

    @explains_missing()
    def __init__(
        self,
        *,
        kernel: KernelLike | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        memory_limit: float = MEMORY_LIMIT,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.memory_limit = memory_limit

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: RowsLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or (n_samples, n_samples)
        y : Ignored
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row, also to ``gamma="scale"``, where scikit-learn ignores
            weights.
        """
        self._validate_params()
        samples: Any = X
        if not is_plain_function(self.kernel):
            samples = read_samples(self, X, ensure_min_samples=2, **self._input())
            check_range(samples)
        n_samples = samples.shape[0] if hasattr(samples, "shape") else len(samples)
        weight = weights_of_samples(sample_weight, n_samples)
        source = self._source(samples, None, n_samples, weight)
        warn_if_alike(source, self.kernel_ if self._is_gram() else self.kernel_ or self.kernel)
        warn_if_far_from_zero(self.kernel_, samples)
        solution = self._solve(source, weight)
        check_coefficients(solution.beta, solution.offset)
        support = np.flatnonzero(solution.beta)
        self.support_, self._n_trained = support.astype(np.int32), n_samples
        self.n_support_ = np.array([support.size], dtype=np.int32)
        self.support_vectors_ = np.empty((0, 0)) if self._is_gram() else safe_indexing(samples, support)
        self.dual_coef_ = solution.beta[None, support]
        self.intercept_ = np.array([-solution.inner_offset])
        self.n_iter_, self.fit_status_ = max(solution.n_iter, 1), int(not solution.converged)
        if self.verbose:
            print(f"[OneClassSVM] {solution.n_iter} steps, {support.size} support vectors")
        return self

    def _solve(self, source: np.ndarray | Rows, weight: np.ndarray) -> OneClassSolution:
        how: dict[str, Any] = {"sample_weight": weight, "tol": self.tol, "max_iter": self.max_iter}
        if isinstance(source, Rows):
            kernel, X, memory_limit = source
            return solve_one_class_by_rows(kernel, X, self.nu, memory_limit=memory_limit, **how)
        return solve_one_class(source, self.nu, check=False, **how)
