"""The error of a search's machines on samples that the search never sees."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_samples
from kernelwise.criteria.base import SearchState
from kernelwise.kernels import Kernel
from kernelwise.multiclass import vote


class UnseenSamples:
    """Samples that a search never sees, to be predicted by the machines that it trains."""

    def __init__(self, X: Any, y: Any, X_train: Any, y_train: np.ndarray) -> None:
        self.X = check_samples(X, "The X of test")
        self.y = np.asarray(y).ravel()
        if self.X.shape != (len(self.y), X_train.shape[1]):
            raise ValueError(
                f"test must be samples with {X_train.shape[1]} features and one label each, got an X of "
                f"shape {self.X.shape} and {len(self.y)} labels."
            )
        self.X_train = X_train
        self.classes = np.unique(y_train)

    def error(self, kernel: Kernel, memory: SearchState) -> float:
        """Share of the samples that the machines in ``memory`` get wrong."""
        support = np.unique(np.concatenate([machine.rows for machine in memory.machines]))
        K = kernel(self.X, self.X_train[support])
        columns = [
            K[:, np.searchsorted(support, machine.rows)] @ machine.beta + machine.intercept
            for machine in memory.machines
        ]
        decision = np.column_stack(columns)
        labels = vote(decision[:, 0] if len(self.classes) == 2 else decision, self.classes, memory.strategy)
        return float(np.mean(labels != self.y))
