"""Labels and weights of the training samples, by scikit-learn's rules and with its words."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from kernelwise._core.reading import check_objects, read_weights
from kernelwise._core.typing import ClassWeight
from kernelwise._core.validation import check_number, check_weights
from kernelwise._core.weights import balanced_factors, copies_of

#: Floats up to here can be told from their neighbours.
LARGEST_LABEL = 2.0**53


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
