"""Bases of estimators: kernel machines, those that have chosen a machine, and those that find outliers.

They say what happens to new samples before the decision values, and how these are computed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OutlierMixin, is_outlier_detector
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.memory import check_memory
from kernelwise._core.reading import read_samples
from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.threads import in_order, one_blas_thread
from kernelwise._core.typing import PathLike, RowsLike, Samples, is_sparse
from kernelwise._core.validation import FLOATS, check_not_below_zero, check_samples
from kernelwise.estimators.kernel_argument import (
    KernelFunction,
    Rows,
    choose_kernel,
    gram_or_rows,
    is_plain_function,
    is_precomputed,
    kernel_values,
    matrix_source,
    takes_distances,
)
from kernelwise.estimators.unlike import Unlike, find_unlike
from kernelwise.exceptions import TrustWarning
from kernelwise.kernels import Kernel
from kernelwise.search import apply_scaler
from kernelwise.solvers.kernel_rows import NativeTiles, can_be_native
from kernelwise.tables import Column, Encoder

BLOCK = 2**19  # kernel values held at once in prediction (4 MiB), …
LEAST_ROWS = 256  # … of so many rows at least: what is prepared for support vectors serves all of them
MANY_ROWS = 64  # for which it is worth it to prepare support vectors for the native core
COPIES = 3.0  # times that decision values are in memory until labels are made of them


class SamplesOrGram(BaseEstimator):
    """An estimator of samples, or of a matrix of kernel values or distances if its ``kernel`` says so."""

    kernel: Any

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_gram()
        tags.input_tags.sparse = not self._is_gram()
        tags.input_tags.positive_only = takes_distances(self.kernel)
        return tags

    def _is_gram(self) -> bool:
        return is_precomputed(self.kernel)

    def _read_new(self, X: RowsLike) -> Any:
        """Check samples to predict, or their kernel values with the training samples, or their distances."""
        samples = read_samples(self, X, reset=False, **self._input())
        if takes_distances(self.kernel):
            check_not_below_zero(samples)
        return samples

    def _input(self) -> dict[str, Any]:
        """What samples are turned into; a single precision Gram matrix is spared a copy twice its size."""
        if self._is_gram():
            return {"dtype": FLOATS}
        return {"dtype": np.float64, "accept_sparse": "csr"}


class KernelMachine(SamplesOrGram):
    """One or several machines f(x) = Σ β_i k(x_i, x) + b over the same support vectors x_i.

    The ``fit`` of a subclass sets the attributes below and ``_n_trained``.
    """

    kernel_: Any
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    n_features_in_: int

    @property
    def beta_(self) -> np.ndarray:
        """Signed coefficients β, of shape (n_machines, n_SV)."""
        return self.dual_coef_

    def kernel_columns(self) -> list[tuple[Any, np.ndarray]]:
        """The kernels whose sums are added up, each with its β, of shape (n_machines, n_SV)."""
        return [(self.kernel_, self.beta_)]

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, of shape (n_machines, n_features), for the linear kernel only."""
        check_is_fitted(self)
        if not self._is_linear():
            raise AttributeError("coef_ is only available when using a linear kernel")
        ((_, beta),) = self.kernel_columns()
        return safe_sparse_dot(beta, self.support_vectors_, dense_output=True)

    def _is_linear(self) -> bool:
        kernel = self.kernel_columns()[0][0]
        return len(self.kernel_columns()) == 1 and isinstance(kernel, Kernel) and kernel.is_linear

    @property
    def n_trained_(self) -> int:
        """Number of samples that the machines were trained on."""
        return self._n_trained

    @property
    def n_machines_(self) -> int:
        """Number of machines: one for a regression."""
        return 1

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        """How low and how high β may be, for weights of one; both of shape (n_machines, 1) or a number."""
        C: Any = self.C
        return -C, C

    def machine_values(self, X: RowsLike) -> np.ndarray:
        """Return the decision values of every machine, of shape (n_samples, n_machines)."""
        check_is_fitted(self)
        return self._sums(X, self.intercept_)

    def _sums(self, X: RowsLike, intercept: np.ndarray) -> np.ndarray:
        """Sums over the kernel plus an offset, of shape (n_samples, n_machines)."""
        if is_plain_function(self.kernel):
            return decision_values([(self.kernel, self.beta_)], X, self.support_vectors_, intercept)
        Z = self._read_new(X)
        check_memory(
            COPIES * 8.0 * Z.shape[0] * len(intercept),
            f"The decision values of {len(intercept)} two-class models for {Z.shape[0]} rows",
            "Predict fewer rows at a time.",
        )
        with one_blas_thread(leaves_cores=True):
            if self.kernel_ is None or is_precomputed(self.kernel_):
                Z = Z[:, self.support_]
                sums = [
                    (kernel(Z) if takes_distances(kernel) and Z.size else Z) @ beta.T
                    for kernel, beta in self.kernel_columns()
                ]
                return reduce(np.add, sums) + intercept
            if self._is_linear():
                check_samples(Z)
                return safe_sparse_dot(Z, self.coef_.T, dense_output=True) + intercept
            n_jobs = getattr(self, "n_jobs", None)
            return decision_values(self.kernel_columns(), Z, self.support_vectors_, intercept, n_jobs)

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        n_support, is_gram = len(self.support_), self.kernel_ is None or is_precomputed(self.kernel_)
        return {
            "support_": (n_support,),
            "support_vectors_": (0, 0) if is_gram else (n_support, self.n_features_in_),
            "dual_coef_": (self.n_machines_, n_support),
            "intercept_": (self.n_machines_,),
        }


