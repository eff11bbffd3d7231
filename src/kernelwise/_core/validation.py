"""Checks of what users pass in: one clear sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import numbers
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_array, check_random_state

from kernelwise._core.reading import (
    CORRECT_KERNEL,
    check_objects,
    check_one_per_sample,
    explained,
    read_weights,
    where_not_finite,
)
from kernelwise._core.text import count
from kernelwise._core.typing import DaskCollection, MatrixLike, RandomState, Samples, is_sparse

FLOATS = (np.float64, np.float32)
#: What samples may be as large as, and its inverse as small: sums of their squares are numbers.
LARGE = 1e150
LARGE_SINGLE = 1e18
#: The same for targets, whose squares are multiplied by C and by weights.
LARGE_TARGETS = 1e140
#: What weights may be as large as, and the largest of them as small as its inverse.
LARGE_WEIGHT = 1e50


def is_dask(X: object) -> TypeGuard[DaskCollection]:
    """Whether ``X`` is a dask collection; dask itself is not imported."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")  # dataframes were apart before 2025


def check_samples(X: MatrixLike, name: str = "X") -> Samples:
    """Return ``X`` as a finite float64 or float32 array, or CSR matrix, of shape (n_samples, n_features)."""
    checked: Samples = _as_matrix(X, name, accept_sparse="csr")
    values = checked.data if is_sparse(checked) else checked
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))  # NaN if there is one
    if not largest < np.inf:
        raise ValueError(_not_finite(checked, name))
    check_size(largest, name, LARGE if checked.dtype == np.float64 else LARGE_SINGLE, can_be_tiny=True)
    return checked


def _as_matrix(X: MatrixLike, name: str, **settings: Any) -> Any:
    """``X`` as scikit-learn's ``check_array`` takes it, but for the question whether it is finite."""
    # What is such an array already stays as it is. To find that out takes scikit-learn a fifth of a
    # millisecond, as long as the kernel of a hundred samples, and searches ask at every step.
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and X.size:
        return X
    with explained(X, name):
        return check_array(X, dtype=FLOATS, ensure_all_finite=False, input_name=name, **settings)


def _not_finite(X: Samples, name: str) -> str:
    remove = "Remove or impute such rows first, for example with sklearn.impute.SimpleImputer."
    return f"{where_not_finite(X, name)} {CORRECT_KERNEL if name == 'K' else remove}"


def check_size(largest: float, name: str, limit: float, can_be_tiny: bool = False) -> None:
    """Raise if the largest absolute value is too large, or so small that the squares of all vanish."""
    if largest > limit or (0.0 < largest < 1.0 / limit and not can_be_tiny):
        raise ValueError(
            f"{name} has values of the size {largest:.1e}, whose squares are out of the range of numbers. "
            + ("Divide the Gram matrix by its largest value." if name == "K" else "Use other units.")
        )


def check_range(X: Samples) -> None:
    """Raise if squares of the values overflow, or all of them vanish."""
    values = X.data if is_sparse(X) else X
    check_size(float(np.abs(values).max(initial=0.0)), "X", LARGE)


def check_target_range(y: np.ndarray) -> None:
    """Raise if squares of the targets, of shape (n_samples,), overflow, or of their differences vanish."""
    y = np.asarray(y, dtype=float)
    low, high = float(y.min(initial=np.inf)), float(y.max(initial=-np.inf))
    if max(-low, high) > LARGE_TARGETS or 0.0 < high - low < 1.0 / LARGE_TARGETS:
        raise ValueError(
            f"y has values from {low:.1e} to {high:.1e}, whose squares are out of the range of numbers. "
            "Rescale the targets, or use TunedSVR, which standardises them."
        )


def check_pair(X: MatrixLike, Y: MatrixLike | None) -> tuple[Samples, Samples]:
    """Return row and column samples (``X`` again when ``Y`` is None) with equal numbers of features."""
    X = check_samples(X)
    if Y is None or Y is X:
        return X, X
    Y = check_samples(Y, "Y")
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X has {count(X.shape[1], 'feature')} and Y has {Y.shape[1]}. "
            "Pass samples with the same features."
        )
    return X, Y


def stack_rows(X: Samples, more: Samples) -> Any:
    """``X`` with the rows of ``more`` below it; sparse if ``X`` is."""
    if X.shape[1] != more.shape[1]:
        raise ValueError(
            f"X has {count(X.shape[1], 'feature')}, and the further samples have {more.shape[1]}. "
            "Pass samples with the same features."
        )
    if is_sparse(X):
        return sparse.vstack([X, sparse.csr_matrix(more)], format="csr")
    more = more.toarray() if is_sparse(more) else more
    return np.concatenate([X, np.asarray(more, dtype=X.dtype)])


