"""What a search does once all candidates are scored."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.weights import none_if_ones
from kernelwise.estimators._cv_results import select_best
from kernelwise.estimators._routing import route_score
from kernelwise.search.data.scaling import fit_transformer


class FinishedSearch(ClassifierMixin, BaseEstimator):
    """Chooses and trains the best candidate, and predicts with it.

    A subclass has the parameters ``refit`` and ``scaler``, and sets ``cv_results_`` and ``scorer_``.
    """

    refit: Any
    scaler: Any
    scoring: Any
    scorer_: Any
    cv_results_: dict[str, Any]

    @abstractmethod
    def _machine(self) -> Any:
        """The best candidate, not yet trained."""

    def predict(self, X: Any) -> np.ndarray:
        """Labels predicted by ``best_estimator_``, of shape (n_samples,)."""
        return self._best().predict(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of ``best_estimator_``, of shape (n_samples,) or (n_samples, n_classes)."""
        return self._best().decision_function(X)

    def score(self, X: Any, y: Any, **params: Any) -> float:
        """Score of ``best_estimator_`` by ``scorer_``; of several metrics, by the one ``refit`` names.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        **params
            For the scorer, such as ``sample_weight``.
        """
        best = self._best()
        if self.multimetric_ and not isinstance(self.refit, str):
            raise ValueError("With several metrics, score needs the name of one of them in 'refit'.")
        scorer = self.scorer_[self.refit] if isinstance(self.scorer_, dict) else self.scorer_
        if self.scoring is not None:
            params = route_score(self, params, self.refit if isinstance(self.scorer_, dict) else "score")
        value = scorer(best, X, y, **params)
        return value[self.refit] if isinstance(value, dict) else value

    def _best(self) -> Any:
        check_is_fitted(self, "cv_results_")
        if not self.refit:
            raise AttributeError(f"{type(self).__name__} was fitted with refit=False and has no final model.")
        return self.best_estimator_

    def _check_refit(self, metrics: Any) -> None:
        if self.refit is not False and not callable(self.refit) and self.refit not in metrics:
            raise ValueError(
                f"With several metrics 'refit' of {type(self).__name__} must be a callable, False or one of "
                f"{', '.join(map(repr, metrics))}, got {self.refit!r}."
            )

    def _trained(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> Any:
        """The best candidate, trained; weights go to its scaler, too."""
        machine = self._machine()
        if weight is None or self.scaler is None:
            return machine.fit(X, y, **({} if weight is None else {"sample_weight": weight}))
        scaler, svc = machine[0], machine[-1]
        fit_transformer(scaler, X, y, none_if_ones(weight))
        svc.fit(scaler.transform(X), y, sample_weight=weight)
        return machine

    def _choose(self, X: Any, y: np.ndarray, sample_weight: np.ndarray | None) -> None:
        """Set the ``best_`` attributes, and train the best candidate if asked to."""
        prefix = "mean_test_"
        metrics = [name.removeprefix(prefix) for name in self.cv_results_ if name.startswith(prefix)]
        self.multimetric_ = isinstance(self.scorer_, dict) or metrics != ["score"]
        if self.multimetric_:
            self._check_refit(metrics)
            if self.refit is False:
                return
        metric = self.refit if self.multimetric_ else "score"
        self.best_index_ = select_best(self.refit, metric, self.cv_results_)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = self.cv_results_[f"{prefix}{metric}"][self.best_index_]
        if self.refit:
            started = time.perf_counter()
            self.best_estimator_ = self._trained(X, y, sample_weight)
            self.refit_time_ = time.perf_counter() - started
            machine = self.best_estimator_ if self.scaler is None else self.best_estimator_[-1]
            self.n_iter_ = machine.n_iter_
