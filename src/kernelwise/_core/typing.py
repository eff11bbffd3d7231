"""Names for what signatures take: samples, labels, seeds and files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy import sparse

if TYPE_CHECKING:
    from typing_extensions import TypeIs


class SparseMatrix(Protocol):
    """What is used of scipy's sparse matrices and arrays, which have no types of their own."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nnz(self) -> int: ...
    @property
    def T(self) -> Self: ...
    @property
    def data(self) -> np.ndarray: ...
    @property
    def indices(self) -> np.ndarray: ...
    @property
    def indptr(self) -> np.ndarray: ...
    @property
    def has_canonical_format(self) -> bool: ...
    def sum_duplicates(self) -> None: ...
    def copy(self) -> Self: ...
    def toarray(self) -> np.ndarray: ...
    def tocoo(self) -> Any: ...
    def tocsr(self) -> Self: ...
    def tocsc(self) -> Self: ...
    def astype(self, dtype: DTypeLike) -> Self: ...
    def multiply(self, other: np.ndarray | SparseMatrix) -> Any: ...
    def sum(self, axis: int | None = None) -> Any: ...
    def mean(self, axis: int | None = None) -> Any: ...
    def __getitem__(self, rows: object) -> Self: ...
    def __sub__(self, other: SparseMatrix) -> Self: ...
    def __matmul__(self, other: np.ndarray | SparseMatrix) -> Any: ...
    def __rmatmul__(self, other: np.ndarray) -> Any: ...


class Frame(Protocol):
    """A table with named columns: a data frame, or the `Table` that a file is read into."""

    @property
    def columns(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: object) -> Any: ...


class Estimator(Protocol):
    """What every estimator of scikit-learn has; its classes have no types of their own."""

    def fit(self, X: RowsLike, y: ArrayLike | None = None) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Predictor(Estimator, Protocol):
    """A classifier or regressor of scikit-learn or of this package."""

    def predict(self, X: RowsLike) -> np.ndarray: ...
    def score(self, X: RowsLike, y: ArrayLike) -> float: ...


class DaskCollection(Protocol):
    """What is used of a dask array, series or data frame."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[Any, ...]: ...
    def to_delayed(self) -> Any: ...


class Transformer(Protocol):
    """A fitted scaler of scikit-learn."""

    def transform(self, X: Samples) -> Any: ...


class Splitter(Protocol):
    """A way to make folds, as scikit-learn's are: training and test rows of each."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[np.ndarray, np.ndarray]]: ...


#: Samples that were checked: an array or a CSR matrix of floats, of shape (n_samples, n_features).
Samples = np.ndarray | SparseMatrix
#: Samples as users pass them: anything NumPy reads (data frames included), or a sparse matrix.
MatrixLike = ArrayLike | SparseMatrix
#: Rows that may have words and gaps: what an encoder turns into samples.
RowsLike = MatrixLike | Frame
#: What random numbers are drawn from: a seed, a generator, or None for a new one each time.
RandomState = int | np.integer[Any] | np.random.RandomState | np.random.Generator | None
#: Weights of classes: by label, "balanced", or None for equal ones.
ClassWeight = dict[Any, float] | str | None
#: How folds are made: a number of them, a splitter, or training and test rows of each.
FoldsLike = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
#: How features are scaled: by name, by a scaler, or not at all.
ScaleLike = Transformer | str | None
#: The name of a file.
PathLike = str | os.PathLike[str]


def is_sparse(X: object) -> TypeIs[SparseMatrix]:
    """Whether ``X`` is one of scipy's sparse matrices or arrays."""
    return sparse.issparse(X)
