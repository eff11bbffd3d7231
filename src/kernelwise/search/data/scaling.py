"""Scaling of the features inside an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.utils.validation import has_fit_parameter

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.typing import Samples, ScaleLike
from kernelwise._core.validation import check_choice, check_samples
from kernelwise.tables import Layout

#: Interquartile range of a standard normal variable.
NORMAL_RANGE = 1.3489795003921634
#: Sums of weights that differ by less than this share are equal.
EVEN = 1e-12


def fit_scaler(
    scale: ScaleLike, X: Samples, weight: np.ndarray | None, owner: str, layout: Layout | None = None
) -> Any:
    """Return a scaler fitted to the samples, or None.

    Sparse samples are not centred: "standard" divides by the standard deviation only, "robust" as well,
    "minmax" by the largest absolute value. Weights are for scalers that take them; ``owner`` is whose
    parameter ``scale`` is. ``layout`` says which features are the words and gaps of one column.
    """
    if scale is None:
        return None
    is_sparse = sparse.issparse(X)
    if isinstance(scale, str):
        check_choice(scale, "scale", owner, WORDS)
        if scale != "minmax":
            scaler: Any = StandardScaler(with_mean=not is_sparse)
        else:
            scaler = MaxAbsScaler() if is_sparse else MinMaxScaler()
    else:
        check_scaler(scale, "scale", owner, WORDS)
        scaler = clone(scale)
    if weight is not None and has_fit_parameter(scaler, "sample_weight"):
        # Rounding may leave a constant feature a variance below zero, of which scikit-learn takes the root
        # before it sees that the feature is constant.
        with np.errstate(invalid="ignore"):
            scaler.fit(X, sample_weight=weight)
    else:
        scaler.fit(X)
    if isinstance(scale, str) and scale == "robust" and isinstance(X, np.ndarray):
        make_robust(scaler, X, weight, layout)
    elif layout is not None:
        weigh_alike(scaler, layout)
    return scaler


def make_robust(
    scaler: StandardScaler, X: np.ndarray, weight: np.ndarray | None, layout: Layout | None
) -> None:
    """Put medians and interquartile ranges in the place of means and standard deviations of numbers.

    A range is divided by that of a standard normal variable. A feature that has one value in half of the
    rows, such as a rare indicator, has no range, and keeps its standard deviation; so do sparse features,
    most of whose values are zero. Words and gaps are scaled as for "standard", and rows with a gap have no
    part in the range of its column. It stays a `StandardScaler`, whose kind files and exports know.
    """
    weights = np.ones(X.shape) if weight is None else np.repeat(weight[:, None], X.shape[1], axis=1)
    is_number = np.full(X.shape[1], True)
    if layout is not None:
        is_number = layout.kind == "number"
        for gap in np.flatnonzero(layout.kind == "gap"):
            weights[:, is_number & (layout.column == layout.column[gap])] *= 1.0 - X[:, [gap]]
        weigh_alike(scaler, layout)
    low, middle, high = _quantiles(X, weights)
    spread = (high - low) / NORMAL_RANGE
    scaler.mean_ = np.where(is_number, middle, scaler.mean_)
    scaler.scale_ = np.where(is_number & (spread > 0.0), spread, scaler.scale_)


def _quantiles(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Quartiles of the features, of shape (3, n_features); a weight of two is the same as a repeated row."""
    order = np.argsort(X, axis=0, kind="stable")
    total = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    ordered, columns = np.take_along_axis(X, order, axis=0), np.arange(X.shape[1])
    found = np.zeros((3, X.shape[1]))
    for k, share in enumerate((0.25, 0.5, 0.75)):
        # The mean of the values at which the weight reaches the share, and at which it passes it.
        at = share * total[-1]
        first = (total < at * (1.0 - EVEN)).sum(axis=0)
        after = np.minimum((total <= at * (1.0 + EVEN)).sum(axis=0), len(X) - 1)
        found[k] = 0.5 * (ordered[first, columns] + ordered[after, columns])
    return found


