"""Scores of held-out predictions of distinct rows, each with its weight."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from kernelwise._core.sklearn_compat import safe_indexing


class KnownPredictions(RegressorMixin, BaseEstimator):
    """What a scorer is given in the place of a machine: its predictions are at hand."""

    def __init__(self, predictions: Any = None) -> None:
        self.predictions = predictions

    def predict(self, X: Any) -> np.ndarray:
        """The predictions, whatever the samples."""
        return self.predictions

    def __sklearn_is_fitted__(self) -> bool:
        return True


class RegressionScorer:
    """Scores the predictions for one fold along a path of C.

    Parameters
    ----------
    scorer : callable or None
        scikit-learn's ``scorer(estimator, X, y)``. None is 1 − (mean squared error) / (variance of all y):
        the mean over the folds is R² of all held-out predictions, and a fold of one row has a score, too.
    samples : array or CSR matrix of shape (n_rows, n_features)
        As the user passed them.
    target, weight : ndarray of shape (n_rows,)
        Standardised targets, and weights.
    mean, deviation : float
        Of the user's targets.
    """

    def __init__(
        self,
        scorer: Any,
        samples: Any,
        target: np.ndarray,
        weight: np.ndarray,
        mean: float,
        deviation: float,
    ) -> None:
        self.scorer, self.samples, self.target = scorer, samples, target
        self.mean, self.deviation = mean, deviation
        # Whole-number weights are repeated rows, which every scorer understands.
        self.repeats = bool((weight == np.floor(weight)).all())
        self.passes_weights = not self.repeats and takes_weights(scorer)
        if scorer is not None and not self.repeats and not self.passes_weights:
            warnings.warn(
                f"The scoring {scorer} does not support sample_weight: its scores are unweighted, although "
                "the machines are not.",
                stacklevel=5,
            )

    def __call__(self, predictions: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Scores of shape (n_Cs,).

        Parameters
        ----------
        predictions : ndarray of shape (n_Cs, n_test)
            Standardised.
        rows : ndarray of shape (n_test,)
        weight : ndarray of shape (n_test,)
        """
        if self.scorer is None:
            return 1.0 - np.average((predictions - self.target[rows]) ** 2, axis=1, weights=weight)
        if self.repeats:
            copies = weight.astype(int)
            predictions, rows = np.repeat(predictions, copies, axis=1), np.repeat(rows, copies)
        X, y = safe_indexing(self.samples, rows), self._own_units(self.target[rows])
        extra = {"sample_weight": weight} if self.passes_weights else {}
        scores = [self.scorer(KnownPredictions(self._own_units(row)), X, y, **extra) for row in predictions]
        return np.array(scores, dtype=float)

    def _own_units(self, values: np.ndarray) -> np.ndarray:
        return self.mean + self.deviation * values


def takes_weights(scorer: Any) -> bool:
    """Whether a scorer takes sample weights; one from scikit-learn does if its function does."""
    function: Any = getattr(scorer, "_score_func", scorer)
    return scorer is not None and "sample_weight" in signature(function).parameters
