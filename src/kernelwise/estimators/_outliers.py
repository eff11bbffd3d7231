"""What one-class machines answer: scores, decision values, and 1 or −1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from kernelwise.estimators._machine import KernelMachine


class OutlierMachine(OutlierMixin, KernelMachine):
    """A machine of one class, whose score Σ β_i k(x_i, x) is low for outliers."""

    @property
    def offset_(self) -> np.ndarray:
        """What decision values are scores less of, of shape (1,): ``-intercept_``."""
        check_is_fitted(self)
        return -self.intercept_

    def score_samples(self, X: Any) -> np.ndarray:
        """Scores of shape (n_samples,), lower for stranger samples."""
        check_is_fitted(self)
        return self._sums(X, np.zeros(1)).ravel()

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores less ``offset_``, of shape (n_samples,): negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for inliers, whose decision value is not negative, and −1 for outliers, of shape (n_samples,)."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)
