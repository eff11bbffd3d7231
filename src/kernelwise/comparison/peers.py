"""What `compare` runs beside ours: the ways people tune an SVC or SVR today, forests, boosting and others.

Trees go by the order of the values of a feature, so that they get features as they are, without scaling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from kernelwise._core.threads import number_of_threads
from kernelwise._core.typing import MatrixLike
from kernelwise.comparison.cells import Splits

#: Paper 004's grid (Yin and Yin 2016): σ = 2⁻⁸ … 2⁹ and C = 2⁻¹ … 2¹⁶, both in half steps.
GAMMAS = 0.5 / (2.0 ** np.arange(-8.0, 9.25, 0.5)) ** 2
CS = 2.0 ** np.arange(-1.0, 16.25, 0.5)
#: LIBSVM's own grid: log₂γ = 3, 1, …, −15 and log₂C = −5, −3, …, 15.
LIBSVM_GRID = {"gamma": 2.0 ** np.arange(-15, 4, 2), "C": 2.0 ** np.arange(-5, 16, 2)}
DRAWS = {
    "gamma": loguniform(float(GAMMAS.min()), float(GAMMAS.max())),
    "C": loguniform(float(CS.min()), float(CS.max())),
}
#: Folds of every search, and points of one that draws them.
N_FOLDS, N_POINTS = 5, 60
#: Where the parameters of the machine are in `to_be_tuned`.
PREFIX = {"classification": "svc__", "regression": "regressor__svr__"}


def scaled_svc() -> Any:
    """Standardised features and scikit-learn's SVC with its defaults."""
    return make_pipeline(StandardScaler(), SVC())


def scaled_svr() -> Any:
    """Standardised features and scikit-learn's SVR with its defaults."""
    return make_pipeline(StandardScaler(), SVR())


def to_be_tuned(task: str) -> Any:
    """What the searches tune; the targets of a regression are standardised, for C and ε have their units."""
    if task == "classification":
        return scaled_svc()
    return TransformedTargetRegressor(scaled_svr(), transformer=StandardScaler())


def named(grid: dict[str, Any], task: str) -> dict[str, Any]:
    """Parameters of the machine under their names in `to_be_tuned`."""
    return {f"{PREFIX[task]}{name}": values for name, values in grid.items()}


def searched(by: Callable[..., Any], grid: dict[str, Any], task: str, seed: int, **settings: Any) -> Any:
    """An SVC or SVR with a search of scikit-learn, such as GridSearchCV, over these parameters."""
    return by(to_be_tuned(task), named(grid, task), cv=_folds(N_FOLDS, seed, task), **settings)


