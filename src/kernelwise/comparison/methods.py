"""The table of methods that `compare` knows by name, and the answers that ignore X."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.covariance import EllipticEnvelope
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from kernelwise._core.text import in_words, meant
from kernelwise._core.typing import Estimator, Samples
from kernelwise.comparison import peers
from kernelwise.estimators import GridSearchSVC, TunedOneClassSVM, TunedSVC, TunedSVR


def full_grid(cv: int | StratifiedKFold) -> GridSearchSVC:
    """Paper 004's grid (Yin and Yin 2016) of widths and C, on features that are standardised once."""
    grid = {"gamma": peers.GAMMAS.tolist(), "C": peers.CS.tolist()}
    return GridSearchSVC(grid, scaler="standard", scaling="shared", cv=cv)


class Method(NamedTuple):
    """A method that `compare` knows by name."""

    name: str
    tasks: tuple[str, ...]
    make: Callable[[str, int], Any]  # makes an estimator from a task and a seed
    is_rival: bool = False  # it is no support vector machine
    is_usual: bool = True  # False for what has to be named: searches of SVMs, and what takes long
    takes_sparse: bool = True
    module: str = ""  # a module that may be missing, and what pip has to install for it
    package: str = ""


def _of_library(name: str, package: str, takes_sparse: bool = True, module: str = "") -> Method:
    """A library's model; trees run where the library is installed, others have to be named."""

    def make(task: str, seed: int) -> Any:
        return peers.LIBRARY[task](name, random_state=seed)

    is_usual = package == FORESTS
    return Method(name, BOTH, make, True, is_usual, takes_sparse, module=module or name, package=package)


def _search(name: str, make: Callable[[str, int], Any]) -> Method:
    """A search of an SVM's settings, which has to be named."""
    return Method(name, BOTH, make, is_usual=False)


CLASSES, NUMBERS, DETECTION = ("classification",), ("regression",), ("detection",)
BOTH = CLASSES + NUMBERS
OURS = {"classification": TunedSVC, "regression": TunedSVR, "detection": TunedOneClassSVM}
FORESTS = '"kernelwise[forests]"'
TABLE = (
    Method("kernelwise", BOTH + DETECTION, lambda task, seed: OURS[task](random_state=seed)),
    Method("SVC defaults", CLASSES, lambda task, seed: peers.scaled_svc()),
    Method("SVR defaults", NUMBERS, lambda task, seed: peers.scaled_svr()),
    Method(
        "OneClassSVM defaults",
        DETECTION,
        lambda task, seed: make_pipeline(StandardScaler(), OneClassSVM()),
        takes_sparse=False,
    ),
    _search("GridSearchCV", lambda task, seed: peers.searched(GridSearchCV, peers.LIBSVM_GRID, task, seed)),
    _search("HalvingGridSearchCV", peers.halving),
    # Over the range of paper 004's grid.
    _search(
        "random search",
        lambda task, seed: peers.searched(
            RandomizedSearchCV, peers.DRAWS, task, seed, n_iter=peers.N_POINTS, random_state=seed
        ),
    ),
    Method(
        "Optuna TPE",
        BOTH,
        lambda task, seed: peers.OPTUNA[task](random_state=seed),
        is_usual=False,
        module="optuna",
        package='"kernelwise[optuna]"',
    ),
    Method("random forest", BOTH, lambda task, seed: peers.FOREST[task](random_state=seed), is_rival=True),
    Method(
        "gradient boosting",
        BOTH,
        lambda task, seed: peers.BOOSTING[task](random_state=seed),
        is_rival=True,
        takes_sparse=False,
    ),
    _of_library("lightgbm", FORESTS),
    _of_library("xgboost", FORESTS),
    _of_library("catboost", FORESTS),
    _of_library("xrfm", "xrfm", takes_sparse=False),
    _of_library("ebm", "interpret-core", takes_sparse=False, module="interpret"),
    _of_library("realmlp", "'pytabkit[models]'", takes_sparse=False, module="pytabkit"),
    _of_library("neo-ls-svm", "neo-ls-svm", takes_sparse=False, module="neo_ls_svm"),
    Method(
        "full grid",
        CLASSES,
        lambda task, seed: full_grid(StratifiedKFold(10, shuffle=True, random_state=seed)),
        is_usual=False,
    ),
    Method(
        "isolation forest", DETECTION, lambda task, seed: IsolationForest(random_state=seed), is_rival=True
    ),
    # For rows that it was not trained on.
    Method(
        "local outlier factor",
        DETECTION,
        lambda task, seed: make_pipeline(StandardScaler(), LocalOutlierFactor(novelty=True)),
        is_rival=True,
        takes_sparse=False,
    ),
    Method(
        "elliptic envelope",
        DETECTION,
        lambda task, seed: EllipticEnvelope(random_state=seed),
        is_rival=True,
        takes_sparse=False,
    ),
)
BY_NAME = {method.name: method for method in TABLE}


