"""Labels and weights of the training samples, by scikit-learn's rules and with its words.

Weights are numbers of copies, a row of weight two being two rows; those of classes may balance these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from kernelwise._core.reading import check_objects, read_weights
from kernelwise._core.typing import ClassWeight, Samples
from kernelwise._core.validation import check_number, check_weights, copies_of

#: Floats up to here can be told from their neighbours.
LARGEST_LABEL = 2.0**53
#: More different whole numbers than this are a quantity.
MOST_CLASSES = 30
#: How many rows may stand for weighted ones; not fewer than there are.
MANY = 20_000


def check_are_classes(y: np.ndarray) -> None:
    """Raise unless the targets are labels of classes."""
    if y.dtype.kind == "O":
        check_objects(y)
    if y.dtype.kind in "mM":
        raise ValueError(
            "y has dates or times, which cannot be labels. Convert them to text with y.astype(str)."
        )
    if y.dtype.kind == "f" and np.abs(y).max(initial=0.0) > LARGEST_LABEL:
        raise ValueError(
            f"y has values of the size {np.abs(y).max():.1e}, which cannot be class labels. Use TunedSVR or "
            "SVR for numbers."
        )
    check_classification_targets(y)


def guess_task(y: np.ndarray) -> tuple[str, int]:
    """What targets are, "classification" or "regression", and how many different whole numbers that goes by.

    Words are classes, and numbers with a fraction are numbers: no whole numbers are counted then. Whole
    numbers are classes if there are few different ones and each occurs at least twice.
    """
    if type_of_target(y) == "continuous":
        return "regression", 0
    if y.dtype.kind not in "iuf":
        return "classification", 0
    _, counts = np.unique(y, return_counts=True)
    is_few = len(counts) <= MOST_CLASSES and counts.min() > 1
    return "classification" if is_few else "regression", len(counts)


def encode_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes, two or more, and the index of the class of each sample."""
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
    return classes, index


def weight_classes(class_weight: ClassWeight, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return one positive weight per class."""
    if class_weight is not None and not isinstance(class_weight, dict) and not is_balanced(class_weight):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict from classes to weights, got {class_weight!r}."
        )
    if isinstance(class_weight, dict):
        for label, value in class_weight.items():
            check_number(value, f"class_weight[{label!r}]", "the model")
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(f"class_weight must be positive and finite for every class, got {class_weight!r}.")
    return weights


def weights_of_samples(sample_weight: ArrayLike | None, n_samples: int) -> np.ndarray:
    """Return the weights of the samples, zero for those LIBSVM leaves out: of zero or negative weight."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.maximum(read_weights(sample_weight), 0.0)
    if weights.size and not weights.any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return check_weights(weights, n_samples)


def positive_weights(sample_weight: ArrayLike | None, index: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the weights of the samples by LIBSVM's rule; every class must keep a sample."""
    weights = weights_of_samples(sample_weight, index.size)
    check_every_class(np.bincount(index, weights=weights, minlength=len(classes)), classes)
    return weights


def check_every_class(totals: np.ndarray, classes: np.ndarray) -> None:
    """Raise unless the total weight of every class is positive."""
    missing = np.flatnonzero(totals <= 0)
    if len(missing) == len(classes) - 1:
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
    if len(missing):
        raise ValueError(
            f"Class {classes.tolist()[missing[0]]!r} has no sample of positive weight. Give a sample a "
            "positive weight, or remove the class."
        )


def check_class_sizes(index: np.ndarray, weight: np.ndarray) -> None:
    """Raise unless some class has two samples, for cross-validation; a weight of 2 counts as two."""
    if not (np.bincount(index, weights=copies_of(weight)) > 1).any():
        raise ValueError(
            "Every class has 1 sample, so none can be held out to score a model. Add samples, or merge "
            "classes."
        )


def lone_rows(index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Rows, in increasing order, that are the only sample of their class; a weight of 2 counts as two."""
    return np.flatnonzero(np.bincount(index, weights=copies_of(weight))[index] < 2)


def factors_of_classes(
    class_weight: ClassWeight, index: np.ndarray, weight: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """One factor of C per class; "balanced" counts weights, so that a repeated row is a weight of 2."""
    if is_balanced(class_weight):
        return balanced_factors(np.bincount(index, weights=weight))
    return weight_classes(class_weight, classes, classes[index])


def is_balanced(class_weight: ClassWeight) -> bool:
    """Whether the weights of classes follow from the samples that a machine is trained on."""
    return isinstance(class_weight, str) and class_weight == "balanced"


def repeated(weight: np.ndarray) -> np.ndarray:
    """Return indices of rows in which every row occurs in proportion to its weight, rounded.

    They are at equal steps along the cumulative weight: no fewer than the rows of positive weight, and not
    many more than `MANY`.
    """
    n_used = np.count_nonzero(weight)
    n = int(min(max(weight.sum(), n_used), max(n_used, MANY)))
    return np.searchsorted(np.cumsum(weight), (np.arange(n) + 0.5) * weight.sum() / n)


def none_if_ones(weight: np.ndarray | None) -> np.ndarray | None:
    """Return the weights, or None where all are one: what knows no weights then has the same answer."""
    return None if weight is None or (weight == 1.0).all() else weight


def with_copies(X: Samples, y: np.ndarray | None, weight: np.ndarray | None) -> tuple[Any, Any]:
    """Repeat samples and labels (or None) by their weights, for means and variances that know no weights."""
    weight = none_if_ones(weight)
    if weight is None:
        return X, y
    rows = repeated(weight)
    return X[rows], None if y is None else y[rows]


def balanced_factors(totals: np.ndarray) -> np.ndarray:
    """Return a factor for each class, shape (n_classes,), that makes the total weights of classes equal."""
    return np.asarray(totals.sum() / (len(totals) * totals))


def balanced_on(train: np.ndarray, index: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return a factor for each sample that balances the classes of the training part of a fold.

    ``index`` has the class index of each sample, ``counted`` what each sample counts as, both of shape
    (n_samples,). A class that is not in the training part has the factor zero.
    """
    totals = np.bincount(index[train], weights=counted[train], minlength=int(index.max()) + 1)
    factors = np.zeros_like(totals)
    factors[totals > 0] = balanced_factors(totals[totals > 0])
    return factors[index]
