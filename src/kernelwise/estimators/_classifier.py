"""Classifiers on the decision values of two-class machines: labels, shown values and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.labels import check_are_classes
from kernelwise._core.reading import read_samples
from kernelwise._core.validation import check_range
from kernelwise.estimators._probability import class_probabilities, log_of
from kernelwise.estimators.kernel_choice import is_plain_function
from kernelwise.multiclass import STRATEGIES, decide_labels, shown_values, two_class_problems


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
    classes_: np.ndarray
    reject_label_: Any
    _strategy: str
    _sigmoids: np.ndarray | None

    def _check_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Check samples and labels; a plain function takes samples of any kind."""
        if is_plain_function(self.kernel):
            check_consistent_length(X, y)
        else:
            X, y = read_samples(self, X, y, **self._input())
            check_range(X)
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        return X, y

    @property
    def multiclass_(self) -> str:
        """Strategy of the last fit, a key of `STRATEGIES`."""
        return self._strategy

    @property
    def machines_(self) -> str:
        """Machines of the last fit: "ovo" or "ovr"."""
        return STRATEGIES[self.multiclass_].machines

    @property
    def n_machines_(self) -> int:
        """Number of two-class machines."""
        return len(two_class_problems(len(self.classes_), self.machines_))

    @property
    def sigmoids_(self) -> Any:
        """Platt's sigmoids, an array of shape (n_machines, 2), or None if there are no probabilities."""
        return self._sigmoids

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of shape (n_samples,), or (n_samples, n_classes or n_machines), as in scikit-learn.

        Two classes: positive for ``classes_[1]``. More: see ``decision_function_shape``; the values of
        one-vs-rest machines are those of "ovr-fuzzy", too.
        """
        values = self.machine_values(X)
        return shown_values(values, len(self.classes_), self.decision_function_shape, self.machines_)

    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples."""
        values = self.machine_values(X)
        values = values.ravel() if len(self.classes_) == 2 else values
        return decide_labels(values, self.classes_, self.multiclass_, self.reject_label_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities of shape (n_samples, n_classes), from sigmoids on held-out decision values."""
        values = self.machine_values(X)
        return class_probabilities(values, self.sigmoids_, len(self.classes_), self.machines_)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`, of shape (n_samples, n_classes)."""
        return log_of(self.predict_proba(X))
