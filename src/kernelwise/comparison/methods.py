"""Methods that `compare` knows by name: what differs between classes and numbers is the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.validation import check_choice
from kernelwise.comparison import peers
from kernelwise.estimators import GridSearchSVC, TunedSVC, TunedSVR


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


#: Methods by name; each makes an estimator from a seed.
METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedSVC(random_state=seed),
    "SVC defaults": lambda seed: peers.scaled_svc(),
    **_searches("classification"),
    "Optuna TPE": lambda seed: peers.OptunaSVC(random_state=seed),
    "full grid": lambda seed: full_grid(StratifiedKFold(10, shuffle=True, random_state=seed)),
}
REGRESSION_METHODS: dict[str, Callable[[int], Any]] = {
    "kernelwise": lambda seed: TunedSVR(random_state=seed),
    "SVR defaults": lambda seed: peers.scaled_svr(),
    **_searches("regression"),
    "Optuna TPE": lambda seed: peers.OptunaSVR(random_state=seed),
}
BY_TASK = {"classification": METHODS, "regression": REGRESSION_METHODS}
#: What takes too long to be run where nothing is named.
SLOW = ("full grid",)
#: The best answers that ignore X.
BASELINES: dict[str, tuple[str, Any]] = {
    "classification": ("most frequent class", DummyClassifier(strategy="most_frequent")),
    "regression": ("mean", DummyRegressor(strategy="mean")),
}


def estimators(methods: Any, task: str, random_state: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Estimators by name, and the names that need something that is not installed."""
    if isinstance(methods, Mapping):
        return dict(methods), {}
    known = BY_TASK[task]
    names = [name for name in known if name not in SLOW] if methods is None else list(methods)
    skipped = {}
    for name in names:
        check_choice(name, "methods", "compare", tuple(known))
    if "Optuna TPE" in names and find_spec("optuna") is None:
        names.remove("Optuna TPE")
        skipped["Optuna TPE"] = "optuna is not installed (pip install 'kernelwise[optuna]')."
    return {name: known[name](random_state) for name in names}, skipped