def weigh_alike(scaler: Any, layout: Layout) -> None:
    """Change a fitted scaler so that a column of words, or one with gaps, weighs like a column of numbers.

    Two rows of a standardised column of numbers have a squared distance of 2 on average. All features of a
    column of words are divided by the root of the sum of their variances, 1 − Σp² for words of the shares p,
    so that two rows have a squared distance of 2 on average, too. A gap is the median of the column and lies
    one standard deviation of its numbers aside from every number: that is the expected squared distance from
    a number of which only the distribution is known. "minmax" makes two different words as far apart as the
    smallest and the largest number. Other scalers stay as they are.
    """
    is_word = layout.kind == "word"
    if isinstance(scaler, StandardScaler) and scaler.with_mean:
        for gap in np.flatnonzero(layout.kind == "gap"):
            present = 1.0 - scaler.mean_[gap]
            if present > 0.0:
                # One value for a share of the rows has made the variance smaller by that share.
                is_its_number = (layout.kind == "number") & (layout.column == layout.column[gap])
                scaler.scale_[is_its_number] /= np.sqrt(present)
            scaler.scale_[gap] = 1.0
        variance = np.where(is_word, scaler.var_, 0.0)
        sums = np.bincount(layout.column, variance, minlength=layout.n_columns)[layout.column]
        varies = is_word & (sums > 0.0)
        scaler.scale_[varies] = np.sqrt(sums[varies])
    elif isinstance(scaler, MinMaxScaler):
        scaler.scale_ = np.where(is_word, scaler.scale_ / np.sqrt(2.0), scaler.scale_)


def fit_transformer(scaler: Any, X: Any, y: Any, weight: np.ndarray | None) -> Any:
    """Fit a transformer, and return it; one that takes no weights sees the rows of positive weight.

    ``weight``, of shape (n_samples,), may be None.
    """
    if weight is None:
        return scaler.fit(X, y)
    if has_fit_parameter(scaler, "sample_weight"):
        return scaler.fit(X, y, sample_weight=weight)
    used = np.flatnonzero(weight > 0)
    return scaler.fit(safe_indexing(X, used), y[used])


#: The words for a scaling: of an estimator that chooses, and of a grid search.
WORDS, GRID_WORDS = ("standard", "minmax", "robust"), ("standard", "minmax")


def as_scaler(scaler: Any, name: str, owner: str) -> Any:
    """The transformer that a word stands for, or the one that is given; None is none."""
    if not isinstance(scaler, str):
        check_scaler(scaler, name, owner, GRID_WORDS)
        return scaler
    check_choice(scaler, name, owner, GRID_WORDS)
    return StandardScaler() if scaler == "standard" else MinMaxScaler()


def check_scaler(scaler: Any, name: str, owner: str, words: tuple[str, ...]) -> None:
    """Raise unless ``scaler`` is None or a transformer; ``words`` are what else the user may write."""
    if scaler is not None and not (hasattr(scaler, "fit") and hasattr(scaler, "transform")):
        known = ", ".join(["None", *map(repr, words)])
        raise ValueError(f"{name!r} of {owner} must be {known} or a transformer, got {scaler!r}.")


def apply_scaler(scaler: Any, X: Samples) -> Any:
    """Scaled samples, as an array or a CSR matrix."""
    if sparse.issparse(X) and getattr(scaler, "with_mean", False):
        raise ValueError(
            "X is sparse, but the model was trained on dense samples and subtracts their means. Pass "
            "X.toarray()."
        )
    return X if scaler is None else check_samples(scaler.transform(X))


def check_not_constant(Z: Any) -> None:
    """Raise if all rows are the same."""
    low, high = Z.min(axis=0), Z.max(axis=0)
    if sparse.issparse(Z):
        low, high = low.toarray(), high.toarray()
    if np.array_equal(low, high):
        raise ValueError(
            "All features are constant, so the samples cannot be distinguished. Check how they were read and "
            "scaled."
        )


def factors(scaler: Any, n_features: int) -> np.ndarray:
    """What each feature is multiplied by, shape (n_features,): ones for no scaler or one that mixes them."""
    if scaler is None or not hasattr(scaler, "scale_") or scaler.scale_ is None:
        return np.ones(n_features)
    return scaler.scale_ if isinstance(scaler, MinMaxScaler) else 1.0 / scaler.scale_


def variances(X: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Variance of each feature, shape (n_features,)."""
    if weight is None and not sparse.issparse(X):
        return X.var(axis=0)
    return StandardScaler(with_mean=False).fit(X, sample_weight=weight).var_
