"""What an export reads of a fitted machine, whose class is in a room above."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from kernelwise._core.typing import Samples


class FittedMachine(Protocol):
    """A fitted machine; one of numbers has no classes, and one of classes no ε."""

    C: float
    beta_: np.ndarray
    break_ties: bool
    classes_: np.ndarray
    coef_: np.ndarray
    decision_function_shape: str
    dual_coef_: np.ndarray
    epsilon: float
    fit_status_: int
    intercept_: np.ndarray
    kernel: Any
    kernel_: Any
    machines_: str
    max_iter: int
    multiclass_: str
    n_features_in_: int
    n_iter_: np.ndarray
    n_support_: np.ndarray
    n_trained_: int
    support_: np.ndarray
    support_vectors_: Samples
    tol: float

    def predict(self, X: Samples) -> np.ndarray: ...
    def machine_values(self, X: Samples) -> np.ndarray: ...
