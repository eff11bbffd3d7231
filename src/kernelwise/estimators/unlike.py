"""Rows that are unlike the training rows: by the range of each column, and by the kernel's own measure.

A kernel machine knows its training rows by its support vectors. Where a row is, in the space of the kernel,
farther from all of them than any training row is, the answer is that of no neighbour.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.text import amount, count
from kernelwise._core.typing import Samples, is_sparse
from kernelwise.estimators.kernel_argument import kernel_values
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.tables.column import weighted_median

#: A number is far outside if it is beyond the range of the training rows by more than the range is wide.
FAR = 1.0
#: Training rows that are looked at, at most, and kernel values that are held at once.
MOST_ROWS, BLOCK = 1000, 2**20
#: Training rows are rounded before a machine has them.
ROUNDED = 1.0 + 1e-6
#: What stands in the warning of a prediction.
UNLIKE = "unlike the training rows"


@dataclass(frozen=True)
class Unlike:
    """What is unlike the training rows in some rows.

    Attributes
    ----------
    excess : ndarray of shape (n_rows, n_features)
        How far a number is beyond the range of the training rows, in widths of that range; 0 inside.
    distance : ndarray of shape (n_rows,) or None
        To the nearest support vector, in the space of the kernel; None for a model without support vectors.
    reach : float
        The largest such distance of a training row, from another support vector than itself.
    names : list of str
        Of the features.
    X : ndarray of shape (n_rows, n_features)
        The features of the rows.
    training_range : ndarray of shape (3, n_features)
        Smallest, median and largest value in the training rows.
    """

    excess: np.ndarray
    distance: np.ndarray | None
    reach: float
    names: Sequence[str]
    X: np.ndarray = field(repr=False)
    training_range: np.ndarray = field(repr=False)

    @property
    def is_outside(self) -> np.ndarray:
        """Which rows have a number that is far outside the range of the training rows, (n_rows,).

        Where the kernel has a row nearer to a support vector than some training row is, the column matters
        little.
        """
        is_far = np.asarray((self.excess > FAR).any(axis=1))
        return is_far if self.distance is None else is_far & (self.distance >= self.reach / ROUNDED)

    @property
    def is_remote(self) -> np.ndarray:
        """Which rows are farther from all support vectors than any training row, (n_rows,)."""
        if self.distance is None:
            return np.zeros(len(self.excess), dtype=bool)
        return np.asarray(self.distance > self.reach * ROUNDED)

    @property
    def rows(self) -> np.ndarray:
        """The rows that are unlike the training rows, in order."""
        return np.flatnonzero(self.is_outside | self.is_remote)

    def message(self, line: Callable[[int], str] = "row {}".format) -> str:
        """All of it in words; empty if there is nothing to say. ``line`` is what a row is called."""
        n, n_remote = len(self.rows), int(self.is_remote.sum())
        if not n:
            return ""
        parts = [f"{n} of {count(len(self.excess), 'row')} {'is' if n == 1 else 'are'} {UNLIKE}"]
        excess = self.excess[self.rows]
        place, k = map(int, np.unravel_index(int(np.argmax(excess)), excess.shape))
        if excess[place, k] > 0.0:
            row = int(self.rows[place])
            low, _, high = self.training_range[:, k]
            value, low, high = (amount(one, 6) for one in (self.X[row, k], low, high))
            outside = f"farthest outside is {self.names[k]} {value} in {line(row)}"
            parts.append(f"{outside} (training {low} to {high})")
        if n_remote:
            nearest = "it is" if n == 1 else f"{n_remote} {'is' if n_remote == 1 else 'are'}"
            parts.append(f"{nearest} farther from all support vectors than any training row")
        return f"{'; '.join(parts)}. Do not rely on {'its' if n == 1 else 'their'} predictions."


def tell_unknown_labels(y: ArrayLike, classes: np.ndarray) -> None:
    """Warn if some labels are of no class that the model was trained on: no answer can be right there."""
    labels = np.asarray(y).ravel().tolist()
    known = set(classes.tolist())
    strange = [label for label in labels if label not in known]
    if strange:
        rows = count(len(strange), "row has", "rows have")
        warnings.warn(
            f"{rows} a label that no training row has, such as {strange[0]!r}: no answer can be right there.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )


def training_range(X: Samples, weight: np.ndarray) -> np.ndarray | None:
    """Smallest, median and largest value of each feature of the rows that count, (3, n_features).

    None for sparse samples.
    """
    if is_sparse(X):
        return None
    counts = weight > 0.0
    rows, weight = X[counts], weight[counts]
    if len(np.unique(weight)) == 1:
        middle = np.median(rows, axis=0)
    else:
        middle = np.array([weighted_median(column, weight) for column in rows.T])
    return np.stack([rows.min(axis=0), middle, rows.max(axis=0)])


def reach_of(machine: Any, Z: Samples) -> float | None:
    """The largest distance of a training row from the nearest support vector that is not the row itself.

    ``Z`` are the training rows as the machine has them, of which some are looked at; None for a machine
    without support vectors, infinity if there is only one.
    """
    if not _has_support(machine):
        return None
    rows = np.unique(np.linspace(0, Z.shape[0] - 1, min(Z.shape[0], MOST_ROWS)).astype(int))
    return float(np.max(_distances(machine, Z[rows], without_equals=True)))


def find_unlike(
    model: Any, X: Samples, scaled: Callable[[Samples], Samples], only_outside: bool = False
) -> Unlike:
    """How unlike the training rows of a tuned model some rows are.

    ``X`` are their features, which ``scaled`` turns into those that the machine has. ``only_outside`` asks
    the kernel about rows with a number far outside alone, and takes the others for like.
    """
    limits = model.training_range_
    features = X.toarray() if is_sparse(X) else X
    names = [f"column {k}" for k in range(features.shape[1])]
    if hasattr(model, "encoder_"):
        names = model.encoder_.feature_names
    elif hasattr(model, "feature_names_in_"):
        names = list(map(str, model.feature_names_in_))
    low, _, high = limits
    beyond = np.maximum(np.maximum(features - high, low - features), 0.0)
    # A column that is constant has its size instead of a range, and one that is zero tells no unit at all.
    width = np.where(high > low, high - low, np.where(high == 0.0, np.inf, np.abs(high)))
    excess, reach = beyond / width, getattr(model, "_reach", None)
    if reach is None:
        return Unlike(excess, None, np.inf, names, features, limits)
    distance = np.zeros(len(features))
    asked = np.flatnonzero((excess > FAR).any(axis=1)) if only_outside else np.arange(len(features))
    if len(asked):
        distance[asked] = _distances(model.best_estimator_, scaled(features[asked]))
    return Unlike(excess, distance, reach, names, features, limits)


def _has_support(machine: Any) -> bool:
    kernel = getattr(machine, "kernel_", None)
    return hasattr(machine, "support_vectors_") and hasattr(kernel, "diagonal") and len(machine.support_) > 0


def _distances(machine: Any, Z: Samples, without_equals: bool = False) -> np.ndarray:
    """Distances of rows from the nearest support vector in the space of the kernel, (n_rows,).

    ``without_equals`` leaves out support vectors that are equal to the row.
    """
    kernel, support = machine.kernel_, machine.support_vectors_
    own, others = kernel.diagonal(Z), kernel.diagonal(support)
    found = np.empty(Z.shape[0])
    step = max(1, BLOCK // max(1, support.shape[0]))
    for first in range(0, len(found), step):
        block = slice(first, first + step)
        K = kernel_values(kernel, Z[block], support, support.shape[0])
        scale = own[block, None] + others
        squares = np.maximum(scale - 2.0 * K, 0.0)
        if without_equals:
            squares[squares <= 1e-12 * scale] = np.inf
        found[block] = squares.min(axis=1)
    return np.sqrt(found)
