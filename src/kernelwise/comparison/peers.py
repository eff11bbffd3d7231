"""The ways people tune an SVC today, as estimators: what `compare` runs beside ours."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

#: Paper 004's grid (Yin and Yin 2016): σ = 2⁻⁸ … 2⁹ and C = 2⁻¹ … 2¹⁶, both in half steps.
GAMMAS = 0.5 / (2.0 ** np.arange(-8.0, 9.25, 0.5)) ** 2
CS = 2.0 ** np.arange(-1.0, 16.25, 0.5)
#: LIBSVM's own grid: log₂γ = 3, 1, …, −15 and log₂C = −5, −3, …, 15.
LIBSVM_GRID = {"svc__gamma": 2.0 ** np.arange(-15, 4, 2), "svc__C": 2.0 ** np.arange(-5, 16, 2)}
DRAWS = {
    "svc__gamma": loguniform(float(GAMMAS.min()), float(GAMMAS.max())),
    "svc__C": loguniform(float(CS.min()), float(CS.max())),
}


def scaled_svc() -> Any:
    """Standardised features and scikit-learn's SVC with its defaults."""
    return make_pipeline(StandardScaler(), SVC())


def grid_search(n_folds: int = 5, random_state: int = 0) -> Any:
    """GridSearchCV over LIBSVM's grid."""
    return GridSearchCV(scaled_svc(), LIBSVM_GRID, cv=_folds(n_folds, random_state))


def halving(n_folds: int = 5, random_state: int = 0) -> Any:
    """HalvingGridSearchCV over LIBSVM's grid, with its defaults."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    return HalvingGridSearchCV(
        scaled_svc(), LIBSVM_GRID, cv=_folds(n_folds, random_state), random_state=random_state
    )


def random_search(n_iter: int = 60, n_folds: int = 5, random_state: int = 0) -> Any:
    """RandomizedSearchCV over the range of paper 004's grid."""
    return RandomizedSearchCV(
        scaled_svc(), DRAWS, n_iter=n_iter, cv=_folds(n_folds, random_state), random_state=random_state
    )


class OptunaSVC(ClassifierMixin, BaseEstimator):
    """Optuna's tree-structured Parzen estimator over the range of paper 004's grid."""

    def __init__(self, n_trials: int = 60, n_folds: int = 5, random_state: int = 0) -> None:
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Search, then train the best on all samples."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        folds = _folds(self.n_folds, self.random_state)

        def cost(trial: Any) -> float:
            gamma = trial.suggest_float("gamma", float(GAMMAS.min()), float(GAMMAS.max()), log=True)
            C = trial.suggest_float("C", float(CS.min()), float(CS.max()), log=True)
            model = scaled_svc().set_params(svc__gamma=gamma, svc__C=C)
            return float(cross_val_score(model, X, y, cv=folds).mean())

        sampler = optuna.samplers.TPESampler(seed=self.random_state)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.optimize(cost, n_trials=self.n_trials)
        best = {f"svc__{name}": value for name, value in study.best_params.items()}
        self.best_estimator_ = clone(scaled_svc()).set_params(**best).fit(X, y)
        self.best_params_, self.best_score_ = best, study.best_value
        self.classes_ = self.best_estimator_.classes_
        self.n_svm_fits_ = self.n_trials * self.n_folds + 1
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the best machine."""
        return self.best_estimator_.predict(X)


def n_machines(model: Any) -> int:
    """How many times a fitted search trained an SVC (one-vs-one machines of one SVC count once)."""
    if hasattr(model, "cv_results_"):  # ours have n_svm_fits_, too, which counts one-vs-one machines
        return len(model.cv_results_["params"]) * int(model.n_splits_) + 1
    return int(getattr(model, "n_svm_fits_", 1))


def _folds(n_folds: int, random_state: int) -> StratifiedKFold:
    return StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
