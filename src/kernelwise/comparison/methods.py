"""Methods that `compare` knows by name: what differs between classes and numbers is the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.text import in_words, meant
from kernelwise.comparison import detectors, forests, peers
from kernelwise.estimators import GridSearchSVC, TunedOneClassSVM, TunedSVC, TunedSVR


def full_grid(cv: Any) -> GridSearchSVC:
    """Paper 004's grid (Yin and Yin 2016) of widths and C, on features that are standardised once."""
    grid = {"gamma": peers.GAMMAS.tolist(), "C": peers.CS.tolist()}
    return GridSearchSVC(grid, scaler="standard", scaling="shared", cv=cv)


def _searches(task: str) -> dict[str, Callable[[int], Any]]:
    return {
        "GridSearchCV": lambda seed: peers.grid_search(task=task, random_state=seed),
        "HalvingGridSearchCV": lambda seed: peers.halving(task=task, random_state=seed),
        "random search": lambda seed: peers.random_search(task=task, random_state=seed),
    }


def _rivals(task: str) -> dict[str, Callable[[int], Any]]:
    return {
        "random forest": lambda seed: forests.random_forest(task, seed),
        "gradient boosting": lambda seed: forests.gradient_boosting(task, seed),
        "lightgbm": lambda seed: forests.of_library("lightgbm", task, seed),
        "catboost": lambda seed: forests.of_library("catboost", task, seed),
        "xrfm": lambda seed: forests.of_library("xrfm", task, seed),
    }


#: Methods by name; each makes an estimator from a seed.
METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedSVC(random_state=seed),
    "SVC defaults": lambda seed: peers.scaled_svc(),
    **_searches("classification"),
    "Optuna TPE": lambda seed: peers.OptunaSVC(random_state=seed),
    **_rivals("classification"),
    "full grid": lambda seed: full_grid(StratifiedKFold(10, shuffle=True, random_state=seed)),
}
REGRESSION_METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedSVR(random_state=seed),
    "SVR defaults": lambda seed: peers.scaled_svr(),
    **_searches("regression"),
    "Optuna TPE": lambda seed: peers.OptunaSVR(random_state=seed),
    **_rivals("regression"),
}
DETECTION_METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedOneClassSVM(random_state=seed),
    "OneClassSVM defaults": lambda seed: detectors.one_class_defaults(),
    "isolation forest": lambda seed: detectors.isolation_forest(seed),
    "local outlier factor": lambda seed: detectors.local_outlier_factor(),
    "elliptic envelope": lambda seed: detectors.elliptic_envelope(seed),
}
BY_TASK = {
    "classification": METHODS,
    "regression": REGRESSION_METHODS,
    "detection": DETECTION_METHODS,
}
#: Methods that are no support vector machine: of classes and numbers, and of unusual rows.
RIVALS = tuple(_rivals("classification"))
DETECTORS = ("isolation forest", "local outlier factor", "elliptic envelope")
#: What is run only if it is named: it takes long, or does not come with scikit-learn.
BY_NAME_ONLY = ("full grid", "lightgbm", "catboost", "xrfm")
#: Modules that may be missing, and what pip has to install for them.
MODULES = {
    "Optuna TPE": ("optuna", "'kernelwise[optuna]'"),
    "lightgbm": ("lightgbm", "'kernelwise[forests]'"),
    "catboost": ("catboost", "'kernelwise[forests]'"),
    "xrfm": ("xrfm", "xrfm"),
}
#: What takes no sparse matrix.
DENSE_ONLY = (
    "gradient boosting",
    "xrfm",
    "elliptic envelope",
    "OneClassSVM defaults",
    "local outlier factor",
)
#: The best answers that ignore X; the probabilities are the shares of the classes.
BASELINES: dict[str, tuple[str, Any]] = {
    "classification": ("most frequent class", DummyClassifier(strategy="prior")),
    "regression": ("mean", DummyRegressor(strategy="mean")),
    "detection": ("all rows alike", detectors.EqualScores()),
}


#: xgboost is as near to catboost as rfb is to rbf, but it does not mean it.
VERY_NEAR = 0.7


def check_method(name: Any, known: Mapping[str, Any]) -> None:
    """Raise if `compare` does not know a method of that name."""
    if name in known:
        return
    raise ValueError(
        f"compare does not support the method {name!r}.{meant(name, known, VERY_NEAR)} It supports "
        f"{in_words(list(known))}. To compare an estimator of your own, pass a dict such as "
        f"{{{name!r}: estimator}}."
    )


def estimators(
    methods: Any, task: str, random_state: int, n_jobs: int | None = None, is_sparse: bool = False
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
    names = [name for name in known if name not in BY_NAME_ONLY] if methods is None else list(methods)
    for name in names:
        check_method(name, known)
    skipped = {name: why for name in names if (why := _hindrance(name, is_sparse))}
    if skipped and methods is not None:
        name, why = next(iter(skipped.items()))
        raise ValueError(f"The method {name!r} cannot be run: {why}")
    return {name: _made(known[name], random_state, n_jobs) for name in names if name not in skipped}, skipped


def _hindrance(name: str, is_sparse: bool) -> str:
    """Why a method cannot be run; empty if it can."""
    module, package = MODULES.get(name, ("", ""))
    if module and find_spec(module) is None:
        return f"{module} is not installed (pip install {package})."
    return "it does not accept sparse data." if is_sparse and name in DENSE_ONLY else ""


def _made(make: Callable[[int], Any], random_state: int, n_jobs: int | None) -> Any:
    estimator = make(random_state)
    has_jobs = "n_jobs" in estimator.get_params(deep=False)
    return estimator.set_params(n_jobs=n_jobs) if has_jobs else estimator