class NamedKernelMachine(KernelMachine):
    """A machine whose kernel may be one of scikit-learn's names, with their parameters, or a function."""

    gamma: Any
    degree: int
    coef0: float
    memory_limit: float
    shape_fit_: tuple[int, ...]

    def _source(
        self, X: Any, y: np.ndarray | None, n_samples: int, sample_weight: np.ndarray
    ) -> np.ndarray | Rows:
        """Settle the kernel and return what to train on: the Gram matrix, or samples for rows of it."""
        self.kernel_ = None
        self.shape_fit_ = getattr(X, "shape", (n_samples,))
        if self._is_gram():
            self.kernel_, K = matrix_source(self.kernel, X, self.gamma)
            return K
        if not is_plain_function(self.kernel):
            parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            self.kernel_ = choose_kernel(self.kernel, X, y, sample_weight, **parameters)
        return gram_or_rows(self.kernel_ or self.kernel, X, n_samples, self.memory_limit)


class WithMachine(SamplesOrGram):
    """An estimator whose ``best_estimator_`` answers, after its ``encoder_`` and its ``scaler_``."""

    scaler_: Any
    best_estimator_: Any
    training_range_: np.ndarray
    _gram_columns: np.ndarray | None

    def report(
        self,
        path: PathLike | None = None,
        X: RowsLike | None = None,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> Any:
        """Write what was chosen, and why, as one HTML file that needs no network.

        Parameters
        ----------
        path : path-like, default=None
            The file is written whole or not at all. None returns the page, which a notebook shows.
        X, y : arrays of shape (n_samples, n_features) and (n_samples,), default=None
            The training samples. With them the report has decision regions and findings about the data;
            that of `TunedOneClassSVM` says what is unusual about the strangest samples, and needs no y.
        **options
            ``test``, ``comparison``, ``command``, ``source``, ``seed``, ``preparation``, ``lines``,
            ``n_columns``, ``interactive``: see `kernelwise.reports.report_data`. With ``interactive=False``
            the report cannot be asked, and holds no training rows that could be read.
        """
        from kernelwise.reports import Page, report_data, write_report

        data = report_data(self, X, y, **options)
        if path is None:
            return Page.of(data)
        write_report(data, path)
        return None

    def to_page(self, path: PathLike | None = None) -> Any:
        """Write the model as one HTML file that answers: a form, the answer, and what speaks for it.

        It needs no network, and anyone can open it. Training rows that are support vectors are in the file,
        and can be read there.

        Parameters
        ----------
        path : path-like, default=None
            The file is written whole or not at all. None returns the page, which a notebook shows.

        Raises
        ------
        IncompatibleError
            If a page cannot compute the answers: the kernel or the scaling is one of your own, the training
            samples were sparse, or the data would be larger than 2 MB.
        """
        from kernelwise.reports import Page, model_page, write_page

        check_is_fitted(self, "result_")
        page = Page(model_page(self))
        if path is None:
            return page
        write_page(page, path)
        return None

    def machine_samples(self, X: RowsLike) -> Any:
        """Samples as ``best_estimator_`` takes them, of shape (n_samples, n_features or n_trained)."""
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"{type(self).__name__} was fitted with refit=False and has no final model.")
        samples = self._read_new(X)
        return samples[:, self._gram_columns] if self._is_gram() else self._scaled(samples)

    def unlike(self, X: RowsLike) -> Unlike:
        """How unlike the training samples new ones are, of shape (n_samples, n_features).

        The ``rows`` of the result are those whose answers are not to be relied on; its ``message()`` says so.
        A sample is unlike the training samples if it is, in the space of the kernel, farther from all support
        vectors than any training sample; or as far, and a number is beyond the range of the training samples
        by more than the range is wide. `predict` warns of samples with such a number.
        """
        check_is_fitted(self, "best_estimator_")
        if not hasattr(self, "training_range_"):
            raise AttributeError(
                f"This {type(self).__name__} does not know the ranges of its training samples: these were "
                "sparse, or kernel values, or an older version has trained it."
            )
        samples = self._read_features(X)
        return find_unlike(self, samples, self._scaled)

    def _read_new(self, X: RowsLike) -> Any:
        samples = self._read_features(X)
        # Samples that are unlike the others are what a model of one class is for.
        is_told = (
            hasattr(self, "training_range_") and not is_sparse(samples) and not is_outlier_detector(self)
        )
        if is_told:
            told = find_unlike(self, samples, self._scaled, only_outside=True).message()
            if told:
                warnings.warn(told, TrustWarning, stacklevel=stacklevel_of_user())
        return samples

    def _scaled(self, samples: Samples) -> Samples:
        return apply_scaler(self.scaler_, samples)

    def _read_features(self, X: RowsLike) -> Any:
        """Features of new samples; a gap that no training sample had is the median, with a warning.

        A data frame may have numbers as text, as people write them.
        """
        encoder = getattr(self, "encoder_", None)
        if encoder is not None:
            return encoder.read(X)
        try:
            return super()._read_new(X)
        except ValueError as error:
            has_gaps = "contains NaN" in str(error)
            has_texts = hasattr(X, "columns") and re.search("is not a number|has no value in", str(error))
            if not has_gaps and not has_texts:
                raise
            if not hasattr(self, "training_range_") or is_sparse(X):
                if not has_gaps:
                    raise
                raise ValueError(
                    "X contains NaN, but the training samples had no gaps. Fill the gaps, or train the model "
                    "on samples with gaps."
                ) from error
        fills = self.training_range_[1].tolist()
        names = getattr(self, "feature_names_in_", range(len(fills)))
        columns = tuple(Column(name, fill=fill) for name, fill in zip(names, fills, strict=True))
        samples = Encoder(columns, hasattr(self, "feature_names_in_")).read(X)
        # As the numbers of a frame lie in memory, or the last bits of the answers would differ.
        return np.asfortranarray(samples) if hasattr(X, "columns") else samples

    def machine_values(self, X: RowsLike) -> np.ndarray:
        """Return the decision values of every machine, of shape (n_samples, n_machines)."""
        Z = self.machine_samples(X)  # which says so where there is no machine
        return self.best_estimator_.machine_values(Z)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._is_gram()
        return tags

    def _input(self) -> dict[str, Any]:
        """What samples are turned into; a search compares Gram matrices in double precision."""
        return {**super()._input(), "dtype": np.float64}


