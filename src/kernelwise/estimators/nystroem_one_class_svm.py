"""The one-class machine for more rows than an exact one can be trained on."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.labels import weights_of_samples
from kernelwise._core.reading import read_samples
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.validation import check_range, seed_of
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._machine import OutlierMachine
from kernelwise.estimators._parameters import OF_NYSTROEM_ONE_CLASS
from kernelwise.estimators.kernel_argument import kernel_from_data
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import as_kernel
from kernelwise.large.linear_machine import FeatureRows
from kernelwise.large.nystroem import DenseBlocks, NystroemMap, choose_landmarks
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import prepare
from kernelwise.search.propose.landmarks import MAX_SEARCH_ROWS, SIZES
from kernelwise.solvers.one_class_rows import one_class_on_rows
from kernelwise.solvers.units import InUnits, unit_of_kernel

#: Of k(x, x), the mean share that features may leave out before more landmarks are taken …
LEFT_OUT = 0.05
#: … and that is too much: the machine is another one then.
TOO_MUCH = 0.5
#: Rows on which the share is measured.
MEASURED = 2000
#: Bytes of kernel values between the rows of a working set.
WORKING_SETS = 2**28
#: Of the largest score: what features in single precision may change of it.
SINGLE_ROUNDING = 1e-6


class NystroemOneClassSVM(Portable, OutlierMachine):
    """One-class support vector machine on Nyström features, in time that grows like n instead of n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and the one-class SVM of
    that kernel is solved exactly, by working sets.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters come from the data (heuristic "scale"),
        or a kernel object, used after ``initialize(X, heuristic="keep")``.
    nu : float, default=0.5
        As in :class:`kernelwise.OneClassSVM`.
    n_components : "auto" or int, default="auto"
        Number of landmarks. "auto" doubles it from 250 to at most 2000 while the features leave out more than
        5 % of k(x, x).
    tol, max_iter : float, int
        As in :class:`kernelwise.OneClassSVM`.
    memory_limit : float, default=4096
        Memory for the features, in MiB. More than 256 MiB are kept in single precision; if that, too, is more
        than the limit, they are computed again in every pass over the rows.
    random_state : int, RandomState or None, default=0
        Seed of the landmarks.

    Attributes
    ----------
    kernel_ : Kernel
    support_ : ndarray of shape (n_landmarks,)
        Rows of X that are the landmarks.
    support_vectors_ : array or CSR matrix of shape (n_landmarks, n_features)
    dual_coef_ : ndarray of shape (1, n_landmarks)
        Scores are ``kernel_(X, support_vectors_) @ dual_coef_[0]``.
    intercept_, offset_ : ndarray of shape (1,)
        As in :class:`kernelwise.OneClassSVM`.
    n_components_ : int
        Number of features: the landmarks, without directions that are lost in rounding.
    left_out_ : float
        The mean share of k(x, x) that the features leave out: 0 where they are exact.
    duality_gap_ : float
        Primal minus dual objective of the model on the features, relative to the objective: an upper bound of
        how far it is from the best one.
    n_iter_ : int
    fit_status_ : int
        0 if the solver converged.
    beta_ : ndarray of shape (1, n_landmarks)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        1, and the number of samples that the model was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Features are not scaled: put a scaler before. Equal rows are one row with their total weight, and what is
    drawn does not depend on the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import NystroemOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> machine = NystroemOneClassSVM(nu=0.05).fit(X)
    >>> machine.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_NYSTROEM_ONE_CLASS

    @explains_missing()
    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        nu: float = 0.5,
        n_components: Any = "auto",
        tol: float = 1e-3,
        max_iter: int = -1,
        memory_limit: float = 4096,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.nu = nu
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.memory_limit = memory_limit
        self.random_state = random_state

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose landmarks, and train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        me = type(self).__name__
        self._validate_params()
        as_kernel(self.kernel)  # refused before anything is computed
        X = read_samples(self, X, ensure_min_samples=2, **self._input())
        check_range(X)
        weight = weights_of_samples(sample_weight, X.shape[0])
        prepared = prepare(X, np.zeros(weight.size, int), weight, scale=None, owner=me)
        Z, weight = prepared.Z, prepared.distinct.weight
        self.kernel_ = kernel_from_data(self.kernel, Z, None, weight)
        unit = unit_of_kernel(self.kernel_, Z)
        landmarks, features = self._features(Z, weight, unit)
        blocks = features.blocks(Z, self.memory_limit)
        rows = FeatureRows(blocks)
        solution = one_class_on_rows(rows, weight, self.nu, self.tol, self.max_iter, WORKING_SETS, unit)
        offset = solution.inner_offset
        if isinstance(blocks, DenseBlocks) and blocks.Phi.dtype == np.float32:
            offset -= SINGLE_ROUNDING * float(np.abs(solution.scores).max())
        self.support_, self.support_vectors_ = prepared.distinct.rows[landmarks], Z[landmarks]
        self.dual_coef_ = (features.normalization @ rows.weights(solution.beta))[None, :]
        self.intercept_ = np.array([-offset])
        self.n_components_, self._n_trained = features.rank, weight.size
        self.duality_gap_ = abs(solution.duality_gap) / max(solution.objective, np.finfo(float).tiny)
        self.n_iter_, self.fit_status_ = max(solution.n_iter, 1), int(not solution.converged)
        return self

    def _features(self, Z: Any, weight: np.ndarray, unit: float) -> tuple[np.ndarray, NystroemMap]:
        """Landmarks, as rows of Z, and their map, of kernel values in ``unit``; sets ``left_out_``."""
        seed, n = seed_of(self.random_state), weight.size
        some = sample(np.zeros(n, int), min(n, MAX_SEARCH_ROWS), seed)
        sizes = SIZES if self.n_components == "auto" else (self.n_components,)
        order = some[choose_landmarks(self.kernel_, Z[some], min(sizes[-1], some.size), seed)]
        kernel = self.kernel_ if unit == 1.0 else InUnits(self.kernel_, unit)
        for size in sizes:
            features = NystroemMap.from_landmarks(kernel, Z[order[:size]])
            others = np.setdiff1d(some, order[:size])
            others = others[:: max(1, others.size // MEASURED)]
            left_out = self._left_out(features, Z[others], weight[others], unit) if others.size else 0.0
            if left_out <= LEFT_OUT or size >= order.size:
                break
        self.left_out_ = max(left_out, 0.0)
        if self.left_out_ > TOO_MUCH and self.n_components == "auto":
            warnings.warn(
                f"The features of {min(size, order.size)} landmarks leave out {100 * self.left_out_:.0f} % "
                "of the kernel, which is too narrow for so few, so the model differs from the exact one. Use "
                "a wider kernel, set a larger n_components, or use OneClassSVM.",
                KernelwiseWarning,
                stacklevel=stacklevel_of_user(),
            )
        return order[:size], features

    def _left_out(self, features: NystroemMap, Z: Any, weight: np.ndarray, unit: float) -> float:
        """The share of k(x, x) that features leave out of samples which are no landmarks."""
        values = self.kernel_.diagonal(Z) / unit
        kept = (features.transform(Z) ** 2).sum(axis=1)
        return float(weight @ (values - kept) / (weight @ values))
