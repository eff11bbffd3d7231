"""Machines of several kernels: a sum of trained machines, each scaled and shifted, is one machine again.

For two classes the mean of log odds is such a sum, for more the mean of each pair's or class's log odds, and
for numbers the mean of predictions. Machines of one kernel share a column of coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin, clone

from kernelwise._core.labels import encode_labels, positive_weights, weights_of_samples
from kernelwise._core.reading import read_samples
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import RowsLike, Samples
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._machine import KernelMachine
from kernelwise.estimators.kernel_argument import gram_of, trains_by_rows
from kernelwise.multiclass import choose_reject_label

#: A sigmoid that leaves log odds as they are.
IDENTITY = (-1.0, 0.0)


class BlendMachine(KernelMachine):
    """The sum f(x) = Σ_m (a_m f_m(x) + b_m) of machines f_m that are trained on the same samples.

    Parameters
    ----------
    machines : list of SVC or SVR
        Not yet trained.
    maps : ndarray of shape (n_members, n_machines, 2)
        The numbers a and b of every member and each of its two-class models.

    Attributes
    ----------
    kernels_ : list of Kernel
        Each once; ``kernel_`` is the first.
    dual_coef_ : ndarray of shape (n_kernels, n_machines, n_SV)
    """

    machines: Sequence[Any]
    maps: np.ndarray
    kernels_: list[Any]

    @property
    def kernel(self) -> Any:
        """Of the first member: what says whether samples, kernel values or distances are taken."""
        return self.machines[0].kernel

    def kernel_columns(self) -> list[tuple[Any, np.ndarray]]:
        """The kernels whose sums are added up, each with its β, of shape (n_machines, n_SV)."""
        return list(zip(self.kernels_, self.dual_coef_, strict=True))

    def _train(self, X: Samples, train: Callable[[Any, Samples], Any]) -> None:
        """Train the members, those of one kernel on one Gram matrix, and add them up."""
        of = [machine.kernel for machine in self.machines]
        kernels = [kernel for k, kernel in enumerate(of) if kernel not in of[:k]]
        by_kernel = [[m for m, own in enumerate(of) if own == kernel] for kernel in kernels]
        trained: dict[int, Any] = {}
        for members in by_kernel:
            trained |= dict(zip(members, self._of_one_kernel(members, X, train), strict=True))
        self.kernels_ = [trained[members[0]].kernel_ for members in by_kernel]
        self.kernel_ = self.kernels_[0]
        self.support_ = np.unique(np.concatenate([one.support_ for one in trained.values()]))
        n_machines = self.maps.shape[1]
        self.dual_coef_ = np.zeros((len(by_kernel), n_machines, len(self.support_)))
        self.intercept_ = np.zeros(n_machines)
        for column, members in zip(self.dual_coef_, by_kernel, strict=True):
            for m in members:
                (slope, offset), one = self.maps[m].T, trained[m]
                column[:, np.searchsorted(self.support_, one.support_)] += slope[:, None] * one.beta_
                self.intercept_ += slope * one.intercept_ + offset
        self.support_vectors_ = np.empty((0, 0)) if self._is_gram() else safe_indexing(X, self.support_)
        self.n_iter_ = np.concatenate([np.ravel(trained[m].n_iter_) for m in range(len(self.machines))])
        self.fit_status_ = max(one.fit_status_ for one in trained.values())
        self._n_trained, self.n_features_in_ = X.shape[0], X.shape[1]

    def _of_one_kernel(
        self, members: list[int], X: Samples, train: Callable[[Any, Samples], Any]
    ) -> list[Any]:
        machines = [clone(self.machines[m]) for m in members]
        kernel, n = machines[0].kernel, X.shape[0]
        if len(machines) == 1 or self._is_gram() or trains_by_rows(kernel, X, n, machines[0].memory_limit):
            return [train(machine, X) for machine in machines]
        K, trained = gram_of(kernel, X, n), []
        for machine in machines:
            trained.append(train(machine.set_params(kernel="precomputed"), K))
            trained[-1].kernel_ = kernel
        return trained

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        shapes = super().fitted_shapes()
        return shapes | {"dual_coef_": (len(self.kernels_), *shapes["dual_coef_"])}


class BlendSVC(Portable, DecisionClassifier, BlendMachine):
    """Classes by the log odds that several machines agree on: their weighted mean, for every two-class model.

    Parameters
    ----------
    machines, maps
        As in `BlendMachine`; the members are `SVC`, and the maps turn their decision values into log odds.
    multiclass, reject_label, decision_function_shape, predict_by, n_jobs
        As in `SVC`.
    """

    def __init__(
        self,
        machines: Sequence[Any],
        maps: np.ndarray,
        *,
        multiclass: str = "ovo",
        reject_label: object = None,
        decision_function_shape: str = "ovr",
        predict_by: str = "probability",
        n_jobs: int | None = None,
    ) -> None:
        self.machines = machines
        self.maps = maps
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.decision_function_shape = decision_function_shape
        self.predict_by = predict_by
        self.n_jobs = n_jobs

    def fit(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the members on samples of shape (n_samples, n_features), and add them up."""
        samples, labels = self._check_training(X, y)
        classes, index = encode_labels(labels)
        return self.fit_indices(samples, index, classes, positive_weights(sample_weight, index, classes))

    @one_blas_thread(leaves_cores=True)
    def fit_indices(
        self, X: Samples, index: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray
    ) -> Self:
        """Train on checked samples and their class indices, of shape (n_samples,), as a tuned model does."""
        self.reject_label_ = choose_reject_label(self.reject_label, classes, self.multiclass, "BlendSVC")
        self._train(X, lambda machine, Z: machine.fit_indices(Z, index, classes, sample_weight))
        self.classes_, self._strategy = classes.copy(), self.multiclass
        self._sigmoids = np.tile(IDENTITY, (len(self.intercept_), 1))
        return self

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        return super().fitted_shapes() | {"_sigmoids": (self.n_machines_, 2)}


class BlendSVR(Portable, RegressorMixin, BlendMachine):
    """Numbers by the weighted mean of the predictions of several machines.

    Parameters
    ----------
    machines, maps
        As in `BlendMachine`; the members are `SVR`.
    """

    def __init__(self, machines: Sequence[Any], maps: np.ndarray) -> None:
        self.machines = machines
        self.maps = maps

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the members on samples of shape (n_samples, n_features), and add them up."""
        samples, targets = read_samples(self, X, y, y_numeric=True, **self._input())
        weight = weights_of_samples(sample_weight, len(targets))
        self._train(samples, lambda machine, Z: machine.fit(Z, targets, sample_weight=weight))
        return self

    def predict(self, X: RowsLike) -> np.ndarray:
        """Predictions of shape (n_samples,)."""
        return self.machine_values(X).ravel()