def halving(task: str, seed: int) -> Any:
    """HalvingGridSearchCV over LIBSVM's grid, with its defaults."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    return searched(HalvingGridSearchCV, LIBSVM_GRID, task, seed, random_state=seed)


class _Optuna(BaseEstimator):
    """Optuna's tree-structured Parzen estimator over the range of paper 004's grid."""

    task = ""

    def __init__(
        self,
        n_trials: int = N_POINTS,
        n_folds: int = N_FOLDS,
        random_state: int = 0,
        cv: Splits | None = None,
    ) -> None:
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Search, then train the best on all samples."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        folds = _folds(self.n_folds, self.random_state, self.task) if self.cv is None else self.cv
        n_folds = self.n_folds if self.cv is None else len(self.cv)

        def cost(trial: Any) -> float:
            gamma = trial.suggest_float("gamma", float(GAMMAS.min()), float(GAMMAS.max()), log=True)
            C = trial.suggest_float("C", float(CS.min()), float(CS.max()), log=True)
            model = to_be_tuned(self.task).set_params(**named({"gamma": gamma, "C": C}, self.task))
            return float(cross_val_score(model, X, y, cv=folds).mean())

        sampler = optuna.samplers.TPESampler(seed=self.random_state)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.optimize(cost, n_trials=self.n_trials)
        best = named(study.best_params, self.task)
        self.best_estimator_ = clone(to_be_tuned(self.task)).set_params(**best).fit(X, y)
        self.best_params_, self.best_score_ = best, study.best_value
        self.n_svm_fits_ = self.n_trials * n_folds + 1
        return self

    def predict(self, X: MatrixLike) -> np.ndarray:
        """What the best machine answers."""
        return self.best_estimator_.predict(X)


class OptunaSVC(ClassifierMixin, _Optuna):
    """Optuna for classes."""

    task = "classification"

    @property
    def classes_(self) -> np.ndarray:
        """Labels in the order of the best machine."""
        return self.best_estimator_.classes_


class OptunaSVR(RegressorMixin, _Optuna):
    """Optuna for numbers."""

    task = "regression"


def _folds(n_folds: int, random_state: int, task: str) -> Any:
    splitter = StratifiedKFold if task == "classification" else KFold
    return splitter(n_folds, shuffle=True, random_state=random_state)


#: Share of the training rows that xRFM chooses its rounds by; it asks for rows of its own to do that.
XRFM_VALIDATION = 0.2


class _OfLibrary(BaseEstimator):
    """A library's model with its defaults behind scikit-learn's interface; it sees plain arrays."""

    task = ""

    def __init__(self, library: str = "lightgbm", random_state: int = 0, n_jobs: int | None = None) -> None:
        self.library = library
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: MatrixLike, y: np.ndarray) -> None:
        make = MODELS[self.library]
        self.model_ = make(self.task, self.random_state, number_of_threads(self.n_jobs))
        self.model_.fit(_plain(X), y)


class LibraryClassifier(ClassifierMixin, _OfLibrary):
    """For classes: the library sees 0, 1, …, for CatBoost would answer texts for some labels."""

    task = "classification"

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Train on X of shape (n_samples, n_features) and labels of shape (n_samples,)."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.library in TWO_CLASSES and len(self.classes_) > 2:
            raise ValueError(f"{self.library} takes two classes, not {len(self.classes_)}.")
        self._fit(X, codes)
        return self

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Labels of shape (n_samples,)."""
        return self.classes_[np.asarray(self.model_.predict(_plain(X))).ravel().astype(int)]

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Probabilities of shape (n_samples, n_classes)."""
        return np.asarray(self.model_.predict_proba(_plain(X)), dtype=np.float64)


class LibraryRegressor(RegressorMixin, _OfLibrary):
    """For numbers."""

    task = "regression"

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Train on X of shape (n_samples, n_features) and targets of shape (n_samples,)."""
        self._fit(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Numbers of shape (n_samples,)."""
        return np.asarray(self.model_.predict(_plain(X)), dtype=np.float64).ravel()


#: Rivals as they come, by task.
FOREST = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}
BOOSTING = {"classification": HistGradientBoostingClassifier, "regression": HistGradientBoostingRegressor}
OPTUNA = {"classification": OptunaSVC, "regression": OptunaSVR}
LIBRARY = {"classification": LibraryClassifier, "regression": LibraryRegressor}


class _XRFM:
    """xRFM of standardised features; a part of the training rows chooses its rounds."""

    def __init__(self, task: str, random_state: int, n_threads: int) -> None:
        self.task, self.random_state, self.n_threads = task, random_state, n_threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        """Train on X of shape (n_samples, n_features); numbers are standardised, too, for its ridge."""
        from xrfm import xRFM

        is_classes = self.task == "classification"
        self.scaler = StandardScaler().fit(X)
        self.shift = 0.0 if is_classes else float(y.mean())
        self.scale = 1.0 if is_classes else float(y.std()) or 1.0
        targets = y if is_classes else (y - self.shift) / self.scale
        can_stratify = is_classes and np.bincount(y).min() > 1
        train, test, seen, unseen = train_test_split(
            self.scaler.transform(X).astype(np.float32),
            targets,
            test_size=XRFM_VALIDATION,
            random_state=self.random_state,
            stratify=y if can_stratify else None,
        )
        self.model = xRFM(random_state=self.random_state, n_threads=self.n_threads, verbose=False)
        self.model.fit(train, seen, test, unseen)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Codes of classes, or numbers, of shape (n_samples,)."""
        answers = np.asarray(self.model.predict(self.scaler.transform(X).astype(np.float32))).ravel()
        return answers if self.task == "classification" else self.shift + self.scale * answers

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of shape (n_samples, n_classes)."""
        return self.model.predict_proba(self.scaler.transform(X).astype(np.float32))


def _lightgbm(task: str, random_state: int, n_threads: int) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    return kind(random_state=random_state, n_jobs=n_threads, verbosity=-1)


def _xgboost(task: str, random_state: int, n_threads: int) -> Any:
    import xgboost

    kind = xgboost.XGBClassifier if task == "classification" else xgboost.XGBRegressor
    return kind(random_state=random_state, n_jobs=n_threads)


def _catboost(task: str, random_state: int, n_threads: int) -> Any:
    import catboost

    kind = catboost.CatBoostClassifier if task == "classification" else catboost.CatBoostRegressor
    return kind(random_seed=random_state, thread_count=n_threads, verbose=False, allow_writing_files=False)


def _ebm(task: str, random_state: int, n_threads: int) -> Any:
    from interpret import glassbox

    is_classes = task == "classification"
    kind = glassbox.ExplainableBoostingClassifier if is_classes else glassbox.ExplainableBoostingRegressor
    return kind(random_state=random_state, n_jobs=n_threads)


def _realmlp(task: str, random_state: int, n_threads: int) -> Any:
    import pytabkit

    kind = pytabkit.RealMLP_TD_Classifier if task == "classification" else pytabkit.RealMLP_TD_Regressor
    return kind(random_state=random_state, n_threads=n_threads, device="cpu", verbosity=0)


def _neo_ls_svm(task: str, random_state: int, n_threads: int) -> Any:
    from neo_ls_svm import NeoLSSVM

    kind = "classifier" if task == "classification" else "regressor"
    return NeoLSSVM(estimator_type=kind, random_state=random_state)


#: What makes a model of (task, random_state, n_threads), by the name of its library.
MODELS: dict[str, Callable[[str, int, int], Any]] = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "xrfm": _XRFM,
    "ebm": _ebm,
    "realmlp": _realmlp,
    "neo-ls-svm": _neo_ls_svm,
}
#: Libraries that would silently take all classes but the first as one.
TWO_CLASSES = ("neo-ls-svm",)


def _plain(X: MatrixLike) -> Any:
    """A sparse matrix as it is; anything else as an array of shape (n_samples, n_features)."""
    return X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