def _of_task(task: str) -> dict[str, Callable[[int], Any]]:
    return {method.name: partial(method.make, task) for method in TABLE if task in method.tasks}


#: Methods by name; each makes an estimator from a seed.
METHODS: dict[str, Callable[[int], Any]] = _of_task("classification")
REGRESSION_METHODS: dict[str, Callable[[int], Any]] = _of_task("regression")
BY_TASK = {
    "classification": METHODS,
    "regression": REGRESSION_METHODS,
    "detection": _of_task("detection"),
}


class EqualScores(OutlierMixin, BaseEstimator):
    """The answer that ignores X: all rows are alike."""

    def fit(self, X: Samples, y: ArrayLike | None = None) -> Self:
        """Learn nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def decision_function(self, X: Samples) -> np.ndarray:
        """Zeros of shape (n_samples,)."""
        return np.zeros(X.shape[0])

    def predict(self, X: Samples) -> np.ndarray:
        """Ones of shape (n_samples,)."""
        return np.ones(X.shape[0], dtype=int)


#: The best answers that ignore X; the probabilities are the shares of the classes.
BASELINES: dict[str, tuple[str, Any]] = {
    "classification": ("most frequent class", DummyClassifier(strategy="prior")),
    "regression": ("mean", DummyRegressor(strategy="mean")),
    "detection": ("all rows alike", EqualScores()),
}


#: A library is as near to another as rfb is to rbf, but it does not mean it.
VERY_NEAR = 0.7


def check_method(name: object, known: Mapping[str, Any]) -> None:
    """Raise if `compare` does not know a method of that name."""
    if name in known:
        return
    raise ValueError(
        f"compare does not support the method {name!r}.{meant(name, known, VERY_NEAR)} It supports "
        f"{in_words(list(known))}. To compare an estimator of your own, pass a dict such as "
        f"{{{name!r}: estimator}}."
    )


def estimators(
    methods: str | Sequence[str] | Mapping[str, Estimator] | None,
    task: str,
    random_state: int,
    n_jobs: int | None = None,
    is_sparse: bool = False,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Estimators by name, and the names of usual ones that cannot be run, with the reason.

    Raises
    ------
    ValueError
        If a method that is asked for is unknown or cannot be run.
    """
    if isinstance(methods, Mapping):
        return dict(methods), {}
    known = BY_TASK[task]
    methods = [methods] if isinstance(methods, str) else methods
    names = [name for name in known if _is_run(BY_NAME[name])] if methods is None else list(methods)
    for name in names:
        check_method(name, known)
    skipped = {name: why for name in names if (why := _hindrance(name, is_sparse))}
    if skipped and methods is not None:
        name, why = next(iter(skipped.items()))
        raise ValueError(f"The method {name!r} cannot be run: {why}")
    return {name: _made(known[name], random_state, n_jobs) for name in names if name not in skipped}, skipped


def _is_run(method: Method) -> bool:
    """Whether a method is run if nobody names one; libraries only where they are installed."""
    return method.is_usual and (not method.module or find_spec(method.module) is not None)


def _hindrance(name: str, is_sparse: bool) -> str:
    """Why a method cannot be run; empty if it can."""
    method = BY_NAME[name]
    if method.module and find_spec(method.module) is None:
        return f"{method.module} is not installed (pip install {method.package})."
    return "it does not accept sparse data." if is_sparse and not method.takes_sparse else ""


def _made(make: Callable[[int], Any], random_state: int, n_jobs: int | None) -> Any:
    estimator = make(random_state)
    has_jobs = "n_jobs" in estimator.get_params(deep=False)
    return estimator.set_params(n_jobs=n_jobs) if has_jobs else estimator
