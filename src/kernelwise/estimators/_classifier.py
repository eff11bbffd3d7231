"""Classifiers on the decision values of two-class machines: labels, shown values and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.labels import check_are_classes
from kernelwise._core.reading import read_samples
from kernelwise._core.typing import RowsLike
from kernelwise._core.validation import check_choice, check_range
from kernelwise.estimators.kernel_argument import is_plain_function
from kernelwise.multiclass import STRATEGIES, labels_at, shown_values, two_class_problems
from kernelwise.solvers.probability import (
    class_probabilities,
    decide,
    log_odds,
    log_of,
    shown_odds,
)

#: What labels go by, where there are probabilities: the largest one, or votes and signs as in LIBSVM.
RULES = ("probability", "decision")


def check_rule(predict_by: object, owner: str) -> None:
    """Raise unless labels can go by it."""
    check_choice(predict_by, "predict_by", owner, RULES)


class DecisionClassifier(ClassifierMixin):
    """A classifier whose labels and probabilities come from the decision values of its two-class machines.

    The other base class has ``machine_values`` (see `KernelMachine`), and ``fit`` sets the attributes below:
    ``_strategy`` is the value that ``multiclass`` had, ``_sigmoids`` has the shape (n_machines, 2), or is
    None if there are no probabilities.
    """

    machine_values: Any
    _input: Any

    kernel: Any
    decision_function_shape: str
    predict_by: str
    classes_: np.ndarray
    reject_label_: Any
    _strategy: str
    _sigmoids: np.ndarray | None
    #: Of a wrong answer, (n_classes, n_classes), by true class and answer; None for the most likely class.
    _costs: np.ndarray | None = None

    def _check_training(self, X: RowsLike, y: ArrayLike) -> tuple[Any, np.ndarray]:
        """Check samples and labels; a plain function takes samples of any kind."""
        samples: Any = X
        if is_plain_function(self.kernel):
            check_consistent_length(X, y)
        else:
            samples, y = read_samples(self, X, y, **self._input())
            check_range(samples)
        labels = column_or_1d(y, warn=True)
        check_are_classes(labels)
        return samples, labels

    @property
    def multiclass_(self) -> str:
        """Strategy of the last fit, a key of `STRATEGIES`."""
        return self._strategy

    @property
    def machines_(self) -> str:
        """The two-class models of the last fit: "ovo" (pairs) or "ovr" (one class against the rest)."""
        return STRATEGIES[self.multiclass_].machines

    @property
    def n_machines_(self) -> int:
        """Number of two-class models."""
        return len(two_class_problems(len(self.classes_), self.machines_))

    @property
    def sigmoids_(self) -> Any:
        """Platt's sigmoids, an array of shape (n_machines, 2), or None if there are no probabilities."""
        return self._sigmoids

    @property
    def costs_(self) -> Any:
        """Costs of wrong answers, an array of shape (n_classes, n_classes): true class, answer; or None."""
        return self._costs

    @property
    def goes_by_probability_(self) -> bool:
        """Whether `predict` and `decision_function` use probabilities: ``predict_by``, if there are any."""
        check_rule(self.predict_by, type(self).__name__)
        return self.sigmoids_ is not None and self.predict_by == "probability"

    def decision_function(self, X: RowsLike) -> np.ndarray:
        """Values from which `predict` decides: (n_samples,), or (n_samples, n_classes or n_machines).

        For two classes, a positive value means ``classes_[1]``. For more classes, ``decision_function_shape``
        sets the shape; "ovr-fuzzy" has the values of one-vs-rest. If the model has probabilities and
        ``predict_by="probability"``, the values are log odds: log(p/(1 − p)) of every two-class model, or
        log(p_k / largest other p) if pairs give one value for each class. Otherwise they are LIBSVM's values.
        """
        return self._shown_decision(self.machine_values(X))

    def _shown_decision(self, values: np.ndarray) -> np.ndarray:
        """What `decision_function` makes of values of the machines, of shape (n_samples, n_machines)."""
        n_classes = len(self.classes_)
        if self.goes_by_probability_:
            odds = log_odds(values, self.sigmoids_)
            return shown_odds(odds, n_classes, self.decision_function_shape, self.machines_, self._costs)
        return shown_values(values, n_classes, self.decision_function_shape, self.machines_)

    def predict(self, X: RowsLike) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples.

        If the model has probabilities, the label is the class with the largest one (the first of equal ones),
        unless ``predict_by="decision"``.
        """
        values = self.machine_values(X)
        sigmoids = self.sigmoids_ if self.goes_by_probability_ else None
        index = decide(values, sigmoids, len(self.classes_), self.multiclass_, self._costs)
        return labels_at(index, self.classes_, self.multiclass_, self.reject_label_)

    def predict_proba(self, X: RowsLike) -> np.ndarray:
        """Class probabilities of shape (n_samples, n_classes), from sigmoids on held-out decision values.

        With class weights they are those of a population in which the classes have these weights.
        """
        odds = log_odds(self.machine_values(X), self.sigmoids_)
        return class_probabilities(odds, len(self.classes_), self.machines_)

    def predict_log_proba(self, X: RowsLike) -> np.ndarray:
        """Logarithms of `predict_proba`, of shape (n_samples, n_classes)."""
        return log_of(self.predict_proba(X))


def has_probability(estimator: Any) -> bool:
    """Whether an SVC was asked for probabilities; raises otherwise."""
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


def has_membership(estimator: Any) -> bool:
    """Whether the machines of an SVC are one-vs-rest; raises otherwise."""
    if estimator.multiclass not in ("ovr", "ovr-fuzzy"):
        raise AttributeError("membership is only available for one-vs-rest machines (multiclass='ovr-fuzzy')")
    return True
