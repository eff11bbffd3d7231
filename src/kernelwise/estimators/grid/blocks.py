"""Folds, arranged in blocks of samples that share Gram matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from kernelwise._core.labels import is_balanced, weight_classes
from kernelwise._core.validation import check_samples
from kernelwise._core.weights import balanced_on, none_if_ones
from kernelwise.estimators.grid.candidates import Group
from kernelwise.estimators.kernel_argument import takes_distances
from kernelwise.search.data.scaling import fit_transformer
from kernelwise.solvers.copies import Distinct


class Fold(NamedTuple):
    """Rows of a block to train on and rows whose decision values are wanted."""

    number: int
    train: np.ndarray
    held: np.ndarray


@dataclass
class Block:
    """Samples with their class indices, weights, and the folds among them.

    ``targets`` are the class indices that machines learn: those of ``y``, but for classes that have no weight
    in the training part, of which nothing can be learned. ``is_gram`` says that X is a matrix of kernel
    values or distances. ``paths_on_identity`` are, by values of C and weights, the paths of kernels too
    narrow for any two samples: all of them have the same Gram matrix, the identity.
    """

    X: Any
    y: np.ndarray
    targets: np.ndarray
    weight: np.ndarray
    folds: list[Fold]
    is_gram: bool = False
    paths_on_identity: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def distinct(self) -> Distinct:
        """The rows that machines are trained on: copies of a row with one target are one."""
        return Distinct.of(self.X, self.targets, self.is_gram)

    def check_weights(self, fold: Fold, classes: np.ndarray) -> None:
        """Raise unless rows of two classes have a positive weight in the training part of a fold."""
        present = self._trained[fold.number]
        if not present.size:
            raise ValueError(
                f"All training rows of fold {fold.number} have weight zero. Give some of them a positive "
                "weight, or use other folds."
            )
        if present.size == 1:
            raise ValueError(
                f"The training part of fold {fold.number} has only one class, not counting rows of weight "
                f"zero: {classes.tolist()[present[0]]!r}. Use stratified or fewer folds."
            )

    @cached_property
    def _trained(self) -> dict[int, np.ndarray]:
        """The classes that have a weight in the training part of each fold, by its number."""
        is_weighted = self.weight > 0
        return {fold.number: np.unique(self.y[fold.train[is_weighted[fold.train]]]) for fold in self.folds}

    def by_kernel(self, group: Group) -> list[tuple[Any, list[Fold]]]:
        """Kernels of the group with their folds: one for all unless it depends on the training part."""
        if not group.depends_on_training:
            return [(group.kernel_on(None, None, None), self.folds)]
        kernels: list[tuple[Any, list[Fold]]] = []
        for fold in self.folds:
            train = fold.train
            X = self.X[train]
            X = X[:, train] if takes_distances(group.kernel) else X
            kernel = group.kernel_on(X, self.y[train], self.weight[train])
            for other, members in kernels:
                if kernel == other:
                    members.append(fold)
                    break
            else:
                kernels.append((kernel, [fold]))
        return kernels

    def batches(
        self, folds: list[Fold], class_weight: Any, classes: np.ndarray
    ) -> list[tuple[np.ndarray, list[Fold]]]:
        """Folds that hold out no sample twice, with their sample weights, of shape (n_folds, n_samples)."""
        batches: list[tuple[np.ndarray, list[Fold]]] = []
        for fold in folds:
            for used, members in batches:
                if not used[fold.held].any():
                    used[fold.held] = True
                    members.append(fold)
                    break
            else:
                used = np.zeros(self.y.size, dtype=bool)
                used[fold.held] = True
                batches.append((used, [fold]))
        return [
            (np.stack([self._weight(fold, class_weight, classes) for fold in members]), members)
            for _, members in batches
        ]

    def _weight(self, fold: Fold, class_weight: Any, classes: np.ndarray) -> np.ndarray:
        if class_weight is None:
            return self.weight
        if is_balanced(class_weight):
            return self.weight * balanced_on(fold.train, self.y, self.weight)
        present = np.unique(self.y[fold.train])
        factors = np.zeros(classes.size)
        factors[present] = weight_classes(class_weight, classes[present], classes[self.y[fold.train]])
        return self.weight * factors[self.y]


def plan_blocks(
    X: Any,
    y: np.ndarray,
    weight: np.ndarray,
    splits: list[tuple[np.ndarray, np.ndarray]],
    scaler: Any = None,
    with_train: bool = False,
    is_gram: bool = False,
) -> Iterator[Block]:
    """Put ordinary folds into one block of all samples, and each of the others into a block of its own.

    A fold is ordinary if its parts are disjoint, no sample repeats, all classes are there to train on, it
    needs no scaling of its own and no training scores. The block of any other fold has its training part and
    then the rows to be held out, as new rows: such a row may be a training sample, too. X may be the Gram
    matrix, ``y`` are class indices, the scaler is fitted to the training part of each fold, and
    ``with_train`` holds out the test part followed by the training part, for training scores.
    """
    n_classes = int(y.max()) + 1
    folds = [Fold(number, train, test) for number, (train, test) in enumerate(splits)]
    alone = scaler is not None or with_train
    shared = [] if alone else [fold for fold in folds if _is_ordinary(fold, y, weight, n_classes)]
    if shared:
        yield Block(X, y, y, weight, shared, is_gram)
    numbers = {fold.number for fold in shared}
    for fold in folds:
        if fold.number not in numbers:
            yield _own_block(fold, X, y, weight, scaler, with_train, is_gram)


def _is_ordinary(fold: Fold, y: np.ndarray, weight: np.ndarray, n_classes: int) -> bool:
    times = np.bincount(fold.train, minlength=y.size)
    trained = np.unique(y[fold.train[weight[fold.train] > 0]])
    repeats = np.bincount(fold.held, minlength=y.size).max() > 1
    return times.max() == 1 and not times[fold.held].any() and trained.size == n_classes and not repeats


def _own_block(
    fold: Fold, X: Any, y: np.ndarray, weight: np.ndarray, scaler: Any, with_train: bool, is_gram: bool
) -> Block:
    train = fold.train
    rows = np.concatenate([train, fold.held, train] if with_train else [train, fold.held])
    Z = X[np.ix_(rows, rows)] if is_gram else X[rows]
    if scaler is not None:
        own = fit_transformer(clone(scaler), X[train], y[train], none_if_ones(weight[train]))
        Z = check_samples(own.transform(Z))
    labels = y[rows]
    # The class of a held-out row plays no part in training, and may be absent from it.
    labels[train.size :] = labels[0]
    targets = labels.copy()
    with_weight = labels[: train.size][weight[train] > 0]
    if with_weight.size:
        targets[~np.isin(labels, with_weight)] = with_weight[0]
    everyone = np.arange(rows.size)
    alone = Fold(fold.number, everyone[: train.size], everyone[train.size :])
    return Block(Z, labels, targets, weight[rows], [alone], is_gram)
