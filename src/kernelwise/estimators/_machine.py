"""What an SVC does with its input, and what it keeps of its trained machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_consistent_length, column_or_1d
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelwise._core.labels import check_are_classes
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.validation import FLOATS, check_gram, check_range
from kernelwise.estimators._machines import TrainedMachines, decision_values, libsvm_layout
from kernelwise.estimators.kernel_choice import Rows, choose_kernel, gram_or_rows, is_plain_function
from kernelwise.kernels import Linear
from kernelwise.multiclass import STRATEGIES


class KernelMachine(BaseEstimator):
    """From samples to the Gram matrix, and from trained machines to decision values.

    A subclass has the parameters of `SVC` that are read here.
    """

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    multiclass: str
    memory_limit: float
    verbose: bool

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, of shape (n_machines, n_features), for the linear kernel only."""
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        return safe_sparse_dot(self._beta, self.support_vectors_, dense_output=True)

    @property
    def _trained_as(self) -> str:
        """Machines of the last fit: "ovo" or "ovr"."""
        return STRATEGIES[self._strategy].machines

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _check_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        if is_plain_function(self.kernel):
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, **self._input())
            check_range(X)
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        return X, y

    def _input(self) -> dict[str, Any]:
        """What samples are turned into; a single precision Gram matrix is spared a copy twice its size."""
        if self._is_precomputed():
            return {"dtype": FLOATS}
        return {"dtype": np.float64, "accept_sparse": "csr"}

    def _source(self, X: Any, y: np.ndarray, n_samples: int, sample_weight: Any = None) -> np.ndarray | Rows:
        """Settle the kernel and return what to train on: the Gram matrix, or samples for rows of it."""
        self.kernel_ = None
        self.shape_fit_ = getattr(X, "shape", (n_samples,))
        if self._is_precomputed():
            return check_gram(X)
        if not is_plain_function(self.kernel):
            self.kernel_ = choose_kernel(
                self.kernel,
                X,
                y,
                sample_weight,
                gamma=self.gamma,
                degree=self.degree,
                coef0=self.coef0,
            )
        return gram_or_rows(self.kernel_ or self.kernel, X, n_samples, self.memory_limit)

    def _last_beta(self, n_samples: int, classes: np.ndarray) -> np.ndarray | None:
        """Coefficients of the last fit, of shape (n_machines, n_samples), if they fit this one."""
        if not hasattr(self, "_beta") or self._trained_as != STRATEGIES[self.multiclass].machines:
            return None
        if self._n_trained != n_samples or not np.array_equal(self.classes_, classes):
            return None
        beta = np.zeros((self._beta.shape[0], n_samples))
        beta[:, self.support_] = self._beta
        return beta

    def _keep(self, machines: TrainedMachines, X: Any, classes: np.ndarray, index: np.ndarray) -> None:
        """Set the fitted attributes."""
        support = np.flatnonzero(machines.beta.any(axis=0))
        support = support[np.argsort(index[support], kind="stable")]
        self.classes_, self._strategy, self._n_trained = classes, self.multiclass, index.size
        self.support_ = support.astype(np.int32)
        self.n_support_ = np.bincount(index[support], minlength=len(classes)).astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if self._is_precomputed() else safe_indexing(X, support)
        self.intercept_, self.n_iter_ = machines.intercept, machines.n_iter
        self.fit_status_ = int(not machines.converged.all())
        self._beta = machines.beta[:, support]
        self.dual_coef_ = self._beta
        if self._trained_as == "ovo" and len(classes) > 2:
            self.dual_coef_ = libsvm_layout(self._beta, index[support], len(classes))
        if self.verbose:
            work = f"{len(self.n_iter_)} machines, {self.n_iter_.sum()} steps"
            print(f"[SVC] {work}, {support.size} support vectors")

    def _machine_values(self, X: Any) -> np.ndarray:
        """Decision values of every machine, of shape (n_samples, n_machines)."""
        check_is_fitted(self)
        if is_plain_function(self.kernel):
            return decision_values(self.kernel, X, self.support_vectors_, self._beta, self.intercept_)
        X = validate_data(self, X, reset=False, **self._input())
        if self.kernel_ is None:
            return X[:, self.support_] @ self._beta.T + self.intercept_
        if isinstance(self.kernel_, Linear):
            return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return decision_values(self.kernel_, X, self.support_vectors_, self._beta, self.intercept_)