def check_gram(K: ArrayLike, *, may_be_distances: bool = False) -> np.ndarray:
    """Return ``K`` as a finite, square, symmetric float array of shape (n_samples, n_samples).

    A matrix of distances is refused, unless the caller takes any matrix and warns of what is indefinite.
    """
    gram: np.ndarray = _as_matrix(K, "K")
    if gram.shape[0] != gram.shape[1]:
        raise ValueError(
            f"A Gram matrix must be square, got shape {gram.shape}. Pass kernel(X), not kernel(X, Y)."
        )
    total = gram.sum()
    if not np.isfinite(total) and not np.isfinite(gram).all():
        raise ValueError(_not_finite(gram, "K"))
    # Of a positive semi-definite matrix no value is larger than the largest of the diagonal.
    largest = max(float(np.abs(gram.diagonal()).max()), abs(float(total)) / gram.size)
    if not may_be_distances and total > 0 and not gram.diagonal().any():
        raise ValueError(
            "K has zeros on its diagonal and larger values beside it: it looks like a matrix of distances, "
            "not of kernel values. Convert it to kernel values, such as exp(-gamma * K**2)."
        )
    check_size(largest, "K", LARGE if gram.dtype == np.float64 else LARGE_SINGLE)
    # A random direction finds any asymmetry of note in two passes, without an n × n temporary array.
    v = np.random.default_rng(0).standard_normal(len(gram)).astype(gram.dtype)
    image, transposed = gram @ v, v @ gram
    if np.abs(image - transposed).max() > 1e3 * np.finfo(gram.dtype).eps * np.linalg.norm(image):
        raise ValueError(
            "The Gram matrix K is not symmetric. Compute it with one kernel on one set of samples, "
            "or pass (K + K.T) / 2."
        )
    return gram


def check_labels(
    y: ArrayLike,
    n_samples: int,
    *,
    min_per_class: int = 1,
    min_classes: int = 2,
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes and the index of the class of each sample; a weight of 2 is two samples."""
    check_one_per_sample(y)
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y must be one label per sample, got an array of shape {y.shape}.")
    if y.shape[0] != n_samples:
        n_labels, n_rows = count(y.shape[0], "label"), count(n_samples, "sample")
        raise ValueError(f"y has {n_labels} for {n_rows}. Pass one label per sample.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"y contains {y[row]} in row {row}. Remove the samples without a label.")
    if y.dtype.kind == "O":
        check_objects(y)
    classes, index, counts = _numbered(y)
    if not len(classes):
        raise ValueError("y is empty. Pass one label per sample.")
    if len(classes) < min_classes:
        raise ValueError(f"y has one class only ({classes.tolist()[0]!r}); at least two are needed.")
    if sample_weight is not None and counts.min() < min_per_class:
        counts = np.bincount(index, weights=copies_of(np.asarray(sample_weight, dtype=float))).astype(int)
    if counts.min() < min_per_class:
        small = classes.tolist()[int(counts.argmin())]
        raise ValueError(
            f"Class {small!r} has {count(counts.min(), 'sample')}; at least {min_per_class} per class are "
            "needed. Add samples, remove the class or merge it with another."
        )
    return classes, index


def _numbered(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sorted classes, the index of each sample's, and how many samples each has."""
    # Class indices are counted in a tenth of the time that they are sorted in.
    if y.dtype.kind == "i" and y.size and y.min() == 0 and y.max() < y.size:
        counts = np.bincount(y)
        if counts.all():
            return np.arange(counts.size, dtype=y.dtype), y.astype(np.intp), counts
    return np.unique(y, return_inverse=True, return_counts=True)


def check_class_weights(classes: np.ndarray, index: np.ndarray, weight: np.ndarray) -> None:
    """Raise if all samples of a class have the weight zero; ``index`` and ``weight`` are of the samples."""
    total = np.bincount(index, weights=weight, minlength=len(classes))
    if not total.min() > 0.0:
        lost = classes.tolist()[int(total.argmin())]
        raise ValueError(
            f"All samples of class {lost!r} have weight zero. Give a sample a positive weight, or remove the "
            "class."
        )


def check_targets(y: ArrayLike, n_samples: int) -> np.ndarray:
    """Return real-valued targets, finite, of shape (n_samples,)."""
    check_one_per_sample(y)
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1 or y.dtype.kind not in "biuf":
        raise ValueError(f"y must be one number per sample, got an array of shape {y.shape} and {y.dtype}.")
    if y.shape[0] != n_samples:
        n_numbers, n_rows = count(y.shape[0], "number"), count(n_samples, "sample")
        raise ValueError(f"y has {n_numbers} for {n_rows}. Pass one number per sample.")
    y = y.astype(np.float64)
    if not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"y contains {y[row]} in row {row}. Remove the samples without a target.")
    return y


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> np.ndarray:
    """Return non-negative weights of shape (n_samples,); ones when ``sample_weight`` is None."""
    if sample_weight is None:
        return np.ones(n_samples)
    w = read_weights(sample_weight)
    if w.ndim == 0:
        w = np.full(n_samples, float(w))
    if w.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {w.shape}, expected ({n_samples},): one weight per sample."
        )
    if not np.isfinite(w).all() or (w < 0).any():
        row = int(np.flatnonzero(~(np.isfinite(w) & (w >= 0)))[0])
        raise ValueError(f"sample_weight must be finite and not negative, got {w[row]} in row {row}.")
    if not w.any():
        raise ValueError("sample_weight is zero everywhere; give at least two samples a positive weight.")
    if w.max() > LARGE_WEIGHT or w.max() < 1.0 / LARGE_WEIGHT:
        raise ValueError(
            f"sample_weight has no value above {w.max():.1e}, whose products with C are out of the range of "
            "numbers. Divide the weights by their mean."
        )
    return w


