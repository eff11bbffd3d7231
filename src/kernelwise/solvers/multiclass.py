"""Two-class machines for more than two classes, and the labels their decision values stand for."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from .._validation import check_choice


class Machine(NamedTuple):
    """One two-class problem: the samples in it and their labels as ±1."""

    members: np.ndarray
    signs: np.ndarray


def two_class_machines(index: np.ndarray, n_classes: int, strategy: str) -> list[Machine]:
    """Split a problem into two-class ones.

    Parameters
    ----------
    index : ndarray of shape (n_samples,)
        Class index of each sample.
    n_classes : int
    strategy : {"ovo", "ovr"}
        One against one in the order (0, 1), (0, 2), …, the first class of a pair positive as in LIBSVM; or
        each class against the rest. Two classes always make one machine, whose positive class is the second,
        as in scikit-learn.

    Returns
    -------
    machines : list of Machine
    """
    check_choice(strategy, "strategy", "svm_path", ("ovo", "ovr"))
    everyone = np.arange(index.size)
    if n_classes == 2:
        return [Machine(everyone, 2.0 * index - 1.0)]
    if strategy == "ovr":
        return [Machine(everyone, np.where(index == k, 1.0, -1.0)) for k in range(n_classes)]
    pairs = []
    for first, second in combinations(range(n_classes), 2):
        members = np.flatnonzero((index == first) | (index == second))
        pairs.append(Machine(members, np.where(index[members] == first, 1.0, -1.0)))
    return pairs


def check_decided(decision: np.ndarray) -> None:
    """Refuse decision values of a path whose folds left samples out."""
    if np.isnan(decision).any():
        raise ValueError(
            "Some samples were never held out, so they have no label. Let the test folds cover all."
        )


def vote(decision: np.ndarray, classes: np.ndarray, strategy: str = "ovo") -> np.ndarray:
    """Turn decision values into labels as scikit-learn's SVC and OneVsRestClassifier do.

    Parameters
    ----------
    decision : ndarray of shape (...) for two classes, (..., n_machines) for more
        As in `SVMPath`.
    classes : ndarray of shape (n_classes,)
    strategy : {"ovo", "ovr"}, default="ovo"
        One against one: most votes win, and ties go to the class that comes first. One against the rest: the
        largest decision value wins.

    Returns
    -------
    labels : ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import vote

    One sample, three classes: values of the pairs (a, b), (a, c) and (b, c).

    >>> classes = np.array(["a", "b", "c"])
    >>> vote(np.array([[-1.0, 0.5, 2.0]]), classes)
    array(['b'], dtype='<U1')

    Decision values of a, b and c against the rest:

    >>> vote(np.array([[-1.0, 0.5, 2.0]]), classes, "ovr")
    array(['c'], dtype='<U1')
    """
    check_choice(strategy, "strategy", "vote", ("ovo", "ovr"))
    check_decided(decision)
    if len(classes) == 2:
        return classes[(decision >= 0).astype(int)]
    if strategy == "ovr":
        return classes[decision.argmax(axis=-1)]
    votes = np.zeros((*decision.shape[:-1], len(classes)), dtype=np.int64)
    for k, (first, second) in enumerate(combinations(range(len(classes)), 2)):
        won = decision[..., k] > 0
        votes[..., first] += won
        votes[..., second] += ~won
    return classes[votes.argmax(axis=-1)]