class OutlierMachine(OutlierMixin, KernelMachine):
    """A machine of one class, whose score Σ β_i k(x_i, x) is low for outliers."""

    @property
    def offset_(self) -> np.ndarray:
        """What decision values are scores less of, of shape (1,): ``-intercept_``."""
        check_is_fitted(self)
        return -self.intercept_

    def score_samples(self, X: RowsLike) -> np.ndarray:
        """Scores of shape (n_samples,), lower for stranger samples."""
        check_is_fitted(self)
        return self._sums(X, np.zeros(1)).ravel()

    def decision_function(self, X: RowsLike) -> np.ndarray:
        """Scores less ``offset_``, of shape (n_samples,): negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: RowsLike) -> np.ndarray:
        """1 for inliers, whose decision value is not negative, and −1 for outliers, of shape (n_samples,)."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)


def decision_values(
    columns: Sequence[tuple[KernelFunction, np.ndarray]],
    X: Any,
    support: Any,
    intercept: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Decision values of all machines: blocks of kernel values, each with one matrix product.

    ``columns`` has kernels, each with β of shape (n_machines, n_SV); the result has the shape (n_rows,
    n_machines). Blocks are the same for any number of threads, and so are the sums.
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    values = np.tile(intercept, (n_rows, 1))
    kernels = [kernel for kernel, _ in columns]
    n_support = columns[0][1].shape[1]
    is_native = n_rows >= MANY_ROWS and isinstance(X, np.ndarray)
    is_native = is_native and all(can_be_native(kernel, support) for kernel in kernels)
    rows = LEAST_ROWS if is_native else max(LEAST_ROWS, BLOCK // max(1, n_support))
    width = max(1, BLOCK // support.shape[1]) if is_native else BLOCK // rows
    coefficients = np.stack([beta.T for _, beta in columns])
    for start in range(0, n_support, width):
        part = slice(start, min(start + width, n_support))
        tiles = NativeTiles(kernels, support[part]) if is_native else None  # type: ignore[arg-type]

        def add(first: int, part: slice = part, tiles: NativeTiles | None = tiles) -> None:
            block = slice(first, min(first + rows, n_rows))
            if tiles is not None:
                tiles.add(X[block], coefficients[:, part], values[block])
                return
            for kernel, factors in zip(kernels, coefficients, strict=True):
                K = kernel_values(kernel, X[block], support[part], part.stop - part.start)
                values[block] += K @ factors[part]

        firsts = range(0, n_rows, rows)
        if is_plain_function(kernels[0]):  # which may not be made for threads
            for first in firsts:
                add(first)
        else:
            in_order(add, firsts, n_jobs)
    return values


def check_coefficients(beta: np.ndarray, intercept: ArrayLike) -> None:
    """Raise unless the coefficients of trained machines are numbers."""
    if not (np.isfinite(beta).all() and np.isfinite(intercept).all()):
        raise ValueError(
            "The solver found no finite coefficients, because the kernel values of X differ too much in "
            "size. Scale the features, or lower C."
        )