def copies_of(weight: np.ndarray) -> np.ndarray:
    """Return how many rows a weight counts as: ⌊w⌋, and 1 if w < 1, as weights may sum to one."""
    return np.maximum(np.floor(weight), 1.0)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_positive(value: object, name: str, owner: str) -> None:
    """Raise unless ``value`` is a positive finite number."""
    if not _is_number(value) or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{name!r} of {owner} must be a positive float, got {value!r}.")


def check_share(value: object, name: str, owner: str) -> None:
    """Raise unless ``value`` is a number between 0 and 1, both excluded."""
    if not _is_number(value) or not 0.0 < value < 1.0:
        raise ValueError(f"{name!r} of {owner} must be between 0 and 1, got {value!r}.")


def check_not_negative(value: object, name: str, owner: str) -> None:
    """Raise unless ``value`` is a finite number that is not negative."""
    check_number(value, name, owner)
    if _is_number(value) and value < 0:
        raise ValueError(f"{name!r} of {owner} must not be negative, got {value!r}.")


def check_number(value: object, name: str, owner: str) -> None:
    """Raise unless ``value`` is a finite number."""
    if not _is_number(value) or not np.isfinite(value):
        raise ValueError(f"{name!r} of {owner} must be a finite float, got {value!r}.")


def check_flag(value: object, name: str, owner: str) -> None:
    """Raise unless ``value`` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name!r} of {owner} must be True or False, got {value!r}.")


def check_choice(value: object, name: str, owner: str, choices: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of the named choices."""
    if value not in choices:
        raise ValueError(
            f"{name!r} of {owner} must be one of {', '.join(map(repr, choices))}, got {value!r}."
        )


def check_integer(value: object, name: str, owner: str, *, least: int) -> None:
    """Raise unless ``value`` is an integer of at least that size."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name!r} of {owner} must be an integer of at least {least}, got {value!r}.")


def check_max_iter(value: object, owner: str = "") -> None:
    """Raise unless ``value`` is -1 or a positive integer."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or (value != -1 and value < 1):
        of = f" of {owner}" if owner else ""
        raise ValueError(f"'max_iter'{of} must be -1 or a positive integer, got {value!r}.")


def check_jobs(value: object, owner: str) -> None:
    """Raise unless ``value`` is None or an integer other than zero, as joblib takes it."""
    if value is None:
        return
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value == 0:
        raise ValueError(
            f"'n_jobs' of {owner} must be None, a number of threads, or -1 for all cores, got {value!r}."
        )


def check_seed(value: object, owner: str) -> None:
    """Raise unless ``value`` is what scikit-learn takes as a random state."""
    is_seed = isinstance(value, numbers.Integral) and 0 <= int(value) < 2**32
    if value is not None and not is_seed and not isinstance(value, np.random.RandomState):
        raise ValueError(
            f"'random_state' of {owner} must be None, an integer from 0 to 2**32 - 1 or a RandomState, "
            f"got {value!r}."
        )


def seed_of(random_state: RandomState) -> int:
    """An integer to draw folds and samples with: the same one whenever the same integer is given."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def check_distances(D: MatrixLike) -> np.ndarray:
    """Return ``D`` as a float array of shape (n_samples, n_samples) of distances between samples."""
    checked = check_samples(D)
    if is_sparse(checked):
        raise ValueError("A matrix of distances must be dense, but X is sparse. Pass X.toarray().")
    distances = checked.astype(np.float64, copy=False)
    if distances.shape[0] != distances.shape[1]:
        raise ValueError(
            f"X has the shape {distances.shape}, but a matrix of the distances between all samples must be "
            "square. Pass one row and one column for every sample."
        )
    check_not_below_zero(distances)
    check_range(distances)
    if distances.diagonal().any():
        i = int(np.flatnonzero(distances.diagonal())[0])
        raise ValueError(
            f"The distance of a sample from itself must be 0, but X has {distances[i, i]:g} in row {i}, "
            f"column {i}. Pass distances; for a matrix of kernel values use kernel='precomputed'."
        )
    if np.abs(distances - distances.T).max() > 1e-9 * distances.max():
        raise ValueError("The matrix of distances X is not symmetric. Pass (X + X.T) / 2.")
    return distances


def check_not_below_zero(D: np.ndarray) -> None:
    """Raise if a matrix of distances, of shape (n_rows, n_columns), has a negative one."""
    if D.min(initial=0.0) < 0.0:  # the first words are those that scikit-learn's checks ask for
        i, j = np.argwhere(D < 0.0)[0]
        raise ValueError(
            f"Negative values in data: X has {D[i, j]:g} in row {i}, column {j}, but distances cannot be "
            "negative. Pass distances, or np.maximum(X, 0) if rounding made them negative."
        )
