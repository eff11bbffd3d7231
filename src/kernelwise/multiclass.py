"""Problems of more than two classes: their two-class machines, and what the machines' values say together.

Papers are called by their numbers: :mod:`kernelwise.selection` has the list.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from kernelwise import _native
from kernelwise._core.validation import check_choice

REJECTED = -1
#: What two-class machines can be of: every pair of classes, or every class and the rest.
MACHINES = ("ovo", "ovr")


class Machine(NamedTuple):
    """One two-class problem: the samples in it and their labels as ±1."""

    members: np.ndarray
    signs: np.ndarray


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """All pairs of classes in LIBSVM's order, (0, 1), (0, 2), …"""
    return list(combinations(range(n_classes), 2))


def two_class_problems(n_classes: int, strategy: str) -> list[tuple[int, int | None]]:
    """First and second class of every two-class problem, the second None where it is all the others.

    Two classes are one problem, (0, 1), whatever the strategy.
    """
    if strategy == "ovr" and n_classes > 2:
        return [(first, None) for first in range(n_classes)]
    return list(class_pairs(n_classes))


def members_of(index: np.ndarray, first: int, second: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Samples of a two-class problem, shape (n_members,), and whether each is of the first class."""
    if second is None:
        return np.arange(index.size), index == first
    members = np.flatnonzero((index == first) | (index == second))
    return members, index[members] == first


def two_class_machines(index: np.ndarray, n_classes: int, strategy: str) -> list[Machine]:
    """Split a problem of many classes, given by the class index of each sample, into two-class ones.

    One against one ("ovo") in the order (0, 1), (0, 2), …, the first class of a pair positive as in LIBSVM;
    or each class against the rest ("ovr"). Two classes always make one machine, whose positive class is the
    second, as in scikit-learn.
    """
    check_choice(strategy, "strategy", "svm_path", MACHINES)
    if n_classes == 2:
        return [Machine(np.arange(index.size), 2.0 * index - 1.0)]
    if strategy == "ovr":
        return [Machine(*_with_signs(index, np.arange(index.size), k)) for k in range(n_classes)]
    # Looking for the samples of a pair among all of them takes longer than joining those of two classes.
    classes = [np.flatnonzero(index == k) for k in range(n_classes)]
    return [
        Machine(*_with_signs(index, np.sort(np.concatenate([classes[a], classes[b]])), a))
        for a, b in class_pairs(n_classes)
    ]


def _with_signs(index: np.ndarray, members: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Members and their labels as ±1, positive for the first class."""
    return members, np.where(index[members] == first, 1.0, -1.0)


def order_by_class(index: np.ndarray, tests: Iterable[np.ndarray]) -> np.ndarray:
    """Samples in an order in which those of a class stand together, and in it those that a fold holds out.

    ``index`` has the class index of each sample, ``tests`` the samples that each fold holds out. The parts of
    a Gram matrix that two-class machines work on are then blocks of it. The class of the first sample comes
    first, so that names of classes do not matter.
    """
    fold = np.full(index.size, -1)
    for k, test in enumerate(tests):
        fold[test] = k
    first = np.unique(index, return_index=True)[1]
    return np.lexsort((fold, first[index]))


def check_decided(decision: np.ndarray) -> None:
    """Refuse decision values of a path whose folds left samples out."""
    if np.isnan(decision).any():
        raise ValueError(
            "Some samples were never held out, so they have no label. Use test folds that cover all samples."
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
    check_choice(strategy, "strategy", "vote", MACHINES)
    check_decided(decision)
    if len(classes) == 2:
        return classes[(decision >= 0).astype(int)]
    if strategy == "ovr":
        return classes[decision.argmax(axis=-1)]
    return classes[_sum_of_pairs(decision > 0, decision <= 0, len(classes)).argmax(axis=-1)]


def _sum_of_pairs(to_first: np.ndarray, to_second: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Sum what the pairs give to their classes: from (..., n_pairs) for each side to (..., n_classes).

    None for the second class of each pair is that it loses what the first is given.
    """
    is_vote = to_first.dtype == bool
    # The sums of one class stand together: adding to them is then several times as fast. So is adding numbers
    # of one kind, and votes of fewer than 128 classes are bytes.
    kind = (np.int8 if n_classes < 128 else np.int32) if is_vote else to_first.dtype
    given = to_first.astype(kind, copy=False)
    taken = None if to_second is None else to_second.astype(kind, copy=False)
    total = np.zeros((n_classes, *to_first.shape[:-1]), dtype=kind)
    for k, (first, second) in enumerate(class_pairs(n_classes)):
        total[first] += given[..., k]
        if taken is None:
            total[second] -= given[..., k]
        else:
            total[second] += taken[..., k]
    return np.moveaxis(total, 0, -1)


class Strategy(NamedTuple):
    """How machines are trained, and how their decision values become the index of a class.

    ``machines`` is "ovo" (one for each pair of classes) or "ovr" (one for each class and the rest);
    ``decide(decision, n_classes)`` returns indices of shape (...), `REJECTED` (−1) for no class.
    """

    machines: str
    decide: Callable[[np.ndarray, int], np.ndarray]
    rejects: bool = False


def fuzzy_membership(decision: np.ndarray) -> np.ndarray:
    """Memberships of the classes by minimum operators, (n_samples, n_classes) (paper 000, section 4).

    m_i(x) = min( min(1, D_i(x)), min over j ≠ i of min(1, −D_j(x)) ), with one-vs-rest decision values D: 1
    where machine i and all others are sure of class i, positive where they agree on it, and not positive for
    any class where they contradict each other (the regions that signs alone leave unclassified). Two classes
    have one value D for each sample.

    Notes
    -----
    The class with the largest D has the largest membership, too: let a be the largest D and b the second.
    Its membership is min(1, a, −b), that of a class i of the others min(1, D_i, −a), and D_i ≤ b ≤ a. If
    a > b no other class reaches it, and saturation changes nothing: a membership of 1 takes D_i ≥ 1 and all
    other D ≤ −1, which only one class can have. So labels are those of the largest D; memberships add how
    far the machines agree, on one scale for all classes.
    """
    decision = np.asarray(decision, dtype=float)
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision])
    # The largest of the other classes' values is the largest of all, and the second largest for its class.
    second, largest = np.hsplit(np.partition(decision, -2, axis=1)[:, -2:], 2)
    others = np.where(np.arange(decision.shape[1]) == decision.argmax(axis=1)[:, None], second, largest)
    return np.minimum(1.0, np.minimum(decision, -others))


def unanimous(decision: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the class for which all its pairwise machines decide, or −1 (paper 001, section 4), shape (...).

    ``decision``, of shape (..., n_machines), has pairwise values in the order (0, 1), (0, 2), …, the first
    class positive; of two classes it has the shape (...), the second class positive. A value of exactly zero
    is for neither class.
    """
    check_decided(decision)
    if n_classes == 2:
        return np.where(decision == 0, REJECTED, (decision > 0).astype(int))
    wins = _sum_of_pairs(decision > 0, decision < 0, n_classes)
    return np.where(wins.max(axis=-1) == n_classes - 1, wins.argmax(axis=-1), REJECTED)


_OVR = Strategy("ovr", lambda decision, n_classes: vote(decision, np.arange(n_classes), "ovr"))
#: Names that `SVC` and `GridSearchSVC` take as ``multiclass``. The largest membership is at the largest
#: decision value (see `fuzzy_membership`), which also settles ties between memberships.
STRATEGIES = {
    "ovo": Strategy("ovo", lambda decision, n_classes: vote(decision, np.arange(n_classes), "ovo")),
    "ovr": _OVR,
    "ovr-fuzzy": _OVR,
    "ovo-reject": Strategy("ovo", unanimous, rejects=True),
}


def decide_index(decision: np.ndarray, n_classes: int, strategy: str) -> np.ndarray:
    """Class indices of shape (...), as `decide_labels` has them, but independent of the order of the classes.

    Between classes of equal votes the sums of their decision values decide, as with ``break_ties``.
    """
    if strategy == "ovo" and n_classes > 2:
        # The values of one machine stand together in paths, so that this is no copy.
        by_pair = np.ascontiguousarray(np.moveaxis(decision, -1, 0), dtype=float)
        found = np.empty(by_pair[0].size, np.int32)
        _native.vote(by_pair.reshape(len(by_pair), -1), n_classes, found)
        return found.reshape(by_pair.shape[1:])
    return STRATEGIES[strategy].decide(decision, n_classes)


def decide_labels(
    decision: np.ndarray, classes: np.ndarray, strategy: str, reject_label: object = None
) -> np.ndarray:
    """Turn decision values (as in `vote`) into labels of shape (...) by the rule of a key of `STRATEGIES`.

    ``reject_label`` is that of rejected samples, as from `choose_reject_label`.
    """
    return labels_at(STRATEGIES[strategy].decide(decision, len(classes)), classes, strategy, reject_label)


def labels_at(
    index: np.ndarray, classes: np.ndarray, strategy: str, reject_label: object = None
) -> np.ndarray:
    """Labels of class indices of any shape; the index −1 is that of rejected samples."""
    if not STRATEGIES[strategy].rejects:
        return classes[index]
    # Strings may need more room, and unsigned integers a sign; the last label is that of index −1.
    dtype = object if classes.dtype.kind == "O" else None
    return np.append(classes, np.array([reject_label], dtype=dtype))[index]


def choose_reject_label(reject_label: object, classes: np.ndarray, strategy: str, owner: str) -> Any:
    """Return the label of rejected samples: the given one, or −1 for numbers; None if none is rejected."""
    if not STRATEGIES[strategy].rejects:
        return None
    kind = classes.dtype.kind
    if kind == "b":
        raise ValueError(
            f"multiclass={strategy!r} needs a third label. Convert the boolean labels to integers."
        )
    if reject_label is None and kind not in "iuf":
        raise ValueError(
            f"multiclass={strategy!r} needs a label for rejected samples, but the labels are not numbers. "
            f"Set 'reject_label' of {owner}, for example to 'rejected'."
        )
    label = REJECTED if reject_label is None else reject_label
    if not _is_like(label, kind):
        raise ValueError(
            f"'reject_label' of {owner} must be of the same kind as the labels "
            f"({classes.tolist()[0]!r}, …), got {label!r}."
        )
    if label in classes.tolist():
        raise ValueError(
            f"Rejected samples would get the label {label!r}, which is a class. "
            f"Set 'reject_label' of {owner} to one that is not."
        )
    return label


def _is_like(label: object, kind: str) -> bool:
    """Whether a label can stand among classes of that kind; scikit-learn's are whole numbers or strings."""
    if kind in "iuf":
        return isinstance(label, numbers.Real) and float(label).is_integer()
    return kind == "O" or isinstance(label, str)


def check_strategy(multiclass: str, shape: str) -> None:
    """Refuse decision values that the machines of a strategy do not have."""
    if (STRATEGIES[multiclass].machines, shape) == ("ovr", "ovo"):
        raise ValueError(
            f"multiclass={multiclass!r} has no pairwise values; set decision_function_shape='ovr'."
        )


def shown_values(values: np.ndarray, n_classes: int, shape: str, machines: str) -> np.ndarray:
    """Return decision values as ``decision_function`` shows them, for a shape and the machines trained.

    One value per class from those of the pairs is scikit-learn's: votes + s / (3 (|s| + 1)), a share below ½
    that ranks equal votes, with s the sum of the signed decision values of a class. Values have the shape
    (n_samples, n_machines), or (n_samples,) for two classes.
    """
    if n_classes == 2:
        return values.ravel()
    if (shape, machines) != ("ovr", "ovo"):
        return values
    votes, sums = _sum_of_pairs(values >= 0, values < 0, n_classes), _sum_of_pairs(values, None, n_classes)
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))
